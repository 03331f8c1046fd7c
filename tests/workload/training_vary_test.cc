// SPDX-License-Identifier: GPL-2.0-only
// Tensors that change from iteration to iteration: growing sequences, pruned and growing models.
#include "training_job.h"

#include "system/joint.h"
#include "workload/training/vary.h"

#include <cmath>
#include <map>

using namespace training_job;

namespace
{

/* Of one iteration of a rank: bytes by kind of collective, bytes sent, seconds computed. */
struct Iteration {
    std::map<int, uint64_t> bytes;
    uint64_t sent = 0;
    double compute_s = 0;
};

std::vector<Iteration> iterations(const weft_training_plan &q, uint64_t rank)
{
    weft_arena *arena = weft_arena_new();
    weft_et *et = nullptr;
    weft_err err{};
    std::vector<Iteration> out(q.p.iterations);
    EXPECT_EQ(weft_training_et(&q, rank, false, arena, &et, &err), 0) << Text(err);
    for (size_t i = 0; i < et->nnodes; i++) {
        const weft_et_node &n = et->nodes[i];
        Iteration &it = out.at(std::stoul(std::string(n.name).substr(2)));
        if (n.type == WEFT_ET_COMM_COLL_NODE)
            it.bytes[int(attribute(n, "comm_type"))] += attribute(n, "comm_size");
        if (n.type == WEFT_ET_COMM_SEND_NODE)
            it.sent += attribute(n, "comm_size");
        it.compute_s += double(n.duration_us) * 1e-6;
    }
    weft_arena_free(arena);
    return out;
}

Settings with(Settings set, const Settings &more)
{
    set.insert(set.end(), more.begin(), more.end());
    return set;
}

} // namespace

/* 6 all-gathers per block and microbatch of a shard each, embedding 1; messages as long as the
 * sequences; gradients as ever. */
TEST(TrainingVary, SequencesGrow)
{
    const Settings set = {{"ranks", "8"},        {"tp", "2"},
                          {"pp", "2"},           {"layers", "4"},
                          {"iterations", "4"},   {"sequences", "1024,2048,8192"},
                          {"microbatches", "2"}, {"check-memory", "false"}};
    const weft_training_plan q = plan_of(set);
    const std::vector<Iteration> it = iterations(q, 0);
    const uint64_t lengths[] = {1024, 2048, 8192, 8192};
    const uint64_t weights = (2 * weft_training_stage_params(&q, 0).dense + 1) / 2;
    for (int k = 0; k < 4; k++) {
        const uint64_t S = lengths[k] * 4096 * 2;
        EXPECT_EQ(it[k].bytes.at(AG), 2 * (6 * 2 + 1) * S / 2 + weights) << k;
        EXPECT_EQ(it[k].sent, 2 * S / 2);
    }
    EXPECT_GT(it[2].compute_s, 2 * it[1].compute_s);
    EXPECT_NEAR(it[3].compute_s, it[2].compute_s, 1e-5);
}

/* Positions that a plain model has learned stay as many as its longest sequence. */
TEST(TrainingVary, ParametersStay)
{
    const Settings set = {{"ranks", "2"},           {"model", "gpt3-13b"},     {"layers", "2"},
                          {"data-parallel", "ddp"}, {"sequences", "512,2048"}, {"iterations", "2"},
                          {"check-memory", "false"}};
    const weft_training_plan q = plan_of(set);
    const std::vector<Iteration> it = iterations(q, 0);
    EXPECT_EQ(it[0].bytes.at(AR), it[1].bytes.at(AR));
    EXPECT_EQ(it[0].bytes.at(AR), 4 + 4 * weft_training_stage_params(&q, 0).dense);
}

/* 1 - s (1 - (1 - k / n)^3): of 0.9 over 4 iterations 1, 0.480, 0.2125, 0.114, 0.1. */
TEST(TrainingVary, GradualPruning)
{
    const Settings set = {{"ranks", "4"},      {"model", "resnet-50"}, {"data-parallel", "ddp"},
                          {"iterations", "6"}, {"pruning", "0.9"},     {"pruning-iterations", "4"}};
    const weft_training_plan q = plan_of(set);
    const double left[] = {1, 0.4796875, 0.2125, 0.1140625, 0.1, 0.1};
    const std::vector<Iteration> it = iterations(q, 1);
    for (int k = 0; k < 6; k++) {
        EXPECT_NEAR(weft_training_density(&q, uint64_t(k)), left[k], 1e-12);
        EXPECT_NEAR(double(it[k].bytes.at(AR)), 4 * 25557032 * left[k] + 4, 4 * 54);
    }
    EXPECT_LT(it[4].compute_s, it[0].compute_s);
    const weft_training_plan last = plan_of(
        {{"ranks", "4"}, {"iterations", "5"}, {"pruning", "0.5"}, {"check-memory", "false"}});
    EXPECT_EQ(weft_training_density(&last, 4), 0.5);
}

TEST(TrainingVary, JobsPlayToTheirEnd)
{
    const std::vector<Settings> jobs = {
        {{"data-parallel", "zero-3"}, {"densities", "0.25,0.5,1"}},
        {{"data-parallel", "zero-1"}, {"overlap-param-gather", "true"}, {"pruning", "0.8"}},
        {{"pp", "2"}, {"schedule", "zb-h1"}, {"sequences", "128,256"}},
        {{"model", "resnet-50"}, {"data-parallel", "parameter-server"}, {"densities", "1,0.5"}},
        {{"model", "resnet-50"}, {"data-parallel", "gossip"}, {"densities", "1,0.5"}},
        {{"model", "gnmt"}, {"pp", "2"}, {"sequences", "10,50"}},
        {{"model", "dlrm-rm3"}, {"densities", "1,0.5"}},
        {{"model", "mixtral-8x7b"}, {"layers", "2"}, {"ep", "4"}, {"sequences", "256,1024"}},
    };
    for (const Settings &job : jobs) {
        const Settings set =
            with({{"ranks", "8"}, {"iterations", "4"}, {"check-memory", "false"}}, job);
        const weft_training_plan q = plan_of(set);
        weft_workload *w = nullptr;
        weft_joint joint;
        weft_err err{};
        ASSERT_EQ(weft_training_workload(&q, &w, &err), 0) << Text(err);
        ASSERT_EQ(weft_joint_look(w, &joint, &err), 0) << Text(err);
        EXPECT_EQ(joint.unreceived + joint.unequal + joint.reordered, 0u) << job[0].second;
        weft_workload_free(w);
    }
}

TEST(TrainingVary, RefusalsSayWhatWouldDo)
{
    const std::vector<std::pair<Settings, const char *>> cases = {
        {{{"sequences", "16384"}}, "exceed sequence, which is 8192"},
        {{{"tp", "4"}, {"sequences", "1001"}}, "multiples of 2 x cp x tp"},
        {{{"pp", "2"}, {"schedule", "2bw"}, {"pruning", "0.5"}, {"iterations", "3"}},
         "run into each other"},
        {{{"pruning", "0.5"}, {"densities", "1"}, {"iterations", "3"}}, "the list says it all"},
        {{{"pruning", "0.5"}}, "more than one iteration"},
        {{{"pruning-iterations", "5"}}, "pruning-iterations needs pruning"},
        {{{"model", "dlrm-rm1"}, {"sequences", "1"}}, "a model of sequences"},
    };
    for (const auto &[set, part] : cases)
        EXPECT_NE(refusal(with({{"ranks", "8"}}, set)).find(part), std::string::npos)
            << refusal(with({{"ranks", "8"}}, set)) << " for " << part;
}
