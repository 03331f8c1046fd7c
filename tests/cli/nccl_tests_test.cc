// SPDX-License-Identifier: GPL-2.0-only
// weft nccl-tests and weft explain-choice: NCCL's choice by size, and times beside measurements.
#include "program.h"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace
{

// The first line that is marked as taken: "NVLS Simple".
std::string taken(const std::string &size, const std::vector<std::string> &more,
                  const std::string &cluster = "dgx-h100")
{
    std::vector<std::string> args = {"explain-choice", "all-reduce", size, cluster};
    args.insert(args.end(), more.begin(), more.end());
    const Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    std::istringstream lines(s.out);
    for (std::string line; std::getline(lines, line);)
        if (line.find("  taken") != std::string::npos) {
            std::istringstream words(line);
            std::string algo, proto;
            words >> algo >> proto;
            return algo + " " + proto;
        }
    return "";
}

std::vector<std::string> nodes(const std::string &rest)
{
    return {"--set", "multi.dimensions=switch size=8 rate=2968Gbps delay=100ns" + rest};
}

std::string rails(int n)
{
    return "; rail-optimised rails=8 nodes=" + std::to_string(n) +
           " rail-only=true rate=400Gbps delay=500ns";
}

// NCCL logged Ring LL to 1 MiB and NVLS from 2 MiB on eight H200 (stas00/ml-engineering).
TEST(ExplainChoice, OneNodeOfHopperTakesRingsAndThenNvls)
{
    for (const char *size : {"32KiB", "256KiB", "1MiB"})
        EXPECT_EQ(taken(size, nodes("")), "Ring LL") << size;
    for (const char *size : {"2MiB", "64MiB", "16GiB"})
        EXPECT_EQ(taken(size, nodes("")), "NVLS Simple") << size;
}

// Sizes whose algorithm and protocol the measurements name: those of all 51 are the tuner's.
TEST(ExplainChoice, IsThatOfNcclWhereMeasurementsSayIt)
{
    constexpr uint64_t kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;
    const auto doubled = [](uint64_t first, uint64_t last) {
        std::vector<uint64_t> sizes;
        for (uint64_t bytes = first; bytes <= last; bytes *= 2)
            sizes.push_back(bytes);
        return sizes;
    };
    const auto gpus = [](const char *n) {
        return std::vector<std::string>{
            "--set", std::string("multi.dimensions=switch rate=3600Gbps delay=100ns size=") + n};
    };
    const std::vector<std::string> sockets = {
        "--set",
        "multi.dimensions=switch size=1 rate=2400Gbps delay=100ns; rail-optimised rails=1 nodes=2 "
        "rail-only=true rate=200Gbps delay=1us",
        "--set", "library.ll128=false"};
    const std::vector<std::string> sixteen_nics = {"--set", "library.rails=16", "--set",
                                                   "library.version=2.19"};
    const struct {
        const char *cluster;
        std::vector<std::string> more;
        std::vector<uint64_t> sizes;
        const char *expected;
    } said[] = {
        // stas00/ml-engineering: eight H200; four to seven; four nodes of p5en
        {"h200", gpus("8"), doubled(32 * kib, mib), "Ring LL"},
        {"h200", gpus("8"), doubled(2 * mib, 16 * gib), "NVLS Simple"},
        {"h200", gpus("4"), {8 * gib}, "Ring Simple"},
        {"h200", gpus("5"), {8 * gib}, "NVLS Simple"},
        {"h200", gpus("6"), {8 * gib}, "NVLS Simple"},
        {"h200", gpus("7"), {8 * gib}, "NVLS Simple"},
        {"p5en", nodes(rails(4)), {4 * gib}, "Ring Simple"},
        // simllm: two nodes of one A100 over sockets, where NCCL has no LL128
        {"nd-a100-v4",
         sockets,
         {8, 64, 512, 4 * kib, 16 * kib, 64 * kib, 128 * kib, 192 * kib, 256 * kib, 384 * kib,
          512 * kib, 768 * kib},
         "Ring LL"},
        {"nd-a100-v4",
         sockets,
         {mib, 1536 * kib, 2 * mib, 3 * mib, 4 * mib, 8 * mib, 16 * mib, 32 * mib, 64 * mib,
          128 * mib},
         "Ring Simple"},
        // OCI: 219 to 238 GB/s, which rings over 8 x 200G cannot reach
        {"oci-a100", sixteen_nics, doubled(gib, 8 * gib), "Tree Simple"},
    };
    size_t all = 0, equal = 0;
    for (const auto &s : said)
        for (const uint64_t bytes : s.sizes) {
            all++;
            equal += taken(std::to_string(bytes) + "B", s.more, s.cluster) == s.expected;
        }
    EXPECT_EQ(all, 51U);
    EXPECT_EQ(equal, 51U);
}

// Nodes of one GPU: PAT has log2 of the steps of a ring, and three quarters of its rate.
TEST(ExplainChoice, PatBetweenNodesOfOneGpu)
{
    const auto gather = [](const char *size, const char *version, const char *node) {
        const Said s =
            weft({"explain-choice", "all-gather", size, "h200", "--set",
                  std::string("library.version=") + version, "--set",
                  std::string("multi.dimensions=switch rate=3600Gbps delay=100ns size=") + node +
                      "; rail-optimised nodes=16 rail-only=true rate=400Gbps delay=500ns rails=" +
                      node});
        EXPECT_EQ(s.code, 0) << s.err;
        return s.out;
    };
    EXPECT_CONTAINS(gather("64KiB", "2.27", "1"),
                    "PAT       Simple       68.8 us    36.0 GB/s      70.6 us  taken");
    EXPECT_CONTAINS(gather("64KiB", "2.27", "1"), "nccl-pat:peers=8:");
    EXPECT_EQ(gather("16MiB", "2.27", "1").find("GB/s     534.8 us  taken"), std::string::npos);
    EXPECT_EQ(gather("64KiB", "2.22", "1").find("PAT"), std::string::npos);
    EXPECT_EQ(gather("64KiB", "2.27", "8").find("PAT"), std::string::npos);
    const auto us = [](const char *algo) {
        const Said s =
            weft({"run", "h200", "--no-out", "--set", "generate.kind=reduce-scatter", "--set",
                  "generate.size=64KiB", "--set", std::string("library.algo=") + algo, "--set",
                  "multi.dimensions=switch size=1 rate=3600Gbps delay=100ns; "
                  "rail-optimised rails=1 nodes=16 rail-only=true rate=400Gbps "
                  "delay=500ns"});
        EXPECT_EQ(s.code, 0) << s.err;
        const std::string name = "end-to-end time";
        const size_t at = s.out.find(name);
        return at == std::string::npos ? 0 : std::stod(s.out.substr(at + name.size()));
    };
    EXPECT_LT(us("pat"), 0.8 * us("ring"));
}

// Two A100 of a mesh have four NVLinks of 20 GB/s between them: the search finds fewer channels.
TEST(ExplainChoice, CountsTheLinksOfTheFabric)
{
    const auto channels = [](const char *rate) {
        return weft({"explain-choice", "all-reduce", "1MiB", "nd-a100-v4", "--set",
                     std::string("multi.dimensions=switch size=2 delay=100ns rate=") + rate})
            .out;
    };
    EXPECT_CONTAINS(channels("2400Gbps"), "24 channels");
    EXPECT_CONTAINS(channels("2400Gbps"), "240.0 GB/s");
    EXPECT_CONTAINS(channels("640Gbps"), "8 channels");
    EXPECT_CONTAINS(channels("640Gbps"), "80.0 GB/s");
}

// Hashed flows lose with nodes as in NVIDIA/nccl-tests issue 169; more QPs and spraying do not.
TEST(Trust, HashedFlowsLoseBandwidthAsMeasured)
{
    std::ifstream f(source_dir() + "/scenarios/hardware/ecmp.csv");
    size_t rows = 0, near = 0;
    double hashed = 0;
    for (std::string line; std::getline(f, line);) {
        char way[16];
        unsigned nodes = 0;
        double measured = 0, median = 0;
        if (sscanf(line.c_str(), "%15[^,],%u,%lf,%lf", way, &nodes, &measured, &median) == 4) {
            rows++;
            near += median > 0.85 * measured && median < 1.15 * measured;
            hashed = median;
        } else if (sscanf(line.c_str(), "%15[^,],%u,,%lf", way, &nodes, &median) == 3) {
            EXPECT_GT(median, 1.25 * hashed) << way;
        }
    }
    EXPECT_EQ(rows, 5U);
    EXPECT_GE(near, 4U);
}

// Refitted without a cluster, the model is at most 1.5 times as far off on it, and over all points.
TEST(Trust, ConstantsThatLeaveAClusterOutAreNotMuchWorse)
{
    std::ifstream f(source_dir() + "/scenarios/hardware/leave-one-out.csv");
    size_t rows = 0;
    std::string last;
    for (std::string line; std::getline(f, line);) {
        char name[32];
        unsigned points = 0;
        double fit[2], left[2];
        if (sscanf(line.c_str(), "%31[^,],%u,%lf,%lf,%lf,%lf", name, &points, &fit[0], &fit[1],
                   &left[0], &left[1]) != 6)
            continue;
        rows++;
        last = name;
        for (int k = 0; k < 2; k++)
            EXPECT_LE(left[k], 1.5 * fit[k]) << name;
    }
    EXPECT_EQ(last, "all");
    EXPECT_GE(rows, 10U);
}

// Worked out by hand from the tables of src/graph/tuning.cc.
TEST(ExplainChoice, TwoAndFourNodesOfHopper)
{
    EXPECT_EQ(taken("64KiB", {}), "Tree LL");
    EXPECT_EQ(taken("1MiB", {}), "Tree LL128");
    EXPECT_EQ(taken("4MiB", {}), "NVLSTree Simple");
    EXPECT_EQ(taken("64MiB", nodes(rails(4))), "NVLSTree Simple");
    EXPECT_EQ(taken("4GiB", nodes(rails(4))), "Ring Simple");
}

TEST(ExplainChoice, ListsOfAlgorithmsAndProtocolsAreObeyed)
{
    EXPECT_EQ(taken("1GiB", {"--set", "library.algo=ring"}), "Ring Simple");
    EXPECT_EQ(taken("64MiB", {"--set", "library.algo=^nvlstree"}).substr(0, 4), "Ring");
    EXPECT_EQ(taken("8KiB", {"--set", "library.proto=simple"}), "NVLSTree Simple");
}

// As nccl-tests takes them: sizes in powers of two, and the number of nodes.
TEST(ExplainChoice, TakesSizesAndNodesAsNcclTestsDoes)
{
    const Said s = weft({"explain-choice", "all_reduce", "64M", "dgx-h100", "-n", "1"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "all-reduce of 64MiB over 1 node of 8 ranks");
    EXPECT_EQ(weft({"explain-choice", "all-reduce", "64MB", "dgx-h100", "-n", "1"}).out, s.out);
    EXPECT_EQ(taken("64MiB", {"-n", "4"}), "NVLSTree Simple");
    EXPECT_EQ(taken("4G", {"-n", "4"}), "Ring Simple");
    EXPECT_EQ(weft({"explain-choice", "all-reduce", "64Q", "dgx-h100"}).code, 2);
    EXPECT_EQ(weft({"explain-choice", "all-reduce", "64M", "dgx-h100", "-n", "0"}).code, 2);
    EXPECT_CONTAINS(
        weft({"explain-choice", "all-reduce", "64M", "allreduce-clos16", "-n", "2"}).err,
        "allreduce-clos16 has no dimension with nodes=");
}

TEST(NcclTests, PrintsATableAndWritesCsv)
{
    TempDir dir;
    const std::string csv = dir / "rows.csv";
    const Said s = weft({"nccl-tests", "dgx-h100", "all_reduce_perf", "-b", "1K", "-e", "64K", "-f",
                         "8", "--csv", csv});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "# all_reduce on dgx-h100: 2 nodes of 8 GPUs");
    EXPECT_CONTAINS(s.out, "Tree LL");
    std::ifstream f(csv);
    std::string line;
    size_t n = 0;
    while (std::getline(f, line))
        n++;
    EXPECT_EQ(n, 4U); /* head, 1K, 8K, 64K */
}

// nccl-tests prints the count that it passes to the call: of all-gather and its like, a rank's
// share
TEST(NcclTests, CountsAndOperationsAreThoseOfTheCalls)
{
    const struct {
        const char *name;
        uint64_t count;
        const char *redop;
    } expected[] = {{"all_reduce", 16384, "sum"},
                    {"all_gather", 1024, "none"},
                    {"reduce_scatter", 1024, "sum"},
                    {"alltoall", 1024, "none"},
                    {"sendrecv", 16384, "sum"}};
    for (const auto &e : expected) {
        const Said s = weft({"nccl-tests", "dgx-h100", e.name, "-b", "64K", "-e", "64K"});
        ASSERT_EQ(s.code, 0) << s.err;
        std::istringstream words(s.out.substr(s.out.rfind("\n       65536") + 1));
        uint64_t bytes = 0, count = 0;
        std::string type, redop;
        words >> bytes >> count >> type >> redop;
        EXPECT_EQ(bytes, 65536U) << e.name;
        EXPECT_EQ(count, e.count) << e.name;
        EXPECT_EQ(redop, e.redop) << e.name;
    }
}

TEST(NcclTests, ComparesWithOutputOfNcclTests)
{
    TempDir dir;
    const std::string file = dir / "measured.txt";
    std::ofstream(file) << "#       size         count      type   redop    root     time\n"
                        << "        1024           256     float     sum      -1    30.00    0.03"
                           "    0.06      0    29.94\n";
    const Said s = weft({"nccl-tests", "dgx-h100", "--against", file});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "# error of time in 1 row:");
    const Said gather = weft({"nccl-tests", "dgx-h100", "all_gather", "--against", file});
    EXPECT_EQ(gather.code, 3);
    EXPECT_CONTAINS(gather.err, "'sum': measured with another collective than all_gather");
    std::ofstream(file, std::ios::app) << "#  Rank  0 Group  0 Pid  7 on  one device  0 [0x1b]\n"
                                       << "#  Rank  1 Group  0 Pid  7 on  one device  1 [0x1c]\n"
                                       << "#  Rank  0 Group  1 Pid  8 on  two device  0 [0x1b]\n";
    const Said other = weft({"nccl-tests", "dgx-h100", "--against", file});
    EXPECT_EQ(other.code, 3);
    EXPECT_CONTAINS(other.err, "measured with 2 ranks, but 16 GPUs are played");
    EXPECT_EQ(weft({"nccl-tests", "dgx-h100", "--against", file, "-n", "1", "-g", "2"}).code, 0);
    EXPECT_CONTAINS(weft({"nccl-tests", "dgx-h100", "--against", file, "-n", "1", "-g", "2"}).out,
                    "dgx-h100: 1 node of 2 GPUs");
}

TEST(NcclTests, SaysWhatIsWrong)
{
    Said s = weft({"nccl-tests", "dgx-h100", "alltoal"});
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "alltoall");
    s = weft({"nccl-tests", "dgx-h100", "-b", "8q"});
    EXPECT_EQ(s.code, 2);
    s = weft({"nccl-tests", "dgx-h100", "-b", "16M", "-e", "1M"});
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "-e, is below");
    /* sizes that never came to an end */
    s = weft({"nccl-tests", "dgx-h100", "-b", "0.5", "-e", "1K"});
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "-b 0.5: a size as nccl-tests takes it");
    s = weft({"nccl-tests", "dgx-h100", "-b", "1K", "-e", "1K", "-f", "4611686018427387904"});
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "-f 4611686018427387904: must be a whole number from 2 to 1024");
    s = weft({"nccl-tests", "dgx-h10"});
    EXPECT_NE(s.code, 0);
    const std::vector<std::string> one = {"nccl-tests", "oci-a100", "-b",   "1M",
                                          "-e",         "1M",       "--set"};
    const auto with = [&](const char *set) {
        std::vector<std::string> a = one;
        a.push_back(set);
        return weft(a);
    };
    EXPECT_CONTAINS(with("library.algo=nvls").err, "leave NCCL nothing for all_reduce on 2 nodes");
    s = weft({"check", "oci-a100", "--set", "library.algo=foo"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "library.algo: 'foo' is none of NCCL's; see 'weft explain");
    s = weft({"check", "oci-a100", "--set", "library.algo=tree,rings"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "library.algo: 'rings' is none of NCCL's; did you mean 'Ring'?");
    for (const char *wrong : {"foo=2", "nvls-copy-us", "nvls-copy-us=x", "nvls-copy-us=3,,"}) {
        s = weft({"check", "oci-a100", "--set", std::string("library.constants=") + wrong});
        EXPECT_EQ(s.code, 3) << wrong;
        EXPECT_CONTAINS(s.err, "is no NAME=NUMBER of a fitted constant");
    }
}

// A fabric between nodes that is not made of nodes= is played whole, and no other number of nodes.
TEST(NcclTests, PlaysAFabricAsItIs)
{
    const std::string dims =
        "multi.dimensions=switch size=8 rate=1920Gbps delay=100ns; leaf-spine leaves=2 "
        "hosts-per-leaf=8 spines=4 host-rate=100Gbps uplink-rate=200Gbps";
    std::vector<std::string> args = {"nccl-tests", "oci-a100", "all_gather", "-b", "1M",
                                     "-e",         "1M",       "--set",      dims};
    Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, ": 2 nodes of 8 GPUs");
    args.insert(args.end(), {"-n", "4"});
    s = weft(args);
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "oci-a100 has 2 nodes of 8 GPUs; other numbers need a dimension with");
}

// A job on a part of the cluster has the nodes of the fabric, not one of all its ranks.
TEST(NcclLibrary, JobsOnAPartOfAFabricHaveItsNodes)
{
    TempDir dir;
    const Said s = weft(
        {"run", "dgx-h100", "--set", "generate.ranks=16", "--set", "generate.size=1MiB", "--set",
         "multi.dimensions=switch size=8 rate=3600Gbps delay=100ns" + rails(3), "-o", dir / "out"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "nccl-tree:channels=16");
    EXPECT_CONTAINS(s.out, ":node=8:");
}

// NVIDIA's rule for one 400G NIC: 46 to 49 GB/s.
TEST(NcclTests, SendrecvFillsANic)
{
    TempDir dir;
    const std::string csv = dir / "rows.csv";
    const Said s =
        weft({"nccl-tests", "dgx-h100", "sendrecv", "-b", "64M", "-e", "64M", "--csv", csv});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.err, "");
    std::ifstream f(csv);
    std::string line;
    double us = 0, bus = 0;
    while (std::getline(f, line))
        sscanf(line.c_str(), "sendrecv,2,16,67108864,%lf,%lf", &us, &bus);
    EXPECT_NEAR(bus, 48, 2);
    EXPECT_NEAR(bus, 67108864 / us / 1e3, 0.01) << "busbw is algbw";
}

// Twice as many QPs take turns, or each carries a piece of every message: the same bytes.
TEST(NcclTests, MessagesTakeQpsInTurnOrAreCut)
{
    const std::string qps = "library.ib-qps-per-connection=2";
    const std::vector<std::string> args = {
        "nccl-tests",        "dgx-h100", "all_reduce",          "-b", "4M", "-e", "4M", "--set",
        "library.algo=ring", "--set",    "library.proto=simple"};
    auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), args.begin(), args.end());
        const Said s = weft(more);
        EXPECT_EQ(s.code, 0) << s.err;
        return s.out;
    };
    const std::string turns = with({"--set", qps});
    EXPECT_NE(turns, with({"--set", qps, "--set", "library.ib-split-data-on-qps=true"}));
    EXPECT_NE(weft({"explain-choice", "all-reduce", "4MiB", "dgx-h100", "--set", qps, "--set",
                    "library.ib-split-data-on-qps=true", "--set", "library.algo=ring", "--set",
                    "library.proto=simple"})
                  .out.find(":slices=4:"),
              std::string::npos);
}

TEST(NcclTests, DrawsWhatItComparesAndCountsHosts)
{
    TempDir dir;
    const std::string file = dir / "m.csv", picture = dir / "p.csv";
    std::ofstream(file) << "collective,nodes,gpus,bytes,type,in_place,time_us,algbw_GBps,"
                           "busbw_GBps,note\nall_reduce,4,8,1024,float,0,20,,,trays\n";
    const std::vector<std::string> args = {"nccl-tests", "dgx-h100", "all_reduce", "-n",   "1",
                                           "--against",  file,       "--picture",  picture};
    EXPECT_EQ(weft(args).code, 3) << "one node, four hosts in the file";
    std::vector<std::string> hosts = args;
    hosts.insert(hosts.end(), {"--hosts", "4"});
    const Said s = weft(hosts);
    ASSERT_EQ(s.code, 0) << s.err;
    std::stringstream drawn;
    drawn << std::ifstream(picture).rdbuf();
    EXPECT_CONTAINS(drawn.str(), "simulated");
    EXPECT_CONTAINS(drawn.str(), "measured");
}

// OCI's two sweeps contradict each other, 238 and 189 GB/s at 8 GiB: NCCL 2.19 counts 16 NICs a
// node and takes trees, 2.29 rings. From 64 MiB to 1 GiB the medians are 5.9 and 3.4 %.
TEST(Trust, EachSourceUnderItsVersion)
{
    const char *shared = std::getenv("WEFT_SHARED");
    const std::string file =
        std::string(shared ? shared : "") + "/data/hardware/oci-a100-2nodes.csv";
    if (!shared || !std::ifstream(file))
        GTEST_SKIP() << "WEFT_SHARED has no data/hardware";
    const struct {
        const char *only, *version, *rails;
        double median;
    } sources[] = {{"NCCL not said", "2.19", "16", 8}, {"2.29.3", "2.28", "0", 4}};
    for (const auto &x : sources) {
        const Said s =
            weft({"nccl-tests", "oci-a100", "--against", file, "--only", x.only, "-b", "64M", "-e",
                  "1G", "--set", std::string("library.version=") + x.version, "--set",
                  std::string("library.rails=") + x.rails});
        ASSERT_EQ(s.code, 0) << s.err;
        double median = 1e9;
        const size_t at = s.out.find(": median ");
        ASSERT_NE(at, std::string::npos) << s.out;
        ASSERT_EQ(sscanf(s.out.c_str() + at, ": median %lf", &median), 1);
        EXPECT_LE(median, x.median) << x.only;
    }
}

// 16 NICs of 8 GPUs: a threadblock is no slower than with 8, and a proxy posts to both NICs of its
// GPU in one round. Without, 4 KiB takes 31 and 4 MiB 38 % longer than measured.
TEST(Trust, SixteenNicsOfEightGpus)
{
    const char *shared = std::getenv("WEFT_SHARED");
    const std::string file =
        std::string(shared ? shared : "") + "/data/hardware/oci-a100-2nodes.csv";
    if (!shared || !std::ifstream(file))
        GTEST_SKIP() << "WEFT_SHARED has no data/hardware";
    const Said s =
        weft({"nccl-tests", "oci-a100", "--against", file, "--only", "NCCL not said", "-e", "64M",
              "--set", "library.version=2.19", "--set", "library.rails=16"});
    ASSERT_EQ(s.code, 0) << s.err;
    double median = 1e9, p90 = 1e9, most = 1e9;
    const size_t at = s.out.find(": median ");
    ASSERT_NE(at, std::string::npos) << s.out;
    ASSERT_EQ(sscanf(s.out.c_str() + at, ": median %lf %%, 90th percentile %lf %%, largest %lf",
                     &median, &p90, &most),
              3);
    EXPECT_LE(median, 10);
    EXPECT_LE(p90, 15);
    EXPECT_LE(most, 17);
}

TEST(ShowLibrary, EveryConstantHasASource)
{
    const Said s = weft({"show", "library", "nccl", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "src/graph/tuning.cc");
    EXPECT_CONTAINS(s.out, "fitted on");
    EXPECT_EQ(s.out.find("\"source\": \"\""), std::string::npos);
    const Said rccl = weft({"show", "library", "rccl", "--json"});
    ASSERT_EQ(rccl.code, 0) << rccl.err;
    EXPECT_CONTAINS(rccl.out, "ROCm/rccl 2.21.5");
    EXPECT_EQ(rccl.out.find("\"source\": \"\""), std::string::npos);
    EXPECT_EQ(weft({"show", "library", "mpi"}).code, 2);
}

// --- RCCL ---

// The all-gather of MSCCL's allgather_ring over eight GPUs: data of rank r takes channel
// r % channels.
std::string ring_program(const std::string &proto, int channels)
{
    std::ostringstream s;
    s << "<algo name=\"ring\" proto=\"" << proto << "\" nchannels=\"" << channels
      << "\" nchunksperloop=\"8\" ngpus=\"8\" coll=\"allgather\" inplace=\"1\">\n";
    for (int rank = 0; rank < 8; rank++) {
        s << "<gpu id=\"" << rank << "\" i_chunks=\"0\" o_chunks=\"8\" s_chunks=\"0\">\n";
        for (int tb = 0; tb < channels; tb++) {
            int n = 0;
            s << "<tb id=\"" << tb << "\" send=\"" << (rank + 1) % 8 << "\" recv=\""
              << (rank + 7) % 8 << "\" chan=\"" << tb << "\">\n";
            const auto step = [&](const char *type, int chunk) {
                s << "<step s=\"" << n++ << "\" type=\"" << type << "\" srcbuf=\"o\" srcoff=\""
                  << chunk << "\" dstbuf=\"o\" dstoff=\"" << chunk
                  << "\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
            };
            for (int k = 0; k < 8; k++) {
                const int chunk = (rank + 8 - k) % 8;
                if (chunk % channels != tb)
                    continue;
                if (k > 0)
                    step("r", chunk);
                if (k < 7)
                    step("s", chunk);
            }
            s << "</tb>\n";
        }
        s << "</gpu>\n";
    }
    return s.str() + "</algo>\n";
}

// The times that nccl-tests prints for the sizes.
std::vector<double> times(const std::vector<std::string> &more, const char *from, const char *to,
                          const char *factor)
{
    std::vector<std::string> args = {"nccl-tests", "mi300x", "all_gather", "-n", "1",   "-b",
                                     from,         "-e",     to,           "-f", factor};
    args.insert(args.end(), more.begin(), more.end());
    const Said s = weft(args);
    EXPECT_EQ(s.code, 0) << s.err;
    std::vector<double> us;
    std::istringstream lines(s.out);
    for (std::string line; std::getline(lines, line);)
        if (line[0] != '#') {
            std::istringstream words(line);
            std::string word;
            for (int k = 0; k < 6; k++)
                words >> word;
            us.push_back(std::stod(word));
        }
    return us;
}

// One VM of eight MI300X, RCCL 2.21.5 (rouge3877/ns3-msccl-data): nothing was fitted on these.
TEST(Rccl, ItsOwnChoiceOnEightMi300x)
{
    const std::vector<double> measured = {17.43, 18.73, 19.34, 46.97, 236.2, 3078.5};
    const std::vector<double> us = times({"--play", "256M"}, "1K", "1G", "16");
    ASSERT_EQ(us.size(), measured.size());
    for (size_t i = 0; i < us.size(); i++)
        EXPECT_NEAR(us[i] / measured[i], 1, 0.1) << i;
}

// Rings as programs of MSCCL on the same VM, 64 MiB: a protocol and one channel, and eight, whose
// data is passed on loop by loop.
TEST(Rccl, OneProtocolAndChannel)
{
    TempDir dir;
    const struct {
        const char *proto;
        int channels;
        double measured, off;
    } programs[] = {{"LL", 1, 37265, 0.12},      {"LL128", 1, 26053, 0.12},
                    {"Simple", 1, 5414.3, 0.12}, {"LL", 8, 5751.1, 0.12},
                    {"LL128", 8, 4140, 0.12},    {"Simple", 8, 1866.6, 0.15},
                    {"Simple", 4, 3439.5, 0.15}};
    for (const auto &p : programs) {
        std::ofstream(dir / "ring.xml") << ring_program(p.proto, p.channels);
        const std::vector<double> us =
            times({"--set", "system.all-gather=msccl:file=ring.xml:gpu=mi300x", "--set",
                   "system.algorithm-dir=" + (dir / "")},
                  "64M", "64M", "2");
        ASSERT_EQ(us.size(), 1U);
        EXPECT_NEAR(us[0] / p.measured, 1, p.off) << p.proto << " " << p.channels << ": " << us[0];
    }
}

// Two nodes: each ring has a NIC of its own. ROCm/cvs lets a cluster pass from 350 GB/s on.
TEST(Rccl, RingsBetweenNodesUseAllNics)
{
    for (const char *kind : {"all_gather", "all_reduce"}) {
        const Said s = weft({"nccl-tests", "mi300x", kind, "-b", "4G", "-e", "4G"});
        ASSERT_EQ(s.code, 0) << s.err;
        std::istringstream words(s.out.substr(s.out.rfind(" 4294967296 ")));
        std::string word;
        for (int k = 0; k < 8; k++)
            words >> word;
        EXPECT_GT(std::stod(word), 350) << s.out;
        EXPECT_LT(std::stod(word), 400) << s.out;
    }
}

TEST(Rccl, HasItsOwnTablesAndGpu)
{
    const std::vector<std::string> one = {"-n", "1"};
    EXPECT_EQ(taken("256KiB", one, "mi300x"), "Ring LL");
    EXPECT_EQ(taken("16MiB", one, "mi300x"), "Ring Simple");
    EXPECT_EQ(taken("16KiB", {"-n", "2"}, "mi300x"), "Tree LL");
    const Said s = weft({"check", "mi300x", "--set", "library.gpu=hopper"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "system.library=rccl: library.gpu must be mi300x");
    EXPECT_EQ(weft({"check", "dgx-h100", "--set", "library.gpu=mi300x"}).code, 3);
}

// Points of two clusters to 64 MiB: one that constants were fitted on, one that judges.
TEST(Trust, SmallAndMiddleSizesOnTwoNodes)
{
    const char *shared = std::getenv("WEFT_SHARED");
    const std::string data = shared ? std::string(shared) + "/data/hardware/" : "";
    if (data.empty() || !std::ifstream(data + "oci-a100-2nodes.csv"))
        GTEST_SKIP() << "WEFT_SHARED has no data/hardware";
    const struct {
        const char *cluster, *file, *only, *nodes, *gpus;
        double median, p90;
    } cases[] = {{"nebius-h100", "dstack-nebius-h100-gcp-a3.csv", "Nebius", "2", "8", 10, 25},
                 {"oci-a100", "oci-a100-2nodes.csv", "NCCL not said", "2", "8", 12, 20},
                 {"nd-a100-v4", "simllm-a100-nvlink-and-sockets.csv", "4 x A100", "1", "4", 8, 16},
                 {"nd-a100-v4", "msccl-ndv4-alltoall-512.csv", "; NCCL", "1", "8", 15, 42}};
    for (const auto &c : cases) {
        const Said s = weft({"nccl-tests", c.cluster, "--against", data + c.file, "--only", c.only,
                             "-n", c.nodes, "-g", c.gpus, "-b", "1K", "-e", "64M"});
        ASSERT_EQ(s.code, 0) << s.err;
        double median = 1e9, p90 = 1e9;
        const size_t at = s.out.find(": median ");
        ASSERT_NE(at, std::string::npos) << s.out;
        ASSERT_EQ(sscanf(s.out.c_str() + at, ": median %lf %%, 90th percentile %lf", &median, &p90),
                  2);
        EXPECT_LE(median, c.median) << c.cluster;
        EXPECT_LE(p90, c.p90) << c.cluster;
    }
}

TEST(NcclTests, ClustersAreListedAndAWrongNameHasTheNearest)
{
    EXPECT_CONTAINS(weft({"list", "clusters"}).out, "nebius-h100");
    const Said s = weft({"nccl-tests", "dgx-h10"});
    EXPECT_EQ(s.code, 4);
    EXPECT_CONTAINS(s.err, "did you mean 'dgx-h100'?");
    const Said one = weft({"nccl-tests", "dgx-h100", "-n", "1", "-b", "1M", "-e", "2M"});
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(one.err, "") << "the tuner may choose NVLS: in-network settings are no mistake";
}

} // namespace
