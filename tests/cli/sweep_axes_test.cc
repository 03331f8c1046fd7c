// SPDX-License-Identifier: GPL-2.0-only
// What is varied: lists, ranges, products, settings that change together, seeds, <sweep>.
#include "program.h"

namespace
{

std::vector<std::string> sweep(std::vector<std::string> more)
{
    std::vector<std::string> a = small(std::move(more));
    a[0] = "sweep";
    return a;
}

/* The first column of the table that a --vary makes. */
std::string values(const std::string &vary)
{
    const Said s = weft(sweep({"--vary", vary, "--json"}));
    EXPECT_EQ(s.code, 0) << s.err;
    const std::string key = "\"" + vary.substr(0, vary.find('=')) + "\": \"";
    std::string all;
    for (size_t at = 0; (at = s.out.find(key, at)) != std::string::npos;) {
        at += key.size();
        all += (all.empty() ? "" : " ") + s.out.substr(at, s.out.find('"', at) - at);
    }
    return all;
}

TEST(SweepAxes, RangesHaveTheUnitsOfTheirSetting)
{
    EXPECT_EQ(values("generate.size=1MiB..8MiB*2"), "1MiB 2MiB 4MiB 8MiB");
    EXPECT_EQ(values("generate.size=1KB..10KB+4KB"), "1KB 5KB 9KB") << "up to the end, not beyond";
    EXPECT_EQ(values("generate.size=1MiB..2MiB*2|100KB|1GB"), "1MiB 2MiB 100KB 1GB");
    EXPECT_EQ(values("generate.count=1..3"), "1 2 3");
    EXPECT_EQ(values("generate.count=2..20*3"), "2 6 18");
    EXPECT_EQ(values("single-switch.rate=100Gbps..400Gbps+100Gbps"),
              "100Gbps 200Gbps 300Gbps 400Gbps");
    EXPECT_EQ(values("single-switch.delay=500ns..2us*2"), "500ns 1us 2us");
    EXPECT_EQ(values("system.endpoint-delay=0..1us+500ns"), "0ps 500ns 1us");
    EXPECT_EQ(values("run.seed=2000000000..2000000001"), "2000000000 2000000001");
    EXPECT_EQ(values("run.seed=9007199254740993..9007199254740998+2"),
              "9007199254740993 9007199254740995 9007199254740997")
        << "a double has only even ones";
}

TEST(SweepAxes, SettingsThatChangeTogether)
{
    // 6 x (size / 4 x 20 ps + 2 us), halved rate: 40 ps
    Said s = weft(sweep({"--vary", "generate.size=1MiB|2MiB & single-switch.rate=400Gbps|200Gbps",
                         "--set", "system.all-reduce=ring", "--metric", "end-to-end"}));
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out, "generate.size  single-switch.rate  end-to-end  speed-up\n"
                     "1MiB           400Gbps             43.46 us    1.000\n"
                     "2MiB           200Gbps             137.8 us    0.315\n");
    s = weft(sweep({"--vary", "generate.size=1MiB|2MiB & single-switch.rate=400Gbps"}));
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "generate.size has 2, single-switch.rate 1");
}

// A parameter of a control that other rows use says nothing to this one, and is no error there.
TEST(SweepAxes, AControlsOwnSettingIsForItsRows)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the backend packet";
    auto with = [](const char *util) {
        return weft({"sweep", "--set", "topology.type=single-switch", "--set",
                     "single-switch.hosts=5", "--set", "workload.type=generate", "--set",
                     "generate.kind=gather", "--set", "generate.size=1MiB", "--set",
                     std::string("hpcc.target-util=") + util, "--vary",
                     "congestion-control.name=dcqcn|hpcc"});
    };
    const Said half = with("0.5"), most = with("0.95");
    EXPECT_EQ(half.code, 0) << half.err;
    EXPECT_EQ(most.code, 0) << most.err;
    const auto row = [](const Said &s, const char *name) {
        const size_t at = s.out.find(std::string("\n") + name) + 1;
        return s.out.substr(at, s.out.find('\n', at) - at);
    };
    EXPECT_EQ(row(half, "dcqcn"), row(most, "dcqcn"));
    EXPECT_NE(row(half, "hpcc"), row(most, "hpcc"));
}

TEST(SweepAxes, MeansOverSeeds)
{
    TempDir dir;
    // Storage requests come at random: three seeds give three times.
    std::vector<std::string> a = {"sweep",
                                  "--set",
                                  "network.backend=ideal",
                                  "--set",
                                  "topology.type=single-switch",
                                  "--set",
                                  "single-switch.hosts=4",
                                  "--set",
                                  "workload.type=cdf",
                                  "--set",
                                  "cdf.sizes=websearch",
                                  "--set",
                                  "cdf.load=0.3",
                                  "--set",
                                  "cdf.duration=100us",
                                  "--seeds",
                                  "1|2|5",
                                  "--metric",
                                  "messages",
                                  "--metric",
                                  "fct-p99",
                                  "--out",
                                  dir / "o"};
    const Said s = weft(a);
    ASSERT_EQ(s.code, 0) << s.err;
    const auto rows = cells(dir / "o/sweep.csv");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0],
              (std::vector<std::string>{"outcome", "seeds", "messages", "messages_ci95",
                                        "fct_p99_ns", "fct_p99_ns_ci95", "speed_up", "folder"}));
    double v[3], sum = 0, squares = 0;
    for (int i = 0; i < 3; i++) {
        const std::string run = slurp(dir / ("o/" + std::to_string(i + 1) + "/run.json"));
        v[i] = json_number(run, "messages", run.find("\"summary\""));
        sum += v[i];
    }
    EXPECT_NE(v[0], v[1]);
    for (double x : v)
        squares += (x - sum / 3) * (x - sum / 3);
    EXPECT_EQ(rows[1][1], "3");
    EXPECT_NEAR(std::stod(rows[1][2]), sum / 3, 1e-6);
    // t(0.975, 2) = 4.302653 (any table)
    EXPECT_NEAR(std::stod(rows[1][3]), 4.302653 * std::sqrt(squares / 2 / 3), 1e-4);
}

TEST(SweepAxes, WrongValues)
{
    const std::vector<std::pair<std::string, std::string>> all = {
        {"generate.size=8MiB..1MiB*2", "it ends before it begins"},
        {"generate.size=1MiB..8MiB*1", "factors are above 1"},
        {"generate.size=0..8MiB*2", "begin above 0"},
        {"generate.size=1MiB..8MiB", "a range needs a factor or a step"},
        {"generate.size=1MiB..8us*2", "'8us' is not a size"},
        {"generate.size=1MiB..8MiB+2us", "'2us' is no step of that kind"},
        {"generate.count=1..8*x", "'x' is no factor"},
        {"generate.count=1..100000", "more than 1024 values"},
        {"generate.count=1..9*1.01", "the factor or step is too small"},
        {"dcqcn.g=0.5..0.6+1e-13", "the factor or step is too small"},
        {"generate.count=10000000000000000000..15000000000000000000*2",
         "a range must end below 2^63"},
    };
    for (const auto &[vary, message] : all) {
        const Said s = weft(sweep({"--vary", vary}));
        EXPECT_EQ(s.code, message.find("more than") == 0 ? 5 : 2) << vary;
        EXPECT_CONTAINS(s.err, message);
    }
    Said s = weft(sweep({"--vary", "generate.size=1MiB,2MiB"}));
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "generate.size=1MiB,2MiB (one value: '|' stands between values): ");
    s = weft(sweep({"--vary", "generate.size=1MiB|2 MB,"}));
    EXPECT_EQ(s.err.find("stands between"), std::string::npos) << s.err;
    s = weft(sweep({"--seeds", "1|1"}));
    EXPECT_CONTAINS(s.err, "1 is given twice");
    s = weft(sweep({"--seeds", "one"}));
    EXPECT_CONTAINS(s.err, "'one' is no whole number");
    s = weft(sweep({"--seeds", "1..2", "--seed", "4"}));
    EXPECT_CONTAINS(s.err, "--seed and --seeds exclude each other");
}

const char scenario[] = "<scenario name=\"s\">\n"
                        "  <topology type=\"single-switch\" hosts=\"4\"/>\n"
                        "  <network backend=\"ideal\"/><ideal contention=\"none\"/>\n"
                        "  <system all-reduce=\"ring\"/>\n"
                        "  <workload type=\"generate\"/>\n"
                        "  <sweep metrics=\"end-to-end, messages\" %s>\n"
                        "    <vary generate.size=\"1MiB..4MiB*4\"/>\n"
                        "    <vary system.all-reduce=\"ring|direct\"/>\n"
                        "  </sweep>\n"
                        "</scenario>\n";

std::string with_attribute(const std::string &text)
{
    std::string s = scenario;
    return s.replace(s.find("%s"), 2, text);
}

TEST(SweepAxes, AScenarioSaysWhatIsVaried)
{
    TempDir dir;
    write_file(dir / "s.xml", with_attribute(""));
    Said s = weft({"sweep", dir / "s.xml"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out, "generate.size  system.all-reduce  end-to-end  messages  speed-up\n"
                     "1MiB           ring               43.46 us    24        1.000\n"
                     "1MiB           direct             14.49 us    24        3.000\n"
                     "4MiB           ring               137.8 us    24        1.000\n"
                     "4MiB           direct             45.94 us    24        3.000\n");
    s = weft({"sweep", dir / "s.xml", "--vary", "generate.size=2MiB", "-m", "messages"});
    EXPECT_EQ(s.out, "generate.size  messages  speed-up\n2MiB           24        1.000\n")
        << "the command line has the last word";
    s = weft({"run", dir / "s.xml", "--no-out", "-q"});
    EXPECT_EQ(s.code, 0) << "to a run it is nothing: " << s.err;
    s = weft({"check", dir / "s.xml"});
    EXPECT_EQ(s.code, 0) << s.err;
}

/* Without a folder there is nowhere to write samples to, and nobody misses them. */
TEST(SweepAxes, SamplesOfAScenarioNeedNoFolder)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    const Said s = weft({"sweep", source_dir() + "/scenarios/incast-cc", "--vary",
                         "congestion-control.name=dctcp", "-m", "messages"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out, "congestion-control.name  messages  speed-up\n"
                     "dctcp                    32        1.000\n");
}

TEST(SweepAxes, WrongSweepsInScenariosHaveAPlace)
{
    TempDir dir;
    write_file(dir / "s.xml", with_attribute("metric=\"drops\""));
    Said s = weft({"check", dir / "s.xml"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "s.xml:6:41: unknown attribute 'metric' in <sweep>; did you mean "
                           "'metrics'?");
    write_file(dir / "s.xml", with_attribute("find=\"min generate.size where end-to-edn>1us\""));
    s = weft({"check", dir / "s.xml"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "s.xml:6:3: ");
    EXPECT_CONTAINS(s.err, "did you mean 'end-to-end'");
    write_file(dir / "s.xml", "<scenario><sweep/><topology type=\"single-switch\"/><workload "
                              "type=\"generate\"/></scenario>");
    s = weft({"check", dir / "s.xml"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "<sweep> varies nothing");
}

/* A number alone is a seed, and most likely meant as their number. */
TEST(SweepSeeds, ANumberAloneIsRefused)
{
    const Said s = weft({"sweep", "incast-websearch", "--seeds", "3"});
    EXPECT_EQ(s.code, 2) << s.err;
    EXPECT_CONTAINS(s.err, "3 seeds are --seeds 1..3, and the seed 3 is --seed 3");
}

} // namespace
