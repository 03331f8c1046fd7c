/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collectives on the ideal backend against times worked out apart from it, to the nanosecond, for
 * many numbers of ranks, sizes, chunk counts, bandwidths and latencies.
 *
 * With uniform blocks the times are ASTRA-sim's closed forms. With blocks that differ (sizes that
 * do not divide) a rank's clock is followed instead: a message leaves when what it answers has been
 * taken in, arrives after latency and bytes / rate, and is taken in when it is there and its rank
 * has come to it, after the endpoint delay and the addition. One chunk at a time; a message costs
 * floor(hops * latency + bytes / rate), an addition 3 floor(bytes / memory rate).
 */
#include "astra.h"

#include "base/int128.h"
#include "base/rng.h"

namespace
{

/* One run. */
struct Case {
    const char
        *topology; // flat: any two are one hop apart; switch: two; ring: the shorter way round
    uint32_t n;
    uint64_t bytes, chunks, rate_bps, memory_bps;
    int64_t latency_ps, delay_ps;
};

void PrintTo(const Case &c, std::ostream *os)
{
    *os << c.topology << " of " << c.n << ", " << c.bytes << " B in " << c.chunks << ", "
        << c.rate_bps << " bps, " << c.latency_ps << " ps, delay " << c.delay_ps << " ps, memory "
        << c.memory_bps;
}

int64_t FloorNs(int64_t ps)
{
    return ps / 1000 * 1000;
}

int64_t SerialPs(uint64_t bytes, uint64_t rate_bps)
{
    return (int64_t)((weft_u128)bytes * 8000000000000u / rate_bps);
}

struct Costs {
    const Case &c;
    int64_t Hops(uint32_t a, uint32_t b) const
    {
        const uint32_t way = (b + c.n - a) % c.n;
        return c.topology[0] == 'f' ? 1 : c.topology[0] == 's' ? 2 : std::min(way, c.n - way);
    }
    int64_t Wire(uint32_t a, uint32_t b, uint64_t bytes) const
    {
        return FloorNs(Hops(a, b) * c.latency_ps + SerialPs(bytes, c.rate_bps));
    }
    int64_t Add(uint64_t bytes) const
    {
        return 3 * FloorNs(SerialPs(bytes, c.memory_bps));
    }
};

/* Blocks as long as the first; the last ones are what is left. */
uint64_t Cut(uint64_t bytes, uint64_t n, uint64_t i)
{
    const uint64_t piece = (bytes + n - 1) / n;
    return bytes <= i * piece ? 0 : std::min(piece, bytes - i * piece);
}

using Clocks = std::vector<int64_t>; // per rank, when it has done all so far

/* Step k of a ring: what rank r sends, and whether it is added. */
struct RingStep {
    uint64_t bytes;
    bool adds;
};
RingStep RingSends(weft_coll_kind kind, uint32_t n, uint64_t s, uint32_t r, uint64_t k)
{
    auto back = [n](uint64_t x, uint64_t by) { return (uint32_t)((x + n * by - by) % n); };
    switch (kind) {
    case WEFT_COLL_ALL_REDUCE:
        return {Cut(s, n, back(r, k)), k < n - 1};
    case WEFT_COLL_REDUCE_SCATTER:
        return {Cut(s, n, back(r, k + 1)), true};
    case WEFT_COLL_ALL_GATHER:
        return {s, false};
    default: { // all-to-all: the block for the rank d further on takes d steps, d = 1, 2, ...
        uint64_t d = 1;
        while (k >= d)
            k -= d++;
        return {Cut(s, n, (r + n - k + d) % n), false};
    }
    }
}

void RingChunk(const Costs &t, weft_coll_kind kind, uint64_t s, Clocks *clock)
{
    const uint32_t n = t.c.n;
    const uint64_t steps = kind == WEFT_COLL_ALL_REDUCE   ? 2 * (n - 1)
                           : kind == WEFT_COLL_ALL_TO_ALL ? (uint64_t)n * (n - 1) / 2
                                                          : n - 1;
    Clocks sent(n), arrived(n, 0);
    for (uint32_t r = 0; r < n; r++)
        sent[r] = (*clock)[r] + t.c.delay_ps;
    for (uint64_t k = 0; k < steps; k++) {
        for (uint32_t r = 0; r < n; r++) {
            const uint32_t to = (r + 1) % n;
            const int64_t at = sent[r] + t.Wire(r, to, RingSends(kind, n, s, r, k).bytes);
            arrived[to] = std::max(at, arrived[to]); // messages of a pair stay in order
        }
        for (uint32_t r = 0; r < n; r++) {
            const RingStep step = RingSends(kind, n, s, (r + n - 1) % n, k);
            sent[r] =
                std::max(sent[r], arrived[r]) + t.c.delay_ps + (step.adds ? t.Add(step.bytes) : 0);
        }
    }
    *clock = sent;
}

/* All messages of a half at once; block(from, to) is what goes. */
template <class Block>
void DirectHalf(const Costs &t, const Clocks &sent, bool adds, Block block, Clocks *clock)
{
    const uint32_t n = t.c.n;
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t from = 0; from < n; from++)
            if (from != r) {
                const uint64_t bytes = block(from, r);
                const int64_t at = std::max(sent[r], sent[from] + t.Wire(from, r, bytes));
                (*clock)[r] = std::max((*clock)[r], at + t.c.delay_ps + (adds ? t.Add(bytes) : 0));
            }
}

void DirectChunk(const Costs &t, weft_coll_kind kind, uint64_t s, Clocks *clock)
{
    const uint32_t n = t.c.n;
    auto to_block = [&](uint32_t, uint32_t to) { return Cut(s, n, to); };
    auto from_block = [&](uint32_t from, uint32_t) { return Cut(s, n, from); };
    Clocks sent(n);
    for (uint32_t r = 0; r < n; r++)
        sent[r] = (*clock)[r] + t.c.delay_ps;
    if (kind == WEFT_COLL_ALL_GATHER) {
        DirectHalf(
            t, sent, false, [&](uint32_t, uint32_t) { return s; }, clock);
        return;
    }
    DirectHalf(t, sent, kind != WEFT_COLL_ALL_TO_ALL, to_block, clock);
    if (kind == WEFT_COLL_ALL_REDUCE) {
        sent = *clock; // what it gathers it sends when it has all of its block
        DirectHalf(t, sent, false, from_block, clock);
    }
}

/* Closed form; n a power of two that divides s. An addition is charged with the next, half as long
 * message. */
int64_t HalvingDoubling(const Costs &t, weft_coll_kind kind, uint64_t s)
{
    const uint32_t n = t.c.n;
    int64_t sum = t.c.delay_ps;
    for (uint32_t far = 1; far < n; far *= 2) {
        const uint64_t out = s / far / 2;
        const uint64_t back = kind == WEFT_COLL_ALL_GATHER ? s * (n / 2 / far) : out;
        if (kind != WEFT_COLL_ALL_GATHER)
            sum += t.c.delay_ps + t.Wire(0, far, out) + (far > 1 ? t.Add(out) : 0);
        if (kind != WEFT_COLL_REDUCE_SCATTER)
            sum += t.c.delay_ps + t.Wire(0, far, back);
    }
    return sum;
}

int64_t Expected(const Case &c, const char *algorithm, weft_coll_kind kind)
{
    const Costs t{c};
    Clocks clock(c.n, 0);
    const uint64_t piece = (c.bytes + c.chunks - 1) / c.chunks;
    for (uint64_t left = c.bytes, first = 1; left || first; first = 0) {
        const uint64_t s = std::min(piece, left);
        left -= s;
        if (algorithm[0] == 'r')
            RingChunk(t, kind, s, &clock);
        else if (algorithm[0] == 'd')
            DirectChunk(t, kind, s, &clock);
        else
            for (int64_t &at : clock)
                at += HalvingDoubling(t, kind, s);
    }
    return *std::max_element(clock.begin(), clock.end());
}

/* A case played, with settings of the system besides. */
int64_t Played(const Case &c, weft_coll_kind kind, const char *algorithm, Settings more = {})
{
    const std::string rate = std::to_string(c.rate_bps) + "bps",
                      latency = std::to_string(c.latency_ps) + "ps",
                      delay = std::to_string(c.delay_ps) + "ps", chunks = std::to_string(c.chunks),
                      memory = std::to_string(c.memory_bps) + "bps";
    const bool flat = c.topology[0] == 'f';
    Settings net = {{"model", "path"}, {"quantum", "1ns"}};
    if (flat)
        net = {{"model", "flat"},
               {"quantum", "1ns"},
               {"bandwidth", rate.c_str()},
               {"latency", latency.c_str()}};
    Job job(c.n);
    job.Everywhere(kind, c.bytes);
    Settings s = With(AstraSystem(algorithm), {{"chunks", chunks.c_str()},
                                               {"endpoint-delay", delay.c_str()},
                                               {"reduce-bandwidth", memory.c_str()}});
    Sim sim(
        job, With(s, more), net, flat ? Sim::Build() : [&](weft_fabric *f) {
            c.topology[0] == 's' ? BuildSwitch(f, c.n, c.rate_bps, c.latency_ps)
                                 : BuildRing(f, c.n, c.rate_bps, c.latency_ps);
        });
    EXPECT_EQ(sim.err.code, 0) << sim.err.msg;
    int64_t end = 0;
    for (uint32_t r = 0; r < c.n; r++)
        end = std::max(end, sim.Result(r).end_ps);
    return end;
}

const weft_coll_kind kKinds[] = {WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_GATHER,
                                 WEFT_COLL_REDUCE_SCATTER, WEFT_COLL_ALL_TO_ALL};

template <size_t N> uint64_t Pick(weft_rng *rng, const uint64_t (&from)[N])
{
    return from[weft_rng_below(rng, N)];
}

Case Random(weft_rng *rng)
{
    static const uint64_t n[] = {2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17, 23, 31, 32};
    static const uint64_t bytes[] = {1,       5,       100,      4096,     65537,
                                     1000003, 1048576, 12345678, 67108864, 999999937};
    static const uint64_t chunks[] = {1, 2, 3, 4, 7, 16};
    static const uint64_t rate[] = {25000000000, 100000000000, 429496729600, 1600000000000};
    static const uint64_t memory[] = {400000000000, 12800000000000, 26800000000000};
    static const uint64_t latency[] = {0, 30000, 500000, 2000000}, delay[] = {0, 10000, 100000};
    static const char *const topologies[] = {"flat", "switch", "ring"};
    Case c = {};
    c.topology = topologies[weft_rng_below(rng, 3)];
    c.n = (uint32_t)Pick(rng, n);
    c.bytes = Pick(rng, bytes);
    c.chunks = Pick(rng, chunks);
    c.rate_bps = Pick(rng, rate);
    c.memory_bps = Pick(rng, memory);
    c.latency_ps = (int64_t)Pick(rng, latency);
    c.delay_ps = (int64_t)Pick(rng, delay);
    return c;
}

class ClosedForms : public ::testing::TestWithParam<const char *>
{
};

/* 200 cases each, every kind. */
TEST_P(ClosedForms, SameNanosecond)
{
    const bool halves = GetParam()[0] == 'h';
    const Settings more = {{"all-to-all", halves ? "direct" : GetParam()}};
    for (uint64_t seed = 0; seed < 200; seed++) {
        weft_rng rng = weft_rng_stream(seed, GetParam(), 0);
        Case c = Random(&rng);
        if (halves) { // a power of two, and sizes that divide
            while (c.n & (c.n - 1))
                c.n &= c.n - 1;
            const uint64_t unit = c.n * c.chunks;
            c.bytes = (c.bytes + unit - 1) / unit * unit;
        }
        for (weft_coll_kind kind : kKinds) {
            if (kind == WEFT_COLL_ALL_TO_ALL && halves)
                continue;
            ASSERT_EQ(Played(c, kind, GetParam(), more), Expected(c, GetParam(), kind))
                << weft_coll_kind_name(kind) << ": " << ::testing::PrintToString(c);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ClosedForms, ::testing::Values("ring", "direct", kHd),
                         [](const auto &info) { return std::string(info.param, 0, 4); });

/* The oracle itself: the published closed forms where blocks are alike (N = 8, 1 MiB, 4 chunks). */
TEST(ClosedForm, OfTheOracle)
{
    const Case c = {"flat", 8, kMiB, 4, k50GiBps, 12800000000000, 500000, 10000};
    EXPECT_EQ(Expected(c, "ring", WEFT_COLL_ALL_REDUCE), 64440000);
    EXPECT_EQ(Expected(c, "ring", WEFT_COLL_ALL_TO_ALL), 125480000);
    EXPECT_EQ(Expected(c, "direct", WEFT_COLL_ALL_REDUCE), 9240000);
    EXPECT_EQ(Expected(c, kHd, WEFT_COLL_ALL_REDUCE), 47168000);
    EXPECT_EQ(Expected(c, kHd, WEFT_COLL_ALL_GATHER), 142872000);
    EXPECT_EQ(Expected(c, kHd, WEFT_COLL_REDUCE_SCATTER), 23964000);
}

/* Over dimensions, chunks of one size: each dimension is a machine that a chunk occupies for its
 * closed form. */
TEST(ClosedForm, OverDimensions)
{
    const std::vector<std::vector<uint32_t>> shapes = {{2, 2},    {3, 5},    {8, 2},      {4, 4},
                                                       {7, 3},    {2, 3, 5}, {4, 2, 2},   {3, 3, 3},
                                                       {4, 4, 4}, {1, 6},    {2, 2, 2, 2}};
    for (uint64_t seed = 0; seed < 200; seed++) {
        weft_rng rng = weft_rng_stream(seed, "dimensions", 0);
        Case c = Random(&rng);
        const auto &shape = shapes[weft_rng_below(&rng, shapes.size())];
        const std::string algorithm = weft_rng_below(&rng, 2) ? "ring" : "direct";
        std::string dims, algorithms;
        c.topology = "flat";
        c.n = 1;
        for (uint32_t size : shape) {
            dims += (dims.empty() ? "" : ",") + std::to_string(size);
            algorithms += (algorithms.empty() ? "" : ",") + algorithm;
            c.n *= size;
        }
        for (weft_coll_kind kind : kKinds) {
            c.chunks = kind == WEFT_COLL_ALL_REDUCE ? 1 : 1 + weft_rng_below(&rng, 8);
            c.bytes = c.chunks * c.n * c.n * (1 + weft_rng_below(&rng, 10000));
            // the phases of a chunk
            std::vector<int64_t> phase;
            uint64_t held = c.bytes / c.chunks;
            auto add = [&](uint32_t size, weft_coll_kind what) {
                Case one = c;
                one.n = size;
                one.bytes = held;
                one.chunks = 1;
                if (size > 1)
                    phase.push_back(Expected(one, algorithm.c_str(), what));
                held = what == WEFT_COLL_REDUCE_SCATTER ? held / size
                       : what == WEFT_COLL_ALL_GATHER   ? held * size
                                                        : held;
            };
            size_t last = shape.size() - 1; // of all-reduce: one whole all-reduce
            for (size_t d = 0; d < shape.size(); d++) {
                if (kind == WEFT_COLL_ALL_GATHER)
                    add(shape[shape.size() - 1 - d], kind);
                else if (kind != WEFT_COLL_ALL_REDUCE)
                    add(shape[d], kind);
                else
                    add(shape[d], d == last ? kind : WEFT_COLL_REDUCE_SCATTER);
            }
            for (size_t d = last; kind == WEFT_COLL_ALL_REDUCE && d-- > 0;)
                add(shape[d], WEFT_COLL_ALL_GATHER);
            std::vector<int64_t> free(phase.size(), 0);
            for (uint64_t i = 0; i < c.chunks; i++) {
                int64_t at = 0;
                for (size_t p = 0; p < phase.size(); p++)
                    free[p] = at = std::max(at, free[p]) + phase[p];
            }
            const int64_t end = Played(c, kind, algorithms.c_str(), {{"dims", dims.c_str()}});
            ASSERT_EQ(end, free.back()) << weft_coll_kind_name(kind) << " " << dims << " "
                                        << algorithm << " " << ::testing::PrintToString(c);
        }
    }
}

} // namespace
