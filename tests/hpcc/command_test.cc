// SPDX-License-Identifier: GPL-2.0-only
// The commands `hpcc` and `traffic`.
#include "tests/cli/program.h"

#include <algorithm>
#include <fstream>
#include <set>
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
        const std::string doc = slurp(source_dir() + "/docs/reference/other-files.md");
        for (std::string name; std::getline(header, name, ',');)
            EXPECT_CONTAINS(doc.substr(doc.find("### fct_slowdown.csv")), "| `" + name + "` |");
    }
}

// One flow starts over at each lost packet and never ends, another goes on for long: warnings and
// summary say so.
TEST(HpccCommand, FlowsThatAreLeftBehindAreInTheSummary)
{
    TempDir dir;
    write_file(dir / "t", "5 1 4\n4\n0 4 25Gbps 1us 0.01\n1 4 25Gbps 1us 0\n2 4 25Gbps 1us 0\n"
                          "3 4 25Gbps 1us 0\n");
    write_file(dir / "f", "2\n0 3 3 100 20000000 0\n1 2 3 100 100000000 0\n");
    write_file(dir / "config.txt", "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 3\nL2_BACK_TO_ZERO 1\n");
    const Said s =
        weft({"hpcc", "--config", "config.txt", "--out", "o", "--set", "run.stall-after=1ms",
              "--set", "transport.rto=20us", "--set", "run.until=30ms"},
             dir / "");
    EXPECT_EQ(s.code, 1) << s.err;
    EXPECT_CONTAINS(s.err, "1 queue pairs or connections have made no progress for 1ms");
    EXPECT_CONTAINS(s.out, "left behind              1 queue pair or connection made no progress");
    EXPECT_EQ(s.out.find("training step"), std::string::npos) << s.out;
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"left_behind\": 1");
}

TEST(HpccCommand, EveryControlOfWeftRunsInPlaceOfCcMode)
{
    TempDir dir;
    write_file(dir / "t", star);
    write_file(dir / "f",
               "3\n0 3 3 100 4000000 2\n1 3 3 100 4000000 2\n2 3 3 100 4000000 2.0001\n");
    write_file(dir / "config.txt",
               "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 3\nKMIN_MAP 1 100000000000 20\n"
               "KMAX_MAP 1 100000000000 80\nPMAX_MAP 1 100000000000 0.2\n");
    std::set<std::string> results;
    std::istringstream names(weft({"list", "cc"}).out);
    size_t n = 0;
    for (std::string line; std::getline(names, line);) {
        const std::string name = line.substr(0, line.find(' '));
        if (name.empty())
            continue;
        n++;
        const Said ran = weft(
            {"hpcc", "--config", "config.txt", "--compat", "--control", name, "-q", "--out", "o"},
            dir / "");
        ASSERT_EQ(ran.code, 0) << name << ran.err;
        EXPECT_EQ(column(slurp(dir / "o/fct.txt"), 4).size(), 3U) << name;
        results.insert(slurp(dir / "o/fct.txt"));
    }
    EXPECT_GE(n, 9U);
    EXPECT_EQ(results.size(), n) << "the control changes the result";
    const Said bad = weft({"hpcc", "--config", "config.txt", "--control", "swft"}, dir / "");
    EXPECT_EQ(bad.code, 3);
    EXPECT_CONTAINS(bad.err, "--control: unknown congestion control 'swft'; did you mean 'swift'?");
}

/* Two flows of 100 packets of 1,000 B at 100 Gbps meet at a switch: of each pair of packets one
 * waits, so the queue grows by the other's frame until both have sent, and results are the same. */
TEST(HpccCommand, SamplesAsRunDoes)
{
    TempDir dir;
    write_file(dir / "t", star);
    write_file(dir / "f", "2\n0 2 3 100 100000 2\n1 2 3 101 100000 2\n");
    write_file(dir / "config.txt",
               "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 1\nENABLE_QCN 0\nHAS_WIN 0\n");
    const Said plain = weft({"hpcc", "--config", "config.txt", "--out", "a", "-q"}, dir / "");
    const Said said = weft({"hpcc", "--config", "config.txt", "--out", "b", "-q", "--set",
                            "sample.what=queue:s4-h2.p3,rate", "--set", "sample.on=change"},
                           dir / "");
    ASSERT_EQ(plain.code, 0) << plain.err;
    ASSERT_EQ(said.code, 0) << said.err;
    for (const char *file : {"fct.txt", "flows.csv", "links.csv", "pfc.txt"})
        EXPECT_EQ(slurp(dir / ("a/" + std::string(file))), slurp(dir / ("b/" + std::string(file))))
            << file;
    EXPECT_CONTAINS(slurp(dir / "b/run.json"), "\"what\": \"queue:s4-h2.p3,rate\"");
    std::istringstream rows(slurp(dir / "b/series/queue.csv"));
    std::string line, most, last;
    std::getline(rows, line);
    EXPECT_EQ(line, "t_ns,port,from,to,prio,queue_bytes");
    size_t n = 0;
    for (double largest = -1; std::getline(rows, line); n++) {
        last = line.substr(line.rfind(',') + 1);
        if (std::stod(last) > largest)
            largest = std::stod(most = last);
    }
    EXPECT_EQ(n, 200U);
    EXPECT_EQ(last, "0");
    EXPECT_EQ(most, "106200"); /* 100 frames of 1062 B */
    const std::string qps = slurp(dir / "b/series/qp.csv");
    EXPECT_EQ(std::count(qps.begin(), qps.end(), '\n'), 5) << qps; /* two each, first and last */
}

TEST(HpccCommand, LimitsOfTheMachineEndItInOrder)
{
    TempDir dir;
    write_file(dir / "t", star);
    write_file(dir / "f", "1\n0 1 3 100 100000000000 2\n");
    write_file(dir / "config.txt", "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 3\n");
    for (const auto &limit : {std::pair<const char *, const char *>{"--time-limit", "200ms"},
                              {"--memory-limit", "1MiB"}}) {
        const Said s = weft(
            {"hpcc", "--config", "config.txt", "--out", "o", limit.first, limit.second}, dir / "");
        EXPECT_EQ(s.code, 5) << s.err;
        EXPECT_CONTAINS(s.err,
                        std::string("weft: error: stopped at ") + limit.first + " " + limit.second);
        const std::string run = slurp(dir / "o/run.json");
        EXPECT_CONTAINS(run, "\"outcome\": \"over-limit\"");
        EXPECT_CONTAINS(run, "\"partial\": true");
        EXPECT_TRUE(std::ifstream(dir / "o/links.csv").good());
        EXPECT_FALSE(std::ifstream(dir / "o/finished").good());
    }
    EXPECT_EQ(weft({"hpcc", "--config", "config.txt", "--time-limit", "10"}, dir / "").code, 2);
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
    const Said failing = weft({"hpcc", "--config", dir / "config.txt", "--no-out", "--set",
                               "fault.events=link-down link=0 at=0"});
    EXPECT_EQ(failing.code, 3);
    EXPECT_CONTAINS(failing.err, "what goes wrong is LINK_DOWN of the configuration");
    const Said sampling =
        weft({"hpcc", "--config", dir / "config.txt", "--no-out", "--set", "sample.what=queue:*"});
    EXPECT_EQ(sampling.code, 3);
    EXPECT_CONTAINS(sampling.err, "sample.what needs a run folder to write to: leave out --no-out");
    const Said ideal = weft({"hpcc", "--config", dir / "config.txt", "--out", dir / "o", "--set",
                             "sample.what=queue", "--set", "network.backend=ideal"});
    EXPECT_EQ(ideal.code, 3);
    const Said nobody = weft({"hpcc", "--config", dir / "config.txt", "--out", dir / "o", "--set",
                              "sample.what=queue:s9"});
    EXPECT_EQ(nobody.code, 3);
    EXPECT_CONTAINS(nobody.err, "sample.what: 'queue:s9' matches no port");
    const Said control = weft({"hpcc", "--config", dir / "config.txt", "--no-out", "--set",
                               "congestion-control.name=swift"});
    EXPECT_EQ(control.code, 3);
    EXPECT_CONTAINS(control.err, "another in its place: --set simulator.control=NAME");
    /* 100 MB take 8 ms, but 1 ms is all there is. */
    const Said late = weft({"hpcc", "--config", dir / "config.txt", "--out", dir / "o", "-q"});
    EXPECT_EQ(late.code, 1);
    EXPECT_CONTAINS(late.err, "1 of 1 flows are not complete at 2.001 s");
    EXPECT_EQ(slurp(dir / "o/finished"), "stopped-at-limit\n");
}

/* Two hosts send 100 packets each to a third, at line rate: packets of 1048 B, 84 ns each. Pair k
 * (from 1) is at the switch at 13 + 84 k + 1000 ns; by then k packets have left, so that k wait,
 * until nothing more arrives after pair 100. The odd 13 ns keep samples and arrivals apart. */
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
    for (const char *name : {"r2_incast2_1MB_hpcc", "r2_incast8_1MB_hpcc", "r2_incast8_1MB_timely",
                             "r2_incast8_1MB_dctcp", "r4_ft4_websearch_64flows_timely",
                             "r5_ft4_incast15_1MB_buf1MB_dcqcn", "r5_ft4_incast15_1MB_buf1MB_dctcp",
                             /* random, but seed 1 repeats the draws of the reference */
                             "r1_dumbbell_1x1MB_pint", "r2_incast2_1MB_pint", "r2_incast8_1MB_pint",
                             "r2_incast2_1MB_dcqcn"}) {
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

/* Cables listed from both ends, as some forks do it, are the same fabric: 15 flows of 1 MB into one
 * host take what the reference took over cables that are listed once, not half of it. */
TEST(HpccCommand, CablesListedFromBothEndsAreTheReference)
{
    if (shared("reference/README.md").empty() || !has_packet())
        GTEST_SKIP() << "needs WEFT_SHARED and the packet backend";
    TempDir dir;
    const std::string ref = shared("reference/r5_ft4_incast15_1MB_buf1MB_dctcp");
    for (const char *file : {"config.txt", "flow.txt", "trace.txt"})
        write_file(dir / file, slurp(ref + "/" + file));
    std::istringstream once(slurp(ref + "/topology.txt"));
    unsigned nodes, switches, links;
    once >> nodes >> switches >> links;
    std::ostringstream twice;
    twice << nodes << " " << switches << " " << 2 * links << "\n";
    for (unsigned i = 0, id; i < switches && once >> id; i++)
        twice << id << " ";
    std::string a, b, rest;
    while (once >> a >> b && std::getline(once, rest))
        twice << "\n" << a << " " << b << rest << "\n" << b << " " << a << rest;
    write_file(dir / "topology.txt", twice.str());
    const Said ran = weft({"hpcc", "config.txt", "--compat", "--out", "o"}, dir / "");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_CONTAINS(ran.err, std::to_string(links) + " of the " + std::to_string(2 * links) +
                                 " links join nodes that a link before them joins");
    EXPECT_EQ(column(slurp(dir / "o/fct.txt"), 6), column(slurp(ref + "/fct.txt"), 6));
}

/* Two hosts behind two switches that are joined by two middle ones. */
const char ring[] = "6 4 6\n2 3 4 5\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n"
                    "2 5 100Gbps 1us 0\n4 3 100Gbps 1us 0\n5 3 100Gbps 1us 0\n";
const char plain[] = "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 12\nSIMULATOR_STOP_TIME 2.1\n";

/* Packets out of switch 2 towards the two middle switches: port, then packets. */
std::vector<double> middle_packets(const TempDir &dir)
{
    std::vector<double> n;
    std::istringstream in(slurp(dir / "o/links.csv"));
    std::string line;
    for (std::getline(in, line); std::getline(in, line);)
        if (line.find("s2,s4") != std::string::npos || line.find("s2,s5") != std::string::npos) {
            std::istringstream fields(line.substr(line.find("s2,s")));
            std::string f;
            for (int i = 0; i < 6; i++)
                std::getline(fields, f, ',');
            n.push_back(std::stod(f));
        }
    return n;
}

/* 10 MB take 0.8 ms; the links 2-4 and, as a second case, the receiver's own fail 100 us after 2 s.
 */
TEST(HpccCommand, LinkDown)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_file(dir / "t", ring);
    write_file(dir / "f", "4\n0 1 3 100 2500000 2\n0 1 3 100 2500000 2\n0 1 3 100 2500000 2\n"
                          "0 1 3 100 2500000 2\n");
    write_file(dir / "config.txt", std::string(plain) + "LINK_DOWN 100 4 2\n");
    const Said around = weft({"hpcc", "--config", "config.txt", "-q", "--out", "o"}, dir / "");
    EXPECT_EQ(around.code, 0) << around.err;
    EXPECT_EQ(column(slurp(dir / "o/fct.txt"), 4).size(), 4u);
    const std::string json = slurp(dir / "o/run.json");
    EXPECT_LACKS(json, "\"drops_link\": 0,");
    write_file(dir / "config.txt", std::string(plain) + "LINK_DOWN 100 1 3\n");
    const Said cut = weft({"hpcc", "--config", "config.txt", "-q", "--out", "o"}, dir / "");
    EXPECT_EQ(cut.code, 1);
    EXPECT_CONTAINS(cut.err, "4 of 4 flows are not complete");
    EXPECT_CONTAINS(cut.err, "the fabric is partitioned: 4 QPs have no path; links down: h1-s3 "
                             "since 2000.1ms");
}

/* The hash takes in the destination port, so that it decides between the middle switches.
 * MurmurHash3 of 0b000001, 0b000101 and 10000 | dport << 16 with seed 2: even goes to switch 5, odd
 * to 4. */
TEST(HpccCommand, TheDestinationPortIsHashed)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    auto murmur = [](uint32_t dport) {
        const uint32_t words[] = {0x0b000001, 0x0b000101, 10000 | dport << 16};
        auto rotl = [](uint32_t x, int r) { return x << r | x >> (32 - r); };
        uint32_t h = 2;
        for (uint32_t w : words) {
            h ^= rotl(w * 0xcc9e2d51u, 15) * 0x1b873593u;
            h = rotl(h, 13) * 5 + 0xe6546b64u;
        }
        h ^= 12;
        h = (h ^ h >> 16) * 0x85ebca6bu;
        h = (h ^ h >> 13) * 0xc2b2ae35u;
        return h ^ h >> 16;
    };
    TempDir dir;
    write_file(dir / "t", ring);
    write_file(dir / "config.txt", plain);
    int over[2] = {};
    for (uint32_t dport : {0u, 99u, 100u, 101u, 102u, 200u, 4791u, 65535u}) {
        write_file(dir / "f", "1\n0 1 3 " + std::to_string(dport) + " 1000 2\n");
        const Said ran =
            weft({"hpcc", "--config", "config.txt", "--compat", "-q", "--out", "o"}, dir / "");
        ASSERT_EQ(ran.code, 0) << ran.err;
        const auto n = middle_packets(dir);
        ASSERT_EQ(n.size(), 2u);
        const int to_4 = murmur(dport) % 2;
        EXPECT_EQ(n[0], to_4) << dport;
        EXPECT_EQ(n[1], 1 - to_4) << dport;
        over[to_4]++;
    }
    EXPECT_GT(over[0], 0);
    EXPECT_GT(over[1], 0);
}

/* Destination ports that differ in their high bits alone spread over the middle switches, too: of
 * 32 flows with a chance of one half each, 4 to 28 go either way but once in 100,000 times. */
TEST(HpccCommand, EveryBitOfTheDestinationPortDecides)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_file(dir / "t", ring);
    write_file(dir / "config.txt", plain);
    for (int shift : {4, 7, 11}) {
        std::string flows = "32\n";
        for (int i = 0; i < 32; i++)
            flows += "0 1 3 " + std::to_string(100 + (i << shift)) + " 1000 2\n";
        write_file(dir / "f", flows);
        const Said ran = weft({"hpcc", "--config", "config.txt", "-q", "--out", "o"}, dir / "");
        ASSERT_EQ(ran.code, 0) << ran.err;
        const auto n = middle_packets(dir);
        ASSERT_EQ(n.size(), 2u);
        EXPECT_EQ(n[0] + n[1], 32) << shift;
        EXPECT_GE(n[0], 4) << shift;
        EXPECT_GE(n[1], 4) << shift;
    }
}

/* Without rate pacing two DCQCN senders keep their window full whatever the rate; with it they slow
 * down. */
TEST(HpccCommand, RateBound)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_file(dir / "t", star);
    write_file(dir / "f", "2\n0 2 3 100 4000000 2\n1 2 3 100 4000000 2\n");
    double last[2];
    for (int bound = 0; bound < 2; bound++) {
        write_file(dir / "config.txt",
                   "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 1\nHAS_WIN 1\nVAR_WIN 0\nKMAX_MAP 1 "
                   "100000000000 5\nKMIN_MAP 1 100000000000 5\nPMAX_MAP 1 100000000000 1\n"
                   "RATE_BOUND " +
                       std::to_string(bound) + "\n");
        const Said ran =
            weft({"hpcc", "--config", "config.txt", "-q", "--compat", "--out", "o"}, dir / "");
        ASSERT_EQ(ran.code, 0) << ran.err;
        const auto fct = column(slurp(dir / "o/fct.txt"), 6);
        last[bound] = *std::max_element(fct.begin(), fct.end());
    }
    /* 8000 packets of 1048 B at 84 ns, the first after 2 x (84 + 1000) ns, and an ACK of 60 B back.
     */
    EXPECT_NEAR(last[0], 8000 * 84 + 84 + 4000 + 2 * 5, 100);
    EXPECT_GT(last[1], 1.2 * last[0]);
}

/* A loss restarts the chunk: with chunks more is sent again than with go-back-N, less than without.
 */
TEST(HpccCommand, BackToZero)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_file(dir / "t", star);
    write_file(dir / "f", "1\n0 2 3 100 1000000 2\n");
    double again[3];
    const char *keys[] = {"", "L2_BACK_TO_ZERO 1\nL2_CHUNK_SIZE 100000\n", "L2_BACK_TO_ZERO 1\n"};
    for (int i = 0; i < 3; i++) {
        write_file(dir / "config.txt",
                   std::string(plain) + "ERROR_RATE_PER_LINK 0.001\n" + keys[i]);
        const Said ran = weft({"hpcc", "--config", "config.txt", "-q", "--out", "o"}, dir / "");
        ASSERT_EQ(ran.code, 0) << ran.err;
        const std::string json = slurp(dir / "o/run.json");
        const std::string key = "\"retransmissions\": ";
        again[i] = std::stod(json.substr(json.find(key) + key.size()));
    }
    EXPECT_GT(again[0], 0);
    EXPECT_GT(again[1], again[0]);
    EXPECT_GT(again[2], again[1]);
}

/* One packet in twenty is lost: a flow of a thousand never gets through without chunks. The run
 * ends and names it. */
TEST(HpccCommand, AFlowThatNeverGetsThroughEndsTheRun)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    write_file(dir / "t", star);
    write_file(dir / "f", "1\n0 2 3 100 1000000 2\n");
    write_file(dir / "config.txt",
               std::string(plain) + "ERROR_RATE_PER_LINK 0.05\nL2_BACK_TO_ZERO 1\n");
    const Said ran = weft({"hpcc", "--config", "config.txt", "-q", "--out", "o", "--set",
                           "run.stall-after=2ms", "--set", "transport.rto=100us"},
                          dir / "");
    EXPECT_EQ(ran.code, 1);
    EXPECT_CONTAINS(ran.err, "1 of 1 flows are not complete");
    EXPECT_CONTAINS(ran.err, "no message has got any further for 2ms (run.stall-after)");
    EXPECT_CONTAINS(ran.err, "h0 -> h2: message 0 of 1 MB");
    EXPECT_CONTAINS(ran.err, "go-back-0 starts anew");
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"outcome\": \"stalled\"");
}

} // namespace
