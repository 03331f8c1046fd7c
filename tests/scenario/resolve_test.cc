// SPDX-License-Identifier: GPL-2.0-only
#include "world.h"

using world::parse;
using world::scenario;

namespace
{

TEST(Resolve, DefaultsFillWhatTheFileLeavesOut)
{
    auto r = parse(scenario());
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_STREQ(r.s->topology->name, "leaf-spine");
    EXPECT_STREQ(r.s->backend->name, "packet");
    EXPECT_STREQ(r.s->cc->name, "dcqcn");
    EXPECT_STREQ(r.s->jobs[0].ops->name, "generate");
    EXPECT_EQ(r.s->run->seed, 1u);
    EXPECT_EQ(r.s->run->until_ps, 0);
    EXPECT_EQ(r.s->nwarnings, 0u) << r.warnings();
    auto p = world::engine_params(*r.s);
    EXPECT_EQ(p.transport.mtu_bytes, 4096u);
    EXPECT_EQ(p.pfc.enabled, 1);
}

TEST(Resolve, AttributesSetValuesAndRememberTheirPlace)
{
    auto r = parse(scenario(
        "<transport mtu=\"1000B\"/>\n<pfc\n  enabled=\"off\"/>\n<run seed=\"7\" until=\"3ms\"/>"
        "<congestion-control name=\"static-window\"/>"));
    ASSERT_EQ(r.code, 0) << r.message();
    auto p = world::engine_params(*r.s);
    EXPECT_EQ(p.transport.mtu_bytes, 1000u);
    EXPECT_EQ(p.pfc.enabled, 0);
    EXPECT_EQ(r.s->run->seed, 7u);
    EXPECT_EQ(r.s->run->until_ps, INT64_C(3000000000));
    EXPECT_STREQ(r.s->cc->name, "static-window");
    const weft_scenario_group *g = r.group("pfc");
    const weft_origin &o = g->origins[weft_params_find(g->table, "enabled") - g->table->params];
    EXPECT_EQ(o.kind, WEFT_ORIGIN_FILE);
    EXPECT_EQ(o.line, 6);
    EXPECT_EQ(o.col, 3);
    EXPECT_EQ(r.group("transport")->origins[0].kind, WEFT_ORIGIN_DEFAULT);
}

TEST(Resolve, ReplayIsAWordOrATolerance)
{
    struct {
        const char *text;
        bool replays;
        double tolerance;
    } good[] = {{"auto", true, 0},
                {"off", false, 0},
                {"exact", true, 0},
                {"1%", true, 0.01},
                {"0.002", true, 0.002}};
    for (auto &c : good) {
        auto r = parse(scenario(std::string("<run replay=\"") + c.text + "\"/>"));
        ASSERT_EQ(r.code, 0) << r.message();
        EXPECT_EQ(r.s->replays, c.replays) << c.text;
        EXPECT_DOUBLE_EQ(r.s->replay_tolerance, c.tolerance) << c.text;
    }
    EXPECT_TRUE(parse(scenario("<run/>")).s->replays);
    for (const char *threads : {R"(<run threads="2"/>)", R"(<run threads="auto"/>)"})
        EXPECT_TRUE(parse(scenario(threads)).s->replays) << threads;
    const char *off = R"(<run victims="1us"/>)";
    EXPECT_FALSE(parse(scenario(off)).s->replays);
    EXPECT_TRUE(parse(scenario(off)).warnings().empty());
    for (const char *bad : {"of", "exactly", "0%", "-1%", "11%", "1us", ""}) {
        auto r = parse(scenario(std::string("<run replay=\"") + bad + "\"/>"));
        EXPECT_EQ(r.code, WEFT_E_INPUT) << bad;
        EXPECT_NE(r.message().find("neither auto, off nor exact, nor a tolerance of 0.01% to 10%"),
                  std::string::npos)
            << r.message();
    }
}

TEST(Resolve, UnknownNamesGetTheNearestOneAndTheirPlace)
{
    struct {
        const char *inside, *place, *what;
    } cases[] = {
        {"<transprot/>", "dir/s.xml:4:1:", "did you mean 'transport'"},
        {"<transport mut=\"1KB\"/>", "dir/s.xml:4:12:", "did you mean 'mtu'"},
        {"<transport\n   zzzzzz=\"1\"/>", "dir/s.xml:5:4:", "valid: type, variant, mtu"},
        {"<congestion-control name=\"dcqnc\"/>", "dir/s.xml:4:21:", "did you mean 'dcqcn'"},
        {"<network backend=\"paket\"/>", "dir/s.xml:4:10:", "did you mean 'packet'"},
        {"<network backen=\"ideal\"/>", "dir/s.xml:4:10:", "did you mean 'backend'"},
        {"<run sed=\"1\"/>", "dir/s.xml:4:6:", "did you mean 'seed'"},
    };
    for (auto &c : cases) {
        auto r = parse(scenario(c.inside));
        EXPECT_EQ(r.code, WEFT_E_INPUT) << c.inside;
        EXPECT_EQ(r.message().rfind(c.place, 0), 0u) << r.message();
        EXPECT_CONTAINS(r.message(), c.what);
    }
}

TEST(Resolve, ValuesAreCheckedWithTheirPlace)
{
    auto no_unit = parse(scenario("<transport mtu=\"4096\"/>"));
    EXPECT_EQ(no_unit.code, WEFT_E_INPUT);
    EXPECT_EQ(no_unit.message().rfind("dir/s.xml:4:12: <transport>:", 0), 0u) << no_unit.message();
    EXPECT_CONTAINS(no_unit.message(), "unit");
    auto range = parse(scenario("<transport data-prio=\"8\"/>"));
    EXPECT_EQ(range.code, WEFT_E_INPUT);
    EXPECT_CONTAINS(range.message(), "data-prio");
}

TEST(Resolve, StructureOfTheFile)
{
    EXPECT_CONTAINS(parse("<scenery/>").message(), "root element must be <scenario>");
    EXPECT_CONTAINS(parse(scenario("<run/><run/>")).message(),
                    "given twice; the first is on line 4");
    EXPECT_CONTAINS(parse(scenario("hello")).message(), "<description>");
    EXPECT_CONTAINS(parse(scenario("<run>5</run>")).message(), "settings are attributes");
    EXPECT_CONTAINS(parse(scenario("<run><seed/></run>")).message(), "settings are attributes");
    EXPECT_CONTAINS(parse("<scenario nmae=\"x\"/>").message(), "did you mean 'name'");
    EXPECT_CONTAINS(parse("<scenario name=\"../x\"/>").message(), "letters");
    EXPECT_CONTAINS(parse("<scenario><topology type=\"leaf-spine\"/></scenario>").message(),
                    "no workload");
    EXPECT_CONTAINS(parse("<scenario><topology leaves=\"4\"/></scenario>").message(),
                    "needs the attribute 'type'");
}

TEST(Resolve, RequiredParametersMustBeGiven)
{
    auto r =
        parse("<scenario>\n <topology type=\"hpcc\"/>\n <workload type=\"generate\"/></scenario>");
    EXPECT_EQ(r.code, WEFT_E_INPUT);
    EXPECT_EQ(r.message().rfind("dir/s.xml:2:2: <topology>: 'file' must be given", 0), 0u)
        << r.message();
}

TEST(Resolve, PathsAreRelativeToTheFile)
{
    std::string xml =
        "<scenario><topology type=\"hpcc\" file=\"t/x.txt\"/><workload type=\"chakra\" "
        "path=\"/abs/p\"/></scenario>";
    auto r = parse(xml, {}, "some/where/s.xml");
    ASSERT_EQ(r.code, 0) << r.message();
    EXPECT_EQ(r.value("topology", "file"), "some/where/t/x.txt");
    EXPECT_EQ(r.value("workload", "path"), "/abs/p");
    auto bare = parse(xml, {}, "s.xml");
    EXPECT_EQ(bare.value("topology", "file"), "t/x.txt");
    auto set = parse(xml, {"hpcc.file=u.txt"}, "some/where/s.xml");
    EXPECT_EQ(set.value("topology", "file"), "u.txt");
}

TEST(Resolve, NamesComeFromAttributeFolderOrFile)
{
    std::string with = "<scenario name=\"n1\"><topology type=\"leaf-spine\"/><workload "
                       "type=\"generate\"/></scenario>";
    EXPECT_STREQ(parse(with).s->name, "n1");
    EXPECT_STREQ(parse(scenario(), {}, "a/clos/scenario.xml").s->name, "clos");
    EXPECT_STREQ(parse(scenario(), {}, "a/other.xml").s->name, "other");
    EXPECT_STREQ(parse(scenario(), {}, "scenario.xml").s->name, "unnamed");
    EXPECT_STREQ(
        world::from_defaults({"topology.type=leaf-spine", "workload.type=generate"}).s->name,
        "unnamed");
}

TEST(Resolve, SettingsWithoutEffectAreReported)
{
    auto section = parse(scenario("<network backend=\"ideal\"/><transport mtu=\"1KB\"/>"));
    EXPECT_EQ(section.code, WEFT_E_INPUT);
    EXPECT_CONTAINS(section.message(),
                    "<transport> has no effect: it belongs to the backend 'packet'");

    auto cc = parse(scenario("<network backend=\"ideal\"/><congestion-control name=\"dcqcn\"/>"));
    ASSERT_EQ(cc.code, 0) << cc.message();
    EXPECT_CONTAINS(cc.warnings(), "does not use congestion control");
    EXPECT_EQ(cc.s->cc, nullptr);

    auto ecn = parse(scenario("<congestion-control name=\"none\"/><ecn kmin=\"5KB\"/>"));
    ASSERT_EQ(ecn.code, 0) << ecn.message();
    EXPECT_CONTAINS(ecn.warnings(),
                    "<ecn>: 'kmin' has no effect: congestion-control.signals is none, without ecn");

    auto pfc = parse(scenario("<pfc enabled=\"no\" headroom=\"5KB\"/>"));
    EXPECT_CONTAINS(pfc.warnings(), "'headroom' has no effect: pfc.enabled is false");

    auto passes = parse(scenario("<system reduce-passes=\"2\"/>"));
    EXPECT_CONTAINS(passes.warnings(), "'reduce-passes' has no effect");
    EXPECT_EQ(
        parse(scenario("<system reduce-passes=\"2\" reduce-bandwidth=\"1TB/s\"/>")).s->nwarnings,
        0u);
}

} // namespace
