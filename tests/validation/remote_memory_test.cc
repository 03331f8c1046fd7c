// SPDX-License-Identifier: GPL-2.0-only
// Remote memory as packets: accesses at one memory share its link, and each has its own where there
// are more.
#include "job.h"
#include "tests/base/temp_dir.h"
#include "tests/workload/trace.h"

namespace
{

constexpr uint64_t BYTES = 8 << 20;
constexpr int RANKS = 4;
constexpr double D = 1e6;                        // delay of a link, ps
constexpr double PACKET = (4096 + 62 + 20) * 20; // ps on the wire at 400 Gbps
constexpr double SERIAL = BYTES / 4096 * PACKET;

// Each rank loads or stores once; the memories are the hosts behind the ranks.
Outcome Access(const std::string &kind, int memories, bool store,
               const std::vector<std::string> &more = {})
{
    TempDir dir;
    for (int r = 0; r < RANKS; r++) {
        Trace t;
        t.load(BYTES, {}, store);
        t.write(dir / ("t." + std::to_string(r) + ".et"));
    }
    std::vector<std::string> sets = {"topology.type=single-switch",
                                     "single-switch.hosts=" + std::to_string(RANKS + memories),
                                     "single-switch.rate=400Gbps",
                                     "single-switch.delay=1us",
                                     "workload.type=chakra",
                                     "chakra.path=" + (dir / "t"),
                                     "chakra.ranks=" + std::to_string(RANKS),
                                     "congestion-control.name=none",
                                     "transport.mtu=4096B",
                                     "system.remote-memory=" + kind,
                                     "system.remote-traffic=true",
                                     "system.remote-latency=1us"};
    sets.insert(sets.end(), more.begin(), more.end());
    return RunJob(sets);
}

} // namespace

// A request there (2 us and a small packet), 1 us, the data back (2 us, one packet more for the hop
// of the switch).
TEST(RemoteMemoryInPackets, LoadsAreLimitedByTheLinkOfTheMemory)
{
    const double small = 2 * (64 + 62 + 20) * 20, around = 4 * D + 1e6 + small + PACKET;
    Outcome own = Access("per-npu", RANKS, false);
    ASSERT_EQ(own.error, "");
    EXPECT_EQ(own.totals.bytes_received, RANKS * (BYTES + 64));
    EXPECT_NEAR(double(own.endPs), around + SERIAL, 0.001 * SERIAL);
    for (uint32_t r = 0; r < RANKS; r++)
        EXPECT_EQ(own.ranks[r].end_ps, own.endPs);
    // Four ranks at one memory: its link carries all four, and the memory is busy for 1 us with
    // each.
    Outcome pool = Access("pool", 1, false);
    ASSERT_EQ(pool.error, "");
    EXPECT_EQ(pool.totals.bytes_received, RANKS * (BYTES + 64));
    EXPECT_NEAR(double(pool.endPs), around + RANKS * SERIAL, 0.002 * RANKS * SERIAL);
    // Two at each of two.
    Outcome node = Access("per-node", 2, false, {"system.remote-node=2"});
    ASSERT_EQ(node.error, "");
    EXPECT_NEAR(double(node.endPs), around + 2 * SERIAL, 0.002 * 2 * SERIAL);
    // A memory slower than its link serves one after the other: 8 MiB at 10 GB/s.
    Outcome slow = Access("pool", 1, false, {"system.remote-bandwidth=10GB/s"});
    ASSERT_EQ(slow.error, "");
    EXPECT_NEAR(double(slow.endPs), around + RANKS * (BYTES * 100.0 + 1e6) - 1e6 + SERIAL,
                0.001 * double(slow.endPs));
}

// Stores are the other way round: an incast of the data at the memory, an answer of 64 bytes.
TEST(RemoteMemoryInPackets, StoresMeetAtTheLinkOfTheMemory)
{
    Outcome own = Access("per-npu", RANKS, true), pool = Access("pool", 1, true);
    ASSERT_EQ(own.error, "");
    ASSERT_EQ(pool.error, "");
    EXPECT_EQ(pool.totals.bytes_received, RANKS * (BYTES + 64));
    EXPECT_NEAR(double(own.endPs), 5e6 + PACKET + SERIAL, 0.001 * SERIAL);
    EXPECT_NEAR(double(pool.endPs), 5e6 + PACKET + RANKS * SERIAL, 0.01 * RANKS * SERIAL);
    EXPECT_EQ(pool.totals.drops[WEFT_DROP_BUFFER], 0u);
}

// A rack of four memories, each for a node of four ranks: four loads share the link of their
// memory. The ranks' dimensions are said, as those of the fabric have the memories in them.
TEST(RemoteMemoryInPackets, AMemoryRack)
{
    TempDir dir;
    for (int r = 0; r < 16; r++) {
        Trace t;
        t.coll(ALL_REDUCE, BYTES, "", {t.load(BYTES)});
        t.write(dir / ("t." + std::to_string(r) + ".et"));
    }
    Outcome o =
        RunJob({"topology.type=leaf-spine", "leaf-spine.leaves=5", "leaf-spine.hosts-per-leaf=4",
                "leaf-spine.spines=4", "workload.type=chakra", "chakra.path=" + (dir / "t"),
                "chakra.ranks=16", "system.dims=4,4", "system.all-reduce=ring,ring",
                "system.remote-memory=per-node", "system.remote-traffic=true",
                "system.remote-latency=500ns", "congestion-control.name=none"});
    ASSERT_EQ(o.error, "");
    double last = 0;
    for (uint32_t r = 0; r < 16; r++) {
        const double ps = double(o.opEndPs[{r, 1}]);
        last = std::max(last, ps);
        EXPECT_LT(ps, 2 * 4 * SERIAL) << r; // paths of the fabric may collide
    }
    EXPECT_GT(last, 4 * SERIAL);
    uint64_t memory = 0;
    for (auto &f : o.flows)
        if (f.msg.dst >= 16 || f.msg.src >= 16) {
            const uint32_t rank = f.msg.dst >= 16 ? f.msg.src : f.msg.dst;
            EXPECT_EQ(f.msg.dst >= 16 ? f.msg.dst : f.msg.src, 16 + rank / 4);
            memory += f.msg.bytes;
        }
    EXPECT_EQ(memory, 16 * (BYTES + 64));
    EXPECT_EQ(o.totals.bytes_received - memory, 2 * 15 * BYTES);
}

// By arithmetic no packet is sent, and the time is latency and bytes over bandwidth.
TEST(RemoteMemoryInPackets, ArithmeticSendsNothing)
{
    Outcome o =
        Access("pool", 1, false, {"system.remote-traffic=false", "system.remote-bandwidth=50GB/s"});
    ASSERT_EQ(o.error, "");
    EXPECT_EQ(o.totals.sent[WEFT_PKT_DATA], 0u);
    EXPECT_EQ(o.endPs, RANKS * (1000000 + int64_t(BYTES) * 20));
}
