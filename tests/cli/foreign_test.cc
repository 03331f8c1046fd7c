// SPDX-License-Identifier: GPL-2.0-only
// Files of other tools: InfraGraph documents, htsim's topologies and connection matrices.
#include "program.h"

namespace
{

std::string corpus(const std::string &name)
{
    return source_dir() + "/tests/fuzz/corpus/" + name;
}

std::string error(const std::vector<std::string> &sets)
{
    const Said s = weft(with_sets({"check"}, sets));
    EXPECT_EQ(s.code, 3) << s.out;
    return s.err;
}

/* Two hosts of two XPUs at NVLink's rate, each by its own card at a leaf. */
TEST(InfraGraph, Flattened)
{
    const Said s =
        weft({"check", "--set", "workload.type=generate", "--set", "topology.type=infragraph",
              "--set", "infragraph.file=" + corpus("infragraph/two_hosts.yaml")});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "fabric: hosts 4, switches 3, links 8");
    EXPECT_CONTAINS(s.err, "4 links have no latency");
}

/* Ranks by annotation; one NIC for two XPUs is a switch that both share. */
TEST(InfraGraph, RanksAndSharedNics)
{
    const Said s =
        weft({"check", "--set", "workload.type=generate", "--set", "topology.type=infragraph",
              "--set", "infragraph.file=" + corpus("infragraph/annotated.json")});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "fabric: hosts 4, switches 3, links 6");
}

TEST(InfraGraph, AsksForWhatIsMissing)
{
    TempDir dir;
    std::string text = slurp(corpus("infragraph/two_hosts.yaml"));
    const size_t at = text.find("gigabits_per_second: 400");
    write_file(dir / "a.yaml",
               text.substr(0, at) + "gigabits_per_second: 0" + text.substr(at + 24));
    const std::vector<std::string> base = {"workload.type=generate", "topology.type=infragraph",
                                           "infragraph.file=" + dir / "a.yaml"};
    EXPECT_CONTAINS(error(base), "link 'eth' has no bandwidth, and host.0.card.0.nic.0 joins "
                                 "leaf.0.port.0 by it: say how fast it is with "
                                 "infragraph.rates=eth:400Gbps");
    auto more = base;
    more.push_back("infragraph.rates=eht:1Gbps");
    EXPECT_CONTAINS(error(more), "the document has no link 'eht'");
    write_file(dir / "a.yaml", text.replace(text.find("port[2:4:1]"), 11, "port[2:5]"));
    EXPECT_CONTAINS(error(base), "a.yaml:32:88: 'port[2:5]' is out of range: there are 4");
}

/* Eight hosts, four leaves, four middle switches, four cores of two links to each pod. */
TEST(Htsim, ThreeTiers)
{
    const Said s = weft({"topology", "show", corpus("htsim/three_tiers.topo")});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "hosts 8, switches 12, links 32");
    EXPECT_CONTAINS(s.out, "bisection    800 Gbps");
}

/* The second flow starts when the first is there, the third after both. */
TEST(Htsim, TriggersPlay)
{
    TempDir dir;
    const Said s =
        weft({"run",
              "-q",
              "-o",
              dir / "out",
              "--set",
              "workload.type=htsim-flows",
              "--set",
              "htsim-flows.file=" + source_dir() + "/frontend/workload/traffic/corpus/triggers.cm",
              "--set",
              "topology.type=single-switch",
              "--set",
              "single-switch.hosts=4",
              "--set",
              "network.backend=ideal",
              "--set",
              "ideal.model=flat",
              "--set",
              "ideal.latency=1us",
              "--set",
              "ideal.bandwidth=8Gbps"});
    ASSERT_EQ(s.code, 0) << s.err;
    std::string starts;
    std::istringstream in(slurp(dir / "out/flows.csv"));
    for (std::string line; std::getline(in, line);)
        starts += line + "\n";
    /* each takes 1 us and 1000 ns */
    for (const char *t : {"\n0,0,1,0x0000000000000000,,1000,0.000,2000",
                          "\n1,3,0,0x0000000000000001,,1000,0.500,2000",
                          "\n2,1,2,0x0000000000000002,,1000,2000.000,2000",
                          "\n3,2,3,0x0000000000000003,,1000,4000.000,2000"})
        EXPECT_CONTAINS(starts, t);
    write_file(dir / "b.cm", "Nodes 4\nConnections 2\n0->1 start 0 size 5\n");
    EXPECT_CONTAINS(error({"workload.type=htsim-flows", "htsim-flows.file=" + dir / "b.cm",
                           "topology.type=single-switch"}),
                    "the head says 2 connections and 0 triggers, the file has 1 and 0");
}

/* A flow of size 0 sends until the run ends, which is as meant; triggers begin such flows, too. */
TEST(Htsim, FlowsWithoutAnEnd)
{
    TempDir dir;
    std::vector<std::string> args =
        with_sets({"run", "-q", "-o", dir / "out"},
                  {"workload.type=htsim-flows", "topology.type=single-switch",
                   "single-switch.hosts=4", "network.backend=ideal", "ideal.model=flat",
                   "ideal.latency=1us", "ideal.bandwidth=8Gbps"});
    args.insert(args.end(), {"--set", "htsim-flows.file=" + source_dir() +
                                          "/frontend/workload/traffic/corpus/endless.cm"});
    const Said never = weft(args);
    EXPECT_EQ(never.code, 3);
    EXPECT_CONTAINS(never.err, "nothing ends the run");
    args.insert(args.end(), {"--set", "run.until=1ms"});
    const Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(slurp(dir / "out/run.json"), "\"measured\"");
    EXPECT_CONTAINS(slurp(dir / "out/flows.csv"), "\n1,2,3,");
    /* with an end within the limit, both are there */
    args.insert(args.end(), {"--set", "htsim-flows.endless=100KB"});
    EXPECT_EQ(weft(args).code, 0);
    const std::string flows = slurp(dir / "out/flows.csv");
    EXPECT_CONTAINS(flows, "100000,0.000,101000");
    EXPECT_CONTAINS(flows, "100000,2000.000,101000");
}

/* A marking probability above 1 at kmax is 1 from some queue on: here from one byte on, whatever
 * kmax is. */
TEST(Hpcc, SteepMarking)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the backend packet";
    TempDir dir;
    const auto flows = [&](std::vector<std::string> sets) {
        const Said s = weft(with_sets({"run", "-q", "-o", dir / "out"},
                                      {"topology.type=single-switch", "single-switch.hosts=8",
                                       "workload.type=generate", "generate.kind=all-to-all",
                                       "generate.size=1MB", "ecn.scale-rate=0"},
                                      sets));
        EXPECT_EQ(s.code, 0) << s.err;
        return slurp(dir / "out/flows.csv");
    };
    const std::string step = flows({"ecn.kmin=0B", "ecn.kmax=0B", "ecn.pmax=1"});
    EXPECT_EQ(flows({"ecn.kmin=0B", "ecn.kmax=1000B", "ecn.pmax=1000"}), step);
    EXPECT_NE(flows({"ecn.kmin=0B", "ecn.kmax=1MB", "ecn.pmax=1"}), step);
    const std::string steep = flows({"ecn.kmin=0B", "ecn.kmax=50KB", "ecn.pmax=1000"});
    EXPECT_EQ(steep, step) << "from 50 B on, less than any packet that waits";
}

/* Links that fail are said in weft's words; what htsim refuses is refused. */
TEST(Htsim, FailuresAreNamed)
{
    TempDir dir;
    const std::string head = "Nodes 4\nConnections 1\nFailures 1\n0->1 start 0 size 5\n";
    const auto said = [&](const std::string &text) {
        write_file(dir / "f.cm", text);
        return error({"workload.type=htsim-flows", "htsim-flows.file=" + dir / "f.cm",
                      "topology.type=single-switch"});
    };
    const std::string s = said(head + "failure switch_type AGG switch_id 2 link_id 1\n");
    EXPECT_CONTAINS(s, "f.cm:5: the matrix fails uplink 1 of AGG switch 2");
    EXPECT_CONTAINS(s, "link-down link=sA-sC");
    EXPECT_CONTAINS(said(head), "the head says 1 failures, the file has none");
    EXPECT_CONTAINS(said(head + "failure switch_type TOR\n"), "AGG switches only");
    EXPECT_CONTAINS(said(head + "failure port 3\n"), "'port' is not known in a failure");
    EXPECT_CONTAINS(said("Connections 1\n0->1 start 0\n"), "without a size");
}

} // namespace
