// SPDX-License-Identifier: GPL-2.0-only
// Collectives at line rate against their closed forms.
#include "job.h"

namespace
{

// One step of a ring over one switch: a message of `bytes` in full packets of 4096 B over two equal
// links. On the wire a packet is 4096 + 62 + 20 = 4178 B. The first packet pays two serialisations,
// each of the others one; two propagation delays. Every data packet is answered by an 86-byte ACK,
// which shares the host's uplink with the data of the same step: the bandwidth is lost to the data,
// the latency is not.
double RingStepPs(double bytes, double psPerByte, double delayPs)
{
    double packets = bytes / 4096;
    return (packets * (4178 + 86) + 4178) * psPerByte + 2 * delayPs;
}

struct Case {
    const char *name;
    int steps;
    double bytesPerStep;
};

void PrintTo(const Case &c, std::ostream *os)
{
    *os << c.name;
}

class Microbenchmark : public testing::TestWithParam<Case>
{
};

} // namespace

// 8 NPUs behind one switch, 400 Gbps (20 ps per byte), 500 ns per link; 1 MiB per rank; one chunk.
// all-reduce: 2 x 7 steps of 1 MiB / 8; reduce-scatter: 7 of them; all-gather: 7 steps of 1 MiB.
TEST_P(Microbenchmark, OfAstraSimIsWithinOnePercentOfTheClosedForm)
{
    Case c = GetParam();
    std::string dir = "astra-sim/workload/microbenchmarks/" + std::string(c.name) + "/8npus_1MB/";
    std::string topology = Shared("astra-sim/ns3/8_nodes_1_switch_topology.txt");
    if (topology.empty() || Shared(dir).empty())
        GTEST_SKIP() << "WEFT_SHARED has no " << dir;
    Outcome o =
        RunJob({"topology.type=hpcc", "hpcc.file=" + topology, "workload.type=chakra",
                "chakra.path=" + Shared(dir) + c.name, "congestion-control.name=dcqcn",
                "system.all-reduce=ring", "system.all-gather=ring", "system.reduce-scatter=ring"});
    ASSERT_EQ(o.error, "");
    double expected = c.steps * RingStepPs(c.bytesPerStep, 20, 500000);
    EXPECT_NEAR(static_cast<double>(o.endPs), expected, 0.01 * expected);
    EXPECT_EQ(o.totals.drops[WEFT_DROP_BUFFER] + o.totals.drops[WEFT_DROP_HEADROOM] +
                  o.totals.drops[WEFT_DROP_ERROR],
              0u);
    EXPECT_EQ(o.totals.bytes_received, static_cast<uint64_t>(8 * c.steps * c.bytesPerStep));
}

INSTANTIATE_TEST_SUITE_P(Ring, Microbenchmark,
                         testing::Values(Case{"all_reduce", 14, 131072},
                                         Case{"reduce_scatter", 7, 131072},
                                         Case{"all_gather", 7, 1048576}),
                         [](const auto &info) { return std::string(info.param.name); });

// Direct all-to-all: each host sends 7 messages of 128 KiB through its uplink and receives as many.
TEST(Microbenchmark, AllToAllOfAstraSimFillsTheUplink)
{
    std::string topology = Shared("astra-sim/ns3/8_nodes_1_switch_topology.txt");
    std::string dir = Shared("astra-sim/workload/microbenchmarks/all_to_all/8npus_1MB/");
    if (topology.empty() || dir.empty())
        GTEST_SKIP() << "WEFT_SHARED has no all_to_all microbenchmark";
    Outcome o = RunJob({"topology.type=hpcc", "hpcc.file=" + topology, "workload.type=chakra",
                        "chakra.path=" + dir + "all_to_all", "congestion-control.name=none",
                        "system.all-to-all=direct"});
    ASSERT_EQ(o.error, "");
    double expected = RingStepPs(7 * 131072, 20, 500000);
    EXPECT_NEAR(static_cast<double>(o.endPs), expected, 0.02 * expected);
}

// The same closed form for other sizes, rates and ring lengths, with generated traces.
TEST(RingAllReduce, IsWithinOnePercentOfTheClosedForm)
{
    const struct {
        int n;
        const char *rate;
        double psPerByte;
        double mib;
    } cases[] = {{2, "100Gbps", 80, 4},
                 {4, "200Gbps", 40, 16},
                 {16, "400Gbps", 20, 64},
                 {32, "800Gbps", 10, 64}};
    for (auto &c : cases) {
        std::string n = std::to_string(c.n), mib = std::to_string(static_cast<int>(c.mib));
        Outcome o = RunJob({"topology.type=single-switch", "single-switch.hosts=" + n,
                            "single-switch.rate=" + std::string(c.rate), "single-switch.delay=1us",
                            "workload.type=generate", "generate.pattern=microbenchmark",
                            "generate.ranks=" + n, "generate.size=" + mib + "MiB",
                            "congestion-control.name=none", "system.all-reduce=ring"});
        ASSERT_EQ(o.error, "") << c.n;
        double expected = 2 * (c.n - 1) * RingStepPs(c.mib * 1048576 / c.n, c.psPerByte, 1e6);
        EXPECT_NEAR(static_cast<double>(o.endPs), expected, 0.01 * expected) << c.n << " NPUs";
    }
}

// The same ring of steps on a ring of NPUs: one link per step, ACKs travel against the data, so
// that nothing shares a link: 14 x (2048 packets of 4178 B at 20 ps per byte + 1 us), exactly. All
// neighbours of a torus are as far.
TEST(Microbenchmark, RingAllReduceOnARingOfNpusIsTheClosedForm)
{
    for (const std::string &topology : {std::string("ring"), std::string("torus")}) {
        Outcome o = RunJob(
            {"topology.type=" + topology, topology == "ring" ? "ring.size=8" : "torus.shape=8",
             topology + ".rate=400Gbps", topology + ".delay=1us", "workload.type=generate",
             "generate.size=64MiB", "congestion-control.name=none", "system.all-reduce=ring"});
        ASSERT_EQ(o.error, "");
        EXPECT_EQ(o.endPs, 14 * (INT64_C(2048) * 4178 * 20 + 1000000));
        EXPECT_EQ(o.totals.pfc_pauses, 0u);
    }
}
