// SPDX-License-Identifier: GPL-2.0-only
// Measured efficiencies in place of the GPU's.
#include "tests/base/temp_dir.h"
#include "training_job.h"

using namespace training_job;

namespace
{

std::string write(const TempDir &dir, const std::string &text)
{
    const std::string path = dir / "measured.csv";
    std::ofstream(path) << text;
    return path;
}

const Settings job = {
    {"ranks", "8"}, {"tp", "8"}, {"check-memory", "false"}, {"compute", "efficiency"}};

weft_block_cost cost_with(const TempDir &dir, const std::string &lines)
{
    Settings set = job;
    set.push_back({"efficiency-file", write(dir, "operation,pass,rows,efficiency\n" + lines)});
    const weft_training_plan q = plan_of(set);
    return weft_training_block_cost(&q, 0);
}

} // namespace

/* Llama-3 8B, tp 8, 8192 tokens: 2 x 8192 x 3584 x 4096 and 2 x 8192 x 4096 x 1792 operations of
 * its feed-forward part. */
TEST(TrainingMeasured, EfficienciesReplaceTheGpus)
{
    const TempDir dir;
    const weft_training_plan q = plan_of(job);
    const weft_block_cost usual = weft_training_block_cost(&q, 0);
    const weft_block_cost c = cost_with(
        dir, "feed-forward,forward,,0.5\nfeed-forward,weights,,0.25\nattention,inputs,,0.2\n");
    const double flops = 2.0 * 8192 * 3584 * 4096 + 2.0 * 8192 * 4096 * 1792;
    EXPECT_NEAR(c.ffn.forward_s - usual.ffn.forward_s, flops / 989e12 * (1 / 0.5 - 1 / 0.63),
                1e-12);
    EXPECT_NEAR(c.ffn.weights_s - usual.ffn.weights_s, flops / 989e12 * (1 / 0.25 - 1 / 0.63),
                1e-12);
    EXPECT_DOUBLE_EQ(c.ffn.inputs_s, usual.ffn.inputs_s);
    EXPECT_DOUBLE_EQ(c.scores.forward_s, usual.scores.forward_s);
    EXPECT_NEAR((c.scores.inputs_s - 4e-6) * 0.2, (usual.scores.inputs_s - 4e-6) * 0.475, 1e-12);
    EXPECT_DOUBLE_EQ(c.projections_in.forward_s, usual.projections_in.forward_s);
}

TEST(TrainingMeasured, BetweenRowsItIsInterpolated)
{
    const TempDir dir;
    weft_measured m;
    weft_err err{};
    const std::string path =
        write(dir, "operation,pass,rows,efficiency\n# large ones first\nhead, all, 4096, "
                   "0.8\r\nhead,all,1024,0.2\n\nhead,forward,,0.9\n");
    ASSERT_EQ(weft_measured_read(path.c_str(), &m, &err), 0) << Text(err);
    EXPECT_DOUBLE_EQ(weft_measured_at(&m, WEFT_KERNEL_HEAD, WEFT_KERNEL_INPUTS, 2560), 0.5);
    EXPECT_DOUBLE_EQ(weft_measured_at(&m, WEFT_KERNEL_HEAD, WEFT_KERNEL_INPUTS, 1), 0.2);
    EXPECT_DOUBLE_EQ(weft_measured_at(&m, WEFT_KERNEL_HEAD, WEFT_KERNEL_INPUTS, 1e6), 0.8);
    EXPECT_DOUBLE_EQ(weft_measured_at(&m, WEFT_KERNEL_HEAD, WEFT_KERNEL_FORWARD, 2560), 0.9);
    EXPECT_EQ(weft_measured_at(&m, WEFT_KERNEL_EXPERTS, WEFT_KERNEL_FORWARD, 2560), 0);
}

TEST(TrainingMeasured, BandwidthIsMeasuredToo)
{
    const TempDir dir;
    const weft_training_plan q = plan_of(job);
    const double usual = weft_training_embedding_cost(&q).forward_s;
    Settings set = job;
    set.push_back(
        {"efficiency-file", write(dir, "operation,pass,rows,efficiency\nmemory,all,,0.4\n")});
    const weft_training_plan slow = plan_of(set);
    EXPECT_NEAR(weft_training_embedding_cost(&slow).forward_s - 4e-6, 2 * (usual - 4e-6), 1e-12);
}

TEST(TrainingMeasured, ErrorsNameTheirPlace)
{
    const TempDir dir;
    const std::vector<std::tuple<const char *, const char *, const char *>> cases = {
        {"", ":1:1: ", "no header"},
        {"operation,pass,row,efficiency\n", ":1:16: ", "'rows' must be"},
        {"operation,pass,rows,efficiency\nfeedforward,all,,0.5\n",
         ":2:1: ", "did you mean 'feed-forward'"},
        {"operation,pass,rows,efficiency\nhead,al,,0.5\n", ":2:6: ", "did you mean 'all'"},
        {"operation,pass,rows,efficiency\nhead,all,,1.5\n", ":2:11: ", "up to 1"},
        {"operation,pass,rows,efficiency\nhead,all,x,0.5\n", ":2:10: ", "rows is 'x'"},
        {"operation,pass,rows,efficiency\nhead,all,0.5\n", ":2:10: ", "4 fields"},
        {"operation,pass,rows,efficiency\nhead,all,8,0.5,1\n", ":2:12: ", "4 fields"},
        {"operation,pass,rows,efficiency\nhead,all,8,0.5\nhead,all,8,0.6\n", ":3:10: ", "already"},
    };
    for (const auto &[text, place, what] : cases) {
        weft_measured m;
        weft_err err{};
        EXPECT_EQ(weft_measured_read(write(dir, text).c_str(), &m, &err), WEFT_E_INPUT) << text;
        EXPECT_NE(Text(err).find(place), std::string::npos) << Text(err);
        EXPECT_NE(Text(err).find(what), std::string::npos) << Text(err);
    }
}
