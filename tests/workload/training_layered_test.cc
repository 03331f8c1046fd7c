// SPDX-License-Identifier: GPL-2.0-only
// Models that are tables of layers: their sums, what they send, how stages divide them, and files
// of them.
#include "tests/base/temp_dir.h"
#include "training_job.h"

#include "system/joint.h"

#include <cmath>
#include <fstream>
#include <limits>

using namespace training_job;

namespace
{

weft_layered preset(const std::string &name)
{
    weft_layered m{};
    for (size_t i = 0; i < weft_layered_presets(); i++) {
        weft_layered_preset(i, &m);
        if (name == m.name)
            return m;
    }
    ADD_FAILURE() << name;
    return m;
}

std::vector<uint64_t> reductions(const weft_training_plan &q, uint64_t rank, int kind)
{
    std::vector<uint64_t> sizes;
    for (const Node &n : nodes_of(q, rank))
        if (n.kind == kind && n.comm == WEFT_COMM_DP)
            sizes.push_back(n.bytes);
    return sizes;
}

Settings with(Settings set, const Settings &more)
{
    set.insert(set.end(), more.begin(), more.end());
    return set;
}

std::string write(const TempDir &dir, const std::string &text)
{
    const std::string path = dir / "layers.csv";
    std::ofstream(path) << text;
    return path;
}

const std::string header = "layer,parameters,flops,step-flops,kept,sent\n";

} // namespace

/* torchvision's ResNet-50 has 25,557,032 parameters and 4.09 G products; GNMT v2 160,671,297: its
 * embedding and classifier 33,095,680 each (with 32,320 biases), LSTM layers of 4 (in + 1024) 1024
 * + 8 x 1024. */
TEST(TrainingLayered, ParametersAndOperations)
{
    const weft_layered r = preset("resnet-50"), g = preset("gnmt"), g16 = preset("gnmt-16");
    EXPECT_EQ(r.n, 54u);
    EXPECT_EQ(weft_layered_params(&r), 25557032u);
    EXPECT_NEAR(weft_layered_flops(&r) / 2, 4.09e9, 0.005e9);
    EXPECT_EQ(weft_layered_params(&g), 160671297u);
    EXPECT_EQ(weft_layered_params(&g16),
              160671297u + 4 * (4 * 2048 * 1024 + 8192) + 4 * (4 * 3072 * 1024 + 8192));
    const uint64_t lstm = 4 * 2048 * 1024;
    EXPECT_EQ(g.layer[3].flops + g.layer[3].step_flops, 2.0 * lstm);
}

/* Buckets of 1 MiB, then 25 MiB, filled from the last layer on: 102.2 MB in all. */
TEST(TrainingLayered, GradientsOfResnetInBuckets)
{
    const Settings base = {{"ranks", "8"}, {"model", "resnet-50"}, {"microbatch", "32"}};
    const weft_training_plan q = plan_of(with(base, {{"data-parallel", "ddp"}}));
    EXPECT_EQ(reductions(q, 3, AR),
              (std::vector<uint64_t>{8196000, 31502336, 26255360, 26550272, 9724160}));
    const weft_training_plan z = plan_of(with(base, {{"data-parallel", "zero-1"}}));
    EXPECT_EQ(reductions(z, 3, RS), reductions(q, 3, AR));
    uint64_t gathered = 0;
    for (uint64_t bytes : reductions(z, 3, AG))
        gathered += bytes * 8;
    EXPECT_NEAR(double(gathered), 2 * 25557032.0, 5 * 8);
    const weft_training_plan one =
        plan_of(with(base, {{"data-parallel", "ddp"}, {"overlap-grad-reduce", "false"}}));
    EXPECT_EQ(reductions(one, 3, AR), (std::vector<uint64_t>{102228128}));
    EXPECT_EQ(weft_training_memory_of(&q, 0).weight_bytes, 2 * 25557032u);
    EXPECT_EQ(weft_training_memory_of(&q, 0).optimizer_bytes, 12 * 25557032u);
}

/* 2,470 images per second on one A100 in mixed precision (NVIDIA's DeepLearningExamples, 256 images
 * at once). */
TEST(TrainingLayered, SpeedOfResnet)
{
    const weft_training_plan q =
        plan_of({{"ranks", "1"}, {"model", "resnet-50"}, {"gpu", "a100"}, {"microbatch", "256"}});
    weft_training_summary s;
    weft_err err{};
    ASSERT_EQ(weft_training_summarize(&q, &s, &err), 0) << Text(err);
    EXPECT_NEAR(256 / s.compute_s, 2470, 0.1 * 2470);
    EXPECT_NEAR(s.flops, 256 * 3 * 2 * 4.089e9, 0.001 * s.flops);
}

/* What crosses the border of a stage: the state within the encoder, in the decoder with the context
 * of attention. */
TEST(TrainingLayered, StagesOfGnmt)
{
    const weft_training_plan q = plan_of({{"ranks", "8"},
                                          {"model", "gnmt"},
                                          {"pp", "4"},
                                          {"stage-layers", "3,2,3,2"},
                                          {"microbatch", "16"},
                                          {"microbatches", "6"}});
    const uint64_t token = 50 * 16 * 2;
    const uint64_t across[] = {1024 * token, 1024 * token, 2048 * token};
    for (uint64_t stage = 0; stage < 4; stage++) {
        const std::vector<Node> n = nodes_of(q, 2 * stage);
        if (stage < 3) {
            EXPECT_EQ(sends(n, 2 * stage + 2).n, 6u);
            EXPECT_EQ(sends(n, 2 * stage + 2).bytes, 6 * across[stage]);
        }
        if (stage > 0) {
            EXPECT_EQ(sends(n, 2 * stage - 2).bytes, 6 * across[stage - 1]);
        }
    }
    EXPECT_EQ(weft_training_stage_params(&q, 0).dense, 33095680u + 16793600 + 12591104);
    EXPECT_DOUBLE_EQ(weft_schedule_bubble(&q), 0.5);
}

/* The longest stage is as short as any division makes it. */
TEST(TrainingLayered, DividedByTime)
{
    const std::vector<double> t = {3, 1, 4, 1, 5, 9, 2, 6, 5};
    auto longest = [&](const std::vector<uint32_t> &starts) {
        double most = 0;
        for (size_t c = 0; c + 1 < starts.size(); c++) {
            double sum = 0;
            for (uint32_t l = starts[c]; l < starts[c + 1]; l++)
                sum += t[l];
            most = std::max(most, sum);
        }
        return most;
    };
    for (uint32_t chunks = 1; chunks <= t.size(); chunks++) {
        double best = std::numeric_limits<double>::infinity();
        for (unsigned cuts = 0; cuts < 1u << (t.size() - 1); cuts++) {
            std::vector<uint32_t> starts = {0};
            for (uint32_t l = 1; l < t.size(); l++)
                if (cuts >> (l - 1) & 1)
                    starts.push_back(l);
            starts.push_back(uint32_t(t.size()));
            if (starts.size() == chunks + 1)
                best = std::min(best, longest(starts));
        }
        std::vector<uint32_t> got(chunks + 1);
        weft_layered_divide(t.size(), t.data(), chunks, got.data());
        EXPECT_NEAR(longest(got), best, 1e-9) << chunks;
        for (uint32_t c = 0; c < chunks; c++)
            EXPECT_LT(got[c], got[c + 1]);
    }
}

/* Llama-3 405B has 126 layers, of which the first and last of 16 stages have one less
 * (2407.21783, 3.3.2). */
TEST(TrainingLayered, TransformersDividedByHand)
{
    const weft_training_plan q = plan_of({{"ranks", "128"},
                                          {"model", "llama3-405b"},
                                          {"tp", "8"},
                                          {"pp", "16"},
                                          {"stage-layers", "7,8,8,8,8,8,8,8,8,8,8,8,8,8,8,7"},
                                          {"check-memory", "false"}});
    const uint64_t block = weft_training_layer_params(&q, 0).dense;
    EXPECT_EQ(weft_training_stage_params(&q, 0).dense, 7 * block + 128256u * 16384 / 8);
    EXPECT_EQ(weft_training_stage_params(&q, 5).dense, 8 * block);
    EXPECT_EQ(collectives(nodes_of(q, 5 * 8), WEFT_COMM_TP, AG).n, 16u * 6 * 8);
    EXPECT_EQ(collectives(nodes_of(q, 0), WEFT_COMM_TP, AG).n, 16u * (6 * 7 + 1));
}

/* Every schedule and sharding, to the end, with every message and collective met. */
TEST(TrainingLayered, JobsPlayToTheirEnd)
{
    const std::vector<Settings> jobs = {
        {{"ranks", "4"}, {"data-parallel", "zero-3"}, {"microbatches", "2"}},
        {{"ranks", "8"}, {"pp", "4"}, {"schedule", "gpipe"}, {"recompute", "full"}},
        {{"ranks", "8"}, {"pp", "4"}, {"schedule", "zb-h1"}, {"data-parallel", "zero-3"}},
        {{"ranks", "8"}, {"pp", "2"}, {"schedule", "2bw"}, {"iterations", "4"}},
        {{"ranks", "8"}, {"pp", "4"}, {"schedule", "dualpipe"}, {"microbatches", "8"}},
        {{"ranks", "4"},
         {"pp", "2"},
         {"schedule", "interleaved"},
         {"virtual-stages", "3"},
         {"data-parallel", "zero-2"},
         {"iterations", "2"}},
        {{"ranks", "8"}, {"pp", "2"}, {"overlap-param-gather", "true"}, {"iterations", "2"}},
    };
    for (const char *model : {"resnet-50", "gnmt", "gnmt-16"})
        for (const Settings &job : jobs) {
            const weft_training_plan q = plan_of(with(job, {{"model", model}}));
            weft_workload *w = nullptr;
            weft_joint joint;
            weft_err err{};
            ASSERT_EQ(weft_training_workload(&q, &w, &err), 0) << Text(err);
            ASSERT_EQ(weft_joint_look(w, &joint, &err), 0) << Text(err);
            EXPECT_EQ(joint.unreceived + joint.unequal + joint.reordered, 0u) << model;
            EXPECT_GT(joint.critical_ps, 0);
            weft_workload_free(w);
        }
}

TEST(TrainingLayered, FilesOfLayers)
{
    const TempDir dir;
    const std::string path = write(
        dir,
        header + "# a small one\na,1000,2e9,0,50,20\n b , 3000000,4e9, 0,60,30\nc,0,1,0,1,0\n");
    const weft_training_plan q = plan_of({{"ranks", "6"},
                                          {"layers-file", path},
                                          {"pp", "3"},
                                          {"microbatch", "4"},
                                          {"sequence", "10"},
                                          {"data-parallel", "ddp"}});
    EXPECT_EQ(q.model.layers, 3u);
    EXPECT_EQ(sends(nodes_of(q, 0), 2).bytes, 3u * 4 * 10 * 20 * 2);
    EXPECT_EQ(reductions(q, 2, AR), (std::vector<uint64_t>{12000000}));
    EXPECT_EQ(weft_training_memory_of(&q, 1).activation_bytes, 2u * 4 * 10 * 60 * 2);
}

TEST(TrainingLayered, ErrorsNameTheirPlace)
{
    const TempDir dir;
    const std::vector<std::tuple<std::string, const char *, const char *>> cases = {
        {"", ":1:1: ", "no header"},
        {header, ":1:1: ", "one layer at least"},
        {"layer,parameters,flops,steps,kept,sent\n", ":1:24: ", "'step-flops' must be"},
        {header + "a,1,2,3,4\n", ":2:9: ", "6 fields"},
        {header + "a,-1,2,3,4,5\n", ":2:3: ", "parameters is '-1'"},
        {header + ",1,2,3,4,5\n", ":2:1: ", "a name has 1 to 31 bytes"},
        {header + "a,1,0,0,0,5\n", ":2:5: ", "takes no time"},
    };
    for (const auto &[text, place, what] : cases) {
        weft_layered m{};
        weft_err err{};
        EXPECT_EQ(weft_layered_read(write(dir, text).c_str(), &m, &err), WEFT_E_INPUT) << text;
        EXPECT_NE(Text(err).find(place), std::string::npos) << Text(err);
        EXPECT_NE(Text(err).find(what), std::string::npos) << Text(err);
    }
    const std::string ends = write(dir, header + "a,1,2,0,4,0\nb,1,2,0,4,5\n");
    EXPECT_NE(
        refusal({{"ranks", "2"}, {"pp", "2"}, {"layers-file", ends}}).find("sends nothing on"),
        std::string::npos);
}

TEST(TrainingLayered, RefusalsSayWhatWouldDo)
{
    const Settings base = {{"ranks", "8"}, {"model", "resnet-50"}};
    const std::vector<std::pair<Settings, const char *>> cases = {
        {{{"tp", "2"}}, "takes dp and pp alone"},
        {{{"hidden", "64"}}, "no layers, hidden, heads"},
        {{{"recompute", "selective"}}, "recompute=selective is about attention"},
        {{{"pp", "2"}, {"stage-layers", "50,5"}}, "add up to the 54 layers"},
        {{{"pp", "2"}, {"stage-layers", "20,20,14"}}, "2 numbers"},
        {{{"dp", "1"}, {"ranks", "64"}, {"pp", "64"}}, "as many layers as there are chunks"},
    };
    for (const auto &[set, part] : cases)
        EXPECT_NE(refusal(with(base, set)).find(part), std::string::npos)
            << refusal(with(base, set)) << " for " << part;
}
