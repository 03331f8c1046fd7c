// SPDX-License-Identifier: GPL-2.0-only
// Generated training jobs against published parameter counts, counts of real traces, worked examples and closed forms.
#include "workload/training/cost.h"
#include "workload/training/memory.h"
#include "workload/training/routing.h"
#include "workload/training/schedule.h"
#include "workload/training/training.h"

#include "wire.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

using namespace wire;

namespace
{

using Settings = std::vector<std::pair<std::string, std::string>>;

weft_training_params params_of(const Settings &set)
{
    weft_training_params p;
    weft_err err{};
    EXPECT_EQ(weft_params_defaults(&weft_training_param_table, &p, &err), 0) << Text(err);
    for (const auto &[name, value] : set)
        EXPECT_EQ(weft_params_set(&weft_training_param_table, &p, name.c_str(), value.c_str(), &err), 0) << Text(err);
    return p;
}

weft_training_plan plan_of(const Settings &set)
{
    weft_training_plan plan{};
    weft_err err{};
    const weft_training_params p = params_of(set);
    EXPECT_EQ(weft_training_plan_make(&p, &plan, &err), 0) << Text(err);
    return plan;
}

std::string refusal(const Settings &set)
{
    weft_training_plan plan{};
    weft_err err{};
    const weft_training_params p = params_of(set);
    return weft_training_plan_make(&p, &plan, &err) ? Text(err) : "";
}

const weft_model &model(const std::string &name)
{
    size_t n;
    const weft_model *all = weft_models(&n);
    return *std::find_if(all, all + n, [&](const weft_model &m) { return name == m.name; });
}

/* One collective or message of a rank's trace. */
struct Node {
    int type, kind; /* node type; comm_type of collectives, else -1 */
    weft_comm comm;
    uint64_t bytes, peer, tag;
};

uint64_t attribute(const weft_et_node &n, const char *name)
{
    uint64_t v = 0;
    const weft_et_attr *a = weft_et_find(&n, name);
    if (a) {
        EXPECT_EQ(weft_et_attr_u64(a, &v), 0);
    }
    return v;
}

weft_comm comm_of(const weft_training_plan &q, const weft_et_node &n)
{
    const weft_et_attr *a = weft_et_find(&n, "pg_name");
    if (!a)
        return WEFT_COMM_WORLD;
    const uint64_t number = std::stoull(a->value.text.data);
    for (int c = WEFT_COMM_WORLD; c-- > 0;)
        if (weft_comm_size(&q, weft_comm(c)) > 1 && number >= weft_comm_number(&q, weft_comm(c), 0))
            return weft_comm(c);
    ADD_FAILURE() << "group " << number;
    return WEFT_COMM_WORLD;
}

std::vector<Node> nodes_of(const weft_training_plan &q, uint64_t rank)
{
    weft_arena *arena = weft_arena_new();
    weft_et *et = nullptr;
    weft_err err{};
    std::vector<Node> out;
    EXPECT_EQ(weft_training_et(&q, rank, false, arena, &et, &err), 0) << Text(err);
    for (size_t i = 0; i < et->nnodes; i++) {
        const weft_et_node &n = et->nodes[i];
        if (n.type == WEFT_ET_COMM_COLL_NODE)
            out.push_back({n.type, int(attribute(n, "comm_type")), comm_of(q, n), attribute(n, "comm_size"), 0, 0});
        else if (n.type == WEFT_ET_COMM_SEND_NODE || n.type == WEFT_ET_COMM_RECV_NODE)
            out.push_back({n.type, -1, WEFT_COMM_WORLD, attribute(n, "comm_size"),
                           attribute(n, n.type == WEFT_ET_COMM_SEND_NODE ? "comm_dst" : "comm_src"),
                           attribute(n, "comm_tag")});
    }
    weft_arena_free(arena);
    return out;
}

/* Number and bytes of the collectives of a kind on a communicator. */
struct Sum {
    uint64_t n = 0, bytes = 0;
};

Sum collectives(const std::vector<Node> &nodes, weft_comm comm, int kind)
{
    Sum s;
    for (const Node &n : nodes)
        if (n.kind == kind && n.comm == comm) {
            s.n++;
            s.bytes += n.bytes;
        }
    return s;
}

uint64_t number(const std::vector<Node> &nodes, int kind)
{
    return std::count_if(nodes.begin(), nodes.end(), [&](const Node &n) { return n.kind == kind; });
}

Sum sends(const std::vector<Node> &nodes, uint64_t to)
{
    Sum s;
    for (const Node &n : nodes)
        if (n.type == WEFT_ET_COMM_SEND_NODE && n.peer == to) {
            s.n++;
            s.bytes += n.bytes;
        }
    return s;
}

constexpr int AR = WEFT_COLL_ALL_REDUCE, AG = WEFT_COLL_ALL_GATHER, RS = WEFT_COLL_REDUCE_SCATTER, A2A = WEFT_COLL_ALL_TO_ALL;

} // namespace

/* The checkpoints' own counts; of DeepSeek-V3 the report's 671 billion. */
TEST(TrainingModel, ParametersOfPublishedModels)
{
    EXPECT_EQ(weft_model_params(&model("llama2-7b")), 6738415616u);
    EXPECT_EQ(weft_model_params(&model("llama2-70b")), 68976648192u);
    EXPECT_EQ(weft_model_params(&model("llama3-8b")), 8030261248u);
    EXPECT_EQ(weft_model_params(&model("llama3-70b")), 70553706496u);
    EXPECT_EQ(weft_model_params(&model("llama3-405b")), 405853388800u);
    EXPECT_EQ(weft_model_params(&model("mixtral-8x7b")), 46702792704u);
    EXPECT_NEAR(double(weft_model_params(&model("mixtral-8x22b"))), 140.6e9, 0.05e9);
    EXPECT_NEAR(double(weft_model_params(&model("deepseek-v3"))), 671.03e9, 0.01e9);
    EXPECT_NEAR(double(weft_model_params(&model("gpt3-175b"))), 174.6e9, 0.05e9);
    EXPECT_NEAR(double(weft_model_params(&model("gpt-1t"))), 1008.0e9, 0.1e9);
}

TEST(TrainingModel, ForwardOperationsPerToken)
{
    const std::vector<std::tuple<const char *, double, double>> table = {
        {"gpt3-175b", 358.8, 354.0},  {"gpt-22b", 46.5, 45.3},     {"llama2-70b", 148.2, 142.8}, {"llama3-8b", 19.3, 17.2},
        {"llama3-70b", 160.5, 149.7}, {"llama3-405b", 875.1, 841.3}, {"mixtral-8x7b", 27.6, 26.6}, {"mixtral-8x22b", 83.6, 80.7},
        {"deepseek-v3", 93.7, 83.5}};
    for (const auto &[name, full, causal] : table) {
        const weft_model &m = model(name);
        EXPECT_NEAR(weft_model_forward_flops(&m, m.sequence, false) / 1e9, full, 0.004 * full) << name;
        EXPECT_NEAR(weft_model_forward_flops(&m, m.sequence, true) / 1e9, causal, 0.004 * causal) << name;
    }
}

/* Llama-3-8B on 16 ranks with sequence parallelism and a sharded optimizer, both stages. */
TEST(Training, LlamaTensorPipelineData)
{
    const weft_training_plan q = plan_of({{"ranks", "16"}, {"tp", "4"}, {"pp", "2"}, {"microbatches", "4"}, {"overlap-grad-reduce", "false"}});
    const uint64_t S = 67108864;
    const std::vector<Node> first = nodes_of(q, 0), last = nodes_of(q, 8);
    EXPECT_EQ(collectives(first, WEFT_COMM_TP, AG).n, 388u);
    EXPECT_EQ(collectives(first, WEFT_COMM_TP, AG).bytes, 388 * S / 4);
    EXPECT_EQ(collectives(first, WEFT_COMM_TP, RS).n, 260u);
    EXPECT_EQ(collectives(first, WEFT_COMM_TP, RS).bytes, 17448304640u);
    EXPECT_EQ(sends(first, 8).n, 4u);
    EXPECT_EQ(sends(first, 8).bytes, 4u * 16777216u);
    EXPECT_EQ(collectives(first, WEFT_COMM_DP, RS).bytes, 4015521792u);
    EXPECT_EQ(collectives(first, WEFT_COMM_DP, AG).bytes, 2007760896u / 2);
    EXPECT_EQ(collectives(first, WEFT_COMM_TP, AR).bytes, 524288u);
    EXPECT_EQ(collectives(last, WEFT_COMM_TP, AG).n, 392u);
    EXPECT_EQ(collectives(last, WEFT_COMM_TP, RS).n, 260u);
    EXPECT_EQ(collectives(last, WEFT_COMM_TP, AR).n, 8u + 1);
    EXPECT_EQ(collectives(last, WEFT_COMM_TP, AR).bytes, 393216u + 540672u);
    EXPECT_EQ(sends(last, 0).n, 4u);
    EXPECT_EQ(weft_training_stage_params(&q, 0).dense, 1003880448u);
    EXPECT_EQ(weft_training_stage_params(&q, 1).dense, 1003884544u);
    EXPECT_DOUBLE_EQ(weft_schedule_bubble(&q), 0.25);
    const double gib = 1 << 30;
    const weft_training_memory m0 = weft_training_memory_of(&q, 0), m1 = weft_training_memory_of(&q, 1);
    EXPECT_NEAR(double(m1.weight_bytes) / gib, 1.87, 0.005);
    EXPECT_NEAR(double(m1.gradient_bytes) / gib, 3.74, 0.005);
    EXPECT_NEAR(double(m1.optimizer_bytes) / gib, 5.61, 0.005);
    EXPECT_NEAR(double(m0.activation_bytes) / gib, 8.5, 0.005);
    EXPECT_NEAR(double(m1.activation_bytes) / gib, 4.25 + 4.0 * 8192 * 128256 / 4 / gib, 0.005); /* with logits */
}

/* GPT 22B, interleaved over two stages, no sequence parallelism, plain data parallelism of one. */
TEST(Training, GptInterleavedWithTiedEmbedding)
{
    const weft_training_plan q =
        plan_of({{"ranks", "16"}, {"model", "gpt-22b"}, {"tp", "8"}, {"pp", "2"}, {"virtual-stages", "2"}, {"schedule", "interleaved"},
                 {"sequence-parallel", "false"}, {"microbatch", "4"}, {"microbatches", "4"}, {"fused-cross-entropy", "false"},
                 {"data-parallel", "ddp"}, {"check-memory", "false"}});
    const uint64_t S = 100663296;
    const std::vector<Node> first = nodes_of(q, 0), last = nodes_of(q, 8);
    EXPECT_EQ(collectives(first, WEFT_COMM_TP, AR).n, 388u);
    EXPECT_EQ(collectives(first, WEFT_COMM_TP, AR).bytes, 388 * S);
    EXPECT_EQ(sends(first, 8).n, 8u + 4u);
    EXPECT_EQ(sends(first, 8).bytes, 12 * S);
    EXPECT_EQ(sends(last, 0).n, 4u + 8u);
    EXPECT_EQ(collectives(last, WEFT_COMM_TP, AR).n, 388u + 12u);
    EXPECT_EQ(collectives(last, WEFT_COMM_TP, AR).bytes, 388 * S + 393216);
    EXPECT_EQ(collectives(first, WEFT_COMM_EMBEDDING, AR).bytes, 157286400u);
    EXPECT_EQ(collectives(last, WEFT_COMM_EMBEDDING, AR).bytes, 157286400u);
    EXPECT_EQ(weft_training_stage_params(&q, 0).dense, 1411872768u);
    EXPECT_EQ(weft_training_stage_params(&q, 1).dense, 1399302144u);
    EXPECT_DOUBLE_EQ(weft_schedule_bubble(&q), 0.125);
}

/* Llama-3-8B with a ring of two over the sequence. */
TEST(Training, ContextParallelRing)
{
    const weft_training_plan q = plan_of({{"ranks", "8"}, {"tp", "2"}, {"cp", "2"}, {"sequence", "16384"}, {"microbatches", "2"}, {"check-memory", "false"}});
    const std::vector<Node> n = nodes_of(q, 0);
    EXPECT_EQ(collectives(n, WEFT_COMM_TP, AG).n, 390u);
    EXPECT_EQ(collectives(n, WEFT_COMM_TP, RS).n, 260u);
    EXPECT_EQ(collectives(n, WEFT_COMM_TP, AR).bytes, 196608u + 1064960u);
    EXPECT_EQ(sends(n, 2).n, 192u);
    EXPECT_EQ(sends(n, 2).bytes, 192u * 16777216u);
    EXPECT_EQ(collectives(n, WEFT_COMM_DP, RS).bytes, 16061054976u);
    EXPECT_EQ(collectives(n, WEFT_COMM_DP, AG).bytes, 8030527488u / 4);
}

/* Of c ranks each sends (c - 1) + 2 (c - 1) units per block and microbatch around the ring. */
TEST(Training, ContextParallelBytes)
{
    for (const char *c : {"2", "4", "8"}) {
        const weft_training_plan q = plan_of({{"ranks", c}, {"cp", c}, {"layers", "2"}, {"check-memory", "false"}});
        const uint64_t unit = q.tokens * 2 * 8 * 128 * 2;
        EXPECT_EQ(sends(nodes_of(q, 0), 1).bytes, 2 * q.m * 3 * (q.c - 1) * unit);
        const weft_training_plan g = plan_of({{"ranks", c}, {"cp", c}, {"layers", "2"}, {"context-parallel", "all-gather"}, {"check-memory", "false"}});
        EXPECT_EQ(collectives(nodes_of(g, 0), WEFT_COMM_CP, AG).bytes, 2 * q.m * 2 * unit);
        EXPECT_EQ(collectives(nodes_of(g, 0), WEFT_COMM_CP, RS).bytes, 2 * q.m * unit * q.c);
        const weft_training_plan a = plan_of({{"ranks", c}, {"cp", c}, {"layers", "2"}, {"context-parallel", "all-to-all"}, {"check-memory", "false"}});
        EXPECT_EQ(collectives(nodes_of(a, 0), WEFT_COMM_CP, A2A).n, 2 * q.m * 8);
        EXPECT_EQ(collectives(nodes_of(a, 0), WEFT_COMM_CP, A2A).bytes, 2 * q.m * 2 * (2 * q.tokens * 4096 * 2 + unit));
    }
}

/* Mixtral 8x7B, one expert per rank and block: it needs more memory than there is, and says so. */
TEST(Training, ExpertsOfTheirOwnRanks)
{
    const Settings set = {{"ranks", "8"}, {"model", "mixtral-8x7b"}, {"ep", "8"}, {"microbatches", "2"}};
    EXPECT_NE(refusal(set).find("GiB"), std::string::npos) << refusal(set);
    Settings more = set;
    more.push_back({"check-memory", "false"});
    const weft_training_plan q = plan_of(more);
    const std::vector<Node> n = nodes_of(q, 0);
    EXPECT_EQ(collectives(n, WEFT_COMM_EP, A2A).n, 256u);
    EXPECT_EQ(collectives(n, WEFT_COMM_EP, A2A).bytes, 256 * UINT64_C(67108864));
    EXPECT_EQ(collectives(n, WEFT_COMM_DP, RS).bytes, 6422544384u);
    EXPECT_EQ(collectives(n, WEFT_COMM_DP, AG).bytes, 3211272192u / 8);
    EXPECT_EQ(collectives(n, WEFT_COMM_EDP, RS).n, 0u);
    EXPECT_EQ(weft_training_stage_params(&q, 0).experts, 5637144576u);
}

/* Zipf's law: the shares of the experts, dealt to ranks; what one rank sends another is what that one receives; capacity makes all equal. */
TEST(Training, SkewedExperts)
{
    Settings set = {{"ranks", "8"}, {"model", "mixtral-8x7b"}, {"layers", "4"}, {"ep", "8"}, {"microbatches", "1"}, {"expert-skew", "1"}, {"check-memory", "false"}};
    const weft_training_plan q = plan_of(set);
    std::vector<uint64_t> rows(8), other(8);
    weft_training_routing(&q, 0, rows.data());
    weft_training_routing(&q, 1, other.data());
    EXPECT_NE(rows, other);
    EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), UINT64_C(0)), 4096u * 2);
    std::sort(rows.begin(), rows.end(), std::greater<>());
    double harmonic = 0;
    for (int k = 1; k <= 8; k++)
        harmonic += 1.0 / k;
    for (int k = 1; k <= 8; k++)
        EXPECT_NEAR(double(rows[k - 1]), 8192 / harmonic / k, 1.0);
    /* dispatch of the first block on every rank: row i of what r sends is row r of what i receives */
    std::vector<std::vector<uint64_t>> sent(8), received(8);
    for (uint64_t r = 0; r < 8; r++) {
        weft_arena *arena = weft_arena_new();
        weft_et *et = nullptr;
        weft_err err{};
        ASSERT_EQ(weft_training_et(&q, r, false, arena, &et, &err), 0);
        for (size_t i = 0; i < et->nnodes && sent[r].empty(); i++) {
            const weft_et_attr *s = weft_et_find(&et->nodes[i], "comm_send_sizes"), *t = weft_et_find(&et->nodes[i], "comm_recv_sizes");
            for (size_t k = 0; s && t && k < s->nvalues; k++) {
                sent[r].push_back(uint64_t(s->values[k].i64));
                received[r].push_back(uint64_t(t->values[k].i64));
            }
        }
        weft_arena_free(arena);
        ASSERT_EQ(sent[r].size(), 8u);
    }
    for (int r = 0; r < 8; r++)
        for (int i = 0; i < 8; i++)
            EXPECT_EQ(sent[r][i], received[i][r]);
    set[5] = {"capacity-factor", "1.25"};
    const weft_training_plan c = plan_of(set);
    EXPECT_EQ(collectives(nodes_of(c, 3), WEFT_COMM_EP, A2A).bytes, 4 * 4 * 8 * UINT64_C(1280) * 4096 * 2); /* ceil(4096 * 2 / 8 * 1.25) rows */
}

/* HSDP: all-gather and reduce-scatter within the shards' ranks, all-reduce of a shard over its copies. */
TEST(Training, ShardsWithinGroupsAndCopiesBeyond)
{
    const Settings set = {{"ranks", "16"}, {"model", "llama2-7b"}, {"data-parallel", "zero-3"}, {"shard-ranks", "8"}, {"microbatches", "2"}, {"check-memory", "false"}};
    const weft_training_plan q = plan_of(set);
    const std::vector<Node> n = nodes_of(q, 3);
    const uint64_t params = weft_model_params(&model("llama2-7b"));
    EXPECT_EQ(collectives(n, WEFT_COMM_SHARD, AG).bytes, 2 * 2 * 2 * params / 8);
    EXPECT_EQ(collectives(n, WEFT_COMM_SHARD, RS).bytes, 2 * 4 * params);
    EXPECT_EQ(collectives(n, WEFT_COMM_REPLICA, AR).bytes, 2 * 4 * params / 8);
    EXPECT_EQ(collectives(n, WEFT_COMM_DP, RS).n, 0u);
    EXPECT_EQ(weft_training_memory_of(&q, 0).weight_bytes, 2 * params / 8);
}

/* Counts of NCCL calls in public traces of one iteration (MLCommons Chakra). */
TEST(Training, CountsOfRealTraces)
{
    const weft_training_plan llama = plan_of({{"ranks", "16"}, {"model", "llama3-70b"}, {"tp", "16"}, {"microbatches", "32"}, {"check-memory", "false"}});
    const std::vector<Node> a = nodes_of(llama, 0);
    EXPECT_EQ(number(a, AG), 15456u);
    EXPECT_EQ(number(a, RS), 10304u);
    EXPECT_EQ(number(a, AR), 66u);
    const weft_training_plan large =
        plan_of({{"ranks", "32"}, {"model", "mixtral-8x22b"}, {"tp", "4"}, {"ep", "8"}, {"microbatches", "4"}, {"check-memory", "false"}});
    const std::vector<Node> b = nodes_of(large, 5);
    EXPECT_EQ(number(b, A2A), 896u);
    EXPECT_EQ(collectives(b, WEFT_COMM_TP, AG).n + collectives(b, WEFT_COMM_ETP, AG).n, 1132u);
    EXPECT_EQ(collectives(b, WEFT_COMM_TP, RS).n + collectives(b, WEFT_COMM_ETP, RS).n, 904u);
    const weft_training_plan small =
        plan_of({{"ranks", "8"}, {"model", "mixtral-8x7b"}, {"tp", "2"}, {"ep", "4"}, {"microbatches", "8"}, {"check-memory", "false"}});
    const std::vector<Node> c = nodes_of(small, 7);
    EXPECT_EQ(number(c, A2A), 1024u);
    EXPECT_EQ(number(c, AG), 1322u); /* 18 of them gather the buckets of the data-parallel group */
    EXPECT_EQ(number(c, RS), 1058u);
}

/* With one microbatch and equal types, sharding weights moves 1.5 times the bytes of plain data parallelism. */
TEST(Training, ShardedWeightsMoveHalfAsMuchAgain)
{
    const Settings base = {{"ranks", "8"}, {"model", "llama2-7b"}, {"fp32-gradients", "false"}, {"microbatches", "1"}, {"check-memory", "false"}};
    auto wire = [&](const char *how) {
        Settings s = base;
        s.push_back({"data-parallel", how});
        const std::vector<Node> n = nodes_of(plan_of(s), 0);
        /* (n - 1) / n of the whole per all-gather and reduce-scatter, twice that per all-reduce; all-gathers count shards */
        return 7 * collectives(n, WEFT_COMM_DP, AG).bytes + 7 * collectives(n, WEFT_COMM_DP, RS).bytes / 8 +
               2 * 7 * collectives(n, WEFT_COMM_DP, AR).bytes / 8;
    };
    EXPECT_EQ(wire("ddp"), 2 * 7 * 2 * weft_model_params(&model("llama2-7b")) / 8);
    EXPECT_EQ(wire("zero-1"), wire("ddp"));
    EXPECT_NEAR(double(wire("zero-3")), 1.5 * double(wire("ddp")), 1e-6 * double(wire("ddp")));
}

namespace
{

/* Ends of all passes when a stage does one after the other and data takes no time. */
double makespan(const weft_training_plan &q, double f, double i, double w)
{
    using Key = std::tuple<int, uint64_t, uint64_t>; /* forward or input gradient; virtual stage, microbatch */
    std::map<Key, double> done;
    std::vector<std::vector<weft_pass>> order(q.pp);
    weft_arena *arena = weft_arena_new();
    for (uint64_t s = 0; s < q.pp; s++) {
        size_t n;
        const weft_pass *list = weft_schedule(&q, s, arena, &n);
        order[s].assign(list, list + n);
    }
    std::vector<size_t> at(q.pp);
    std::vector<double> clock(q.pp);
    const uint64_t all = q.pp * q.v;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint64_t s = 0; s < q.pp; s++)
            for (; at[s] < order[s].size(); at[s]++, moved = true) {
                const weft_pass &p = order[s][at[s]];
                const uint64_t stage = p.chunk * q.pp + s;
                const int back = p.kind != WEFT_PASS_FORWARD;
                double start = clock[s];
                auto need = [&](int kind, uint64_t from) {
                    const auto it = done.find({kind, from, p.microbatch});
                    if (it == done.end())
                        return false;
                    start = std::max(start, it->second);
                    return true;
                };
                if (p.kind != WEFT_PASS_WEIGHTS) {
                    if (!back && stage > 0 && !need(0, stage - 1))
                        break;
                    if (back && (!need(0, stage) || (stage + 1 < all && !need(1, stage + 1))))
                        break;
                }
                const double takes = p.kind == WEFT_PASS_FORWARD ? f : p.kind == WEFT_PASS_INPUTS ? i : p.kind == WEFT_PASS_WEIGHTS ? w : i + w;
                clock[s] = start + takes / double(q.v);
                if (p.kind != WEFT_PASS_WEIGHTS)
                    done[{back, stage, p.microbatch}] = p.kind == WEFT_PASS_BACKWARD ? clock[s] : start + takes / double(q.v);
            }
    }
    weft_arena_free(arena);
    for (uint64_t s = 0; s < q.pp; s++)
        EXPECT_EQ(at[s], order[s].size()) << "stage " << s << " of " << weft_schedule_name(weft_schedule_kind(q.p.schedule)) << " stops";
    return *std::max_element(clock.begin(), clock.end());
}

} // namespace

/* m (F + B) and the bubble of each schedule, for every shape. */
TEST(TrainingSchedule, BubblesAreTheClosedForms)
{
    const double F = 1, I = 1, W = 1;
    for (uint64_t p : {1, 2, 3, 4, 8})
        for (uint64_t m : {p, 2 * p, 4 * p}) {
            auto plan = [&](const char *schedule, uint64_t v) {
                return plan_of({{"ranks", std::to_string(p)}, {"pp", std::to_string(p)}, {"microbatches", std::to_string(m)}, {"layers", "144"},
                                {"schedule", schedule}, {"virtual-stages", std::to_string(v)}, {"check-memory", "false"}});
            };
            const double ideal = double(m) * (F + I + W);
            for (const char *s : {"1f1b", "gpipe"})
                EXPECT_DOUBLE_EQ(makespan(plan(s, 1), F, I, W), ideal + double(p - 1) * (F + I + W)) << s << " " << p << " " << m;
            EXPECT_DOUBLE_EQ(makespan(plan("zb-h1", 1), F, I, W), ideal + double(p - 1) * (F + I - W)) << p << " " << m;
            for (uint64_t v : {2, 3})
                if (p > 1) {
                    EXPECT_NEAR(makespan(plan("interleaved", v), F, I, W), ideal + double(p - 1) * (F + I + W) / double(v), 1e-9)
                        << p << " " << m << " " << v;
                }
            if (p > 1) {
                const weft_training_plan q = plan("1f1b", 1);
                EXPECT_NEAR(makespan(q, F, I, W), ideal * (1 + weft_schedule_bubble(&q)), 1e-9);
            }
        }
}

/* What a stage holds at once: 1F1B p - i microbatches, GPipe all, interleaved 1 + (p - 1) / (p v) of all layers on the first stage. */
TEST(TrainingSchedule, ActivationsInFlight)
{
    const weft_training_plan a = plan_of({{"ranks", "4"}, {"pp", "4"}, {"microbatches", "8"}, {"check-memory", "false"}});
    for (uint64_t i = 0; i < 4; i++)
        EXPECT_EQ(weft_schedule_in_flight(&a, i), 4 - i);
    const weft_training_plan b = plan_of({{"ranks", "4"}, {"pp", "4"}, {"microbatches", "8"}, {"schedule", "gpipe"}, {"check-memory", "false"}});
    EXPECT_EQ(weft_schedule_in_flight(&b, 0), 8u);
    const weft_training_plan c =
        plan_of({{"ranks", "4"}, {"pp", "4"}, {"microbatches", "8"}, {"virtual-stages", "2"}, {"schedule", "interleaved"}, {"check-memory", "false"}});
    EXPECT_EQ(weft_schedule_in_flight(&c, 0), 4u * 2 + 4 - 1);
}

TEST(TrainingSchedule, InterleavedOrderOfTwoStages)
{
    const weft_training_plan q =
        plan_of({{"ranks", "2"}, {"pp", "2"}, {"microbatches", "4"}, {"virtual-stages", "2"}, {"schedule", "interleaved"}, {"check-memory", "false"}});
    auto text = [&](uint64_t stage) {
        weft_arena *arena = weft_arena_new();
        size_t n;
        const weft_pass *list = weft_schedule(&q, stage, arena, &n);
        std::string s;
        for (size_t k = 0; k < n; k++)
            s += std::string(k ? " " : "") + (list[k].kind == WEFT_PASS_FORWARD ? "F" : "B") + std::to_string(list[k].chunk) + "." +
                 std::to_string(list[k].microbatch);
        weft_arena_free(arena);
        return s;
    };
    EXPECT_EQ(text(0), "F0.0 F0.1 F1.0 F1.1 F0.2 B1.0 F0.3 B1.1 F1.2 B0.0 F1.3 B0.1 B1.2 B1.3 B0.2 B0.3");
    EXPECT_EQ(text(1), "F0.0 F0.1 F1.0 B1.0 F1.1 B1.1 F0.2 B0.0 F0.3 B0.1 F1.2 B1.2 F1.3 B1.3 B0.2 B0.3");
}

/* tp fastest, then dp, then pp: 16 ranks of 2 x 2 x 4. */
TEST(TrainingPlan, CommunicatorsOfMegatronsOrder)
{
    const weft_training_plan q = plan_of({{"ranks", "16"}, {"tp", "2"}, {"pp", "4"}, {"model", "gpt3-13b"}, {"check-memory", "false"}});
    auto members = [&](weft_comm c, uint64_t rank) {
        std::vector<uint64_t> out;
        for (uint64_t i = 0; i < weft_comm_size(&q, c); i++)
            out.push_back(weft_comm_member(&q, c, weft_comm_index(&q, c, rank), i));
        return out;
    };
    EXPECT_EQ(members(WEFT_COMM_TP, 5), (std::vector<uint64_t>{4, 5}));
    EXPECT_EQ(members(WEFT_COMM_DP, 0), (std::vector<uint64_t>{0, 2}));
    EXPECT_EQ(members(WEFT_COMM_DP, 6), (std::vector<uint64_t>{4, 6}));
    EXPECT_EQ(members(WEFT_COMM_EMBEDDING, 12), (std::vector<uint64_t>{0, 12}));
}

namespace
{

std::vector<Settings> many()
{
    const Settings small = {{"layers", "8"}, {"check-memory", "false"}};
    std::vector<Settings> all = {
        {{"ranks", "8"}},
        {{"ranks", "8"}, {"tp", "4"}, {"recompute", "full"}},
        {{"ranks", "8"}, {"tp", "4"}, {"sequence-parallel", "false"}, {"recompute", "selective"}},
        {{"ranks", "16"}, {"tp", "2"}, {"cp", "2"}, {"pp", "2"}, {"recompute", "selective"}},
        {{"ranks", "16"}, {"cp", "4"}, {"pp", "2"}, {"context-parallel", "all-gather"}},
        {{"ranks", "16"}, {"tp", "2"}, {"cp", "4"}, {"context-parallel", "all-to-all"}, {"recompute", "full"}},
        {{"ranks", "16"}, {"pp", "4"}, {"schedule", "gpipe"}, {"microbatches", "6"}},
        {{"ranks", "16"}, {"pp", "4"}, {"schedule", "zb-h1"}, {"microbatches", "8"}, {"tp", "2"}},
        {{"ranks", "16"}, {"pp", "4"}, {"schedule", "interleaved"}, {"virtual-stages", "2"}, {"microbatches", "8"}, {"tp", "2"}},
        {{"ranks", "8"}, {"data-parallel", "zero-3"}, {"microbatches", "2"}, {"iterations", "2"}},
        {{"ranks", "8"}, {"data-parallel", "zero-2"}, {"microbatches", "3"}, {"iterations", "2"}, {"tp", "2"}},
        {{"ranks", "8"}, {"data-parallel", "zero-1"}, {"iterations", "3"}, {"overlap-param-gather", "true"}, {"pp", "2"}},
        {{"ranks", "16"}, {"model", "mixtral-8x7b"}, {"ep", "4"}, {"tp", "2"}, {"data-parallel", "zero-3"}},
        {{"ranks", "16"}, {"model", "mixtral-8x7b"}, {"ep", "8"}, {"etp", "1"}, {"tp", "2"}, {"pp", "2"}, {"recompute", "full"}},
        {{"ranks", "16"}, {"model", "mixtral-8x7b"}, {"ep", "2"}, {"pp", "2"}, {"schedule", "zb-h1"}, {"iterations", "2"}},
        {{"ranks", "32"}, {"model", "deepseek-v3"}, {"ep", "16"}, {"pp", "2"}},
        {{"ranks", "32"}, {"model", "deepseek-v3"}, {"ep", "8"}, {"tp", "2"}, {"cp", "2"}, {"pp", "2"}, {"data-parallel", "ddp"}},
        {{"ranks", "16"}, {"model", "gpt3-13b"}, {"tp", "2"}, {"pp", "4"}, {"data-parallel", "ddp"}, {"iterations", "2"}},
        {{"ranks", "1"}, {"microbatches", "2"}},
        {{"ranks", "16"}, {"model", "mixtral-8x7b"}, {"ep", "4"}, {"tp", "2"}, {"expert-skew", "1.2"}, {"pp", "2"}},
        {{"ranks", "16"}, {"data-parallel", "zero-3"}, {"shard-ranks", "4"}, {"tp", "2"}, {"iterations", "2"}},
        {{"ranks", "6"}, {"pp", "2"}, {"dp", "3"}, {"bucket-parameters", "1000"}},
    };
    for (Settings &s : all)
        s.insert(s.begin(), small.begin(), small.end());
    return all;
}

std::string name_of(const Settings &set)
{
    std::string s;
    for (const auto &[k, v] : set)
        s += k + "=" + v + " ";
    return s;
}

} // namespace

/* Members of a communicator write down the same collectives in the same order, and every message has its other end. */
TEST(Training, RanksAgree)
{
    for (const Settings &set : many()) {
        const weft_training_plan q = plan_of(set);
        std::map<std::pair<int, uint64_t>, std::vector<std::pair<int, uint64_t>>> lists;
        std::map<std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>, int> messages;
        std::map<std::pair<int, uint64_t>, uint64_t> members;
        for (uint64_t r = 0; r < q.world; r++) {
            std::map<std::pair<int, uint64_t>, std::vector<std::pair<int, uint64_t>>> mine;
            for (const Node &n : nodes_of(q, r))
                if (n.kind >= 0)
                    mine[{n.comm, weft_comm_index(&q, n.comm, r)}].push_back({n.kind, n.kind == A2A ? 0 : n.bytes}); /* uneven ones have sizes per pair */
                else if (n.type == WEFT_ET_COMM_SEND_NODE)
                    messages[{r, n.peer, n.tag, n.bytes}]++;
                else
                    messages[{n.peer, r, n.tag, n.bytes}]--;
            for (const auto &[key, list] : mine) {
                members[key]++;
                if (!lists.count(key))
                    lists[key] = list;
                EXPECT_EQ(lists[key], list) << name_of(set) << weft_comm_name(weft_comm(key.first)) << " of rank " << r;
            }
        }
        for (const auto &[key, n] : members)
            EXPECT_EQ(n, weft_comm_size(&q, weft_comm(key.first))) << name_of(set);
        for (const auto &[key, n] : messages)
            EXPECT_EQ(n, 0) << name_of(set) << std::get<0>(key) << "->" << std::get<1>(key) << " tag " << std::get<2>(key);
    }
}

/* Every job becomes graphs: ids resolve, no cycle, every group has its members. */
TEST(Training, JobsAreGraphs)
{
    for (const Settings &set : many()) {
        const weft_training_plan q = plan_of(set);
        weft_workload *w = nullptr;
        weft_err err{};
        ASSERT_EQ(weft_training_workload(&q, &w, &err), 0) << name_of(set) << Text(err);
        EXPECT_EQ(w->nranks, q.world);
        weft_workload_free(w);
    }
}

/* Computation adds up: what the trace rounds to microseconds it makes up for. */
TEST(Training, RecomputationCostsAForwardPass)
{
    auto seconds = [](const char *recompute) {
        const weft_training_plan q = plan_of({{"ranks", "1"}, {"microbatches", "2"}, {"recompute", recompute}, {"check-memory", "false"}});
        weft_training_summary s;
        weft_err err{};
        EXPECT_EQ(weft_training_summarize(&q, &s, &err), 0);
        return s.compute_s;
    };
    const weft_training_plan q = plan_of({{"ranks", "1"}, {"microbatches", "2"}, {"check-memory", "false"}});
    double forward = 0, scores = 0;
    for (uint64_t l = 0; l < 32; l++) {
        const weft_block_cost c = weft_training_block_cost(&q, l);
        forward += 2 * (c.projections_in.forward_s + c.scores.forward_s + c.projection_out.forward_s + c.ffn.forward_s);
        scores += 2 * c.scores.forward_s;
    }
    EXPECT_NEAR(seconds("full") - seconds("none"), forward, 2e-6);
    EXPECT_NEAR(seconds("selective") - seconds("none"), scores, 2e-6);
}

/* 22 billion parameters on A100s: 7.7 ms forward, 11.9 ms backward of a layer with its communication (2205.05198, table 4), attention not fused. */
TEST(Training, LayerTimesOfMegatron)
{
    const weft_training_plan q = plan_of({{"ranks", "8"}, {"model", "gpt-22b"}, {"gpu", "a100"}, {"tp", "8"}, {"microbatch", "4"}, {"sequence-parallel", "false"},
                                          {"flash-attention", "false"}, {"check-memory", "false"}});
    const weft_block_cost c = weft_training_block_cost(&q, 0);
    const double forward = c.projections_in.forward_s + c.scores.forward_s + c.projection_out.forward_s + c.ffn.forward_s;
    const double backward = c.projections_in.inputs_s + c.projections_in.weights_s + c.scores.inputs_s + c.projection_out.inputs_s +
                            c.projection_out.weights_s + c.ffn.inputs_s + c.ffn.weights_s;
    const double reduce = 2 * 2 * 7 / 8.0 * 100663296 / 190e9; /* two all-reduces of 100 MB over eight A100 */
    EXPECT_NEAR(forward + reduce, 7.7e-3, 0.15 * 7.7e-3);
    EXPECT_NEAR(backward + reduce / 2, 11.9e-3, 0.15 * 11.9e-3);
}

TEST(TrainingPlan, RefusalsSayWhatWouldDo)
{
    const std::vector<std::pair<Settings, const char *>> cases = {
        {{{"ranks", "12"}, {"tp", "3"}}, "multiple of tp"},
        {{{"ranks", "10"}, {"tp", "4"}}, "but the job has 10 ranks"},
        {{{"ranks", "3"}, {"pp", "3"}}, "multiple of pp x virtual-stages"},
        {{{"ranks", "4"}, {"pp", "2"}, {"virtual-stages", "2"}}, "schedule=interleaved"},
        {{{"ranks", "4"}, {"pp", "2"}, {"virtual-stages", "2"}, {"schedule", "interleaved"}, {"microbatches", "3"}}, "multiples of pp"},
        {{{"ranks", "4"}, {"ep", "2"}}, "model with experts"},
        {{{"ranks", "6"}, {"model", "mixtral-8x7b"}, {"ep", "3"}}, "multiple of ep"},
        {{{"ranks", "8"}, {"model", "mixtral-8x7b"}, {"tp", "2"}, {"sequence-parallel", "false"}}, "sequence-parallel=true"},
        {{{"ranks", "2"}, {"model", "gpt3-175b"}, {"tp", "2"}}, "GiB"},
        {{{"ranks", "64"}, {"cp", "64"}, {"sequence", "8000"}}, "multiple of 2 x cp"},
    };
    for (const auto &[set, part] : cases)
        EXPECT_NE(refusal(set).find(part), std::string::npos) << refusal(set) << " for " << name_of(set);
}
