/* SPDX-License-Identifier: GPL-2.0-only */
/* Series over time: what they show is what was simulated, and showing it changes nothing. */
#include "series_runs.h"
#include "tests/series/unpacked.h"

#include <regex>
#include <jansson.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

namespace
{

const std::vector<std::string> everything = {"--set",
                                             "sample.what=queue,throughput,pause,buffer,qp,control",
                                             "--set", "sample.interval=7us"};

const std::vector<std::string> all_changes = {"--set", "sample.what=queue,pause,buffer,qp,control",
                                              "--set", "sample.on=change"};

/* With and without samples, each of these scenarios gives the same. */
class SeriesChange : public ::testing::TestWithParam<const char *>
{
};

TEST_P(SeriesChange, Nothing)
{
    TempDir dir;
    std::string scenario = GetParam();
    if (scenario.rfind("scenarios/", 0) == 0)
        scenario = source_dir() + "/" + scenario;
    else
        scenario = Incast(dir / "", scenario);
    if (lacks_ns3(scenario))
        GTEST_SKIP() << "needs ns-3";
    const std::string without = Play(dir, scenario, "without");
    const std::string with = Play(dir, scenario, "with", everything);
    const std::string changes = Play(dir, scenario, "changes", all_changes);
    size_t compared = 0;
    for (const auto &f : std::filesystem::directory_iterator(without)) {
        const std::string name = f.path().filename().string();
        if (f.path().extension() != ".csv")
            continue;
        EXPECT_EQ(slurp(f.path().string()), slurp(with + "/" + name)) << name;
        EXPECT_EQ(slurp(f.path().string()), slurp(changes + "/" + name)) << name;
        compared++;
    }
    EXPECT_GE(compared, 7u);
    EXPECT_EQ(Value(slurp(without + "/run.json"), "events"),
              Value(slurp(with + "/run.json"), "events"));
    EXPECT_NE(Value(slurp(without + "/run.json"), "events"), "");
    EXPECT_FALSE(std::filesystem::exists(without + "/series"));
}

INSTANTIATE_TEST_SUITE_P(Scenarios, SeriesChange,
                         ::testing::Values("", "<switch buffer='300KB'/>\n",
                                           "scenarios/tcp-incast32", "scenarios/allreduce-clos16"));

/* A 2:1 incast on links of 100 Gbps: the queue grows by what one more link brings. */
TEST(Series, TheQueueOfAnIncastGrowsByWhatComesInBeyondWhatLeaves)
{
    TempDir dir;
    const std::string out =
        Play(dir, Incast(dir / "", "<sample what='queue:s3-h0.p3,buffer'/>\n"), "out");
    const std::vector<Row> rows = Rows(out + "/series/queue.csv");
    /* 1 MB of payload take 1e6 / 4096 packets; a packet of 4096 B is 4158 B of frame and 4182 B on
     * the wire, so 10 us at 100 Gbps are 125,000 B of wire and 125000 / 4182 x 4158 B of queue. */
    const double step = 125000.0 / 4182 * 4158;
    ASSERT_GE(rows.size(), 16u);
    for (size_t i = 1; i < 7; i++) {
        EXPECT_EQ(rows[i].at("from"), "s3");
        EXPECT_EQ(rows[i].at("to"), "h0");
        EXPECT_EQ(rows[i].at("prio"), "3");
        EXPECT_NEAR(Number(rows[i], "t_ns"), 110000 + 10000.0 * (double)i, 1e-6);
        EXPECT_NEAR(Number(rows[i], "queue_bytes") - Number(rows[i - 1], "queue_bytes"), step,
                    2 * 4158)
            << i;
    }
    EXPECT_EQ(Number(rows.back(), "queue_bytes"), 0);
    /* The buffer holds what the queues of the switch hold. */
    const std::vector<Row> buffer = Rows(out + "/series/buffer.csv");
    ASSERT_EQ(buffer.size(), rows.size());
    for (size_t i = 0; i < rows.size(); i++)
        EXPECT_EQ(buffer[i].at("used_bytes"), rows[i].at("queue_bytes")) << i;
}

TEST(Series, TheirSumsAreTheTotals)
{
    TempDir dir;
    const std::string out =
        Play(dir, source_dir() + "/scenarios/allreduce-clos16", "out", everything);
    std::map<std::string, double> sent, paused, acked, bytes;
    std::map<std::string, double> before;
    for (const Row &row : Rows(out + "/series/throughput.csv")) {
        sent[row.at("port")] += Number(row, "tx_bytes");
        const double ns =
            8e9 * Number(row, "tx_bytes") / std::max(1.0, Number(row, "throughput_bps"));
        if (Number(row, "tx_bytes") > 1000) {
            EXPECT_LE(ns, 7000.1); /* one interval, or what is left of it at the end */
        }
    }
    for (const Row &row : Rows(out + "/links.csv"))
        EXPECT_EQ(sent[row.at("port")], Number(row, "tx_bytes")) << row.at("port");
    for (const Row &row : Rows(out + "/series/qp.csv"))
        acked[row.at("qpn")] += Number(row, "acked_bytes");
    for (const Row &row : Rows(out + "/flows.csv"))
        bytes[row.at("qpn")] += Number(row, "size_bytes");
    EXPECT_EQ(acked, bytes);
    EXPECT_GT(bytes.size(), 10u);
}

/* Pauses: the series of each priority against the moments of pfc.csv. A port is held from the end
 * of the packet that it is sending, at most one packet later than pfc.csv says. */
TEST(Series, PausesAddUp)
{
    TempDir dir;
    const std::string out = Play(
        dir, Incast(dir / "", "<switch buffer='300KB'/>\n<sample what='pause:h*.p3'/>\n"), "out");
    std::map<std::string, double> series, told, since;
    std::map<std::string, int> pauses;
    for (const Row &row : Rows(out + "/series/pause.csv"))
        series[row.at("port")] += Number(row, "paused_ns");
    for (const Row &row : Rows(out + "/pfc.csv")) {
        const std::string port = row.at("port");
        if (row.at("event") == "pause") {
            since[port] = Number(row, "t_ns");
            pauses[port]++;
        } else {
            told[port] += Number(row, "t_ns") - since[port];
        }
    }
    ASSERT_FALSE(told.empty());
    for (const auto &port : told) {
        EXPECT_LE(series[port.first], port.second);
        EXPECT_GT(series[port.first], port.second - 335.0 * pauses[port.first]);
    }
}

/* alpha by Zhu et al., SIGCOMM 2015: (1-g) alpha + g with a CNP, (1-g) alpha after each K without
 * one. In 10 us there is at most one of each (N = 50 us, K = 55 us). */
TEST(Series, AlphaFollowsThePaper)
{
    TempDir dir;
    const std::string out =
        Play(dir,
             Incast(dir / "",
                    "<ecn kmin='5KB' kmax='200KB'/>\n<sample what='alpha' interval='10us'/>\n"),
             "out",
             {"--set", "congestion-control.name=dcqcn", "--set", "dcqcn.alpha-timer=55us", "--set",
              "dcqcn.cnp-interval=50us", "--set", "incast.size=8MB"});
    const double g = 1.0 / 256;
    std::map<std::string, double> alpha, cnps;
    size_t decays = 0;
    for (const Row &row : Rows(out + "/series/control.csv")) {
        const std::string qpn = row.at("qpn");
        const double now = Number(row, "alpha"), a = alpha.count(qpn) ? alpha[qpn] : 1;
        const std::vector<std::pair<double, int>> ways = {{a, 0},
                                                          {(1 - g) * a, 0},
                                                          {(1 - g) * a + g, 1},
                                                          {(1 - g) * (1 - g) * a + g, 1},
                                                          {(1 - g) * ((1 - g) * a + g), 1}};
        int cnp = -1;
        for (const auto &way : ways)
            if (std::fabs(way.first - now) < 1.1e-6)
                cnp = std::max(cnp, way.second);
        EXPECT_GE(cnp, 0) << qpn << " at " << row.at("t_ns") << ": " << a << " to " << now;
        decays += cnp == 0 && now < a - 1e-6;
        if (a < 1) /* of 1 a CNP makes 1 */
            cnps[qpn] += cnp;
        alpha[qpn] = now;
    }
    EXPECT_GT(decays, 10u);
    for (const Row &row : Rows(out + "/flows.csv")) {
        EXPECT_GE(cnps[row.at("qpn")], 2);
        EXPECT_LE(cnps[row.at("qpn")], Number(row, "cnps"));
    }
}

TEST(Series, FlowsAndHostsAreChosen)
{
    TempDir dir;
    const std::string scenario = Incast(dir / "", "");
    const auto hosts = [&](const char *what) {
        const std::string out =
            Play(dir, scenario, "out", {"--set", std::string("sample.what=") + what});
        std::set<std::string> src;
        for (const Row &row : Rows(out + "/series/qp.csv"))
            src.insert(row.at("from"));
        return src;
    };
    using Set = std::set<std::string>;
    EXPECT_EQ(hosts("rate"), (Set{"1", "2"}));
    EXPECT_EQ(hosts("rate:flow 0"), Set{"1"});
    EXPECT_EQ(hosts("rtt:flow 1-7"), Set{"2"});
    EXPECT_EQ(hosts("cwnd:h2-h0"), Set{"2"});
    EXPECT_EQ(hosts("window:h[12].p3"), (Set{"1", "2"}));
    EXPECT_EQ(hosts("in-flight:h0"), Set{});
    EXPECT_EQ(hosts("goodput:qp 2"), Set{"1"});
}

/* Round-trip times by hand: the first data packet meets nobody: there 2 x 334.56 + 2 x 1000 ns,
 * the ACK (84 B frame, 108 B with preamble and gap) back. */
TEST(Series, TheFirstRoundTripIsThatOfAnEmptyFabric)
{
    TempDir dir;
    const std::string out = Play(dir, Incast(dir / "", ""), "out",
                                 {"--set", "sample.what=rtt", "--set", "sample.interval=100ns",
                                  "--set", "incast.degree=1", "--set", "incast.ranks=2"});
    for (const Row &row : Rows(out + "/series/qp.csv"))
        if (!row.at("rtt_ns").empty()) {
            EXPECT_NEAR(Number(row, "rtt_ns"), 4 * 1000 + 2 * 4182 * 0.08, 20);
            return;
        }
    FAIL() << "no round-trip time";
}

TEST(Series, WhatDoesNotExistIsRefused)
{
    TempDir dir;
    const std::string scenario = Incast(dir / "", "<sample what='queue:s9.p3'/>\n");
    Said said = weft({"check", scenario});
    EXPECT_EQ(said.code, 3);
    EXPECT_NE(said.err.find("scenario.xml:5:9: sample.what: 'queue:s9.p3' matches no port; there "
                            "are hosts h0 to h2 and switches s3 to s3"),
              std::string::npos)
        << said.err;
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"que", "did you mean 'queue'?"},
        {"alfa", "unknown quantity 'alfa'"},
        {"gradient", "unknown quantity 'gradient'"},
        {"queue:s3.p8", "'.p8' is no priority"},
        {"queue:", "nothing follows the colon"},
        {"rate:h7", "there are h0 to h2"},
        {"rate:flow x", "rate:flow x"},
        {"buffer:h0", "matches no node with a packet buffer"}};
    for (const auto &c : cases) {
        said = weft({"check", scenario, "--set", "sample.what=" + c.first});
        EXPECT_EQ(said.code, 3) << c.first;
        EXPECT_NE(said.err.find(c.second), std::string::npos) << said.err;
    }
    said =
        weft({"check", scenario, "--set", "sample.what=queue", "--set", "network.backend=ideal"});
    EXPECT_EQ(said.code, 3);
    EXPECT_NE(said.err.find("has no queues and no packets"), std::string::npos) << said.err;
    said = weft({"run", scenario, "--set", "sample.what=queue", "--no-out"});
    EXPECT_EQ(said.code, 3);
    EXPECT_NE(said.err.find("sample.what needs a run folder"), std::string::npos) << said.err;
    said = weft({"check", scenario, "--set", "sample.what=", "--set", "sample.interval=1us"});
    EXPECT_EQ(said.code, 0);
    EXPECT_NE(said.err.find("sample.interval: has no effect"), std::string::npos) << said.err;
}

/* The next run into the folder removes them. */
TEST(Series, AnEarlierRunsAreRemoved)
{
    TempDir dir;
    const std::string scenario = Incast(dir / "", "");
    const std::string out = Play(dir, scenario, "out", {"--set", "sample.what=queue"});
    EXPECT_TRUE(std::filesystem::exists(out + "/series/queue.csv"));
    Play(dir, scenario, "out");
    EXPECT_FALSE(std::filesystem::exists(out + "/series"));
}

/* The bins of a queue are all of the run, and what they say is what a fine series says. */
TEST(Series, TheHistogramIsTheQueueOverTime)
{
    TempDir dir;
    const std::string scenario = Incast(dir / "", "");
    const std::string without = Play(dir, scenario, "without");
    const std::string out = Play(dir, scenario, "out",
                                 {"--set", "sample.what=queue-histogram,queue:s3-h0.p3,throughput",
                                  "--set", "sample.interval=20ns"});
    EXPECT_EQ(slurp(without + "/flows.csv"), slurp(out + "/flows.csv"));
    EXPECT_EQ(slurp(without + "/links.csv"), slurp(out + "/links.csv"));
    EXPECT_EQ(Value(slurp(without + "/run.json"), "events"),
              Value(slurp(out + "/run.json"), "events"));
    const double end_ns = Number(Rows(out + "/series/throughput.csv").back(), "t_ns");
    double sum = 0, largest = 0, empty = 0;
    std::map<double, double> exact, sampled;
    for (const Row &row : Rows(out + "/series/queue_histogram.csv")) {
        if (row.at("to") != "h0" || row.at("prio") != "3")
            continue;
        const double from = Number(row, "from_bytes"), to = Number(row, "to_bytes");
        EXPECT_LE(to - from, std::max(64.0, from / 8));
        sum += Number(row, "time_ns");
        empty = from == 0 ? Number(row, "time_ns") : empty;
        largest = to;
        exact[to] = Number(row, "time_ns");
    }
    /* The run ends less than a round trip after the last packet left. */
    EXPECT_GE(sum, end_ns);
    EXPECT_LE(sum, end_ns + 5000);
    EXPECT_GT(empty, 99e3); /* the incast begins after 100 us */
    for (const Row &row : Rows(out + "/series/queue.csv"))
        if (Number(row, "queue_bytes") > 0)
            sampled[exact.lower_bound(Number(row, "queue_bytes"))->first] += 20;
    for (const auto &bin : exact)
        if (bin.first > 0) {
            EXPECT_NEAR(sampled[bin.first], bin.second, 0.02 * bin.second + 400) << bin.first;
        }
    for (const Row &row : Rows(out + "/links.csv"))
        if (row.at("from") == "s3" && row.at("to") == "h0") {
            EXPECT_LE(Number(row, "max_queue_bytes"), largest);
            EXPECT_GE(Number(row, "max_queue_bytes"), largest * 8 / 9 - 64);
        }
}

/* Counters of the timeline are the rows of the tables. */
TEST(Series, TheTimelineHasThemAsCounters)
{
    TempDir dir;
    const std::string out = Play(dir, Incast(dir / "", "<sample what='queue,rtt'/>\n"), "out");
    const Said said = weft({"timeline", out});
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_NE(said.out.find("counters of 3 ports, buffers and queue pairs"), std::string::npos)
        << said.out;
    json_error_t e;
    json_t *root = json_load_file((out + "/timeline.json").c_str(), 0, &e);
    ASSERT_TRUE(root) << e.text;
    std::vector<std::pair<double, double>> queue;
    std::map<std::string, size_t> names;
    std::map<long long, std::string> processes;
    size_t i;
    const json_t *v;
    json_array_foreach(json_object_get(root, "traceEvents"), i, v)
    {
        const std::string phase = json_string_value(json_object_get(v, "ph")),
                          name = json_string_value(json_object_get(v, "name"));
        const long long pid = json_integer_value(json_object_get(v, "pid"));
        if (name == "process_name")
            processes[pid] = json_string_value(json_object_get(json_object_get(v, "args"), "name"));
        if (phase != "C")
            continue;
        names[processes[pid] + ": " + name]++;
        if (name == "s3-h0.p3 queue_bytes")
            queue.emplace_back(
                json_number_value(json_object_get(v, "ts")),
                json_number_value(json_object_get(json_object_get(v, "args"), "value")));
    }
    json_decref(root);
    const std::vector<Row> rows = Rows(out + "/series/queue.csv");
    ASSERT_EQ(queue.size(), rows.size());
    for (size_t k = 0; k < rows.size(); k++) {
        EXPECT_DOUBLE_EQ(queue[k].first, Number(rows[k], "t_ns") / 1000);
        EXPECT_EQ(queue[k].second, Number(rows[k], "queue_bytes"));
    }
    EXPECT_EQ(names.count("queues: s3-h0.p3 queue_bytes"), 1u);
    EXPECT_EQ(names.count("queue pairs: h1-h0.p3 qp 2 rtt_ns"), 1u);
    EXPECT_EQ(names.count("queue pairs: h2-h0.p3 qp 3 in_flight_bytes"), 1u);
    EXPECT_EQ(names.count("queue pairs: h1-h0.p3 qp 2 acked_bytes"), 0u);
}

/* 65,536 hosts, 1,040 switches, 163,840 ports: memory follows the ports that are chosen, some 150
 * bytes each, and not how many samples are taken of them. */
TEST(Series, OnALargeFabricMemoryFollowsWhatIsChosen)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "its allocator has memory of its own";
#endif
    TempDir dir;
    const std::string scenario = Incast(dir / "", "<switch buffer='1GiB'/>\n");
    const auto peak_bytes = [&](const std::vector<std::string> &more) {
        std::vector<std::string> args = {
            "--set",  "topology.type=leaf-spine", "--set", "leaf-spine.leaves=1024",
            "--set",  "leaf-spine.spines=16",     "--set", "leaf-spine.hosts-per-leaf=64",
            "--set",  "incast.degree=32",         "--set", "incast.size=64KB",
            "--quiet"};
        args.insert(args.end(), more.begin(), more.end());
        const std::string run = slurp(Play(dir, scenario, "out", args) + "/run.json");
        return std::stod(Value(run, "peak_rss_bytes").substr(strlen("\"peak_rss_bytes\":")));
    };
    const double none = peak_bytes({});
    const std::string chosen =
        "sample.what=queue:s65536-h*,throughput:h[0-9]-s65536,pause:s6656?,buffer:s65536,rate";
    const double few = peak_bytes({"--set", chosen, "--set", "sample.interval=50ns"});
    EXPECT_GT(Rows(dir / "out/series/queue.csv").size(), 500u);
    EXPECT_LT(few - none, 10e6);
    const double all = peak_bytes({"--set", "sample.what=queue,throughput,pause,buffer,rate"});
    EXPECT_GT(Rows(dir / "out/series/throughput.csv").size(), 100u);
    EXPECT_LT(all - none, 163840 * 200.0);
}

/* Packed tables hold the same, and who reads tables does not notice. */
TEST(Series, PackedTheyAreTheSame)
{
    TempDir dir;
    const std::string scenario = Incast(dir / "", "<sample what='queue,rate,buffer'/>\n");
    const auto plot = [](const std::string &out, const char *kind) {
        const Said said = weft({"plot", out, kind, "--to", "csv", "--out", "-"});
        EXPECT_EQ(said.code, 0) << said.err;
        return said.out;
    };
    const auto timeline = [](const std::string &out) {
        EXPECT_EQ(weft({"timeline", out}).code, 0);
        return slurp(out + "/timeline.json");
    };
    const std::string plain = Play(dir, scenario, "plain", {"--set", "output.compress=none"});
    for (const char *how : {"compress=zstd", "compress-above=200B"}) {
        const std::string packed =
            Play(dir, scenario, "packed", {"--set", std::string("output.") + how});
        for (const char *table : {"/series/queue.csv", "/series/qp.csv", "/series/buffer.csv"}) {
            EXPECT_FALSE(std::filesystem::exists(packed + table)) << table;
            EXPECT_EQ(unpacked(packed + table + ".zst"), slurp(plain + table)) << table;
        }
        for (const char *table : {"/flows.csv", "/links.csv"}) {
            EXPECT_FALSE(std::filesystem::exists(packed + table)) << table;
            EXPECT_EQ(unpacked(packed + table + ".zst"), slurp(plain + table)) << table;
        }
        for (const char *kind : {"queue", "rate", "buffer", "slowdown", "links"})
            EXPECT_EQ(plot(packed, kind), plot(plain, kind));
        EXPECT_EQ(std::regex_replace(weft({"fct", packed, "--to", "csv"}).out, std::regex("packed"),
                                     "plain"),
                  weft({"fct", plain, "--to", "csv"}).out);
        EXPECT_EQ(timeline(packed), timeline(plain));
        EXPECT_EQ(weft({"report", packed, "--out", dir / "report.html"}).code, 0);
    }
    const std::string now = Play(dir, scenario, "packed");
    EXPECT_FALSE(std::filesystem::exists(now + "/series/queue.csv.zst")) << "of the run before";
    EXPECT_TRUE(std::filesystem::exists(now + "/series/queue.csv"));
    EXPECT_FALSE(std::filesystem::exists(now + "/flows.csv.zst")) << "of the run before";
}

/* The tables that are asked for are the same as without the choice, the others are not there. */
TEST(Series, TablesAreChosen)
{
    TempDir dir;
    const std::string scenario = Incast(dir / "", "");
    const std::string all = Play(dir, scenario, "all");
    const std::string some =
        Play(dir, scenario, "some", {"--set", "output.tables=flows,dimensions"});
    const std::string none = Play(dir, scenario, "none", {"--set", "output.tables=none"});
    for (const char *table : {"/flows.csv", "/dimensions.csv"}) {
        EXPECT_EQ(slurp(some + table), slurp(all + table));
        EXPECT_FALSE(std::filesystem::exists(none + table)) << table;
    }
    for (const char *table : {"/links.csv", "/jobs.csv", "/classes.csv", "/ranks.csv"}) {
        EXPECT_TRUE(std::filesystem::exists(all + table)) << table;
        EXPECT_FALSE(std::filesystem::exists(some + table)) << table;
    }
    EXPECT_TRUE(std::filesystem::exists(none + "/finished"));
    EXPECT_EQ(weft({"report", none, "--out", dir / "report.html"}).code, 0);
    const Said wrong = weft({"check", scenario, "--set", "output.tables=flow"});
    EXPECT_EQ(wrong.code, 3);
    EXPECT_CONTAINS(wrong.err, "flows");
}

TEST(Series, AKillLeavesPackedRows)
{
    TempDir dir;
    const std::string scenario =
        Incast(dir / "", "<sample what='throughput' interval='1ns'/><output compress='zstd'/>\n");
    const std::string table = dir / "out/series/throughput.csv.zst";
    const pid_t pid =
        start({"run", scenario, "--quiet", "-o", dir / "out", "--set", "incast.size=1GB"}, "/",
              dir / "said");
    for (int i = 0; i < 4000; i++) {
        std::error_code none;
        if (std::filesystem::exists(table, none) &&
            std::filesystem::file_size(table, none) > 100000)
            break;
        usleep(5000);
    }
    kill(pid, SIGKILL);
    EXPECT_EQ(wait_for(pid, dir / "said").code, 1000 + SIGKILL);
    bool whole = false;
    const std::string text = unpacked(table, &whole);
    EXPECT_TRUE(whole);
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 10000);
    const Said said = weft({"plot", dir / "out", "link-throughput", "--to", "csv", "--out", "-"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_GT(std::count(said.out.begin(), said.out.end(), '\n'), 500);
}

/* A kill leaves whole rows. */
TEST(Series, AKillLeavesWholeRows)
{
    TempDir dir;
    const std::string scenario =
        Incast(dir / "", "<sample what='throughput,queue' interval='1ns'/>\n");
    const std::string queue = dir / "out/series/throughput.csv";
    const pid_t pid =
        start({"run", scenario, "--quiet", "-o", dir / "out", "--set", "incast.size=100MB"}, "/",
              dir / "said");
    for (int i = 0; i < 2000; i++) {
        std::error_code none;
        if (std::filesystem::exists(queue, none) &&
            std::filesystem::file_size(queue, none) > 300000)
            break;
        usleep(5000);
    }
    kill(pid, SIGKILL);
    EXPECT_EQ(wait_for(pid, dir / "said").code, 1000 + SIGKILL);
    const std::string text = slurp(queue);
    ASSERT_GT(text.size(), 300000u);
    /* a write that the kernel ends because of the kill ends with a page */
    EXPECT_TRUE(text.back() == '\n' || text.size() % 4096 == 0) << text.size();
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 1000);
}

/* Queues that a packet enters and leaves at once have no rows, whether or not captures have ports
 * play every packet by itself. */
TEST(Series, HistogramsBesideCaptures)
{
    if (!has_packet())
        GTEST_SKIP() << "needs the packet backend";
    TempDir dir;
    std::vector<std::string> what = {"run",
                                     "--set",
                                     "topology.type=leaf-spine",
                                     "--set",
                                     "workload.type=generate",
                                     "--set",
                                     "generate.kind=broadcast",
                                     "--set",
                                     "generate.size=20KB",
                                     "--set",
                                     "sample.what=queue-histogram",
                                     "--out",
                                     dir / "plain"};
    EXPECT_EQ(weft(what).code, 0);
    what.back() = dir / "captured";
    what.insert(what.end(), {"--set", "capture.links=all"});
    EXPECT_EQ(weft(what).code, 0);
    EXPECT_EQ(slurp(dir / "plain/series/queue_histogram.csv"),
              slurp(dir / "captured/series/queue_histogram.csv"));
}

} // namespace
