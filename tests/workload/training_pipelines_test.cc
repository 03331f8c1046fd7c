// SPDX-License-Identifier: GPL-2.0-only
// PipeDream-2BW and DualPipe: order, bubbles, memory, and graphs that play to their end.
#include "training_job.h"

#include "system/joint.h"

#include <map>
#include <tuple>

using namespace training_job;

namespace
{

std::vector<weft_pass> passes_of(const weft_training_plan &q, uint64_t stage)
{
    weft_arena *arena = weft_arena_new();
    size_t n;
    const weft_pass *list = weft_schedule(&q, stage, arena, &n);
    std::vector<weft_pass> out(list, list + n);
    weft_arena_free(arena);
    return out;
}

std::string text_of(const std::vector<weft_pass> &list)
{
    const char *const kinds = "FBIW";
    std::string s;
    for (const weft_pass &p : list)
        s += std::string(s.empty() || s.back() == '&' ? "" : " ") + kinds[p.kind] +
             std::to_string(p.chunk) + "." + std::to_string(p.microbatch) + (p.overlaps ? "&" : "");
    return s;
}

/* End of the last pass when data takes no time: F and B that overlap are one unit of F + B. */
double makespan(const weft_training_plan &q, double f, double i, double w)
{
    std::map<std::tuple<int, uint64_t, uint64_t, uint64_t>, double>
        done; /* back; chunk of the model and its way, iteration, microbatch */
    std::vector<std::vector<weft_pass>> order;
    for (uint64_t s = 0; s < q.pp; s++)
        order.push_back(passes_of(q, s));
    const uint64_t chunks = q.pp * q.vpp / q.copies;
    std::vector<size_t> at(q.pp);
    std::vector<double> clock(q.pp);
    auto ready = [&](const weft_pass &p, uint64_t s, double *start) {
        const uint64_t c = weft_training_chunk(&q, s, p.chunk);
        auto need = [&](int back, uint64_t chunk) {
            const auto it = done.find({back, chunk, p.iteration, p.microbatch});
            if (it == done.end())
                return false;
            *start = std::max(*start, it->second);
            return true;
        };
        if (p.kind == WEFT_PASS_WEIGHTS)
            return true;
        if (p.kind == WEFT_PASS_FORWARD)
            return c == 0 || need(0, c - 1);
        return need(0, c) && (c + 1 == chunks || need(1, c + 1));
    };
    auto takes = [&](const weft_pass &p) {
        return p.kind == WEFT_PASS_FORWARD   ? f
               : p.kind == WEFT_PASS_INPUTS  ? i
               : p.kind == WEFT_PASS_WEIGHTS ? w
                                             : i + w;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (uint64_t s = 0; s < q.pp; s++)
            while (at[s] < order[s].size()) {
                const size_t n = order[s][at[s]].overlaps ? 2 : 1;
                double start = clock[s], length = 0;
                bool all = true;
                for (size_t k = 0; k < n; k++) {
                    all = all && ready(order[s][at[s] + k], s, &start);
                    length += takes(order[s][at[s] + k]);
                }
                if (!all)
                    break;
                clock[s] = start + length;
                for (size_t k = 0; k < n; k++) {
                    const weft_pass &p = order[s][at[s] + k];
                    if (p.kind != WEFT_PASS_WEIGHTS)
                        done[{p.kind != WEFT_PASS_FORWARD, weft_training_chunk(&q, s, p.chunk),
                              p.iteration, p.microbatch}] = clock[s];
                }
                at[s] += n;
                moved = true;
            }
    }
    for (uint64_t s = 0; s < q.pp; s++)
        EXPECT_EQ(at[s], order[s].size()) << "stage " << s << " stops";
    return *std::max_element(clock.begin(), clock.end());
}

weft_training_plan pipeline(const char *schedule, uint64_t p, uint64_t m, uint64_t iterations = 1)
{
    return plan_of({{"ranks", std::to_string(p)},
                    {"pp", std::to_string(p)},
                    {"microbatches", std::to_string(m)},
                    {"layers", "48"},
                    {"schedule", schedule},
                    {"iterations", std::to_string(iterations)},
                    {"check-memory", "false"}});
}

/* The longest path through a job, without network, in picoseconds. */
int64_t longest(const Settings &set)
{
    const weft_training_plan q = plan_of(set);
    weft_workload *w = nullptr;
    weft_joint joint;
    weft_err err{};
    EXPECT_EQ(weft_training_workload(&q, &w, &err), 0) << Text(err);
    EXPECT_EQ(weft_joint_look(w, &joint, &err), 0) << Text(err);
    EXPECT_EQ(joint.unreceived + joint.unequal + joint.reordered, 0u);
    weft_workload_free(w);
    return joint.critical_ps;
}

} // namespace

/* Filled and emptied once, whatever the number of iterations: n m (F + B) + (p - 1)(F + B). */
TEST(TrainingPipelines, TwoVersionsHaveNoFlushBubble)
{
    for (uint64_t p : {1, 2, 3, 4, 8})
        for (uint64_t m : {p, 2 * p, 4 * p})
            for (uint64_t n : {1, 2, 5}) {
                const weft_training_plan q = pipeline("2bw", p, m, n);
                EXPECT_DOUBLE_EQ(makespan(q, 1, 1, 1), double(n * m) * 3 + double(p - 1) * 3)
                    << p << " " << m << " " << n;
                EXPECT_EQ(weft_schedule_bubble(&q), 0);
            }
}

/* p - i warm-up passes on stage i, once; then one forward, one backward across the border between
 * iterations. */
TEST(TrainingPipelines, TwoVersionsGoOnIntoTheNextIteration)
{
    const weft_training_plan q = pipeline("2bw", 2, 2, 2);
    EXPECT_EQ(text_of(passes_of(q, 0)), "F0.0 F0.1 B0.0 F0.0 B0.1 F0.1 B0.0 B0.1");
    EXPECT_EQ(text_of(passes_of(q, 1)), "F0.0 B0.0 F0.1 B0.1 F0.0 B0.0 F0.1 B0.1");
    EXPECT_EQ(passes_of(q, 0)[3].iteration, 1u);
    EXPECT_EQ(weft_schedule_in_flight(&q, 0), 2u);
}

/* In the graph: an iteration more costs what its busiest rank computes, where 1F1B pays for its
 * pipeline anew. */
TEST(TrainingPipelines, IterationsOfTwoVersionsFollowEachOther)
{
    auto job = [](const char *schedule, const char *iterations) {
        return longest({{"ranks", "4"},
                        {"pp", "4"},
                        {"layers", "8"},
                        {"microbatches", "8"},
                        {"schedule", schedule},
                        {"iterations", iterations},
                        {"check-memory", "false"}});
    };
    const weft_training_plan q = plan_of({{"ranks", "4"},
                                          {"pp", "4"},
                                          {"layers", "8"},
                                          {"microbatches", "8"},
                                          {"schedule", "2bw"},
                                          {"check-memory", "false"}});
    weft_training_summary s;
    weft_err err{};
    ASSERT_EQ(weft_training_summarize(&q, &s, &err), 0) << Text(err);
    EXPECT_NEAR(double(job("2bw", "6") - job("2bw", "5")), s.compute_s * 1e12,
                0.001 * s.compute_s * 1e12);
    EXPECT_GT(double(job("1f1b", "6") - job("1f1b", "5")), 1.1 * s.compute_s * 1e12);
}

TEST(TrainingPipelines, TwoVersionsOfWeights)
{
    const weft_training_plan a = pipeline("1f1b", 4, 8), b = pipeline("2bw", 4, 8);
    for (uint64_t stage = 0; stage < 4; stage++) {
        const weft_training_memory x = weft_training_memory_of(&a, stage),
                                   y = weft_training_memory_of(&b, stage);
        EXPECT_EQ(y.weight_bytes, 2 * x.weight_bytes);
        EXPECT_EQ(y.gradient_bytes, x.gradient_bytes);
        EXPECT_EQ(y.optimizer_bytes, x.optimizer_bytes);
        EXPECT_EQ(y.activation_bytes, x.activation_bytes);
    }
}

/* (p / 2 - 1)(F & B + B - 3 W) with F & B = F + B (2412.19437, table 2). */
TEST(TrainingPipelines, DualPipeBubble)
{
    for (uint64_t p : {2, 4, 6, 8, 16})
        for (uint64_t m : {2 * p, 2 * p + 2, 4 * p}) {
            const weft_training_plan q = pipeline("dualpipe", p == 6 ? 6 : p, m);
            EXPECT_DOUBLE_EQ(makespan(q, 1, 1, 1), double(m) * 3 + double(p / 2 - 1) * 2)
                << p << " " << m;
            EXPECT_DOUBLE_EQ(weft_schedule_bubble(&q), double(p / 2 - 1) * 2 / (3 * double(m)));
        }
}

/* Figure 5 of the report is of 8 ranks and 20 microbatches; the same rules for 4 and 8, by hand. */
TEST(TrainingPipelines, DualPipeOrder)
{
    const weft_training_plan q = pipeline("dualpipe", 4, 8);
    EXPECT_EQ(text_of(passes_of(q, 0)), "F0.0 F0.1 F0.2 F1.4 I1.4 W1.4 F1.5 F0.3&B1.5 F1.6&B0.0 "
                                        "B1.6 F1.7&B0.1 B1.7 I0.2 W0.2 I0.3 W0.3");
    EXPECT_EQ(text_of(passes_of(q, 1)), "F0.0 F1.4 F0.1 F1.5 F0.2 B1.4 F1.6&B0.0 F0.3&B1.5 "
                                        "F1.7&B0.1 B1.6 B0.2 I1.7 I0.3 W1.7 W0.3");
    EXPECT_EQ(text_of(passes_of(q, 3)), "F1.4 F1.5 F1.6 F0.0 I0.0 W0.0 F0.1 F1.7&B0.1 F0.2&B1.4 "
                                        "B0.2 F0.3&B1.5 B0.3 I1.6 W1.6 I1.7 W1.7");
}

/* Two stages' weights on every rank, p + 1 microbatches' activations, an optimizer shared out among
 * both copies. */
TEST(TrainingPipelines, DualPipeMemory)
{
    const Settings base = {{"ranks", "16"},
                           {"pp", "4"},
                           {"layers", "8"},
                           {"microbatches", "8"},
                           {"check-memory", "false"}};
    Settings dual = base;
    dual.push_back({"schedule", "dualpipe"});
    const weft_training_plan a = plan_of(base), b = plan_of(dual);
    for (uint64_t stage = 0; stage < 4; stage++) {
        EXPECT_EQ(weft_training_stage_params(&b, stage).dense,
                  weft_training_stage_params(&a, stage).dense +
                      weft_training_stage_params(&a, 3 - stage).dense);
        const weft_training_memory m = weft_training_memory_of(&b, stage);
        EXPECT_EQ(m.weight_bytes, 2 * weft_training_stage_params(&b, stage).dense);
        EXPECT_EQ(m.optimizer_bytes, 12 * weft_training_stage_params(&b, stage).dense / 8);
        EXPECT_LE(weft_schedule_in_flight(&b, stage), 5u);
    }
    EXPECT_EQ(weft_schedule_in_flight(&b, 0), 5u);
}

/* Both copies of a stage reduce their gradients together: 2 d ranks. */
TEST(TrainingPipelines, DualPipeReducesOverBothCopies)
{
    const weft_training_plan q = plan_of({{"ranks", "16"},
                                          {"tp", "2"},
                                          {"pp", "4"},
                                          {"layers", "8"},
                                          {"microbatches", "8"},
                                          {"schedule", "dualpipe"},
                                          {"check-memory", "false"}});
    std::vector<uint64_t> got;
    EXPECT_EQ(weft_comm_count(&q, WEFT_COMM_DP), 4u);
    for (uint64_t i = 0; i < weft_comm_size(&q, WEFT_COMM_DP); i++)
        got.push_back(weft_comm_member(&q, WEFT_COMM_DP, weft_comm_index(&q, WEFT_COMM_DP, 11), i));
    EXPECT_EQ(got, (std::vector<uint64_t>{5, 7, 9, 11})); /* tensor rank 1 of stages 1 and 2 */
    const std::vector<Node> n = nodes_of(q, 11);
    EXPECT_EQ(collectives(n, WEFT_COMM_DP, RS).bytes, 4 * weft_training_stage_params(&q, 2).dense);
    EXPECT_EQ(collectives(n, WEFT_COMM_DP, AG).bytes,
              2 * weft_training_stage_params(&q, 2).dense / 4);
}

TEST(TrainingPipelines, JobsPlayToTheirEnd)
{
    const std::vector<Settings> jobs = {
        {{"ranks", "8"}, {"tp", "2"}, {"pp", "4"}, {"microbatches", "8"}, {"schedule", "dualpipe"}},
        {{"ranks", "16"},
         {"model", "mixtral-8x7b"},
         {"pp", "4"},
         {"ep", "4"},
         {"microbatches", "10"},
         {"schedule", "dualpipe"},
         {"iterations", "2"}},
        {{"ranks", "16"},
         {"tp", "2"},
         {"pp", "4"},
         {"microbatches", "4"},
         {"schedule", "2bw"},
         {"iterations", "4"}},
        {{"ranks", "16"},
         {"pp", "4"},
         {"microbatches", "6"},
         {"schedule", "2bw"},
         {"iterations", "3"},
         {"data-parallel", "ddp"}},
        {{"ranks", "16"},
         {"model", "gpt3-13b"},
         {"pp", "4"},
         {"tp", "2"},
         {"schedule", "2bw"},
         {"iterations", "3"}},
        {{"ranks", "8"},
         {"model", "mixtral-8x7b"},
         {"pp", "2"},
         {"ep", "4"},
         {"schedule", "2bw"},
         {"iterations", "3"}},
    };
    for (Settings set : jobs) {
        set.push_back({"layers", "8"});
        set.push_back({"check-memory", "false"});
        EXPECT_GT(longest(set), 0);
    }
}

/* A forward pass of experts beside a backward pass: the all-to-alls of one wait for nothing of the
 * other. */
TEST(TrainingPipelines, DualPipePassesRunBesideEachOther)
{
    const weft_training_plan q = plan_of({{"ranks", "16"},
                                          {"model", "mixtral-8x7b"},
                                          {"layers", "4"},
                                          {"pp", "2"},
                                          {"ep", "8"},
                                          {"microbatches", "4"},
                                          {"schedule", "dualpipe"},
                                          {"check-memory", "false"}});
    weft_arena *arena = weft_arena_new();
    weft_et *et = nullptr;
    weft_err err{};
    ASSERT_EQ(weft_training_et(&q, 0, false, arena, &et, &err), 0) << Text(err);
    /* the overlapped pairs join both streams: nodes called "both", one for the computation of each
     */
    uint64_t joined = 0;
    for (size_t i = 0; i < et->nnodes; i++)
        joined += std::string(et->nodes[i].name).find(".both") != std::string::npos;
    uint64_t pairs = 0;
    for (const weft_pass &p : passes_of(q, 0))
        pairs += p.overlaps;
    EXPECT_GE(joined, 2 * pairs);
    EXPECT_GT(pairs, 0u);
    weft_arena_free(arena);
}

TEST(TrainingPipelines, RefusalsSayWhatWouldDo)
{
    const std::vector<std::pair<Settings, const char *>> cases = {
        {{{"ranks", "4"}, {"pp", "4"}, {"microbatches", "3"}, {"schedule", "2bw"}},
         "at least as many microbatches as stages"},
        {{{"ranks", "4"}, {"pp", "4"}, {"schedule", "2bw"}, {"data-parallel", "zero-3"}},
         "data-parallel=ddp or zero-1"},
        {{{"ranks", "4"}, {"pp", "4"}, {"microbatches", "6"}, {"schedule", "dualpipe"}},
         "at least twice as many"},
        {{{"ranks", "4"}, {"pp", "4"}, {"microbatches", "9"}, {"schedule", "dualpipe"}},
         "even number"},
        {{{"ranks", "4"},
          {"pp", "4"},
          {"microbatches", "8"},
          {"schedule", "dualpipe"},
          {"data-parallel", "zero-2"}},
         "ddp or zero-1"},
        {{{"ranks", "4"},
          {"model", "gpt3-13b"},
          {"pp", "4"},
          {"microbatches", "8"},
          {"schedule", "dualpipe"}},
         "not tied"},
    };
    for (const auto &[set, part] : cases)
        EXPECT_NE(refusal(set).find(part), std::string::npos) << refusal(set);
}
