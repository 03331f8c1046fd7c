/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ASTRA-sim's numbers (its analytical backend, measured), to the nanosecond: fully connected fabric
 * of 50 GiB/s and 500 ns, 4 chunks one at a time, endpoint delay 10 ns, reductions at 1600 GB/s.
 */
#include "astra.h"

#include <cstring>

namespace
{

class AstraSim : public ::testing::TestWithParam<Golden>
{
};

TEST_P(AstraSim, SameNanosecond)
{
    const Golden &g = GetParam();
    Job job(g.n);
    job.Everywhere(g.kind, g.bytes);
    Sim run(job, AstraSystem(g.algorithm));
    ASSERT_EQ(run.err.code, 0) << run.err.msg;
    EXPECT_EQ(run.EndNs(), g.ns);
}

INSTANTIATE_TEST_SUITE_P(
    FullyConnected1MiB, AstraSim,
    ::testing::Values(Golden{4, "ring", WEFT_COLL_ALL_REDUCE, kMiB, 43000},
                      Golden{4, "direct", WEFT_COLL_ALL_REDUCE, kMiB, 14360},
                      Golden{4, "ring", WEFT_COLL_ALL_GATHER, kMiB, 64744},
                      Golden{4, "direct", WEFT_COLL_ALL_GATHER, kMiB, 21608},
                      Golden{4, "ring", WEFT_COLL_REDUCE_SCATTER, kMiB, 22240},
                      Golden{4, "direct", WEFT_COLL_REDUCE_SCATTER, kMiB, 7440},
                      Golden{4, "ring", WEFT_COLL_ALL_TO_ALL, kMiB, 41560},
                      Golden{4, "direct", WEFT_COLL_ALL_TO_ALL, kMiB, 6960},
                      Golden{8, "ring", WEFT_COLL_ALL_REDUCE, kMiB, 64440},
                      Golden{8, "direct", WEFT_COLL_ALL_REDUCE, kMiB, 9240},
                      Golden{8, "ring", WEFT_COLL_ALL_GATHER, kMiB, 151016},
                      Golden{8, "direct", WEFT_COLL_ALL_GATHER, kMiB, 21608},
                      Golden{8, "ring", WEFT_COLL_REDUCE_SCATTER, kMiB, 33080},
                      Golden{8, "direct", WEFT_COLL_REDUCE_SCATTER, kMiB, 4760},
                      Golden{8, "ring", WEFT_COLL_ALL_TO_ALL, kMiB, 125480},
                      Golden{8, "direct", WEFT_COLL_ALL_TO_ALL, kMiB, 4520}));

INSTANTIATE_TEST_SUITE_P(HalvingDoublingFullyConnected, AstraSim,
                         ::testing::Values(Golden{4, kHd, WEFT_COLL_ALL_REDUCE, kMiB, 37968},
                                           Golden{4, kHd, WEFT_COLL_ALL_GATHER, kMiB, 62708},
                                           Golden{4, kHd, WEFT_COLL_REDUCE_SCATTER, kMiB, 19244},
                                           Golden{8, kHd, WEFT_COLL_ALL_REDUCE, kMiB, 47168},
                                           Golden{8, kHd, WEFT_COLL_ALL_GATHER, kMiB, 142872},
                                           Golden{8, kHd, WEFT_COLL_REDUCE_SCATTER, kMiB, 23964}));

/* The unaware backend on topologies with hops: floor(hops * 500 ns + bytes / rate). */
struct Unaware {
    const char *topology;
    Golden g;
};
void PrintTo(const Unaware &u, std::ostream *os)
{
    *os << u.topology << " ";
    PrintTo(u.g, os);
}
class AstraSimUnaware : public ::testing::TestWithParam<Unaware>
{
};

TEST_P(AstraSimUnaware, SameNanosecond)
{
    const Golden &g = GetParam().g;
    bool ring = std::string(GetParam().topology) == "ring";
    Job job(g.n);
    job.Everywhere(g.kind, g.bytes);
    Sim run(job, AstraSystem(g.algorithm), {{"model", "path"}, {"quantum", "1ns"}},
            [&](weft_fabric *f) { ring ? BuildRing(f, g.n) : BuildSwitch(f, g.n); });
    ASSERT_EQ(run.err.code, 0) << run.err.msg;
    EXPECT_EQ(run.EndNs(), g.ns);
}

std::vector<Unaware> UnawareRows()
{
    const weft_coll_kind kinds[] = {WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_GATHER,
                                    WEFT_COLL_REDUCE_SCATTER, WEFT_COLL_ALL_TO_ALL};
    const char *const algs[] = {"ring", "direct", kHd};
    const struct {
        uint32_t n;
        const char *topology;
        int64_t ns[4][3]; // 0: ASTRA-sim has none
    } rows[] = {
        {4,
         "ring",
         {{43000, 18360, 41968}, {64744, 23608, 64708}, {22240, 9440, 21244}, {41560, 8960, 0}}},
        {4,
         "switch",
         {{55000, 18360, 45968}, {70744, 23608, 66708}, {28240, 9440, 23244}, {53560, 8960, 0}}},
        {8,
         "ring",
         {{64440, 21240, 63168},
          {151016, 27608, 150872},
          {33080, 10760, 31964},
          {125480, 10520, 0}}},
        {8,
         "switch",
         {{92440, 13240, 59168}, {165016, 23608, 148872}, {47080, 6760, 29964}, {181480, 6520, 0}}},
    };
    std::vector<Unaware> out;
    for (const auto &row : rows)
        for (int k = 0; k < 4; k++)
            for (int a = 0; a < 3; a++)
                if (row.ns[k][a])
                    out.push_back({row.topology, {row.n, algs[a], kinds[k], kMiB, row.ns[k][a]}});
    return out;
}
INSTANTIATE_TEST_SUITE_P(Unaware1MiB, AstraSimUnaware, ::testing::ValuesIn(UnawareRows()));

// Neighbours on a physical ring are one hop apart, so ring collectives cost the same there.
INSTANTIATE_TEST_SUITE_P(
    RingSweeps, AstraSim,
    ::testing::Values(Golden{8, "ring", WEFT_COLL_ALL_REDUCE, 2 * kMiB, 100280},
                      Golden{8, "ring", WEFT_COLL_ALL_REDUCE, 4 * kMiB, 172100},
                      Golden{8, "ring", WEFT_COLL_ALL_REDUCE, 8 * kMiB, 315684},
                      Golden{8, "ring", WEFT_COLL_ALL_REDUCE, 16 * kMiB, 602908},
                      Golden{8, "ring", WEFT_COLL_ALL_REDUCE, 32 * kMiB, 1177356},
                      Golden{8, "ring", WEFT_COLL_ALL_REDUCE, 64 * kMiB, 2326112},
                      Golden{8, "ring", WEFT_COLL_ALL_REDUCE, 128 * kMiB, 4623764},
                      Golden{8, "ring", WEFT_COLL_ALL_REDUCE, 4096, 28712},
                      Golden{8, "ring", WEFT_COLL_ALL_GATHER, 4, 14320},
                      Golden{8, "ring", WEFT_COLL_ALL_GATHER, 8, 14320},
                      Golden{8, "ring", WEFT_COLL_ALL_GATHER, 16, 14320},
                      Golden{16, "ring", WEFT_COLL_ALL_REDUCE, kMiB, 99640},
                      Golden{16, "ring", WEFT_COLL_ALL_GATHER, kMiB, 323560},
                      Golden{16, "ring", WEFT_COLL_REDUCE_SCATTER, kMiB, 50740},
                      Golden{16, "ring", WEFT_COLL_ALL_TO_ALL, kMiB, 391240}));

TEST(AstraSim, ChunksAndDelays)
{
    auto ar8 = [](Settings more) {
        Job job(8);
        job.Everywhere(WEFT_COLL_ALL_REDUCE, kMiB);
        Sim run(job, With(AstraSystem(), more));
        return run.EndNs();
    };
    EXPECT_EQ(ar8({{"chunks", "1"}}), 43025);
    EXPECT_EQ(ar8({{"chunks", "2"}}), 50140);
    EXPECT_EQ(ar8({{"chunks", "8"}}), 93040);
    EXPECT_EQ(ar8({{"endpoint-delay", "100ns"}}), 69840);
    EXPECT_EQ(ar8({{"endpoint-delay", "1us"}}), 123840);
    // local-mem-bw 50: the repository's own regression value
    EXPECT_EQ(ar8({{"reduce-bandwidth", "50GB/s"}}), 117780);
    // All chunks at once without contention: one chunk's time, as in ASTRA-sim's unaware backend.
    EXPECT_EQ(ar8({{"active-chunks", "4"}}), 64440 / 4);
}

TEST(AstraSim, SizesBeyond32Bits)
{
    auto ar4 = [](uint64_t bytes) {
        Job job(4);
        job.Everywhere(WEFT_COLL_ALL_REDUCE, bytes);
        Sim run(job, With(AstraSystem(), {{"chunks", "1"}}));
        return run.EndNs();
    };
    EXPECT_EQ(ar4(3ull << 30), 94532914);
    EXPECT_EQ(ar4(16ull << 30), 504162256);
}

/*
 * Where weft differs on purpose: ASTRA-sim rounds a size up to whole chunks (and one more for a
 * rest), and a size below chunks * ranks to that. weft moves the bytes that there are:
 *   0 B: one chunk: 15 * 10 + 14 * 500 = 7150          (ASTRA-sim: 4 of them, 28600)
 *   1048577 B: chunks of 262145 (3 times) and 262142 B; blocks of 32769 and 32768 B, both
 * floor(610.4) = 610 ns on
 *   the wire and 3 * 20 ns to add up, so exactly what 1 MiB costs              (ASTRA-sim: 5 chunks, 80550)
 *   1000003 B: chunks of 250001 B, blocks of 31251 B: 15 * 10 + 14 * 1082 + 7 * 57 = 15697 ns, four
 * times (ASTRA-sim: 5 chunks, 78485)
 *   all-gather of 1000003 B: 8 * 10 + 7 * 5156 = 36172 ns, four times           (ASTRA-sim: 5 chunks, 180860)
 */
TEST(AstraSim, DeliberateDifferences)
{
    auto ar8 = [](uint64_t bytes) {
        Job job(8);
        job.Everywhere(WEFT_COLL_ALL_REDUCE, bytes);
        Sim run(job);
        EXPECT_EQ(run.Totals().bytes_received, 14 * bytes);
        return run.EndNs();
    };
    EXPECT_EQ(ar8(100), 28600); // four chunks of 25 B: the same
    EXPECT_EQ(ar8(1000003), 4 * 15697);
    Job gather(8);
    gather.Everywhere(WEFT_COLL_ALL_GATHER, 1000003);
    Sim run(gather);
    EXPECT_EQ(run.EndNs(), 4 * 36172);
    EXPECT_EQ(ar8(0), 7150);
    EXPECT_EQ(ar8(1), 7150);
    EXPECT_EQ(ar8(1048577), 64440);
    EXPECT_EQ(ar8(1048575), 64440);
}

TEST(AstraSim, PointToPoint)
{
    Job job(2);
    job.Send(0, 1, kMiB);
    job.Recv(1, 0, kMiB);
    Sim run(job);
    EXPECT_EQ(run.EndNs(0), 20031);
    EXPECT_EQ(run.EndNs(1), 20031);
}

TEST(AstraSim, ComputeThenAllReduceThenCompute)
{
    Job job(2);
    for (uint32_t r = 0; r < 2; r++) {
        uint32_t a = job.Comp(r, 50000000);
        uint32_t b = job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB, {a});
        job.Comp(r, 50000000, {b});
    }
    Sim run(job);
    EXPECT_EQ(run.EndNs(), 124620);
    EXPECT_EQ(run.Result(0).exposed_comm_ps, 24620000);
    EXPECT_EQ(run.Result(0).compute_ps, 100000000);
    EXPECT_EQ(run.Result(0).idle_ps, 0);
}

TEST(AstraSim, ComputeBesideAllReduce)
{
    Job job(8);
    for (uint32_t r = 0; r < 8; r++) {
        job.Comp(r, 50000000);
        job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB);
    }
    Sim run(job);
    EXPECT_EQ(run.EndNs(), 64440);
    EXPECT_EQ(run.Result(5).exposed_comm_ps, 14440000);
    EXPECT_EQ(run.Result(5).comm_ps, 64440000);
}

/*
 * Over dimensions, a ring or all-to-all links in each; one hop to every other rank of a line (two
 * in a switch).
 */
struct Dims {
    const char *dims, *algorithm;
    uint32_t n;
    int64_t ns[5]; // all-reduce, all-reduce whole in each dimension, all-gather, reduce-scatter,
                   // all-to-all
};
void PrintTo(const Dims &d, std::ostream *os)
{
    *os << d.dims << " " << d.algorithm;
}
class AstraSimDims : public ::testing::TestWithParam<Dims>
{
};

std::vector<uint32_t> Sizes(const char *dims)
{
    std::vector<uint32_t> size;
    for (const char *p = dims; *p; p += *p == ',')
        size.push_back((uint32_t)strtoul(p, const_cast<char **>(&p), 10));
    return size;
}

int64_t PlayDims(const Dims &d, int what)
{
    const weft_coll_kind kinds[] = {WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_REDUCE,
                                    WEFT_COLL_ALL_GATHER, WEFT_COLL_REDUCE_SCATTER,
                                    WEFT_COLL_ALL_TO_ALL};
    Job job(d.n);
    job.Everywhere(kinds[what], kMiB);
    // What schedulers know of the dimensions: a link's rate; the farthest rank of a line.
    std::string latencies, rates;
    const bool direct = strncmp(d.algorithm, "direct", 6) == 0;
    for (uint32_t n : Sizes(d.dims)) {
        const char *comma = rates.empty() ? "" : ",";
        latencies += comma + std::to_string(direct ? n / 2 * 500 : 500) + "ns";
        rates += comma + std::string("50GiB/s");
    }
    Settings s = With(AstraSystem(d.algorithm), {{"dims", d.dims},
                                                 {"dim-latencies", latencies.c_str()},
                                                 {"dim-bandwidths", rates.c_str()}});
    if (what == 1)
        s.push_back({"all-reduce-phases", "whole"});
    // A direct phase on a ring of 4 or 8 takes up to 2 or 4 hops.
    Sim run(job, s, {{"model", "path"}, {"quantum", "1ns"}},
            [&](weft_fabric *f) { BuildTorus(f, Sizes(d.dims)); });
    EXPECT_EQ(run.err.code, 0) << run.err.msg;
    return run.EndNs();
}

TEST_P(AstraSimDims, SameNanosecond)
{
    const Dims &d = GetParam();
    for (int what = 0; what < 5; what++)
        if (d.ns[what]) {
            EXPECT_EQ(PlayDims(d, what), d.ns[what]) << d.dims << " " << d.algorithm << " " << what;
        }
}

INSTANTIATE_TEST_SUITE_P(
    Torus, AstraSimDims,
    ::testing::Values(
        Dims{"2,2", "ring,ring", 4, {24660, 30775, 46542, 14676, 14805}},
        Dims{"4,4", "ring,ring", 16, {43040, 53750, 256718, 24785, 51950}},
        Dims{"4,4", "direct,direct", 16, {18400, 22950, 88106, 10795, 11200}},
        Dims{"8,2", "ring,ring", 16, {64480, 70595, 293142, 33935, 128441}},
        Dims{"8,2", "direct,direct", 16, {21280, 29930, 52542, 11615, 14474}},
        Dims{"4,4,4", "ring,ring,ring", 64, {43040, 64500, 1019979, 26571, 62340}},
        Dims{"4,4,4", "direct,direct,direct", 64, {18400, 27540, 343033, 11897, 13440}}));

/*
 * One flat collective on a 4 x 4 torus. The ring takes 99640 ns on any fabric whose rank + 1 is one
 * hop away. ASTRA-sim's direct counts the hops of the first dimension in which two NPUs differ, at
 * most 2: 4 (3 * 10 + 2 (1000 + 305) + 30) = 10680 ns, as on a flat network of 1 us. weft counts
 * all of them, at most 4: 4 (3 * 10 + 2 (2000 + 305) + 30) = 18680.
 */
TEST(AstraSim, FlatDirectOnATorus)
{
    Job job(16);
    job.Everywhere(WEFT_COLL_ALL_REDUCE, kMiB);
    Sim flat(job, AstraSystem("direct"),
             {{"model", "flat"}, {"bandwidth", "50GiB/s"}, {"latency", "1us"}, {"quantum", "1ns"}});
    EXPECT_EQ(flat.EndNs(), 10680);
    Sim torus(job, AstraSystem("direct"), {{"model", "path"}, {"quantum", "1ns"}},
              [](weft_fabric *f) {
                  BuildTorus(f, {4, 4});
              });
    EXPECT_EQ(torus.EndNs(), 18680);
}

/* Early messages of the others wait; rank 0 catches up on them, and its link sends one after the
 * other. */
TEST(AstraSim, Straggler)
{
    Job job(4);
    for (uint32_t r = 0; r < 4; r++) {
        uint32_t c = job.Comp(r, r == 0 ? 100000000 : 50000000);
        job.Coll(r, WEFT_COLL_ALL_REDUCE, kMiB, {c});
    }
    Sim run(job, AstraSystem(), With(AstraNet(), {{"contention", "source"}}));
    EXPECT_EQ(run.EndNs(0), 143000);
    EXPECT_EQ(run.EndNs(1), 141470);
    EXPECT_EQ(run.EndNs(2), 141980);
    EXPECT_EQ(run.EndNs(3), 142490);
}

/* GPipe forward: 4 stages, 8 microbatches of 100 us, 1 MiB between stages. */
TEST(AstraSim, Pipeline)
{
    const uint32_t S = 4, M = 8;
    Job job(S);
    for (uint32_t s = 0; s < S; s++) {
        for (uint32_t m = 0; m < M; m++) {
            std::vector<uint32_t> after;
            if (s > 0)
                after.push_back(job.Recv(s, s - 1, kMiB, m));
            uint32_t c = job.Comp(s, 100000000, after);
            if (s + 1 < S)
                job.Send(s, s + 1, kMiB, m, {c});
        }
    }
    Sim run(job);
    EXPECT_EQ(run.EndNs(0), 820031);
    EXPECT_EQ(run.EndNs(1), 940062);
    EXPECT_EQ(run.EndNs(2), 1060093);
    EXPECT_EQ(run.EndNs(3), 1160093);
    EXPECT_EQ(run.Result(3).compute_ps, 800000000);
}

/* peak 900 Tflop/s, 1600 GB/s: bound by compute, then by memory. */
TEST(AstraSim, Roofline)
{
    Job job(1);
    weft_op op = {};
    op.kind = WEFT_OP_COMP;
    op.has_flops = true;
    op.flops = 1e12;
    op.tensor_bytes = 1000000000;
    op.duration_ps = 5000;
    uint32_t a = job.Add(0, op);
    op.flops = 1e9;
    job.Add(0, op, {a});
    Settings roof = {{"peak-flops", "900000000000000"}, {"memory-bandwidth", "1600GB/s"}};
    Sim run(job, With(With(AstraSystem(), roof), {{"roofline", "true"}}));
    ASSERT_EQ(run.err.code, 0) << run.err.msg;
    EXPECT_EQ(run.Of(0, 0).end_ps, 1111111000);
    EXPECT_EQ(run.EndNs(), 1111111 + 625000);
    Sim recorded(job, With(AstraSystem(), roof));
    EXPECT_EQ(recorded.EndNs(), 10);
}

} // namespace
