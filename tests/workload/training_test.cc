// SPDX-License-Identifier: GPL-2.0-only
// Generated training jobs against published parameter counts, counts of real traces and worked
// examples.
#include "training_job.h"

#include <cmath>
#include <functional>
#include <numeric>

using namespace training_job;

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
        {"gpt3-175b", 358.8, 354.0},  {"gpt-22b", 46.5, 45.3},       {"llama2-70b", 148.2, 142.8},
        {"llama3-8b", 19.3, 17.2},    {"llama3-70b", 160.5, 149.7},  {"llama3-405b", 875.1, 841.3},
        {"mixtral-8x7b", 27.6, 26.6}, {"mixtral-8x22b", 83.6, 80.7}, {"deepseek-v3", 93.7, 83.5}};
    for (const auto &[name, full, causal] : table) {
        const weft_model &m = model(name);
        EXPECT_NEAR(weft_model_forward_flops(&m, m.sequence, false) / 1e9, full, 0.004 * full)
            << name;
        EXPECT_NEAR(weft_model_forward_flops(&m, m.sequence, true) / 1e9, causal, 0.004 * causal)
            << name;
    }
}

/* Llama-3-8B on 16 ranks with sequence parallelism and a sharded optimizer, both stages. */
TEST(Training, LlamaTensorPipelineData)
{
    const weft_training_plan q = plan_of({{"ranks", "16"},
                                          {"tp", "4"},
                                          {"pp", "2"},
                                          {"microbatches", "4"},
                                          {"overlap-grad-reduce", "false"}});
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
    const weft_training_memory m0 = weft_training_memory_of(&q, 0),
                               m1 = weft_training_memory_of(&q, 1);
    EXPECT_NEAR(double(m1.weight_bytes) / gib, 1.87, 0.005);
    EXPECT_NEAR(double(m1.gradient_bytes) / gib, 3.74, 0.005);
    EXPECT_NEAR(double(m1.optimizer_bytes) / gib, 5.61, 0.005);
    EXPECT_NEAR(double(m0.activation_bytes) / gib, 8.5, 0.005);
    EXPECT_NEAR(double(m1.activation_bytes) / gib, 4.25 + 4.0 * 8192 * 128256 / 4 / gib,
                0.005); /* with logits */
}

/* GPT 22B, interleaved over two stages, no sequence parallelism, plain data parallelism of one. */
TEST(Training, GptInterleavedWithTiedEmbedding)
{
    const weft_training_plan q = plan_of({{"ranks", "16"},
                                          {"model", "gpt-22b"},
                                          {"tp", "8"},
                                          {"pp", "2"},
                                          {"virtual-stages", "2"},
                                          {"schedule", "interleaved"},
                                          {"sequence-parallel", "false"},
                                          {"microbatch", "4"},
                                          {"microbatches", "4"},
                                          {"fused-cross-entropy", "false"},
                                          {"data-parallel", "ddp"},
                                          {"check-memory", "false"}});
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
    const weft_training_plan q = plan_of({{"ranks", "8"},
                                          {"tp", "2"},
                                          {"cp", "2"},
                                          {"sequence", "16384"},
                                          {"microbatches", "2"},
                                          {"check-memory", "false"}});
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
        const weft_training_plan q =
            plan_of({{"ranks", c}, {"cp", c}, {"layers", "2"}, {"check-memory", "false"}});
        const uint64_t unit = q.tokens * 2 * 8 * 128 * 2;
        EXPECT_EQ(sends(nodes_of(q, 0), 1).bytes, 2 * q.microbatches * 3 * (q.cp - 1) * unit);
        const weft_training_plan g = plan_of({{"ranks", c},
                                              {"cp", c},
                                              {"layers", "2"},
                                              {"context-parallel", "all-gather"},
                                              {"check-memory", "false"}});
        EXPECT_EQ(collectives(nodes_of(g, 0), WEFT_COMM_CP, AG).bytes,
                  2 * q.microbatches * 2 * unit);
        EXPECT_EQ(collectives(nodes_of(g, 0), WEFT_COMM_CP, RS).bytes,
                  2 * q.microbatches * unit * q.cp);
        const weft_training_plan a = plan_of({{"ranks", c},
                                              {"cp", c},
                                              {"layers", "2"},
                                              {"context-parallel", "all-to-all"},
                                              {"check-memory", "false"}});
        EXPECT_EQ(collectives(nodes_of(a, 0), WEFT_COMM_CP, A2A).n, 2 * q.microbatches * 8);
        EXPECT_EQ(collectives(nodes_of(a, 0), WEFT_COMM_CP, A2A).bytes,
                  2 * q.microbatches * 2 * (2 * q.tokens * 4096 * 2 + unit));
    }
}

/* Mixtral 8x7B, one expert per rank and block: it needs more memory than there is, and says so. */
TEST(Training, ExpertsOfTheirOwnRanks)
{
    const Settings set = {
        {"ranks", "8"}, {"model", "mixtral-8x7b"}, {"ep", "8"}, {"microbatches", "2"}};
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

/* Zipf's law: the shares of the experts, dealt to ranks; what one rank sends another is what that
 * one receives; capacity makes all equal. */
TEST(Training, SkewedExperts)
{
    Settings set = {
        {"ranks", "8"},        {"model", "mixtral-8x7b"}, {"layers", "4"},          {"ep", "8"},
        {"microbatches", "1"}, {"expert-skew", "1"},      {"check-memory", "false"}};
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
    /* dispatch of the first block on every rank: row i of what r sends is row r of what i receives
     */
    std::vector<std::vector<uint64_t>> sent(8), received(8);
    for (uint64_t r = 0; r < 8; r++) {
        weft_arena *arena = weft_arena_new();
        weft_et *et = nullptr;
        weft_err err{};
        ASSERT_EQ(weft_training_et(&q, r, false, arena, &et, &err), 0);
        for (size_t i = 0; i < et->nnodes && sent[r].empty(); i++) {
            const weft_et_attr *s = weft_et_find(&et->nodes[i], "comm_send_sizes"),
                               *t = weft_et_find(&et->nodes[i], "comm_recv_sizes");
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
    EXPECT_EQ(collectives(nodes_of(c, 3), WEFT_COMM_EP, A2A).bytes,
              4 * 4 * 8 * UINT64_C(1280) * 4096 * 2); /* ceil(4096 * 2 / 8 * 1.25) rows */
}

/* HSDP: all-gather and reduce-scatter within the shards' ranks, all-reduce of a shard over its
 * copies. */
TEST(Training, ShardsWithinGroupsAndCopiesBeyond)
{
    const Settings set = {{"ranks", "16"},      {"model", "llama2-7b"}, {"data-parallel", "zero-3"},
                          {"shard-ranks", "8"}, {"microbatches", "2"},  {"check-memory", "false"}};
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
    const weft_training_plan llama = plan_of({{"ranks", "16"},
                                              {"model", "llama3-70b"},
                                              {"tp", "16"},
                                              {"microbatches", "32"},
                                              {"check-memory", "false"}});
    const std::vector<Node> a = nodes_of(llama, 0);
    EXPECT_EQ(number(a, AG), 15456u);
    EXPECT_EQ(number(a, RS), 10304u);
    EXPECT_EQ(number(a, AR), 66u);
    const weft_training_plan large = plan_of({{"ranks", "32"},
                                              {"model", "mixtral-8x22b"},
                                              {"tp", "4"},
                                              {"ep", "8"},
                                              {"microbatches", "4"},
                                              {"check-memory", "false"}});
    const std::vector<Node> b = nodes_of(large, 5);
    EXPECT_EQ(number(b, A2A), 896u);
    EXPECT_EQ(collectives(b, WEFT_COMM_TP, AG).n + collectives(b, WEFT_COMM_ETP, AG).n, 1132u);
    EXPECT_EQ(collectives(b, WEFT_COMM_TP, RS).n + collectives(b, WEFT_COMM_ETP, RS).n, 904u);
    const weft_training_plan small = plan_of({{"ranks", "8"},
                                              {"model", "mixtral-8x7b"},
                                              {"tp", "2"},
                                              {"ep", "4"},
                                              {"microbatches", "8"},
                                              {"check-memory", "false"}});
    const std::vector<Node> c = nodes_of(small, 7);
    EXPECT_EQ(number(c, A2A), 1024u);
    EXPECT_EQ(number(c, AG), 1322u); /* 18 of them gather the buckets of the data-parallel group */
    EXPECT_EQ(number(c, RS), 1058u);
}

/* With one microbatch and equal types, sharding weights moves 1.5 times the bytes of plain data
 * parallelism. */
TEST(Training, ShardedWeightsMoveHalfAsMuchAgain)
{
    const Settings base = {{"ranks", "8"},
                           {"model", "llama2-7b"},
                           {"fp32-gradients", "false"},
                           {"microbatches", "1"},
                           {"check-memory", "false"}};
    auto wire = [&](const char *how) {
        Settings s = base;
        s.push_back({"data-parallel", how});
        const std::vector<Node> n = nodes_of(plan_of(s), 0);
        /* (n - 1) / n of the whole per all-gather and reduce-scatter, twice that per all-reduce;
         * all-gathers count shards */
        return 7 * collectives(n, WEFT_COMM_DP, AG).bytes +
               7 * collectives(n, WEFT_COMM_DP, RS).bytes / 8 +
               2 * 7 * collectives(n, WEFT_COMM_DP, AR).bytes / 8;
    };
    EXPECT_EQ(wire("ddp"), 2 * 7 * 2 * weft_model_params(&model("llama2-7b")) / 8);
    EXPECT_EQ(wire("zero-1"), wire("ddp"));
    EXPECT_NEAR(double(wire("zero-3")), 1.5 * double(wire("ddp")), 1e-6 * double(wire("ddp")));
}
