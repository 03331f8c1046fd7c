// SPDX-License-Identifier: GPL-2.0-only
// weft run and weft check.
#include "program.h"

#include "tests/workload/trace.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

namespace fs = std::filesystem;

namespace
{

// Parts of operations in switches are messages of the engine, too: with TCP beside them all have
// numbers of their own.
TEST(Run, MessagesPartsAndTcpAreNumberedTogether)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    TempDir dir;
    std::vector<Trace> ranks(4);
    for (uint32_t r = 0; r < 4; r++) {
        const uint32_t to = (r + 1) % 4, from = (r + 3) % 4;
        ranks[r].send(to, 5000);
        const uint64_t got = ranks[r].recv(from, 5000);
        const uint64_t summed = ranks[r].coll(ALL_REDUCE, 20000, "", {got});
        ranks[r].coll(ALL_GATHER, 3000, "", {summed});
        ranks[r].write(dir / ("t." + std::to_string(r) + ".et"));
    }
    const Said s =
        weft({"run", "--set", "topology.type=single-switch", "--set", "single-switch.hosts=4",
              "--set", "workload.type=chakra", "--set", "chakra.path=t", "--set",
              "system.all-reduce=in-network", "--set", "system.all-gather=direct", "--set",
              "system.priorities=all-gather:1", "--set", "tcp.prios=2", "--out", "o"},
             dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    std::set<uint64_t> ids;
    std::istringstream rows(slurp(dir / "o/flows.csv"));
    std::string row;
    std::getline(rows, row);
    while (std::getline(rows, row))
        EXPECT_TRUE(ids.insert(std::stoull(row)).second) << row;
    ASSERT_EQ(ids.size(), 4u + 4u + 12u); // messages, parts, TCP's
    EXPECT_EQ(*ids.rbegin(), 19u);
}

TEST(Run, FromDefaultsAlone)
{
    TempDir dir;
    Said s = weft(small(), dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out.rfind("unnamed: finished\n", 0), 0u) << s.out;
    EXPECT_CONTAINS(s.out, "4 of 4 operations done");
    EXPECT_CONTAINS(s.out, "results in out/unnamed/");
    EXPECT_EQ(s.err, ""); /* no progress without a terminal */
    for (const char *f :
         {"run.json", "flows.csv", "ops.csv", "collectives.csv", "ranks.csv", "dimensions.csv",
          "critical_path.csv", "links.csv", "pfc.csv", "finished"})
        EXPECT_TRUE(fs::exists(dir / ("out/unnamed/" + std::string(f)))) << f;
    EXPECT_EQ(slurp(dir / "out/unnamed/finished"), "finished\n");
    EXPECT_CONTAINS(weft(small(), dir / "").out,
                    "results in out/unnamed/, in place of those of an earlier run");
    const std::string run = slurp(dir / "out/unnamed/run.json");
    EXPECT_CONTAINS(run, "\"backend\": \"ideal\"");
    EXPECT_CONTAINS(run, "\"single-switch.hosts\"");
    EXPECT_CONTAINS(run, "\"outcome\": \"finished\"");
}

/* Switches under Bolt warn senders: the summary counts that beside marks, of other controls alone
 * it says nothing. */
TEST(Run, SummaryCountsWarnings)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    std::vector<std::string> args = {"run",   source_dir() + "/scenarios/incast-cc",
                                     "--out", dir / "out",
                                     "--set", "congestion-control.name=bolt"};
    const Said bolt = weft(args);
    EXPECT_EQ(bolt.code, 0) << bolt.err;
    EXPECT_CONTAINS(bolt.out, " CNPs, ");
    EXPECT_CONTAINS(bolt.out, " warnings, ");
    args.resize(4);
    EXPECT_LACKS(weft(args).out, " warnings, ");
}

TEST(Run, SameBytesEveryTime)
{
    TempDir dir;
    for (const char *out : {"a", "b"})
        ASSERT_EQ(weft(small({"--out", out, "--quiet"}), dir / "").code, 0);
    for (const char *f : {"flows.csv", "ops.csv", "collectives.csv", "ranks.csv", "dimensions.csv",
                          "critical_path.csv", "links.csv", "pfc.csv", "finished"})
        EXPECT_EQ(slurp(dir / ("a/" + std::string(f))), slurp(dir / ("b/" + std::string(f)))) << f;
}

/* Each number of threads gives the same files; run.json says how many there were. */
void same_by_threads(const std::vector<std::string> &settings)
{
    TempDir dir;
    std::map<std::string, std::string> files[2];
    for (int k = 0; k < 2; k++) {
        const std::string out = k ? "three" : "one";
        std::vector<std::string> args =
            with_sets({"run", "--set", "workload.type=generate", "--set",
                       k ? "run.threads=3" : "run.threads=1", "--quiet", "--out", out},
                      settings);
        const Said s = weft(args, dir / "");
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(s.err.find("run.threads"), std::string::npos) << s.err;
        for (const auto &f : fs::recursive_directory_iterator(dir / out))
            if (f.is_regular_file() && f.path().filename() != "run.json")
                files[k][fs::relative(f.path(), dir / out)] = slurp(f.path());
        EXPECT_CONTAINS(slurp(dir / (out + "/run.json")),
                        k ? "\"threads\": \"3\"" : "\"threads\": \"1\"");
    }
    EXPECT_GT(files[0].size(), 8u);
    ASSERT_EQ(files[0].size(), files[1].size());
    for (const auto &[name, bytes] : files[0])
        EXPECT_TRUE(bytes == files[1][name]) << name;
}

TEST(Run, SameBytesWithSeveralThreads)
{
    if (!has_packet())
        GTEST_SKIP() << "the program has no packet backend";
    const std::string tree = "topology.type=fat-tree", k4 = "fat-tree.k=4", k8 = "fat-tree.k=8",
                      off = "run.replay=off", a2a = "generate.kind=all-to-all",
                      shuffle = "run.thread-shuffle=1";
    same_by_threads(
        {tree, k8, a2a, "generate.size=4MiB", "sample.what=queue", "sample.interval=20us"});
    /* hosts take in what they receive by themselves, post what follows, or go on together */
    same_by_threads({tree, k8, off, a2a, "generate.size=1MiB"});
    same_by_threads({tree, k4, off, a2a, "generate.size=1MiB", "system.endpoint-delay=100ns"});
    same_by_threads(
        {tree, k4, off, a2a, "generate.size=256KiB", "generate.count=3", "transport.mtu=256B"});
    same_by_threads({tree, k4, off, "generate.size=1MiB"});
    same_by_threads({tree, k4, "generate.size=1MiB", "transport.mtu=256B"});
    same_by_threads({tree, k4, off, "generate.kind=all-gather", "generate.size=1MiB",
                     "system.all-gather=direct", "sample.what=queue", "sample.interval=20us"});
    for (const char *how : {"ring:bidirectional=true", "halving-doubling", "double-binary-tree"})
        same_by_threads({tree, k4, off, "generate.size=1MiB",
                         std::string("system.all-reduce=") + how, "system.chunks=3"});
    /* some receivers are on the sender's side of a short link, which the same thread runs */
    same_by_threads({"topology.type=multi",
                     "topology.dimensions=switch size=4 rate=900Gbps delay=50ns; switch size=4 "
                     "rate=100Gbps delay=1us",
                     off, shuffle, "system.all-reduce=ring,ring", "generate.size=16KiB",
                     "system.chunks=4"});
}

TEST(Run, SaysWhichNumbersOfThreadsThereAre)
{
    TempDir dir;
    for (const char *threads : {"256", "0", "-1", "2,3", "all"}) {
        const Said s = weft(small({"--set", "run.threads=" + std::string(threads)}), dir / "");
        EXPECT_EQ(s.code, 3) << threads;
        EXPECT_CONTAINS(s.err, "run.threads");
        EXPECT_CONTAINS(s.err, threads);
    }
    EXPECT_EQ(weft(small({"--set", "run.threads=auto", "--quiet"}), dir / "").code, 0);
}

TEST(Run, ThreadsWithNothingToShareAreToldOf)
{
    TempDir dir;
    for (const char *backend : {"ideal", "packet"}) {
        if (std::string(backend) == "packet" && !has_packet())
            continue;
        for (const char *threads : {"1", "2"}) {
            const Said s =
                weft({"run", "--set", "topology.type=single-switch", "--set",
                      "workload.type=generate", "--set", "network.backend=" + std::string(backend),
                      "--set", "run.threads=" + std::string(threads), "-q"},
                     dir / "");
            EXPECT_EQ(s.code, 0) << s.err;
            EXPECT_EQ(s.err.find("run.threads had no effect: ") != std::string::npos,
                      threads[0] == '2')
                << backend << s.err;
        }
    }
}

int64_t ps_of(const std::string &ns) // with three decimals
{
    std::string digits = ns;
    digits.erase(digits.size() - 4, 1);
    return std::stoll(digits);
}

/* Packets, several iterations of computations and overlapping all-reduces: both files add up to the
 * picosecond. */
TEST(Run, CausesAndCriticalPathAddUp)
{
    TempDir dir;
    Said s =
        weft({"run", source_dir() + "/scenarios/allreduce-clos16", "--out", dir / "o", "--json"});
    ASSERT_EQ(s.code, 0) << s.err;
    auto ranks = cells(dir / "o/ranks.csv");
    ASSERT_EQ(ranks.size(), 17u);
    for (size_t r = 1; r < ranks.size(); r++) {
        int64_t sum = 0;
        for (size_t k = 7; k < 18; k++)
            sum += ps_of(ranks[r][k]);
        EXPECT_EQ(ranks[0][6], "exposed_ns");
        EXPECT_EQ(sum, ps_of(ranks[r][6])) << "rank " << ranks[r][0];
        EXPECT_GT(ps_of(ranks[r][7]), 0);
        EXPECT_EQ(ranks[r][17], "0.000");
    }
    auto path = cells(dir / "o/critical_path.csv");
    int64_t at = 0;
    for (size_t i = 1; i < path.size(); i++) {
        int64_t sum = 0;
        for (size_t k = 11; k < path[i].size(); k++)
            sum += ps_of(path[i][k]);
        EXPECT_EQ(ps_of(path[i][6]), at);
        EXPECT_EQ(sum, ps_of(path[i][8]));
        at = ps_of(path[i][7]);
    }
    const std::string key = "\"end_to_end_ns\": ";
    const size_t found = s.out.find(key);
    ASSERT_NE(found, std::string::npos);
    EXPECT_EQ(llround(std::stod(s.out.substr(found + key.size())) * 1000), at);
}

/* 4 ranks, ring, 1 MiB at 400 Gbps and 1 us per link: 6 steps of (256 KiB / 400 Gbps + 2 us). */
TEST(Run, ACriticalPathOfOneOperationIsNoChain)
{
    const Said s = weft(
        with_sets({"run", "--no-out"}, {"network.backend=ideal", "topology.type=single-switch",
                                        "workload.type=generate", "generate.kind=all-to-all"}));
    EXPECT_CONTAINS(s.out, "  critical path            one operation; in it ");
    EXPECT_CONTAINS(s.out,
                    "\n  its operation            all-to-all 'all-to-all_0' ending on rank ");
    EXPECT_EQ(s.out.find("one after the other"), std::string::npos) << s.out;
}

TEST(Run, RingOnTheIdealBackendIsTheClosedForm)
{
    TempDir dir;
    Said s = weft(small({"--json", "--no-out", "--set", "system.all-reduce=ring"}), dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "\"end_to_end_ns\": 43457.28,"); /* 6 * (262144 * 0.02 ns + 2000 ns) */
    EXPECT_CONTAINS(s.out, "\"schema_version\": 1");
    EXPECT_CONTAINS(s.out, "\"messages\": 24,"); /* 4 ranks * 6 steps */
    EXPECT_FALSE(fs::exists(dir / "out"));
}

TEST(Run, QuietSaysNothingAndNoOutWritesNothing)
{
    TempDir dir;
    Said s = weft(small({"-q", "--no-out"}), dir / "");
    EXPECT_EQ(s.code, 0);
    EXPECT_EQ(s.out + s.err, "");
    EXPECT_TRUE(fs::is_empty(dir / ""));
}

TEST(Run, SeedIsAnOverride)
{
    TempDir dir;
    Said s = weft(small({"--seed", "42", "--out", "o"}), dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"seed\": \"42\"");
    EXPECT_EQ(weft(small({"--seed", "x", "--no-out"})).code, 3);
}

TEST(Run, ALimitThatIsTooShortExplainsWhoWaits)
{
    TempDir dir;
    Said s =
        weft(small({"--set", "run.until=10us", "--set", "system.all-reduce=ring", "--out", "o"}),
             dir / "");
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.out, "unnamed: stopped-at-limit");
    EXPECT_CONTAINS(s.err, "not finished at the limit run.until=10us");
    EXPECT_CONTAINS(s.err, "rank 0");
    EXPECT_EQ(slurp(dir / "o/finished"), "stopped-at-limit\n");
}

/* One large collective that is cut off says how much of its payload came, though no operation
 * ended. */
TEST(Run, ASingleCollectiveThatIsCutOffSaysHowFarItGot)
{
    TempDir dir;
    auto share = [&](const std::string &until) {
        Said s =
            weft({"run", "--set", "topology.type=single-switch", "--set", "single-switch.hosts=4",
                  "--set", "workload.type=generate", "--set", "generate.kind=all-reduce", "--set",
                  "generate.size=40MB", "--set", "run.until=" + until, "--no-out", "--json"},
                 dir / "");
        EXPECT_CONTAINS(s.out, s.code ? "\"operations_done\": 0" : "\"operations_done\": 4");
        return value(s, "arrived_share");
    };
    const double early = share("300us"), later = share("600us");
    EXPECT_GT(early, 0.05);
    EXPECT_GT(later, 1.5 * early);
    EXPECT_LT(later, 0.9);
    EXPECT_EQ(share("1s"), 1);
}

TEST(Run, ProgressGoesToStderrOnly)
{
    Said s = weft(small({"--no-out", "--progress", "always"}));
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_LACKS(s.out, "\r");
}

class Scenario : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        fs::create_directory(dir / "demo");
        write_file(dir / "demo/scenario.xml", "<scenario>\n"
                                              "<network backend=\"ideal\"/>\n"
                                              "<topology type=\"single-switch\" hosts=\"4\"/>\n"
                                              "<workload type=\"generate\"/>\n"
                                              "<system all-reduce=\"ring\"/>\n"
                                              "</scenario>\n");
    }
    void expect(const std::string &bounds)
    {
        write_file(dir / "demo/expect.xml", "<expect>\n" + bounds + "\n</expect>\n");
    }
    TempDir dir;
};

TEST_F(Scenario, ByFileByFolderAndByName)
{
    for (const char *name : {"demo/scenario.xml", "demo", "demo/"}) {
        Said s = weft({"run", name, "--no-out"}, dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(s.out.rfind(std::string(name) == "demo/" ? "" : "demo: finished", 0), 0u)
            << s.out;
    }
    fs::create_directory(dir / "scenarios");
    fs::rename(dir / "demo", dir / "scenarios/demo");
    EXPECT_EQ(weft({"run", "demo", "--no-out"}, dir / "").code, 0);
    Said s = weft({"run", "dmeo"}, dir / "");
    EXPECT_EQ(s.code, 4);
    EXPECT_CONTAINS(s.err, "did you mean 'demo'");
    EXPECT_CONTAINS(weft({"list", "scenarios"}, dir / "").out, "demo");
}

TEST_F(Scenario, ExpectationsAreCheckedAndAMissExitsWith1)
{
    expect("<bound metric=\"end-to-end\" min=\"43us\" max=\"44us\"/><bound metric=\"drops\" "
           "max=\"0\"/>");
    Said good = weft({"run", "demo", "--no-out"}, dir / "");
    EXPECT_EQ(good.code, 0) << good.err;
    EXPECT_CONTAINS(good.out, "ok     end-to-end 43.46 us, expected 43us .. 44us");

    expect("<bound metric=\"end-to-end\" max=\"43us\" why=\"too slow\"/>");
    Said bad = weft({"run", "demo", "--no-out"}, dir / "");
    EXPECT_EQ(bad.code, 1);
    EXPECT_CONTAINS(bad.out, "MISSED end-to-end 43.46 us, expected at most 43us");
    EXPECT_CONTAINS(bad.err, "demo/expect.xml:2: expectation missed");
    EXPECT_CONTAINS(bad.err, "too slow");
    Said json = weft({"run", "demo", "--no-out", "--json"}, dir / "");
    EXPECT_EQ(json.code, 1);
    EXPECT_CONTAINS(json.out, "\"exit_code\": 1");
    EXPECT_CONTAINS(json.out, "\"holds\": false");
}

TEST_F(Scenario, OverridesSuspendExpectationsUnlessAsked)
{
    expect("<bound metric=\"end-to-end\" max=\"1us\"/>");
    Said s = weft({"run", "demo", "--no-out", "--set", "generate.size=2MiB"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.err, "expect.xml is not checked: overrides change the scenario");
    s = weft({"run", "allreduce-clos16", "--no-out", "--set", "run.seed=2"}, dir / "");
    EXPECT_CONTAINS(s.err, "scenarios/allreduce-clos16/expect.xml is not checked");
    EXPECT_EQ(s.err.find("../"), std::string::npos) << s.err;
    Said asked = weft(
        {"run", "demo", "--no-out", "--set", "generate.size=2MiB", "--expect", "demo/expect.xml"},
        dir / "");
    EXPECT_EQ(asked.code, 1);
    expect("<bound metric=\"dorps\" max=\"0\"/>");
    EXPECT_EQ(weft({"run", "demo", "--no-out"}, dir / "").code, 3);
    EXPECT_EQ(weft({"check", "demo"}, dir / "").code, 3);
}

TEST_F(Scenario, CheckPrintsEveryValueAndItsOrigin)
{
    Said s = weft({"check", "demo", "--all", "--set", "generate.count=3"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "demo: valid, 0 warnings");
    EXPECT_CONTAINS(s.out, "workload: ranks 4, operations 12");
    EXPECT_CONTAINS(s.out, "single-switch.hosts              = 4                    (line 3)");
    EXPECT_CONTAINS(s.out, "generate.count                   = 3                    (--set)");
    EXPECT_CONTAINS(s.out, "run.seed                         = 1                    (default)");
    EXPECT_FALSE(fs::exists(dir / "out"));
    s = weft({"check", "demo", "--set", "generate.count=3"}, dir / "");
    EXPECT_CONTAINS(s.out, "(--set)");
    EXPECT_LACKS(s.out, "(default)");
}

TEST_F(Scenario, WarningsAreSaidAndRecorded)
{
    Said s = weft({"run", "demo", "--set", "system.reduce-passes=2", "--out", "o"}, dir / "");
    EXPECT_EQ(s.code, 0);
    EXPECT_CONTAINS(s.err, "warning: --set system.reduce-passes: has no effect");
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "has no effect");
}

TEST_F(Scenario, AResolvedFileRunsAlike)
{
    Said xml = weft({"show", "scenario", "demo", "--set", "generate.size=3MiB", "--xml"}, dir / "");
    ASSERT_EQ(xml.code, 0) << xml.err;
    write_file(dir / "resolved.xml", xml.out);
    ASSERT_EQ(weft({"run", "resolved.xml", "--out", "a", "-q"}, dir / "").code, 0);
    ASSERT_EQ(
        weft({"run", "demo", "--set", "generate.size=3MiB", "--out", "b", "-q"}, dir / "").code, 0);
    EXPECT_EQ(slurp(dir / "a/flows.csv"), slurp(dir / "b/flows.csv"));
}

TEST_F(Scenario, AnUnwritableRunFolderIsAnIoError)
{
    write_file(dir / "file", "x");
    Said s = weft({"run", "demo", "--out", "file/x"}, dir / "");
    EXPECT_EQ(s.code, 4);
    EXPECT_CONTAINS(s.err, "file");
}

/* Ctrl-C while a long run is going on: partial results, no `finished`, exit 130. */
TEST(Interrupt, WritesPartialResultsAndExitsWith130)
{
    TempDir dir;
    const std::string files = dir / "said";
    pid_t pid =
        start(small({"--set", "generate.count=300000", "--set", "generate.size=1KB", "--out", "o"}),
              dir / "", files);
    await_file(dir / "o/flows.csv", 1000); /* so many all-reduces take seconds */
    kill(pid, SIGINT);
    Said s = wait_for(pid, files);
    EXPECT_EQ(s.code, 130) << s.err;
    EXPECT_CONTAINS(s.out, "unnamed: interrupted");
    EXPECT_CONTAINS(s.out, "  not finished             ");
    EXPECT_LACKS(s.out, "end-to-end time");
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"end_to_end_ns\": null");
    EXPECT_TRUE(fs::exists(dir / "o/links.csv"));
    EXPECT_FALSE(fs::exists(dir / "o/finished"));
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"outcome\": \"interrupted\"");
    const std::string flows = slurp(dir / "o/flows.csv");
    EXPECT_EQ(flows.back(), '\n');
}

/* As after a signal, but with an outcome of its own. */
TEST(Limits, EndARunInOrder)
{
    TempDir dir;
    const std::vector<std::string> lengthy = {
        "--set", "generate.count=1000000", "--set", "generate.size=1KB", "--out", "o"};
    auto with = [&](const std::string &option, const std::string &value) {
        std::vector<std::string> a = lengthy;
        a.insert(a.end(), {option, value});
        return weft(small(a), dir / "");
    };
    Said s = with("--time-limit", "300ms");
    EXPECT_EQ(s.code, 5) << s.err;
    EXPECT_CONTAINS(s.err, "weft: error: stopped at --time-limit 300ms");
    EXPECT_CONTAINS(s.out, "unnamed: over-limit (partial results)");
    EXPECT_CONTAINS(s.out, "  not finished             ");
    const std::string run = slurp(dir / "o/run.json");
    EXPECT_CONTAINS(run, "\"outcome\": \"over-limit\"");
    EXPECT_CONTAINS(run, "\"reason\": \"stopped at --time-limit 300ms\"");
    EXPECT_CONTAINS(run, "\"partial\": true");
    EXPECT_TRUE(fs::exists(dir / "o/links.csv"));
    EXPECT_FALSE(fs::exists(dir / "o/finished"));
    EXPECT_EQ(slurp(dir / "o/flows.csv").back(), '\n');

    s = with("--memory-limit", "1MiB");
    EXPECT_EQ(s.code, 5) << s.err;
    EXPECT_CONTAINS(s.err, "stopped at --memory-limit 1MiB");

    s = weft(small({"--time-limit", "1h", "--memory-limit", "1TB", "--no-out"}));
    EXPECT_EQ(s.code, 0) << s.err;
    s = weft(small({"--time-limit", "10", "--no-out"}));
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "--time-limit 10: ");
    s = weft(small({"--memory-limit", "0", "--no-out"}));
    EXPECT_EQ(s.code, 2);
    s = weft(small({"--out", ""}));
    EXPECT_EQ(s.code, 2);
    EXPECT_CONTAINS(s.err, "the name of a folder is empty");
}

/* Asked by SIGUSR1, a run says how far it is and goes on to the same result. */
TEST(Status, IsPrintedWhenAskedFor)
{
    TempDir dir;
    const std::vector<std::string> args = {"--set", "generate.count=20000", "--set",
                                           "generate.size=1KB", "--quiet"};
    std::vector<std::string> a = args, b = args;
    a.insert(a.end(), {"--out", "o"});
    b.insert(b.end(), {"--out", "p"});
    const pid_t pid = start(small(a), dir / "", dir / "said");
    await_file(dir / "o/flows.csv", 1);
    kill(pid, SIGUSR1);
    const Said s = wait_for(pid, dir / "said");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.err, "sim ");
    EXPECT_CONTAINS(s.err, " ops  wall ");
    EXPECT_EQ(weft(small(b), dir / "").err, "");
    EXPECT_EQ(slurp(dir / "o/flows.csv"), slurp(dir / "p/flows.csv"));
}

/* Long messages: the last acknowledgement lies far behind the time that the run came to. */
TEST(Interrupt, NoLinkIsBusierThanTheTimeReached)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    const std::string files = dir / "said";
    pid_t pid = start({"run", "--set", "topology.type=leaf-spine", "--set",
                       "workload.type=generate", "--set", "generate.kind=all-reduce", "--set",
                       "generate.size=4GiB", "--set", "run.replay=off", "--out", "o"},
                      dir / "", files);
    await_file(dir / "o/flows.csv", 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(pid, SIGINT);
    Said s = wait_for(pid, files);
    ASSERT_EQ(s.code, 130) << s.err;
    EXPECT_CONTAINS(s.out, "0 of ");
    const auto links = cells(dir / "o/links.csv");
    const size_t util = static_cast<size_t>(
        std::find(links[0].begin(), links[0].end(), "util_pct") - links[0].begin());
    for (size_t i = 1; i < links.size(); i++)
        EXPECT_LE(std::stod(links[i].at(util)), 100.0) << i;
}

/* An operation takes from its call to its end, as NCCL's tests measure it. */
TEST(Durations, BeginWhenTheOperationIsCalled)
{
    TempDir dir;
    auto run = [&](const char *kind, const char *algorithm) {
        Said s =
            weft(small({"--set", std::string("generate.kind=") + kind, "--set",
                        std::string("system.") + kind + "=" + algorithm, "--set",
                        "generate.size=1MB", "--set", "system.endpoint-delay=10us", "--out", "o"}),
                 dir / "");
        ASSERT_EQ(s.code, 0) << s.err;
    };
    run("broadcast", "binomial");
    const auto ops = cells(dir / "o/ops.csv");
    ASSERT_EQ(ops.size(), 5u);
    bool relayed = false; /* some rank has to receive before it has anything to send */
    for (size_t i = 1; i < ops.size(); i++) {
        const double ready = std::stod(ops[i][5]), start = std::stod(ops[i][6]);
        EXPECT_EQ(ready, 0);
        EXPECT_EQ(ops[i][8], ops[i][7]) << "rank " << ops[i][0];
        EXPECT_GT(std::stod(ops[i][8]), 0);
        relayed |= start > ready;
    }
    EXPECT_TRUE(relayed);
    run("all-gather", "ring");
    const auto gather = cells(dir / "o/collectives.csv");
    ASSERT_EQ(gather.size(), 5u);
    const auto ends = cells(dir / "o/ops.csv");
    for (size_t i = 1; i < gather.size(); i++) {
        const double ns = std::stod(ends[i][8]); /* rows of both are in order of ending */
        ASSERT_EQ(gather[i][0], ends[i][0]);
        EXPECT_NEAR(std::stod(gather[i][15]), 4 * 8e6 / (ns * 1e-9), 1);
        EXPECT_NEAR(std::stod(gather[i][16]), 3 * 8e6 / (ns * 1e-9), 1);
    }
}

// ACKs take so long that everything is sent several times, and the last copies outlast the last
// ACK.
TEST(Elapsed, HasThePacketsThatOutlastTheLastAcknowledgement)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    const Said s = weft({"run",
                         "--set",
                         "topology.type=leaf-spine",
                         "--set",
                         "leaf-spine.leaves=2",
                         "--set",
                         "leaf-spine.hosts-per-leaf=1",
                         "--set",
                         "leaf-spine.uplink-rate=50kbps",
                         "--set",
                         "workload.type=generate",
                         "--set",
                         "generate.kind=all-to-all",
                         "--set",
                         "generate.size=20B",
                         "--set",
                         "generate.count=2",
                         "--set",
                         "generate.overlap=true",
                         "--out",
                         dir / "o"});
    ASSERT_EQ(s.code, 0) << s.err;
    const auto links = cells(dir / "o/links.csv");
    double busiest = 0;
    for (size_t i = 1; i < links.size(); i++)
        busiest = std::max(busiest, std::stod(links[i][11]));
    EXPECT_GT(busiest, 50);
    EXPECT_LE(busiest, 100);
}

// What links were doing when the limit came is counted up to it, whichever events led there.
TEST(Limit, CountsTheSameHoweverTheEngineIsDriven)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    for (const char *until : {"2.1us", "3456789ps", "5us", "7.0001us", "11us"}) {
        TempDir dir;
        std::string first;
        for (const char *how :
             {"ns3.simulator-impl=weft", "ns3.simulator-impl=default", "capture.links=all"}) {
            const Said s =
                weft({"run", "-q", "--set", "topology.type=leaf-spine", "--set",
                      "leaf-spine.leaves=2", "--set", "workload.type=generate", "--set",
                      "generate.kind=all-to-all", "--set", "generate.size=160001B", "--set",
                      std::string("run.until=") + until, "--set", how, "--out", dir / "o"});
            ASSERT_EQ(s.code, 1) << s.err;
            const std::string links = slurp(dir / "o/links.csv");
            if (first.empty())
                first = links;
            EXPECT_EQ(first, links) << until << " " << how;
            std::filesystem::remove_all(dir / "o");
        }
    }
}

// What repeated itself, and why the rest did not, in a table; two runs skip the same.
// A flow that shares an uplink with the senders of a slow receiver waits for their sake. Looking
// for it changes no packet.
TEST(Run, CountsVictimsOfPauses)
{
    TempDir dir;
    const std::string storm = source_dir() + "/scenarios/pfc-storm";
    Said s = weft({"run", storm, "--out", dir / "plain"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_EQ(s.out.find("head-of-line victims"), std::string::npos) << s.out;
    s = weft({"run", storm, "--out", dir / "looked", "--set", "run.victims=10us"});
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_NE(s.out.find("head-of-line victims     1, which waited behind pauses"),
              std::string::npos)
        << s.out;
    EXPECT_NE(slurp(dir / "looked/run.json").find("\"victims\": 1,"), std::string::npos);
    EXPECT_EQ(slurp(dir / "looked/flows.csv"), slurp(dir / "plain/flows.csv"));
    EXPECT_EQ(slurp(dir / "looked/pfc.csv"), slurp(dir / "plain/pfc.csv"));
}

TEST(Replay, ExplainsItselfAndDependsOnNoClock)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    TempDir dir;
    std::string first;
    for (const char *out : {"a", "b"}) {
        const Said s = weft({"run",
                             "--set",
                             "topology.type=single-switch",
                             "--set",
                             "single-switch.hosts=8",
                             "--set",
                             "workload.type=generate",
                             "--set",
                             "system.all-reduce=ring",
                             "--set",
                             "generate.kind=all-reduce",
                             "--set",
                             "generate.size=1GiB",
                             "--set",
                             "congestion-control.name=powertcp",
                             "--set",
                             "run.replay=1%",
                             "--explain-replay",
                             "--out",
                             dir / out});
        ASSERT_EQ(s.code, 0) << s.err;
        EXPECT_NE(s.out.find("states written down"), std::string::npos) << s.out;
        EXPECT_NE(s.out.find("messages  "), std::string::npos) << s.out;
        EXPECT_NE(s.out.find("% skipped; estimated error of completion times"), std::string::npos)
            << s.out;
        EXPECT_NE(s.out.find(" % at the 99th percentile"), std::string::npos) << s.out;
        const std::string run = slurp(dir / (std::string(out) + "/run.json")),
                          error = "\"replay_error\": ", bound = "\"replay_error_bound\": ";
        ASSERT_NE(run.find(bound), std::string::npos) << run;
        EXPECT_GE(std::stod(run.substr(run.find(bound) + bound.size())),
                  std::stod(run.substr(run.find(error) + error.size())));
        const std::string flows = slurp(dir / (std::string(out) + "/flows.csv"));
        EXPECT_EQ(first.empty() ? flows : first, flows);
        first = flows;
    }
    const Said s = weft({"run", "--no-out", "--set", "topology.type=single-switch", "--set",
                         "workload.type=generate", "--set", "generate.kind=all-to-all", "--set",
                         "generate.size=1MiB", "--set", "run.replay=off", "--explain-replay"});
    EXPECT_EQ(s.code, 2);
    EXPECT_NE(s.err.find("explains nothing with run.replay=off"), std::string::npos) << s.err;
}

TEST(Run, OneOfAKindIsSingular)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    const Said s =
        weft({"run", "--no-out", "--set", "topology.type=single-switch", "--set",
              "single-switch.hosts=2", "--set", "workload.type=generate", "--set",
              "generate.kind=broadcast", "--set", "fault.events=degrade link=h0-s2 rate=100Gbps"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, " 1 time that a link was down");
    static const std::regex plural(
        " 1 (operations|calls|marks|pauses|drops|packets|times|ranks)\\b");
    std::smatch m;
    EXPECT_FALSE(std::regex_search(s.out, m, plural)) << s.out;
}

TEST(Run, SaysWhatCountsAsAPacket)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    for (const char *train : {"1", "8"}) {
        const Said s = weft({"run", "--no-out", "--set", "topology.type=single-switch", "--set",
                             "workload.type=generate", "--set", "congestion-control.name=none",
                             "--set", std::string("transport.train=") + train});
        EXPECT_CONTAINS(s.out, *train == '8' ? "one per hop; trains of up to 8 count as one\n"
                                             : "one per hop\n");
    }
}

/* Messages of two seconds are no stall, though no packet of them is simulated, and a run that ends
 * meanwhile says how much of them has come. */
TEST(Replay, LongMessagesThatAreTakenOverGetOn)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    for (const char *until : {"0", "9s"}) {
        const Said s = weft({"run",   "--no-out",
                             "--set", "topology.type=single-switch",
                             "--set", "single-switch.hosts=4",
                             "--set", "workload.type=generate",
                             "--set", "generate.size=400GB",
                             "--set", "system.all-reduce=ring",
                             "--set", "congestion-control.name=none",
                             "--set", "run.replay=1%",
                             "--set", "transport.mtu=4KiB",
                             "--set", std::string("run.until=") + until});
        EXPECT_EQ(s.code, *until == '9') << s.err;
        EXPECT_CONTAINS(s.out, *until == '9' ? "(72.0 % of all)" : "8 messages taken over");
        EXPECT_EQ(s.err.find(", 67.73 GB unacknowledged on this QP: taken over") !=
                      std::string::npos,
                  *until == '9')
            << s.err;
    }
}

/* A message that its entry would have faster than it can be is received later, and acknowledged
 * after that. */
// Of long messages rates are compared, no times of whole ones.
TEST(Replay, ErrorOfTheMeanWhereOnlyRatesWereCompared)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    const Said s = weft(
        with_sets({"run", "--no-out"},
                  {"topology.type=single-switch", "single-switch.hosts=4", "workload.type=generate",
                   "generate.kind=gather", "generate.size=400MB", "generate.count=4",
                   "congestion-control.name=hpcc", "run.replay=1%", "run.replay-resample=true"}));
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "estimated error of the mean completion time ");
    EXPECT_LACKS(s.out, "nan %");
}

TEST(Replay, MessagesAreAcknowledgedOnceTheyAreReceived)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    const Said s = weft(with_sets(
        {"run", "--no-out", "--seed", "536"},
        {"topology.type=switch", "switch.size=3", "switch.rate=2774122651bps",
         "switch.delay=95216ps", "workload.type=checkpoint", "checkpoint.ranks=3",
         "checkpoint.mode=barrier", "checkpoint.servers=2", "checkpoint.stripe-count=1",
         "checkpoint.count=3", "checkpoint.replicas=2", "checkpoint.size=359251B",
         "checkpoint.stripe-size=113790B", "checkpoint.in-flight=0", "checkpoint.period=20us",
         "congestion-control.name=dcqcn", "run.replay=1%", "transport.train=15"}));
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "of 2 messages taken over");
    EXPECT_LACKS(s.out, "begun again");
}

/* Rings of long and short messages: with the first message of a group all are taken over that are
 * being sent. Those that went on without its ACKs on their links filled a queue, and slowed down.
 */
TEST(Replay, NoneGoesOnForLongBesideWhatIsTakenOver)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    std::string ends[2];
    for (const bool replays : {false, true}) {
        const Said s =
            weft(with_sets({"run", "--no-out"}, {"topology.type=leaf-spine",
                                                 "leaf-spine.leaves=4",
                                                 "leaf-spine.spines=2",
                                                 "leaf-spine.hosts-per-leaf=4",
                                                 "workload.type=training",
                                                 "training.model=mixtral-8x7b",
                                                 "training.layers=2",
                                                 "training.sequence=256",
                                                 "training.vocab=8192",
                                                 "training.tp=1",
                                                 "training.pp=2",
                                                 "training.dp=8",
                                                 "training.microbatches=1",
                                                 "training.check-memory=false",
                                                 "system.all-reduce=ring",
                                                 "system.all-gather=ring",
                                                 "system.reduce-scatter=ring",
                                                 "congestion-control.name=swift",
                                                 "transport.mtu=4096B",
                                                 "transport.train=15",
                                                 replays ? "run.replay=1%" : "run.replay=off"}));
        ASSERT_EQ(s.code, 0) << s.err;
        const size_t at = s.out.find("end-to-end time");
        ends[replays] = s.out.substr(at, s.out.find(" simulated", at) - at);
        EXPECT_EQ(replays, s.out.find(" taken over") != std::string::npos) << s.out;
    }
    EXPECT_EQ(ends[0], ends[1]);
}

/* --quiet leaves out what was not asked for. */
TEST(Replay, ExplainsItselfQuietly)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    const Said s = weft({"run", "allreduce-clos16", "--no-out", "--quiet", "--explain-replay"});
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "states written down");
    EXPECT_LACKS(s.out, "end-to-end time");
}

/* By default what repeats itself is taken over, and said only where something was. */
TEST(Replay, IsTheDefaultAndQuiet)
{
    if (!has_packet())
        GTEST_SKIP() << "no packet backend";
    const std::vector<std::string> ring = {"run",   "--no-out",
                                           "--set", "workload.type=generate",
                                           "--set", "generate.kind=all-reduce",
                                           "--set", "system.all-reduce=ring"};
    const std::vector<std::string> eight = {"topology.type=single-switch", "single-switch.hosts=8"},
                                   two = {"topology.type=single-switch", "single-switch.hosts=2"};
    const auto with = [&](const std::vector<std::string> &fabric,
                          const std::vector<std::string> &sets) {
        const Said s = weft(with_sets(ring, fabric, sets));
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_EQ(s.err.find("run.replay"), std::string::npos) << s.err;
        return s.out;
    };
    const char *taken = "of the packet-hops repeat what went before: taken over, with the same";
    EXPECT_NE(with(eight, {"generate.size=256MiB"}).find(taken), std::string::npos);
    EXPECT_EQ(with(eight, {"generate.size=256MiB", "run.replay=off"}).find("  replay "),
              std::string::npos);
    EXPECT_EQ(with(two, {"generate.size=16KiB"}).find("  replay "), std::string::npos);
    EXPECT_NE(with(two, {"generate.size=16KiB", "run.replay=exact"}).find("nothing was taken over"),
              std::string::npos);
    EXPECT_EQ(with(eight, {"generate.size=8MiB", "run.victims=10us"}).find("  replay "),
              std::string::npos);
    const std::vector<std::string> rails = {"topology.type=preset",
                                            "preset.name=hgx-rail-optimised"};
    EXPECT_NE(with(rails, {"generate.size=64MiB", "run.threads=2"}).find(taken), std::string::npos);
}

} // namespace
