// SPDX-License-Identifier: GPL-2.0-only
#include "world.h"

using world::from_defaults;
using world::parse;
using world::scenario;

namespace
{

TEST(Override, WinsOverTheFileAndTheLastOneWins)
{
    auto r =
        parse(scenario("<transport mtu=\"1000B\"/>"),
              {"transport.mtu=2000B", "leaf-spine.leaves=2", "run.seed=3", "transport.mtu=3000B"});
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_EQ(r.value("transport", "mtu"), "3KB");
    EXPECT_EQ(r.value("topology", "leaves"), "2");
    EXPECT_EQ(r.s->run->seed, 3u);
    EXPECT_EQ(r.s->noverrides, 4u);
    const weft_scenario_group *g = r.group("transport");
    EXPECT_EQ(g->origins[weft_params_find(g->table, "mtu") - g->table->params].kind,
              WEFT_ORIGIN_OVERRIDE);
}

TEST(Override, DefaultsAloneMakeAScenario)
{
    auto r = from_defaults({"topology.type=single-switch", "single-switch.hosts=5",
                            "workload.type=generate", "network.backend=ideal"});
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_EQ(r.value("topology", "hosts"), "5");
    EXPECT_EQ(r.s->cc, nullptr);
    EXPECT_CONTAINS(from_defaults({"workload.type=generate"}).message(), "no topology");
}

TEST(Override, TheElementNamesThePlugInToo)
{
    auto r = parse(scenario(), {"topology.leaves=8", "congestion-control.rate-ai=50Mbps"});
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_EQ(r.value("topology", "leaves"), "8");
    EXPECT_EQ(r.value("congestion-control", "rate-ai"), "50Mbps");
}

TEST(Override, AnotherPlugInLeavesTheFilesParametersUnused)
{
    std::string xml = "<scenario>\n<topology type=\"leaf-spine\" leaves=\"2\"/>\n<workload "
                      "type=\"generate\"/></scenario>";
    auto r = parse(xml, {"topology.type=single-switch"});
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_STREQ(r.s->topology->name, "single-switch");
    EXPECT_CONTAINS(
        r.warnings(),
        "dir/s.xml:2:1: the attributes of <topology type=\"leaf-spine\"> have no effect");
    EXPECT_EQ(parse(xml, {"topology.type=leaf-spine"}).value("topology", "leaves"), "2");

    auto net = parse(scenario("<transport mtu=\"1KB\"/>"), {"network.backend=ideal"});
    ASSERT_EQ(net.code, 0) << net.message();
    EXPECT_CONTAINS(net.warnings(), "<transport> has no effect");
}

TEST(Override, KeysWithoutEffectAreErrors)
{
    struct {
        const char *set, *what;
    } cases[] = {
        {"fat-tree.k=4",
         "has no effect: the topology is 'leaf-spine'; to change it, --set topology.type=fat-tree"},
        {"static-window.window=1KB", "has no effect: the congestion control is 'dcqcn'"},
        {"hpcc.target-util=0.9", "to change it, --set congestion-control.name=hpcc"},
        {"hpcc.file=x", "to change it, --set topology.type=hpcc"},
        {"chakra.path=x", "has no effect: the workload is 'generate'"},
        {"ideal.model=flat",
         "the network backend is 'packet'; to change it, --set network.backend=ideal"},
        {"leafspine.leaves=4", "did you mean 'leaf-spine'"},
        {"leaf-spine.leafs=4", "leaves"},
        {"transport.mtu=4096", "unit"},
        {"topology.type=leafspine", "did you mean 'leaf-spine'"},
        {"transport.mtu", "SECTION.PARAMETER=VALUE"},
        {"mtu=4096B", "SECTION.PARAMETER=VALUE"},
        {".mtu=4096B", "SECTION.PARAMETER=VALUE"},
        {"transport.=4096B", "SECTION.PARAMETER=VALUE"},
        {"qqqqqqqqqq.mtu=4096B", "unknown section 'qqqqqqqqqq'"},
        {"network.mtu=1KB", "mtu"},
    };
    for (auto &c : cases) {
        auto r = parse(scenario(), {c.set});
        EXPECT_EQ(r.code, WEFT_E_INPUT) << c.set;
        EXPECT_CONTAINS(r.message(), c.what);
        EXPECT_CONTAINS(r.message(), std::string("--set ") + c.set);
    }
    auto cc = parse(scenario("<network backend=\"ideal\"/>"), {"dcqcn.rate-ai=1Mbps"});
    EXPECT_EQ(cc.code, WEFT_E_INPUT);
    EXPECT_CONTAINS(cc.message(), "does not use congestion control");
    auto name = parse(scenario("<network backend=\"ideal\"/>"), {"congestion-control.name=dcqcn"});
    EXPECT_EQ(name.code, WEFT_E_INPUT);
    EXPECT_CONTAINS(name.message(), "does not use congestion control");
}

TEST(Override, ValuesMayHoldDotsAndEqualSigns)
{
    auto r = parse("<scenario><topology type=\"leaf-spine\"/><workload type=\"chakra\" "
                   "path=\"x\"/></scenario>",
                   {"chakra.path=/a.b/c=d.e"});
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_EQ(r.value("workload", "path"), "/a.b/c=d.e");
}

TEST(Override, ConditionalWarningsNameTheOverride)
{
    auto r = parse(scenario(), {"congestion-control.name=none", "ecn.kmin=1KB"});
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_CONTAINS(r.warnings(), "--set ecn.kmin: has no effect");
}

} // namespace
