/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times of algorithms worked out by hand: 500 ns + bytes at 50 GiB/s, d = 10 ns per message and at
 * the start, additions 3 * floor(bytes / 1600) ns, one chunk, messages that never meet. t(1 MiB) =
 * 20031, r(1 MiB) = 1965.
 */
#include "job.h"

namespace
{

const uint64_t kMiB = 1u << 20;

struct Case {
    weft_coll_kind kind;
    const char *algorithm;
    uint32_t n;
    uint64_t bytes;
    int64_t ns;
};

void PrintTo(const Case &c, std::ostream *os)
{
    *os << c.algorithm << " " << weft_coll_kind_name(c.kind) << " of " << c.bytes << " B on "
        << c.n;
}

class ByHand : public ::testing::TestWithParam<Case>
{
};

TEST_P(ByHand, SameNanosecond)
{
    const Case &c = GetParam();
    Job job(c.n);
    job.Everywhere(c.kind, c.bytes);
    Sim sim(job,
            With(AstraSystem(), {{weft_coll_kind_name(c.kind), c.algorithm}, {"chunks", "1"}}));
    ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
    EXPECT_EQ(sim.EndNs(), c.ns);
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, ByHand,
    ::testing::Values(
        // 3 exchanges of everything
        Case{WEFT_COLL_ALL_REDUCE, "recursive-doubling", 8, kMiB, 10 + 3 * (20031 + 10 + 1965)},
        // rank 2 folds into 0, which then takes in what 1 sent meanwhile, and sends 2 the result
        Case{WEFT_COLL_ALL_REDUCE, "recursive-doubling", 3, kMiB,
             10 + (20031 + 10 + 1965) + (10 + 1965) + (20031 + 10)},
        // 1, 2 and then the 1 block that is missing, of 1000 B
        Case{WEFT_COLL_ALL_GATHER, "bruck", 5, 1000, 10 + 528 + 547 + 528},
        // distances 1 and 3 (1000 B each of 4000), then 2 and 3
        Case{WEFT_COLL_ALL_TO_ALL, "bruck", 4, 4000, 10 + 547 + 547},
        // 0 -> 4 -> 6 -> 7
        Case{WEFT_COLL_BROADCAST, "binomial", 8, kMiB, 10 + 3 * (20031 + 10)},
        Case{WEFT_COLL_REDUCE, "binomial", 8, kMiB, 10 + 3 * (20031 + 10 + 1965)},
        // 0 -> 2 with two units of 1000 B, 2 -> 3 with one
        Case{WEFT_COLL_SCATTER, "binomial", 4, 4000, 10 + 547 + 528},
        Case{WEFT_COLL_GATHER, "binomial", 4, 1000, 10 + 528 + 547},
        Case{WEFT_COLL_BROADCAST, "direct", 8, kMiB, 10 + 20031 + 10},
        // push, add up, pull
        Case{WEFT_COLL_ALL_REDUCE, "parameter-server", 4, kMiB,
             10 + 20031 + 10 + 1965 + 20031 + 10},
        // a shard of 256 KiB per rank: t = 5382, r = 489: direct's time
        Case{WEFT_COLL_ALL_REDUCE, "parameter-server:servers=0", 4, kMiB,
             10 + 5382 + 10 + 489 + 5382 + 10},
        // up and down two levels
        Case{WEFT_COLL_ALL_REDUCE, "parameter-server:rack=2", 4, kMiB,
             10 + 2 * (20031 + 10 + 1965) + 2 * (20031 + 10)},
        // each tree has one edge, for half of it: t = 10265, r = 981
        Case{WEFT_COLL_ALL_REDUCE, "double-binary-tree:pieces=1", 2, kMiB,
             10 + 10265 + 10 + 981 + 10265 + 10},
        // two rings of half blocks: t(64 KiB) = 1720, r = 120
        Case{WEFT_COLL_ALL_REDUCE, "ring:bidirectional=true", 8, kMiB,
             10 + 14 * (1720 + 10) + 7 * 120},
        // one message at a time: 7 of 128 KiB
        Case{WEFT_COLL_REDUCE_SCATTER, "direct:window=1", 8, kMiB, 10 + 7 * (2941 + 10 + 243)},
        // received blocks of 512, 256, 128 KiB are added up whole: r = 981, 489, 243
        Case{WEFT_COLL_REDUCE_SCATTER, "halving-doubling", 8, kMiB,
             10 + (10265 + 10 + 981) + (5382 + 10 + 489) + (2941 + 10 + 243)}));

/* What ASTRA-sim 2.x cannot do on these numbers of ranks, or at all. */
TEST(Stuck, AnyNumberOfRanksAndAnyKindEnds)
{
    for (uint32_t n : {3u, 6u, 12u})
        for (const char *a : {"halving-doubling", "double-binary-tree", "recursive-doubling"}) {
            Job job(n + 1);
            std::vector<uint32_t> members;
            for (uint32_t r = 1; r <= n; r++)
                members.push_back(r);
            uint32_t g = job.AddGroup("sub", members);
            for (uint32_t r : members)
                job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB, {}, g);
            Sim sim(job, With(AstraSystem(), {{"all-reduce", a}}));
            EXPECT_TRUE(sim.Finished()) << a << " on " << n;
        }
    Job five(32);
    five.Everywhere(WEFT_COLL_ALL_REDUCE, kMiB);
    Sim sim(five, With(AstraSystem("ring,ring,ring,ring,ring"),
                       {{"dims", "2,2,2,2,2"}, {"all-to-all", "direct"}}));
    EXPECT_TRUE(sim.Finished());
    EXPECT_EQ(sim.Totals().bytes_received, 2 * 31 * kMiB);
    Job all(6);
    for (weft_coll_kind k : {WEFT_COLL_REDUCE, WEFT_COLL_BARRIER, WEFT_COLL_BROADCAST,
                             WEFT_COLL_GATHER, WEFT_COLL_SCATTER, WEFT_COLL_REDUCE_SCATTER_BLOCK})
        all.Everywhere(k, 1001);
    Sim kinds(all);
    EXPECT_TRUE(kinds.Finished());
}

/* ASTRA-sim's congestion-aware ring: (chunks, at once) of 5.2, with links that send one message
 * after the other. */
TEST(AstraSim, ChunksAtOnceShareTheLink)
{
    auto ns = [](const char *chunks, const char *active) {
        Job job(8);
        job.Everywhere(WEFT_COLL_ALL_REDUCE, kMiB);
        Sim sim(job, With(AstraSystem(), {{"chunks", chunks}, {"active-chunks", active}}),
                With(AstraNet(), {{"contention", "source"}}));
        return sim.EndNs();
    };
    EXPECT_EQ(ns("1", "1"), 43025);
    EXPECT_EQ(ns("2", "1"), 50140);
    EXPECT_EQ(ns("4", "1"), 64440);
    EXPECT_EQ(ns("8", "1"), 93040);
    EXPECT_EQ(ns("2", "2"), 34680);
    EXPECT_EQ(ns("4", "2"), 34680);
    EXPECT_EQ(ns("4", "4"), 34680);
    EXPECT_EQ(ns("8", "2"), 46825);
    EXPECT_EQ(ns("8", "8"), 34680);
}

/* ASTRA-sim's [8,4]: fully connected, 200 GB/s (of 2^30) and 200 ns; a switch with 25 GB/s and 2000
 * ns. */
TEST(AstraSim, TwoUnequalDimensions)
{
    auto ns = [](weft_coll_kind kind, bool whole) {
        Job job(32);
        job.Everywhere(kind, 16 * kMiB);
        Settings s = With(AstraSystem("direct,ring"), {{"dims", "8,4"},
                                                       {"chunks", "8"},
                                                       {"active-chunks", "8"},
                                                       {"dim-bandwidths", "1400GiB/s,25GiB/s"},
                                                       {"dim-latencies", "200ns,4us"}});
        if (whole)
            s.push_back({"all-reduce-phases", "whole"});
        Sim sim(job, s, {{"model", "path"}, {"quantum", "1ns"}}, [](weft_fabric *f) {
            weft_err err = {};
            const uint64_t k200 = 200ull << 33, k25 = 25ull << 33;
            for (uint32_t a = 0; a < 32; a++)
                for (uint32_t b = a + 1; b < 32; b++)
                    if (a / 8 == b / 8) {
                        weft_fabric_link link = {a, b, k200, 200000, 0, 0};
                        weft_fabric_add_link(f, &link, nullptr, &err);
                    }
            uint32_t sw, core;
            weft_fabric_add_node(f, WEFT_NODE_SWITCH, 2, &core, &err);
            for (uint32_t x = 0; x < 8; x++) {
                weft_fabric_add_node(f, WEFT_NODE_SWITCH, 1, &sw, &err);
                for (uint32_t y = 0; y < 4; y++) {
                    weft_fabric_link link = {x + 8 * y, sw, k25, 2000000, 0, 0};
                    weft_fabric_add_link(f, &link, nullptr, &err);
                }
                weft_fabric_link up = {sw, core, k25, 2000000, 0, 0}; // joins what never talks
                weft_fabric_add_link(f, &up, nullptr, &err);
            }
        });
        EXPECT_EQ(sim.err.code, 0) << sim.err.msg;
        return sim.EndNs();
    };
    EXPECT_EQ(ns(WEFT_COLL_ALL_REDUCE, false), 42445);
    EXPECT_EQ(ns(WEFT_COLL_ALL_REDUCE, true), 147558);
    EXPECT_EQ(ns(WEFT_COLL_ALL_GATHER, false), 285697);
    EXPECT_EQ(ns(WEFT_COLL_REDUCE_SCATTER, false), 21652);
    EXPECT_EQ(ns(WEFT_COLL_ALL_TO_ALL, false), 142696);
}

} // namespace
