/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * all-reduce=auto and its like: whatever fabric, collective and size, what is taken is within 10 %
 * of the best of all that could have been, each of them played.
 */
#include "program.h"

#include "tests/cli/auto_choices.h"

namespace
{

using Args = std::vector<std::string>;

Said Weft(const std::string &command, const Args &sets)
{
    Args a = {command};
    if (command == "run")
        a.insert(a.end(), {"--no-out", "--quiet", "--json"});
    return weft(with_sets(a, sets));
}

/// End-to-end time in nanoseconds.
double TimeOf(const Args &sets)
{
    const Said s = Weft("run", sets);
    EXPECT_EQ(s.code, 0) << s.err;
    const std::string key = "\"end_to_end_ns\": ";
    const size_t at = s.out.find(key);
    EXPECT_NE(at, std::string::npos) << s.out;
    return at == std::string::npos ? 0 : strtod(s.out.c_str() + at + key.size(), nullptr);
}

Args On(const std::string &preset, const std::string &kind, const std::string &size)
{
    return {"topology.type=preset", "preset.name=" + preset, "workload.type=generate",
            "generate.kind=" + kind, "generate.size=" + size};
}

struct Row {
    const char *backend, *preset;
    size_t dims;
    const char *kind, *size;
};

void PrintTo(const Row &r, std::ostream *os)
{
    *os << r.preset << " " << r.kind << " " << r.size << " " << r.backend;
}

class WithinTenPercent : public ::testing::TestWithParam<Row>
{
};

/// What auto takes is at most a tenth slower than the best of @p choices for @p kinds.
void ExpectCloseToBest(const Args &base, const std::vector<std::string> &choices,
                       const std::vector<std::string> &kinds)
{
    const auto with = [&](const std::string &choice) {
        Args one = base;
        for (const std::string &kind : kinds)
            one.push_back("system." + kind + "=" + choice);
        return TimeOf(one);
    };
    std::string best;
    double best_ns = 0;
    for (const std::string &choice : choices) {
        const double ns = with(choice);
        if (best.empty() || ns < best_ns) {
            best = choice;
            best_ns = ns;
        }
    }
    EXPECT_LE(with("auto"), 1.1 * best_ns) << "best is " << best;
}

TEST_P(WithinTenPercent, OfTheBestOfAll)
{
    const Row &r = GetParam();
    Args base = On(r.preset, r.kind, r.size);
    base.push_back(std::string("network.backend=") + r.backend);
    if (std::string(r.backend) == "ideal")
        base.push_back("ideal.contention=source");
    ExpectCloseToBest(base, AutoChoices(r.kind, r.dims), {r.kind});
}

const Row kRows[] = {
    {"packet", "hgx-rail-optimised", 2, "all-reduce", "1KiB"},
    {"packet", "hgx-rail-optimised", 2, "all-reduce", "32KiB"},
    {"packet", "hgx-rail-optimised", 2, "all-reduce", "1MiB"},
    {"packet", "hgx-rail-optimised", 2, "all-gather", "1KiB"},
    {"packet", "hgx-rail-optimised", 2, "reduce-scatter", "256KiB"},
    {"packet", "hgx-rail-optimised", 2, "all-to-all", "1KiB"},
    {"packet", "hgx-rail-optimised", 2, "all-to-all", "256KiB"},
    {"packet", "hgx-rail-optimised", 2, "broadcast", "64KiB"},
    {"packet", "hgx-rail-only", 2, "all-reduce", "32KiB"},
    {"packet", "hgx-rail-only", 2, "all-to-all", "32KiB"},
    {"packet", "dgx-a100-pod", 2, "all-reduce", "1KiB"},
    {"packet", "dgx-a100-pod", 2, "all-reduce", "256KiB"},
    {"packet", "hpn-dual-plane", 2, "all-reduce", "64KiB"},
    {"packet", "tpu-torus-4x4x4", 3, "all-reduce", "1KiB"},
    {"packet", "tpu-torus-4x4x4", 3, "all-reduce", "64KiB"},
    {"packet", "tpu-torus-4x4x4", 3, "all-reduce", "1MiB"},
    {"packet", "tpu-torus-4x4x4", 3, "all-gather", "1KiB"},
    {"packet", "tpu-torus-4x4x4", 3, "all-to-all", "64KiB"},
    {"packet", "tpu-torus-4x4x4", 3, "broadcast", "1KiB"},
    {"packet", "hpcc-fat-tree-320", 1, "all-reduce", "1KiB"},
    {"packet", "hpcc-fat-tree-320", 1, "all-reduce", "64KiB"},
    {"packet", "hpcc-fat-tree-320", 1, "all-to-all", "1KiB"},
    {"ideal", "hgx-rail-optimised", 2, "all-reduce", "16MiB"},
    {"ideal", "hgx-rail-optimised", 2, "all-reduce", "256MiB"},
    {"ideal", "tpu-torus-4x4x4", 3, "all-reduce", "256MiB"},
    {"ideal", "dgx-h100-pod", 2, "all-reduce", "64MiB"},
    {"ideal", "hpcc-fat-tree-320", 1, "all-reduce", "64MiB"},
};

INSTANTIATE_TEST_SUITE_P(Auto, WithinTenPercent, ::testing::ValuesIn(kRows));

/// Hosts drawn at random have no dimensions: what counts is where they are.
TEST(Auto, IsCloseToTheBestWhereRanksAreMisplaced)
{
    for (const char *size : {"4KiB", "1MiB", "64MiB"}) {
        Args base = On("hgx-rail-optimised", "all-reduce", size);
        base.insert(base.end(), {"workload.placement=random", "network.backend=ideal",
                                 "ideal.contention=source"});
        ExpectCloseToBest(base, AutoChoices("all-reduce", 1), {"all-reduce"});
    }
}

/// Another order of the ring changes what a ring costs, and is part of what auto weighs.
TEST(Auto, IsCloseToTheBestInAnotherOrder)
{
    for (const char *size : {"1MiB", "64MiB"}) {
        Args base = On("hgx-rail-optimised", "all-gather", size);
        base.insert(base.end(),
                    {"system.order=rail", "network.backend=ideal", "ideal.contention=source"});
        ExpectCloseToBest(base, AutoChoices("all-gather", 2), {"all-gather"});
    }
}

/// Tensor-parallel groups of 8 within a server and data-parallel ones of 16 over a rail: each has
/// its own choice, so the step is no slower than with any one for all.
TEST(Auto, IsCloseToTheBestForGroupsOfATrainingJob)
{
    const Args base = {"topology.type=preset",   "preset.name=hgx-rail-optimised",
                       "network.backend=ideal",  "ideal.contention=source",
                       "workload.type=training", "training.model=llama3-8b",
                       "training.tp=8",          "training.dp=16",
                       "training.microbatches=1"};
    ExpectCloseToBest(base, {"ring", "direct", "halving-doubling", "ring,ring", "direct,direct"},
                      {"all-reduce", "all-gather", "reduce-scatter"});
}

} // namespace

/// Ranks that send to more than 1,024 others at once are not taken, but for an all-to-all, whose
/// messages there must be.
TEST(Auto, LetsFewMessagesBeUnderWayAtOnce)
{
    const auto taken = [](const std::string &kind, const std::string &hosts) {
        const Said s = weft({"run", "--no-out", "--set", "topology.type=single-switch", "--set",
                             "single-switch.hosts=" + hosts, "--set", "network.backend=ideal",
                             "--set", "workload.type=generate", "--set", "generate.kind=" + kind,
                             "--set", "generate.size=1KiB"});
        EXPECT_EQ(s.code, 0) << s.err;
        const size_t at = s.out.find("played by");
        return at == std::string::npos ? s.out : s.out.substr(at + 23, 6);
    };
    EXPECT_EQ(taken("all-gather", "1025"), "direct");
    EXPECT_NE(taken("all-gather", "1026"), "direct");
    EXPECT_EQ(taken("all-to-all", "1026"), "direct");
}

/// 8 hosts of one switch at 400 Gbps, 500 ns per link; 1 KiB, so 128 B for each of 7 others in
/// frames of 210 B, with the ACKs of others 296 B on the link: twice 1000 ns + 210 B x 20 ps
/// through the switch + 7 x 296 B x 20 ps, which are 2091.3 ns.
TEST(Auto, SaysWhatItTookAndWhatItExpects)
{
    const Args star = {"topology.type=single-switch", "single-switch.hosts=8",
                       "single-switch.rate=400Gbps",  "single-switch.delay=500ns",
                       "workload.type=generate",      "generate.kind=all-reduce",
                       "generate.size=1KiB",          "system.all-reduce=auto"};
    const Said s = weft(with_sets({"run", "--no-out"}, star));
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out,
                    "direct over 8 ranks, taken by auto: 2.091 us expected for 1.024 KB, next ");
}

/// Tensor- and data-parallel groups of a job are told apart, though the same algorithm plays both.
TEST(Auto, GroupsOfEverySizeAreNamed)
{
    const Said s = weft({"run",   "--no-out",
                         "--set", "topology.type=single-switch",
                         "--set", "single-switch.hosts=8",
                         "--set", "network.backend=ideal",
                         "--set", "workload.type=training",
                         "--set", "training.model=llama3-8b",
                         "--set", "training.tp=4",
                         "--set", "training.dp=2",
                         "--set", "training.microbatches=1",
                         "--set", "training.check-memory=false",
                         "--set", "system.all-gather=ring"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "played by              ring over 4 ranks; ring over 2 ranks\n");
}

/// One flat ring takes 8.4 ms and more.
TEST(Auto, AnAllReduceOverRailsTakesWhatTheDimensionsAllow)
{
    Args a = On("hgx-rail-optimised", "all-reduce", "64MiB");
    a.push_back("system.all-reduce=auto");
    EXPECT_LE(TimeOf(a), 640e3);
}

TEST(Auto, StandsAlone)
{
    Args a = On("hgx-rail-optimised", "all-reduce", "1MiB");
    a.push_back("system.all-reduce=ring,auto");
    const Said s = Weft("check", a);
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "'ring,auto': auto chooses for all dimensions, so it stands alone");
}
