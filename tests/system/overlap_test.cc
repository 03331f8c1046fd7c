/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs beside what, and how time is accounted. Exact costs: 1 Gbit/s-like round numbers. */
#include "job.h"

#include "base/rng.h"
#include "collective/collective.h"

namespace
{

const uint64_t kMiB = 1u << 20;
const int64_t kUs = 1000000;

TEST(Overlap, TwoIndependentAllReducesRunAtOnce)
{
    Job job(8);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, kMiB).Everywhere(WEFT_COLL_ALL_REDUCE, kMiB);
    Sim sim(job);
    EXPECT_EQ(sim.EndNs(), 64440); // ASTRA-sim, one at a time: 128880
    EXPECT_EQ(sim.Of(3, 0).end_ps, sim.Of(3, 1).end_ps);
    EXPECT_EQ(sim.Result(3).comm_ps, 64440000);
}

TEST(Overlap, TheyShareALink)
{
    Job job(8);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, 64 * kMiB);
    Sim alone(job, AstraSystem(), With(AstraNet(), {{"contention", "source"}}));
    job.Everywhere(WEFT_COLL_ALL_REDUCE, 64 * kMiB);
    Sim both(job, AstraSystem(), With(AstraNet(), {{"contention", "source"}}));
    // Blocks of 2 MiB: floor(39062.5) ns on the wire. The link is never idle: while one all-reduce adds up,
    // the other sends. 10 before the first, 2 * 4 chunks * 14 steps, 500 on the way, 10 after the last.
    EXPECT_EQ(both.EndNs(), 10 + 2 * 4 * 14 * 39062 + 500 + 10);
    EXPECT_EQ(alone.EndNs(), 2326112);
}

TEST(Overlap, ChunksInFlightShareALinkAsInAstraSim)
{
    auto ar8 = [](const char *chunks, const char *active) {
        Job job(8);
        job.Everywhere(WEFT_COLL_ALL_REDUCE, kMiB);
        Sim sim(job, With(AstraSystem(), {{"chunks", chunks}, {"active-chunks", active}}),
                With(AstraNet(), {{"contention", "source"}}));
        return sim.EndNs();
    };
    EXPECT_EQ(ar8("1", "1"), 43025);
    EXPECT_EQ(ar8("2", "2"), 34680);
    EXPECT_EQ(ar8("4", "2"), 34680);
    EXPECT_EQ(ar8("4", "4"), 34680);
    EXPECT_EQ(ar8("8", "2"), 46825);
    EXPECT_EQ(ar8("8", "8"), 34680);
}

TEST(Overlap, ComputeHidesCommunication)
{
    // compute longer than the all-reduce: nothing is exposed
    Job job(8);
    for (uint32_t r = 0; r < 8; r++) {
        job.Comp(r, 100 * kUs);
        job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB);
    }
    Sim sim(job);
    EXPECT_EQ(sim.EndNs(), 100000);
    EXPECT_EQ(sim.Result(0).exposed_comm_ps, 0);
    EXPECT_EQ(sim.Result(0).comm_ps, 64440000);
}

TEST(Overlap, OneComputationAtATimePerResource)
{
    Job job(1);
    job.Comp(0, 10 * kUs);
    job.Comp(0, 20 * kUs);
    job.Comp(0, 25 * kUs, {}, true); // CPU
    job.Comp(0, 0);
    job.Mem(0, 0, 5 * kUs);
    Sim sim(job);
    EXPECT_EQ(sim.Of(0, 0).end_ps, 10 * kUs);
    EXPECT_EQ(sim.Of(0, 1).ready_ps, 0);
    EXPECT_EQ(sim.Of(0, 1).start_ps, 10 * kUs);
    EXPECT_EQ(sim.Of(0, 1).end_ps, 30 * kUs);
    EXPECT_EQ(sim.Of(0, 2).end_ps, 25 * kUs);
    EXPECT_EQ(sim.Of(0, 3).start_ps, 30 * kUs);
    EXPECT_EQ(sim.Of(0, 3).end_ps, 30 * kUs);
    EXPECT_EQ(sim.Of(0, 4).end_ps, 5 * kUs);
    EXPECT_EQ(sim.Result(0).compute_ps, 30 * kUs);
    EXPECT_EQ(sim.Result(0).cpu_ps, 25 * kUs);
    EXPECT_EQ(sim.Result(0).idle_ps, 0);
}

TEST(Overlap, ReadyOrderIsAscendingIdThenFirstReady)
{
    // 0 -> {3, 1}: both become ready at once and are issued as 1, 3; 2 was ready before.
    Job job(1);
    uint32_t a = job.Comp(0, kUs);
    job.Comp(0, kUs, {a}); // 1
    job.Comp(0, kUs);      // 2
    job.Comp(0, kUs, {a}); // 3
    Sim sim(job);
    EXPECT_EQ(sim.Of(0, 2).start_ps, 1 * kUs);
    EXPECT_EQ(sim.Of(0, 1).start_ps, 2 * kUs);
    EXPECT_EQ(sim.Of(0, 3).start_ps, 3 * kUs);
}

TEST(Overlap, MemoryFromItsBandwidth)
{
    Job job(1);
    uint32_t a = job.Mem(0, 16000000); // 10 us at 1600 GB/s
    job.Mem(0, 16000000, 3 * kUs, {a});
    Sim sim(job, {{"memory-bandwidth", "1600GB/s"}});
    EXPECT_EQ(sim.Of(0, 0).end_ps, 10 * kUs);
    EXPECT_EQ(sim.EndNs(), 13000);
}

TEST(Overlap, IdleIsWhatIsLeft)
{
    // rank 1: computes 10 us, then (nothing until its recv is issued) ... the recv counts as communication
    Job job(2);
    uint32_t c = job.Comp(0, 50 * kUs);
    job.Send(0, 1, kMiB, 0, {c});
    job.Comp(1, 10 * kUs);
    job.Recv(1, 0, kMiB);
    Sim sim(job);
    weft_rank_result r = sim.Result(1);
    EXPECT_EQ(r.end_ps, 70031000);
    EXPECT_EQ(r.comm_ps, 70031000);
    EXPECT_EQ(r.exposed_comm_ps, 60031000);
    EXPECT_EQ(r.idle_ps, 0);
    EXPECT_EQ(r.compute_ps, 10 * kUs);
    EXPECT_EQ(sim.Result(0).exposed_comm_ps, 20031000);
}

TEST(Overlap, CollectiveRecordsItsFirstMessage)
{
    Job job(4);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, kMiB);
    Sim sim(job);
    EXPECT_EQ(sim.Of(2, 0).ready_ps, 0);
    EXPECT_EQ(sim.Of(2, 0).start_ps, 10000); // the endpoint delay
    EXPECT_EQ(sim.Of(2, 0).end_ps, 43000000);
}

TEST(Overlap, ZeroCostEndpointsToo)
{
    // No delays anywhere but the wire: ring all-reduce on 4 is 6 t, direct 2 t, whatever the chunks.
    for (const char *chunks : {"1", "3", "1000"}) {
        Job job(4);
        job.Everywhere(WEFT_COLL_ALL_REDUCE, 0);
        Settings net = {{"model", "flat"}, {"bandwidth", "400Gbps"}, {"latency", "500ns"}};
        Sim ring(job, {{"chunks", chunks}}, net);
        EXPECT_EQ(ring.EndNs(), 3000);
        Sim direct(job, {{"chunks", chunks}, {"all-reduce", "direct"}}, net);
        EXPECT_EQ(direct.EndNs(), 1000);
    }
}

/* 2 groups x 2 kinds x odd sizes, several in flight: all end, and exactly the planned bytes move. */
TEST(Overlap, RandomJobsMoveExactlyTheirBytes)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        weft_rng rng = weft_rng_stream(seed, "jobs", 0);
        uint32_t n = 1 + (uint32_t)weft_rng_below(&rng, 9);
        Job job(n);
        std::vector<uint32_t> some;
        for (uint32_t r = 0; r < n; r++)
            if (weft_rng_below(&rng, 2))
                some.insert(some.begin(), r); // descending: positions differ from ranks
        uint32_t sub = some.empty() ? 0 : job.AddGroup("sub", some);
        const weft_coll_kind kinds[] = {WEFT_COLL_ALL_REDUCE,     WEFT_COLL_ALL_GATHER,
                                        WEFT_COLL_REDUCE_SCATTER, WEFT_COLL_ALL_TO_ALL,
                                        WEFT_COLL_BARRIER,        WEFT_COLL_REDUCE_SCATTER_BLOCK};
        const char *algorithm = seed % 2 ? "ring" : "direct";
        weft_err err = {};
        uint64_t planned = 0;
        for (int k = 0; k < 8; k++) {
            weft_coll_kind kind = kinds[weft_rng_below(&rng, 6)], as;
            uint64_t bytes =
                weft_rng_below(&rng, 3) ? weft_rng_below(&rng, 100000) : weft_rng_below(&rng, 12);
            uint32_t g = weft_rng_below(&rng, 2) ? sub : 0;
            uint32_t members = g ? (uint32_t)some.size() : n;
            for (uint32_t i = 0; i < members; i++) {
                uint32_t r = g ? some[i] : i;
                std::vector<uint32_t> after;
                if (weft_rng_below(&rng, 2))
                    after.push_back(job.Comp(r, (int64_t)weft_rng_below(&rng, 5000000)));
                job.Coll(r, kind, bytes, after, g);
            }
            ASSERT_EQ(weft_coll_played_as(kind, &as, &err), 0);
            planned += weft_coll_find(algorithm, &err)
                           ->total_bytes(as, members, kind == WEFT_COLL_BARRIER ? 0 : bytes);
        }
        Settings s = AstraSystem(algorithm);
        s.push_back({"active-chunks", seed % 3 ? "2" : "1"});
        s.push_back({"chunks", seed % 5 ? "5" : "1"});
        if (seed % 4 == 0)
            s.push_back({"endpoint-delay", "0"});
        Sim sim(job, s, With(AstraNet(), {{"contention", seed % 7 ? "none" : "source"}}));
        ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
        EXPECT_TRUE(sim.Finished()) << "seed " << seed;
        EXPECT_EQ(sim.Totals().bytes_received, planned) << "seed " << seed;
        for (uint32_t r = 0; r < n; r++) {
            weft_rank_result q = sim.Result(r);
            EXPECT_LE(q.exposed_comm_ps, q.comm_ps);
            // nothing but accelerator and communication here: the time is one, the other, or idle
            EXPECT_EQ(q.compute_ps + q.exposed_comm_ps + q.idle_ps, q.end_ps);
        }
    }
}

TEST(Overlap, SameInputSameRecords)
{
    auto play = [] {
        Job job(6);
        for (uint32_t r = 0; r < 6; r++) {
            uint32_t c = job.Comp(r, (int64_t)(r * 7 % 5) * kUs);
            job.Coll(r, WEFT_COLL_ALL_REDUCE, 1000003, {c});
            job.Coll(r, WEFT_COLL_ALL_TO_ALL, 77777);
            job.Send(r, (r + 1) % 6, 5000, r);
            job.Recv(r, (r + 5) % 6, 5000, (r + 5) % 6);
        }
        Sim sim(job, With(AstraSystem(), {{"active-chunks", "3"}}));
        EXPECT_TRUE(sim.Finished());
        return sim.records;
    };
    auto a = play(), b = play();
    EXPECT_EQ(a.size(), 30u);
    EXPECT_TRUE(a == b);
}

TEST(Overlap, HundredsOfRanks)
{
    Job job(512);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, 64 * kMiB);
    Sim sim(job, With(AstraSystem(), {{"chunks", "1"}}));
    // 1023 d + 1022 t(128 KiB) + 511 r(128 KiB): t = 500 + 2441, r = 3 * 81
    EXPECT_EQ(sim.EndNs(), 1023 * 10 + 1022 * 2941 + 511 * 243);
}

} // namespace
