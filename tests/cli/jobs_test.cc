// SPDX-License-Identifier: GPL-2.0-only
// Several workloads in one scenario.
#include "jobs.h"

#include <algorithm>
#include <filesystem>

namespace
{

const char kApart[] = "  <workload type=\"generate\" name=\"a\" size=\"1MiB\" ranks=\"4\"/>\n"
                      "  <workload type=\"generate\" name=\"b\" kind=\"all-to-all\" size=\"2MiB\" "
                      "ranks=\"4\"/>\n";

/* Jobs under one leaf each do not meet: each does what it does as the only workload. */
TEST(Jobs, ApartTheyDoWhatTheyDoAlone)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    Said both = run(dir, kApart, "both");
    ASSERT_EQ(both.code, 0) << both.err;
    Said a = run(dir, "  <workload type=\"generate\" size=\"1MiB\" ranks=\"4\"/>\n", "a");
    ASSERT_EQ(a.code, 0) << a.err;
    Said b = run(dir,
                 "  <workload type=\"generate\" kind=\"all-to-all\" size=\"2MiB\" ranks=\"4\" "
                 "hosts=\"4-7\"/>\n",
                 "b");
    ASSERT_EQ(b.code, 0) << b.err;
    for (const char *file : {"ops.csv", "ranks.csv", "collectives.csv", "critical_path.csv"}) {
        EXPECT_EQ(rows_of(dir / (std::string("both/") + file), "a"),
                  rows(dir / (std::string("a/") + file)));
        EXPECT_EQ(rows_of(dir / (std::string("both/") + file), "b"),
                  rows(dir / (std::string("b/") + file)));
        EXPECT_NE(rows(dir / (std::string("b/") + file)), "");
    }
    EXPECT_FALSE(std::filesystem::exists(dir / "a/jobs.csv"));
    EXPECT_EQ(cell(dir / "both/jobs.csv", "a", "ranks"), "4");
    EXPECT_EQ(cell(dir / "both/jobs.csv", "a", "messages"), "24");   /* 2 x 3 steps x 4 */
    EXPECT_EQ(cell(dir / "both/jobs.csv", "b", "bytes"), "6291456"); /* 4 x 3 x 512 KiB */
    EXPECT_EQ(cell(dir / "both/classes.csv", "3", "messages"), "36");
    EXPECT_CONTAINS(both.out, "8 of 8 operations done");
}

/* The same scenario gives the same bytes; sharing hosts and links slows jobs down. */
TEST(Jobs, TogetherTheyShare)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    const std::string inside =
        "  <workload type=\"generate\" name=\"a\" size=\"1MiB\" hosts=\"0,4,1,5\"/>\n"
        "  <workload type=\"generate\" name=\"b\" kind=\"all-to-all\" size=\"2MiB\" share=\"true\" "
        "hosts=\"4-7,0-1\" start=\"10us\" priority=\"4\" repeat=\"3\"/>\n";
    ASSERT_EQ(run(dir, inside, "1").code, 0);
    ASSERT_EQ(run(dir, inside, "2").code, 0);
    for (const char *file : {"flows.csv", "ops.csv", "ranks.csv", "jobs.csv", "classes.csv",
                             "links.csv", "collectives.csv", "critical_path.csv", "pfc.csv"})
        EXPECT_EQ(slurp(dir / (std::string("1/") + file)), slurp(dir / (std::string("2/") + file)))
            << file;
    EXPECT_EQ(cell(dir / "1/jobs.csv", "b", "repetitions"), "3");
    EXPECT_EQ(cell(dir / "1/jobs.csv", "b", "done"), "18");
    EXPECT_EQ(cell(dir / "1/jobs.csv", "b", "messages"), "90"); /* 3 x 6 x 5 */
    EXPECT_EQ(cell(dir / "1/jobs.csv", "b", "start_ns"), "10000.000");
    EXPECT_EQ(cell(dir / "1/classes.csv", "4", "messages"), "90");
    ASSERT_EQ(
        run(dir, "  <workload type=\"generate\" size=\"1MiB\" hosts=\"0,4,1,5\"/>\n", "alone").code,
        0);
    EXPECT_GT(std::stod(cell(dir / "1/jobs.csv", "a", "duration_ns")),
              1.05 * std::stod(cell(dir / "alone/ranks.csv", "0", "end_ns")));
}

/* The first incast would begin when the time for them is over. */
TEST(Jobs, WithoutFlowsNoTimePasses)
{
    TempDir dir;
    const Said s = run(dir,
                       "<workload type=\"incast\" name=\"none\" degree=\"2\" size=\"16KiB\" "
                       "period=\"100us\" duration=\"100us\" start=\"2ms\"/>\n",
                       "o");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cell(dir / "o/jobs.csv", "none", "duration_ns"), "0.000");
    EXPECT_EQ(cell(dir / "o/jobs.csv", "none", "messages"), "0");
}

/* A repetition begins when all of the one before is over: without other traffic each takes as long
 * as the first. */
TEST(Jobs, RepetitionsFollowEachOther)
{
    TempDir dir;
    const std::string ideal = "  <network backend=\"ideal\"/>\n";
    Said s = run(dir,
                 ideal + "  <workload type=\"generate\" size=\"1MiB\" ranks=\"4\" repeat=\"5\" "
                         "start=\"7us\"/>\n",
                 "o");
    ASSERT_EQ(s.code, 0) << s.err;
    const auto ops = cells(dir / "o/ops.csv");
    ASSERT_EQ(ops.size(), 21u);
    const double once = std::stod(ops[1][7]) - std::stod(ops[1][5]);
    EXPECT_EQ(ops[1][5], "7000.000");
    EXPECT_NEAR(std::stod(ops[17][5]), 7000 + 4 * once, 0.01);
    EXPECT_CONTAINS(s.out, "20 of 20 operations done");
}

TEST(Jobs, KeysGoByTheirNames)
{
    TempDir dir;
    write_file(dir / "s.xml", scenario(kApart));
    Said s = weft({"check", dir / "s.xml", "--set", "b.size=4MiB", "--set", "a.placement=spread"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out,
                    "workload a: ranks 4, operations 4, communicator groups 1, hosts 0,4,1,5\n");
    EXPECT_CONTAINS(s.out,
                    "workload b: ranks 4, operations 4, communicator groups 1, hosts 2-3,6-7\n");
    EXPECT_CONTAINS(s.out, "b.size                           = 4MiB                 (--set)");
    EXPECT_CONTAINS(s.out, "a.size                           = 1MiB                 (line 3)");
    s = weft({"check", dir / "s.xml", "--set", "workload.size=4MiB"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "the scenario has 2 workloads; say which by its name: NAME.size=4MiB");
    s = weft({"check", dir / "s.xml", "--set", "generate.size=4MiB"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "several workloads have this type; say which by its name");
}

/* A list of types on the command line is a scenario with these elements. */
TEST(Jobs, SeveralByTheCommandLine)
{
    TempDir dir;
    const std::vector<std::string> sets = {
        "--set", "topology.type=leaf-spine", "--set", "workload.type=web:cdf,incast",
        "--set", "web.duration=50us",        "--set", "incast.duration=50us",
        "--set", "incast.degree=3"};
    auto with = [&](std::vector<std::string> args, const std::vector<std::string> &more = {}) {
        args.insert(args.end(), sets.begin(), sets.end());
        args.insert(args.end(), more.begin(), more.end());
        return weft(args);
    };
    Said s = with({"run", "--out", dir / "o"});
    ASSERT_EQ(s.code, 0) << s.err;
    write_file(dir / "s.xml",
               "<scenario><topology type=\"leaf-spine\"/>"
               "<workload name=\"web\" type=\"cdf\" duration=\"50us\"/>"
               "<workload type=\"incast\" duration=\"50us\" degree=\"3\"/></scenario>");
    ASSERT_EQ(weft({"run", dir / "s.xml", "--out", dir / "f"}).code, 0);
    EXPECT_EQ(slurp(dir / "o/flows.csv"), slurp(dir / "f/flows.csv"));
    EXPECT_GT(slurp(dir / "o/flows.csv").size(), 500u);
    s = with({"check"}, {"--set", "workload.load=0.3"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "the scenario has 2 workloads; say which by its name: NAME.load=0.3");
    s = with({"check"}, {"--set", "workload.type=web:cdf,incas"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "unknown workload 'incas'; did you mean 'incast'?");
    /* The file's own workload stays, with its attributes, where the list names it. */
    write_file(dir / "one.xml", "<scenario><topology type=\"leaf-spine\"/><workload name=\"web\" "
                                "type=\"cdf\" duration=\"50us\"/></scenario>");
    s = weft({"check", dir / "one.xml", "--all", "--set", "workload.type=web:cdf,incast", "--set",
              "incast.degree=3"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "web.duration                     = 50us                 (line 1)");
    s = weft({"check", dir / "one.xml", "--set", "workload.type=cdf,incast"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "the list leaves out the workload of the scenario, 'web'");
}

TEST(Jobs, MistakesAreNamedAtTheirElement)
{
    TempDir dir;
    const struct {
        const char *inside, *says;
    } cases[] = {
        {"<workload type=\"generate\"/>\n<workload type=\"generate\" ranks=\"2\"/>\n",
         "s.xml:4:1: <workload type=\"generate\">: no host is free: earlier workloads have them "
         "all"},
        {"<workload type=\"generate\" ranks=\"6\"/>\n<workload type=\"generate\" ranks=\"4\"/>\n",
         "s.xml:4:1: <workload type=\"generate\">: workload 'generate': ranks is 4, but the fabric "
         "has 2 hosts"},
        {"<workload type=\"generate\" name=\"x\" ranks=\"1\"/>\n<workload type=\"generate\" "
         "name=\"x\" ranks=\"1\"/>\n",
         "s.xml:4:1: <workload name=\"x\">: another workload has this name"},
        {"<workload type=\"generate\" name=\"pfc\" ranks=\"1\"/>\n",
         "that is the name of other settings"},
        {"<workload type=\"generate\" hosts=\"0-9\"/>\n",
         "there is no host 8; the fabric's are 0 to 7"},
        {"<workload type=\"generate\" hosts=\"0-3\"/>\n<workload type=\"generate\" "
         "hosts=\"3-4\"/>\n",
         "host 3 is another workload's already; share=true puts both on it"},
        {"<workload name=\"x\"/>\n<workload type=\"generate\"/>\n",
         "s.xml:3:1: <workload> needs the attribute 'type'"},
    };
    for (const auto &c : cases) {
        write_file(dir / "s.xml", scenario(c.inside));
        Said s = weft({"check", dir / "s.xml"});
        EXPECT_EQ(s.code, 3) << c.inside;
        EXPECT_CONTAINS(s.err, c.says);
    }
}

/* What 'weft show scenario' writes is the same scenario. */
TEST(Jobs, AWrittenScenarioIsTheSame)
{
    TempDir dir;
    write_file(dir / "s.xml", scenario(kApart));
    const Said first = weft({"show", "scenario", dir / "s.xml", "--xml"});
    ASSERT_EQ(first.code, 0) << first.err;
    write_file(dir / "t.xml", first.out);
    const Said again = weft({"show", "scenario", dir / "t.xml", "--xml"});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out, first.out);
    EXPECT_CONTAINS(first.out, "name=\"b\"");
}

const char kShared[] = "  <workload type=\"generate\" name=\"a\" kind=\"all-reduce\" size=\"1MiB\" "
                       "hosts=\"0,4,1,5\"/>\n"
                       "  <workload type=\"generate\" name=\"b\" kind=\"all-to-all\" size=\"1MiB\" "
                       "count=\"2\" ranks=\"4\"/>\n"
                       "  <workload type=\"cdf\" name=\"web\" load=\"0.5\" duration=\"100us\"/>\n";

/* Two jobs and web search on one fabric: what each takes alone is what it takes as the only
 * workload, and sharing slows them down; twice the same bytes. */
TEST(Jobs, AloneEqualsTheSingleRun)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    for (const char *out : {"1", "2"}) {
        Said s = run(dir, kShared, out, {"--alone"});
        ASSERT_EQ(s.code, 0) << s.err;
    }
    for (const char *file : {"flows.csv", "ops.csv", "jobs.csv", "classes.csv", "links.csv"})
        EXPECT_EQ(slurp(dir / (std::string("1/") + file)), slurp(dir / (std::string("2/") + file)))
            << file;
    const std::string jobs = dir / "1/jobs.csv";
    ASSERT_EQ(run(dir, "<workload type=\"generate\" size=\"1MiB\" hosts=\"0,4,1,5\"/>\n", "a").code,
              0);
    ASSERT_EQ(run(dir,
                  "<workload type=\"generate\" kind=\"all-to-all\" size=\"1MiB\" count=\"2\" "
                  "hosts=\"2,3,6,7\"/>\n",
                  "b")
                  .code,
              0);
    ASSERT_EQ(run(dir, "<workload type=\"cdf\" load=\"0.5\" duration=\"100us\"/>\n", "web").code,
              0);
    for (const char *job : {"a", "b"}) {
        double end = 0;
        for (const auto &r : cells(dir / (std::string(job) + "/ranks.csv")))
            end = r[0] == "rank" ? end : std::max(end, std::stod(r[2]));
        EXPECT_EQ(std::stod(cell(jobs, job, "alone_ns")), end) << job;
    }
    EXPECT_EQ(cell(jobs, "web", "alone_fct_mean_ns"),
              cell(dir / "web/jobs.csv", "cdf", "fct_mean_ns"));
    EXPECT_EQ(cell(jobs, "web", "alone_ns"), cell(dir / "web/jobs.csv", "cdf", "duration_ns"));
    for (const char *job : {"a", "b", "web"})
        EXPECT_GT(std::stod(cell(jobs, job, "slowdown")), 1.01) << job;
    EXPECT_EQ(cell(jobs, "a", "slowdown").substr(0, 6),
              std::to_string(std::stod(cell(jobs, "a", "duration_ns")) /
                             std::stod(cell(jobs, "a", "alone_ns")))
                  .substr(0, 6));
}

/* A job that nothing meets takes as long as alone, whatever its flows come from; requests are told
 * in the run itself. */
TEST(Jobs, AloneHasTheFlowsOfTheRun)
{
    if (!has_packet())
        GTEST_SKIP();
    const std::string later = "<workload type=\"generate\" name=\"b\" start=\"1s\"/>\n";
    TempDir dir;
    for (const std::string source :
         {"cdf\" load=\"0.5\" duration=\"300us", "incast\" degree=\"4\" duration=\"300us",
          "storage\" ranks=\"8\" servers=\"2\" iops=\"100000\" duration=\"200us",
          "checkpoint\" ranks=\"8\" servers=\"2\" size=\"100KB\" count=\"2",
          "inference\" ranks=\"8\" duration=\"200ms"}) {
        const std::string inside = "<workload name=\"a\" type=\"" + source + "\"/>\n" + later;
        ASSERT_EQ(run(dir, inside, "plain").code, 0) << source;
        ASSERT_EQ(run(dir, inside, "alone", {"--alone"}).code, 0) << source;
        EXPECT_GT(std::stod(cell(dir / "alone/jobs.csv", "a", "messages")), 1) << source;
        EXPECT_EQ(cell(dir / "alone/jobs.csv", "a", "slowdown"), "1.000000") << source;
        EXPECT_EQ(cell(dir / "alone/jobs.csv", "a", "alone_fct_mean_ns"),
                  cell(dir / "alone/jobs.csv", "a", "fct_mean_ns"))
            << source;
        EXPECT_EQ(slurp(dir / "alone/requests.csv"), slurp(dir / "plain/requests.csv")) << source;
    }
}

/* Traffic without an end stops when the jobs have; a window ends the run as intended. */
TEST(Jobs, TrafficEndsWithTheRun)
{
    TempDir dir;
    const std::string web =
        "  <network backend=\"ideal\"/>\n  <workload type=\"cdf\" name=\"web\" load=\"0.1\"/>\n";
    Said s = run(dir, web + "  <workload type=\"generate\" name=\"main\" size=\"64MiB\"/>\n", "o");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(slurp(dir / "o/finished"), "finished\n");
    const double end = std::stod(cell(dir / "o/jobs.csv", "main", "duration_ns"));
    for (const auto &r : cells(dir / "o/flows.csv"))
        if (r[0] == "web") {
            EXPECT_LT(std::stod(r[7]), end);
        }
    s = run(dir, web, "p");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(
        s.err,
        "nothing ends the run: give the traffic a duration, or set run.measure or run.until");
    s = run(dir, web, "p", {"--set", "run.until=1ms"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(slurp(dir / "p/finished"), "measured\n");
    s = run(dir, web + "  <workload type=\"generate\" name=\"main\" size=\"64MiB\"/>\n", "q",
            {"--set", "run.warm-up=1ms", "--set", "run.measure=2ms"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(slurp(dir / "q/finished"), "measured\n");
    size_t inside = 0;
    for (const auto &r : cells(dir / "q/flows.csv"))
        inside += r[0] == "web" && std::stod(r[7]) >= 1e6 && std::stod(r[7]) < 3e6;
    EXPECT_GT(inside, 0u);
    EXPECT_EQ(cell(dir / "q/jobs.csv", "web", "messages"), std::to_string(inside));
    s = run(dir, web + "  <workload type=\"generate\" name=\"main\" size=\"64MiB\"/>\n", "q",
            {"--set", "run.until=1us"});
    EXPECT_EQ(s.code, 1); /* the job has an end, and did not come to it */
}

/* The flows of the workload are those that 'weft traffic' writes. */
TEST(Jobs, TrafficIsThatOfTheFlowList)
{
    TempDir dir;
    Said list = weft({"traffic", "--cdf", "websearch", "--load", "0.5", "--hosts", "8", "--rate",
                      "100Gbps", "--duration", "2ms", "--start", "0s"});
    ASSERT_EQ(list.code, 0) << list.err;
    EXPECT_LACKS(list.err, "warning");
    EXPECT_CONTAINS(weft({"traffic", "--cdf", "websearch", "--load", "50", "--hosts", "8", "--rate",
                          "100Gbps", "--duration", "1us"})
                        .err,
                    "--load 50 is 5000 % of what a host's link carries");
    write_file(dir / "flow.txt", list.out);
    const std::string ideal = "  <network backend=\"ideal\"/>\n";
    ASSERT_EQ(
        run(dir, ideal + "<workload type=\"cdf\" load=\"0.5\" duration=\"2ms\"/>\n", "cdf").code,
        0);
    ASSERT_EQ(run(dir, ideal + "<workload type=\"flows\" file=\"flow.txt\"/>\n", "list").code, 0);
    std::vector<std::string> a, b;
    for (const auto &r : cells(dir / "cdf/flows.csv"))
        a.push_back(r[1] + " " + r[2] + " " + r[5]);
    for (const auto &r : cells(dir / "list/flows.csv"))
        b.push_back(r[1] + " " + r[2] + " " + r[5]);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    EXPECT_EQ(a, b);
    EXPECT_GT(a.size(), 30u);
}

} // namespace
