// SPDX-License-Identifier: GPL-2.0-only
// weft topology, dimensions in scenarios, and deadlocks asked for.
#include "program.h"

#include <fstream>

#include <libxml/relaxng.h>

namespace
{

TEST(Topology, ShowsFiguresOfAPreset)
{
    Said s = weft({"topology", "show", "hpcc-fat-tree-320"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "hosts 320, switches 56, links 480");
    EXPECT_CONTAINS(s.out, "diameter     6 links");
    EXPECT_CONTAINS(s.out, "bisection    16 Tbps, 1 of what half of the hosts send");
    EXPECT_CONTAINS(s.out, "paths        1 to 16");
    EXPECT_CONTAINS(s.out, "oversubscription 1 : 1");
    EXPECT_CONTAINS(weft({"topology", "show", "tpu-torus-4x4x4", "--json"}).out,
                    "\"bisection_bps\": 12800000000000");
    EXPECT_CONTAINS(weft({"topology", "presets"}).out, "dragonfly-1056");
}

TEST(Topology, ChecksConvertsAndDraws)
{
    TempDir dir;
    EXPECT_CONTAINS(weft({"topology", "check", "tpu-torus-4x4x4"}).out,
                    "no circle of waiting links with 2 virtual channels");
    Said refused =
        weft({"topology", "check", "--set", "topology.type=torus", "--set", "torus.vcs=1"});
    EXPECT_EQ(refused.code, 3);
    EXPECT_CONTAINS(refused.err, "h0->h1, h1->h2, h2->h3, h3->h0");
    Said c = weft({"topology", "convert", "hpcc-fat-tree-320", "--to", "hpcc", "-o", "fat.txt"},
                  dir / "");
    ASSERT_EQ(c.code, 0) << c.err;
    EXPECT_CONTAINS(weft({"topology", "show", "fat.txt"}, dir / "").out,
                    "hosts 320, switches 56, links 480");
    EXPECT_CONTAINS(weft({"topology", "draw", "tpu-torus-4x4x4"}).out, "</svg>");
    EXPECT_EQ(weft({"topology", "draw", "fat.txt", "-o", "fat.gp"}, dir / "").code, 0);
    EXPECT_CONTAINS(slurp(dir / "fat.gp"), "320 links of 100 Gbps, dimension 0, tier 1");
    EXPECT_LACKS(slurp(dir / "fat.gp"), "colorbox"); /* lines have the colours of their sort */
    EXPECT_EQ(weft({"topology", "draw", "fat.txt", "-o", "fat.jpg"}, dir / "").code, 2);
    EXPECT_CONTAINS(weft({"topology", "convert", "fat.txt", "--to", "dot"}, dir / "").out,
                    "h0 -- s320");
    EXPECT_EQ(weft({"topology", "convert", "tpu-torus-4x4x4", "--to", "hpcc"}).code, 3);
    EXPECT_EQ(weft({"topology", "convert", "tpu-torus-4x4x4", "--to", "svgg"}).code, 2);
    EXPECT_EQ(weft({"topology", "show", "no-such-thing"}).code, 4);
    EXPECT_EQ(weft({"topology", "turn"}).code, 2);
}

TEST(Topology, WrittenFilesAreValidUnderTheSchema)
{
    TempDir dir;
    const std::string schema = source_dir() + "/topologies/topology.rng";
    xmlRelaxNGParserCtxtPtr p = xmlRelaxNGNewParserCtxt(schema.c_str());
    xmlRelaxNGPtr rng = xmlRelaxNGParse(p);
    xmlRelaxNGFreeParserCtxt(p);
    ASSERT_NE(rng, nullptr);
    for (const char *type : {"torus", "dragonfly", "multi", "hyperx"}) {
        ASSERT_EQ(weft({"topology", "convert", "--set", std::string("topology.type=") + type, "-o",
                        "t.xml"},
                       dir / "")
                      .code,
                  0);
        xmlDocPtr doc = xmlReadFile((dir / "t.xml").c_str(), nullptr, XML_PARSE_NONET);
        ASSERT_NE(doc, nullptr);
        xmlRelaxNGValidCtxtPtr v = xmlRelaxNGNewValidCtxt(rng);
        EXPECT_EQ(xmlRelaxNGValidateDoc(v, doc), 0) << type;
        xmlRelaxNGFreeValidCtxt(v);
        xmlFreeDoc(doc);
    }
    xmlRelaxNGFree(rng);
}

TEST(Topology, DimensionsAreElementsOfAScenario)
{
    TempDir dir;
    auto scenario = [&](const std::string &inside) {
        std::ofstream(dir / "s.xml") << "<scenario name=\"s\"><topology type=\"multi\">" + inside +
                                            "</topology><workload type=\"generate\"/></scenario>";
        return weft({"check", "s.xml"}, dir / "");
    };
    Said s = scenario("<dimension type=\"switch\" size=\"8\" rate=\"3600 Gbps\"/>"
                      "<dimension type=\"rail-optimised\" rails=\"8\" nodes=\"2\"/>");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "hosts 16, switches 14, links 64");
    EXPECT_CONTAINS(s.out, "switch size=8 rate=3600Gbps; rail-optimised rails=8 nodes=2");
    Said bad = scenario("<dimension type=\"switch\" sise=\"8\"/>");
    EXPECT_EQ(bad.code, 3);
    EXPECT_CONTAINS(bad.err, "'size'");
    EXPECT_CONTAINS(bad.err, "dimension 1");
    EXPECT_CONTAINS(scenario("<dimension size=\"8\"/>").err,
                    "s.xml:1:43: <dimension> needs the attribute 'type'");
    EXPECT_EQ(scenario("<switch size=\"8\"/>").code, 3);
}

TEST(Topology, ADeadlockThatWasAskedForEndsTheRunWithItsPorts)
{
    std::vector<std::string> run = {"run",
                                    "--set",
                                    "topology.type=torus",
                                    "--set",
                                    "torus.shape=8",
                                    "--set",
                                    "workload.type=generate",
                                    "--set",
                                    "generate.kind=all-to-all",
                                    "--set",
                                    "generate.size=16MiB",
                                    "--set",
                                    "system.all-to-all=direct",
                                    "--set",
                                    "switch.buffer=640KiB",
                                    "--set",
                                    "switch.alpha=1",
                                    "--set",
                                    "congestion-control.name=none",
                                    "--no-out"};
    EXPECT_EQ(weft(run).code, 0); // two virtual channels
    run.insert(run.end(), {"--set", "torus.vcs=1"});
    Said refused = weft(run);
    EXPECT_EQ(refused.code, 3);
    EXPECT_CONTAINS(refused.err, "8 channels wait for each other in a circle: h0->h1");
    run.push_back("--allow-deadlock");
    Said dead = weft(run);
    EXPECT_EQ(dead.code, 1);
    EXPECT_CONTAINS(dead.err,
                    "PFC deadlock at priority 3: h0->h1 waits for h1->h2 waits for h2->h3");
}

} // namespace
