// SPDX-License-Identifier: GPL-2.0-only
// weft trace transform: copies, times, dependencies, ranks; the results are worked out by hand.
#include "what_if.h"

#include <filesystem>
#include <set>

namespace
{

// Two ranks: 10 us, a collective of 1,000,000 bytes, 30 us; on each.
struct Chain : WhatIf {
    Chain()
    {
        for (int r = 0; r < 2; r++) {
            Trace t;
            const uint64_t a = t.comp(10), c = t.coll(ALL_REDUCE, 1000000, "", {a});
            t.comp(30, {c});
            t.write(dir / ("t." + std::to_string(r) + ".et"));
        }
    }
};

// Nodes with everything that a node may have, some of it unknown to weft.
void write_odd(const std::string &path)
{
    Trace t;
    t.comp(7);
    for (int kind = WEFT_ET_INT32; kind <= WEFT_ET_BOOL; kind += 2)
        t.attribute(("unknown-" + std::to_string(kind)).c_str(), static_cast<weft_et_kind>(kind),
                    1);
    t.attribute("unknown-7", WEFT_ET_UINT64, 5); // once more, of another kind
    t.coll(ALL_REDUCE, 5, "", {1});
    t.attribute("profiler_says", WEFT_ET_SINT64, -9);
    t.load(4096, {1, 2, 1});
    t.write(path);
}

TEST(Transform, WithoutAnyIsACopy)
{
    WhatIf w;
    write_odd(w.dir / "t.0.et");
    write_odd(w.dir / "t.1.et");
    for (const char *to : {"o", "o2.gz"}) {
        w.make("", "t", to);
        EXPECT_EQ(w.diff("t", to == std::string("o") ? "o" : "o2"), "no difference in 2 ranks\n");
    }
    EXPECT_EQ(slurp(w.dir / "t.0.et"), slurp(w.dir / "o.0.et"));
    EXPECT_EQ(slurp(w.dir / "o2.1.et.gz").substr(0, 2), "\x1f\x8b");
    w.make("", "o2", "o3"); // from gzip
    EXPECT_EQ(slurp(w.dir / "t.1.et"), slurp(w.dir / "o3.1.et"));
    // An operation that is changed keeps the rest, and the others all.
    w.make("scale factor=3 op=comp*");
    const std::string d = w.diff();
    EXPECT_CONTAINS(d, "duration_micros 7 -> 21");
    EXPECT_CONTAINS(d, "0 nodes only in the first, 0 only in the second, 2 fields differ");
}

TEST(Transform, CopiesOfRealTracesAreTheSame)
{
    const std::string root = shared("astra-sim");
    if (root.empty())
        GTEST_SKIP() << "WEFT_SHARED has no data";
    WhatIf w;
    int traces = 0;
    for (const auto &e : std::filesystem::recursive_directory_iterator(root)) {
        std::string p = e.path().string();
        if (p.size() < 5 || p.substr(p.size() - 5) != ".0.et")
            continue;
        p.resize(p.size() - 5);
        const std::string to = "o" + std::to_string(traces++);
        w.make("", p, to);
        EXPECT_CONTAINS(w.diff(p, to), "no difference in ");
        w.make("", p, to + "z.gz");
        EXPECT_CONTAINS(w.diff(p, to + "z"), "no difference in ");
    }
    EXPECT_GT(traces, 5);
}

TEST(Transform, CopiesOfGeneratedTracesAreTheSame)
{
    WhatIf w;
    ASSERT_EQ(weft(words("trace generate training t --set model=llama3-8b --set ranks=8 --set tp=2 "
                         "--set pp=2"),
                   w.dir / "")
                  .code,
              0);
    w.groups = {"--groups", "t.json"};
    w.make("");
    EXPECT_EQ(w.diff(), "no difference in 8 ranks\n");
    const Said a = weft(words("trace info t --groups t.json"), w.dir / ""),
               b = weft(words("trace info o --groups o.json"), w.dir / "");
    EXPECT_EQ(a.out.substr(1), b.out.substr(1));
}

TEST(Transform, ScalesComputations)
{
    Chain w;
    w.make("scale factor=2");
    EXPECT_EQ(w.path_us("t"), 40);
    EXPECT_EQ(w.path_us(), 80);
    EXPECT_EQ(w.bytes(), w.bytes("t"));
    EXPECT_EQ(w.run("compute_max_ns", "o", 2), 80000);
    w.make("remove kind=collective", "t", "c"); // computations alone: the time itself
    w.make("scale factor=2", "c", "c2");
    EXPECT_EQ(w.run("end_to_end_ns", "c", 2), 40000);
    EXPECT_EQ(w.run("end_to_end_ns", "c2", 2), 80000);
    w.make("scale factor=0.5 ranks=1");
    EXPECT_CONTAINS(w.dump(0), "duration=30us");
    EXPECT_CONTAINS(w.dump(1), "duration=15us");
    w.make("scale factor=2 op=comp3"); // 10 + 60
    EXPECT_EQ(w.path_us(), 70);
}

// 3 x 3 us at half the time are 4.5 us: 2 + 1 + 2, not 2 + 2 + 2.
TEST(Transform, RoundingDoesNotAddUp)
{
    WhatIf w;
    Trace t;
    t.comp(3);
    t.comp(3, {1});
    t.comp(3, {2});
    t.attribute("num_ops", WEFT_ET_INT64, 1001);
    t.write(w.dir / "t.0.et");
    w.make("scale factor=0.5");
    EXPECT_EQ(w.path_us(), 5);
    EXPECT_CONTAINS(w.dump(0), "num_ops=501");
}

TEST(Transform, RemovesAndBridges)
{
    WhatIf w;
    Trace t; // 1 -> {2, 3} -> 4 -> 5, 2 and 4 go: 3 and 5 stay, 5 after 1 and 3
    t.comp(1);
    t.cpu(2, {1});
    t.comp(4, {1});
    t.cpu(8, {2, 3});
    t.comp(16, {4});
    t.write(w.dir / "t.0.et");
    w.make("remove op=cpu");
    const std::string d = w.dump(0);
    EXPECT_CONTAINS(d, "3 nodes");
    EXPECT_CONTAINS(d, "duration=16us after 1 3 ");
    EXPECT_EQ(w.path_us(), 21);
    w.make("remove"); // all
    EXPECT_CONTAINS(w.dump(0), "0 nodes");
}

TEST(Transform, RemovesALongChain)
{
    WhatIf w;
    Trace t;
    t.comp(1);
    for (uint64_t i = 2; i <= 100000; i++)
        t.cpu(1, {i - 1, i > 2 ? i - 2 : 1});
    t.comp(5, {100000});
    t.write(w.dir / "t.0.et");
    w.make("remove op=cpu");
    EXPECT_CONTAINS(w.dump(0), "duration=5us after 1 ");
    EXPECT_EQ(w.path_us(), 6);
}

TEST(Transform, WhatWaitsInACircleIsNotBridged)
{
    WhatIf w;
    Trace t;
    t.cpu(1, {2});
    t.cpu(1, {1});
    t.write(w.dir / "t.0.et");
    const Said s = w.transform("remove op=cpu");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "circle");
}

// One of four ranks takes three times as long: all end 2 x 40 us later, as the collective waits for
// it.
TEST(Transform, AStragglerDelaysByItsShare)
{
    WhatIf w;
    for (int r = 0; r < 4; r++) {
        Trace t;
        t.comp(40);
        t.coll(ALL_REDUCE, 1000, "", {1});
        t.write(w.dir / ("t." + std::to_string(r) + ".et"));
    }
    const double before = w.run("end_to_end_ns", "t", 4);
    w.make("straggle factor=3 ranks=2");
    EXPECT_EQ(w.path_us(), 120);
    EXPECT_DOUBLE_EQ(w.run("end_to_end_ns", "o", 4), before + 80000);
    w.make("straggle factor=3 draw=2 seed=5");
    EXPECT_EQ(count(w.dump(0) + w.dump(1) + w.dump(2) + w.dump(3), "duration=120us"), 2u);
    w.make("straggle factor=3 draw=2 seed=5", "t", "again");
    EXPECT_EQ(w.diff("o", "again"), "no difference in 4 ranks\n");
    std::set<std::string> drawn;
    for (int seed = 1; seed <= 12; seed++) {
        w.make("straggle factor=3 draw=1 seed=" + std::to_string(seed));
        drawn.insert(w.diff());
    }
    EXPECT_GT(drawn.size(), 2u);
    const Said s = w.transform("straggle factor=3 draw=5");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "draw is 5, but there are 4 ranks");
}

TEST(Transform, PutsTransformsInOrder)
{
    Chain w;
    w.make("scale kind=collective factor=0.5 split size=600000B"); // 500,000: nothing to split
    EXPECT_EQ(count(w.dump(0), "COMM_COLL"), 1u);
    w.make("split size=600000B scale kind=collective factor=0.5"); // 600,000 + 400,000, halved
    EXPECT_EQ(count(w.dump(0), "COMM_COLL"), 2u);
    EXPECT_CONTAINS(w.dump(0), "comm_size=300000");
    EXPECT_CONTAINS(w.dump(0), "comm_size=200000");
}

TEST(Transform, ErrorsSayWhatIsWrong)
{
    Chain w;
    const struct {
        const char *text;
        int code;
        const char *says;
    } cases[] = {
        {"scal factor=2", 3, "did you mean 'scale'"},
        {"factor=2", 2, "belongs to no transform"},
        {"scale", 3, "scale needs factor=VALUE"},
        {"scale factr=2", 3, "did you mean 'factor'"},
        {"scale factor=-1", 3, "factor"},
        {"scale factor=2 ranks=0,7", 3, "ranks"},
        {"scale factor=2 ranks=x", 3, "'x'"},
        {"algorithm name=rinng", 3, "did you mean 'ring'"},
        {"swap", 3, "neither load nor store is given"},
        {"exchange a=0 b=2", 3, "b is rank 2, but the trace's ranks are 0 .. 1"},
        {"replicate factor=1000000", 5, "copies of 2 ranks"},
        {"scale factor=1e9 scale factor=1e9", 5, "duration would be over"},
        {"remove kind=collective ranks=1", 1, "cannot be played"},
    };
    for (const auto &c : cases) {
        const Said s = w.transform(c.text);
        EXPECT_EQ(s.code, c.code) << c.text;
        EXPECT_CONTAINS(s.err, c.says);
    }
    EXPECT_EQ(w.transform("", "t", "./t.gz").code, 3);
    EXPECT_CONTAINS(w.transform("", "t", "./t").err,
                    "would be written over the trace that is read");
    EXPECT_EQ(w.transform("", "none").code, 3);
    const Said s = w.transform("remove op=nothing-like-it");
    EXPECT_EQ(s.code, 0);
    EXPECT_CONTAINS(s.err, "remove is about no operation");
    EXPECT_CONTAINS(weft(words("trace transform t o scale factor=2 --json"), w.dir / "").out,
                    "\"operations\": 4");
}

} // namespace
