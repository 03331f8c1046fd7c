// SPDX-License-Identifier: GPL-2.0-only
// Pipeline schedules and communicators of generated training jobs against closed forms.
#include "training_job.h"

#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

using namespace training_job;

namespace
{

/* Ends of all passes when a stage does one after the other and data takes no time. */
double makespan(const weft_training_plan &q, double f, double i, double w)
{
    using Key = std::tuple<int, uint64_t,
                           uint64_t>; /* forward or input gradient; virtual stage, microbatch */
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
    const uint64_t all = q.pp * q.vpp;
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
                const double takes = p.kind == WEFT_PASS_FORWARD   ? f
                                     : p.kind == WEFT_PASS_INPUTS  ? i
                                     : p.kind == WEFT_PASS_WEIGHTS ? w
                                                                   : i + w;
                clock[s] = start + takes / double(q.vpp);
                if (p.kind != WEFT_PASS_WEIGHTS)
                    done[{back, stage, p.microbatch}] =
                        p.kind == WEFT_PASS_BACKWARD ? clock[s] : start + takes / double(q.vpp);
            }
    }
    weft_arena_free(arena);
    for (uint64_t s = 0; s < q.pp; s++)
        EXPECT_EQ(at[s], order[s].size())
            << "stage " << s << " of " << weft_schedule_name(weft_schedule_kind(q.p.schedule))
            << " stops";
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
                return plan_of({{"ranks", std::to_string(p)},
                                {"pp", std::to_string(p)},
                                {"microbatches", std::to_string(m)},
                                {"layers", "144"},
                                {"schedule", schedule},
                                {"virtual-stages", std::to_string(v)},
                                {"check-memory", "false"}});
            };
            const double ideal = double(m) * (F + I + W);
            for (const char *s : {"1f1b", "gpipe"})
                EXPECT_DOUBLE_EQ(makespan(plan(s, 1), F, I, W), ideal + double(p - 1) * (F + I + W))
                    << s << " " << p << " " << m;
            EXPECT_DOUBLE_EQ(makespan(plan("zb-h1", 1), F, I, W),
                             ideal + double(p - 1) * (F + I - W))
                << p << " " << m;
            for (uint64_t v : {2, 3})
                if (p > 1) {
                    EXPECT_NEAR(makespan(plan("interleaved", v), F, I, W),
                                ideal + double(p - 1) * (F + I + W) / double(v), 1e-9)
                        << p << " " << m << " " << v;
                }
            if (p > 1) {
                const weft_training_plan q = plan("1f1b", 1);
                EXPECT_NEAR(makespan(q, F, I, W), ideal * (1 + weft_schedule_bubble(&q)), 1e-9);
            }
        }
}

/* What a stage holds at once: 1F1B p - i microbatches, GPipe all, interleaved 1 + (p - 1) / (p v)
 * of all layers on the first stage. */
TEST(TrainingSchedule, ActivationsInFlight)
{
    const weft_training_plan a =
        plan_of({{"ranks", "4"}, {"pp", "4"}, {"microbatches", "8"}, {"check-memory", "false"}});
    for (uint64_t i = 0; i < 4; i++)
        EXPECT_EQ(weft_schedule_in_flight(&a, i), 4 - i);
    const weft_training_plan b = plan_of({{"ranks", "4"},
                                          {"pp", "4"},
                                          {"microbatches", "8"},
                                          {"schedule", "gpipe"},
                                          {"check-memory", "false"}});
    EXPECT_EQ(weft_schedule_in_flight(&b, 0), 8u);
    const weft_training_plan c = plan_of({{"ranks", "4"},
                                          {"pp", "4"},
                                          {"microbatches", "8"},
                                          {"virtual-stages", "2"},
                                          {"schedule", "interleaved"},
                                          {"check-memory", "false"}});
    EXPECT_EQ(weft_schedule_in_flight(&c, 0), 4u * 2 + 4 - 1);
}

TEST(TrainingSchedule, InterleavedOrderOfTwoStages)
{
    const weft_training_plan q = plan_of({{"ranks", "2"},
                                          {"pp", "2"},
                                          {"microbatches", "4"},
                                          {"virtual-stages", "2"},
                                          {"schedule", "interleaved"},
                                          {"check-memory", "false"}});
    auto text = [&](uint64_t stage) {
        weft_arena *arena = weft_arena_new();
        size_t n;
        const weft_pass *list = weft_schedule(&q, stage, arena, &n);
        std::string s;
        for (size_t k = 0; k < n; k++)
            s += std::string(k ? " " : "") + (list[k].kind == WEFT_PASS_FORWARD ? "F" : "B") +
                 std::to_string(list[k].chunk) + "." + std::to_string(list[k].microbatch);
        weft_arena_free(arena);
        return s;
    };
    EXPECT_EQ(text(0),
              "F0.0 F0.1 F1.0 F1.1 F0.2 B1.0 F0.3 B1.1 F1.2 B0.0 F1.3 B0.1 B1.2 B1.3 B0.2 B0.3");
    EXPECT_EQ(text(1),
              "F0.0 F0.1 F1.0 B1.0 F1.1 B1.1 F0.2 B0.0 F0.3 B0.1 F1.2 B1.2 F1.3 B1.3 B0.2 B0.3");
}

/* tp fastest, then dp, then pp: 16 ranks of 2 x 2 x 4. */
TEST(TrainingPlan, CommunicatorsOfMegatronsOrder)
{
    const weft_training_plan q = plan_of({{"ranks", "16"},
                                          {"tp", "2"},
                                          {"pp", "4"},
                                          {"model", "gpt3-13b"},
                                          {"check-memory", "false"}});
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
