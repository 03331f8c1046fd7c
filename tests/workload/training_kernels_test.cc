// SPDX-License-Identifier: GPL-2.0-only
// Kernel times by shape: what the shipped ones say of shapes that they do not have, and a user's.
#include "tests/base/temp_dir.h"
#include "training_job.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>

using namespace training_job;

namespace
{

using Times = std::vector<weft_kernel_time>;

const weft_gpu &gpu(const char *name)
{
    size_t n;
    const weft_gpu *all = weft_gpus(&n);
    return *std::find_if(all, all + n, [&](const weft_gpu &g) { return !strcmp(g.name, name); });
}

Times shipped(const std::function<bool(const weft_kernel_time &)> &which)
{
    size_t n;
    const weft_kernel_time *all = weft_kernel_times_shipped(&n);
    Times out;
    std::copy_if(all, all + n, std::back_inserter(out), which);
    return out;
}

double median_of(std::vector<double> v, double share = 0.5)
{
    std::sort(v.begin(), v.end());
    return v.at(static_cast<size_t>(static_cast<double>(v.size() - 1) * share));
}

/* Errors of the time of what was left out, from what was kept. */
std::vector<double> errors(const Times &kept, const Times &left_out)
{
    const auto t = std::make_unique<weft_kernel_times>();
    std::vector<double> out;
    weft_kernel_times_fill(t.get(), &gpu("h100"), kept.data(), kept.size());
    for (const weft_kernel_time &x : left_out)
        out.push_back(
            std::abs(weft_kernel_s(t.get(), &gpu("h100"), x.kind, x.m, x.n, x.k) * 1e6 / x.us - 1));
    return out;
}

/* Each half judged by the other one. */
std::vector<double> hold_out(int kind, const std::function<bool(const weft_kernel_time &)> &half,
                             double from_us = 0)
{
    std::vector<double> out;
    for (const bool side : {false, true}) {
        const Times kept =
            shipped([&](const auto &x) { return x.kind == kind && half(x) == side; });
        const Times rest = shipped(
            [&](const auto &x) { return x.kind == kind && half(x) != side && x.us >= from_us; });
        for (const double e : errors(kept, rest))
            out.push_back(e);
    }
    return out;
}

/* Halves of the matrices of weights, with all their numbers of rows. */
bool half_of_matrices(const weft_kernel_time &x)
{
    const auto n = static_cast<uint64_t>(x.n), k = static_cast<uint64_t>(x.k);
    return ((n * 2654435761u ^ k * 40503u) >> 7) & 1;
}

std::string source()
{
    const char *at = getenv("WEFT_SOURCE_DIR");
    return at ? at : ".";
}

std::unique_ptr<weft_training_plan> plan_with(const Settings &set)
{
    return std::make_unique<weft_training_plan>(plan_of(set));
}

} // namespace

TEST(TrainingKernels, AMeasuredShapeHasItsMeasuredTime)
{
    for (const int kind :
         {WEFT_KERNEL_KIND_GEMM, WEFT_KERNEL_KIND_ATTENTION, WEFT_KERNEL_KIND_ATTENTION_BACKWARD,
          WEFT_KERNEL_KIND_NORM, WEFT_KERNEL_KIND_OPTIMIZER}) {
        const Times all = shipped([&](const auto &x) { return x.kind == kind; });
        const std::vector<double> e = errors(all, all);
        EXPECT_LT(*std::max_element(e.begin(), e.end()), 0.002) << kind;
    }
}

TEST(TrainingKernels, HalfOfTheShapesTellTheOthers)
{
    const auto alternate = [](const weft_kernel_time &x) {
        return (static_cast<int>(std::log2(x.m)) + static_cast<int>(std::log2(x.n))) % 2 == 0;
    };
    const auto sizes = [](const weft_kernel_time &x) {
        return static_cast<int>(std::log2(x.m * x.n) * 2) % 2 == 0;
    };
    const struct {
        const char *what;
        std::vector<double> errors;
        double median, p90;
    } cases[] = {
        {"products, all", hold_out(WEFT_KERNEL_KIND_GEMM, half_of_matrices), 0.06, 0.21},
        {"products from 100 us on", hold_out(WEFT_KERNEL_KIND_GEMM, half_of_matrices, 100), 0.05,
         0.16},
        {"products from 1 ms on", hold_out(WEFT_KERNEL_KIND_GEMM, half_of_matrices, 1000), 0.035,
         0.09},
        {"attention, forward", hold_out(WEFT_KERNEL_KIND_ATTENTION, alternate), 0.12, 0.28},
        {"attention, backward", hold_out(WEFT_KERNEL_KIND_ATTENTION_BACKWARD, alternate), 0.12,
         0.28},
        {"norms", hold_out(WEFT_KERNEL_KIND_NORM, alternate), 0.12, 0.35},
        {"sums, products, copies", hold_out(WEFT_KERNEL_KIND_ELEMENTWISE, sizes), 0.05, 0.25},
    };
    for (const auto &c : cases) {
        const double median = median_of(c.errors), p90 = median_of(c.errors, 0.9);
        printf("%-24s %4zu kernels: median error %4.1f %%, p90 %4.1f %%\n", c.what, c.errors.size(),
               100 * median, 100 * p90);
        EXPECT_LT(median, c.median) << c.what;
        EXPECT_LT(p90, c.p90) << c.what;
    }
}

/* Llama-3 8B: 768 of 6,144 columns for queries, keys and values. */
TEST(TrainingKernels, NarrowSlicesOfFewTokensCostMore)
{
    const auto q = plan_with({{"ranks", "1"}, {"check-memory", "false"}});
    const auto efficiency = [&](double m, double n, double k) {
        return 2 * m * n * k /
               (weft_kernel_s(&q->times, &q->gpu, WEFT_KERNEL_KIND_GEMM, m, n, k) * 989e12);
    };
    const double whole = efficiency(4096, 6144, 4096), slice = efficiency(512, 768, 4096);
    printf("query-key-value: %.3f of the peak for 4,096 tokens, %.3f for 512 at tp 8\n", whole,
           slice);
    EXPECT_NEAR(whole, 0.71, 0.03);
    EXPECT_LT(slice, whole / 3);
    EXPECT_GT(slice, whole / 8);
}

TEST(TrainingKernels, OtherGpusHaveTheSharesOfTheirOwnRoofline)
{
    const Settings job = {{"ranks", "8"}, {"tp", "8"}, {"check-memory", "false"}};
    const auto with = [&](const char *name, const char *compute) {
        Settings set = job;
        set.push_back({"gpu", name});
        set.push_back({"compute", compute});
        return plan_with(set);
    };
    const auto h100 = with("h100", "auto"), b200 = with("b200", "measured");
    EXPECT_EQ(with("b200", "auto")->times.n, 0u);
    EXPECT_EQ(with("h100", "efficiency")->times.n, 0u);
    EXPECT_GT(h100->times.n, 1500u);
    const double launch = 4e-6,
                 a = weft_training_block_cost(h100.get(), 0).scores.forward_s - launch,
                 b = weft_training_block_cost(b200.get(), 0).scores.forward_s - launch;
    EXPECT_NEAR(a / b, 2250.0 / 989, 1e-9);
    const double memory = weft_training_embedding_cost(h100.get()).forward_s - launch;
    EXPECT_NEAR(memory / (weft_training_embedding_cost(b200.get()).forward_s - launch), 8 / 3.35,
                1e-9);
}

/* GPT-3 175B at tp 4: products take 0.5 to 0.7 of their time in bf16, the rest what it did. */
TEST(TrainingKernels, ProductsInFp8)
{
    const Settings job = {
        {"ranks", "4"}, {"tp", "4"}, {"model", "gpt3-175b"}, {"check-memory", "false"}};
    Settings fp8 = job;
    fp8.push_back({"precision", "fp8"});
    const weft_block_cost a = weft_training_block_cost(plan_with(job).get(), 0),
                          b = weft_training_block_cost(plan_with(fp8).get(), 0);
    EXPECT_DOUBLE_EQ(a.scores.forward_s, b.scores.forward_s);
    EXPECT_NEAR(b.ffn.weights_s / a.ffn.weights_s, 989 / (1979 * 0.88), 0.01);
    EXPECT_GT(b.ffn.forward_s, 0.5 * a.ffn.forward_s);
    EXPECT_LT(b.ffn.forward_s, 0.75 * a.ffn.forward_s);
    EXPECT_DOUBLE_EQ(weft_training_head_cost(plan_with(job).get()).forward_s,
                     weft_training_head_cost(plan_with(fp8).get()).forward_s);
    fp8.push_back({"fp8-efficiency", "0.44"});
    EXPECT_NEAR(weft_training_block_cost(plan_with(fp8).get(), 0).ffn.weights_s / b.ffn.weights_s,
                2, 0.01);
}

TEST(TrainingKernels, EfficienciesThatAreGivenWin)
{
    Settings job = {{"ranks", "8"}, {"tp", "8"}, {"check-memory", "false"}};
    const weft_block_cost measured = weft_training_block_cost(plan_with(job).get(), 0);
    job.push_back({"gemm-efficiency", "0.3"});
    const weft_block_cost given = weft_training_block_cost(plan_with(job).get(), 0);
    EXPECT_NEAR(given.ffn.weights_s - 8e-6,
                (2.0 * 8192 * 3584 * 4096 + 2.0 * 8192 * 4096 * 1792) / (989e12 * 0.3), 1e-9);
    EXPECT_DOUBLE_EQ(given.scores.forward_s, measured.scores.forward_s);
}

TEST(TrainingKernels, AUsersFile)
{
    const TempDir dir;
    const std::string path = dir / "kernels.csv";
    std::ofstream(path) << "kind,m,n,k,us\n# one shape\nlaunch,,,,10\ngemm,1024,1024,1024,110\n";
    const auto q = plan_with({{"ranks", "1"},
                              {"kernels", path},
                              {"gpu", "a100"},
                              {"kernel-launch", "1us"},
                              {"check-memory", "false"}});
    EXPECT_NEAR(weft_kernel_s(&q->times, &q->gpu, WEFT_KERNEL_KIND_GEMM, 1024, 1024, 1024), 101e-6,
                1e-9);
    /* Eight times the work: the same share of the roofline. */
    EXPECT_NEAR(weft_kernel_s(&q->times, &q->gpu, WEFT_KERNEL_KIND_GEMM, 2048, 2048, 2048), 801e-6,
                1e-8);
    EXPECT_FALSE(weft_kernel_times_has(&q->times, WEFT_KERNEL_KIND_NORM));
}

TEST(TrainingKernels, ErrorsNameTheirPlace)
{
    const TempDir dir;
    const std::string path = dir / "kernels.csv", head = "kind,m,n,k,us\n";
    const std::vector<std::tuple<std::string, const char *, const char *>> cases = {
        {head + "gem,1,1,1,1\n", ":2:1: ", "did you mean 'gemm'"},
        {head + "gemm,0,1,1,1\n", ":2:6: ", "at least 1"},
        {head + "gemm,1,1,x,1\n", ":2:10: ", "k is 'x'"},
        {head + "gemm,1,1,1,0\n", ":2:12: ", "above 0"},
        {head + "norm,1,1,1,1\n", ":1:1: ", "no line of the kind gemm"},
        {"kind,m,n,us\n", ":1:10: ", "5 fields"},
    };
    for (const auto &[text, place, what] : cases) {
        const auto t = std::make_unique<weft_kernel_times>();
        weft_err err{};
        std::ofstream(path) << text;
        EXPECT_EQ(weft_kernel_times_read(path.c_str(), &gpu("h100"), t.get(), &err), WEFT_E_INPUT);
        EXPECT_NE(Text(err).find(place), std::string::npos) << Text(err);
        EXPECT_NE(Text(err).find(what), std::string::npos) << Text(err);
    }
}

/* The script that measures a GPU, with a timer that needs none. */
TEST(TrainingKernels, TheScriptWritesWhatIsRead)
{
    const TempDir dir;
    const std::string path = dir / "kernels.csv",
                      script = "python3 " + source() + "/scenarios/hardware/measure-kernels.py ";
    if (system("python3 -c pass") != 0)
        GTEST_SKIP() << "no python3";
    ASSERT_EQ(system((script + "-o " + path +
                      " --models llama3-8b,gpt3-175b --tp 1,8 --tokens "
                      "512,4096 --fp8 --roofline 500 2> /dev/null")
                         .c_str()),
              0);
    const auto q = plan_with({{"ranks", "8"},
                              {"tp", "8"},
                              {"kernels", path},
                              {"sequence", "4096"},
                              {"check-memory", "false"}});
    const weft_block_cost c = weft_training_block_cost(q.get(), 0);
    EXPECT_NEAR(c.ffn.weights_s - 8e-6, 3 * 2.0 * 4096 * 1792 * 4096 / 500e12, 1e-7);
    EXPECT_NEAR(c.scores.forward_s - 4e-6, 2.0 * 4096 * 4096 * 4 * 128 / 500e12, 1e-7);
    EXPECT_TRUE(weft_kernel_times_has(&q->times, WEFT_KERNEL_KIND_GEMM_FP8));
    for (const char *wrong : {"--models llama", "--tp 0", "--tokens 1,x", "--fp8"})
        EXPECT_NE(
            system((script + "-o " + path + " --roofline 1 " + wrong + " 2> /dev/null").c_str()), 0)
            << wrong;
}
