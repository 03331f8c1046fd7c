// SPDX-License-Identifier: GPL-2.0-only
// weft import: what files are, by content.
#include "program.h"

#include <filesystem>

namespace
{

/* One file of each kind that the fuzzers have, and what it is. */
TEST(Import, TellsKindsApart)
{
    static const char *const cases[][2] = {
        {"goal", "GOAL schedule, text"},
        {"msccl", "MSCCL program"},
        {"nccl", "NCCL topology dump"},
        {"infragraph", "InfraGraph document"},
        {"htsim", "htsim topology"},
        {"../../../frontend/workload/traffic/corpus", "a connection matrix of htsim"},
        {"hpcc_topology", "HPCC topology"},
        {"hpcc_config", "HPCC configuration"},
        {"mscclpp", "MSCCL++ plan, all-reduce"},
        {"simai", "SimAI topology"},
        {"astra_text", "text workload"},
        {"topology_xml", "weft topology"},
        {"scenario", "weft scenario"},
    };
    for (const auto &c : cases) {
        bool found = false;
        for (const auto &e :
             std::filesystem::directory_iterator(source_dir() + "/tests/fuzz/corpus/" + c[0])) {
            const Said s = weft({"import", "--dry-run", e.path().string()});
            found = found || s.out.find(std::string(": ") + c[1]) != std::string::npos;
        }
        EXPECT_TRUE(found) << c[0];
    }
}

/* A folder stands for its files; weft run says so of one without a scenario. */
TEST(Import, AFolderIsItsFiles)
{
    TempDir dir;
    std::filesystem::create_directory(dir / "f");
    write_file(dir / "f/flows", "from,to,size_bytes,start_ns\n0,1,1000,0\n");
    write_file(dir / "f/net", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
    const Said s = weft({"import", "f"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out, weft({"import", "f/flows", "f/net"}, dir / "").out);
    EXPECT_CONTAINS(s.out, "hpcc.file=f/net");
    EXPECT_CONTAINS(weft({"run", "f"}, dir / "").err, "'weft import f' says what its files are");
    std::filesystem::create_directory(dir / "empty");
    EXPECT_EQ(weft({"import", "empty"}, dir / "").code, 2);
}

/* The files of one experiment, in any order, and the command that runs them together. */
TEST(Import, ExperimentsOfOtherTools)
{
    TempDir dir;
    ASSERT_EQ(weft({"trace", "generate", "ar", "--set", "ranks=2"}, dir / "").code, 0);
    write_file(dir / "net.yml",
               "topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n");
    write_file(dir / "sys.json", "{\"scheduling-policy\": \"LIFO\"}");
    write_file(dir / "mem.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}");
    write_file(dir / "layers", "MICRO\n1\nl -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 65536 1\n");
    write_file(dir / "topo", "3 2 0 1 2 A100\n2\n0 2 2400Gbps 0.000025ms 0\n"
                             "1 2 2400Gbps 0.000025ms 0\n");
    write_file(dir / "SimAI.conf", "CC_MODE 1\nENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 9000\n");
    const auto line = [&](std::vector<std::string> files) {
        files.insert(files.begin(), "import");
        const Said s = weft(files, dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
        return s.out;
    };
    const std::string astra = "weft astra-sim --workload-configuration=ar "
                              "--system-configuration=sys.json --network-configuration=net.yml "
                              "--remote-memory-configuration=mem.json\n";
    EXPECT_EQ(line({"ar.0.et", "sys.json", "net.yml", "mem.json"}), astra);
    EXPECT_EQ(line({"mem.json", "ar.1.et", "net.yml", "ar.0.et", "sys.json"}), astra);
    EXPECT_EQ(weft({"astra-sim", "--workload-configuration=ar", "--system-configuration=sys.json",
                    "--network-configuration=net.yml", "--remote-memory-configuration=mem.json",
                    "--no-out"},
                   dir / "")
                  .code,
              0);
    EXPECT_EQ(line({"sys.json", "net.yml"}),
              "weft astra-sim --workload-configuration=... --system-configuration=sys.json "
              "--network-configuration=net.yml\n");
    EXPECT_EQ(line({"topo", "SimAI.conf", "layers"}),
              "weft simai -w layers -n topo -c SimAI.conf\n");
    EXPECT_EQ(line({"layers", "SimAI.conf"}), "weft simai -w layers -n TOPOLOGY -c SimAI.conf\n");
    EXPECT_EQ(line({"layers", "topo"}), "weft simai -w layers -n topo\n");
    /* two experiments; without a system nothing says that it is ASTRA-sim's */
    EXPECT_EQ(line({"ar.0.et", "sys.json", "net.yml", "mem.json", "SimAI.conf", "topo"}),
              astra + "weft simai -w WORKLOAD -n topo -c SimAI.conf\n");
    EXPECT_EQ(line({"ar.0.et", "ar.1.et", "net.yml"}),
              "weft run --set workload.type=chakra --set chakra.path=ar --set "
              "topology.type=astra-network --set astra-network.file=net.yml\n");
    write_file(dir / "other.json", "{\"scheduling-policy\": \"FIFO\"}");
    const std::string two = line({"sys.json", "other.json"});
    EXPECT_CONTAINS(two, "--system-configuration sys.json");
    EXPECT_CONTAINS(two, "--system-configuration other.json");
}

/* Lists of HPCC's ancestor have packets and a stop where HPCC's have a port and a size. */
TEST(Import, FlowsOfNs3Rdma)
{
    TempDir dir;
    write_file(dir / "old", "2\n0 3 3 10000000 2.0 9.5\n1 3 3 10000000 2.0 9.5\n");
    write_file(dir / "few", "1\n0 3 3 10 2.01 2.5\n");
    write_file(dir / "new", "2\n0 3 3 100 1000000 2.0\n1 3 3 100 1000 9.5\n");
    for (const char *file : {"old", "few"}) {
        Said s = weft({"import", "--dry-run", file}, dir / "");
        EXPECT_CONTAINS(s.out, ": flow list of ns3-rdma, the ancestor of HPCC's simulator");
        s = weft({"run", "--no-out", "--set", "topology.type=single-switch", "--set",
                  "workload.type=flows", "--set", std::string("flows.file=") + file},
                 dir / "");
        EXPECT_EQ(s.code, 3);
        EXPECT_CONTAINS(s.err, "this is a flow list of ns3-rdma");
    }
    EXPECT_CONTAINS(weft({"import", "--dry-run", "new"}, dir / "").out,
                    "HPCC or ConWeave flow list\n  reads: 2 flows");
}

/* What is said of a file, and the line that runs several. */
TEST(Import, CountsAndCommands)
{
    TempDir dir;
    const std::string base = source_dir() + "/tests/fuzz/corpus/";
    Said s = weft({"import", "--dry-run", base + "goal/all"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "reads: 2 ranks, 7 operations, 3 dependencies, 1004 bytes sent");
    const std::string matrix = source_dir() + "/frontend/workload/traffic/corpus/triggers.cm";
    s = weft({"import", base + "htsim/three_tiers.topo", matrix});
    EXPECT_EQ(s.out, "weft run --set topology.type=htsim --set htsim.file=" + base +
                         "htsim/three_tiers.topo --set workload.type=htsim-flows --set "
                         "htsim-flows.file=" +
                         matrix + "\n");
    EXPECT_CONTAINS(weft({"import", "--dry-run", matrix}).out, "triggers\n  takes it: weft run");
    ASSERT_EQ(weft({"trace", "generate", "t", "--set", "ranks=2"}, dir / "").code, 0);
    s = weft({"import", "--dry-run", "t.1.et"}, dir / "");
    EXPECT_CONTAINS(s.out, "t.1.et: Chakra execution trace\n  reads: 1 node of one rank, 1 "
                           "collective, ");
    EXPECT_CONTAINS(s.out, "weft run --set workload.type=chakra --set chakra.path=t\n");
    write_file(dir / "tors", "3 1 1 2\n2 \n0 2 25000000000.0 1us 0\n1 2 25000000000.0 1us 0\n");
    s = weft({"import", "--dry-run", "tors"}, dir / "");
    EXPECT_CONTAINS(s.out, "HPCC topology\n  reads: 2 hosts, 1 switch, 2 links");
    write_file(dir / "ring", "3 0 3\n\n0 1 100Gbps 1us 0\n1 2 100Gbps 1us 0\n2 0 100Gbps 1us 0\n");
    s = weft({"import", "--dry-run", "ring"}, dir / "");
    EXPECT_CONTAINS(s.out, "HPCC topology of hosts, which forward\n  reads: 3 hosts, 0 switches, 3 "
                           "links\n  takes it: weft run --set topology.type=hpcc --set "
                           "hpcc.file=ring --set hpcc.hosts-forward=true\n");
    write_file(dir / "traced", "5\n0 1 2 3 4\n\nFirst line: number of nodes\n");
    s = weft({"import", "--dry-run", "traced"}, dir / "");
    EXPECT_CONTAINS(s.out, "traced: HPCC list of traced nodes\n");
    write_file(dir / "sizes", "70 0\n70 0.5\n170 1");
    s = weft({"import", "--dry-run", "sizes"}, dir / "");
    EXPECT_CONTAINS(s.out, "(CDF)\n  reads: sizes with a mean of 95 bytes");
    s = weft({"import", "--dry-run", base + "mscclpp/first_generation"});
    EXPECT_CONTAINS(s.out, "MSCCL++ plan, all-reduce\n  reads: 2 GPUs of up to 1 threadblocks, "
                           "12 operations, in place; proved\n  takes it: weft run --set "
                           "system.all-reduce=msccl:file=");
    write_file(dir / "SimAI.conf", "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 9000\nCC_MODE 1\n");
    s = weft({"import", "--dry-run", "SimAI.conf"}, dir / "");
    EXPECT_CONTAINS(s.out,
                    "reads: 3 settings; CC_MODE 1, payload 9000 bytes\n  takes it: weft simai "
                    "-c SimAI.conf -w WORKLOAD -n TOPOLOGY\n");
    write_file(dir / "b.xml", "<algo name=\"t\" proto='Simple' coll='broadcast' ngpus='1'/>\n");
    s = weft({"import", "--dry-run", "b.xml"}, dir / "");
    EXPECT_CONTAINS(s.out, "b.xml: MSCCL program, broadcast\n  not read: b.xml:1:1: ");
    EXPECT_CONTAINS(s.out, "would take it: weft run --set system.broadcast=msccl:file=b.xml");
    write_file(dir / "x", "something else\n");
    s = weft({"import", "--dry-run", "x"}, dir / "");
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.out, "x: not known");
    EXPECT_EQ(weft({"import", "none"}, dir / "").code, 3);
}

/* Files that mention what others begin with: nothing is said of them. */
TEST(Import, LooksAlike)
{
    TempDir dir;
    static const char *const cases[][2] = {
        {"run.py", "import sys\nconfig_template=\"\"\"ENABLE_QCN 1\nTOPOLOGY_FILE {topo}\nCC_MODE "
                   "1\n\"\"\"\n"},
        {"channel.py", "class Channel:\n    num_ranks = 2\n    rank = 1\n"},
        {"page.rst", "Connections\n===========\n\nA pointer a->b.\n"},
        {"CMakeLists.txt", "project(x)\nadd_library(y z.c)\n"},
    };
    for (const auto &c : cases) {
        write_file(dir / c[0], c[1]);
        const Said s = weft({"import", "--dry-run", c[0]}, dir / "");
        EXPECT_EQ(s.out, std::string(c[0]) + ": not known\n");
    }
    write_file(dir / "lstopo.xml", "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n"
                                   "<object type=\"Machine\"/></topology>\n");
    const Said s = weft({"import", "--dry-run", "lstopo.xml"}, dir / "");
    EXPECT_EQ(s.out, "lstopo.xml: hwloc topology (lstopo)\n  takes it: nothing yet\n");
}

} // namespace
