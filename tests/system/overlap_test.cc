/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs beside what, and how time is accounted. Exact costs: 1 Gbit/s-like round numbers. */
#include "collective/algorithm.h"
#include "job.h"

#include <cstring>

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
    // Blocks of 2 MiB: floor(39062.5) ns on the wire. The link is never idle: while one all-reduce
    // adds up, the other sends. 10 before the first, 2 * 4 chunks * 14 steps, 500 on the way, 10
    // after the last.
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
    // rank 1: computes 10 us, then (nothing until its recv is issued) ... the recv counts as
    // communication
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
    // No delays anywhere but the wire: ring all-reduce on 4 is 6 t, direct 2 t, whatever the
    // chunks.
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

/* What a collective of this algorithm has to move, chunk by chunk. */
uint64_t Planned(const char *spec, weft_coll_kind kind, uint32_t n, uint32_t root, uint64_t bytes,
                 uint64_t max_chunks)
{
    weft_err err = {};
    weft_coll_algorithm a;
    EXPECT_EQ(weft_coll_algorithm_parse(spec, strlen(spec), "", &a, &err), 0) << err.msg;
    weft_coll_call c = {};
    c.kind = weft_coll_run_as(kind);
    c.n = n;
    c.root = root;
    weft_coll_use(&c, &a);
    bytes = kind == WEFT_COLL_BARRIER ? 0 : bytes;
    uint64_t sum = 0;
    for (uint64_t i = 0; n > 1 && i < weft_coll_chunks(bytes, max_chunks); i++) {
        c.bytes = weft_coll_chunk_bytes(bytes, max_chunks, i);
        sum += a.ops->total_bytes(&c);
    }
    weft_coll_algorithm_release(&a);
    return sum;
}

struct Plays {
    weft_coll_kind kind;
    std::vector<const char *> specs;
};
const Plays kPlays[] = {
    {WEFT_COLL_ALL_REDUCE,
     {"ring", "direct", "halving-doubling", "recursive-doubling", "double-binary-tree:pieces=3",
      "parameter-server:servers=0", "ring:bidirectional=true", "direct:window=2"}},
    {WEFT_COLL_ALL_GATHER, {"ring", "direct", "halving-doubling", "bruck", "ring:channels=2"}},
    {WEFT_COLL_REDUCE_SCATTER, {"ring", "direct", "halving-doubling", "ring:channels=3"}},
    {WEFT_COLL_ALL_TO_ALL, {"ring", "direct", "bruck", "direct:window=1"}},
    {WEFT_COLL_BROADCAST, {"binomial", "direct"}},
    {WEFT_COLL_REDUCE, {"binomial", "direct"}},
    {WEFT_COLL_GATHER, {"binomial", "direct"}},
    {WEFT_COLL_SCATTER, {"binomial", "direct"}},
    {WEFT_COLL_BARRIER, {nullptr}},
    {WEFT_COLL_REDUCE_SCATTER_BLOCK, {nullptr}}};

struct RandomColl {
    size_t what;
    uint64_t bytes;
    int64_t priority;
    uint32_t group, root;
};

/*
 * 2 groups x all kinds and algorithms x odd sizes, issued in another order on each rank, several in
 * flight, under every intra-dimension scheduler: all end, and exactly the planned bytes move.
 */
TEST(Overlap, RandomJobsMoveExactlyTheirBytes)
{
    const char *const policies[] = {"concurrent", "fifo", "lifo", "smallest-first", "priority"};
    for (uint64_t seed = 0; seed < 200; seed++) {
        weft_rng rng = weft_rng_stream(seed, "jobs", 0);
        uint32_t n = 1 + (uint32_t)weft_rng_below(&rng, 9);
        Job job(n);
        std::vector<uint32_t> some;
        for (uint32_t r = 0; r < n; r++)
            if (weft_rng_below(&rng, 2))
                some.insert(some.begin(), r); // descending: positions differ from ranks
        uint32_t sub = some.empty() ? 0 : job.AddGroup("sub", some);
        Settings s = AstraSystem();
        const char *specs[10];
        for (size_t k = 0; k < 10; k++) {
            specs[k] = kPlays[k].specs[weft_rng_below(&rng, kPlays[k].specs.size())];
            if (specs[k])
                s.push_back({weft_coll_kind_name(kPlays[k].kind), specs[k]});
        }
        specs[8] = specs[0];
        specs[9] = specs[2];
        uint64_t chunks = seed % 5 ? 5 : 1, planned = 0;
        std::vector<RandomColl> all;
        for (int k = 0; k < 8; k++) {
            RandomColl c;
            c.what = weft_rng_below(&rng, 10);
            c.bytes =
                weft_rng_below(&rng, 3) ? weft_rng_below(&rng, 100000) : weft_rng_below(&rng, 12);
            c.group = weft_rng_below(&rng, 2) ? sub : 0;
            c.priority = (int64_t)weft_rng_below(&rng, 3);
            uint32_t members = c.group ? (uint32_t)some.size() : n;
            uint32_t root = weft_coll_has_root(kPlays[c.what].kind)
                                ? (uint32_t)weft_rng_below(&rng, members)
                                : 0;
            c.root = c.group ? some[root] : root;
            planned += Planned(specs[c.what], kPlays[c.what].kind, members, root, c.bytes, chunks);
            all.push_back(c);
        }
        for (uint32_t r = 0; r < n; r++) {
            if (seed % 2)
                std::rotate(all.begin(), all.begin() + 3, all.end());
            for (const RandomColl &c : all) {
                if (c.group && !std::count(some.begin(), some.end(), r))
                    continue;
                std::vector<uint32_t> after;
                if (weft_rng_below(&rng, 2))
                    after.push_back(job.Comp(r, (int64_t)weft_rng_below(&rng, 5000000)));
                weft_op op = {};
                op.kind = WEFT_OP_COLL;
                op.coll = kPlays[c.what].kind;
                op.bytes = c.bytes;
                op.group = c.group;
                op.priority = c.priority;
                op.has_root = weft_coll_has_root(op.coll);
                op.root = c.root;
                job.Add(r, op, after);
            }
        }
        s.push_back({"active-chunks", seed % 3 ? "2" : "1"});
        s.push_back({"chunks", chunks == 5 ? "5" : "1"});
        s.push_back({"intra-dimension", policies[seed / 2 % 5]});
        if (seed % 4 == 0)
            s.push_back({"endpoint-delay", "0"});
        if (seed % 6 == 0)
            s = With(s, {{"send-overhead", "300ns"}, {"receive-overhead", "200ns"}});
        Sim sim(job, s, With(AstraNet(), {{"contention", seed % 7 ? "none" : "source"}}));
        ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
        EXPECT_TRUE(sim.Finished()) << "seed " << seed << ": " << sim.Explain()[0];
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
