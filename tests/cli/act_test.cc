// SPDX-License-Identifier: GPL-2.0-only
// What a run says of its own plausibility: bandwidth above the links', load above what tiers carry,
// controls that are not what they are called, losses of data and of ACKs, thresholds by switch.
#include "program.h"

#include <cmath>
#include <regex>

namespace
{

using Args = std::vector<std::string>;

Said play(const std::string &command, const Args &sets, const Args &more = {})
{
    Args a = {command};
    a.insert(a.end(), more.begin(), more.end());
    return weft(with_sets(a, sets));
}

Args operator+(Args a, const Args &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/* The number that the first group of @p pattern matches; NaN: none. */
double figure(const std::string &text, const std::string &pattern)
{
    std::smatch m;
    return std::regex_search(text, m, std::regex(pattern)) ? std::stod(m[1]) : NAN;
}

const Args kDirect = {"topology.type=single-switch", "network.backend=ideal",
                      "workload.type=generate",      "generate.kind=all-gather",
                      "generate.size=64MiB",         "system.all-gather=direct"};
const Args kLeaves = {"topology.type=leaf-spine"};

} // namespace

TEST(IdealBackend, MessagesShareLinksUnlessToldOtherwise)
{
    const Said shared = play("run", kDirect, {"--no-out", "--json"});
    const Said alone = play("run", kDirect + Args{"ideal.contention=none"}, {"--no-out", "--json"});
    const char *of_links = "\"bus_bandwidth_of_links\": ([0-9.]+)";
    EXPECT_NEAR(figure(shared.out, of_links), 1, 0.01);
    EXPECT_NEAR(figure(alone.out, of_links), 7, 0.2);
    EXPECT_CONTAINS(play("run", kDirect + Args{"ideal.contention=none"}, {"--no-out"}).out,
                    "times what the links of a rank carry, which no fabric does");
    EXPECT_LACKS(play("run", kDirect, {"--no-out"}).out, "which no fabric does");
    const Said flat = play("run", kDirect + Args{"ideal.model=flat", "ideal.bandwidth=400Gbps"},
                           {"--no-out", "--json"}),
               source = play("run",
                             kDirect + Args{"ideal.model=flat", "ideal.bandwidth=400Gbps",
                                            "ideal.contention=source"},
                             {"--no-out", "--json"});
    const char *end = "\"end_to_end_ns\": ([0-9.]+)";
    EXPECT_EQ(figure(flat.out, end), figure(source.out, end));
    EXPECT_CONTAINS(weft({"show", "backend", "ideal"}).out, "ideal.equal-paths");
    if (has_packet()) {
        EXPECT_CONTAINS(weft({"show", "backend", "packet"}).out, "'weft show section NAME'");
    }
}

TEST(OfferedLoad, IsSaidForEachTierAndWarnedOfAboveAll)
{
    const Args traffic = kLeaves + Args{"workload.type=cdf", "run.measure=100us"};
    const char *hosts = "links of hosts ([0-9.]+) %",
               *core = "links between switches of tiers 1 and 2 ([0-9.]+) %";
    const Args three = traffic + Args{"leaf-spine.oversubscription=3", "cdf.load=0.6"};
    Said s = play("check", three);
    EXPECT_NEAR(figure(s.out, hosts), 60, 0.1);
    EXPECT_NEAR(figure(s.out, core), 60 * 3 * 12 / 15.,
                6); // 12 of 15 peers are behind other leaves
    EXPECT_CONTAINS(s.err, "warning: flows offer links between switches of tiers 1 and 2 14");
    s = play("check", traffic + Args{"cdf.load=60"});
    EXPECT_CONTAINS(s.err, "flows offer links of hosts 6000 %");
    s = play("check", traffic + Args{"cdf.load=0.5"});
    EXPECT_EQ(s.err, "");
    EXPECT_NEAR(figure(s.out, core), 50 * 12 / 15., 2);
    EXPECT_CONTAINS(play("run", three, {"--no-out"}).out,
                    "offered load             links of hosts");
    EXPECT_LACKS(play("check", kLeaves + Args{"workload.type=generate"}).out, "offered load");
}

TEST(OfferedLoad, DoesNotChangeTheRun)
{
    const Args traffic = kLeaves + Args{"workload.type=cdf", "cdf.duration=50us"};
    TempDir dir;
    ASSERT_EQ(play("run", traffic, {"--out", dir / "a"}).code, 0);
    const std::string flows = slurp(dir / "a/flows.csv");
    EXPECT_GT(flows.size(), 1000u);
    EXPECT_NE(flows.find("\n0,"), std::string::npos) << "the first flow is there";
}

TEST(Controls, ForManyPathsOnOnePathAreWarnedOf)
{
    if (!has_packet())
        GTEST_SKIP();
    const Args base = kLeaves + Args{"workload.type=generate"};
    for (const char *cc : {"nscc", "smartt", "mprdma"}) {
        const std::string name = std::string("congestion-control.name=") + cc;
        EXPECT_CONTAINS(play("check", base + Args{name}, {"-q"}).err,
                        std::string("congestion control ") + cc + " is made for packets on many");
        EXPECT_EQ(play("check",
                       base + Args{name, "transport.recovery=out-of-order", "switch.balance=spray"},
                       {"-q"})
                      .err,
                  "");
    }
    EXPECT_EQ(play("check", base + Args{"transport.type=uet"}, {"-q"}).err, "");
    EXPECT_EQ(play("check", base + Args{"congestion-control.name=dcqcn"}, {"-q"}).err, "");
}

TEST(Losses, OfAcksAreToldApartFromThoseOfData)
{
    if (!has_packet())
        GTEST_SKIP();
    const Said s =
        play("run",
             {"topology.type=leaf-spine", "workload.type=generate", "generate.kind=gather",
              "system.gather=direct", "generate.size=4MiB", "transport.retry-max=0",
              "pfc.enabled=false", "fault.events=bit-errors link=0 ber=1e-6"},
             {"--no-out"});
    const double all = figure(s.out, "losses +([0-9]+) drops"),
                 data = figure(s.out, "\\(([0-9]+) of data"),
                 acks = figure(s.out, "of data, ([0-9]+) of ACKs");
    if (std::isnan(all) || s.code > 1)
        GTEST_SKIP() << s.err;
    EXPECT_EQ(all, data + acks) << s.out;
    EXPECT_GT(acks, 0);
    EXPECT_GT(data, 0);
}

TEST(Thresholds, OfOneRateNameTheSwitches)
{
    if (!has_packet())
        GTEST_SKIP();
    // Leaves have 18 ports, spines 8, and less is left to share where more ports set headroom
    // aside.
    const Said s =
        play("check",
             {"topology.type=leaf-spine", "leaf-spine.leaves=8", "leaf-spine.spines=2",
              "leaf-spine.hosts-per-leaf=16", "workload.type=generate", "switch.buffer=6MiB"},
             {"--all"});
    ASSERT_EQ(s.code, 0) << s.err;
    std::smatch m;
    const std::string text = s.out;
    ASSERT_TRUE(std::regex_search(text, m, std::regex("ecn.kmin +=([^(]*)"))) << text;
    const std::string kmin = m[1];
    EXPECT_CONTAINS(kmin, " of s128 to s135");
    EXPECT_CONTAINS(kmin, " of s136 to s137");
}

TEST(Settings, GivenTwiceAreSaid)
{
    const Said s = play("check", {"workload.type=generate", "topology.type=single-switch",
                                  "generate.size=1MiB", "generate.size=2MiB"});
    EXPECT_CONTAINS(s.err, "--set generate.size is given twice: '2MiB' holds, not '1MiB'");
    EXPECT_CONTAINS(s.out, "2MiB");
    EXPECT_CONTAINS(s.out, "more settings are at their defaults; --all prints them");
}

TEST(LeafSpine, OversubscriptionSetsTheUplinks)
{
    const Said s = weft({"show", "fabric", "--set", "workload.type=generate", "--set",
                         "topology.type=leaf-spine", "--set", "leaf-spine.oversubscription=4"});
    EXPECT_CONTAINS(s.out, "100Gbps");
    EXPECT_CONTAINS(weft({"topology", "show", "--set", "topology.type=leaf-spine", "--set",
                          "leaf-spine.oversubscription=4"})
                        .out,
                    "4");
}
