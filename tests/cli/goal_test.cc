// SPDX-License-Identifier: GPL-2.0-only
// GOAL schedules: played, written, and turned into traces and back.
#include "program.h"

#include <cstring>
#include <map>

namespace
{

/* The end of each operation, by rank, number and kind; ns. */
std::map<std::string, std::string> ends(const std::string &file)
{
    std::map<std::string, std::string> all;
    std::istringstream in(slurp(file));
    for (std::string line; std::getline(in, line);) {
        std::istringstream cells(line);
        std::vector<std::string> c;
        for (std::string x; std::getline(cells, x, ',');)
            c.push_back(x);
        if (c.size() > 7)
            all[c[0] + ":" + c[1] + ":" + c[2]] = c[7];
    }
    return all;
}

/* Plays a schedule with latency 3700 ns and 25 GB/s. */
std::map<std::string, std::string> play(const std::string &text,
                                        const std::vector<std::string> &more = {})
{
    TempDir dir;
    write_file(dir / "s.goal", text);
    const Said s = weft(
        with_sets({"run", "-q", "-o", dir / "out"}, more,
                  {"workload.type=goal", "goal.file=" + dir / "s.goal",
                   "topology.type=single-switch", "single-switch.hosts=64", "network.backend=ideal",
                   "ideal.model=flat", "ideal.latency=3700ns", "ideal.bandwidth=200Gbps"}));
    EXPECT_EQ(s.code, 0) << s.err;
    return ends(dir / "out/ops.csv");
}

const char kPair[] = "num_ranks 2\n"
                     "rank 0 {\na: calc 1000\nb: send 1000b to 1 tag 7\nb requires a\n"
                     "c: calc 500\nc requires b\n}\n"
                     "rank 1 {\nx: recv 1000b from 0 tag 7\ny: calc 300\ny requires x\n}\n";

/* LogGOPS by hand: o = 200 ns at both ends, L = 3700 ns, 0.04 ns a byte. */
TEST(Goal, EagerAndRendezvous)
{
    auto e = play(kPair, {"goal.overhead=200ns", "goal.eager=1000B"});
    EXPECT_EQ(e["0:1:send overhead"], "1200.000");
    EXPECT_EQ(e["0:2:c"], "1700.000"); /* the cpu is free at 1200 */
    EXPECT_EQ(e["1:0:x"], "4940.000"); /* 1200 + 3700 + 40 */
    EXPECT_EQ(e["1:1:y"], "5440.000"); /* + 200 + 300 */
    e = play(kPair, {"goal.overhead=200ns", "goal.eager=999B"});
    EXPECT_EQ(e["0:2:c"], "5440.000"); /* delivered at 4940 */
    e = play(kPair, {"goal.overhead=200ns", "goal.byte-overhead=1ns", "goal.calc-scale=1us"});
    EXPECT_EQ(e["0:1:send overhead"], "1001199.000"); /* 1000 us + 200 + 999 */
}

/* irequires waits for the beginning: of a computation until its cpu takes it up, of a message until
 * its cpu has it, of a receive until it is posted. Each cpu does one thing at a time. */
TEST(Goal, BeginningsAndCpus)
{
    auto e = play("num_ranks 2\nrank 0 {\n"
                  "a: calc 100\nb: calc 1000\n"       /* cpu 0: 0..100, 100..1100 */
                  "c: calc 10 cpu 1\nc irequires b\n" /* 100..110 */
                  "d: calc 10 cpu 2\nd requires b\n"  /* 1100..1110 */
                  "s: send 1b to 1 cpu 1\n"           /* behind nothing: 0 */
                  "f: calc 5 cpu 3\nf irequires s\n"  /* 5 */
                  "}\nrank 1 {\n"
                  "w: calc 50\nr: recv 1b from 0\nr requires w\n"
                  "g: calc 7 cpu 1\ng irequires r\n" /* 57 */
                  "h: calc 7 cpu 1\nh requires r\n}\n");
    EXPECT_EQ(e["0:2:c"], "110.000");
    EXPECT_EQ(e["0:3:d"], "1110.000");
    EXPECT_EQ(e["0:5:f"], "5.000");
    EXPECT_EQ(e["1:2:g"], "57.000");
    EXPECT_EQ(e["1:3:h"], "3707.040");
}

/* A broadcast down a binomial tree of 32: five messages one after the other to the last rank. */
TEST(Goal, BinomialTree)
{
    std::string text = "num_ranks 32\n";
    for (int r = 0; r < 32; r++) {
        text += "rank " + std::to_string(r) + " {\n";
        int bit = 1;
        while (r && bit * 2 <= r)
            bit *= 2;
        if (r)
            text += "in: recv 100b from " + std::to_string(r - bit) + " tag 1\n";
        for (int b = r ? bit * 2 : 1; r + b < 32; b *= 2) {
            const std::string l = "s" + std::to_string(b);
            text += l + ": send 100b to " + std::to_string(r + b) + " tag 1\n";
            text += r ? l + " requires in\n" : "";
        }
        text += "}\n";
    }
    /* L + 4 ns on each of five ways */
    EXPECT_EQ(play(text)["31:0:in"], "18520.000");
    /* with o = 10: rank 31 = 1 + 2 + 4 + 8 + 16 hears first of each: 5 (2 o + L + 4) - o */
    EXPECT_EQ(play(text, {"goal.overhead=10ns"})["31:0:in"], "18610.000");
}

/* Each cpu does one thing at a time, each NIC sends one message at a time, two of each do two. */
TEST(Goal, NicsAndCpusSideBySide)
{
    const std::string head = "num_ranks 2\nrank 0 {\n", mid = "}\nrank 1 {\n";
    for (const char *second : {"", " cpu 1", " cpu 1 nic 1"}) {
        const std::string nic = strstr(second, "nic") ? " nic 1" : "";
        auto e = play(head + "a: send 25000b to 1 tag 1\nb: send 25000b to 1 tag 2" + second +
                          "\nc: send 0b to 1 tag 3 cpu 2" + nic + "\n" + mid +
                          "recv 25000b from 0 tag 1\nrecv 25000b from 0 tag 2\n"
                          "recv 0b from 0 tag 3\n}\n",
                      {"goal.overhead=100ns", "ideal.contention=source"});
        EXPECT_EQ(e["0:1:send overhead"], *second ? "100.000" : "200.000") << second;
        EXPECT_EQ(e["1:0:recv"], "4800.000"); /* 100 + 3700 + 1000 */
        EXPECT_EQ(e["1:1:recv"], nic.empty() ? "5800.000" : "4800.000") << second;
    }
}

/* A large message on NIC 0 and a small one of the same pair on NIC 1: each has its own order. */
TEST(Goal, NicsDoNotWaitForEachOther)
{
    const std::string text = "num_ranks 2\nrank 0 {\na: send 2500000b to 1 tag 1\n"
                             "b: send 25b to 1 tag 2 cpu 1 nic 1\nc: send 25b to 1 tag 3 cpu 2\n}\n"
                             "rank 1 {\nrecv 2500000b from 0 tag 1\nrecv 25b from 0 tag 2\n"
                             "recv 25b from 0 tag 3\n}\n";
    auto e = play(text, {"ideal.contention=source"});
    EXPECT_EQ(e["1:0:recv"], "103700.000"); /* 3700 + 100000 */
    EXPECT_EQ(e["1:1:recv"], "3701.000");
    EXPECT_EQ(e["1:2:recv"], "103701.000"); /* behind the first on NIC 0 */
}

/* Four NICs of a rank: on a host of one port they share it, which is said; on four ports, and as
 * hosts of their own as ATLAHS has them, they send side by side. */
TEST(Goal, NicsAsHosts)
{
    TempDir dir;
    std::string s = "num_ranks 3\nrank 0 {\n}\nrank 1 {\n", r = "}\nrank 2 {\n";
    for (int k = 0; k < 4; k++) {
        const std::string n = std::to_string(k),
                          end = " tag " + n + " cpu " + n + " nic " + n + "\n";
        s += "send 1048576b to 2" + end;
        r += "recv 1048576b from 1" + end;
    }
    write_file(dir / "s.goal", s + r + "}\n");
    const auto run = [&](const std::string &hosts, const std::vector<std::string> &more) {
        return weft(with_sets({"run", "-o", "out"}, more,
                              {"workload.type=goal", "goal.file=s.goal",
                               "topology.type=single-switch", "single-switch.hosts=" + hosts,
                               "single-switch.rate=400Gbps", "single-switch.delay=1us"}),
                    dir / "");
    };
    const auto flows = [&] {
        std::map<std::string, std::string> all; /* "src>dst": fct */
        std::istringstream in(slurp(dir / "out/flows.csv"));
        std::string line;
        for (std::getline(in, line); std::getline(in, line);) {
            std::istringstream cells(line);
            std::vector<std::string> c;
            for (std::string x; std::getline(cells, x, ',');)
                c.push_back(x);
            all[c[1] + ">" + c[2]] = c[7];
        }
        return all;
    };
    const std::string note = "rank 1 of workload 'goal' names NICs 0 to 3, but its host 1 has 1 "
                             "port, which they share; goal.nics-as-hosts=true";
    for (const char *hosts : {"3", "12"}) {
        const Said folded = run(hosts, {"network.backend=ideal"});
        EXPECT_EQ(folded.code, 0) << folded.err;
        EXPECT_CONTAINS(folded.err, note);
        EXPECT_EQ(flows().size(), 1u);
    }
    EXPECT_EQ(run("3", {"network.backend=ideal", "ideal.model=flat", "ideal.bandwidth=400Gbps",
                        "ideal.latency=1us"})
                  .err,
              "");
    for (const std::string backend : {"ideal", "packet"}) {
        if (backend == "packet" && !has_packet())
            continue;
        const Said own = run("12", {"network.backend=" + backend, "goal.nics-as-hosts=true"});
        EXPECT_EQ(own.code, 0) << own.err;
        EXPECT_EQ(own.err, "");
        EXPECT_CONTAINS(own.out, "16 of 16 operations done");
        const auto f = flows();
        EXPECT_EQ(f.size(), 4u);
        for (int k = 0; k < 4; k++) /* (rank, NIC) is host rank * 4 + NIC */
            EXPECT_EQ(f.count(std::to_string(4 + k) + ">" + std::to_string(8 + k)), 1u);
        EXPECT_EQ(f.begin()->second, f.rbegin()->second) << backend;
    }
    EXPECT_EQ(
        run("16", {"network.backend=ideal", "goal.nics-as-hosts=true", "workload.hosts=15,4-14"})
            .code,
        0);
    EXPECT_EQ(flows().count("8>12"), 1u); /* hosts 7 to 10, and 11 to 14 */
    EXPECT_EQ(flows().count("7>11"), 1u);
    const Said few = run("11", {"network.backend=ideal", "goal.nics-as-hosts=true"});
    EXPECT_EQ(few.code, 3);
    EXPECT_CONTAINS(few.err,
                    "the schedule has 3 ranks of 4 NICs, which are hosts, but there are 11 "
                    "hosts for them");
}

std::string text_of(const std::string &file)
{
    std::string all;
    std::istringstream in(slurp(file));
    for (std::string line; std::getline(in, line);)
        if (!line.empty())
            all += line + "\n";
    return all;
}

/* Every field comes back: by the binary form, and by traces. */
TEST(Goal, ThereAndBack)
{
    TempDir dir;
    const std::string text =
        "num_ranks 2\nrank 0 {\n"
        "l1: calc 1001 cpu 3\nl2: send 1000b to 1 tag 7 cpu 1 nic 1\nl3: calc 500\n"
        "l2 requires l1\nl3 requires l1\nl3 irequires l2\n}\n"
        "rank 1 {\nl1: recv 1000b from 0 tag 7\nl2: calc 300\nl2 irequires l1\n}\n";
    write_file(dir / "a.goal", text);
    const std::vector<std::vector<std::string>> steps = {
        {"a.goal", "b.bin"}, {"b.bin", "c.goal"}, {"c.goal", "d.bin"}, {"b.bin", "t"},
        {"t", "e.goal"},     {"a.goal", "u.gz"},  {"u", "f.bin"}};
    for (const auto &s : steps) {
        const Said said = weft({"trace", "convert", s[0], s[1]}, dir / "");
        ASSERT_EQ(said.code, 0) << s[0] << s[1] << said.err;
        if (s[1] == "t") {
            EXPECT_CONTAINS(said.err, "2 irequires: Chakra has none");
        }
    }
    for (const char *file : {"c.goal", "e.goal"})
        EXPECT_EQ(text_of(dir / file), text) << file;
    EXPECT_EQ(slurp(dir / "b.bin"), slurp(dir / "d.bin"));
    EXPECT_EQ(slurp(dir / "b.bin"), slurp(dir / "f.bin"));
    const std::string b = slurp(dir / "b.bin");
    EXPECT_EQ(b.substr(0, 14), std::string("\x7f\x10\0\0\0\0\0\0\2\0\0\0\3\1", 14));
    /* 8 head, 6 + 2 x 16; blocks 8 + 4 + 3 x 39 + 12 and 8 + 4 (one root) + 2 x 39 + 4 */
    EXPECT_EQ(b.size(), 8u + 38 + 141 + 94);
}

/* What a trace has and a schedule cannot say, and the other way round. */
TEST(Goal, TracesThatAreNoSchedules)
{
    TempDir dir;
    ASSERT_EQ(weft({"trace", "generate", "t", "--set", "ranks=2"}, dir / "").code, 0);
    Said s = weft({"trace", "convert", "t", "x.goal", "--set", "all-reduce=in-network"}, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "its algorithm needs a fabric");
    s = weft({"trace", "convert", "t", "x.goal", "--set", "all-reduced=ring"}, dir / "");
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "all-reduce");
    EXPECT_EQ(weft({"trace", "convert", "t", "u"}, dir / "").code, 0); // traces to traces
    EXPECT_EQ(weft({"trace", "diff", "t", "u"}, dir / "").code, 0);
}

/* Collectives become the messages of their algorithms: the schedule takes as long as the trace, to
 * the picosecond, where nothing waits for a CPU. */
TEST(Goal, CollectivesBecomeTheirMessages)
{
    const struct {
        std::vector<std::string> trace;
        std::vector<std::string> set;
    } cases[] = {
        {{"ranks=7", "kind=all-reduce", "count=2", "compute-time=3us"}, {}},
        {{"ranks=7", "kind=all-gather"}, {}},
        {{"ranks=7", "kind=reduce-scatter"}, {}},
        {{"ranks=7", "kind=all-to-all"}, {}},
        {{"ranks=7", "kind=broadcast"}, {}},
        {{"ranks=7", "kind=reduce"}, {}},
        {{"ranks=7", "kind=gather"}, {}},
        {{"ranks=7", "kind=scatter"}, {}},
        {{"ranks=7", "kind=barrier"}, {}},
        {{"ranks=8", "kind=all-reduce"}, {"all-reduce=halving-doubling"}},
        {{"ranks=8", "kind=all-reduce"}, {"all-reduce=double-binary-tree"}},
        {{"ranks=8", "kind=all-reduce"}, {"all-reduce=ring:channels=2", "reduce-bandwidth=1TB/s"}},
        {{"ranks=8", "pattern=data-parallel", "layers=3"}, {}},
    };
    const std::vector<std::string> net = {"topology.type=single-switch", "single-switch.hosts=8",
                                          "network.backend=ideal",       "ideal.model=flat",
                                          "ideal.latency=3700ns",        "ideal.bandwidth=200Gbps"};
    for (const auto &c : cases) {
        TempDir dir;
        std::vector<std::string> make = with_sets({"trace", "generate", "t"}, c.trace),
                                 to = with_sets({"trace", "convert", "t", "s.bin"}, c.set);
        std::vector<std::string> trace = {"run",   "-q",
                                          "-o",    "a",
                                          "--set", "workload.type=chakra",
                                          "--set", "chakra.path=t",
                                          "--set", "chakra." + c.trace[0],
                                          "--set", "system.chunks=1"};
        std::vector<std::string> schedule = with_sets(
            {"run", "-q", "-o", "b", "--set", "workload.type=goal", "--set", "goal.file=s.bin"},
            net);
        for (const char *plain :
             {"all-reduce=ring", "all-gather=ring", "reduce-scatter=ring", "all-to-all=direct",
              "broadcast=binomial", "reduce=binomial", "gather=binomial", "scatter=binomial"})
            trace.insert(trace.end(), {"--set", std::string("system.") + plain});
        for (const auto &s : c.set)
            trace.insert(trace.end(), {"--set", "system." + s});
        trace = with_sets(trace, net);
        for (const auto *run : {&make, &to, &trace, &schedule}) {
            const Said s = weft(*run, dir / "");
            ASSERT_EQ(s.code, 0) << c.trace[1] << s.err;
        }
        double last[2] = {0, 0};
        for (int k = 0; k < 2; k++)
            for (const auto &e : ends(dir / (k ? "b/ops.csv" : "a/ops.csv")))
                if (e.second != "end_ns")
                    last[k] = std::max(last[k], std::stod(e.second));
        EXPECT_GT(last[0], 0) << c.trace[1];
        /* computations of a schedule are whole nanoseconds */
        EXPECT_NEAR(last[1], last[0], c.set.size() > 1 ? 14.0 : 0.0005) << c.trace[1];
    }
}

/* A recv from any rank takes the first message that it can, in the order in which these come; one
 * that comes goes to the first recv posted that takes it. */
TEST(Goal, AnyRankAndAnyTag)
{
    const std::string text = "num_ranks 3\nrank 0 {\n"
                             "a: recv 1000b from -1 tag 7\n"
                             "b: recv 1000b from 1 tag -1\n"
                             "c: recv 1000b from -1 tag -1\n"
                             "w: calc 9000 cpu 1\n"
                             "d: recv 1000b from 2 tag -1\nd requires w\n"
                             "e: recv 5b from -1 tag 8\ne requires w\n}\n"
                             "rank 1 {\n"
                             "send 500b to 0 tag 3\n"                               /* 3720: b */
                             "x: calc 100\ny: send 250b to 0 tag 7\ny requires x\n" /* 3810: a */
                             "z: send 125b to 0 tag 8\nz requires y\n" /* last: e, at 9000 */
                             "}\nrank 2 {\n"
                             "x: calc 300\ny: send 25b to 0 tag 9\ny requires x\n" /* 4001: c */
                             "z: send 25b to 0 tag 1\nz requires y\n" /* 7702: d, at 9000 */
                             "}\n";
    auto e = play(text);
    EXPECT_EQ(e["0:0:a"], "3810.000");
    EXPECT_EQ(e["0:1:b"], "3720.000");
    EXPECT_EQ(e["0:2:c"], "4001.000");
    EXPECT_EQ(e["0:4:d"], "9000.000");
    EXPECT_EQ(e["0:5:e"], "9000.000");
    TempDir dir;
    write_file(dir / "w.goal", text);
    const std::vector<std::vector<std::string>> steps = {
        {"w.goal", "b.bin"}, {"b.bin", "t"}, {"t", "c.bin"}, {"c.bin", "d.goal"}};
    for (const auto &s : steps)
        ASSERT_EQ(weft({"trace", "convert", s[0], s[1]}, dir / "").code, 0) << s[1];
    EXPECT_EQ(slurp(dir / "b.bin"), slurp(dir / "c.bin"));
    EXPECT_CONTAINS(slurp(dir / "d.goal"), "recv 1000b from -1 tag -1");
    EXPECT_EQ(weft({"trace", "check", "t"}, dir / "").code, 0);
    Said s = weft({"run", "--no-out", "--set", "workload.type=goal", "--set",
                   "goal.file=" + dir / "w.goal", "--set", "topology.type=single-switch", "--set",
                   "system.rendezvous=1KiB"});
    EXPECT_EQ(s.code, 3);
    EXPECT_CONTAINS(s.err, "receives from any rank or with any tag, which system.rendezvous");
    write_file(dir / "w.goal", "num_ranks 2\nrank 0 {\nr: recv 1b from -1 tag 4\n}\n"
                               "rank 1 {\nsend 1b to 0 tag 5\n}\n");
    s = weft({"run", "--no-out", "--set", "workload.type=goal", "--set",
              "goal.file=" + dir / "w.goal", "--set", "topology.type=single-switch"});
    EXPECT_EQ(s.code, 1);
    EXPECT_CONTAINS(s.err, "waits in recv 'r' (node 0) for 1B from any rank with tag 4");
}

/* Sends to the own rank take no time, and nothing of the network. */
TEST(Goal, SendsToTheOwnRank)
{
    const std::string text = "num_ranks 2\nrank 0 {\n"
                             "a: calc 100\ns: send 8b to 0 tag 1\ns requires a\n"
                             "r: recv 8b from 0 tag 1\nc: calc 10 cpu 1\nc requires r\n"
                             "d: calc 5\nd requires s\n}\nrank 1 {\n}\n";
    auto e = play(text);
    EXPECT_EQ(e["0:1:s"], "100.000");
    EXPECT_EQ(e["0:2:r"], "100.000");
    EXPECT_EQ(e["0:3:c"], "110.000");
    EXPECT_EQ(e["0:4:d"], "105.000");
    e = play(text, {"system.rendezvous=1B", "goal.overhead=20ns"});
    EXPECT_EQ(e["0:2:r"], "120.000");
    EXPECT_EQ(e["0:3:c"], "150.000");
}

TEST(Goal, ErrorsHaveAPlace)
{
    TempDir dir;
    const std::string two = "num_ranks 2\nrank 0 {\n", end = "}\nrank 1 {\n}\n";
    const struct {
        std::string text;
        const char *what;
    } cases[] = {
        {"ranks 2\n", ":1:1: 'num_ranks' is missing"},
        {"num_ranks 2\nrank 1 {\n}\n", ":2:1: this is rank 1, but rank 0 must follow"},
        {"num_ranks 2\nrank 0 {\n}\n", ":4:1: the schedule ends before rank 1 of 2"},
        {two + "a: calc 1\na: calc 2\n" + end, ":4:1: the label 'a' is defined twice in rank 0, "
                                               "first in line 3"},
        {two + "a: calc 1\na requires b\n" + end, ":4:12: rank 0 has no label 'b'"},
        {two + "a: calc 1\nb: calc 1\na requires b\nb irequires a\n" + end,
         ":3:1: it waits, by requires and irequires, for itself"},
        {two + "send 4b to 2\n" + end, ":3:1: there is no rank 2; ranks are 0 to 1"},
        {two + "send 4k to 1\n" + end, ":3:7: the size is in bytes: a b is missing"},
        {two + "send 4b to 1 nic 1 port 2\n" + end, ":3:20: 'port' is not known here"},
        {two + "calc 4 nic 1\n" + end, ":3:8: 'nic' is not known here; there is cpu"},
        {two + "put 4b to 1\n" + end, ":3:1: 'put' belongs to the dialect of LogGOPSim 2"},
        {two + "send 4b to -1\n" + end, "3:12"},
        {two + "calc 99999999999999999999\n" + end, ":3:6: the time does not fit"},
        {two + "calc 4 5\n" + end, ":3:8: '5' is"},
    };
    for (const auto &c : cases) {
        write_file(dir / "s.goal", c.text);
        const Said s =
            weft({"run", "--no-out", "--set", "workload.type=goal", "--set",
                  "goal.file=" + dir / "s.goal", "--set", "topology.type=single-switch"});
        EXPECT_EQ(s.code, 3) << c.text;
        EXPECT_CONTAINS(s.err, c.what);
    }
    /* end marks of older generators mean nothing */
    write_file(dir / "s.goal", two + "send 0b to 9999999\n" + end);
    EXPECT_EQ(weft({"trace", "convert", "s.goal", "t.goal"}, dir / "").code, 0);
    EXPECT_CONTAINS(slurp(dir / "t.goal"), "calc 0\n");
}

} // namespace
