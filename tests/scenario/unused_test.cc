// SPDX-License-Identifier: GPL-2.0-only
// Settings that can't have an effect are reported, whatever the reason; those that can are not.
#include "world.h"

#include "base/needs.h"
#include "congestion/cc_table.h"

#include <regex>

namespace
{

using Sets = std::vector<const char *>;

Sets with(const char *cc, const Sets &more)
{
    static std::string name; // outlives the call: sets are not copied
    name = std::string("congestion-control.name=") + cc;
    Sets s = {"topology.type=single-switch", "workload.type=generate", name.c_str()};
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

struct Case {
    const char *cc;
    Sets idle;       // the first one has no effect
    const char *why; // part of the warning
    Sets effective;  // with these besides, it has
};

const Case kCases[] = {
    {"timely",
     {"ecn.kmin=1KB"},
     "signals is rtt, base-rtt, without ecn",
     {"congestion-control.name=dctcp"}},
    {"none", {"ecn.at-enqueue=true"}, "signals is none", {"congestion-control.name=dcqcn"}},
    {"dctcp",
     {"ecn.kmin=1KB", "ecn.rate-map=400Gbps:1KB:2KB:0.1"},
     "ecn.rate-map is 400Gbps:1KB:2KB:0.1",
     {"ecn.rate-map="}},
    {"dcqcn", {"ecn.pmax=0.1", "ecn.kmin=400KB"}, "ecn.kmin is 400KB", {"ecn.kmin=1KB"}},
    {"dcqcn", {"pfc.headroom=1MB", "pfc.enabled=off"}, "pfc.enabled is false", {"pfc.enabled=on"}},
    {"dcqcn", {"pfc.frame=84B", "pfc.prios=0"}, "pfc.prios is 0", {"pfc.prios=8"}},
    {"dcqcn", {"pfc.refresh=1/4"}, "pfc.quanta is 0", {"pfc.quanta=100"}},
    {"dcqcn",
     {"pfc.headroom-mode=hpcc", "pfc.headroom=1MB"},
     "pfc.headroom is 1MB",
     {"pfc.headroom=0"}},
    {"dctcp", {"switch.egress-alpha=2"}, "with 3 (transport.data-prio)", {"pfc.enabled=off"}},
    {"dctcp", {"switch.egress-alpha=2"}, "with 3 (transport.ack-prio)", {"transport.ack-prio=1"}},
    {"dctcp", {"switch.egress-alpha=2"}, "without cnp-packet", {"congestion-control.name=dcqcn"}},
    {"none",
     {"switch.quantum=1KB", "switch.scheduler=packet-rr"},
     "switch.scheduler is packet-rr",
     {"switch.scheduler=drr"}},
    {"none",
     {"switch.alpha=1/2", "switch.threshold=static"},
     "switch.threshold is static",
     {"switch.threshold=dynamic"}},
    {"none", {"switch.alpha=1/2", "pfc.enabled=off"}, "pfc.enabled is false", {"pfc.enabled=on"}},
    {"none",
     {"generate.matrix-unit=1KB", "generate.kind=all-to-all"},
     "generate.matrix-file is empty (give one)",
     {"generate.matrix-file=m.csv"}},
    {"none",
     {"generate.skew=1", "generate.kind=all-to-all", "generate.matrix-file=m.csv"},
     "generate.matrix-file is m.csv (leave that out)",
     {"generate.matrix-file="}},
    {"none", {"switch.lossy-alpha=2"}, "pfc.enabled is true", {"pfc.enabled=off"}},
    {"dctcp", {"ecn.pmax=0.1"}, "ecn.kmin is 75KB", {"ecn.kmin=1KB", "ecn.kmax=2KB"}},
    {"none",
     {"switch.limit-map=3:1MB"},
     "switch.threshold is dynamic",
     {"switch.threshold=static"}},
    {"none",
     {"switch.egress-limit=1MB", "pfc.enabled=off"},
     "switch.egress-threshold is dynamic",
     {"switch.egress-threshold=static"}},
    {"none",
     {"switch.egress-alpha-map=3:1/2"},
     "switch.egress-lossless-pool is 0",
     {"switch.egress-lossless-pool=1MiB"}},
    {"none",
     {"switch.weight-map=3:2", "switch.scheduler=packet-rr"},
     "switch.scheduler is packet-rr",
     {"switch.scheduler=drr"}},
    {"none",
     {"pfc.response-time=1us", "pfc.enabled=off"},
     "pfc.enabled is false",
     {"pfc.enabled=on"}},
    {"timely", {"ecn.prio-map=3:off"}, "without ecn", {"congestion-control.name=dctcp"}},
    {"none",
     {"switch.reserve-scope=port", "switch.reserve=0"},
     "switch.reserve is 0B",
     {"switch.reserve=1KB"}},
    {"none",
     {"transport.chunk=64KB"},
     "transport.recovery is go-back-n",
     {"transport.recovery=go-back-0"}},
    {"none",
     {"transport.rto-low=1ms"},
     "transport.recovery is go-back-n",
     {"transport.recovery=selective-repeat"}},
    {"none",
     {"transport.rto-low=1ms", "transport.recovery=selective-repeat",
      "transport.rto-low-packets=0"},
     "transport.rto-low-packets is 0",
     {"transport.rto-low-packets=1"}},
    {"none",
     {"transport.nack-interval=1us", "transport.recovery=selective-repeat"},
     "transport.recovery is selective-repeat",
     {"transport.recovery=go-back-0"}},
    {"dctcp",
     {"transport.cnp-prio=5"},
     "signals is ecn, ecn-echo, bdp, without cnp-packet",
     {"congestion-control.name=dcqcn"}},
    {"dcqcn",
     {"transport.cnp-frame=80B", "dcqcn.mode=hpcc"},
     "signals is ecn, cnp, without",
     {"dcqcn.mode=paper"}},
    {"none", {"transport.base-rtt=10us"}, "without base-rtt", {"congestion-control.name=hpcc"}},
    {"none", {"transport.bdp=10KB"}, "without bdp", {"transport.recovery=selective-repeat"}},
    {"none",
     {"transport.bdp=10KB", "transport.recovery=selective-repeat", "transport.bdp-fc=off"},
     "transport.bdp-fc is false",
     {"transport.bdp-fc=on"}},
    {"none",
     {"transport.ack-ignores-pause=true", "transport.ack-prio=2"},
     "pfc.prios is 8, without 2 (ack-prio)",
     {"transport.ack-prio=3"}},
    {"dcqcn",
     {"dcqcn.byte-counter=1MB", "dcqcn.mode=hpcc"},
     "dcqcn.mode is hpcc",
     {"dcqcn.mode=paper"}},
    {"dcqcn", {"dcqcn.clamp-target=true"}, "dcqcn.mode is paper", {"dcqcn.mode=hpcc"}},
    {"hpcc", {"hpcc.window-ai=100B", "hpcc.mode=hpcc"}, "hpcc.mode is hpcc", {"hpcc.mode=paper"}},
    {"hpcc",
     {"hpcc.sample-feedback=true", "hpcc.mode=hpcc", "hpcc.fast-react=false"},
     "hpcc.fast-react is false",
     {"hpcc.fast-react=true"}},
    {"hpcc-pint", {"hpcc-pint.rate-ai=1Gbps"}, "hpcc-pint.mode is paper", {"hpcc-pint.mode=hpcc"}},
    {"timely", {"timely.rate-hai=1Gbps"}, "timely.mode is paper", {"timely.mode=hpcc"}},
    {"dctcp", {"dctcp.min-rate=1Gbps"}, "dctcp.mode is paper", {"dctcp.mode=hpcc"}},
    {"swift",
     {"swift.fs-min-cwnd=0.2", "swift.fs-range=0"},
     "swift.fs-range is 0",
     {"swift.fs-range=1us"}},
    {"powertcp",
     {"powertcp.int-bytes=8B", "powertcp.form=delay"},
     "powertcp.form is delay",
     {"powertcp.form=int"}},
    {"powertcp",
     {"powertcp.expected-flows=3", "powertcp.beta=1KB"},
     "powertcp.beta is 1KB",
     {"powertcp.beta=0"}},
    {"static-window",
     {"static-window.window-bdp=2", "static-window.window=1KB"},
     "static-window.window is 1KB",
     {"static-window.window=0"}},
    {"none", {"tcp.mtu=9000B"}, "transport.type is roce", {"transport.type=tcp"}},
    {"none", {"transport.variant=bbr"}, "transport.type is roce", {"tcp.prios=1"}},
    {"none",
     {"transport.ack-every=4", "transport.type=tcp"},
     "type is tcp",
     {"transport.type=roce"}},
    {"none",
     {"transport.nack-interval=1us", "transport.type=tcp"},
     "type is tcp",
     {"transport.type=roce"}},
    {"dcqcn",
     {"dcqcn.rate-ai=1Gbps", "transport.type=tcp"},
     "transport.type is tcp, whose congestion control is transport.variant",
     {"transport.type=roce"}},
    {"dcqcn", {"ecn.kmin=1KB", "transport.type=tcp"}, "tcp.ecn is false", {"tcp.ecn=true"}},
    {"none",
     {"ecn.kmin=1KB"},
     "transport.type is roce",
     {"transport.type=tcp", "transport.variant=dctcp"}},
    {"none", {"switch.egress-alpha=2"}, "transport.type is roce", {"transport.type=tcp"}},
    {"none",
     {"tcp.delayed-ack=1ms", "transport.type=tcp", "tcp.ack-every=1"},
     "tcp.ack-every is 1",
     {"tcp.ack-every=2"}},
    {"none",
     {"tcp.ecn=true", "transport.type=tcp", "transport.variant=bbr"},
     "transport.variant is bbr",
     {"transport.variant=cubic"}},
    {"none",
     {"tcp.prios=2", "transport.type=tcp"},
     "transport.type is tcp",
     {"transport.type=roce"}},
    {"none",
     {"system.reduce-passes=2"},
     "system.reduce-bandwidth is 0",
     {"system.reduce-bandwidth=1TB/s"}},
    {"none",
     {"capture.operation=send", "capture.links=all", "transport.type=tcp"},
     "transport.type is tcp",
     {"transport.type=roce"}},
    {"none", {"system.active-chunks=2"}, "system.chunks is 1", {"system.chunks=4"}},
    {"none",
     {"generate.layers=3"},
     "generate.pattern is microbenchmark",
     {"generate.pattern=data-parallel"}},
    {"none",
     {"generate.count=3", "generate.pattern=data-parallel"},
     "generate.pattern is data-parallel",
     {"generate.pattern=microbenchmark"}},
};

std::string key_of(const char *set)
{
    return std::string(set, std::strchr(set, '='));
}

// The text of all warnings about a fabric with these dimensions.
std::string dimension_warnings(const char *dimensions, Sets sets)
{
    const std::string list = std::string("multi.dimensions=") + dimensions;
    sets.insert(sets.end(), {"topology.type=multi", list.c_str(), "workload.type=generate"});
    auto r = world::from_defaults(sets);
    EXPECT_EQ(r.code, 0) << r.message();
    return r.warnings();
}

TEST(Unused, DimensionsAreLookedAtOneByOne)
{
    const char *one = "switch size=2 congestion-control=dctcp mtu=1KiB; ring size=4";
    const char *both = "switch size=2 congestion-control=dctcp mtu=1KiB buffer=1MiB; "
                       "ring size=4 congestion-control=none mtu=2KiB buffer=1MiB";
    const Sets none = {"congestion-control.name=none", "ecn.kmin=1KB"};
    EXPECT_EQ(dimension_warnings(one, none), "");
    EXPECT_NE(dimension_warnings("switch size=2; ring size=4", none).find("ecn.kmin"),
              std::string::npos);
    EXPECT_EQ(dimension_warnings(one, {"transport.mtu=2KiB", "switch.buffer=16MiB"}), "");
    std::string w = dimension_warnings(
        both, {"transport.mtu=2KiB", "switch.buffer=16MiB", "congestion-control.name=dcqcn"});
    for (const char *key : {"transport.mtu", "switch.buffer", "congestion-control.name=dcqcn"})
        EXPECT_NE(w.find(key), std::string::npos) << key << "\n" << w;
}

} // namespace

TEST(Unused, EverySettingWithoutEffectIsReportedAndOnlyThose)
{
    for (const Case &c : kCases) {
        auto r = world::from_defaults(with(c.cc, c.idle));
        ASSERT_EQ(r.code, 0) << r.message();
        EXPECT_CONTAINS(r.warnings(), "--set " + key_of(c.idle[0]) + ": has no effect: ");
        EXPECT_CONTAINS(r.warnings(), c.why);
        Sets both = c.idle;
        both.insert(both.end(), c.effective.begin(), c.effective.end());
        // parameters of a control that is not chosen would be an error of their own
        auto e = world::from_defaults(with(c.cc, both));
        ASSERT_EQ(e.code, 0) << e.message();
        EXPECT_EQ(e.warnings().find(key_of(c.idle[0]) + ":"), std::string::npos)
            << c.cc << ": " << e.warnings();
    }
}

TEST(Unused, ATextThatIsEmptyAsksForNothing)
{
    auto r = world::from_defaults(with("none", {"ecn.rate-map="}));
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_EQ(r.warnings(), "");
    auto other = world::from_defaults(with("none", {"ecn.rate-map=40Gbps:5KB:200KB:0.01"}));
    EXPECT_CONTAINS(other.warnings(), "ecn.rate-map: has no effect: ");
}

TEST(Unused, ADefaultThatIsWrittenOutIsReportedToo)
{
    auto r = world::parse(world::scenario("<congestion-control name=\"hpcc\"/>\n"
                                          "<ecn pmax=\"0.2\"/>"));
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_EQ(r.warnings(), "dir/s.xml:5:6: <ecn>: 'pmax' has no effect: "
                            "congestion-control.signals is int, base-rtt, without ecn and "
                            "transport.type is roce and tcp.prios is 0\n");
}

// The text of every `needs` names keys that exist, so that a typing error is not taken for "holds".
TEST(Unused, EveryKeyThatAParameterNeedsExists)
{
    size_t n = 0, checked = 0;
    const weft_cc_ops *const *t = weft_cc_table(&n);
    for (size_t i = 0; i < n; i++) {
        auto r = world::from_defaults(with(t[i]->name, {}));
        ASSERT_EQ(r.code, 0) << r.message();
        for (size_t g = 0; g < r.s->ngroups; g++)
            for (size_t k = 0; k < r.s->groups[g].table->n; k++) {
                const weft_param &p = r.s->groups[g].table->params[k];
                const std::string needs = p.needs ? p.needs : "";
                const std::regex key("([a-z0-9-]+)\\.([a-z0-9-]+)");
                for (std::sregex_iterator m(needs.begin(), needs.end(), key), end; m != end; ++m) {
                    checked++;
                    if (m->str() != "congestion-control.signals" && (*m)[1] != "dimension") {
                        EXPECT_NE(r.value((*m)[1].str(), (*m)[2].str().c_str()), "(none)")
                            << p.name << " needs " << needs;
                    }
                }
            }
    }
    EXPECT_GE(checked, 15 * n);
}
