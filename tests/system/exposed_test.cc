/* SPDX-License-Identifier: GPL-2.0-only */
/* Causes of exposed communication and the critical path, worked out by hand. Every Sim also checks
 * that they add up. */
#include "job.h"

#include <cstring>

namespace
{

const uint64_t kMiB = 1u << 20;
const int64_t kUs = 1000000;

/* 1 ns per byte, 1 us of latency. */
const Settings kPlain = {{"model", "flat"}, {"bandwidth", "8Gbps"}, {"latency", "1us"}};

/* The causes that have any time, as "peers 50000 network 4000", in ns. */
std::string Causes(const int64_t *spent_ps)
{
    std::string out;
    for (int k = 0; k < WEFT_CAUSES; k++)
        if (spent_ps[k])
            out += std::string(out.empty() ? "" : " ") + weft_cause_name((weft_cause)k) + " " +
                   std::to_string(spent_ps[k] / 1000);
    return out;
}

/* Exposed time because messages took longer than alone. */
int64_t Delays(const Sim &sim, uint32_t rank)
{
    int64_t sum = 0;
    for (int k = 0; k < WEFT_DELAYS; k++)
        sum += sim.Result(rank).exposed_ps[WEFT_CAUSE_DELAY + k];
    return sum;
}

std::string Exposed(const Sim &sim, uint32_t rank)
{
    return Causes(sim.Result(rank).exposed_ps);
}

/* "1:0 compute 100000, ..." : rank and node id of each step. */
std::string Path(const Sim &sim)
{
    std::string out;
    for (const weft_path_record &p : sim.path)
        out += (out.empty() ? "" : ", ") + std::to_string(p.rank) + ":" + std::to_string(p.op->id) +
               " " + Causes(p.spent_ps);
    return out;
}

TEST(Exposed, StragglerCostsExactlyItsLag)
{
    // ring of 2, 1000 B a message: 2 us. Rank 1 comes 50 us after rank 0.
    Job job(2);
    for (uint32_t r = 0; r < 2; r++) {
        uint32_t c = job.Comp(r, r ? 100 * kUs : 50 * kUs);
        job.Coll(r, WEFT_COLL_ALL_REDUCE, 2000, {c});
    }
    Sim sim(job, {{"all-reduce", "ring"}}, kPlain);
    EXPECT_EQ(sim.EndNs(), 104000);
    // rank 1 finds the first message of rank 0 there, so that it sends both of its own at 100 us
    EXPECT_EQ(Exposed(sim, 0), "network 2000 peers 50000");
    // rank 0 can send its second message only when it has the first of rank 1, at 102 us
    EXPECT_EQ(Exposed(sim, 1), "network 2000 dependency 2000");
    EXPECT_EQ(Path(sim).substr(0, 21), "1:0 compute 100000, 1");
    ASSERT_EQ(sim.path.size(), 2u);
    EXPECT_EQ(sim.path[1].messages, 2u);
    EXPECT_EQ(sim.path[1].from_rank, 1u);
    EXPECT_EQ(Causes(sim.path[1].spent_ps), "network 4000");
}

TEST(Exposed, StragglerInARingOfFour)
{
    // Steps of 2 us; rank 0 comes 30 us late, at 50 us. By then it has three messages of rank 3, so
    // that it sends steps 0 to 3 at once, and so does rank 1 with steps 1 to 4 at 52, rank 2 with 2
    // to 5 at 54, rank 3 with 3 to 5 at 56 us. Rank 0 sends the last ones at 58 us, rank 1 its last
    // at 60.
    Job job(4);
    for (uint32_t r = 0; r < 4; r++) {
        uint32_t c = job.Comp(r, r ? 20 * kUs : 50 * kUs);
        job.Coll(r, WEFT_COLL_ALL_REDUCE, 4000, {c});
    }
    Sim sim(job, {{"all-reduce", "ring"}}, kPlain);
    EXPECT_EQ(sim.EndNs(), 62000);
    EXPECT_EQ(Exposed(sim, 1), "network 4000 peers 30000 dependency 6000"); // 50, 52, 58, 60
    // step 0 until 22, 50, 52, 54, 60, 62: it does not hear from rank 0 itself, but waits for it
    // all the same
    EXPECT_EQ(Exposed(sim, 2), "network 6000 peers 28000 dependency 8000");
    EXPECT_EQ(Exposed(sim, 3), "network 6000 peers 26000 dependency 4000"); // 22, 24, 50, 54, 56
}

/* The switches' sum waits for the last rank: 20 us for a MB, 1 us up and 1 us down. */
TEST(Exposed, StragglerInAnInNetworkReduction)
{
    for (uint32_t late = 0; late < 3; late++) {
        Job job(3);
        for (uint32_t r = 0; r < 3; r++) {
            uint32_t c = job.Comp(r, r == late ? 60 * kUs : (10 + r) * kUs);
            job.Coll(r, WEFT_COLL_ALL_REDUCE, 1000000, {c});
        }
        Sim sim(job, {{"all-reduce", "in-network"}}, {{"contention", "source"}});
        EXPECT_EQ(sim.EndNs(), 82000);
        for (uint32_t r = 0; r < 3; r++)
            EXPECT_EQ(Exposed(sim, r),
                      r == late ? "network 22000"
                                : "network 22000 peers " + std::to_string(50000 - 1000 * r));
        EXPECT_EQ(Path(sim).substr(0, 18), std::to_string(late) + ":0 compute 60000,");
        ASSERT_EQ(sim.path.size(), 2u);
        EXPECT_EQ(Causes(sim.path[1].spent_ps), "network 22000");
        for (const weft_completion &f : sim.flows) // an empty fabric would wait, too
            EXPECT_EQ(f.received_ps - f.post_ps, f.ideal_ps);
    }
}

/* Ranks 0 and 1 on one switch, 2 and 3 on another 3 us away. Whoever is late, nothing is
 * congestion. */
TEST(Exposed, StragglerFarFromTheRootOfTheSum)
{
    for (uint32_t late = 0; late < 4; late++) {
        Job job(4);
        for (uint32_t r = 0; r < 4; r++)
            job.Coll(r, WEFT_COLL_ALL_REDUCE, 1000000, {job.Comp(r, (r == late ? 60 : 10) * kUs)});
        Sim sim(job, {{"all-reduce", "in-network"}}, {}, TwoSwitches(400000000000));
        ASSERT_TRUE(sim.Made()) << sim.err.msg;
        for (uint32_t r = 0; r < 4; r++) {
            EXPECT_EQ(sim.Result(r).exposed_ps[WEFT_CAUSE_PEER], r == late ? 0 : 50 * kUs);
            EXPECT_EQ(Delays(sim, r), 0) << late << " " << r;
        }
    }
}

/* The late rank is in the operation, but busy with the dimension before: rows of two, rank 3's row
 * waits. */
TEST(Exposed, MemberThatIsHeldUpBeforeTheSwitches)
{
    Job job(4); // rows {0, 1}, {2, 3}; the switches add up 0 with 2, and 1 with 3
    for (uint32_t r = 0; r < 4; r++)
        job.Coll(r, WEFT_COLL_ALL_REDUCE, 2000000, {job.Comp(r, (r == 3 ? 60 : 10) * kUs)});
    Sim sim(job, {{"all-reduce", "ring,in-network"}, {"dims", "2,2"}}, {});
    ASSERT_TRUE(sim.Made()) << sim.err.msg;
    // 0 has its half of the sum of its row at 32 us, 2 at 82 us: 22 us after rank 3 has come
    EXPECT_EQ(sim.Result(0).exposed_ps[WEFT_CAUSE_PEER], 28 * kUs);
    EXPECT_EQ(sim.Result(0).exposed_ps[WEFT_CAUSE_DEPENDENCY], 22 * kUs);
    EXPECT_EQ(Delays(sim, 0), 0);
    EXPECT_EQ(sim.Result(0).exposed_ps[WEFT_CAUSE_NETWORK], (22 + 22) * kUs);
}

TEST(Exposed, ReceiveWaitsForItsSender)
{
    Job job(2);
    uint32_t c = job.Comp(0, 50 * kUs);
    job.Send(0, 1, 1000, 0, {c});
    job.Comp(1, 10 * kUs);
    uint32_t r = job.Recv(1, 0, 1000);
    job.Comp(1, 5 * kUs, {r});
    Sim sim(job, {}, kPlain);
    EXPECT_EQ(Exposed(sim, 1), "network 2000 peers 40000");
    EXPECT_EQ(Exposed(sim, 0), "network 2000");
    EXPECT_EQ(Path(sim), "0:0 compute 50000, 1:1 network 2000, 1:2 compute 5000");
    EXPECT_EQ(sim.path[1].begin_ps, 50 * kUs);
    EXPECT_EQ(sim.path[2].from_rank, 1u);
}

TEST(Exposed, SharedLinkIsOnesOwnNic)
{
    // rank 0 sends 1000 B to 1, then 3000 B to 2 behind it
    Job job(3);
    job.Send(0, 1, 1000);
    job.Send(0, 2, 3000);
    job.Recv(1, 0, 1000);
    job.Recv(2, 0, 3000);
    Sim sim(job, {}, With(kPlain, {{"contention", "source"}}));
    EXPECT_EQ(Exposed(sim, 1), "network 2000");
    EXPECT_EQ(Exposed(sim, 2), "network 4000 own NIC 1000");
    EXPECT_EQ(Path(sim), "2:0 network 4000 own NIC 1000");
    // its first message ends the first stretch, so 2 us count as that one's network
    EXPECT_EQ(Exposed(sim, 0), "network 4000 own NIC 1000");
}

TEST(Exposed, EndpointAndAdditions)
{
    // 4 chunks: 7 d + 6 t(64 KiB) + 3 r each, as in ASTRA-sim
    Job job(4);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, kMiB);
    Sim sim(job);
    const std::string all = "network " + std::to_string(4 * 6 * 1720) + " reduce " +
                            std::to_string(4 * 3 * 120) + " endpoint " + std::to_string(4 * 7 * 10);
    for (uint32_t r = 0; r < 4; r++)
        EXPECT_EQ(Exposed(sim, r), all);
    ASSERT_EQ(sim.path.size(), 1u);
    EXPECT_EQ(Causes(sim.path[0].spent_ps), all);
    EXPECT_EQ(sim.path[0].messages, 24u);
}

TEST(Exposed, LogGpIsEndpoint)
{
    // direct all-to-all on 3, 1000 B a pair: sends at 100 and 200 ns, both received after another
    // 50 ns each
    Job job(3);
    job.Everywhere(WEFT_COLL_ALL_TO_ALL, 3000);
    Sim sim(job,
            {{"all-to-all", "direct"}, {"send-overhead", "100ns"}, {"receive-overhead", "50ns"}},
            kPlain);
    EXPECT_EQ(sim.EndNs(), 2250);
    // own sends until 200; messages at 2100 and 2200, each taken in for 50
    EXPECT_EQ(Exposed(sim, 0), "network 1950 endpoint 300");
    EXPECT_EQ(Path(sim).substr(3), " network 2000 endpoint 250");
}

TEST(Exposed, OnlyWhatComputationLeaves)
{
    // 12 us of ring; 5 us of computing at the beginning hide the first two steps and half of the
    // third
    Job job(4);
    for (uint32_t r = 0; r < 4; r++) {
        job.Comp(r, 5 * kUs);
        job.Coll(r, WEFT_COLL_ALL_REDUCE, 4000);
    }
    Sim sim(job, {{"all-reduce", "ring"}}, kPlain);
    EXPECT_EQ(Exposed(sim, 2), "network 7000");
    EXPECT_EQ(sim.Result(2).exposed_comm_ps, 7 * kUs);
}

TEST(Exposed, NotKnownWhenTheRunEndsBefore)
{
    Job job(2);
    job.Comp(0, 10 * kUs);
    job.Recv(1, 0, 1000); // never sent
    Sim sim(job, {}, kPlain);
    EXPECT_EQ(sim.err.code, 0) << sim.err.msg;
    EXPECT_EQ(Exposed(sim, 1), "open 10000");
    EXPECT_EQ(Path(sim), "0:0 compute 10000");
}

/* GPipe forward: (stages - 1 + microbatches) computations and three messages, whichever way round.
 */
TEST(CriticalPath, Pipeline)
{
    const uint32_t S = 4, M = 8;
    Job job(S);
    for (uint32_t s = 0; s < S; s++)
        for (uint32_t m = 0; m < M; m++) {
            std::vector<uint32_t> after;
            if (s > 0)
                after.push_back(job.Recv(s, s - 1, kMiB, m));
            uint32_t c = job.Comp(s, 100 * kUs, after);
            if (s + 1 < S)
                job.Send(s, s + 1, kMiB, m, {c});
        }
    Sim sim(job);
    int64_t compute = 0, network = 0, messages = 0;
    for (const weft_path_record &p : sim.path) {
        compute += p.spent_ps[WEFT_CAUSE_COMPUTE];
        network += p.spent_ps[WEFT_CAUSE_NETWORK];
        messages += (int64_t)p.messages;
    }
    EXPECT_EQ(compute, (S - 1 + M) * 100 * kUs);
    EXPECT_EQ(network, 3 * INT64_C(20031000));
    EXPECT_EQ(messages, 3);
    EXPECT_EQ(sim.path.size(), S - 1 + M + 3);
    EXPECT_EQ(sim.path.back().end_ps, sim.EndNs() * 1000);
}

/* Through the resource that was busy, not through what was ready: CPU 3 us, then memory 4 us, then
 * compute. */
TEST(CriticalPath, GoesThroughBusyResources)
{
    Job job(1);
    uint32_t a = job.Comp(0, 3 * kUs, {}, true);
    uint32_t b = job.Mem(0, 1, 4 * kUs, {a});
    job.Comp(0, 9 * kUs); // node 2
    job.Comp(0, 2 * kUs, {b});
    Sim sim(job, {}, kPlain);
    EXPECT_EQ(Path(sim), "0:2 compute 9000, 0:3 compute 2000");
    Job slow(1);
    a = slow.Comp(0, 3 * kUs, {}, true);
    b = slow.Mem(0, 1, 4 * kUs, {a});
    slow.Comp(0, 1 * kUs);
    slow.Comp(0, 2 * kUs, {b});
    Sim other(slow, {}, kPlain);
    EXPECT_EQ(Path(other), "0:0 cpu 3000, 0:1 memory 4000, 0:3 compute 2000");
}

/* A chunk that lets an urgent collective go first is on the way through that one. */
TEST(CriticalPath, ThroughTheCollectiveThatWentFirst)
{
    Job job(2);
    for (uint32_t r = 0; r < 2; r++) {
        weft_op op = {};
        op.kind = WEFT_OP_COLL;
        op.coll = WEFT_COLL_ALL_REDUCE;
        op.bytes = 8000;
        op.name = "low";
        job.Add(r, op);
        uint32_t c = job.Comp(r, 3 * kUs, {}, true);
        op.bytes = 4000;
        op.priority = 1;
        op.name = "urgent";
        job.Add(r, op, {c});
    }
    Sim sim(job, {{"all-reduce", "ring"}, {"chunks", "4"}, {"intra-dimension", "priority"}},
            kPlain);
    ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
    // low: 4 chunks of 2 * (1000 + 1000) ns; urgent: 4 of 2 * (1000 + 500), from 3 us on, one
    // message of which comes in behind one of low, 0.5 us late. At 6 us a chunk of it is over, and
    // low waits from 8 us, when its second chunk is over, until 15.5 us.
    EXPECT_EQ(sim.Of(0, 2).end_ps, 15500000);
    EXPECT_EQ(sim.EndNs(), 23500);
    ASSERT_EQ(sim.path.size(), 3u);
    EXPECT_STREQ(sim.path[0].op->name, "comp");
    EXPECT_STREQ(sim.path[1].op->name, "urgent");
    EXPECT_STREQ(sim.path[2].op->name, "low");
    EXPECT_EQ(Causes(sim.path[1].spent_ps), "network 12000 own NIC 500");
    EXPECT_EQ(Causes(sim.path[2].spent_ps), "network 8000");
}

/* Two jobs that never meet: their ways part at the beginning, so nothing can be reported early;
 * what is kept is bounded, and still adds up. */
TEST(CriticalPath, MemoryIsBounded)
{
    const uint32_t n = 200000; // more than WEFT_STEPS_MAX
    Job job(2);
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t i = 0; i < n; i++)
            job.Comp(r, 1000 + r);
    Sim sim(job, {}, kPlain);
    ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
    uint64_t steps = 0;
    for (const weft_path_record &p : sim.path)
        steps += 1 + p.folded;
    EXPECT_EQ(steps, n);
    EXPECT_LE(sim.path.size(), 65536u + 1);
    EXPECT_EQ(sim.path.back().end_ps, INT64_C(1001) * n);
}

/* One after the other: reported as it happens, each step begins where the one before ended. */
TEST(CriticalPath, StepsAreContiguous)
{
    Job job(5);
    for (uint32_t r = 0; r < 5; r++) {
        uint32_t last = job.Comp(r, (1 + r * 7 % 5) * kUs);
        for (int k = 0; k < 20; k++) {
            uint32_t c =
                job.Coll(r, k % 2 ? WEFT_COLL_ALL_REDUCE : WEFT_COLL_ALL_TO_ALL, 5000, {last});
            last = job.Comp(r, (1 + (r + k) * 3 % 7) * kUs, {c});
        }
    }
    Sim sim(job, With(AstraSystem(), {{"all-to-all", "direct"}}));
    int64_t at = 0;
    for (const weft_path_record &p : sim.path) {
        EXPECT_EQ(p.begin_ps, at);
        EXPECT_GT(p.end_ps, at);
        int64_t sum = 0;
        for (int64_t ps : p.spent_ps)
            sum += ps;
        EXPECT_EQ(sum, p.end_ps - at);
        at = p.end_ps;
    }
    EXPECT_EQ(at, sim.EndNs() * 1000);
    EXPECT_EQ(sim.path.size(), 41u);
}

} // namespace
