/* SPDX-License-Identifier: GPL-2.0-only */
/* Collectives done by switches, over the ideal backend: times worked out by hand, bytes, mistakes.
 */
#include "job.h"

#include <set>

namespace
{

const uint64_t kMB = 1000000; // 20 us at 400 Gbps
const Settings kInNetwork = {{"all-reduce", "in-network"},
                             {"reduce-scatter", "in-network"},
                             {"all-gather", "in-network"},
                             {"broadcast", "in-network"},
                             {"reduce", "in-network"}};
const Settings kPath = {{"contention", "source"}};

int64_t Alone(weft_coll_kind kind, uint32_t n, uint64_t bytes, uint64_t posted, uint64_t received,
              const Settings &system = {})
{
    Job job(n);
    job.Everywhere(kind, bytes);
    Sim sim(job, With(kInNetwork, system), kPath);
    EXPECT_TRUE(sim.Made()) << sim.err.msg;
    EXPECT_EQ(sim.Totals().bytes_posted, posted);
    EXPECT_EQ(sim.Totals().bytes_received, received);
    return sim.EndNs();
}

} // namespace

/* Up 1 us, down 1 us, and the bytes once, whatever the number of ranks. */
TEST(InNetwork, OneSwitch)
{
    for (uint32_t n : {2u, 8u, 32u}) {
        EXPECT_EQ(Alone(WEFT_COLL_ALL_REDUCE, n, kMB, n * kMB, n * kMB), 22000);
        EXPECT_EQ(Alone(WEFT_COLL_BARRIER, n, 0, 0, 0), 2000);
        EXPECT_EQ(Alone(WEFT_COLL_BROADCAST, n, kMB, kMB, (n - 1) * kMB), 22000);
        EXPECT_EQ(Alone(WEFT_COLL_REDUCE, n, kMB, n * kMB, kMB), 22000);
    }
    // four sums of a quarter each, one after the other on each rank's link: 4 * 5 us
    EXPECT_EQ(Alone(WEFT_COLL_REDUCE_SCATTER, 4, kMB, 4 * kMB, kMB), 22000);
    // each rank's MB goes up once; they come down the tree one after the other
    EXPECT_EQ(Alone(WEFT_COLL_ALL_GATHER, 4, kMB, 4 * kMB, 12 * kMB), 82000);
    // four chunks, one at a time: 4 * (2 us + 5 us)
    EXPECT_EQ(Alone(WEFT_COLL_ALL_REDUCE, 4, kMB, 4 * kMB, 4 * kMB, {{"chunks", "4"}}), 28000);
    EXPECT_EQ(Alone(WEFT_COLL_ALL_REDUCE, 4, kMB, 4 * kMB, 4 * kMB,
                    {{"chunks", "4"}, {"active-chunks", "4"}}),
              22000);
}

/* The root is one of the two switches; the slowest link, 200 Gbps, takes 40 us. */
TEST(InNetwork, TwoSwitches)
{
    for (bool whole : {false, true}) {
        Job job(4);
        job.Everywhere(WEFT_COLL_ALL_REDUCE, kMB);
        Sim sim(job, kInNetwork, {{"forwarding", whole ? "store-and-forward" : "cut-through"}},
                TwoSwitches(200000000000));
        // hosts at the root: the others' way up 4 us, down 1 us; the others: 8 us
        // store-and-forward: 20 + 40 up, 20 or 40 + 20 down
        std::multiset<int64_t> ends, want;
        for (uint32_t r = 0; r < 4; r++)
            ends.insert(sim.EndNs(r));
        if (whole)
            want = {85000, 85000, 128000, 128000};
        else
            want = {45000, 45000, 48000, 48000};
        EXPECT_EQ(ends, want);
    }
}

/* One dimension after the other: reduce-scatter within, in-network across. */
TEST(InNetwork, InOneDimension)
{
    Job job(4);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, kMB);
    Sim sim(job, {{"all-reduce", "ring,in-network"}, {"dims", "2,2"}}, kPath);
    ASSERT_TRUE(sim.Made()) << sim.err.msg;
    // half a MB: ring step 2 us + 10 us; sum 2 us + 10 us; ring step back
    EXPECT_EQ(sim.EndNs(), 36000);
    EXPECT_EQ(sim.Totals().bytes_received, 4 * 3 * kMB / 2);
}

/* One chunk at a time, of sums and of copies: the copies of one go on beside the sums of another.
 * A quarter MB, no contention: three phases of 2 us + 2.5 us, and three chunks more. Turns of both
 * would make eight phases within and end at 36 us. */
TEST(InNetwork, SumsOfAChunkBesideCopiesOfAnother)
{
    for (const char *intra : {"concurrent", "fifo", "smallest-first"}) {
        Job job(4);
        job.Everywhere(WEFT_COLL_ALL_REDUCE, kMB);
        Sim sim(job,
                {{"all-reduce", "in-network,in-network"},
                 {"dims", "2,2"},
                 {"chunks", "4"},
                 {"intra-dimension", intra}},
                {});
        ASSERT_TRUE(sim.Finished()) << sim.err.msg;
        EXPECT_EQ(sim.EndNs(), 27000) << intra;
        EXPECT_EQ(sim.Totals().bytes_received, 4 * 3 * kMB / 2);
    }
}

/* A collective that leaves a dimension out: each row is a group of its own. */
TEST(InNetwork, InTheDimensionThatIsInvolved)
{
    for (const char *algorithm : {"in-network", "in-network,in-network"}) {
        Job job(4);
        for (uint32_t r = 0; r < 4; r++) {
            weft_op op = {};
            op.kind = WEFT_OP_COLL;
            op.coll = WEFT_COLL_ALL_REDUCE;
            op.bytes = kMB;
            op.involved = 2; // the outer one: {0, 2} and {1, 3}
            op.ninvolved = 2;
            job.Add(r, op,
                    r == 3 ? std::vector<uint32_t>{job.Comp(3, 50000000)}
                           : std::vector<uint32_t>{});
        }
        Sim sim(job, {{"all-reduce", algorithm}, {"dims", "2,2"}}, kPath);
        ASSERT_TRUE(sim.Finished()) << sim.err.msg;
        EXPECT_EQ(sim.EndNs(0), 22000);
        EXPECT_EQ(sim.EndNs(2), 22000);
        EXPECT_EQ(sim.EndNs(1), 72000);
        EXPECT_EQ(sim.Totals().bytes_received, 4 * kMB);
    }
}

/* Each type of communication keeps its traffic class. */
TEST(InNetwork, TakesTheClassOfItsType)
{
    Job job(4);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, kMB);
    job.Everywhere(WEFT_COLL_REDUCE, 2 * kMB);
    job.Everywhere(WEFT_COLL_BROADCAST, 3 * kMB);
    Sim sim(job, With(kInNetwork, {{"priorities", "all-reduce:5,reduce:2"}}), kPath);
    ASSERT_TRUE(sim.Finished()) << sim.err.msg;
    EXPECT_EQ(sim.flows.size(), 12u);
    for (const weft_completion &f : sim.flows)
        EXPECT_EQ(f.msg.prio, f.msg.bytes == kMB       ? 5
                              : f.msg.bytes == 2 * kMB ? 2
                                                       : WEFT_PRIO_DEFAULT);
}

TEST(InNetwork, WaitsForTheLastRank)
{
    Job job(3);
    job.Coll(0, WEFT_COLL_ALL_REDUCE, kMB);
    job.Coll(1, WEFT_COLL_ALL_REDUCE, kMB, {job.Comp(1, 50000000)});
    job.Coll(2, WEFT_COLL_ALL_REDUCE, kMB);
    Sim sim(job, kInNetwork, kPath);
    EXPECT_EQ(sim.EndNs(), 72000);
}

TEST(InNetwork, NamesTheRankThatIsMissing)
{
    Job job(3);
    job.Coll(0, WEFT_COLL_ALL_REDUCE, kMB);
    job.Coll(1, WEFT_COLL_ALL_REDUCE, kMB, {job.Recv(1, 0, 8)});
    job.Coll(2, WEFT_COLL_ALL_REDUCE, kMB);
    job.Send(0, 1, 8, 0, {0}); // after the all-reduce: never
    Sim sim(job, kInNetwork, kPath);
    ASSERT_TRUE(sim.Made()) << sim.err.msg;
    EXPECT_FALSE(sim.Finished());
    EXPECT_NE(sim.Explain()[0].find("for rank 1"), std::string::npos) << sim.Explain()[0];
}

/* Two all-reduces of four chunks of 5 us, one at a time: 7 us each (OneSwitch). Rank 1 begins the
 * second at 10 us, rank 0 at 28 us. The first chunk of the second is on rank 1's link from 12 to 17
 * us, so the third of the first ends at 24, the fourth at 31; it keeps rank 0's link up to 29 us,
 * so that one ends at 36 us. Three more follow. */
TEST(InNetwork, ChunksOfTwoAtOnceInDifferentOrders)
{
    const Settings chunks = With(kInNetwork, {{"chunks", "4"}});
    Job job(2);
    job.Coll(0, WEFT_COLL_ALL_REDUCE, kMB);
    job.Coll(1, WEFT_COLL_ALL_REDUCE, kMB);
    job.Coll(0, WEFT_COLL_ALL_REDUCE, kMB, {job.Comp(0, 28000000)});
    job.Coll(1, WEFT_COLL_ALL_REDUCE, kMB, {job.Comp(1, 10000000)});
    Sim sim(job, chunks, kPath);
    ASSERT_TRUE(sim.Made()) << sim.err.msg;
    EXPECT_TRUE(sim.Finished());
    EXPECT_EQ(sim.EndNs(), 57000);
}

TEST(InNetwork, RefusesFabricsWithoutSwitches)
{
    Job pair(2);
    pair.Everywhere(WEFT_COLL_ALL_REDUCE, kMB);
    Sim direct(pair, kInNetwork, kPath, [](weft_fabric *f) {
        weft_err err = {};
        weft_fabric_link link = {0, 1, 400000000000u, 1000000, 0, 0};
        weft_fabric_add_link(f, &link, nullptr, &err);
    });
    EXPECT_FALSE(direct.Made());
    EXPECT_NE(std::string(direct.err.msg).find("h0 has no link to a switch"), std::string::npos)
        << direct.err.msg;

    Job all(2);
    all.Everywhere(WEFT_COLL_ALL_TO_ALL, kMB);
    Sim kind(all, {{"all-to-all", "in-network"}}, kPath);
    EXPECT_NE(std::string(kind.err.msg).find("switches do all-reduce"), std::string::npos)
        << kind.err.msg;
}
