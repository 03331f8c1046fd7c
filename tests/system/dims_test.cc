/* SPDX-License-Identifier: GPL-2.0-only */
/* Schedulers over dimensions and between collectives: published figures, and what priority is
 * worth. */
#include "job.h"

namespace
{

const uint64_t kMiB = 1u << 20;

/* ASTRA-sim with its scheduling keys at work: 16 chunks, one at a time in each dimension. */
Settings Scheduled(const char *algorithm, const char *dims, const char *rates,
                   const char *latencies, const char *inter, const char *chunks = "16")
{
    return With(AstraSystem(algorithm), {{"dims", dims},
                                         {"dim-bandwidths", rates},
                                         {"dim-latencies", latencies},
                                         {"inter-dimension", inter},
                                         {"chunks", chunks}});
}

int64_t Play(uint32_t n, weft_coll_kind kind, uint64_t bytes, const Settings &s,
             const Settings &net = AstraNet())
{
    Job job(n);
    job.Everywhere(kind, bytes);
    Sim sim(job, s, net);
    EXPECT_EQ(sim.err.code, 0) << sim.err.msg;
    return sim.EndNs();
}

/* ns of collectives on 4 x 4 ranks, by order of the dimensions. */
void ExpectFourByFour(const char *algorithms, const char *bandwidths, const int64_t (&ns)[8])
{
    const struct {
        weft_coll_kind kind;
        uint64_t bytes;
        const char *inter;
    } cases[8] = {
        {WEFT_COLL_ALL_REDUCE, 64 * kMiB, "baseline"},
        {WEFT_COLL_REDUCE_SCATTER, 64 * kMiB, "baseline"},
        {WEFT_COLL_ALL_GATHER, kMiB, "baseline"},
        {WEFT_COLL_ALL_REDUCE, 64 * kMiB, "round-robin"},
        {WEFT_COLL_REDUCE_SCATTER, 64 * kMiB, "round-robin"},
        {WEFT_COLL_ALL_GATHER, kMiB, "round-robin"},
        {WEFT_COLL_ALL_REDUCE, 64 * kMiB, "themis"},
        {WEFT_COLL_REDUCE_SCATTER, 64 * kMiB, "themis"},
    };
    for (int i = 0; i < 8; i++)
        EXPECT_EQ(Play(16, cases[i].kind, cases[i].bytes,
                       Scheduled(algorithms, "4,4", bandwidths, "500ns,500ns", cases[i].inter)),
                  ns[i])
            << weft_coll_kind_name(cases[i].kind) << " " << cases[i].inter;
}

TEST(Scheduler, FourByFourRing)
{
    ExpectFourByFour("ring,ring", "50GiB/s,50GiB/s",
                     {2018576, 1074101, 264176, 1279920, 669448, 171088, 1280000, 669448});
}

// Fully connected lines: a rank has three links of 50 GiB/s in each dimension.
TEST(Scheduler, FourByFourDirect)
{
    ExpectFourByFour("direct,direct", "150GiB/s,150GiB/s",
                     {673072, 358147, 88172, 426800, 223256, 57136, 426880, 223256});
}

/*
 * Themis' own all-gather: ASTRA-sim's takes the fallback order of a reduce-scatter and gains
 * nothing (264176 ns); here the dimension that has the most to do comes first, while the data is
 * small, which evens out.
 */
TEST(Scheduler, ThemisAllGatherEvensOut)
{
    Settings s = Scheduled("ring,ring", "4,4", "50GiB/s,50GiB/s", "500ns,500ns", "themis");
    EXPECT_LE(Play(16, WEFT_COLL_ALL_GATHER, kMiB, s), 171088);
}

/*
 * The example of ASTRA-sim's ASPLOS 2023 tutorial: 1 GiB all-reduce on 8 x 8 x 8 switches of 50
 * GiB/s and 1 ns (two hops), 64 chunks, additions almost free: baseline 35,006,976 ns (this
 * version) and 35,008,129 (version 1), Themis with the smallest chunk first 13,635,871, with no
 * idle dimension at all 13,307,292.
 */
TEST(Scheduler, TutorialEightCubed)
{
    auto ns = [](const char *inter, const char *intra, const char *chunks) {
        Settings s = Scheduled("halving-doubling:reduction=forwarded,halving-doubling:reduction="
                               "forwarded,halving-doubling:reduction=forwarded",
                               "8,8,8", "50GiB/s,50GiB/s,50GiB/s", "2ns,2ns,2ns", inter, chunks);
        s.push_back({"intra-dimension", intra});
        s.push_back({"reduce-bandwidth", "1000000GB/s"});
        return Play(
            512, WEFT_COLL_ALL_REDUCE, 1024 * kMiB, s,
            {{"model", "flat"}, {"bandwidth", "50GiB/s"}, {"latency", "2ns"}, {"quantum", "1ns"}});
    };
    const int64_t baseline = ns("baseline", "concurrent", "64"), bound = 13307292;
    EXPECT_EQ(baseline, 35006976);
    EXPECT_EQ(ns("round-robin", "concurrent", "64"), 14404161);
    // At least 2.3 times as fast (no more than 2.63 are possible), by plan and with the smallest
    // first.
    for (const char *intra : {"concurrent", "smallest-first"}) {
        const int64_t themis = ns("themis", intra, "64");
        EXPECT_LT(themis, baseline * 10 / 23);
        EXPECT_GT(themis, bound);
        EXPECT_LT(themis, 13635871 * 103 / 100); // published
    }
    // First come, first served: 64 chunks on three equal dimensions leave one that is out of step.
    EXPECT_LT(ns("themis", "fifo", "64"), baseline / 2);
    EXPECT_LT(ns("themis", "fifo", "63"), bound * 101 / 100);
}

/* Every scheduler with every discipline ends, on even and uneven dimensions, with any number of
 * chunks. */
TEST(Scheduler, EveryCombinationMovesTheSameBytes)
{
    const char *const inter[] = {"baseline", "round-robin", "themis"};
    const char *const intra[] = {"concurrent", "fifo", "lifo", "smallest-first", "priority"};
    const struct {
        const char *dims, *rates, *algorithm;
        uint32_t n;
    } shapes[] = {{"4,4", "100GB/s,50GB/s", "halving-doubling,ring", 16},
                  {"4,4,4", "200GB/s,100GB/s,25GB/s", "ring,direct,halving-doubling", 64},
                  {"3,2,2", "200GB/s,100GB/s,25GB/s", "ring,ring,direct:window=1", 12},
                  {"1,5,2", "10GB/s,100GB/s,25GB/s", "direct,ring,halving-doubling", 10}};
    const weft_coll_kind kinds[] = {WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_GATHER,
                                    WEFT_COLL_REDUCE_SCATTER};
    for (const auto &shape : shapes)
        for (const char *i : inter)
            for (const char *d : intra)
                for (const char *active : {"1", "3"})
                    for (weft_coll_kind kind : kinds) {
                        const uint64_t bytes = 1000003, n = shape.n;
                        Job job(shape.n);
                        job.Everywhere(kind, bytes);
                        job.Everywhere(kind, bytes); // two at once
                        Settings s =
                            With(AstraSystem(shape.algorithm), {{"dims", shape.dims},
                                                                {"dim-bandwidths", shape.rates},
                                                                {"inter-dimension", i},
                                                                {"intra-dimension", d},
                                                                {"active-chunks", active},
                                                                {"chunks", "7"},
                                                                {"all-to-all", "direct"}});
                        Sim sim(job, s);
                        ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
                        ASSERT_TRUE(sim.Finished())
                            << shape.dims << " " << i << " " << d << ": " << sim.Explain()[0];
                        // Out and back moves what one dimension does: each byte n - 1 times.
                        const uint64_t got = sim.Totals().bytes_received;
                        if (kind == WEFT_COLL_ALL_REDUCE)
                            EXPECT_EQ(got, 2 * 2 * (n - 1) * bytes);
                        else
                            EXPECT_EQ(got,
                                      2 * (n - 1) * bytes * (kind == WEFT_COLL_ALL_GATHER ? n : 1));
                    }
}

/* Sub-groups keep their places: columns and rows of 4 x 4 are dimensions, a diagonal is not a grid.
 */
TEST(Dims, SubGroupsAreGrids)
{
    Job job(16);
    uint32_t row = job.AddGroup("row", {4, 5, 6, 7}),
             column = job.AddGroup("column", {2, 6, 10, 14}),
             block = job.AddGroup("block", {5, 7, 13, 15});
    for (uint32_t g : {row, column, block})
        for (uint32_t r = 0; r < 16; r++) {
            bool in = g == row ? r / 4 == 1 : g == column ? r % 4 == 2 : r % 2 && r / 4 % 2;
            if (in)
                job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB, {}, g);
        }
    Sim sim(job, With(AstraSystem("ring,direct"), {{"dims", "4,4"}, {"all-to-all", "direct"}}));
    ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
    EXPECT_EQ(sim.Of(4, 0).end_ps, 43000000); // ring of 4 in dimension 0
    EXPECT_EQ(sim.Of(2, 0).end_ps, 14360000); // direct among 4 in dimension 1
    EXPECT_EQ(sim.Totals().bytes_received, 3 * 2 * 3 * kMiB);
}

/* One link; low: 64 MiB in 64 chunks; after 200 us an urgent one of 8 MiB. */
struct Pair {
    int64_t urgent_ps, low_ps;
};
Pair Urgent(const char *intra, bool with_low)
{
    Job job(4);
    for (uint32_t r = 0; r < 4; r++) {
        weft_op op = {};
        op.kind = WEFT_OP_COLL;
        op.coll = WEFT_COLL_ALL_REDUCE;
        op.bytes = 64 * kMiB;
        op.name = "low";
        if (with_low)
            job.Add(r, op);
        uint32_t c = job.Comp(r, 200000000);
        op.bytes = 8 * kMiB;
        op.priority = 5;
        op.name = "urgent";
        job.Add(r, op, {c});
    }
    Settings s = With(AstraSystem("ring"), {{"chunks", "64"}, {"intra-dimension", intra}});
    Sim sim(job, s, With(AstraNet(), {{"contention", "source"}}));
    EXPECT_TRUE(sim.Finished());
    uint64_t id = with_low ? 2 : 1;
    return {sim.Of(0, id).end_ps - sim.Of(0, id).ready_ps, with_low ? sim.Of(0, 0).end_ps : 0};
}

TEST(Priority, UrgentTakesItsOwnTimePlusOneChunk)
{
    const int64_t alone = Urgent("priority", false).urgent_ps;
    // one chunk of the low one: 7 d + 6 t(256 KiB) + 3 r
    const int64_t chunk = (7 * 10 + 6 * (500 + 4882) + 3 * 489) * 1000;
    const Pair p = Urgent("priority", true), shared = Urgent("concurrent", true);
    EXPECT_LE(p.urgent_ps, alone + chunk);
    EXPECT_GT(shared.urgent_ps, alone + 3 * chunk);  // without priority it shares to its end
    EXPECT_LE(p.low_ps, 64 * chunk + alone + chunk); // the other one waits that long, not longer
}

/* Two all-reduces in different dimensions do not meet; in the same one they share its links. */
TEST(Dims, DisjointDimensionsOverlapFully)
{
    auto end = [](bool same) {
        Job job(16);
        for (uint32_t x = 0; x < 4; x++) {
            std::vector<uint32_t> row, other;
            for (uint32_t k = 0; k < 4; k++) {
                row.push_back(4 * x + k);
                other.push_back(same ? 4 * x + k : x + 4 * k);
            }
            uint32_t a = job.AddGroup("a", row), b = job.AddGroup("b", other);
            for (uint32_t r : row)
                job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB, {}, a);
            for (uint32_t r : other)
                job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB, {}, b);
        }
        Settings s = With(AstraSystem("ring"), {{"dims", "4,4"}});
        // each row and column has its own switch; a core switch is there only to join them
        Sim sim(job, s, {{"model", "path"}, {"quantum", "1ns"}, {"contention", "source"}},
                [](weft_fabric *f) {
                    weft_err err = {};
                    uint32_t core, sw;
                    weft_fabric_add_node(f, WEFT_NODE_SWITCH, 2, &core, &err);
                    for (uint32_t g = 0; g < 8; g++) {
                        weft_fabric_add_node(f, WEFT_NODE_SWITCH, 1, &sw, &err);
                        weft_fabric_link up = {sw, core, 429496729600, 250000, 0, 0};
                        weft_fabric_add_link(f, &up, nullptr, &err);
                        for (uint32_t k = 0; k < 4; k++) {
                            uint32_t host = g < 4 ? 4 * g + k : g - 4 + 4 * k;
                            weft_fabric_link link = {host, sw, 429496729600, 250000, 0, 0};
                            weft_fabric_add_link(f, &link, nullptr, &err);
                        }
                    }
                });
        EXPECT_EQ(sim.err.code, 0) << sim.err.msg;
        return sim.EndNs();
    };
    EXPECT_EQ(end(false), 43000); // as if alone
    EXPECT_GT(end(true), 43000 * 5 / 4);
}

/* What is told of each phase: 4 x 4 ring all-reduce of 1 MiB in 4 chunks, as worked out for its
 * 43,040 ns. */
TEST(Phases, RecordsByHand)
{
    Job job(16);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, kMiB);
    Sim sim(job, With(AstraSystem("ring,ring"), {{"dims", "4,4"},
                                                 {"all-to-all", "direct"},
                                                 {"dim-bandwidths", "50GiB/s,50GiB/s"},
                                                 {"dim-latencies", "500ns,500ns"}}));
    ASSERT_EQ(sim.EndNs(), 43040);
    std::vector<weft_phase_record> of;
    for (const weft_phase_record &p : sim.phases)
        if (p.rank == 5)
            of.push_back(p);
    ASSERT_EQ(of.size(), 3u);
    // reduce-scatter of 256 KiB in dimension 0: 4 d + 3 (1720 + 120) = 5560 ns each, one after the
    // other
    EXPECT_EQ(of[0].kind, WEFT_COLL_REDUCE_SCATTER);
    EXPECT_EQ(of[0].dim, 0);
    EXPECT_EQ(of[0].chunks, 4u);
    EXPECT_EQ(of[0].messages, 12u);
    EXPECT_EQ(of[0].bytes, 3 * kMiB / 4);
    EXPECT_EQ(of[0].busy_ps, 4 * 5560000);
    EXPECT_EQ(of[0].queue_ps, (0 + 1 + 2 + 3) * INT64_C(5560000));
    EXPECT_EQ(of[0].reduce_ps, 12 * 120000);
    // all-reduce of 64 KiB in dimension 1: 7 d + 6 * 805 + 3 * 30 = 4990 ns, never waits
    EXPECT_EQ(of[1].kind, WEFT_COLL_ALL_REDUCE);
    EXPECT_EQ(of[1].dim, 1);
    EXPECT_EQ(of[1].begin_ps, 5560000);
    EXPECT_EQ(of[1].busy_ps, 4 * 4990000);
    EXPECT_EQ(of[1].queue_ps, 0);
    // all-gather back: 4 d + 3 * 1720 = 5200 ns, after the last reduce-scatter
    EXPECT_EQ(of[2].kind, WEFT_COLL_ALL_GATHER);
    EXPECT_EQ(of[2].begin_ps, 4 * 5560000);
    EXPECT_EQ(of[2].end_ps, 43040000);
    EXPECT_STREQ(of[2].algorithm, "ring");
    EXPECT_EQ(of[2].op_end_ps, 43040000);
}

/* LogGP by hand: direct all-to-all on 4, 3000 B each way per pair: o = 100, g = 400 ns, then G. */
TEST(Endpoint, LogGp)
{
    auto end = [](Settings more) {
        Job job(4);
        job.Everywhere(WEFT_COLL_ALL_TO_ALL, 12000);
        Sim sim(job, With({{"all-to-all", "direct"}}, more),
                {{"model", "flat"}, {"bandwidth", "8Gbps"}, {"latency", "1us"}});
        return sim.EndNs();
    };
    const int64_t wire = 1000 + 3000;
    EXPECT_EQ(end({}), wire);
    EXPECT_EQ(end({{"send-overhead", "100ns"}}), 3 * 100 + wire);
    EXPECT_EQ(end({{"send-latency", "100ns"}}), 100 + wire); // beside each other
    // messages leave at 100, 100 + 500, 100 + 2 * 500
    EXPECT_EQ(end({{"send-overhead", "100ns"}, {"message-gap", "400ns"}}), 100 + 2 * 500 + wire);
    // 3000 B at 16 Gbps: 1500 ns between messages
    EXPECT_EQ(end({{"injection-bandwidth", "16Gbps"}}), 2 * 1500 + wire);
    // all three arrive at once and are taken in one after the other
    EXPECT_EQ(end({{"receive-overhead", "200ns"}}), wire + 3 * 200);
}

/* 43 us of an all-reduce take a quarter of the accelerator: 32.25 of 100 us are done by then. */
TEST(Endpoint, CollectivesTakeTheirShareOfTheAccelerator)
{
    auto play = [](int64_t delay_ps) {
        Job job(4);
        for (uint32_t r = 0; r < 4; r++) {
            job.Comp(r, 100000000);
            std::vector<uint32_t> after;
            if (delay_ps)
                after.push_back(job.Comp(r, delay_ps, {}, true)); // on the CPU
            job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB, after);
        }
        Sim sim(job, With(AstraSystem(), {{"communication-share", "0.25"}}));
        EXPECT_TRUE(sim.Finished());
        return sim.Of(0, 0).end_ps;
    };
    EXPECT_EQ(play(0), 43000000 + (100000000 - 32250000));
    // wherever it falls inside the computation
    EXPECT_EQ(play(20000000), 100000000 + 43000000 / 4);
    // begins at 80 us: 20 us are left, which take 26.67 us at three quarters
    EXPECT_EQ(play(80000000), 80000000 + 26666666);
    EXPECT_EQ(play(150000000), 100000000);
}

/* Channels of NCCL: one SM each, of computations that are not bound by memory. */
TEST(Endpoint, ChannelsTakeSmsFromProducts)
{
    auto play = [](const char *channels, int collectives, bool memory) {
        Job job(4);
        for (uint32_t r = 0; r < 4; r++) {
            weft_op comp = {};
            comp.kind = WEFT_OP_COMP;
            comp.name = "comp";
            comp.duration_ps = 100000000;
            comp.tensor_bytes = memory ? kMiB : 0;
            job.Add(r, comp);
            for (int i = 0; i < collectives; i++)
                job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB, {});
        }
        Sim sim(job, With(AstraSystem(),
                          {{"communication-channels", channels}, {"accelerator-sms", "128"}}));
        EXPECT_TRUE(sim.Finished());
        return sim.Of(0, 0).end_ps;
    };
    EXPECT_EQ(play("32", 0, false), 100000000);
    EXPECT_EQ(play("32", 1, false), 43000000 + (100000000 - 32250000)); // as with a share of 0.25
    EXPECT_EQ(play("16", 1, false), 43000000 + (100000000 - 43000000 / 8 * 7));
    EXPECT_GT(play("16", 2, false), play("16", 1, false));
    EXPECT_EQ(play("32", 1, true), 100000000);
}

TEST(Endpoint, StragglersAndJitter)
{
    auto ends = [](Settings s) {
        Job job(3);
        for (uint32_t r = 0; r < 3; r++)
            job.Comp(r, 10000000);
        Sim sim(job, s);
        std::vector<int64_t> e;
        for (uint32_t r = 0; r < 3; r++)
            e.push_back(sim.Result(r).end_ps);
        return e;
    };
    EXPECT_EQ(ends({{"stragglers", "1:1.5"}}),
              (std::vector<int64_t>{10000000, 15000000, 10000000}));
    auto a = ends({{"compute-jitter", "0.1"}}), b = ends({{"compute-jitter", "0.1"}});
    EXPECT_EQ(a, b);
    EXPECT_NE(a[0], a[1]);
    for (int64_t e : a) {
        EXPECT_GE(e, 9000000);
        EXPECT_LE(e, 11000000);
    }
}

/* All-to-all-v: sizes of each pair, none of them for some; only what there is travels. */
TEST(AllToAllV, MovesItsSizes)
{
    const uint64_t size[3][3] = {{0, 300, 0}, {50, 7, 1000}, {0, 0, 0}};
    uint64_t send[3][3], recv[3][3];
    Job job(3);
    for (uint32_t r = 0; r < 3; r++) {
        for (uint32_t k = 0; k < 3; k++) {
            send[r][k] = size[r][k];
            recv[r][k] = size[k][r];
        }
        weft_op op = {};
        op.kind = WEFT_OP_COLL;
        op.coll = WEFT_COLL_ALL_TO_ALL;
        op.name = "a2av";
        op.send_bytes = send[r];
        op.recv_bytes = recv[r];
        job.Add(r, op);
    }
    Sim sim(job, With(AstraSystem("ring"), {{"all-to-all", "direct"}, {"chunks", "4"}}));
    ASSERT_EQ(sim.err.code, 0) << sim.err.msg;
    EXPECT_TRUE(sim.Finished());
    EXPECT_EQ(sim.Totals().bytes_received, 1350u);
    EXPECT_EQ(sim.Totals().msgs_received, 4u * 3); // three pairs with something to say
}

/* Each op may name its algorithm. */
TEST(Algorithm, PerOperation)
{
    Job job(8);
    for (uint32_t r = 0; r < 8; r++) {
        weft_op op = {};
        op.kind = WEFT_OP_COLL;
        op.coll = WEFT_COLL_ALL_REDUCE;
        op.bytes = kMiB;
        op.algorithm = "direct";
        uint32_t a = job.Add(r, op);
        op.algorithm = nullptr;
        job.Add(r, op, {a});
    }
    Sim sim(job);
    EXPECT_EQ(sim.Of(0, 0).end_ps, 9240000);
    EXPECT_EQ(sim.EndNs(), 9240 + 64440);
}

} // namespace
