// SPDX-License-Identifier: GPL-2.0-only
#include "world.h"

using world::parse;

namespace
{

TEST(Build, MakesTheFabricAndOneRankPerHost)
{
    auto r = parse(
        "<scenario><network backend=\"ideal\"/><topology type=\"leaf-spine\" leaves=\"2\" "
        "hosts-per-leaf=\"3\" spines=\"1\"/><workload type=\"generate\" count=\"2\"/></scenario>");
    ASSERT_EQ(r.code, 0) << r.message();
    weft_scenario_parts parts;
    weft_err err = {};
    ASSERT_EQ(weft_scenario_build(r.s, &parts, &err), 0) << err.msg;
    EXPECT_EQ(parts.fabric->nhosts, 6u);
    EXPECT_EQ(parts.fabric->nswitches, 3u);
    EXPECT_EQ(parts.njobs, 1u);
    EXPECT_EQ(parts.jobs[0].nranks, 6u);
    weft_scenario_parts_free(&parts);
    EXPECT_EQ(parts.fabric, nullptr);
}

TEST(Build, ErrorsNameTheElement)
{
    auto r = parse(
        "<scenario><network backend=\"ideal\"/>\n<topology type=\"hpcc\" file=\"/nonexistent\"/>\n"
        "<workload type=\"generate\"/></scenario>");
    ASSERT_EQ(r.code, 0) << r.message();
    weft_scenario_parts parts;
    EXPECT_NE(weft_scenario_build(r.s, &parts, &r.err), 0);
    EXPECT_CONTAINS(r.message(), "/nonexistent");

    auto w = parse(
        "<scenario><network backend=\"ideal\"/>\n<topology type=\"single-switch\" hosts=\"4\"/>\n"
        "<workload type=\"generate\" ranks=\"5\"/></scenario>");
    ASSERT_EQ(w.code, 0) << w.message();
    EXPECT_EQ(weft_scenario_build(w.s, &parts, &w.err), WEFT_E_INPUT);
    EXPECT_EQ(w.message().rfind("dir/s.xml:3:1: <workload type=\"generate\">:", 0), 0u)
        << w.message();

    auto s = parse(
        "<scenario><network backend=\"ideal\"/>\n<topology type=\"single-switch\" hosts=\"4\"/>\n"
        "<workload type=\"generate\"/><system all-reduce=\"rign\"/></scenario>");
    ASSERT_EQ(s.code, 0) << s.message();
    EXPECT_EQ(weft_scenario_build(s.s, &parts, &s.err), WEFT_E_INPUT);
    EXPECT_EQ(s.message().rfind("dir/s.xml:3:36: system.all-reduce: ", 0), 0u) << s.message();
    EXPECT_CONTAINS(s.message(), "ring");
}

TEST(Build, ScaleUpShareIsOfTheInnermostDimension)
{
    auto r = parse("<scenario><topology type=\"multi\" dimensions=\"switch size=2 rate=800Gbps; "
                   "switch size=2 rate=400Gbps\"/><system scale-up-share=\"0.5\"/>"
                   "<workload type=\"generate\"/></scenario>");
    ASSERT_EQ(r.code, 0) << r.message();
    weft_scenario_parts parts;
    weft_err err = {};
    ASSERT_EQ(weft_scenario_build(r.s, &parts, &err), 0) << err.msg;
    for (uint32_t i = 0; i < parts.fabric->nlinks; i++)
        EXPECT_EQ(parts.fabric->links[i].rate_bps, 400000000000u) << i;
    EXPECT_EQ(parts.fabric->dims[0].rate_bps, 400000000000u);
    weft_scenario_parts_free(&parts);
}

} // namespace
