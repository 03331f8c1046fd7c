/* SPDX-License-Identifier: GPL-2.0-only */
/* weft compare: what differs between two runs, and what moved. */
#include "program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace
{

using Args = std::vector<std::string>;

/* An all-reduce of 1 MiB on 4 hosts; more settings behind. */
Said Play(const TempDir &dir, const std::string &out, const Args &more = {})
{
    return weft(with_sets({"run", "--quiet", "--out", dir / out},
                          {"topology.type=single-switch", "single-switch.hosts=4",
                           "single-switch.rate=100Gbps", "single-switch.delay=1us",
                           "workload.type=generate", "generate.size=1MiB", "network.backend=ideal",
                           "system.all-reduce=ring"},
                          more));
}

class CompareRuns : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        ASSERT_EQ(Play(dir_, "a").code, 0);
        ASSERT_EQ(Play(dir_, "b", {"single-switch.rate=200Gbps"}).code, 0);
    }
    Said Both(const Args &more = {}, const std::string &a = "a", const std::string &b = "b")
    {
        Args args = {"compare", dir_ / a, dir_ / b};
        args.insert(args.end(), more.begin(), more.end());
        return weft(args);
    }
    TempDir dir_;
};

/* Six steps of 256 KiB: 6 x (20.97152 us + 2 us) at 100 Gbps, 6 x (10.48576 us + 2 us) at twice the
 * rate. */
TEST_F(CompareRuns, SettingsAndFigures)
{
    const Said s = Both();
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "single-switch.rate                 100Gbps                200Gbps\n");
    EXPECT_EQ(s.out.find("single-switch.hosts"), std::string::npos) << "it is the same";
    EXPECT_CONTAINS(s.out,
                    "end-to-end                         137.8 us       74.91 us       -45.65 %");
    EXPECT_CONTAINS(s.out, "all-reduce-bus-bandwidth ");
    // 6 x 10.48576 us less of the transfers themselves
    EXPECT_CONTAINS(s.out,
                    "what accounts for it: the mean rank took -62.91 us, by\n  data on its way "
                    "                       -62.91 us\n");
    EXPECT_CONTAINS(s.out, "not compared");
}

/* Of a gather only rank 0 waits: the mean is of one rank, and says so. */
TEST_F(CompareRuns, RanksThatOnlySend)
{
    for (const char *rate : {"100Gbps", "200Gbps"})
        ASSERT_EQ(Play(dir_, rate,
                       {std::string("single-switch.rate=") + rate, "generate.kind=gather",
                        "system.gather=direct"})
                      .code,
                  0);
    EXPECT_CONTAINS(Both({}, "100Gbps", "200Gbps").out,
                    "the mean rank (of the 1 of 4 that computed or waited) took -");
}

TEST_F(CompareRuns, AsJson)
{
    const Said s = Both({"--json", "--metric", "end-to-end"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "\"key\": \"single-switch.rate\",\n      \"a\": \"100Gbps\",\n      "
                           "\"b\": \"200Gbps\"");
    EXPECT_CONTAINS(s.out, "\"a\": 137829.12,\n      \"b\": 74914.56,");
    EXPECT_DOUBLE_EQ(value(s, "change"), 74914.56 / 137829.12 - 1);
    EXPECT_EQ(s.out.find("fct_p50_ns"), std::string::npos) << "one figure was asked for";
}

TEST_F(CompareRuns, BeyondATolerance)
{
    EXPECT_EQ(Both({"--tolerance", "45.7", "--metric", "end-to-end"}).code, 0);
    const Said s = Both({"--tolerance", "45.6%", "--metric", "end_to_end_ns"});
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.out, "-45.65 %  beyond the tolerance");
    EXPECT_EQ(Both({"--tolerance", "30"}).code, 1);
}

/* Wall time differs from run to run, and is no reason. */
TEST_F(CompareRuns, ARunTwiceHasNotMoved)
{
    ASSERT_EQ(Play(dir_, "c").code, 0);
    const Said s = Both({"--tolerance", "0"}, "a", "c");
    EXPECT_EQ(s.code, 0) << s.out << s.err;
    EXPECT_CONTAINS(s.out, "all settings are the same\n");
    EXPECT_CONTAINS(s.out, "no figure of the simulated network moved\n");
}

/* Parameters of what only one of the runs has chosen are no differences of their own. */
TEST_F(CompareRuns, AnotherChoice)
{
    ASSERT_EQ(Play(dir_, "d", {"topology.type=ring", "ring.size=4"}).code, 3)
        << "left-over settings";
    const Said d =
        weft(with_sets({"run", "--quiet", "--out", dir_ / "d"},
                       {"topology.type=ring", "ring.size=4", "workload.type=generate",
                        "generate.size=1MiB", "network.backend=ideal", "system.all-reduce=ring"}));
    ASSERT_EQ(d.code, 0);
    const Said s = Both({}, "a", "d");
    EXPECT_CONTAINS(s.out, "topology.type                      single-switch          ring\n");
    EXPECT_EQ(s.out.find("\n  single-switch.rate"), std::string::npos) << s.out;
}

TEST_F(CompareRuns, RefusalsSayWhy)
{
    EXPECT_EQ(weft({"compare", dir_ / "a"}).code, 2);
    EXPECT_CONTAINS(Both({"--tolerance", "much"}).err, "in percent");
    const Said unknown = Both({"--metric", "speed"});
    EXPECT_EQ(unknown.code, 3);
    EXPECT_CONTAINS(unknown.err, "'speed'");
    EXPECT_EQ(Both({}, "a", "nowhere").code, 4);
    std::filesystem::create_directory(dir_ / "e");
    std::ofstream(dir_ / "e/run.json") << "{\"outcome\": \"running\"}";
    const Said running = Both({}, "a", "e");
    EXPECT_EQ(running.code, 3);
    EXPECT_CONTAINS(running.err, "has no summary");
    std::ofstream(dir_ / "e/run.json") << "{\n  \"outcome\" 1}";
    EXPECT_CONTAINS(Both({}, "a", "e").err, "e/run.json:2:");
}

TEST_F(CompareRuns, AFolderOfASweepIsNamed)
{
    ASSERT_EQ(weft({"sweep", "--set", "topology.type=single-switch", "--set",
                    "workload.type=generate", "--set", "network.backend=ideal", "--vary",
                    "generate.size=1KiB|2KiB", "--out", dir_ / "s"})
                  .code,
              0);
    const Said s = Both({}, "a", "s");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "s/run.json is of a sweep: name the folders of two of its rows");
}

} // namespace
