// SPDX-License-Identifier: GPL-2.0-only
// All-reduces in the switches of the packet backend: bytes per link, closed form, and the gain over
// a ring.
#include "job.h"

namespace
{

constexpr uint64_t BYTES = 64u << 20;

std::vector<std::string> Sets(int n, const std::string &algorithm)
{
    return {"topology.type=single-switch",  "single-switch.hosts=" + std::to_string(n),
            "single-switch.rate=400Gbps",   "single-switch.delay=500ns",
            "workload.type=generate",       "generate.ranks=" + std::to_string(n),
            "generate.size=64MiB",          "system.all-reduce=" + algorithm,
            "congestion-control.name=none", "transport.mtu=4096B"};
}

} // namespace

// Each rank's link carries N up and N down: 16384 packets of 4178 B on the wire, one more hop, two
// delays each way. A ring carries 2 (n - 1) / n as much, and the ACKs of it (86 B per packet).
TEST(InNetworkAllReduce, BeatsTheRingByTheDataItSaves)
{
    for (int n : {2, 4, 8, 16}) {
        Outcome sum = RunJob(Sets(n, "in-network")), ring = RunJob(Sets(n, "ring"));
        ASSERT_EQ(sum.error, "");
        ASSERT_EQ(ring.error, "");
        const double packets = BYTES / 4096;
        const double expected = (packets + 1) * 4178 * 20 + 2 * 500000;
        EXPECT_NEAR(double(sum.endPs), expected, 0.0001 * expected) << n;
        EXPECT_EQ(sum.totals.bytes_posted, n * BYTES);
        EXPECT_EQ(sum.totals.bytes_received, n * BYTES);
        EXPECT_EQ(ring.totals.bytes_received, 2 * (n - 1) * BYTES);
        const double gain = double(ring.endPs) / double(sum.endPs);
        EXPECT_NEAR(gain, 2.0 * (n - 1) / n * (4178 + 86) / 4178, 0.02 * gain) << n;
    }
}

// Over dimensions sums fill the links up, copies those down: an all-reduce of 32 chunks, one of
// each at a time, takes as long as what a port carries of both, or as the longer of the two alone.
TEST(InNetworkAllReduce, SumsOfAChunkHideBesideCopiesOfAnother)
{
    const auto end = [](const std::string &kind, const std::string &size) {
        const Outcome o = RunJob(
            {"topology.type=multi",
             "multi.dimensions=switch size=8 rate=400Gbps delay=500ns;switch size=2 rate=400Gbps "
             "delay=500ns",
             "workload.type=generate", "generate.kind=" + kind, "generate.size=" + size,
             "system." + kind + "=in-network,direct", "system.chunks=32",
             "congestion-control.name=none", "transport.mtu=4096B", "in-network.slots=2048"});
        EXPECT_EQ(o.error, "");
        return double(o.endPs);
    };
    const double both = end("all-reduce", "256MiB"), sums = end("reduce-scatter", "256MiB"),
                 copies = end("all-gather", "16MiB"); // of each of 16 ranks
    const double packets = 4 * BYTES / 4096;
    const double port = packets * 4178 * 20.0 * 9 / 8; // an eighth of the other kind, too
    EXPECT_LT(both, 1.1 * std::max({port, sums, copies}));
    EXPECT_GT(both, packets * 4178 * 20.0);
}

// Few slots: so many packets per round trip of two hops.
TEST(InNetworkAllReduce, IsThrottledByItsSlots)
{
    auto sets = Sets(8, "in-network");
    sets.push_back("in-network.slots=8");
    Outcome o = RunJob(sets);
    ASSERT_EQ(o.error, "");
    const double rtt = 2 * 4178 * 20 + 2 * 500000; // 1.167 us; eight packets take 0.67 us
    EXPECT_NEAR(double(o.endPs), BYTES / 4096 / 8 * rtt, 0.001 * double(o.endPs));
}

// Rank 2 computes 100 us longer: the others wait for it, and not for bandwidth.
TEST(InNetworkAllReduce, WaitsForAStraggler)
{
    auto sets = Sets(8, "in-network");
    for (const char *s : {"generate.compute-time=100us", "system.stragglers=2:2"})
        sets.push_back(s);
    Outcome o = RunJob(sets);
    ASSERT_EQ(o.error, "");
    const double expected = (BYTES / 4096 + 1) * 4178 * 20.0 + 2 * 500000;
    EXPECT_NEAR(double(o.endPs), 2e8 + expected, 0.0001 * expected);
    for (int r = 0; r < 8; r++) {
        const auto &exposed = o.ranks[r].exposed_ps;
        EXPECT_EQ(exposed[WEFT_CAUSE_PEER], r == 2 ? 0 : 100000000) << r;
        EXPECT_NEAR(double(exposed[WEFT_CAUSE_NETWORK]), expected, 0.0001 * expected) << r;
        double delayed = 0;
        for (int k = WEFT_CAUSE_DELAY; k < WEFT_CAUSE_REDUCE; k++)
            delayed += double(exposed[k]);
        EXPECT_LT(delayed, 0.0001 * expected) << r;
    }
}

// Four leaves of four: the data crosses every link of the tree once each way.
TEST(InNetworkAllReduce, OverLeavesAndSpines)
{
    Outcome o = RunJob({"topology.type=leaf-spine", "leaf-spine.leaves=4", "leaf-spine.spines=2",
                        "workload.type=generate", "generate.ranks=16", "generate.size=64MiB",
                        "system.all-reduce=in-network", "congestion-control.name=none",
                        "transport.mtu=4096B"});
    ASSERT_EQ(o.error, "");
    const double expected = (BYTES / 4096 + 3) * 4178 * 20.0 + 4 * 1000000;
    EXPECT_NEAR(double(o.endPs), expected, 0.0001 * expected);
    EXPECT_EQ(o.totals.bytes_received, 16 * BYTES);
    EXPECT_EQ(o.totals.drops[WEFT_DROP_BUFFER], 0u);
}

TEST(InNetworkAllReduce, NeedsSwitches)
{
    Outcome o = RunJob({"topology.type=ring", "ring.size=4", "workload.type=generate",
                        "generate.ranks=4", "system.all-reduce=in-network"});
    EXPECT_NE(o.error.find("h0 has no link to a switch"), std::string::npos) << o.error;
}
