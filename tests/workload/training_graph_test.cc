// SPDX-License-Identifier: GPL-2.0-only
// Traces of generated training jobs of every shape: ranks agree, graphs are sound, times add up;
// and jobs that cannot be.
#include "training_job.h"

#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

using namespace training_job;

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
        {{"ranks", "16"},
         {"tp", "2"},
         {"cp", "4"},
         {"context-parallel", "all-to-all"},
         {"recompute", "full"}},
        {{"ranks", "16"}, {"pp", "4"}, {"schedule", "gpipe"}, {"microbatches", "6"}},
        {{"ranks", "16"}, {"pp", "4"}, {"schedule", "zb-h1"}, {"microbatches", "8"}, {"tp", "2"}},
        {{"ranks", "16"},
         {"pp", "4"},
         {"schedule", "interleaved"},
         {"virtual-stages", "2"},
         {"microbatches", "8"},
         {"tp", "2"}},
        {{"ranks", "8"}, {"data-parallel", "zero-3"}, {"microbatches", "2"}, {"iterations", "2"}},
        {{"ranks", "8"},
         {"data-parallel", "zero-2"},
         {"microbatches", "3"},
         {"iterations", "2"},
         {"tp", "2"}},
        {{"ranks", "8"},
         {"data-parallel", "zero-1"},
         {"iterations", "3"},
         {"overlap-param-gather", "true"},
         {"pp", "2"}},
        {{"ranks", "16"},
         {"model", "mixtral-8x7b"},
         {"ep", "4"},
         {"tp", "2"},
         {"data-parallel", "zero-3"}},
        {{"ranks", "16"},
         {"model", "mixtral-8x7b"},
         {"ep", "8"},
         {"etp", "1"},
         {"tp", "2"},
         {"pp", "2"},
         {"recompute", "full"}},
        {{"ranks", "16"},
         {"model", "mixtral-8x7b"},
         {"ep", "2"},
         {"pp", "2"},
         {"schedule", "zb-h1"},
         {"iterations", "2"}},
        {{"ranks", "32"}, {"model", "deepseek-v3"}, {"ep", "16"}, {"pp", "2"}},
        {{"ranks", "32"},
         {"model", "deepseek-v3"},
         {"ep", "8"},
         {"tp", "2"},
         {"cp", "2"},
         {"pp", "2"},
         {"data-parallel", "ddp"}},
        {{"ranks", "16"},
         {"model", "gpt3-13b"},
         {"tp", "2"},
         {"pp", "4"},
         {"data-parallel", "ddp"},
         {"iterations", "2"}},
        {{"ranks", "1"}, {"microbatches", "2"}},
        {{"ranks", "16"},
         {"model", "mixtral-8x7b"},
         {"ep", "4"},
         {"tp", "2"},
         {"expert-skew", "1.2"},
         {"pp", "2"}},
        {{"ranks", "16"},
         {"data-parallel", "zero-3"},
         {"shard-ranks", "4"},
         {"tp", "2"},
         {"iterations", "2"}},
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

/* Members of a communicator write down the same collectives in the same order, and every message
 * has its other end. */
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
                    mine[{n.comm, weft_comm_index(&q, n.comm, r)}].push_back(
                        {n.kind,
                         n.kind == A2A ? 0 : n.bytes}); /* uneven ones have sizes per pair */
                else if (n.type == WEFT_ET_COMM_SEND_NODE)
                    messages[{r, n.peer, n.tag, n.bytes}]++;
                else
                    messages[{n.peer, r, n.tag, n.bytes}]--;
            for (const auto &[key, list] : mine) {
                members[key]++;
                if (!lists.count(key))
                    lists[key] = list;
                EXPECT_EQ(lists[key], list)
                    << name_of(set) << weft_comm_name(weft_comm(key.first)) << " of rank " << r;
            }
        }
        for (const auto &[key, n] : members)
            EXPECT_EQ(n, weft_comm_size(&q, weft_comm(key.first))) << name_of(set);
        for (const auto &[key, n] : messages)
            EXPECT_EQ(n, 0) << name_of(set) << std::get<0>(key) << "->" << std::get<1>(key)
                            << " tag " << std::get<2>(key);
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
        const weft_training_plan q = plan_of({{"ranks", "1"},
                                              {"microbatches", "2"},
                                              {"recompute", recompute},
                                              {"check-memory", "false"}});
        weft_training_summary s;
        weft_err err{};
        EXPECT_EQ(weft_training_summarize(&q, &s, &err), 0);
        return s.compute_s;
    };
    const weft_training_plan q =
        plan_of({{"ranks", "1"}, {"microbatches", "2"}, {"check-memory", "false"}});
    double forward = 0, scores = 0;
    for (uint64_t l = 0; l < 32; l++) {
        const weft_block_cost c = weft_training_block_cost(&q, l);
        forward += 2 * (c.projections_in.forward_s + c.scores.forward_s +
                        c.projection_out.forward_s + c.ffn.forward_s);
        scores += 2 * c.scores.forward_s;
    }
    EXPECT_NEAR(seconds("full") - seconds("none"), forward, 2e-6);
    EXPECT_NEAR(seconds("selective") - seconds("none"), scores, 2e-6);
}

/* 22 billion parameters on A100s: 7.7 ms forward, 11.9 ms backward of a layer with its
 * communication (2205.05198, table 4), attention not fused. */
TEST(Training, LayerTimesOfMegatron)
{
    const weft_training_plan q = plan_of({{"ranks", "8"},
                                          {"model", "gpt-22b"},
                                          {"gpu", "a100"},
                                          {"tp", "8"},
                                          {"microbatch", "4"},
                                          {"sequence-parallel", "false"},
                                          {"flash-attention", "false"},
                                          {"check-memory", "false"}});
    const weft_block_cost c = weft_training_block_cost(&q, 0);
    const double forward = c.projections_in.forward_s + c.scores.forward_s +
                           c.projection_out.forward_s + c.ffn.forward_s;
    const double backward = c.projections_in.inputs_s + c.projections_in.weights_s +
                            c.scores.inputs_s + c.projection_out.inputs_s +
                            c.projection_out.weights_s + c.ffn.inputs_s + c.ffn.weights_s;
    const double reduce =
        2 * 2 * 7 / 8.0 * 100663296 / 190e9; /* two all-reduces of 100 MB over eight A100 */
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
        {{{"ranks", "4"},
          {"pp", "2"},
          {"virtual-stages", "2"},
          {"schedule", "interleaved"},
          {"microbatches", "3"}},
         "multiples of pp"},
        {{{"ranks", "4"}, {"ep", "2"}}, "model with experts"},
        {{{"ranks", "6"}, {"model", "mixtral-8x7b"}, {"ep", "3"}}, "multiple of ep"},
        {{{"ranks", "8"}, {"model", "mixtral-8x7b"}, {"tp", "2"}, {"sequence-parallel", "false"}},
         "sequence-parallel=true"},
        {{{"ranks", "2"}, {"model", "gpt3-175b"}, {"tp", "2"}}, "GiB"},
        {{{"ranks", "64"}, {"cp", "64"}, {"sequence", "8000"}}, "multiple of 2 x cp"},
    };
    for (const auto &[set, part] : cases)
        EXPECT_NE(refusal(set).find(part), std::string::npos)
            << refusal(set) << " for " << name_of(set);
}
