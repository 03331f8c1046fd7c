// SPDX-License-Identifier: GPL-2.0-only
// The commands `hpcc` and `traffic`.
#include "tests/cli/program.h"

#include <sstream>

namespace
{

/* Column @p n (from 0) of each line. */
std::vector<double> column(const std::string &text, int n)
{
    std::vector<double> all;
    std::istringstream in(text);
    for (std::string line, word; std::getline(in, line);) {
        std::istringstream words(line);
        for (int i = 0; i <= n; i++)
            words >> word;
        all.push_back(std::stod(word));
    }
    return all;
}

const char star[] = "5 1 4\n4\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 4 100Gbps 1us 0\n"
                    "3 4 100Gbps 1us 0\n";

TEST(HpccCommand, TrafficThenRun)
{
    TempDir dir;
    write_file(dir / "cdf", "0 0\n10000 100\n");
    write_file(dir / "t", star);
    write_file(dir / "config.txt", "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 3\nVAR_WIN 1\n"
                                   "MULTI_RATE 0\n");
    const std::vector<std::string> traffic = {"traffic", "--cdf",      "cdf",  "--load",
                                              "0.3",     "--hosts",    "4",    "--rate",
                                              "100Gbps", "--duration", "200us"};
    auto to_file = traffic;
    to_file.insert(to_file.end(), {"-o", "f"});
    const Said made = weft(to_file, dir / "");
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.out, "");
    EXPECT_EQ(weft(traffic, dir / "").out, slurp(dir / "f"));
    for (const char *compat : {"--quiet", "--compat"}) {
        const Said ran = weft({"hpcc", "--config", "config.txt", "--out", "o", compat}, dir / "");
        ASSERT_EQ(ran.code, 0) << ran.err;
        const auto sizes = column(slurp(dir / "o/fct.txt"), 4);
        EXPECT_EQ(sizes.size(), static_cast<size_t>(std::stoul(slurp(dir / "f"))));
        EXPECT_EQ(slurp(dir / "o/finished"), "finished\n");
        const std::string csv = slurp(dir / "o/fct_slowdown.csv");
        EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 21);
        std::istringstream header(csv.substr(0, csv.find('\n')));
        const std::string doc = slurp(source_dir() + "/docs/outputs.md");
        for (std::string name; std::getline(header, name, ',');)
            EXPECT_CONTAINS(doc.substr(doc.find("### fct_slowdown.csv")), "| `" + name + "` |");
    }
}

TEST(HpccCommand, MistakesAndTheirExitCodes)
{
    TempDir dir;
    write_file(dir / "t", star);
    write_file(dir / "f", "1\n0 1 3 100 100000000 2\n");
    write_file(dir / "config.txt",
               "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 3\nSIMULATOR_STOP_TIME 2.001\n");
    EXPECT_EQ(weft({"hpcc"}).code, 2);
    EXPECT_EQ(weft({"traffic", "--load", "1"}).code, 2);
    EXPECT_EQ(weft({"hpcc", "--config", dir / "nothing"}).code, 4);
    const Said fixed = weft(
        {"hpcc", "--config", dir / "config.txt", "--no-out", "--set", "topology.type=dumbbell"});
    EXPECT_EQ(fixed.code, 3);
    EXPECT_CONTAINS(fixed.err, "topology and flows are those of the configuration");
    /* 100 MB take 8 ms, but 1 ms is all there is. */
    const Said late = weft({"hpcc", "--config", dir / "config.txt", "--out", dir / "o", "-q"});
    EXPECT_EQ(late.code, 1);
    EXPECT_CONTAINS(late.err, "1 of 1 flows are not complete at 2.001 s");
    EXPECT_EQ(slurp(dir / "o/finished"), "stopped-at-limit\n");
}

/* Two hosts send 100 packets each to a third, at line rate: packets of 1048 B, 84 ns each. Pair k (from 1)
 * is at the switch at 13 + 84 k + 1000 ns; by then k packets have left, so that k wait, until nothing more
 * arrives after pair 100. The odd 13 ns keep samples and arrivals apart. */
TEST(HpccCommand, QueuesAreSampledEvery100Ns)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_file(dir / "t", star);
    write_file(dir / "f", "2\n0 2 3 100 100000 2.000000013\n1 2 3 100 100000 2.000000013\n");
    write_file(dir / "config.txt",
               "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 1\nHAS_WIN 0\nKMAX_MAP 1 100000000000 1600\n"
               "KMIN_MAP 1 100000000000 400\nPMAX_MAP 1 100000000000 0.2\nBUFFER_SIZE 32\n"
               "PACKET_PAYLOAD_SIZE 1000\nQLEN_MON_FILE q.txt\nQLEN_MON_START 2000000000\n"
               "QLEN_MON_END 2100000000\n");
    const Said ran =
        weft({"hpcc", "--config", "config.txt", "--compat", "-q", "--out", "o"}, dir / "");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_LACKS(ran.err, "QLEN");
    std::vector<int> counts(105);
    const int samples = 1000001; /* 100 ms, both ends included */
    for (int i = 0; i < samples; i++) {
        const int t_ns = 100 * i - 13 - 1000;
        const int k = t_ns < 84 ? 0 : t_ns / 84;
        const int waiting = k <= 100 ? k : k < 200 ? 200 - k : 0;
        counts[static_cast<size_t>(waiting * 1048 / 1000)]++;
    }
    while (counts.back() == 0)
        counts.pop_back();
    std::string sink = "4 3"; /* switch 4, its third port */
    for (int n : counts)
        sink += " " + std::to_string(n);
    EXPECT_EQ(slurp(dir / "o/q.txt"), "time: 2000000000\n4 1 1\n4 2 1\n4 3 1\n4 4 1\n"
                                      "time: 2100000000\n4 1 1000001\n4 2 1000001\n" +
                                          sink + "\n4 4 1000001\n");
}

/* One flow alone on a dumbbell: the whole chain from config.txt to fct.txt. */
TEST(HpccCommand, SingleFlowsTakeTheReferenceTime)
{
    if (shared("reference/README.md").empty() || !has_packet())
        GTEST_SKIP() << "needs WEFT_SHARED and the packet backend";
    for (const char *cc : {"dcqcn", "hpcc", "timely", "dctcp", "pint"}) {
        TempDir dir;
        const std::string ref = shared(std::string("reference/r1_dumbbell_1x1MB_") + cc);
        const Said ran =
            weft({"hpcc", "--config", ref + "/config.txt", "--compat", "-q", "--out", dir / "o"});
        ASSERT_EQ(ran.code, 0) << ran.err;
        const auto got = column(slurp(dir / "o/fct.txt"), 6),
                   want = column(slurp(ref + "/fct.txt"), 6);
        ASSERT_EQ(got.size(), want.size());
        for (size_t i = 0; i < got.size(); i++)
            EXPECT_NEAR(got[i], want[i], want[i] / 1000) << cc;
    }
}

/* Two flows of 1 MB meet under HPCC. The times are what the HPCC simulator's model gives on ns-3;
 * they need gaps that are re-timed while a QP waits for its turn and rounded once, and packets
 * that meet to the nanosecond in ns-3's order. */
TEST(HpccCommand, TwoFlowsUnderHpccMeetAsInTheSimulator)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_file(dir / "t", "4 1 3\n3\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 100Gbps 1us 0\n");
    write_file(dir / "f", "2\n0 2 3 100 1000000 2\n1 2 3 100 1000000 2\n");
    write_file(dir / "config.txt",
               "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 3\nHAS_WIN 1\nVAR_WIN 1\nGLOBAL_T 1\n"
               "RATE_AI 40Mb/s\nMIN_RATE 1000Mb/s\nMI_THRESH 0\nU_TARGET 0.95\nINT_MULTI 4\n"
               "MULTI_RATE 0\nFAST_REACT 1\nRATE_BOUND 1\nL2_ACK_INTERVAL 1\nBUFFER_SIZE 32\n"
               "KMAX_MAP 1 100000000000 1600\nKMIN_MAP 1 100000000000 400\n"
               "PMAX_MAP 1 100000000000 0.2\n");
    const Said ran =
        weft({"hpcc", "--config", "config.txt", "--compat", "-q", "--out", "o"}, dir / "");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(slurp(dir / "o/fct.txt"),
              "0b000101 0b000201 10000 100 1000000 2000000000 171044 88000\n"
              "0b000001 0b000201 10000 100 1000000 2000000000 191663 88000\n");
}

/* What doesn't draw random numbers is the reference to the nanosecond: contending flows, pauses,
 * and hosts with several flows whose turns matter. */
TEST(HpccCommand, DeterministicCasesAreTheReferenceToTheNanosecond)
{
    if (shared("reference/README.md").empty() || !has_packet())
        GTEST_SKIP() << "needs WEFT_SHARED and the packet backend";
    for (const char *name :
         {"r2_incast2_1MB_hpcc", "r2_incast8_1MB_hpcc", "r2_incast8_1MB_timely",
          "r2_incast8_1MB_dctcp", "r4_ft4_websearch_64flows_timely",
          "r5_ft4_incast15_1MB_buf1MB_dcqcn", "r5_ft4_incast15_1MB_buf1MB_dctcp"}) {
        TempDir dir;
        const std::string ref = shared(std::string("reference/") + name);
        const Said ran =
            weft({"hpcc", "--config", ref + "/config.txt", "--compat", "-q", "--out", dir / "o"});
        ASSERT_EQ(ran.code, 0) << ran.err;
        auto got = column(slurp(dir / "o/fct.txt"), 6), want = column(slurp(ref + "/fct.txt"), 6);
        EXPECT_EQ(got, want) << name;
        EXPECT_EQ(column(slurp(dir / "o/pfc.txt"), 0).size(),
                  column(slurp(ref + "/pfc.txt"), 0).size())
            << name;
    }
}

} // namespace
