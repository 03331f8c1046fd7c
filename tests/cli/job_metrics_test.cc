// SPDX-License-Identifier: GPL-2.0-only
// Metrics of workloads and classes, in bounds and sweeps; what is unfinished; dimensions of several
// workloads.
#include "jobs.h"

namespace
{

const char kTwo[] = "  <workload type=\"generate\" name=\"a\" size=\"1MiB\" ranks=\"4\"/>\n"
                    "  <workload type=\"generate\" name=\"b\" kind=\"all-to-all\" size=\"2MiB\" "
                    "ranks=\"4\" priority=\"4\"/>\n";

Said bounded(const TempDir &dir, const std::string &bounds)
{
    write_file(dir / "s.xml", scenario(kTwo));
    write_file(dir / "e.xml", "<expect>" + bounds + "</expect>\n");
    return weft({"run", dir / "s.xml", "--no-out", "--expect", dir / "e.xml"});
}

/* Under one leaf each, neither slows the other down. */
TEST(JobMetrics, BoundsName)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    Said s = bounded(dir, "<bound metric=\"job.a.messages\" min=\"24\" max=\"24\"/>"
                          "<bound metric=\"job.b.bytes\" min=\"6MiB\" max=\"6MiB\"/>"
                          "<bound metric=\"class.4.messages\" min=\"12\" max=\"12\"/>"
                          "<bound metric=\"class.5.messages\" max=\"0\"/>"
                          "<bound metric=\"job.a.slowdown\" min=\"1\" max=\"1\"/>"
                          "<bound metric=\"job.b.slowdown\" min=\"1\" max=\"1\"/>"
                          "<bound metric=\"job.a.unfinished\" max=\"0\"/>"
                          "<bound metric=\"job.a.time\" min=\"100us\" max=\"1ms\"/>");
    EXPECT_EQ(s.code, 0) << s.err << s.out;
    EXPECT_CONTAINS(s.out, "ok     job.a.slowdown 1, expected 1 .. 1");
    s = bounded(dir, "<bound metric=\"job.a.exposed\" max=\"1ns\"/>");
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.err, "expectation missed: job.a.exposed is ");
}

TEST(JobMetrics, WrongNamesAreErrors)
{
    TempDir dir;
    const struct {
        const char *metric, *says;
    } cases[] = {
        {"job.c.messages", "metric 'job.c.messages': no workload of the scenario is called 'c'; "
                           "there are: a, b"},
        {"job.a.tme", "unknown metric 'tme' of job.WORKLOAD.NAME; did you mean 'time'?"},
        {"job.a", "'job.a' is not of the form job.WORKLOAD.NAME"},
        {"class.8.bytes", "'class.8.bytes': classes are 0 to 7 and default"},
    };
    for (const auto &c : cases) {
        const Said s = bounded(dir, std::string("<bound metric=\"") + c.metric + "\" max=\"1\"/>");
        EXPECT_EQ(s.code, 3) << c.metric;
        EXPECT_CONTAINS(s.err, c.says);
    }
    write_file(dir / "s.xml", scenario(kTwo));
    write_file(dir / "expect.xml", "<expect><bound metric=\"job.c.time\" max=\"1s\"/></expect>\n");
    const Said s = weft({"check", dir / "s.xml"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "there are: a, b");
}

/* None counted is not none there. */
TEST(JobMetrics, VictimsNeedLooks)
{
    const std::vector<std::string> args = {"sweep",
                                           "--set",
                                           "topology.type=single-switch",
                                           "--set",
                                           "workload.type=generate",
                                           "--vary",
                                           "run.victims=0|1us",
                                           "-m",
                                           "victims"};
    const Said s = weft(args);
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "run.victims=0: metric 'victims' needs a time between looks");
    EXPECT_CONTAINS(s.err, "1 of 2 runs of the sweep failed");
}

/* Six messages of 1 MiB take twice as long as of 512 KiB; a job is run alone where its slow-down is
 * asked for. */
TEST(JobMetrics, SweepsName)
{
    TempDir dir;
    write_file(dir / "s.xml", scenario("  <network backend=\"ideal\"/>\n" + std::string(kTwo)));
    Said s = weft({"sweep", dir / "s.xml", "--vary", "a.size=1MiB|2MiB", "-m", "job.a.bytes", "-m",
                   "job.b.slowdown", "--out", dir / "o"});
    ASSERT_EQ(s.code, 0) << s.err;
    const auto rows = cells(dir / "o/sweep.csv");
    ASSERT_EQ(rows.size(), 3u);
    ASSERT_EQ(rows[0][2], "job.a.bytes");
    ASSERT_EQ(rows[0][3], "job.b.slowdown");
    EXPECT_EQ(rows[1][2], "6291456");
    EXPECT_EQ(rows[2][2], "12582912");
    EXPECT_EQ(std::stod(rows[1][3]), 1);
    s = weft({"sweep", dir / "s.xml", "--vary", "a.size=1MiB|2MiB", "-m", "job.c.time"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "no workload of the scenario is called 'c'; there are: a, b");
}

/* Messages of 512 KiB, and none of other sizes: as the table by size, and as a bound. */
TEST(JobMetrics, SlowdownBySize)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    Said s = bounded(dir, "<bound metric=\"job.a.fct-slowdown-p99-to-1MB\" min=\"1\"/>"
                          "<bound metric=\"slowdown-p50-to-1MB\" min=\"1\"/>");
    EXPECT_EQ(s.code, 0) << s.err << s.out;
    s = bounded(dir, "<bound metric=\"slowdown-p95-over-1MB\" min=\"0\"/>");
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.err, "slowdown-p95-over-1MB is n/a");
    s = weft({"run", dir / "s.xml", "--out", dir / "o", "-m", "job.b.slowdown-p99-to-1MB"});
    ASSERT_EQ(s.code, 0) << s.err;
    const Said table = weft({"fct", dir / "o", "--job", "b", "--to", "csv"});
    std::istringstream in(table.out);
    double of_table = 0;
    for (std::string line; std::getline(in, line);) {
        std::istringstream cells(line);
        std::vector<std::string> cell;
        for (std::string c; std::getline(cells, c, ',');)
            cell.push_back(c);
        if (line.find(",100000,1000000,") != std::string::npos)
            of_table = std::stod(cell.at(10));
    }
    const std::string json = slurp(dir / "o/run.json"), key = "\"job.b.fct_slowdown_p99_to_1MB\": ";
    ASSERT_NE(json.find(key), std::string::npos) << json.substr(0, 600);
    EXPECT_NEAR(std::stod(json.substr(json.find(key) + key.size())), of_table, 1e-5);
}

/* Two hosts send to one for T: its queue grows to half of what comes, then falls; the mean of such
 * a triangle is half of its height, over the time that it takes. */
TEST(JobMetrics, MeanQueueIsTheAreaOfTheTriangle)
{
    if (!has_packet())
        GTEST_SKIP();
    const std::vector<std::string> args = {"run",
                                           "--no-out",
                                           "--json",
                                           "-m",
                                           "mean-queue-bytes",
                                           "--set",
                                           "topology.type=single-switch",
                                           "--set",
                                           "single-switch.hosts=3",
                                           "--set",
                                           "workload.type=generate",
                                           "--set",
                                           "generate.kind=gather",
                                           "--set",
                                           "system.gather=direct",
                                           "--set",
                                           "generate.size=2MB",
                                           "--set",
                                           "congestion-control.name=none"};
    const Said s = weft(args);
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_GT(value(s, "mean_queue_bytes"), 0);
    EXPECT_NEAR(value(s, "mean_queue_bytes") / value(s, "max_switch_queue_bytes"), 0.5, 0.05);
    EXPECT_CONTAINS(weft({"run", "--no-out", "--json", "--set", "topology.type=single-switch",
                          "--set", "workload.type=generate"})
                        .out,
                    "\"mean_queue_bytes\": null");
}

/* A single workload has them too, by the name of its type. */
TEST(JobMetrics, OfASingleWorkload)
{
    TempDir dir;
    write_file(dir / "s.xml",
               scenario("<network backend=\"ideal\"/><workload type=\"generate\" "
                        "size=\"1MiB\" ranks=\"4\"/><system all-reduce=\"ring\"/>\n"));
    write_file(dir / "e.xml",
               "<expect><bound metric=\"job.generate.messages\" min=\"24\" max=\"24\"/>"
               "<bound metric=\"class.default.messages\" min=\"24\" max=\"24\"/>"
               "</expect>\n");
    const Said s = weft({"run", dir / "s.xml", "--no-out", "--expect", dir / "e.xml"});
    EXPECT_EQ(s.code, 0) << s.err;
}

/* 10 MB at 100 Gbps take 800 us: of the two flows that begin before 100 us neither has ended at 500
 * us. */
TEST(JobMetrics, WhatAWindowCutsOffIsCounted)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    write_file(dir / "f.csv",
               "src,dst,size_bytes,start_ns\n0,1,10000000,0\n2,3,10000000,100000\n4,5,1000,0\n");
    const Said s = run(dir,
                       "<run measure=\"500us\"/><workload type=\"flows\" name=\"big\" "
                       "file=\"f.csv\"/>\n",
                       "o");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(cell(dir / "o/jobs.csv", "big", "messages"), "1");
    EXPECT_EQ(cell(dir / "o/jobs.csv", "big", "unfinished"), "2");
    EXPECT_EQ(cell(dir / "o/jobs.csv", "big", "unfinished_bytes"), "20000000");
    EXPECT_CONTAINS(s.out, "unfinished messages      2, together 20 MB");
}

/* 5 MB from hosts with ranks, of which there are eight at 100 Gbps, over the time of the run. */
TEST(JobMetrics, DimensionsOfSeveralWorkloads)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    write_file(dir / "f.csv", "src,dst,size_bytes,start_ns\n0,1,1250000,0\n1,0,1250000,0\n");
    const Said s = run(dir,
                       "<workload type=\"flows\" name=\"x\" file=\"f.csv\"/>\n"
                       "<workload type=\"flows\" name=\"y\" file=\"f.csv\" hosts=\"2-3\"/>\n",
                       "o");
    ASSERT_EQ(s.code, 0) << s.err;
    const auto d = cells(dir / "o/dimensions.csv");
    ASSERT_EQ(d.size(), 2u);
    EXPECT_EQ(d[1][5], "5000000");
    const double ns = std::stod(d[1][6]);
    EXPECT_GT(ns, 100e3); /* 1.25 MB at 100 Gbps */
    EXPECT_LT(ns, 120e3);
    EXPECT_NEAR(std::stod(d[1][7]), 100 * 5e6 * 8 / (8 * 100 * ns), 1e-3);
}

/* As published: 70.6e9, 25.6e6 and 671e9 parameters; 989 TFLOP/s. */
TEST(ListShow, ModelsAndGpus)
{
    Said s = weft({"list", "models"});
    EXPECT_CONTAINS(s.out, "70.55 billion parameters; transformer: 80 blocks, width 8192");
    EXPECT_CONTAINS(s.out, "25.56 million parameters; 54 layers");
    EXPECT_CONTAINS(s.out, "671 billion parameters");
    EXPECT_CONTAINS(s.out, "256 experts of which a token goes to 8");
    EXPECT_CONTAINS(s.out, "204.2 million rows of 128 in 26 tables, 104.5 GB");
    s = weft({"show", "model", "llama3-8b"});
    EXPECT_CONTAINS(s.out, "llama3-8b: 8.03 billion parameters");
    s = weft({"list", "gpus"});
    EXPECT_CONTAINS(s.out, "989 TFLOP/s in bf16 (dense), 0.63 of them reached; 80 GB of memory");
}

TEST(ListShow, DistributionsAndWhatEveryWorkloadHas)
{
    Said s = weft({"list", "distributions"});
    EXPECT_CONTAINS(s.out, "mean 1.711 MB [Alizadeh et al., DCTCP");
    s = weft({"show", "distribution", "websearch"});
    EXPECT_CONTAINS(s.out, "mean: 1711250 bytes (1.711 MB)");
    EXPECT_CONTAINS(s.out, "    30000000  100\n");
    s = weft({"show", "workload", "incast"});
    EXPECT_CONTAINS(s.out,
                    "parameters of every workload (docs/explanation/jobs.md):\n  incast.name ");
    EXPECT_CONTAINS(s.out, "incast.transport");
    s = weft({"show", "distribution", "websaerch"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "did you mean 'websearch'?");
}

/* A name that check, --set and sweeps take is taken everywhere: keys by the name of a workload,
 * metrics of a run, a workload and a class. */
TEST(Names, AgreeInEveryCommand)
{
    if (!has_packet())
        GTEST_SKIP();
    TempDir dir;
    write_file(dir / "s.xml", scenario(kTwo));
    Said s = weft({"explain", "a.size", dir / "s.xml"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "  a.size ");
    EXPECT_CONTAINS(s.out, "  = 1MiB (file, line ");
    EXPECT_EQ(weft({"explain", "c.size", dir / "s.xml"}).code, 2);
    for (const char *run : {"one", "two"})
        EXPECT_EQ(weft({"run", dir / "s.xml", "-q", "--out", dir / run, "--set",
                        std::string("b.size=") + (run[0] == 'o' ? "2MiB" : "4MiB")})
                      .code,
                  0);
    for (const char *name :
         {"slowdown-p99", "fct-slowdown-p99", "job.a.slowdown-p99", "job.a.fct-slowdown-p99",
          "class.4.slowdown-p99", "class.4.fct-slowdown-p99"}) {
        s = weft({"compare", dir / "one", dir / "two", "--metric", name});
        EXPECT_EQ(s.code, 0) << name << s.err;
        s = weft({"run", dir / "s.xml", "-q", "--out", dir / "m", "--metric", name});
        EXPECT_EQ(s.code, 0) << name << s.err;
        s = bounded(dir, std::string("<bound metric=\"") + name + "\" min=\"1\"/>");
        EXPECT_EQ(s.code, 0) << name << s.err;
    }
    for (const char *name : {"job.b.bytes", "job.b.time"}) {
        s = weft({"compare", dir / "one", dir / "two", "--metric", name});
        EXPECT_CONTAINS(s.out, std::string("\n  ") + name + " ");
    }
}

TEST(Names, PresetsAreListedAsTheyAreSet)
{
    const Said s = weft({"list", "presets"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "preset.name=hgx-rail-optimised");
    EXPECT_CONTAINS(s.out, "congestion-control.preset=connectx");
    EXPECT_CONTAINS(s.out, "system.preset=");
}

/* Help texts name commands as they are to be called. */
TEST(Names, HelpPointsToWhatIsThere)
{
    EXPECT_CONTAINS(weft({"run", "--help"}).out, "keys: weft show scenario SCENARIO");
    EXPECT_EQ(weft({"show", "scenario", source_dir() + "/scenarios/allreduce-clos16"}).code, 0);
}

} // namespace
