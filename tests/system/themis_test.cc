/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Themis over dimensions of unequal bandwidth: it ends under every discipline, moves every byte,
 * stays above what the links allow and, where it may plan, is not slower than the baseline.
 */
#include "job.h"

#include <random>
#include <string>

namespace
{

const uint64_t kGbps = 1000000000;

struct Shape {
    std::vector<uint32_t> size;
    std::vector<uint64_t> gbps;
};

std::string List(const std::vector<uint32_t> &size)
{
    std::string s;
    for (uint32_t n : size)
        s += (s.empty() ? "" : ",") + std::to_string(n);
    return s;
}

/* Every line of every dimension has a switch of its own; a core joins what never talks. */
void Lines(weft_fabric *f, const Shape &shape, uint32_t n)
{
    weft_err err = {};
    uint32_t core, sw, stride = 1;
    weft_fabric_add_node(f, WEFT_NODE_SWITCH, 2, &core, &err);
    for (size_t d = 0; d < shape.size.size(); stride *= shape.size[d++])
        for (uint32_t h = 0; h < n; h++) {
            if (h / stride % shape.size[d])
                continue;
            weft_fabric_add_node(f, WEFT_NODE_SWITCH, 1, &sw, &err);
            weft_fabric_link link = {sw, core, kGbps, 100000000, 0, 0};
            weft_fabric_add_link(f, &link, nullptr, &err);
            for (uint32_t k = 0; k < shape.size[d]; k++) {
                link = {h + k * stride, sw, shape.gbps[d] * kGbps, 250000, 0, 0};
                weft_fabric_add_link(f, &link, nullptr, &err);
            }
        }
}

uint32_t Ranks(const Shape &shape)
{
    uint32_t n = 1;
    for (uint32_t size : shape.size)
        n *= size;
    return n;
}

struct Collective {
    weft_coll_kind kind;
    const char *setting;
    uint64_t bytes;
    std::string algorithms; /* per dimension */
    std::string chunks, active = "1", endpoint = "0";
};

/* Its end, in ps; -1 when it did not end. */
int64_t Play(const Shape &shape, const Collective &c, const char *inter, const char *intra,
             uint64_t received = 0)
{
    const uint32_t n = Ranks(shape);
    std::string rates, latencies;
    for (uint64_t g : shape.gbps) {
        const char *comma = rates.empty() ? "" : ",";
        rates += comma + std::to_string(g) + "Gbps";
        latencies += comma + std::string("500ns");
    }
    Job job(n);
    job.Everywhere(c.kind, c.bytes);
    Sim sim(job,
            {{c.setting, c.algorithms.c_str()},
             {"dims", List(shape.size).c_str()},
             {"dim-bandwidths", rates.c_str()},
             {"dim-latencies", latencies.c_str()},
             {"inter-dimension", inter},
             {"intra-dimension", intra},
             {"chunks", c.chunks.c_str()},
             {"active-chunks", c.active.c_str()},
             {"endpoint-delay", c.endpoint.c_str()}},
            {{"model", "path"}}, [&](weft_fabric *f) { Lines(f, shape, n); });
    EXPECT_EQ(sim.err.code, 0) << sim.err.msg;
    if (!sim.Finished()) {
        ADD_FAILURE() << List(shape.size) << " " << rates << " " << inter << " " << intra << ": "
                      << sim.Explain()[0];
        return -1;
    }
    if (received) {
        EXPECT_EQ(sim.Totals().bytes_received, received);
    }
    int64_t end = 0;
    for (uint32_t r = 0; r < n; r++)
        end = std::max(end, sim.Result(r).end_ps);
    return end;
}

/* The same of an all-reduce. */
int64_t Play(const Shape &shape, uint64_t bytes, const char *inter, const char *intra,
             const char *chunks, const char *algorithm = "ring")
{
    std::string algorithms = algorithm;
    for (size_t d = 1; d < shape.size.size(); d++)
        algorithms += std::string(",") + algorithm;
    return Play(shape, {WEFT_COLL_ALL_REDUCE, "all-reduce", bytes, algorithms, chunks}, inter,
                intra, 2 * (Ranks(shape) - 1) * bytes);
}

/*
 * No schedule is faster: a rank sends 2 (N-1)/N of the data in sum, and in dimension d no less than
 * 2 (n-1)/N of it (when d comes last, with what the others have left).
 */
double FloorPs(const Shape &shape, uint64_t bytes)
{
    const double n = Ranks(shape), b = (double)bytes * 8000 / n; // ps at 1 Gbps
    double sum = 0, floor = 0;
    for (size_t d = 0; d < shape.size.size(); d++) {
        sum += (double)shape.gbps[d];
        floor = std::max(floor, 2.0 * (shape.size[d] - 1) * b / (double)shape.gbps[d]);
    }
    return std::max(floor, 2 * (n - 1) * b / sum);
}

void EveryDiscipline(const std::vector<uint32_t> &size,
                     const std::vector<std::vector<uint64_t>> &rates, uint64_t bytes,
                     const char *chunks)
{
    for (const auto &gbps : rates) {
        const Shape shape = {size, gbps};
        const double floor = FloorPs(shape, bytes);
        const int64_t baseline = Play(shape, bytes, "baseline", "concurrent", chunks);
        for (const char *intra : {"concurrent", "smallest-first", "fifo", "lifo", "priority"}) {
            const int64_t themis = Play(shape, bytes, "themis", intra, chunks);
            EXPECT_GE((double)themis, floor);
            EXPECT_LE((double)themis, 1.25 * (double)baseline) << gbps[0] << " " << intra;
            if (std::string(intra) == "concurrent") {
                EXPECT_LE((double)themis, 1.02 * (double)baseline) << gbps[0];
            }
        }
    }
}

TEST(Themis, FourByFour)
{
    EveryDiscipline({4, 4}, {{100, 100}, {100, 200}, {200, 100}, {100, 400}, {800, 100}}, 16 << 20,
                    "16");
}

TEST(Themis, FourCubed)
{
    EveryDiscipline({4, 4, 4},
                    {{100, 100, 100},
                     {400, 200, 100},
                     {100, 200, 400},
                     {200, 100, 400},
                     {100, 100, 400},
                     {800, 400, 100}},
                    64 << 20, "16");
}

TEST(Themis, EightCubed)
{
    EveryDiscipline({8, 8, 8}, {{100, 100, 100}, {400, 200, 100}, {100, 200, 400}}, 256 << 20,
                    "16");
}

/* Sizes that do not divide, fewer bytes than chunks, one chunk, other algorithms. */
TEST(Themis, AnySize)
{
    for (const char *algorithm : {"ring", "direct", "halving-doubling"}) {
        // of three, halving-doubling moves more than 2 (n - 1)
        const bool halves = std::string(algorithm) == "halving-doubling";
        const Shape shape = {{4, 2, halves ? 8u : 3u}, {400, 100, 200}};
        for (uint64_t bytes : {uint64_t{1}, uint64_t{23}, uint64_t{1000003}})
            for (const char *chunks : {"1", "7", "64"})
                for (const char *intra : {"concurrent", "smallest-first", "fifo", "lifo"})
                    EXPECT_GT(Play(shape, bytes, "themis", intra, chunks, algorithm), 0);
    }
}

/*
 * What it is for: the outer dimension has four times the bandwidth and the baseline gives it the
 * least to do. The baseline is bound by dimension 0, 2 x 3/4 x 64 MiB at 100 Gbps; all dimensions
 * together take 2 x 63/64 x 64 MiB at 700 Gbps, 5.33 times less.
 */
TEST(Themis, MovesTheLoadToTheFastDimension)
{
    const Shape shape = {{4, 4, 4}, {100, 200, 400}};
    const uint64_t bytes = 64 << 20;
    const double baseline = (double)Play(shape, bytes, "baseline", "concurrent", "64");
    EXPECT_GE(baseline, 1.5 * (double)bytes * 80);
    EXPECT_NEAR(1.5 * (double)bytes * 80 / FloorPs(shape, bytes), 5.333, 1e-3);
    EXPECT_GE(baseline / (double)Play(shape, bytes, "themis", "concurrent", "64"), 4);
}

/* Several chunks at once meet in a dimension, messages of a pair behind each other: what it plans
 * knows that, for programs whose members are alike and for others. */
TEST(Themis, NeverSlowerThanTheBestOfTheOthers)
{
    static const struct {
        weft_coll_kind kind;
        const char *setting;
    } kinds[] = {{WEFT_COLL_ALL_REDUCE, "all-reduce"},
                 {WEFT_COLL_ALL_REDUCE, "all-reduce"},
                 {WEFT_COLL_ALL_GATHER, "all-gather"},
                 {WEFT_COLL_REDUCE_SCATTER, "reduce-scatter"}};
    std::mt19937_64 rng(8);
    auto one_of = [&](auto list) { return list[rng() % list.size()]; };
    int gained = 0;
    for (int i = 0; i < 240; i++) {
        const auto kind = kinds[rng() % 4];
        Shape shape;
        Collective c = {kind.kind, kind.setting, 0, "", ""};
        const size_t n = 2 + rng() % 2;
        for (size_t d = 0; d < n; d++) {
            shape.size.push_back(one_of(n == 2 ? std::vector<uint32_t>{2, 3, 4, 5, 8}
                                               : std::vector<uint32_t>{2, 3, 4}));
            shape.gbps.push_back(one_of(std::vector<uint64_t>{25, 50, 100, 200, 300, 400, 800}));
            std::vector<const char *> algorithms = {"ring", "ring:bidirectional=true", "direct"};
            if ((shape.size[d] & (shape.size[d] - 1)) == 0)
                algorithms.push_back("halving-doubling");
            c.algorithms += std::string(d ? "," : "") + one_of(algorithms);
        }
        c.bytes = one_of(std::vector<uint64_t>{4096, 65536, 1000003, 16 << 20, 64 << 20});
        c.chunks = std::to_string(one_of(std::vector<int>{2, 3, 4, 5, 7, 8, 16, 32}));
        c.active = one_of(std::vector<const char *>{"1", "2", "2", "3", "4", "8"});
        c.endpoint = one_of(std::vector<const char *>{"0", "0", "10ns", "2us"});
        const int64_t others = std::min(Play(shape, c, "baseline", "concurrent"),
                                        Play(shape, c, "round-robin", "concurrent")),
                      themis = Play(shape, c, "themis", "concurrent");
        EXPECT_LE((double)themis, 1.001 * (double)others)
            << i << ": " << c.setting << " " << List(shape.size) << " " << c.algorithms << " "
            << c.bytes << " bytes, " << c.chunks << " chunks, " << c.active;
        gained += themis < others - others / 100;
    }
    EXPECT_GT(gained, 40); /* it is not one of the others always */
}

} // namespace
