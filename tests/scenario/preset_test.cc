// SPDX-License-Identifier: GPL-2.0-only
// Presets of congestion controls: between defaults and file, complete, and named in errors.
#include "world.h"
#include "congestion/cc_table.h"

#include <algorithm>

namespace
{

std::vector<const char *> base(std::vector<const char *> more)
{
    more.insert(more.begin(), {"topology.type=single-switch", "workload.type=generate"});
    return more;
}

} // namespace

TEST(Preset, EveryPresetOfEveryControlAppliesWithoutAWarning)
{
    size_t n = 0, seen = 0;
    const weft_cc_ops *const *t = weft_cc_table(&n);
    for (size_t i = 0; i < n; i++)
        for (const weft_preset *p = t[i]->presets; p && p->name; p++, seen++) {
            const std::string cc = std::string("congestion-control.name=") + t[i]->name;
            const std::string preset = std::string("congestion-control.preset=") + p->name;
            auto r = world::from_defaults(base({preset.c_str(), cc.c_str()}));
            ASSERT_EQ(r.code, 0) << r.message();
            EXPECT_EQ(r.warnings(), "");
            EXPECT_STREQ(r.group("congestion-control")->preset, p->name);
            size_t set = 0;
            for (size_t g = 0; g < r.s->ngroups; g++)
                for (size_t k = 0; k < r.s->groups[g].table->n; k++)
                    set += r.s->groups[g].origins[k].kind == WEFT_ORIGIN_PRESET;
            EXPECT_EQ(set,
                      1u + size_t(std::count(p->settings, p->settings + strlen(p->settings), ' ')))
                << t[i]->name << " " << p->name;
        }
    EXPECT_GE(seen, 30u);
}

// run.py scales by the NIC's rate B in Gbps.
TEST(Preset, TheSimulatorsOnesFollowItsScript)
{
    for (uint64_t b : {25, 50, 100, 200, 400}) {
        const std::string name = "congestion-control.preset=sim-" + std::to_string(b) + "g";
        const auto bps = [](uint64_t mbps) {
            char buf[64];
            weft_param p = {"x", WEFT_PARAM_RATE, 0};
            mbps *= 1000000;
            return std::string(weft_params_format(&p, &mbps, buf, sizeof buf));
        };
        auto d = world::from_defaults(base({name.c_str(), "congestion-control.name=dcqcn"}));
        ASSERT_EQ(d.code, 0) << d.message();
        EXPECT_EQ(d.value("congestion-control", "rate-ai"), bps(5 * b / 25));
        EXPECT_EQ(d.value("congestion-control", "rate-hai"), bps(50 * b / 25));
        EXPECT_EQ(d.value("congestion-control", "alpha-timer"), "1us");
        EXPECT_EQ(d.value("congestion-control", "rate-timer"), "300us");
        auto p = world::engine_params(*d.s);
        EXPECT_EQ(p.ecn.scale_rate_bps, b * 1000000000);
        EXPECT_EQ(p.ecn.kmin_bytes, 100000 * b / 25);
        EXPECT_EQ(p.ecn.kmax_bytes, 400000 * b / 25);
        auto h = world::from_defaults(base({name.c_str(), "congestion-control.name=hpcc"}));
        EXPECT_EQ(h.value("congestion-control", "rate-ai"), bps(10 * b / 25));
        EXPECT_EQ(h.value("congestion-control", "int-multi"), std::to_string(b / 25));
        auto i = world::from_defaults(base({name.c_str(), "congestion-control.name=hpcc-pint"}));
        EXPECT_EQ(i.value("congestion-control", "rate-ai"), bps(10 * b / 25));
        auto t = world::from_defaults(base({name.c_str(), "congestion-control.name=timely"}));
        EXPECT_EQ(t.value("congestion-control", "rate-ai"), bps(10 * b / 10));
        EXPECT_EQ(t.value("congestion-control", "rate-hai"), bps(50 * b / 10));
        auto c = world::from_defaults(base({name.c_str(), "congestion-control.name=dctcp"}));
        p = world::engine_params(*c.s);
        EXPECT_EQ(p.ecn.kmin_bytes, 30000 * b / 10);
        EXPECT_EQ(p.ecn.kmax_bytes, p.ecn.kmin_bytes);
    }
}

// mlxconfig's RPG_*, DCE_*, MIN_TIME_BETWEEN_CNPS and so on, at every rate of the port.
TEST(Preset, ConnectxIsWhatNicsAreShippedWith)
{
    const std::pair<const char *, const char *> own[] = {
        {"mode", "nic"},           {"gain", "0.0048828125"}, {"alpha-timer", "1us"},
        {"rate-timer", "300us"},   {"fast-recovery", "1"},   {"rate-ai", "5Mbps"},
        {"rate-hai", "50Mbps"},    {"min-rate", "1Mbps"},    {"cnp-interval", "4us"},
        {"clamp-target", "false"}, {"first-cnp-rate", "1"},  {"decrease-interval", "4us"}};
    const std::pair<const char *, std::pair<uint64_t, uint64_t>> marking[] = {
        {"connectx-cumulus", {150000, 1500000}}, {"connectx-sonic", {1048576, 2097152}}};
    for (const auto &[preset, thresholds] : marking) {
        const std::string set = std::string("congestion-control.preset=") + preset;
        auto r = world::from_defaults(base({set.c_str(), "congestion-control.name=dcqcn"}));
        ASSERT_EQ(r.code, 0) << r.message();
        for (const auto &[key, value] : own)
            EXPECT_EQ(r.value("congestion-control", key), value) << key;
        auto p = world::engine_params(*r.s);
        EXPECT_EQ(p.ecn.kmin_bytes, thresholds.first);
        EXPECT_EQ(p.ecn.kmax_bytes, thresholds.second);
        EXPECT_EQ(p.ecn.scale_rate_bps, 0u);
    }
}

TEST(Preset, FileAndOverridesWin)
{
    const std::string xml = world::scenario("<congestion-control name=\"dcqcn\" preset=\"sim-50g\""
                                            " rate-ai=\"7Mbps\"/><ecn kmin=\"1KB\"/>");
    auto r = world::parse(xml, {"dcqcn.rate-hai=8Mbps"});
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_EQ(r.value("congestion-control", "mode"), "hpcc");
    EXPECT_EQ(r.value("congestion-control", "rate-ai"), "7Mbps");
    EXPECT_EQ(r.value("congestion-control", "rate-hai"), "8Mbps");
    EXPECT_EQ(r.value("ecn", "kmin"), "1KB");
    EXPECT_EQ(r.value("ecn", "kmax"), "800KB");

    auto other = world::parse(xml, {"congestion-control.preset=sim-400g"});
    EXPECT_EQ(other.value("ecn", "kmax"), "6250KiB");
    auto none = world::parse(xml, {"congestion-control.preset=none"});
    EXPECT_EQ(none.value("congestion-control", "mode"), "paper");
    EXPECT_EQ(none.group("congestion-control")->preset, nullptr);
    // the file's preset belongs to the file's control
    auto swift = world::parse(xml, {"congestion-control.name=swift"});
    ASSERT_EQ(swift.code, 0) << swift.message();
    EXPECT_EQ(swift.group("congestion-control")->preset, nullptr);
}

TEST(Preset, MistakesSayWhatIsMeant)
{
    auto near =
        world::parse(world::scenario("<congestion-control name=\"dcqcn\" preset=\"sim-10g\"/>"));
    EXPECT_EQ(near.code, WEFT_E_INPUT);
    EXPECT_CONTAINS(near.message(), "dir/s.xml:4:34:");
    EXPECT_CONTAINS(near.message(), "dcqcn has no preset 'sim-10g'; did you mean 'sim-");
    auto far = world::from_defaults(base({"congestion-control.preset=zzzzzzzzzzz"}));
    EXPECT_CONTAINS(far.message(), "--set congestion-control.preset=zzzzzzzzzzz: dcqcn has no "
                                   "preset 'zzzzzzzzzzz'; `weft show cc dcqcn` lists them");
    auto no = world::from_defaults(
        base({"congestion-control.name=swift", "congestion-control.preset=sim-25g"}));
    EXPECT_CONTAINS(no.message(), "swift has no presets");
    auto name = world::from_defaults(base({"congestion-control.name=ndp"}));
    EXPECT_CONTAINS(name.message(), "'ndp' is a preset of rccc: congestion-control.name=rccc "
                                    "congestion-control.preset=ndp");
    auto attr = world::parse(world::scenario("<congestion-control name=\"dcqcn\" prest=\"x\"/>"));
    EXPECT_CONTAINS(attr.message(), "did you mean 'preset'");
    EXPECT_NE(world::from_defaults(base({"system.preset=x"})).code, 0);
    EXPECT_NE(
        world::from_defaults(base({"network.backend=ideal", "congestion-control.preset=sim-25g"}))
            .code,
        0);
}

TEST(Preset, TheWrittenScenarioHasItsValues)
{
    auto r = world::from_defaults(base({"congestion-control.preset=paper-40g"}));
    std::string xml;
    weft_text_sink sink = {&xml, world::append};
    weft_scenario_write_xml(r.s, &sink);
    auto again = world::parse(xml);
    ASSERT_EQ(again.code, 0) << again.message();
    EXPECT_EQ(again.value("ecn", "kmax"), "200KB");
    EXPECT_EQ(again.value("ecn", "pmax"), "0.01");
}

/* What was fitted to a machine: settings of the system and of the network, which file and overrides
 * change, and which a backend without such a section leaves away. */
TEST(Preset, OfTheSystemSetsWhatWasFitted)
{
    auto r = world::from_defaults(base({"system.preset=dgx-h100"}));
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_EQ(r.warnings(), "");
    EXPECT_STREQ(r.group("system")->preset, "dgx-h100");
    EXPECT_EQ(r.value("system", "library"), "nccl");
    EXPECT_EQ(r.value("library", "gpu"), "hopper");
    EXPECT_EQ(r.value("system", "endpoint-delay"), "0ps") << "it would count beside NCCL's own";
    EXPECT_EQ(r.value("system", "scale-up-share"), "0.835");
    EXPECT_EQ(r.value("system", "communication-share"), "0.15");
    EXPECT_EQ(r.value("in-network", "aggregation-rate"), "2.266Tbps");
    auto a100 = world::from_defaults(base({"system.preset=dgx-a100"}));
    ASSERT_EQ(a100.code, 0) << a100.message();
    EXPECT_EQ(a100.value("library", "gpu"), "ampere");
    EXPECT_EQ(a100.value("system", "scale-up-share"), "0.81");
    auto ideal = world::from_defaults(base({"system.preset=dgx-h100", "network.backend=ideal"}));
    ASSERT_EQ(ideal.code, 0) << ideal.message();
    EXPECT_EQ(ideal.value("system", "library"), "nccl");
    auto own = world::from_defaults(base({"system.preset=dgx-h100", "system.library=ideal"}));
    ASSERT_EQ(own.code, 0) << own.message();
    EXPECT_EQ(own.value("system", "library"), "ideal");
    const std::string xml = world::scenario("<system preset=\"dgx-h100\" endpoint-delay=\"1us\"/>");
    auto file = world::parse(xml, {"system.scale-up-share=0.5"});
    ASSERT_EQ(file.code, 0) << file.message();
    EXPECT_EQ(file.value("system", "endpoint-delay"), "1us");
    EXPECT_EQ(file.value("system", "scale-up-share"), "0.5");
    EXPECT_EQ(file.value("system", "communication-share"), "0.15");
    auto none = world::parse(xml, {"system.preset=none"});
    ASSERT_EQ(none.code, 0) << none.message();
    EXPECT_EQ(none.value("system", "communication-share"), "0");
    EXPECT_EQ(none.group("system")->preset, nullptr);
}

TEST(Preset, MistakesInThatOfTheSystem)
{
    auto near = world::parse(world::scenario("<system preset=\"dgx-h10\"/>"));
    EXPECT_EQ(near.code, WEFT_E_INPUT);
    EXPECT_CONTAINS(near.message(), "dir/s.xml:4:");
    EXPECT_CONTAINS(near.message(), "system has no preset 'dgx-h10'; did you mean 'dgx-h100'?");
    auto far = world::from_defaults(base({"system.preset=zzzzzzzzzzz"}));
    EXPECT_CONTAINS(far.message(), "--set system.preset=zzzzzzzzzzz: system has no preset "
                                   "'zzzzzzzzzzz'; `weft show system` lists them");
    EXPECT_NE(world::from_defaults(base({"run.preset=x"})).code, 0);
}
