// SPDX-License-Identifier: GPL-2.0-only
// The command `simai` against numbers that SimAI publishes (aliyun/SimAI cef83f9: docs/Tutorial.md,
// docs/getting_started/quickstart.md), with topologies of the shape of gen_Topo_Template.py's.
#include "tests/cli/program.h"

#include <map>

namespace
{

/* Servers of eight GPUs with an NVSwitch each, all NICs at one switch. */
std::string topology(unsigned servers, const std::string &gpu, const std::string &nvlink,
                     const std::string &nic)
{
    const unsigned gpus = 8 * servers, net = gpus + servers;
    std::string t = std::to_string(net + 1) + " 8 " + std::to_string(servers) + " 1 " +
                    std::to_string(2 * gpus) + " " + gpu + "\n";
    for (unsigned s = gpus; s <= net; s++)
        t += std::to_string(s) + " ";
    for (unsigned g = 0; g < gpus; g++)
        t += "\n" + std::to_string(g) + " " + std::to_string(gpus + g / 8) + " " + nvlink +
             " 0.000025ms 0\n" + std::to_string(g) + " " + std::to_string(net) + " " + nic +
             " 0.0005ms 0";
    return t;
}

/* An all-reduce of TP groups of eight per size. */
std::string layers(unsigned gpus, const std::vector<uint64_t> &sizes)
{
    std::string t = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: "
                    "8 ga: 1 all_gpus: " +
                    std::to_string(gpus) + " checkpoints: 0 checkpoint_initiates: 0\n" +
                    std::to_string(sizes.size()) + "\n";
    for (const uint64_t size : sizes)
        t += "embedding_layer -1 556000 ALLREDUCE " + std::to_string(size) +
             " 1 NONE 0 1 NONE 0 1\n";
    return t;
}

/* What SimAI.conf has for what is played here. */
const char *const conf =
    "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 9000\nCC_MODE 1\nRATE_AI 50Mb/s\nRATE_HAI 100Mb/s\n"
    "RP_TIMER 900\nEWMA_GAIN 0.00390625\nFAST_RECOVERY_TIMES 1\nHAS_WIN 1\nVAR_WIN 1\n"
    "L2_ACK_INTERVAL 1\nBUFFER_SIZE 32\n"
    "KMAX_MAP 2 200000000000 1200 400000000000 3200\n"
    "KMIN_MAP 2 200000000000 300 400000000000 800\n"
    "PMAX_MAP 2 200000000000 0.8 400000000000 0.2\n";

/* The rows of ncclFlowModel_EndToEnd.csv. */
std::vector<std::vector<std::string>> rows(const TempDir &dir, const char *send_lat)
{
    std::vector<std::vector<std::string>> all;
    setenv("AS_SEND_LAT", send_lat, 1);
    const Said said =
        weft({"simai", "-w", "w", "-n", "n", "-c", "c", "--compat", "-q", "--out", "o"}, dir / "");
    unsetenv("AS_SEND_LAT");
    EXPECT_EQ(said.code, 0) << said.err;
    std::ifstream in(dir / "o/ncclFlowModel_EndToEnd.csv");
    for (std::string line, cell; std::getline(in, line);) {
        std::istringstream cells(line);
        all.emplace_back();
        while (std::getline(cells, cell, ','))
            all.back().push_back(cell);
    }
    return all;
}

} // namespace

/* "RING" of the tutorial: GB/s of 2^30 bytes with AS_SEND_LAT=2. */
TEST(SimAIPublished, RingsOfTheTutorial)
{
    TempDir dir;
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    write_file(dir / "n", topology(4, "H100", "1440Gbps", "400Gbps"));
    write_file(dir / "c", conf);
    const std::map<uint64_t, double> published = {{16, 141.84},  {32, 153.68},  {64, 160.60},
                                                  {128, 163.85}, {256, 165.72}, {512, 166.68}};
    std::vector<uint64_t> sizes;
    for (const auto &p : published)
        sizes.push_back(p.first << 20);
    write_file(dir / "w", layers(32, sizes));
    const auto table = rows(dir, "2");
    ASSERT_GT(table.size(), published.size());
    size_t row = 1;
    for (const auto &[mib, gbs] : published)
        EXPECT_NEAR(std::stod(table[row++][10]), gbs, 0.0015 * gbs) << mib;
}

/* Its quick start has total times in microseconds, of eight GPUs that add up 16 and 64 MiB: 1,772,
 * 169,604 and 203,204 with AS_SEND_LAT=6, 6000 and 7200. The differences are 28 messages one after
 * the other, so that the number counts microseconds. */
TEST(SimAIPublished, TimesOfTheQuickStart)
{
    TempDir dir;
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    write_file(dir / "n", topology(1, "H20", "2400Gbps", "200Gbps"));
    write_file(dir / "c", conf);
    write_file(dir / "w", layers(8, {16 << 20, 64 << 20}));
    const std::map<const char *, double> published = {
        {"6", 1772}, {"6000", 169604}, {"7200", 203204}};
    for (const auto &[send_lat, us] : published) {
        const auto table = rows(dir, send_lat);
        ASSERT_GE(table.size(), 4u);
        EXPECT_EQ(std::stod(table.back().back()), us) << send_lat;
    }
}
