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
    std::vector<std::string> args = {"check"};
    for (const std::string &m : sets)
        args.insert(args.end(), {"--set", m});
    const Said s = weft(args);
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
    const Said s = weft({"run",   "-q",
                         "-o",    dir / "out",
                         "--set", "workload.type=htsim-flows",
                         "--set", "htsim-flows.file=" + corpus("htsim_flows/triggers.cm"),
                         "--set", "topology.type=single-switch",
                         "--set", "single-switch.hosts=4",
                         "--set", "network.backend=ideal",
                         "--set", "ideal.model=flat",
                         "--set", "ideal.latency=1us",
                         "--set", "ideal.bandwidth=8Gbps"});
    ASSERT_EQ(s.code, 0) << s.err;
    std::string starts;
    std::istringstream in(slurp(dir / "out/flows.csv"));
    for (std::string line; std::getline(in, line);)
        starts += line + "\n";
    /* each takes 1 us and 1000 ns */
    for (const char *t : {"\n0,0,1,0,,1000,0.000,2000", "\n1,3,0,1,,1000,0.500,2000",
                          "\n2,1,2,2,,1000,2000.000,2000", "\n3,2,3,3,,1000,4000.000,2000"})
        EXPECT_CONTAINS(starts, t);
    write_file(dir / "b.cm", "Nodes 4\nConnections 2\n0->1 start 0 size 5\n");
    EXPECT_CONTAINS(error({"workload.type=htsim-flows", "htsim-flows.file=" + dir / "b.cm",
                           "topology.type=single-switch"}),
                    "the head says 2 connections and 0 triggers, the file has 1 and 0");
}

} // namespace
