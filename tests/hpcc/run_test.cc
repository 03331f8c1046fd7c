// SPDX-License-Identifier: GPL-2.0-only
// Configurations of HPCC's in `weft run`, `weft sweep` and `weft check`, and what a signal leaves.
#include "tests/cli/program.h"

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace
{

const char star[] = "5 1 4\n4\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 4 100Gbps 1us 0\n"
                    "3 4 100Gbps 1us 0\n";

/* Three flows to one host, every file that there can be. */
void write_case(const TempDir &dir, const std::string &flows)
{
    write_file(dir / "t", star);
    write_file(dir / "f", flows);
    write_file(dir / "traced", "2\n4 9\n");
    write_file(dir / "config.txt",
               "# mine\n{all}\nENABLE_QCN 1\nTOPOLOGY_FILE t\nFLOW_FILE f\nTRACE_FILE traced\n"
               "TRACE_OUTPUT_FILE mix/mix.tr\nCC_MODE 3\nVAR_WIN 1\nMULTI_RATE 0\n"
               "QLEN_MON_FILE q.txt\nQLEN_MON_START 2000000000\nQLEN_MON_END 2100000000\n"
               "KMAX_MAP 1 100000000000 1600\nKMIN_MAP 1 100000000000 400\n"
               "PMAX_MAP 1 100000000000 0.2\n");
}

const char incast[] = "3\n0 3 3 100 400000 2\n1 3 3 100 400000 2\n2 3 3 101 400000 2.00001\n";

TEST(HpccRun, TheSameFilesAsHpcc)
{
    TempDir dir;
    write_case(dir, incast);
    const Said hpcc = weft({"hpcc", "config.txt", "--compat", "--out", "a"}, dir / "");
    ASSERT_EQ(hpcc.code, 0) << hpcc.err;
    const Said ran =
        weft({"run", "config.txt", "--set", "simulator.compat=true", "--out", "b"}, dir / "");
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_CONTAINS(ran.out, "slowdown (fct / standalone) by flow size");
    for (const char *file : {"fct.txt", "pfc.txt", "q.txt", "mix.tr", "fct_slowdown.csv",
                             "flows.csv", "links.csv", "finished"})
        EXPECT_EQ(slurp(dir / ("a/" + std::string(file))), slurp(dir / ("b/" + std::string(file))))
            << file;
    EXPECT_GT(slurp(dir / "b/fct.txt").size(), 100U);
    const Said bare = weft({"run", "config.txt", "--quiet"}, dir / "");
    ASSERT_EQ(bare.code, 0) << bare.err;
    EXPECT_NE(
        slurp(dir / ("out/" + fs::path(dir / "").parent_path().filename().string()) + "/fct.txt"),
        slurp(dir / "a/fct.txt"))
        << "compat makes a difference";
}

// Of a fork: the header of ns3-datacenter, a switch without links, files named from the top of the
// repository, BUFFER_SIZE 0, no TRACE_FILE.
TEST(HpccRun, ConfigurationsOfForks)
{
    TempDir dir;
    write_case(dir, incast);
    fs::remove(dir / "traced");
    fs::create_directories(dir / "top/sim/examples/one/two");
    write_file(dir / "top/sim/examples/one/t", "6 2 1 4\n4 5\n" + std::string(star).substr(8));
    write_file(dir / "top/sim/examples/one/f", incast);
    std::string text = slurp(dir / "config.txt");
    for (const char *file : {"TOPOLOGY_FILE ", "FLOW_FILE "})
        text.insert(text.find(file) + std::string(file).size(), "examples/one/");
    write_file(dir / "top/sim/examples/one/two/config.txt", text + "BUFFER_SIZE 0\nENABLE_QBB 1\n");
    const Said fork =
        weft({"hpcc", "top/sim/examples/one/two/config.txt", "--compat", "--out", "a"}, dir / "");
    ASSERT_EQ(fork.code, 0) << fork.err;
    EXPECT_CONTAINS(fork.err, "TRACE_FILE traced: not there");
    EXPECT_CONTAINS(fork.err, "BUFFER_SIZE 0 limits nothing");
    EXPECT_CONTAINS(fork.out, "hosts 4, switches 2, links 4");
    const Said own = weft(
        {"hpcc", "config.txt", "--compat", "--out", "b", "--set", "BUFFER_SIZE=2048"}, dir / "");
    ASSERT_EQ(own.code, 0) << own.err;
    EXPECT_EQ(slurp(dir / "a/fct.txt"), slurp(dir / "b/fct.txt"));
}

TEST(HpccRun, KeysOfTheConfigurationAreSettings)
{
    TempDir dir;
    write_case(dir, incast);
    write_file(dir / "f1", "1\n0 3 3 100 400000 2\n");
    const Said one =
        weft({"run", "config.txt", "--set", "FLOW_FILE=f1", "--set", "ENABLE_TRACE=0", "--set",
              "KMAX_MAP=1 100000000000 800", "--metric", "fct-p99", "--out", "o"},
             dir / "");
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_CONTAINS(one.out, "fct-p99");
    const std::string fct = slurp(dir / "o/fct.txt");
    EXPECT_EQ(std::count(fct.begin(), fct.end(), '\n'), 1);
    EXPECT_EQ(slurp(dir / "o/mix.tr").size(), 4U + 8 * 11 + 4) << "the head alone";
    EXPECT_CONTAINS(slurp(dir / "o/run.json"), "f1\"");
    const struct {
        const char *set;
        int code;
        const char *text;
    } wrong[] = {
        {"CC_MOD=3", 3, "configurations have no key 'CC_MOD'; did you mean 'CC_MODE'?"},
        {"CC_MODE=a", 3, "--set CC_MODE:1:1: the value of CC_MODE must be a whole number, got 'a'"},
        {"KMAX_MAP=1 100000000000 1600 7", 3, "--set KMAX_MAP:1:21: '7' stands behind the value"},
        {"simulator.compa=true", 3, "compat"},
        {"simulator.control=swft", 3, "did you mean 'swift'?"},
        {"topology.type=clos", 3, "TOPOLOGY_FILE"},
        {"workload.type=flows", 3, "FLOW_FILE"},
        {"FLOW_FILE=nothing", 4, "FLOW_FILE nothing: no such file"},
    };
    for (const auto &w : wrong) {
        const Said s = weft({"run", "config.txt", "--no-out", "--set", w.set}, dir / "");
        EXPECT_EQ(s.code, w.code) << w.set << s.err;
        EXPECT_CONTAINS(s.err, w.text);
    }
    const Said alone = weft({"run", "config.txt", "--no-out", "--alone"}, dir / "");
    EXPECT_EQ(alone.code, 2);
    EXPECT_CONTAINS(alone.err, "leave out --alone");
}

TEST(HpccRun, CheckReadsIt)
{
    TempDir dir;
    write_case(dir, incast);
    const Said s = weft({"check", "config.txt"}, dir / "");
    EXPECT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "fabric: hosts 4, switches 1, links 4\nflows: 3\n");
    EXPECT_FALSE(fs::exists(dir / "out"));
    EXPECT_EQ(weft({"check", "config.txt", "--set", "LB_MODE=1"}, dir / "").code, 3);
    write_file(dir / "other.txt", "# mine\nENABLE_QC 1\n");
    EXPECT_LACKS(weft({"check", "other.txt"}, dir / "").err, "HPCC");
    const Said shown = weft({"topology", "show", "config.txt"}, dir / "");
    EXPECT_EQ(shown.code, 3);
}

TEST(HpccRun, SweepsVaryKeysAndSettings)
{
    TempDir dir;
    write_case(dir, incast);
    write_file(dir / "f2", "1\n0 3 3 100 400000 2\n");
    std::vector<std::string> args = {"sweep",  "config.txt",
                                     "--set",  "ENABLE_TRACE=0",
                                     "--vary", "CC_MODE=1|3",
                                     "--vary", "KMAX_MAP=1 100000000000 500|1 100000000000 1600",
                                     "--vary", "simulator.compat=true|false",
                                     "--vary", "FLOW_FILE=f|f2",
                                     "--out",  "o"};
    const Said s = weft(args, dir / "");
    ASSERT_EQ(s.code, 0) << s.err;
    EXPECT_CONTAINS(s.out, "fct-p99");
    const std::string table = slurp(dir / "o/sweep.csv");
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 17);
    EXPECT_NE(slurp(dir / "o/1/fct.txt"), slurp(dir / "o/9/fct.txt")) << "CC_MODE";
    EXPECT_NE(slurp(dir / "o/1/fct.txt"), slurp(dir / "o/3/fct.txt")) << "compat";
    const Said alone = weft({"hpcc", "config.txt", "--compat", "--set", "CC_MODE=3", "--set",
                             "ENABLE_TRACE=0", "--out", "p"},
                            dir / "");
    ASSERT_EQ(alone.code, 0) << alone.err;
    EXPECT_EQ(slurp(dir / "o/13/fct.txt"), slurp(dir / "p/fct.txt"));
    args.emplace_back("--resume");
    const Said again = weft(args, dir / "");
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out, s.out);
    args[11] = "FLOW_FILE=f2|f";
    const Said other = weft(args, dir / "");
    EXPECT_EQ(other.code, 3);
    EXPECT_CONTAINS(other.err, "holds a run with the flows of");
}

/* A flow that would take an hour: the signal ends it at once, what there was is kept. */
TEST(HpccRun, SigtermEndsItAtOnce)
{
    for (const char *command : {"hpcc", "run", "sweep"}) {
        TempDir dir;
        write_case(dir, "3\n0 3 3 100 100000 2\n1 3 3 100 40000000000000 2\n"
                        "2 3 3 100 40000000000000 2\n");
        const bool sweep = std::string(command) == "sweep";
        std::vector<std::string> args = {command, "config.txt", "--out",
                                         "o",     "--set",      "SIMULATOR_STOP_TIME=100000"};
        if (sweep)
            args.insert(args.end(), {"--vary", "CC_MODE=1|3", "--jobs", "2"});
        const std::string at = dir / (sweep ? "o/1" : "o");
        const pid_t pid = start(args, dir / "", dir / "said");
        await_file(at + "/fct.txt", 1);
        kill(pid, SIGTERM);
        const Said s = wait_for(pid, dir / "said");
        EXPECT_EQ(s.code, 130) << command << s.err;
        EXPECT_CONTAINS(slurp(at + "/run.json"), "\"outcome\": \"interrupted\"");
        EXPECT_CONTAINS(slurp(at + "/run.json"), "\"reason\": \"interrupted by SIGTERM\"");
        EXPECT_FALSE(slurp(at + "/links.csv").empty());
        EXPECT_FALSE(fs::exists(at + "/finished"));
        EXPECT_EQ((slurp(at + "/mix.tr").size() - (4 + 8 * 11 + 4)) % 56, 0U) << "whole records";
    }
}

} // namespace
