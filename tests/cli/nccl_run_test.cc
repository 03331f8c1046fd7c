// SPDX-License-Identifier: GPL-2.0-only
// Collectives on servers read from NCCL dumps.
#include "program.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace
{

// Eight H100s with links to four NVSwitches, 5 + 5 + 4 + 4 of 20.6 GB/s: 2,966 Gbps per GPU.
std::string eight_h100()
{
    std::ostringstream x;
    x << "<!---- eight GPUs ---->\n<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\">\n";
    for (int g = 0; g < 8; g++) {
        x << "<pci busid=\"0:0" << g << ":0\" class=\"0x030200\" link_speed=\"32.0 GT/s\" "
          << "link_width=\"16\"><gpu dev=\"" << g << "\" sm=\"90\" rank=\"" << g << "\">";
        for (int k = 0; k < 4; k++) // every GPU lists them in an order of its own
            x << "<nvlink target=\"1:0" << (g + k) % 4 << ":0\" count=\"" << 4 + (g + k) % 4 / 2
              << "\" tclass=\"0x068000\"/>";
        x << "</gpu></pci>\n";
    }
    x << "</cpu></system>\n";
    return x.str();
}

TEST(NcclRun, RingUsesAllLinksOfAGpu)
{
    TempDir dir;
    std::ofstream(dir / "h100.xml") << eight_h100();
    for (const char *net : {"ideal", "packet"}) {
        if (std::string(net) == "packet" && !has_packet())
            continue;
        const Said s = weft({"run", "--set", "topology.type=nccl", "--set", "nccl.file=h100.xml",
                             "--set", "workload.type=generate", "--set", "generate.size=256MiB",
                             "--set", "system.all-reduce=ring", "--set",
                             std::string("network.backend=") + net, "--no-out"},
                            dir / "");
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_CONTAINS(s.err, "h100.xml:1: -- within a comment is not well-formed XML");
        const size_t at = s.out.find("bus bandwidth ");
        ASSERT_NE(at, std::string::npos) << s.out;
        EXPECT_CONTAINS(s.out.substr(at, 40), " Tbps");
        const double tbps = std::stod(s.out.substr(at + 14));
        EXPECT_GT(tbps, 0.95 * 18 * 20.6 * 8e-3) << net;
        EXPECT_LE(tbps, 18 * 20.6 * 8e-3) << net;
    }
}

// Bus bandwidth in Gbps of a ring under settings.
double bus_gbps(const TempDir &dir, const std::vector<std::string> &sets)
{
    const Said s = weft(with_sets({"run", "--no-out"}, sets,
                                  {"topology.type=nccl", "nccl.file=h100.xml",
                                   "workload.type=generate", "generate.size=64MiB"}),
                        dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    const size_t at = s.out.find("bus bandwidth ");
    if (at == std::string::npos)
        return 0;
    const double value = std::stod(s.out.substr(at + 14));
    return s.out.substr(at, 40).find(" Tbps") != std::string::npos ? 1000 * value : value;
}

// A plane that a GPU loses: as a slower link, or with planes of their own as a link that fails.
TEST(NcclRun, APlaneFails)
{
    if (!has_packet())
        GTEST_SKIP() << "only the backend 'packet' has links that fail";
    TempDir dir;
    std::ofstream(dir / "h100.xml") << eight_h100();
    const double whole = bus_gbps(dir, {"system.all-reduce=ring"}),
                 slow = bus_gbps(dir, {"system.all-reduce=ring",
                                       "fault.events=degrade link=h0-s9 rate=2307.2Gbps"});
    EXPECT_NEAR(slow / whole, 14.0 / 18, 0.05);
    const std::string ring = "system.all-reduce=ring:channels=32", qps = "system.qps=all-reduce:32",
                      planes = "nccl.separate-planes=true";
    const double four = bus_gbps(dir, {ring, qps, planes}),
                 three =
                     bus_gbps(dir, {ring, qps, planes, "fault.events=link-down link=h0-s9 at=0us"});
    EXPECT_LT(three, 0.95 * four);
    EXPECT_GT(three, 0.3 * four);
}

// Two nodes of a GPU, 1 us apart: a proxy takes 10 us to send and 10 us to take in a message. Four
// at once take four times as long, or, where it handles four in a round, twice: the first alone.
TEST(NcclRun, AProxyHandlesWhatWaitsInOneRound)
{
    const auto us = [](const std::string &channels, const std::string &round) {
        const Said s =
            weft({"run", "--no-out", "--set", "topology.type=multi", "--set",
                  "multi.dimensions=switch size=1 rate=400Gbps delay=1ns; rail-optimised rails=1 "
                  "nodes=2 rail-only=true rate=400Tbps delay=1us",
                  "--set", "network.backend=ideal", "--set", "workload.type=generate", "--set",
                  "generate.kind=all-gather", "--set", "generate.size=1MiB", "--set",
                  "system.all-gather=nccl-ring:node=1:slices=1:proxy=10us:channels=" + channels +
                      ":round=" + round});
        EXPECT_EQ(s.code, 0) << s.err;
        const std::string name = "end-to-end time";
        const size_t at = s.out.find(name);
        return at == std::string::npos ? 0 : std::stod(s.out.substr(at + name.size()));
    };
    EXPECT_NEAR(us("1", "1"), 24, 0.1) << "with the word that a buffer is free";
    EXPECT_NEAR(us("1", "4"), 24, 0.1);
    EXPECT_NEAR(us("4", "1"), 82, 0.1);
    EXPECT_NEAR(us("4", "4"), 42, 0.1);
}

// One QP per NVLink over planes of their own: each port as often as it is fast, though GPUs list
// their links in different orders.
TEST(NcclRun, QpsTakePlanesInTurn)
{
    if (!has_packet())
        GTEST_SKIP() << "hashes of QPs are the packet backend's";
    TempDir dir;
    std::ofstream(dir / "h100.xml") << eight_h100();
    const std::vector<std::string> sets = {"nccl.separate-planes=true",
                                           "system.all-reduce=ring:channels=18",
                                           "system.qps=all-reduce:18"};
    std::vector<std::string> in_turn = sets;
    in_turn.push_back("system.qp-ports=in-turn");
    const double sum = 18 * 20.6 * 8, hashed = bus_gbps(dir, sets), dealt = bus_gbps(dir, in_turn);
    EXPECT_LT(hashed, 0.7 * sum);
    EXPECT_GT(dealt, 0.94 * sum);
    EXPECT_LE(dealt, sum);
}

// The ideal backend sends by the port that a QP has, too; TCP says that it cannot.
TEST(NcclRun, PortsOfQpsOnOtherBackends)
{
    TempDir dir;
    std::ofstream(dir / "h100.xml") << eight_h100();
    const auto busy = [&](const std::string &turns) {
        const Said s = weft({"run",   "-q",
                             "-o",    "out-" + turns,
                             "--set", "topology.type=nccl",
                             "--set", "nccl.file=h100.xml",
                             "--set", "nccl.separate-planes=true",
                             "--set", "workload.type=generate",
                             "--set", "generate.size=1MiB",
                             "--set", "system.all-reduce=ring:channels=18",
                             "--set", "system.qps=all-reduce:18",
                             "--set", "system.qp-ports=" + turns,
                             "--set", "network.backend=ideal",
                             "--set", "ideal.model=path"},
                            dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
        std::istringstream in(slurp(dir / ("out-" + turns + "/links.csv")));
        std::string line, all;
        int n = 0;
        for (std::getline(in, line); std::getline(in, line);)
            n += line.find(",h0,s") != std::string::npos &&
                 line.find(",0,0,0,0.000,0.0000") == std::string::npos;
        return n;
    };
    EXPECT_EQ(busy("hash"), 1);
    EXPECT_EQ(busy("in-turn"), 4);
    if (!has_ns3())
        return;
    Said s = weft({"check", "--set", "topology.type=nccl", "--set", "nccl.file=h100.xml", "--set",
                   "workload.type=generate", "--set", "system.qp-ports=in-turn", "--set",
                   "transport.type=tcp"},
                  dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.err, "system.qp-ports has no effect on workload 'generate'");
    std::ofstream(dir / "nic.goal") << "num_ranks 2\nrank 0 {\nsend 9b to 1 tag 1 nic 1\n}\n"
                                       "rank 1 {\nrecv 9b from 0 tag 1\n}\n";
    s = weft({"check", "--set", "topology.type=dual-plane", "--set", "workload.type=goal", "--set",
              "goal.file=nic.goal", "--set", "transport.type=tcp"},
             dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.err, "the NICs that SENDs of workload 'goal' name have no effect");
}

} // namespace
