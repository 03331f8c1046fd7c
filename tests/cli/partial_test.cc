// SPDX-License-Identifier: GPL-2.0-only
// Runs that are cut short, folders that are in use, and output that cannot be written.
#include "program.h"

#include <filesystem>
#include <thread>

#include <sys/stat.h>

namespace fs = std::filesystem;

namespace
{

const std::vector<std::string> lengthy = {"--set", "generate.count=200000", "--set",
                                          "generate.size=1KB"};

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string> &more)
{
    a.insert(a.end(), more.begin(), more.end());
    return a;
}

TEST(Partial, TerminatedTwiceKeepsEverything)
{
    TempDir dir;
    const pid_t pid = start(small(with(lengthy, {"--out", "o", "--json"})), dir / "", dir / "said");
    await_file(dir / "o/flows.csv", 1000);
    kill(pid, SIGTERM);
    kill(pid, SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    kill(pid, SIGTERM);
    const Said s = wait_for(pid, dir / "said");
    EXPECT_EQ(s.code, 130) << s.err;
    EXPECT_CONTAINS(s.err, "interrupted by SIGTERM");
    EXPECT_CONTAINS(s.out, "\"partial\": true");
    EXPECT_CONTAINS(s.out, "\"reason\": \"interrupted by SIGTERM\"");
    for (const char *file : {"links.csv", "ranks.csv", "dimensions.csv", "flows.csv"})
        EXPECT_GT(slurp(dir / ("o/" + std::string(file))).size(), 50U) << file;
    const std::string run = slurp(dir / "o/run.json");
    EXPECT_CONTAINS(run, "\"partial\": true");
    EXPECT_CONTAINS(run, "\"reason\": \"interrupted by SIGTERM\"");
    EXPECT_CONTAINS(run, "\"summary\"");
    EXPECT_FALSE(fs::exists(dir / "o/finished"));
    EXPECT_FALSE(fs::exists(dir / "o/.lock"));
}

// A rank's parts of in-network operations are messages that it has posted: what it gave is theirs.
TEST(Partial, PartsOfInNetworkOperationsEndLikeMessages)
{
    for (const char *backend : {"packet", "ideal"}) {
        if (backend == std::string("packet") && !has_packet())
            continue;
        for (const char *kind : {"all-reduce", "reduce-scatter", "all-gather"})
            for (const bool cut : {false, true}) {
                const std::string algorithm = std::string("system.") + kind + "=in-network";
                const Said s = weft(
                    {"run", "--no-out", "--json", "--set", "topology.type=single-switch", "--set",
                     "single-switch.hosts=4", "--set", "workload.type=generate", "--set",
                     std::string("generate.kind=") + kind, "--set", "generate.size=64MiB", "--set",
                     algorithm, "--set", std::string("network.backend=") + backend, "--set",
                     cut ? "run.until=5us" : "run.until=0"});
                const std::string parts = kind == std::string("all-reduce") ? "4" : "16";
                const std::string bytes = "268435456"; // 64 MiB of each rank
                EXPECT_EQ(s.code, cut ? 1 : 0) << s.err;
                EXPECT_CONTAINS(s.out, "\"unfinished_messages\": " + (cut ? parts : "0") + ",");
                EXPECT_CONTAINS(s.out, "\"unfinished_bytes\": " + (cut ? bytes : "0") + ",");
            }
    }
}

TEST(Partial, AFailedQpKeepsEverything)
{
    if (!has_packet())
        GTEST_SKIP() << "the program has no packet backend";
    TempDir dir;
    const Said s = weft({"run", "--set", "topology.type=single-switch", "--set",
                         "single-switch.hosts=4", "--set", "workload.type=generate", "--set",
                         "generate.size=10MB", "--set", "transport.retry-max=2", "--set",
                         "fault.events=bit-errors link=0 at=50us ber=0.01", "--out", "o"},
                        dir / "");
    EXPECT_EQ(s.code, 1) << s.err;
    EXPECT_CONTAINS(s.err, "failed at");
    EXPECT_CONTAINS(s.out, "unnamed: failed (partial results)");
    for (const char *file : {"links.csv", "ranks.csv", "faults.csv"})
        EXPECT_GT(cells(dir / ("o/" + std::string(file))).size(), 1U) << file;
    const std::string run = slurp(dir / "o/run.json");
    EXPECT_CONTAINS(run, "\"outcome\": \"failed\"");
    EXPECT_CONTAINS(run, "\"reason\": \"the QP h");
    EXPECT_CONTAINS(run, "\"summary\"");
    EXPECT_FALSE(fs::exists(dir / "o/finished"));
}

TEST(Partial, AnInterruptedSweepKeepsItsRows)
{
    TempDir dir;
    auto args =
        small({"--set", "generate.size=1KB", "--vary", "generate.count=1|200000|2", "--out", "o"});
    args[0] = "sweep";
    const pid_t pid = start(args, dir / "", dir / "said");
    await_file(dir / "o/2/flows.csv", 1000);
    EXPECT_EQ(cells(dir / "o/sweep.csv").size(), 2U) << "the first row is there at once";
    kill(pid, SIGINT);
    const Said s = wait_for(pid, dir / "said");
    EXPECT_EQ(s.code, 130) << s.err;
    EXPECT_CONTAINS(s.err, "1 of 3 runs were not begun: the sweep was interrupted by SIGINT");
    const auto rows = cells(dir / "o/sweep.csv");
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[1][1], "finished");
    EXPECT_EQ(rows[2][1], "interrupted");
    EXPECT_CONTAINS(s.out, "interrupted\n");
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"outcome\": \"interrupted\"");
    EXPECT_CONTAINS(slurp(dir / "o/2/run.json"), "\"partial\": true");
    EXPECT_FALSE(fs::exists(dir / "o/finished"));
}

// A row is there when one of its seeds is: the seeds that were not begun count, not rows.
TEST(Partial, AnInterruptedSweepCountsTheSeedsLeft)
{
    TempDir dir;
    auto args = small({"--set", "generate.size=1KB", "--set", "generate.count=200000", "--seeds",
                       "1..3", "--out", "o"});
    args[0] = "sweep";
    const pid_t pid = start(args, dir / "", dir / "said");
    await_file(dir / "o/1/flows.csv", 1000);
    kill(pid, SIGINT);
    const Said s = wait_for(pid, dir / "said");
    EXPECT_EQ(s.code, 130) << s.err;
    EXPECT_CONTAINS(s.err, "2 of 3 runs were not begun: the sweep was interrupted by SIGINT");
}

TEST(Partial, ABadRowIsARow)
{
    TempDir dir;
    auto args = small({"--vary", "generate.size=1MiB|many|more|2MiB", "--out", "o"});
    args[0] = "sweep";
    Said s = weft(args, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "generate.size=many: ");
    EXPECT_CONTAINS(s.err, "2 of 4 runs of the sweep failed");
    const auto rows = cells(dir / "o/sweep.csv");
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[1][1], "finished");
    EXPECT_EQ(rows[2][1], "failed");
    EXPECT_EQ(rows[4][1], "finished");
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"row\": 2");
    EXPECT_EQ(slurp(dir / "o/finished"), "finished\n");
    args.back() = "o";
    args[args.size() - 3] = "generate.size=1MiB"; /* fewer rows in the same folder */
    s = weft(args, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_TRUE(fs::exists(dir / "o/1"));
    EXPECT_FALSE(fs::exists(dir / "o/4"));
}

TEST(Partial, ASweepOfBadRowsSaysThatAllFailed)
{
    TempDir dir;
    auto args = small({"--vary", "generate.size=many|more|most", "--out", "o"});
    args[0] = "sweep";
    Said s = weft(args, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "all 3 runs of the sweep failed");
    args[args.size() - 3] = "generate.size=many";
    s = weft(args, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_EQ(s.err.find("of the sweep failed"), std::string::npos) << s.err;
}

TEST(Partial, OneRunAFolder)
{
    TempDir dir;
    const pid_t pid = start(small(with(lengthy, {"--out", "o"})), dir / "", dir / "said");
    await_file(dir / "o/flows.csv", 1000);
    const Said second = weft(small({"--out", "o"}), dir / "");
    EXPECT_EQ(second.code, 4) << second.out;
    EXPECT_CONTAINS(second.err,
                    "a folder holds one run, and it is in use by process " + std::to_string(pid));
    kill(pid, SIGKILL);
    EXPECT_EQ(wait_for(pid, dir / "said").code, 1000 + SIGKILL);
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "\"outcome\": \"running\"");
    const Said third = weft(small({"--out", "o"}), dir / "");
    EXPECT_EQ(third.code, 0) << third.err;
    EXPECT_EQ(slurp(dir / "o/finished"), "finished\n");
}

TEST(Partial, AFolderHoldsOneRunAndWhatIsTheUsers)
{
    if (!has_packet())
        GTEST_SKIP() << "the program has no packet backend";
    TempDir dir;
    const std::vector<std::string> run = {"run",
                                          "--set",
                                          "topology.type=single-switch",
                                          "--set",
                                          "single-switch.hosts=4",
                                          "--set",
                                          "workload.type=generate",
                                          "--out",
                                          "o"};
    Said s =
        weft(with(run, {"--pcap", "0", "--set", "fault.events=link-down link=0 at=1us until=2us"}),
             dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_TRUE(fs::exists(dir / "o/faults.csv"));
    EXPECT_TRUE(fs::exists(dir / "o/pcap/h0-s4.pcap"));
    write_file(dir / "o/notes.txt", "mine");
    write_file(dir / "o/qlen.txt", "mine");
    write_file(dir / "o/pcap/mine.pcap", "mine");
    write_file(dir / "o/run.json.99.tmp", "{");
    s = weft(run, dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_FALSE(fs::exists(dir / "o/faults.csv"));
    EXPECT_FALSE(fs::exists(dir / "o/pcap/h0-s4.pcap"));
    EXPECT_FALSE(fs::exists(dir / "o/run.json.99.tmp"));
    for (const char *file : {"notes.txt", "qlen.txt", "pcap/mine.pcap"})
        EXPECT_EQ(slurp(dir / ("o/" + std::string(file))), "mine") << file;
}

TEST(Partial, ATraceHoldsOneTrace)
{
    TempDir dir;
    ASSERT_EQ(weft({"trace", "generate", "t/x", "--set", "ranks=6"}, dir / "").code, 0);
    ASSERT_EQ(weft({"trace", "generate", "t/x", "--set", "ranks=3"}, dir / "").code, 0);
    EXPECT_CONTAINS(weft({"trace", "check", "t/x"}, dir / "").out, "valid, 3 ranks");
    ASSERT_EQ(weft({"trace", "generate", "t/x.gz", "--set", "ranks=2"}, dir / "").code, 0);
    EXPECT_CONTAINS(weft({"trace", "check", "t/x"}, dir / "").out, "valid, 2 ranks");
    write_file(dir / "t/x.7.et", "somebody else's");
    const Said s = weft({"trace", "generate", "t/x", "--set", "ranks=3"}, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "t/x.7.et: would belong to the trace, but is not weft's");
    EXPECT_EQ(slurp(dir / "t/x.7.et"), "somebody else's");
    EXPECT_TRUE(fs::exists(dir / "t/x.0.et.gz")) << "nothing was touched";
}

TEST(Partial, NoFileOfHpccsIsCalledAsOneOfWefts)
{
    TempDir dir;
    write_file(dir / "t", "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n");
    write_file(dir / "f", "1\n0 1 3 100 4000 2\n");
    for (const char *name : {"mix/flows.csv", "run.json", "finished", "fct_slowdown.csv", "pfc.txt",
                             "pcap", ".lock", "mix/"}) {
        write_file(dir / "c", "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 3\nPFC_OUTPUT_FILE pfc.txt\n"
                              "FCT_OUTPUT_FILE " +
                                  std::string(name) + "\n");
        const Said s = weft({"hpcc", "--config", "c", "--out", "o"}, dir / "");
        EXPECT_EQ(s.code, 3) << name << s.err;
        EXPECT_CONTAINS(s.err, "_OUTPUT_FILE: ");
        EXPECT_FALSE(fs::exists(dir / "o")) << name;
    }
    for (const char *name : {"a.txt", "b.txt"}) {
        write_file(dir / "c", "TOPOLOGY_FILE t\nFLOW_FILE f\nCC_MODE 3\nFCT_OUTPUT_FILE mix/" +
                                  std::string(name) + "\n");
        const Said s = weft({"hpcc", "--config", "c", "--out", "o"}, dir / "");
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_TRUE(fs::exists(dir / ("o/" + std::string(name))));
    }
    EXPECT_FALSE(fs::exists(dir / "o/a.txt")) << "a file of the earlier run";
}

TEST(Partial, StandardOutputThatCannotBeWrittenIsAnError)
{
    if (access("/dev/full", W_OK) != 0)
        GTEST_SKIP() << "no /dev/full here";
    TempDir dir;
    fs::create_symlink("/dev/full", dir / "said.out");
    const std::string set = "single-switch.hosts=4";
    const std::vector<std::vector<std::string>> all = {
        {"--help"},
        {"--version"},
        {"help", "run"},
        {"run", "--help"},
        {"list", "cc"},
        {"list", "cc", "--json"},
        {"show", "output"},
        {"show", "output", "--json"},
        {"doctor"},
        {"doctor", "--json"},
        {"topology", "presets"},
        {"topology", "show", "dgx-h100-pod", "--json"},
        {"topology", "convert", "dgx-h100-pod"},
        {"bench", "--list"},
        small({"--no-out"}),
        small({"--no-out", "--json"}),
        with({"check"}, {"--set", "topology.type=single-switch", "--set", set, "--set",
                         "workload.type=generate", "--json"}),
        with({"sweep"}, {"--set", "topology.type=single-switch", "--set", set, "--set",
                         "network.backend=ideal", "--set", "workload.type=generate", "--vary",
                         "generate.size=1KB|2KB", "--json"}),
    };
    for (const auto &args : all) {
        const pid_t pid = start(args, dir / "", dir / "said");
        int status = 0;
        waitpid(pid, &status, 0);
        EXPECT_EQ(WEXITSTATUS(status), 4) << args[0] << ' ' << args.back();
        EXPECT_CONTAINS(slurp(dir / "said.err"),
                        "standard output: cannot write: No space left on device");
    }
}

TEST(Partial, AnswersGoThroughLinksFifosAndDevices)
{
    TempDir dir;
    write_file(dir / "target", "old");
    fs::create_symlink("target", dir / "link");
    Said s = weft({"topology", "convert", "dgx-h100-pod", "--to", "dot", "-o", "link"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_TRUE(fs::is_symlink(dir / "link"));
    EXPECT_CONTAINS(slurp(dir / "target"), "graph");
    ASSERT_EQ(mkfifo((dir / "fifo").c_str(), 0600), 0);
    std::string through;
    std::thread reader([&] { through = slurp(dir / "fifo"); });
    s = weft({"topology", "convert", "dgx-h100-pod", "--to", "dot", "-o", "fifo"}, dir / "");
    reader.join();
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_TRUE(fs::is_fifo(dir / "fifo"));
    EXPECT_EQ(through, slurp(dir / "target"));
}

/* Commands without anything to save end at once, however deep they are in something. */
TEST(Partial, LongCommandsEndAtASignal)
{
    TempDir dir;
    write_file(dir / "cdf", "0 0\n1000 100\n");
    const std::vector<std::vector<std::string>> all = {
        {"traffic", "--cdf", "cdf", "--load", "0.9", "--hosts", "1000", "--rate", "400Gbps",
         "--duration", "1ms", "-o", "flows"},
        {"trace", "generate", "t/x", "--set", "ranks=1000000"},
        {"topology", "show", "--set", "topology.type=fat-tree", "--set", "fat-tree.k=64"},
        {"bench", "--backend", "ideal"},
    };
    for (const auto &args : all) {
        const pid_t pid = start(args, dir / "", dir / "said");
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        kill(pid, SIGINT);
        const Said s = wait_for(pid, dir / "said");
        if (s.code == 0) /* a fast machine */
            continue;
        EXPECT_EQ(s.code, 130) << args[0] << s.err;
        EXPECT_CONTAINS(s.err, "interrupted by SIGINT");
    }
    EXPECT_NE(weft({"trace", "check", "t/x"}, dir / "").code, 0) << "a part passes for a trace";
}

/* A connection that can't be opened ends the run at that moment, not at the end of the slice of
 * simulated time that was under way, whoever keeps ns-3's events. */
TEST(Partial, ARunEndsWhereItFailed)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    TempDir dir;
    for (const char *impl : {"weft", "default"}) {
        const Said s =
            weft({"run", "--set", "topology.type=single-switch", "--set", "single-switch.hosts=2",
                  "--set", "single-switch.rate=14bps", "--set", "workload.type=generate", "--set",
                  "transport.type=tcp", "--set", "tcp.connect-timeout=1us", "--set",
                  std::string("ns3.simulator-impl=") + impl, "--out", dir / impl});
        EXPECT_NE(s.code, 0);
        EXPECT_CONTAINS(s.err, "failed at 32.77 ms");
        EXPECT_CONTAINS(s.out, "32.77 ms simulated");
    }
    EXPECT_EQ(slurp(dir / "weft/links.csv"), slurp(dir / "default/links.csv"));
}

/* What is under way at the limit counts up to it, also where the last event came long before. */
TEST(Partial, WhatIsUnderWayCountsUpToTheLimit)
{
    for (const char *backend : {"packet", "ideal"}) {
        if (!has_packet() && backend[0] == 'p')
            continue;
        TempDir dir;
        const Said s = weft({"run", "--set", "topology.type=single-switch", "--set",
                             "single-switch.hosts=2", "--set", "single-switch.rate=1Mbps", "--set",
                             "workload.type=generate", "--set", "run.until=1ms", "--set",
                             std::string("network.backend=") + backend, "--out", dir / "o"});
        EXPECT_EQ(s.code, 1) << s.err;
        const std::string ranks = slurp(dir / "o/ranks.csv");
        EXPECT_CONTAINS(ranks, "\n0,0,0.000,0.000,0.000,1000000.000,1000000.000,");
        EXPECT_CONTAINS(ranks, "\n1,0,0.000,0.000,0.000,1000000.000,1000000.000,");
    }
}

/* Messages that end are the fast ones: tables and figures of an unfinished run say so. */
TEST(Partial, FiguresOfAnUnfinishedRunWarn)
{
    TempDir dir;
    write_file(dir / "f.csv", "from,to,size_bytes,start_ns\n0,1,1000,0\n0,1,100000000,0\n");
    const auto played = [&](const std::string &until) {
        weft({"run", "--set", "topology.type=single-switch", "--set", "network.backend=ideal",
              "--set", "workload.type=flows", "--set", "flows.file=f.csv", "--set",
              "run.until=" + until, "--out", "o"},
             dir / "");
        return std::vector<Said>{
            weft({"fct", "o"}, dir / ""),
            weft({"plot", "o", "slowdown", "--to", "csv", "--out", "-"}, dir / "")};
    };
    for (const Said &s : played("100us")) {
        EXPECT_EQ(s.code, 0) << s.err;
        EXPECT_CONTAINS(s.err, "warning: o: the run is 'stopped-at-limit', not finished: what had "
                               "not ended then is missing, so slow messages are too few");
    }
    for (const Said &s : played("0"))
        EXPECT_EQ(s.err, "");
}

/* A list of flows in the folder of results has the name of a table; so has that of an earlier run.
 */
TEST(Partial, ARunReplacesNothingThatItReads)
{
    TempDir dir;
    const std::string list = "from,to,size_bytes,start_ns\n0,1,1000,0\n";
    fs::create_directories(dir / "o");
    write_file(dir / "o/flows.csv", list);
    fs::create_symlink("o", dir / "p");
    const auto run = [&](const std::string &file, const std::string &out) {
        return weft({"run", "--set", "topology.type=single-switch", "--set",
                     "network.backend=ideal", "--set", "workload.type=flows", "--set",
                     "flows.file=" + file, "--out", out},
                    dir / "");
    };
    for (const char *file : {"o/flows.csv", "p/flows.csv"}) {
        const Said s = run(file, "o");
        EXPECT_EQ(s.code, 3);
        EXPECT_CONTAINS(s.err, "flows.file: the run reads '" + std::string(file) +
                                   "' and would replace it: choose another folder for its results "
                                   "than 'o'");
        EXPECT_EQ(slurp(dir / "o/flows.csv"), list);
        EXPECT_FALSE(fs::exists(dir / "o/run.json"));
    }
    EXPECT_EQ(run("o/flows.csv", "q").code, 0);
    const std::string table = slurp(dir / "q/flows.csv");
    EXPECT_EQ(run("q/flows.csv", "q").code, 3);
    EXPECT_EQ(slurp(dir / "q/flows.csv"), table);
}

} // namespace
