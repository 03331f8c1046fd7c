// SPDX-License-Identifier: GPL-2.0-only
// Recommendation models: where tables are, what is exchanged, and files of tables and placements.
#include "tests/base/temp_dir.h"
#include "training_job.h"

#include "system/joint.h"

#include <fstream>
#include <list>

using namespace training_job;

namespace
{

using Sizes = std::vector<uint64_t>;

std::string write(const TempDir &dir, const char *name, const std::string &text)
{
    const std::string path = dir / name;
    std::ofstream(path) << text;
    return path;
}

/* Columns 64, 32, 32; look-ups 2, 10, 1. */
const char *const three = "rows,columns,lookups\n1000,64,2\n500,32,10\n10,32,1\n";

/* Texts of settings must outlive a plan. */
const Settings &job(const std::string &tables, const Settings &more = {})
{
    static std::list<Settings> kept;
    Settings &set = kept.emplace_back();
    set = {{"ranks", "3"},
           {"model", "dlrm-rm1"},
           {"tables-file", tables},
           {"microbatch", "16"},
           {"data-parallel", "ddp"}};
    set.insert(set.end(), more.begin(), more.end());
    return set;
}

/* Sizes to and from each rank of an all-to-all; equal ones where the trace has the sum alone. */
std::pair<Sizes, Sizes> sizes(const weft_training_plan &q, uint64_t rank, const std::string &name)
{
    weft_arena *arena = weft_arena_new();
    weft_et *et = nullptr;
    weft_err err{};
    Sizes to, from;
    EXPECT_EQ(weft_training_et(&q, rank, false, arena, &et, &err), 0) << Text(err);
    for (size_t i = 0; i < et->nnodes; i++) {
        if (std::string(et->nodes[i].name) != "it0." + name || !to.empty())
            continue;
        const weft_et_attr *s = weft_et_find(&et->nodes[i], "comm_send_sizes"),
                           *r = weft_et_find(&et->nodes[i], "comm_recv_sizes");
        for (size_t k = 0; s && r && k < s->nvalues; k++) {
            to.push_back(uint64_t(s->values[k].i64));
            from.push_back(uint64_t(r->values[k].i64));
        }
        if (!s)
            to = from = Sizes(q.world, attribute(et->nodes[i], "comm_size") / q.world);
    }
    weft_arena_free(arena);
    return {to, from};
}

std::vector<weft_dlrm_share> shares(const weft_training_plan &q)
{
    std::vector<weft_dlrm_share> out(q.world);
    weft_err err{};
    const weft_dlrm_cut cut = weft_training_cut(&q);
    EXPECT_EQ(weft_dlrm_divide(&q.dlrm, &cut, q.world, out.data(), &err), 0) << Text(err);
    return out;
}

Sizes columns(const weft_training_plan &q)
{
    Sizes out;
    for (const weft_dlrm_share &s : shares(q))
        out.push_back(s.columns);
    return out;
}

} // namespace

/* Below 13-512-256-128; three crosses of 3,456 columns and rank 512; above
 * 3456-1024-1024-512-256-1: 16,044,545, each with biases. */
TEST(TrainingDlrm, MlperfsModel)
{
    const weft_training_plan q =
        plan_of({{"ranks", "8"}, {"model", "dlrm-mlperf"}, {"microbatch", "8192"}});
    EXPECT_EQ(weft_layered_params(&q.layered), 171392u + 10627200u + 5245953u);
    uint64_t rows = 0;
    double lookups = 0;
    for (uint64_t t = 0; t < q.dlrm.ntables; t++) {
        rows += q.dlrm.table[t].rows;
        lookups += q.dlrm.table[t].lookups;
    }
    EXPECT_EQ(rows, 204184588u);
    EXPECT_EQ(lookups, 214);
    uint64_t params = 0;
    for (const weft_dlrm_share &one : shares(q))
        params += one.params;
    EXPECT_EQ(params, rows * 128);
    const weft_training_memory m = weft_training_memory_of(&q, 0);
    EXPECT_EQ(m.weight_bytes, 2 * weft_layered_params(&q.layered) + 4 * q.table_params);
}

/* Table-wise, 16 samples on each of 3 ranks: 4 bytes per sample and table, 8 per look-up, 2 per
 * column. */
TEST(TrainingDlrm, TablesWhole)
{
    const TempDir dir;
    const weft_training_plan q = plan_of(job(write(dir, "t.csv", three)));
    EXPECT_EQ(columns(q), (Sizes{64, 32, 32}));
    EXPECT_EQ(sizes(q, 1, "lengths.a2a").first, (Sizes{64, 64, 64}));
    EXPECT_EQ(sizes(q, 1, "indices.a2a").first, (Sizes{256, 1280, 128}));
    EXPECT_EQ(sizes(q, 1, "indices.a2a").second, (Sizes{1280, 1280, 1280}));
    EXPECT_EQ(sizes(q, 1, "results.a2a").first, (Sizes{1024, 1024, 1024}));
    EXPECT_EQ(sizes(q, 1, "results.a2a").second, (Sizes{2048, 1024, 1024}));
    EXPECT_EQ(sizes(q, 1, "gradients.a2a").first, (Sizes{2048, 1024, 1024}));
    EXPECT_EQ(sizes(q, 1, "gradients.a2a").second, (Sizes{1024, 1024, 1024}));
    const std::vector<Node> n = nodes_of(q, 2);
    EXPECT_EQ(collectives(n, WEFT_COMM_EP, A2A).n, 4u);
    EXPECT_EQ(collectives(n, WEFT_COMM_DP, AR).bytes, 4 * weft_layered_params(&q.layered));
    EXPECT_EQ(number(n, AR), collectives(n, WEFT_COMM_DP, AR).n);
    const weft_training_plan wide =
        plan_of(job(write(dir, "t.csv", three), {{"pooled-fp32", "true"}}));
    EXPECT_EQ(sizes(wide, 0, "results.a2a").first, (Sizes{4096, 4096, 4096}));
}

/* Each table in two: every piece is looked up with all indices of its table. */
TEST(TrainingDlrm, ColumnsCut)
{
    const TempDir dir;
    const weft_training_plan q = plan_of(job(
        write(dir, "t.csv", three), {{"table-sharding", "column-wise"}, {"table-pieces", "2"}}));
    EXPECT_EQ(columns(q), (Sizes{48, 48, 32}));
    double lookups = 0;
    for (const weft_dlrm_share &s : shares(q))
        lookups += s.lookups;
    EXPECT_EQ(lookups, 2 * 13);
}

/* Row-wise: partial sums of all columns are reduced and scattered, gradients gathered. */
TEST(TrainingDlrm, RowsOverAllRanks)
{
    const TempDir dir;
    const weft_training_plan q =
        plan_of(job(write(dir, "t.csv", three), {{"table-sharding", "row-wise"}}));
    const std::vector<Node> n = nodes_of(q, 1);
    EXPECT_EQ(collectives(n, WEFT_COMM_EP, RS).bytes, 3u * 16 * 128 * 2);
    EXPECT_EQ(collectives(n, WEFT_COMM_EP, AG).bytes, 16u * 128 * 2);
    EXPECT_EQ(collectives(n, WEFT_COMM_EP, A2A).n, 2u);
    EXPECT_EQ(sizes(q, 1, "indices.a2a").first, (Sizes(3, 69 * 8))); /* 16 x 13 / 3 */
    EXPECT_EQ(sizes(q, 1, "lengths.a2a").first, (Sizes(3, 16 * 3 * 4)));
}

/* CSV, and JSON as NeuroShard's results: table 0 in half, its second half is table 3. */
TEST(TrainingDlrm, Placements)
{
    const TempDir dir;
    const std::string tables = write(dir, "t.csv", three);
    const weft_training_plan csv = plan_of(
        job(tables, {{"placement-file",
                      write(dir, "p.csv", "table,rank,columns\n0,0,32\n1,0,\n2,2,\n0,2,\n")}}));
    EXPECT_EQ(columns(csv), (Sizes{64, 0, 64}));
    const weft_training_plan json =
        plan_of(job(tables, {{"placement-file", write(dir, "p.json",
                                                      "{\"sharding_steps\": [0], \"shards\": "
                                                      "[[0, 1], [], [2, 3]]}")}}));
    EXPECT_EQ(columns(json), columns(csv));
    EXPECT_EQ(sizes(json, 0, "indices.a2a").first, sizes(csv, 0, "indices.a2a").first);
    EXPECT_EQ(sizes(csv, 0, "indices.a2a").first, (Sizes{12 * 128, 0, 3 * 128}));
}

TEST(TrainingDlrm, JobsPlayToTheirEnd)
{
    const std::vector<Settings> jobs = {
        {{"model", "dlrm-mlperf"}, {"iterations", "3"}},
        {{"model", "dlrm-rm2"}, {"table-sharding", "column-wise"}, {"data-parallel", "ddp"}},
        {{"model", "dlrm-rm3"}, {"table-sharding", "row-wise"}, {"iterations", "2"}},
    };
    for (Settings set : jobs) {
        set.insert(set.begin(), {{"ranks", "12"}, {"microbatch", "512"}});
        const weft_training_plan q = plan_of(set);
        weft_workload *w = nullptr;
        weft_joint joint;
        weft_err err{};
        ASSERT_EQ(weft_training_workload(&q, &w, &err), 0) << Text(err);
        ASSERT_EQ(weft_joint_look(w, &joint, &err), 0) << Text(err);
        EXPECT_EQ(joint.unreceived + joint.unequal + joint.reordered, 0u);
        EXPECT_GT(joint.critical_ps, 0);
        weft_workload_free(w);
    }
}

TEST(TrainingDlrm, RefusalsSayWhatWouldDo)
{
    const TempDir dir;
    const std::string tables = write(dir, "t.csv", three);
    const std::vector<std::pair<const char *, const char *>> placements = {
        {"table,rank,columns\n3,0,\n", ":2:1: table 3 of 3"},
        {"table,rank,columns\n0,3,\n", ":2:3: rank 3 of 3"},
        {"table,rank,columns\n0,0,65\n", ":2:5: table 0 has 64 columns left"},
        {"table,rank,columns\n0,0,\n1,1,\n", "32 columns of table 2 are on no rank"},
        {"{\"shards\": [[0], [1]]}", "shards are of 2 ranks, but the job has 3"},
        {"{\"shards\": [[0], [1], [1]]}", "rank 2, entry 1: no table that is left"},
        {"{\"shards\": [[0], [1], [2]], \"sharding_steps\": [7]}",
         "entry 1: no table with an even"},
        {"{\"shard\": 1}", "a placement is"},
        {"{\"shards\": [", ":1:"},
    };
    for (const auto &[text, part] : placements) {
        const std::string why = refusal(job(tables, {{"placement-file", write(dir, "p", text)}}));
        EXPECT_NE(why.find(part), std::string::npos) << why << " for " << part;
    }
    const std::vector<std::pair<Settings, const char *>> cases = {
        {{{"pp", "3"}}, "has no pipeline"},
        {{{"data-parallel", "zero-3"}}, "needs data-parallel=ddp or zero-1"},
        {{{"table-pieces", "2"}}, "needs table-sharding=column-wise"},
        {{{"table-sharding", "column-wise"}, {"table-pieces", "64"}}, "too few for 64 pieces"},
        {{{"model", "resnet-50"}, {"tables-file", tables}}, "need a recommendation model"},
        {{{"tables-file", write(dir, "n.csv", "rows,columns,lookups\n0,8,1\n")}}, ":2:1: "},
        {{{"tables-file", write(dir, "e.csv", "rows,columns,lookups\n")}}, "one table at least"},
    };
    for (const auto &[set, part] : cases)
        EXPECT_NE(refusal(job(tables, set)).find(part), std::string::npos)
            << refusal(job(tables, set)) << " for " << part;
}
