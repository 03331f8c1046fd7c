// SPDX-License-Identifier: GPL-2.0-only
// Generated training jobs through the program: they run to their end, and their traces are the same
// job.
#include "program.h"

#include <set>

namespace
{

std::vector<std::string> sets(std::vector<std::string> values, const std::string &prefix)
{
    for (std::string &v : values)
        v.insert(0, prefix);
    return with_sets({}, values);
}

std::vector<std::string> join(std::vector<std::string> a, const std::vector<std::string> &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

const std::vector<std::string> fabric = sets(
    {"topology.type=single-switch", "single-switch.hosts=16", "single-switch.rate=3200Gbps"}, "");

/* Every kind of parallelism, with communication: no order of collectives and messages that stops.
 */
TEST(TrainingJob, RunsToItsEnd)
{
    const std::vector<std::vector<std::string>> jobs = {
        {"tp=4", "pp=2", "recompute=full"},
        {"tp=2", "cp=2", "pp=2", "recompute=selective"},
        {"cp=4", "pp=2", "context-parallel=all-gather"},
        {"tp=2", "cp=4", "context-parallel=all-to-all"},
        {"pp=4", "schedule=gpipe", "microbatches=6"},
        {"pp=4", "schedule=zb-h1", "microbatches=8", "tp=2"},
        {"pp=4", "schedule=interleaved", "virtual-stages=2", "microbatches=8", "tp=2",
         "iterations=2"},
        {"data-parallel=zero-3", "microbatches=2", "iterations=2"},
        {"data-parallel=zero-2", "microbatches=2", "iterations=2", "tp=2", "pp=2"},
        {"data-parallel=zero-1", "iterations=3", "overlap-param-gather=true", "pp=2"},
        {"model=mixtral-8x7b", "ep=4", "tp=2", "data-parallel=zero-3"},
        {"model=mixtral-8x7b", "ep=8", "etp=1", "tp=2", "pp=2", "iterations=2"},
        {"model=mixtral-8x7b", "ep=4", "tp=2", "expert-skew=1.2"},
        {"data-parallel=zero-3", "shard-ranks=4", "microbatches=2"},
        {"model=gpt3-13b", "tp=2", "pp=4", "data-parallel=ddp", "sequence-parallel=false"},
    };
    for (const auto &job : jobs) {
        TempDir dir;
        const Said s = weft(join(join(join({"run", "--set", "network.backend=ideal", "--set",
                                            "workload.type=training", "--out", dir / "o"},
                                           fabric),
                                      sets({"layers=8", "check-memory=false"}, "training.")),
                                 sets(job, "training.")));
        EXPECT_EQ(s.code, 0) << job.front() << "\n" << s.out << s.err;
        EXPECT_CONTAINS(s.out, "finished");
    }
}

/* A step of GPT-3 13B on 8 ranks, by the formula of Megatron-LM's paper (arXiv:2104.04473, section
 * 5.1) without recomputation: 72 B s L h^2 (1 + s / 6h + V / 12 L h), attention not causal. */
/* The mean of exposed communication, divided by what the communication is for: the parts add up, up
 * to a picosecond each, and what a job does not have is nothing. */
TEST(TrainingJob, ExposedCommunicationIsDividedByParallelism)
{
    struct Case {
        std::vector<std::string> job;
        std::set<std::string> has; // of tp, cp, ep, dp, pp
    };
    const std::vector<Case> cases = {
        {{"tp=4", "pp=2"}, {"tp", "dp", "pp"}},
        {{"cp=2", "pp=2"}, {"cp", "dp", "pp"}},
        {{"cp=4", "dp=4"}, {"cp", "dp"}},
        {{"model=mixtral-8x7b", "ep=4", "tp=2", "data-parallel=zero-3"}, {"tp", "ep", "dp"}},
    };
    for (const Case &c : cases) {
        TempDir dir;
        const Said s =
            weft(join(join(join({"run", "--set", "network.backend=ideal", "--set",
                                 "workload.type=training", "--json", "--out", dir / "o"},
                                fabric),
                           sets({"layers=4", "microbatches=2", "check-memory=false"}, "training.")),
                      sets(c.job, "training.")));
        ASSERT_EQ(s.code, 0) << s.err;
        const auto ns = [&](const std::string &name) {
            const std::string key = "\"exposed_" + name + "_mean_ns\": ";
            const size_t at = s.out.find(key);
            EXPECT_NE(at, std::string::npos) << name;
            return at == std::string::npos ? 0 : std::stod(s.out.substr(at + key.size()));
        };
        double sum = ns("other");
        for (const char *kind : {"tp", "cp", "ep", "dp", "pp"}) {
            sum += ns(kind);
            EXPECT_EQ(ns(kind) > 0, c.has.count(kind) == 1) << c.job.front() << " " << kind;
        }
        EXPECT_NEAR(sum, ns("communication"), 0.01) << c.job.front();
    }
}

TEST(TrainingJob, AnIterationThatDidNotEndHasNoTime)
{
    TempDir dir;
    const Said s = weft(join(join({"run", "--json", "--no-out", "--set", "network.backend=ideal",
                                   "--set", "run.until=1us", "--set", "workload.type=training"},
                                  fabric),
                             sets({"model=gpt3-13b", "ranks=16", "tp=8", "microbatches=4",
                                   "check-memory=false", "gpu=a100"},
                                  "training.")));
    EXPECT_EQ(s.code, 1) << s.err;
    EXPECT_CONTAINS(s.out, "\"step_ns\": null");
}

TEST(TrainingJob, ThroughputIsSaid)
{
    TempDir dir;
    const Said s =
        weft(join(join({"run", "--json", "--set", "network.backend=ideal", "--set",
                        "workload.type=training", "--out", dir / "o"},
                       fabric),
                  sets({"model=gpt3-13b", "ranks=16", "tp=8", "microbatches=4", "iterations=2",
                        "causal=false", "check-memory=false", "gpu=a100"},
                       "training.")));
    ASSERT_EQ(s.code, 0) << s.err;
    const double tokens = 2 * 4 * 2048, layers = 40, h = 5120, vocabulary = 51200,
                 step_s = value(s, "step_ns") * 1e-9;
    const double flops =
        72 * tokens * layers * h * h * (1 + 2048 / (6 * h) + vocabulary / (12 * layers * h));
    EXPECT_NEAR(step_s, value(s, "end_to_end_ns") * 1e-9 / 2, 1e-9);
    EXPECT_NEAR(value(s, "samples_per_s") * step_s / tokens, 1, 1e-9);
    EXPECT_NEAR(value(s, "samples_per_s_rank") * 16 * step_s / tokens, 1, 1e-9);
    EXPECT_NEAR(value(s, "model_flops_per_s_rank") * 16 * step_s / flops, 1, 0.005);
    EXPECT_NEAR(value(s, "model_flops_utilisation") * 312e12, value(s, "model_flops_per_s_rank"),
                1e6);
}

/* The traces that are written are the job that is played: the same rows, whichever way. */
TEST(TrainingJob, TracesAreTheSameJob)
{
    TempDir dir;
    const std::vector<std::string> job = {"layers=4", "tp=2", "cp=2",
                                          "pp=2",     "dp=2", "microbatches=4"};
    const std::string prefix = dir / "t/step";
    const Said g = weft(join({"trace", "generate", "training", prefix}, sets(job, "training.")));
    ASSERT_EQ(g.code, 0) << g.err;
    EXPECT_CONTAINS(g.out, "step.{0..15}.et");
    EXPECT_CONTAINS(g.out, "16 = tp 2 x cp 2 x dp 2 x pp 2");
    const std::vector<std::string> run = join({"run", "--set", "network.backend=ideal"}, fabric);
    const Said a = weft(join(join(run, {"--set", "workload.type=training", "--out", dir / "a"}),
                             sets(job, "training.")));
    const Said b =
        weft(join(run, {"--set", "workload.type=chakra", "--set", "chakra.path=" + prefix, "--set",
                        "chakra.groups=" + prefix + ".json", "--out", dir / "b"}));
    ASSERT_EQ(a.code, 0) << a.err;
    ASSERT_EQ(b.code, 0) << b.err;
    EXPECT_GT(slurp(dir / "a/flows.csv").size(), 10000u);
    EXPECT_EQ(slurp(dir / "a/flows.csv"), slurp(dir / "b/flows.csv"));
}

/* What does not fit says so before anything is written. */
TEST(TrainingJob, RefusesWhatDoesNotFit)
{
    TempDir dir;
    const Said s = weft({"trace", "generate", "training", dir / "t", "--set", "model=llama3-405b",
                         "--set", "tp=8"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "GiB");
    EXPECT_EQ(access((dir / "t.0.et").c_str(), F_OK), -1);
    const Said w = weft({"trace", "generate", "chakra", dir / "t"});
    EXPECT_EQ(w.code, 2);
    EXPECT_CONTAINS(w.err, "read from files");
}

} // namespace
