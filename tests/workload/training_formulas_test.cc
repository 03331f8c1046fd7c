// SPDX-License-Identifier: GPL-2.0-only
// Jobs of every parallelism, schedule and sharding, alone and mixed, against closed forms:
// collectives and messages with their bytes, bubbles, memory. The forms are written out here anew,
// from the shape of the model on, and share nothing with the generator.
#include "training_job.h"

#include <cmath>
#include <map>
#include <random>

using namespace training_job;

namespace
{

/* A shape as published; mla: q_lora, kv_lora, rope, nope, v. */
struct Shape {
    const char *name;
    uint64_t layers, h, a, k, f, V, s;
    bool gated;
    uint64_t E = 0, K = 0, fe = 0, shared = 0, dense = 0;
    uint64_t mla[5] = {};
};

const Shape llama{"llama3-8b", 32, 4096, 32, 8, 14336, 128256, 8192, true};
const Shape llama70{"llama3-70b", 80, 8192, 64, 8, 28672, 128256, 8192, true};
const Shape llama405{"llama3-405b", 126, 16384, 128, 8, 53248, 128256, 8192, true};
const Shape gpt{"gpt3-13b", 40, 5120, 40, 40, 20480, 51200, 2048, false};
const Shape gpt175{"gpt3-175b", 96, 12288, 96, 96, 49152, 51200, 2048, false};
const Shape mixtral{"mixtral-8x7b", 32, 4096, 32, 8, 14336, 32000, 4096, true, 8, 2, 14336};
const Shape deepseek{"deepseek-v3",
                     61,
                     7168,
                     128,
                     128,
                     18432,
                     129280,
                     4096,
                     true,
                     256,
                     8,
                     2048,
                     1,
                     3,
                     {1536, 512, 64, 128, 128}};

enum Order { F1B1, GPIPE, INTERLEAVED, ZBH1, BW2, DUAL };
const char *const orders[] = {"1f1b", "gpipe", "interleaved", "zb-h1", "2bw", "dualpipe"};

struct Job {
    const Shape &model;
    uint64_t t, c, d, p, m, layers;
    Order order = F1B1;
    uint64_t v = 1, e = 1, te = 0;
    int zero = 1;
    bool sp = true;
    int recompute = 0; /* none, selective, full */
    const char *context = "ring";
    uint64_t g = 4, shard = 0, b = 1;
};

const std::vector<Job> jobs = {
    {llama, 1, 1, 8, 1, 2, 8, F1B1, 1, 1, 0, 0},
    {llama, 1, 1, 8, 1, 3, 8, F1B1, 1, 1, 0, 2},
    {llama, 1, 1, 8, 1, 2, 8, F1B1, 1, 1, 0, 3},
    {llama, 1, 1, 16, 1, 1, 8, F1B1, 1, 1, 0, 3, true, 2, "ring", 2, 4},
    {llama, 8, 1, 2, 1, 2, 8},
    {llama, 8, 1, 1, 1, 2, 8, F1B1, 1, 1, 0, 0, false},
    {llama, 4, 1, 2, 2, 4, 32},
    {llama70, 8, 1, 2, 4, 8, 80, F1B1, 1, 1, 0, 1, true, 2},
    {llama70, 8, 2, 1, 4, 8, 16, INTERLEAVED, 2, 1, 0, 1, true, 1},
    {llama405, 8, 2, 2, 2, 6, 8, F1B1, 1, 1, 0, 2, true, 0, "all-gather"},
    {llama, 2, 4, 2, 1, 2, 4, F1B1, 1, 1, 0, 3, true, 2, "all-gather", 2},
    {llama, 2, 4, 1, 2, 3, 4, GPIPE, 1, 1, 0, 0, true, 1, "all-to-all"},
    {llama, 1, 8, 1, 1, 2, 4, F1B1, 1, 1, 0, 1, true, 2},
    {llama, 2, 1, 2, 4, 8, 8, ZBH1},
    {llama, 2, 1, 2, 4, 8, 8, BW2},
    {llama, 1, 1, 4, 4, 10, 8, BW2, 1, 1, 0, 0},
    {llama, 2, 1, 2, 4, 12, 8, DUAL},
    {gpt, 2, 1, 2, 4, 8, 8, F1B1, 1, 1, 0, 0, false, 2},
    {gpt, 4, 1, 2, 2, 4, 8, INTERLEAVED, 2, 1, 0, 1, true, 0, "ring", 2, 0, 4},
    {gpt175, 8, 1, 1, 8, 16, 96, GPIPE},
    {gpt, 4, 2, 2, 1, 2, 4, F1B1, 1, 1, 0, 3},
    {mixtral, 1, 1, 8, 1, 2, 4, F1B1, 1, 8, 0, 1},
    {mixtral, 2, 1, 4, 2, 4, 4, F1B1, 1, 4, 2, 2, true, 2},
    {mixtral, 2, 1, 8, 2, 4, 4, ZBH1, 1, 8, 1, 1},
    {mixtral, 2, 2, 4, 2, 4, 8, INTERLEAVED, 2, 4, 2, 3, true, 1},
    {mixtral, 1, 1, 8, 4, 8, 8, DUAL, 1, 4, 0, 1, true, 1},
    {deepseek, 1, 1, 32, 2, 4, 8, F1B1, 1, 16, 0, 1, true, 2},
    {deepseek, 2, 1, 8, 4, 8, 8, DUAL, 1, 8, 1, 1, true, 1},
    {deepseek, 4, 2, 4, 2, 2, 8, F1B1, 1, 8, 4, 2, true, 0, "all-gather"},
    {mixtral, 4, 2, 8, 4, 8, 16, BW2, 1, 8, 2, 1, true, 1},
};

uint64_t te_of(const Job &j)
{
    return j.model.E == 0 ? 1 : j.te ? j.te : j.t;
}

Settings settings(const Job &j)
{
    const char *const sharding[] = {"ddp", "zero-1", "zero-2", "zero-3"};
    const char *const recompute[] = {"none", "selective", "full"};
    const auto n = [](uint64_t x) { return std::to_string(x); };
    return {{"ranks", n(j.t * j.c * j.d * j.p)},
            {"model", j.model.name},
            {"layers", n(j.layers)},
            {"tp", n(j.t)},
            {"cp", n(j.c)},
            {"pp", n(j.p)},
            {"ep", n(j.e)},
            {"etp", n(j.te)},
            {"virtual-stages", n(j.v)},
            {"microbatch", n(j.b)},
            {"microbatches", n(j.m)},
            {"schedule", orders[j.order]},
            {"data-parallel", sharding[j.zero]},
            {"sequence-parallel", j.sp ? "true" : "false"},
            {"recompute", recompute[j.recompute]},
            {"context-parallel", j.context},
            {"fp32-gradients", j.g == 4 ? "true" : "false"},
            {"shard-ranks", n(j.shard)},
            {"check-memory", "false"}};
}

std::string name_of(const Job &j)
{
    std::string s;
    for (const auto &[k, v] : settings(j))
        s += k + "=" + v + " ";
    return s;
}

/* Layers of the model on a rank of a stage, with how many microbatches go through each, and which
 * ends it has. */
struct Stage {
    std::vector<uint64_t> layers;
    uint64_t m; /* microbatches through each of its chunks */
    uint64_t chunks = 0, firsts = 0, lasts = 0;
};

Stage stage_of(const Job &j, uint64_t i)
{
    Stage s{{}, j.order == DUAL ? j.m / 2 : j.m};
    const uint64_t chunks = j.p * j.v, each = j.layers / chunks;
    std::vector<uint64_t> mine;
    if (j.order == DUAL)
        mine = {i, j.p - 1 - i};
    else
        for (uint64_t q = 0; q < j.v; q++)
            mine.push_back(q * j.p + i);
    for (uint64_t q : mine) {
        for (uint64_t l = 0; l < each; l++)
            s.layers.push_back(q * each + l);
        s.chunks++;
        s.firsts += q == 0;
        s.lasts += q == chunks - 1;
    }
    return s;
}

bool moe(const Shape &x, uint64_t layer)
{
    return x.E > 0 && layer >= x.dense;
}

/* Parameters of a block on a rank: dense, of these not split over tp, experts. */
struct Params {
    uint64_t dense = 0, same = 0, experts = 0;
};

Params block(const Job &j, uint64_t layer)
{
    const Shape &x = j.model;
    const uint64_t d = x.h / x.a, k = std::max(x.k, j.t), one = 3 * x.h * x.fe;
    const auto [ql, kvl, rope, nope, vd] = x.mla;
    Params n;
    if (kvl) {
        n.same = x.h * ql + x.h * (kvl + rope) + ql + kvl;
        n.dense =
            n.same + (ql * x.a * (nope + rope) + kvl * x.a * (nope + vd) + x.a * vd * x.h) / j.t;
    } else {
        n.dense = (2 * x.h * x.a * d + 2 * x.h * k * d) / j.t;
    }
    if (!x.gated) { /* 12 h^2 + 13 h without tensor parallelism */
        n.same = x.h + x.h + 4 * x.h;
        n.dense += (x.a * d + 2 * k * d) / j.t + (2 * x.h * x.f + x.f) / j.t + n.same;
        return n;
    }
    n.same += 2 * x.h;
    n.dense += 2 * x.h;
    if (moe(x, layer)) {
        n.same += x.h * x.E;
        n.dense += x.h * x.E + x.shared * one / j.t;
        n.experts = x.E * one / (j.e * te_of(j));
    } else {
        n.dense += 3 * x.h * x.f / j.t;
    }
    return n;
}

Params stage_params(const Job &j, uint64_t i)
{
    const Shape &x = j.model;
    const Stage s = stage_of(j, i);
    Params n;
    for (uint64_t l : s.layers) {
        const Params b = block(j, l);
        n.dense += b.dense;
        n.same += b.same;
        n.experts += b.experts;
    }
    n.dense += s.firsts * (x.V * x.h / j.t + (x.gated ? 0 : x.s * x.h));
    n.same += s.firsts * (x.gated ? 0 : x.s * x.h);
    const uint64_t norm = x.gated ? x.h : 2 * x.h;
    n.dense += s.lasts * ((x.gated || j.p > 1 ? x.V * x.h / j.t : 0) + norm);
    n.same += s.lasts * norm;
    return n;
}

/* Number and bytes, as Chakra counts them, of what a rank of a stage takes part in. */
using Sums = std::map<std::pair<weft_comm, int>, Sum>;

void put(Sums &all, weft_comm comm, int kind, uint64_t n, uint64_t bytes)
{
    if (n && bytes) {
        all[{comm, kind}].n += n;
        all[{comm, kind}].bytes += n * bytes;
    }
}

/* Tensor parallelism: 6 all-gathers and 4 reduce-scatters of S, 3 and 2 of them around attention;
 * without sequence parallelism 4 all-reduces. */
void tensor_parallel(const Job &j, const Stage &s, const Params &n, Sums &all)
{
    const Shape &x = j.model;
    const uint64_t tokens = x.s / j.c * j.b, S = tokens * x.h * 2, again = j.recompute == 2;
    if (j.t == 1)
        return;
    for (uint64_t l : s.layers) {
        const uint64_t parts = moe(x, l) ? 1 + (x.shared > 0) : 2;
        if (j.sp) {
            put(all, WEFT_COMM_TP, AG, s.m * parts * (3 + again), S / j.t);
            put(all, WEFT_COMM_TP, RS, s.m * parts * (2 + again), S);
        } else {
            put(all, WEFT_COMM_TP, AR, s.m * parts * (2 + again), S);
        }
    }
    put(all, WEFT_COMM_TP, j.sp && x.gated ? RS : AR, s.firsts * s.m, S);
    put(all, WEFT_COMM_TP, AG, j.sp ? s.firsts * s.m : 0, S / j.t);
    put(all, WEFT_COMM_TP, AG, j.sp ? s.lasts * s.m * 2 : 0, S / j.t);
    put(all, WEFT_COMM_TP, j.sp ? RS : AR, s.lasts * s.m, S);
    put(all, WEFT_COMM_TP, AR, s.lasts * s.m, 4 * tokens);
    put(all, WEFT_COMM_TP, AR, s.lasts * s.m, 8 * tokens);
    put(all, WEFT_COMM_TP, AR, j.sp, 4 * n.same);
}

/* Experts: dispatch and combine, forward and backward, and again forward when recomputed. */
void expert_parallel(const Job &j, const Stage &s, Sums &all)
{
    const Shape &x = j.model;
    const uint64_t rows = x.s / j.c * j.b / (j.sp ? j.t : 1) * x.K, A = rows * x.h * 2;
    const uint64_t passes = 2 + (j.recompute == 2), te = te_of(j);
    for (uint64_t l : s.layers) {
        if (!moe(x, l))
            continue;
        if (j.e > 1)
            put(all, WEFT_COMM_EP, A2A, s.m * 2 * passes, A);
        if (te > 1) {
            put(all, WEFT_COMM_ETP, AG, s.m * passes, A);
            put(all, WEFT_COMM_ETP, RS, s.m * passes, te * A);
        }
    }
}

uint64_t key_value_unit(const Job &j)
{
    const Shape &x = j.model;
    const auto [ql, kvl, rope, nope, vd] = x.mla;
    const uint64_t tokens = x.s / j.c * j.b;
    return kvl ? tokens * 2 * x.a / j.t * (nope + rope + vd)
               : tokens * 2 * std::max<uint64_t>(1, x.k / j.t) * (x.h / x.a) * 2;
}

void context_parallel(const Job &j, const Stage &s, Sums &all)
{
    const std::string how = j.context;
    const uint64_t U = key_value_unit(j), uses = s.m * s.layers.size(), again = j.recompute > 0;
    const uint64_t query = j.model.s / j.c * j.b * j.model.h / j.t * 2;
    if (j.c == 1)
        return;
    if (how == "all-gather") {
        put(all, WEFT_COMM_CP, AG, uses * 2 * (2 + again), U / 2);
        put(all, WEFT_COMM_CP, RS, uses * 2, U / 2 * j.c);
    } else if (how == "all-to-all") {
        put(all, WEFT_COMM_CP, A2A, uses * 2 * (2 + again), query);
        put(all, WEFT_COMM_CP, A2A, uses * 2 * (2 + again), U / 2);
    }
}

/* Around the ring: c - 1 messages and as many units forward, c messages of 2 (c - 1) units
 * backward. */
Sum ring(const Job &j, const Stage &s)
{
    const uint64_t uses = s.m * s.layers.size(), again = j.recompute > 0;
    if (j.c == 1 || std::string(j.context) != "ring")
        return {};
    return {uses * ((j.c - 1) * (1 + again) + j.c),
            uses * (3 + again) * (j.c - 1) * key_value_unit(j)};
}

/* Between stages: forward from every chunk but the model's last, backward from every one but its
 * first. */
Sum pipeline(const Job &j, const Stage &s)
{
    const Shape &x = j.model;
    const uint64_t n = s.m * (2 * s.chunks - s.firsts - s.lasts);
    return {n, n * (x.s / j.c * j.b * x.h * 2 / (j.sp ? j.t : 1))};
}

void expect_counted(const Job &j, uint64_t i, const std::vector<Node> &nodes)
{
    const Stage s = stage_of(j, i);
    const Params n = stage_params(j, i);
    Sums want, got;
    tensor_parallel(j, s, n, want);
    expert_parallel(j, s, want);
    context_parallel(j, s, want);
    if (!j.model.gated && j.p > 1 && (i == 0 || i == j.p - 1))
        put(want, WEFT_COMM_EMBEDDING, AR, 1, 4 * j.model.V * j.model.h / j.t);
    put(want, WEFT_COMM_WORLD, AR, j.t * j.c * j.d * j.p > 1, 4);
    for (const Node &x : nodes)
        if (x.kind >= 0 && x.comm != WEFT_COMM_DP && x.comm != WEFT_COMM_EDP &&
            x.comm != WEFT_COMM_SHARD && x.comm != WEFT_COMM_REPLICA)
            put(got, x.comm, x.kind, 1, x.bytes);
    ASSERT_EQ(want.size(), got.size()) << name_of(j);
    for (const auto &[key, sum] : want) {
        const std::string what = name_of(j) + "stage " + std::to_string(i) + " " +
                                 weft_comm_name(key.first) + " kind " + std::to_string(key.second);
        EXPECT_EQ(got[key].n, sum.n) << what;
        EXPECT_EQ(got[key].bytes, sum.bytes) << what;
    }
}

/* Gradients and weights of @p params over @p n ranks: bytes of whole buffers; rounding each
 * bucket's shard up adds less than n bytes to it. */
void expect_shared(const Job &j, const std::vector<Node> &nodes, weft_comm comm, uint64_t params,
                   uint64_t n)
{
    const uint64_t reductions = j.zero >= 2 ? j.m : 1;
    const uint64_t gathers = j.zero == 0 ? 0 : j.zero == 3 ? 2 * j.m : 1;
    const Sum ar = collectives(nodes, comm, AR), rs = collectives(nodes, comm, RS),
              ag = collectives(nodes, comm, AG);
    const bool any = n > 1;
    EXPECT_EQ(ar.bytes, any && j.zero == 0 ? j.g * params : 0) << name_of(j);
    EXPECT_EQ(rs.bytes, any && j.zero > 0 ? reductions * j.g * params : 0) << name_of(j);
    EXPECT_GE(ag.bytes * n, any ? gathers * 2 * params : 0) << name_of(j);
    EXPECT_LT(ag.bytes * n, any ? gathers * 2 * params + ag.n * n + 1 : 1) << name_of(j);
}

void expect_data_parallel(const Job &j, uint64_t i, const std::vector<Node> &nodes)
{
    const Params n = stage_params(j, i);
    const uint64_t copies = j.order == DUAL ? 2 : 1, ranks = j.c * j.d;
    const uint64_t edp = j.model.E ? j.t * ranks / (te_of(j) * j.e) : 1;
    expect_shared(j, nodes, WEFT_COMM_EDP, n.experts, n.experts ? edp * copies : 1);
    if (!j.shard) {
        expect_shared(j, nodes, WEFT_COMM_DP, n.dense, ranks * copies);
        return;
    }
    expect_shared(j, nodes, WEFT_COMM_SHARD, n.dense, j.shard);
    const Sum copy = collectives(nodes, WEFT_COMM_REPLICA, AR);
    EXPECT_GE(copy.bytes * j.shard, j.m * j.g * n.dense);
    EXPECT_LT(copy.bytes * j.shard, j.m * j.g * n.dense + copy.n * j.shard);
}

/* Idle over ideal time when F = I = W. */
double bubble(const Job &j)
{
    const double p = double(j.p), m = double(j.m);
    switch (j.order) {
    case INTERLEAVED:
        return (p - 1) / (double(j.v) * m);
    case ZBH1:
        return (p - 1) / (3 * m);
    case BW2:
        return 0;
    case DUAL:
        return (p / 2 - 1) * 2 / (3 * m);
    default:
        return (p - 1) / m;
    }
}

/* Chunks of layers whose activations a stage holds at most. */
uint64_t in_flight(const Job &j, uint64_t i)
{
    switch (j.order) {
    case GPIPE:
        return j.m;
    case INTERLEAVED:
        return std::min(j.m * j.v, 2 * (j.p - 1 - i) + (j.v - 1) * j.p + 1);
    case ZBH1:
        return std::min(j.m, j.p);
    case DUAL:
        return j.p + 1;
    default:
        return std::min(j.m, j.p - i);
    }
}

/* Activations of a block, flash attention: 34 s b h for GPT, counted for gated ones. */
double activations(const Job &j, uint64_t layer)
{
    const Shape &x = j.model;
    const double h = double(x.h), t = double(j.t), n = double(x.s / j.c * j.b),
                 r = j.sp ? 1 / t : 1;
    if (!x.gated)
        return n * h * (10 * r + 24 / t);
    const auto [ql, kvl, rope, nope, vd] = x.mla;
    const double heads =
        kvl ? double(4 * x.a * (nope + rope + vd)) : double(4 * x.a + 4 * x.k) * double(x.h / x.a);
    const double ffn = moe(x, layer)
                           ? double(x.K) * (2 * h * double(te_of(j)) + 6 * double(x.fe)) * r +
                                 6 * double(x.shared * x.fe) / t
                           : 6 * double(x.f) / t;
    return n * (8 * h * r + heads / t + ffn);
}

void expect_memory(const Job &j, uint64_t i, const weft_training_plan &q)
{
    const Shape &x = j.model;
    const Stage s = stage_of(j, i);
    const Params n = stage_params(j, i);
    const double copies = j.order == DUAL ? 2 : 1;
    const double D = j.shard ? double(j.shard) : double(j.c * j.d) * copies;
    const double edp = j.model.E ? double(j.t * j.c * j.d / (te_of(j) * j.e)) * copies : 1;
    auto of = [&](double bytes, int level) {
        return j.zero >= level ? bytes * (double(n.dense) / D + double(n.experts) / edp)
                               : bytes * double(n.dense + n.experts);
    };
    const weft_training_memory m = weft_training_memory_of(&q, i);
    EXPECT_NEAR(double(m.weight_bytes), of(j.order == BW2 ? 4 : 2, 3), 2) << name_of(j);
    EXPECT_NEAR(double(m.gradient_bytes), of(double(j.g), 2), 2) << name_of(j);
    EXPECT_NEAR(double(m.optimizer_bytes), of(12, 1), 2) << name_of(j);
    const double tokens = double(x.s / j.c * j.b),
                 kept = 2 * tokens * double(x.h) / (j.sp ? double(j.t) : 1);
    double chunk = 0, largest = 0; /* of the fullest chunk, of the fullest block */
    const size_t each = s.layers.size() / s.chunks;
    for (size_t c = 0; c < s.chunks; c++) {
        double sum = 0;
        for (size_t l = 0; l < each; l++) {
            const double one = activations(j, s.layers[c * each + l]);
            sum += j.recompute == 2 ? kept : one;
            largest = std::max(largest, one);
        }
        chunk = std::max(chunk, sum);
    }
    double want = double(in_flight(j, i)) * chunk + (j.recompute == 2 ? largest : 0);
    want += s.lasts ? 4 * tokens * double(x.V) / double(j.t) : 0;
    if (s.firsts && !x.gated) /* the mask of the embedding's dropout */
        want += tokens * double(x.h) / (j.sp ? double(j.t) : 1) *
                std::ceil(double(in_flight(j, i)) / double(j.v));
    EXPECT_NEAR(double(m.activation_bytes), want, 1e-9 * want) << name_of(j) << "stage " << i;
    double blocks[2] = {0, 0};
    for (uint64_t l : s.layers) {
        const Params b = block(j, l);
        const double one = double(b.dense + b.experts) * (2 + double(j.g));
        if (one > blocks[0])
            blocks[0] = one;
    }
    blocks[1] = s.layers.size() > 1 ? blocks[0] : 0;
    EXPECT_NEAR(double(m.gathered_bytes), j.zero == 3 ? blocks[0] + blocks[1] : 0, 2) << name_of(j);
}

void expect_formulas(const Job &j)
{
    const weft_training_plan q = plan_of(settings(j));
    EXPECT_NEAR(weft_schedule_bubble(&q), bubble(j), 1e-12) << name_of(j);
    for (uint64_t i = 0; i < j.p; i++) {
        const uint64_t each = q.world / j.p, rank = i * each + each - 1;
        const std::vector<Node> nodes = nodes_of(q, rank);
        expect_counted(j, i, nodes);
        expect_data_parallel(j, i, nodes);
        expect_memory(j, i, q);
        Sum all;
        for (const Node &x : nodes)
            if (x.type == WEFT_ET_COMM_SEND_NODE) {
                all.n++;
                all.bytes += x.bytes;
            }
        const Stage s = stage_of(j, i);
        EXPECT_EQ(all.n, ring(j, s).n + pipeline(j, s).n) << name_of(j);
        EXPECT_EQ(all.bytes, ring(j, s).bytes + pipeline(j, s).bytes) << name_of(j);
    }
}

/* Any combination; many of them cannot be. */
Job any_job(std::mt19937 &r)
{
    const Shape *const shapes[] = {&llama, &llama70, &gpt, &mixtral, &deepseek};
    const char *const contexts[] = {"ring", "all-gather", "all-to-all"};
    auto one_of = [&](std::vector<uint64_t> v) { return v[r() % v.size()]; };
    Job j{*shapes[r() % 5],
          one_of({1, 2, 4}),
          one_of({1, 1, 2, 4}),
          one_of({1, 2, 4}),
          one_of({1, 2, 4}),
          one_of({1, 2, 3, 4, 8, 12}),
          8};
    j.order = Order(r() % 6);
    j.v = j.order == INTERLEAVED ? 2 : 1;
    if (j.model.E) {
        j.e = one_of({1, 2, 4, 8});
        j.te = one_of({0, 1, 2});
    }
    j.zero = int(r() % 4);
    j.sp = r() % 4 > 0;
    j.recompute = int(r() % 3);
    j.context = contexts[r() % 3];
    j.g = one_of({2, 4});
    j.shard = j.zero == 3 ? one_of({0, 0, 2}) : 0;
    j.shard = j.shard < j.c * j.d ? j.shard : 0;
    j.b = one_of({1, 1, 2});
    return j;
}

} // namespace

TEST(TrainingFormulas, ThirtyJobs)
{
    ASSERT_GE(jobs.size(), 30u);
    for (const Job &j : jobs)
        expect_formulas(j);
}

TEST(TrainingFormulas, AnyJobs)
{
    std::mt19937 r(17);
    int tried = 0;
    for (int i = 0; i < 20000 && tried < 400; i++) {
        const Job j = any_job(r);
        if (!refusal(settings(j)).empty())
            continue;
        tried++;
        expect_formulas(j);
        if (HasFailure())
            break;
    }
    EXPECT_EQ(tried, 400);
}
