// SPDX-License-Identifier: GPL-2.0-only
// weft trace synthesize and compare: how near a synthesised trace is, and what it does not tell.
#include "what_if.h"

#include <cmath>
#include <cstring>

namespace
{

// All differences of a comparison in percent.
std::vector<double> differences(const std::string &json)
{
    std::vector<double> all;
    for (const char *key : {"\"step_time_percent\": ", "\"exposed_percent\": "})
        for (size_t at = 0; (at = json.find(key, at)) != std::string::npos; at++)
            all.push_back(strtod(json.c_str() + at + strlen(key), nullptr));
    return all;
}

// Synthesises t as s; step time and exposed communication are within 5 % on three fabrics.
void expect_near(WhatIf &w, const std::string &from, const std::string &set = "")
{
    const Said s =
        weft(Words{"trace", "synthesize", from, "s", "--json"} + w.groups + words(set), w.dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    const std::vector<double> d = differences(s.out);
    EXPECT_EQ(d.size(), 6u) << s.out;
    for (double x : d)
        EXPECT_LT(std::fabs(x), 5) << s.out;
    EXPECT_CONTAINS(weft(words("trace diff s ") + Words{from}, w.dir / "").out,
                    "fields differ"); // and no copy
}

TEST(Synthesize, ATrainingStepIsNear)
{
    WhatIf w;
    ASSERT_EQ(weft(words("trace generate training t --set model=llama3-8b --set ranks=16 --set "
                         "tp=4 --set pp=2 --set microbatches=4"),
                   w.dir / "")
                  .code,
              0);
    w.groups = {"--groups", "t.json"};
    expect_near(w, "t");
    const std::string made = w.dump(5, "s"), given = w.dump(5, "t");
    EXPECT_CONTAINS(given, "it0.mb0.L");
    EXPECT_LACKS(made, "it0"); // no names, no size of the original
    EXPECT_LACKS(made, "grad");
    EXPECT_CONTAINS(given, "comm_size=16777216 ");
    EXPECT_LACKS(made, "comm_size=16777216 ");
    for (const char *key :
         {"ranks", "operations", "collective_operations", "messages", "collectives"})
        EXPECT_EQ(w.info(key, "s"), w.info(key, "t")) << key;
    EXPECT_EQ(w.info("unequal_sizes", "s"), 0);
    EXPECT_NEAR(w.bytes("s") / w.bytes("t"), 1, 0.02);
}

TEST(Synthesize, ADataParallelLoopIsNear)
{
    WhatIf w;
    ASSERT_EQ(weft(words("trace generate t --set ranks=4 --set pattern=data-parallel --set "
                         "layers=8 --set iterations=3"),
                   w.dir / "")
                  .code,
              0);
    expect_near(w, "t");
    expect_near(w, "t", "--set seed=7");
}

TEST(Synthesize, ARealTraceIsNear)
{
    const std::string real = shared(
        "astra-sim/system/custom_collectives/custom_ring_allreduce_8npus_1MB/custom_allreduce.xml");
    if (real.empty())
        GTEST_SKIP() << "WEFT_SHARED has no data";
    WhatIf w;
    expect_near(w, real.substr(0, real.size() - 4));
}

// Twice as many iterations take twice as long, on twice as many ranks; seeds differ, a seed
// repeats.
TEST(Synthesize, AnyLengthAndMoreRanks)
{
    WhatIf w;
    ASSERT_EQ(weft(words("trace generate t --set ranks=4 --set pattern=data-parallel --set "
                         "layers=8 --set iterations=3"),
                   w.dir / "")
                  .code,
              0);
    ASSERT_EQ(weft(words("trace synthesize t s --set iterations=6 --set ranks=8"), w.dir / "").code,
              0);
    EXPECT_EQ(w.info("ranks", "s"), 8);
    EXPECT_EQ(w.info("operations", "s"), 2 * 2 * w.info("operations", "t"));
    EXPECT_NEAR(w.path_us("s") / w.path_us("t"), 2, 0.02);
    ASSERT_EQ(
        weft(words("trace generate one --set ranks=4 --set pattern=data-parallel --set layers=8"),
             w.dir / "")
            .code,
        0);
    ASSERT_EQ(weft(words("trace synthesize one s --set iterations=4"), w.dir / "").code, 0);
    EXPECT_NEAR(w.path_us("s") / w.path_us("one"), 4,
                0.04); // an iteration waits for the one before
    ASSERT_EQ(weft(words("trace synthesize one again --set iterations=4"), w.dir / "").code, 0);
    EXPECT_EQ(slurp(w.dir / "s.2.et"), slurp(w.dir / "again.2.et"));
    ASSERT_EQ(
        weft(words("trace synthesize one other --set iterations=4 --set seed=2"), w.dir / "").code,
        0);
    EXPECT_NE(slurp(w.dir / "s.2.et"), slurp(w.dir / "other.2.et"));
    const Said s = weft(words("trace synthesize t s --set ranks=6"), w.dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "must be a multiple of the trace's 4, such as 4");
    EXPECT_EQ(weft(words("trace synthesize t s --set rank=8"), w.dir / "").code, 3);
    EXPECT_EQ(weft(words("trace synthesize t s --set learned=7"), w.dir / "").code, 3);
}

TEST(Compare, SaysHowFarTwoTracesAreApart)
{
    WhatIf w;
    for (int r = 0; r < 2; r++) {
        Trace a, b;
        a.comp(40);
        b.comp(50);
        a.write(w.dir / ("a." + std::to_string(r) + ".et"));
        b.write(w.dir / ("b." + std::to_string(r) + ".et"));
    }
    const Said s = weft({"trace", "compare", "a", "b"}, w.dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(count(s.out, "+25.00 %"), 3u);
    EXPECT_EQ(count(s.out, "+0.00 %"), 3u);
    EXPECT_EQ(weft({"trace", "compare", "a", "none"}, w.dir / "").code, 3);
}

// The commands of the page, and what it says that they print.
TEST(WhatIfDoc, CommandsPrintWhatThePageSays)
{
    TempDir dir;
    std::istringstream page(slurp(source_dir() + "/docs/how-to/what-if.md"));
    std::string said, shown;
    enum { TEXT, COMMANDS, OUTPUT } in = TEXT;
    int commands = 0, outputs = 0;
    for (std::string line; std::getline(page, line);) {
        if (line.rfind("```", 0) == 0) {
            if (in == OUTPUT) {
                EXPECT_CONTAINS(said, shown);
                outputs++;
            }
            in = in != TEXT ? TEXT : line == "```sh" ? COMMANDS : OUTPUT;
            shown.clear();
        } else if (in == COMMANDS) {
            Words w = words(line);
            ASSERT_EQ(w.at(0), "weft");
            w.erase(w.begin());
            const Said s = weft(w, dir / "");
            EXPECT_EQ(s.code, 0) << line << ": " << s.err;
            said += s.out;
            commands++;
        } else if (in == OUTPUT) {
            shown += line + "\n";
        }
    }
    EXPECT_GE(commands, 5);
    EXPECT_GE(outputs, 1);
}

} // namespace
