// SPDX-License-Identifier: GPL-2.0-only Two all-reduces at once on the packet backend: on different
// links, on the same, and one more urgent than the other.
#include "job.h"
#include "tests/base/temp_dir.h"
#include "tests/workload/trace.h"

namespace
{

constexpr uint64_t MIB = 1 << 20;

Outcome Play(const TempDir &dir, std::vector<std::string> sets)
{
    for (const char *s : {"workload.type=chakra", "congestion-control.name=none",
                          "transport.mtu=4096B", "system.all-reduce=ring"})
        sets.push_back(s);
    sets.push_back("chakra.path=" + (dir / "t"));
    Outcome o = RunJob(sets);
    EXPECT_EQ(o.error, "");
    EXPECT_EQ(o.totals.drops[WEFT_DROP_BUFFER] + o.totals.retx_packets, 0u);
    return o;
}

// Rings of 16 MiB among the rows of 4 x 4 NPUs, and at the same time nothing, among the columns, or
// among the rows again.
enum Second { NOTHING, COLUMNS, ROWS };
double Grid(Second second)
{
    TempDir dir;
    std::string groups = "{";
    for (int g = 0; g < 4; g++)
        for (bool column : {false, true}) {
            groups +=
                (groups.size() > 1 ? ", \"" : "\"") + std::to_string(1 + g + 4 * column) + "\": [";
            for (int k = 0; k < 4; k++)
                groups += (k ? "," : "") + std::to_string(column ? g + 4 * k : 4 * g + k);
            groups += "]";
        }
    std::ofstream(dir / "groups.json") << groups << "}";
    for (int r = 0; r < 16; r++) {
        Trace t;
        const std::string row = std::to_string(1 + r / 4), column = std::to_string(5 + r % 4);
        t.coll(ALL_REDUCE, 16 * MIB, row.c_str());
        if (second != NOTHING)
            t.coll(ALL_REDUCE, 16 * MIB, second == COLUMNS ? column.c_str() : row.c_str());
        t.write(dir / ("t." + std::to_string(r) + ".et"));
    }
    return double(Play(dir, {"topology.type=multi", "chakra.groups=" + (dir / "groups.json"),
                             "multi.dimensions=switch size=4 rate=400Gbps delay=500ns; switch "
                             "size=4 rate=400Gbps delay=500ns"})
                      .endPs);
}

// Four ranks; after `us` an urgent all-reduce of `urgent` bytes beside one of `low` bytes, both in
// 64 chunks. How long the urgent one took, and when the other ended.
struct Ends {
    double urgentPs, lowPs;
};
Ends Urgent(uint64_t urgent, uint64_t low, const char *intra, int us = 200)
{
    TempDir dir;
    uint64_t id = 0, beside = 0;
    for (int r = 0; r < 4; r++) {
        Trace t;
        if (low)
            beside = t.coll(ALL_REDUCE, low);
        const uint64_t wait = t.cpu(us);
        id = t.coll(ALL_REDUCE, urgent, "", {wait});
        t.attribute("comm_priority", WEFT_ET_INT32, 5);
        t.write(dir / ("t." + std::to_string(r) + ".et"));
    }
    Outcome o = Play(dir, {"topology.type=single-switch", "single-switch.hosts=4",
                           "single-switch.rate=400Gbps", "single-switch.delay=500ns",
                           "system.chunks=64", std::string("system.intra-dimension=") + intra});
    return {double(o.opEndPs[{0, id}]) - us * 1e6, double(beside ? o.opEndPs[{0, beside}] : 0)};
}

} // namespace

TEST(OverlapInPackets, DifferentDimensionsDoNotMeetAndOneLinkIsShared)
{
    const double alone = Grid(NOTHING), apart = Grid(COLUMNS), together = Grid(ROWS);
    // 6 steps of 4 MiB: 1024 packets of 4178 B and the ACKs of those that come in, and two links on
    // the way
    EXPECT_NEAR(alone, 6 * (1024 * (4178 + 86) * 20 + 1e6), 0.02 * alone);
    EXPECT_NEAR(apart, alone, 1e-4 * alone);
    // the links have twice as much to carry, and are never idle but at the ends
    EXPECT_NEAR(together, 2 * alone, 0.03 * alone);
}

// Whatever the moment in which it comes: shortly before the end of a chunk of the other, or after
// it.
TEST(OverlapInPackets, TheUrgentOneTakesItsOwnTimePlusOneChunk)
{
    // a chunk of the other: 1 MiB in 6 steps of 64 packets
    const double chunk = 6 * (64 * (4178 + 86) * 20 + 1e6 + 4178 * 20);
    for (uint64_t urgent : {2 * MIB, 8 * MIB, 64 * MIB}) {
        const double alone = Urgent(urgent, 0, "priority").urgentPs;
        for (int us : {200, 210, 220, 230}) {
            const Ends first = Urgent(urgent, 64 * MIB, "priority", us);
            // until its own first chunk shows that all are in it, it shares the link
            const double shares = urgent == 64 * MIB ? chunk : 0;
            EXPECT_LE(first.urgentPs, alone + chunk + shares) << urgent << " " << us;
            EXPECT_GE(first.urgentPs, alone);
            EXPECT_LE(first.lowPs,
                      64 * chunk + alone + chunk); // the other one waits that long, not longer
        }
    }
    const double alone = Urgent(8 * MIB, 0, "priority").urgentPs;
    EXPECT_GT(Urgent(8 * MIB, 64 * MIB, "concurrent").urgentPs,
              alone + 3 * chunk); // shares to its end
}
