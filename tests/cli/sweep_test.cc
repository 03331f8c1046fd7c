// SPDX-License-Identifier: GPL-2.0-only
// weft sweep: every combination, and the speed-up over the first value of the last --vary.
#include "program.h"

#include <filesystem>

namespace
{

/* Four ranks, ideal: ring all-reduce is 6 x (size / 4 x 20 ps + 2 us), direct 2 x the same. */
std::vector<std::string> sweep(std::vector<std::string> more)
{
    std::vector<std::string> a = small(std::move(more));
    a[0] = "sweep";
    return a;
}

TEST(Sweep, EveryCombinationInOrder)
{
    Said s =
        weft(sweep({"--vary", "generate.size=1MiB|4MiB", "--vary", "system.all-reduce=ring|direct",
                    "--metric", "end-to-end", "--metric", "messages"}));
    ASSERT_EQ(s.code, 0) << s.err;
    // 6 x (5242.88 + 2000) = 43457.28 ns, 2 x = 14485.76; 6 x (20971.52 + 2000) = 137829.12,
    // 45943.04
    EXPECT_EQ(s.out, "generate.size  system.all-reduce  end-to-end  messages  speed-up\n"
                     "1MiB           ring               43.46 us    24        1.000\n"
                     "1MiB           direct             14.49 us    24        3.000\n"
                     "4MiB           ring               137.8 us    24        1.000\n"
                     "4MiB           direct             45.94 us    24        3.000\n");
}

TEST(Sweep, FilesAndJson)
{
    TempDir dir;
    Said s = weft(sweep({"--vary", "system.all-reduce=ring|direct", "--out", dir / "o", "--json"}));
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(slurp(dir / "o/sweep.csv"),
              "system.all-reduce,outcome,end_to_end_ns,dimension_utilisation,speed_up,folder\n"
              "ring,finished,43457.280000,0.723867,1.000000,1\n"
              "direct,finished,14485.760000,2.171600,3.000000,2\n");
    EXPECT_CONTAINS(s.out, "\"system.all-reduce\": \"direct\"");
    EXPECT_CONTAINS(s.out, "\"speed_up\": 3\n");
    for (const char *row : {"1", "2"}) {
        EXPECT_TRUE(std::filesystem::exists(dir / ("o/" + std::string(row) + "/finished")));
    }
    EXPECT_CONTAINS(slurp(dir / "o/2/run.json"), "\"all-reduce\": \"direct\"");
}

/* What several rows say is told once, however many run at a time. */
TEST(Sweep, TheSameLineIsSaidOnce)
{
    for (const char *jobs : {"-j1", "-j3"}) {
        const Said s =
            weft(sweep({"--vary", "generate.size=1MiB|2MiB|4MiB", jobs, "--set",
                        "system.remote-latency=1us", "--set", "ideal.contention=links"}));
        ASSERT_EQ(s.code, 0) << s.err;
        const std::string line = "system.remote-latency: has no effect";
        const size_t first = s.err.find(line);
        ASSERT_NE(first, std::string::npos) << s.err;
        EXPECT_EQ(s.err.find(line, first + 1), std::string::npos) << s.err;
        EXPECT_CONTAINS(s.err, "2 more lines as above, of other rows");
    }
}

/* What explains it follows, and is not told again for others. */
TEST(Sweep, RowsThatDoNotFinishAreNamed)
{
    for (const char *jobs : {"-j1", "-j3"}) {
        const Said s = weft(sweep({"--vary", "generate.size=1MiB|2MiB|1KiB", jobs, "--set",
                                   "run.until=15us", "--set", "system.all-reduce=direct"}));
        EXPECT_EQ(s.code, 1) << s.err;
        for (const char *size : {"1MiB", "2MiB", "1KiB"}) {
            const std::string line =
                std::string("weft: error: generate.size=") + size +
                ": not finished at the limit run.until=15us\nweft: error:   rank 0 waits";
            const bool late = size[0] == '2';
            EXPECT_EQ(s.err.find(line) != std::string::npos, late) << s.err;
        }
    }
}

/* The table does not show that messages of the ideal backend had links to themselves. */
TEST(Sweep, LinksThatCarriedTooMuchAreToldOf)
{
    for (const char *contention : {"none", "links"}) {
        const Said s =
            weft(sweep({"--vary", "generate.size=1MiB|2MiB", "--set", "system.all-reduce=direct",
                        "--set", "ideal.contention=" + std::string(contention)}));
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(s.err.find("links carried more than twice their rate") != std::string::npos,
                  contention[0] == 'n')
            << s.err;
    }
}

/* A run that does not end is a row without a speed-up; one that cannot begin is named, and the
 * others run. */
TEST(Sweep, WhatDoesNotEndOrBegin)
{
    Said s = weft(sweep({"--set", "system.all-reduce=ring", "--vary", "run.until=1s|1us|2s"}));
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.out, "1s         43.46 us");
    EXPECT_CONTAINS(s.out, "stopped-at-limit\n");
    EXPECT_CONTAINS(s.out, "1.000\n");
    EXPECT_CONTAINS(s.err, "not finished at the limit run.until=1us");
    s = weft(sweep({"--set", "system.all-reduce=ring", "--vary", "generate.size=1MiB|many"}));
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "generate.size=many: ");
    EXPECT_CONTAINS(s.out, "1MiB           43.46 us    0.7239                 1.000\n");
    EXPECT_CONTAINS(s.out, "failed\n");
}

TEST(Sweep, WrongCommandLines)
{
    Said s = weft(sweep({}));
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "nothing to vary");
    s = weft(sweep({"--vary", "generate.size"}));
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "KEY=VALUE");
    s = weft(sweep({"--vary", "generate.size=1B", "--vary", "generate.size=2B"}));
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "given twice");
    s = weft(sweep({"--vary", "generate.size=1B", "--metric", "end-to-edn"}));
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "did you mean 'end-to-end'");
}

} // namespace
