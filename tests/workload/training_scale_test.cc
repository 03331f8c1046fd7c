// SPDX-License-Identifier: GPL-2.0-only
// Ranks that differ by their communicators and peers share one graph, and it is the one that each
// would have alone.
#include "tests/base/temp_dir.h"
#include "training_job.h"

#include "workload/chakra_write.h"
#include "workload/convert.h"
#include "workload/training/alike.h"

#include <cstring>
#include <fstream>
#include <set>

using namespace training_job;

namespace
{

const std::vector<Settings> jobs = {
    {{"ranks", "16"}, {"tp", "2"}, {"pp", "4"}, {"layers", "8"}, {"iterations", "2"}},
    {{"ranks", "32"},
     {"tp", "2"},
     {"cp", "2"},
     {"pp", "2"},
     {"layers", "4"},
     {"microbatches", "4"},
     {"schedule", "interleaved"},
     {"virtual-stages", "2"}},
    {{"ranks", "16"}, {"cp", "8"}, {"layers", "2"}},
    {{"ranks", "32"},
     {"model", "mixtral-8x7b"},
     {"layers", "4"},
     {"tp", "2"},
     {"pp", "2"},
     {"ep", "4"}},
    {{"ranks", "32"},
     {"model", "mixtral-8x7b"},
     {"layers", "4"},
     {"pp", "2"},
     {"ep", "8"},
     {"expert-skew", "1"}},
    {{"ranks", "32"},
     {"model", "gpt3-13b"},
     {"layers", "8"},
     {"tp", "2"},
     {"pp", "4"},
     {"data-parallel", "ddp"}},
    {{"ranks", "16"}, {"layers", "2"}, {"data-parallel", "zero-3"}, {"shard-ranks", "4"}},
    {{"ranks", "16"},
     {"tp", "2"},
     {"pp", "4"},
     {"layers", "8"},
     {"microbatches", "8"},
     {"schedule", "dualpipe"}},
};

weft_training_plan without_memory(Settings set)
{
    set.push_back({"check-memory", "false"});
    return plan_of(set);
}

/* Every rank with a graph of its own. */
weft_workload *unshared(const weft_training_plan &q)
{
    weft_err err{};
    weft_convert *c = weft_convert_new(uint32_t(q.world), nullptr, &err);
    for (uint32_t r = 0; r < q.world; r++) {
        weft_arena *arena = weft_arena_new();
        weft_et *et = nullptr;
        EXPECT_EQ(weft_training_et(&q, r, true, arena, &et, &err), 0) << Text(err);
        EXPECT_EQ(weft_convert_rank(c, r, et, &err), 0) << Text(err);
        weft_arena_free(arena);
    }
    weft_workload *w = nullptr;
    EXPECT_EQ(weft_convert_finish(c, &w, &err), 0) << Text(err);
    return w;
}

weft_workload *shared(const weft_training_plan &q)
{
    weft_workload *w = nullptr;
    weft_err err{};
    EXPECT_EQ(weft_training_workload(&q, &w, &err), 0) << Text(err);
    return w;
}

std::vector<uint32_t> members(const weft_workload *w, uint32_t group)
{
    return {w->groups[group].ranks, w->groups[group].ranks + w->groups[group].n};
}

void expect_same(const weft_op &a, const weft_op &b)
{
    EXPECT_EQ(a.id, b.id);
    EXPECT_STREQ(a.name, b.name);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.duration_ps, b.duration_ps);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.peer, b.peer);
    EXPECT_EQ(a.tag, b.tag);
    EXPECT_EQ(a.coll, b.coll);
    EXPECT_EQ(a.group, b.group);
    EXPECT_EQ(a.nparents, b.nparents);
    EXPECT_EQ(a.nchildren, b.nchildren);
}

} // namespace

TEST(TrainingScale, SharedGraphsAreThoseOfEachRank)
{
    for (const Settings &set : jobs) {
        const weft_training_plan q = without_memory(set);
        weft_workload *one = shared(q), *each = unshared(q);
        ASSERT_EQ(one->ngroups, each->ngroups);
        for (uint32_t g = 0; g < one->ngroups; g++) {
            EXPECT_EQ(members(one, g), members(each, g));
            EXPECT_STREQ(one->groups[g].name, each->groups[g].name);
        }
        std::set<const weft_op *> graphs;
        for (uint32_t r = 0; r < q.world && !::testing::Test::HasFailure(); r++) {
            graphs.insert(one->dags[r].ops);
            ASSERT_EQ(one->dags[r].nops, each->dags[r].nops);
            for (uint32_t i = 0; i < one->dags[r].nops && !::testing::Test::HasFailure(); i++) {
                SCOPED_TRACE("rank " + std::to_string(r) + " op " + std::to_string(i) + " of " +
                             set[1].second);
                const weft_op *a = weft_workload_visit(one, r, i),
                              *b = weft_workload_visit(each, r, i);
                expect_same(*a, *b);
                for (uint64_t m = 0; a->send_bytes && m < one->groups[a->group].n; m++) {
                    EXPECT_EQ(a->send_bytes[m], b->send_bytes[m]);
                    EXPECT_EQ(a->recv_bytes[m], b->recv_bytes[m]);
                }
                for (uint32_t k = 0; k < a->nchildren; k++)
                    EXPECT_EQ(one->dags[r].children[a->first_child + k],
                              each->dags[r].children[b->first_child + k]);
            }
        }
        EXPECT_EQ(graphs.size(), weft_training_sorts(&q));
        EXPECT_LT(graphs.size(), q.world);
        weft_workload_free(one);
        weft_workload_free(each);
    }
}

/* 16,384 ranks of Llama 405B on 16 stages take as much memory as 16 graphs, and lists of a few
 * numbers each. */
TEST(TrainingScale, MemoryGrowsByAFewNumbersPerRank)
{
    auto bytes = [](const char *dp, const char *ranks) {
        weft_workload *w = shared(without_memory({{"model", "llama3-405b"},
                                                  {"layers", "128"},
                                                  {"tp", "8"},
                                                  {"pp", "16"},
                                                  {"dp", dp},
                                                  {"ranks", ranks}}));
        const uint64_t used = weft_arena_used(w->arena);
        weft_workload_free(w);
        return used;
    };
    EXPECT_LT(bytes("128", "16384") - bytes("8", "1024"), (16384 - 1024) * UINT64_C(512));
}

/* The files of ranks alike are made out of one another: each has what its own trace has. */
TEST(TrainingScale, FilesAreThoseOfEachRank)
{
    for (const Settings &set : jobs) {
        const weft_training_plan q = without_memory(set);
        const TempDir dir;
        weft_err err{};
        ASSERT_EQ(weft_training_write(&q, (dir / "t").c_str(), &err), 0) << Text(err);
        for (uint64_t r = 0; r < q.world; r++) {
            weft_arena *arena = weft_arena_new();
            weft_et *et = nullptr;
            ASSERT_EQ(weft_training_et(&q, r, false, arena, &et, &err), 0) << Text(err);
            ASSERT_EQ(weft_chakra_write_et(et, (dir / "own").c_str(), &err), 0) << Text(err);
            weft_arena_free(arena);
            EXPECT_EQ(slurp(dir / "own"), slurp(dir / ("t." + std::to_string(r) + ".et"))) << r;
        }
    }
}
