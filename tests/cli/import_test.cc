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
        {"htsim_flows", "htsim connection matrix"},
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

/* What is said of a file, and the line that runs several. */
TEST(Import, CountsAndCommands)
{
    TempDir dir;
    const std::string base = source_dir() + "/tests/fuzz/corpus/";
    Said s = weft({"import", "--dry-run", base + "goal/all"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "reads: 2 ranks, 7 operations, 3 dependencies, 1004 bytes sent");
    s = weft({"import", base + "htsim/three_tiers.topo", base + "htsim_flows/triggers.cm"});
    EXPECT_EQ(s.out, "weft run --set topology.type=htsim --set htsim.file=" + base +
                         "htsim/three_tiers.topo --set workload.type=htsim-flows --set "
                         "htsim-flows.file=" +
                         base + "htsim_flows/triggers.cm\n");
    ASSERT_EQ(weft({"trace", "generate", "t", "--set", "ranks=2"}, dir / "").code, 0);
    s = weft({"import", "--dry-run", "t.1.et"}, dir / "");
    EXPECT_CONTAINS(s.out, "t.1.et: Chakra execution trace\n  reads: 1 nodes of one rank, 1 "
                           "collectives");
    EXPECT_CONTAINS(s.out, "weft run --set workload.type=chakra --set chakra.path=t\n");
    write_file(dir / "x", "something else\n");
    s = weft({"import", "--dry-run", "x"}, dir / "");
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.out, "x: not known");
    EXPECT_EQ(weft({"import", "none"}, dir / "").code, 3);
}

} // namespace
