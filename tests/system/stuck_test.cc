/* SPDX-License-Identifier: GPL-2.0-only */
/* Workloads on which ASTRA-sim 2.x hangs, or ends silently: they work here, or say what they wait
 * for. */
#include "job.h"

namespace
{

const uint64_t kMiB = 1u << 20;

TEST(Stuck, OppositeIssueOrderWorks)
{
    Job job(2);
    job.Coll(0, WEFT_COLL_ALL_REDUCE, kMiB);
    job.Coll(0, WEFT_COLL_ALL_GATHER, kMiB);
    job.Coll(1, WEFT_COLL_ALL_GATHER, kMiB);
    job.Coll(1, WEFT_COLL_ALL_REDUCE, kMiB);
    Sim sim(job);
    EXPECT_TRUE(sim.Finished());
    // each rank sends 2 halves for the all-reduce and its shard for the all-gather
    EXPECT_EQ(sim.Totals().bytes_received, 2 * kMiB + 2 * kMiB);
}

TEST(Stuck, SameKindOfDifferentSizesInOppositeOrderWorks)
{
    Job job(2);
    job.Coll(0, WEFT_COLL_ALL_REDUCE, kMiB);
    job.Coll(0, WEFT_COLL_ALL_REDUCE, 1000);
    job.Coll(1, WEFT_COLL_ALL_REDUCE, 1000);
    job.Coll(1, WEFT_COLL_ALL_REDUCE, kMiB);
    Sim sim(job);
    EXPECT_TRUE(sim.Finished());
    EXPECT_EQ(sim.Of(0, 0).end_ps, sim.Of(1, 1).end_ps);
}

TEST(Stuck, EqualCollectivesMatchInProgramOrderWhateverTheTiming)
{
    // Rank 0 issues its second all-reduce 100 us before its first, rank 1 the other way round.
    Job job(2);
    uint32_t slow = job.Comp(0, 100000000);
    job.Coll(0, WEFT_COLL_ALL_REDUCE, kMiB, {slow}); // node 1
    job.Coll(0, WEFT_COLL_ALL_REDUCE, kMiB);         // node 2
    job.Coll(1, WEFT_COLL_ALL_REDUCE, kMiB);         // node 0
    job.Coll(1, WEFT_COLL_ALL_REDUCE, kMiB);         // node 1
    Sim sim(job);
    EXPECT_TRUE(sim.Finished());
    EXPECT_EQ(sim.Of(1, 1).end_ps, 24620000);  // with node 2 of rank 0, at once
    EXPECT_GT(sim.Of(1, 0).end_ps, 100000000); // with node 1 of rank 0
    EXPECT_EQ(sim.Of(0, 2).end_ps, 24620000);
}

TEST(Stuck, ThreeGroupsInACycleWork)
{
    Job job(3);
    uint32_t ab = job.AddGroup("ab", {0, 1}), bc = job.AddGroup("bc", {1, 2}),
             ca = job.AddGroup("ca", {2, 0});
    job.Coll(0, WEFT_COLL_ALL_REDUCE, kMiB, {}, ab);
    job.Coll(0, WEFT_COLL_ALL_REDUCE, kMiB, {}, ca);
    job.Coll(1, WEFT_COLL_ALL_REDUCE, kMiB, {}, bc);
    job.Coll(1, WEFT_COLL_ALL_REDUCE, kMiB, {}, ab);
    job.Coll(2, WEFT_COLL_ALL_REDUCE, kMiB, {}, ca);
    job.Coll(2, WEFT_COLL_ALL_REDUCE, kMiB, {}, bc);
    Sim sim(job);
    EXPECT_EQ(sim.EndNs(), 24620);
}

TEST(Stuck, MetadataRootStartsItsChildren)
{
    Job job(2);
    for (uint32_t r = 0; r < 2; r++) {
        uint32_t m = job.Meta(r);
        for (int i = 0; i < 1000; i++)
            m = job.Meta(r, {m});
        job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB, {m});
    }
    Sim sim(job);
    EXPECT_EQ(sim.EndNs(), 24620);
    EXPECT_EQ(sim.records.size(), 2004u);
}

TEST(Stuck, BidirectionalSendThenRecvWorks)
{
    Job job(2);
    for (uint32_t r = 0; r < 2; r++) {
        uint32_t s = job.Send(r, 1 - r, kMiB);
        job.Recv(r, 1 - r, kMiB, 0, {s});
    }
    Sim sim(job);
    EXPECT_EQ(sim.EndNs(), 20031);
}

TEST(Stuck, AllGatherSmallerThanItsChunks)
{
    Job job(4);
    job.Everywhere(WEFT_COLL_ALL_GATHER, 3); // 4 chunks wanted, 3 made
    Sim sim(job);
    // 3 chunks of 1 B: (4 * 10 + 3 * 500) each
    EXPECT_EQ(sim.EndNs(), 3 * 1540);
    EXPECT_EQ(sim.Totals().bytes_received, 4u * 3 * 3);
}

TEST(Stuck, BarrierAndCpuAndMemoryNodesCount)
{
    Job job(4);
    for (uint32_t r = 0; r < 4; r++) {
        uint32_t c = job.Comp(r, 1000000, {}, true);
        uint32_t m = job.Mem(r, 0, 2000000, {c});
        job.Coll(r, WEFT_COLL_BARRIER, 0, {m});
    }
    Sim sim(job);
    EXPECT_EQ(sim.EndNs(), 3000 + 7 * 10 + 6 * 500);
    EXPECT_EQ(sim.Result(0).cpu_ps, 1000000);
    EXPECT_EQ(sim.Result(0).comm_ps, 3070000);
    EXPECT_EQ(sim.Result(0).exposed_comm_ps, 3070000);
    EXPECT_EQ(sim.Result(0).idle_ps, 0); // MEM is not idle time
}

TEST(Stuck, BarriersOfDifferentSizeAreTheSame)
{
    Job job(2);
    job.Coll(0, WEFT_COLL_BARRIER, 0);
    job.Coll(1, WEFT_COLL_BARRIER, 8);
    Sim sim(job);
    EXPECT_TRUE(sim.Finished());
    EXPECT_EQ(sim.Totals().bytes_received, 0u);
}

TEST(Stuck, GroupOfOneEndsAtOnce)
{
    Job job(2);
    uint32_t g = job.AddGroup("me", {1});
    uint32_t a = job.Coll(1, WEFT_COLL_ALL_REDUCE, kMiB, {}, g);
    job.Comp(1, 1000, {a});
    Sim sim(job);
    EXPECT_TRUE(sim.Finished());
    EXPECT_EQ(sim.EndNs(1), 1);
}

TEST(Stuck, SendsWithOneTagMatchInOrder)
{
    Job job(2);
    job.Send(0, 1, 2 * kMiB, 5);
    job.Send(0, 1, kMiB, 5);
    job.Send(0, 1, kMiB, (uint64_t)-3);
    job.Recv(1, 0, kMiB, (uint64_t)-3);
    job.Recv(1, 0, 2 * kMiB, 5);
    job.Recv(1, 0, kMiB, 5);
    Sim sim(job);
    ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
    EXPECT_TRUE(sim.Finished());
    EXPECT_EQ(sim.Of(1, 2).end_ps, 39562000 / 1000 * 1000); // floor(500 + 39062.5)
}

TEST(Stuck, MessageThatComesFirstWaits)
{
    Job job(2);
    job.Send(0, 1, kMiB, 1);
    uint32_t c = job.Comp(1, 100000000);
    job.Recv(1, 0, kMiB, 1, {c});
    Sim sim(job);
    EXPECT_EQ(sim.EndNs(0), 20031);
    EXPECT_EQ(sim.EndNs(1), 100000);
}

TEST(Stuck, SizesThatDisagreeStopTheRun)
{
    Job job(2);
    job.Send(0, 1, kMiB, 1);
    job.Recv(1, 0, 2 * kMiB, 1);
    Sim sim(job);
    EXPECT_EQ(sim.err.code, WEFT_E_INPUT);
    EXPECT_STREQ(sim.err.msg,
                 "rank 1, node 0 'recv': it receives 2MiB from rank 0 with tag 1, but the "
                 "message that was sent has 1MiB");
    EXPECT_FALSE(sim.Finished());
}

TEST(Stuck, ReportNamesWhatEachRankWaitsFor)
{
    // Rank 2 waits for a message that rank 3 never sends, and everybody for rank 2.
    Job job(4);
    for (uint32_t r = 0; r < 4; r++) {
        std::vector<uint32_t> after;
        if (r == 2)
            after.push_back(job.Recv(2, 3, 4096, 7));
        weft_op op = {};
        op.kind = WEFT_OP_COLL;
        op.id = 12;
        op.name = "grad_0";
        op.coll = WEFT_COLL_ALL_REDUCE;
        op.bytes = kMiB;
        job.Add(r, op, after);
    }
    job.Send(3, 2, 4096, 8); // another tag
    Sim sim(job);
    EXPECT_FALSE(sim.Finished());
    uint64_t done, total;
    weft_system_progress(sim.System(), &done, &total);
    EXPECT_EQ(done, 1u);
    EXPECT_EQ(total, 6u);
    auto lines = sim.Explain();
    EXPECT_EQ(sim.unfinished, 4u);
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0],
              "rank 0 waits in all-reduce 'grad_0' (node 12) for rank 3: chunk 0 of 4, step 1, "
              "which is in it too (node 12)");
    EXPECT_EQ(lines[1],
              "rank 1 waits in all-reduce 'grad_0' (node 12) for rank 0: chunk 0 of 4, step 2, "
              "which is in it too (node 12)");
    EXPECT_EQ(
        lines[2],
        "rank 2 waits in recv 'recv' (node 0) for 4KiB from rank 3 with tag 7, which has no such "
        "send left");
    EXPECT_EQ(lines[3],
              "rank 3 waits in all-reduce 'grad_0' (node 12) for rank 2: chunk 0 of 4, step 0, "
              "which has not issued it (node 12: 1 parents unfinished)");
    EXPECT_EQ(sim.Explain(1).size(), 1u);
    EXPECT_EQ(sim.unfinished, 4u);
    // Time goes on being accounted while waiting.
    EXPECT_EQ(sim.Result(0).finished, 0);
    EXPECT_GT(sim.Result(0).comm_ps, 0);
}

TEST(Stuck, SendThatIsNotIssuedIsNamed)
{
    // 0 and 1 each receive before they send.
    Job job(2);
    for (uint32_t r = 0; r < 2; r++) {
        uint32_t a = job.Recv(r, 1 - r, kMiB, 3);
        job.Send(r, 1 - r, kMiB, 3, {a});
    }
    Sim sim(job);
    auto lines = sim.Explain();
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0], "rank 0 waits in recv 'recv' (node 0) for 1MiB from rank 1 with tag 3, "
                        "which has not issued "
                        "that send (node 1: 1 parents unfinished)");
}

} // namespace
