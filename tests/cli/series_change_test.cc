/* SPDX-License-Identifier: GPL-2.0-only */
/* Series on change: each row by hand, and their sums against what the run counted itself. */
#include "series_runs.h"

#include <algorithm>

namespace
{

/* At 100 Gbps a byte takes 80 ps. 4096 B of payload are a frame of 4158 B and, with preamble and
 * gap, 4178 B on the wire. */
const int64_t packet_ps = 4178 * 80;
const double frame = 4158;

int64_t Ps(const Row &row, const char *column = "t_ns")
{
    return std::llround(Number(row, column) * 1000);
}

std::string Changes(const TempDir &dir, const std::string &what,
                    const std::vector<std::string> &more, const std::string &elements = "")
{
    std::vector<std::string> args = {"--set", "sample.on=change", "--set", "sample.what=" + what};
    args.insert(args.end(), more.begin(), more.end());
    return Play(dir, Incast(dir / "", elements), "out", args);
}

/* Both hosts begin at 100 us. Packet k of each arrives at the switch k packet times and 1 us later;
 * one of the two goes on at once, or when the one before has left. So k packets wait after arrival
 * k, up to all 16 of one host; then one fewer after each packet time. */
TEST(SeriesOnChange, AnIncastOfTwoStepByStep)
{
    TempDir dir;
    const std::string out = Changes(dir, "queue:s3-h0.p3,buffer", {"--set", "incast.size=64KiB"});
    const std::vector<Row> rows = Rows(out + "/series/queue.csv");
    ASSERT_EQ(rows.size(), 32u);
    for (int k = 1; k <= 32; k++) {
        const Row &row = rows[(size_t)k - 1];
        EXPECT_EQ(Ps(row), 100000000 + 1000000 + k * packet_ps) << k;
        EXPECT_EQ(Number(row, "queue_bytes"), frame * std::min(k, 32 - k)) << k;
        EXPECT_EQ(row.at("from") + "-" + row.at("to"), "s3-h0");
    }
    const std::vector<Row> buffer = Rows(out + "/series/buffer.csv");
    ASSERT_EQ(buffer.size(), rows.size());
    for (size_t i = 0; i < rows.size(); i++) {
        EXPECT_EQ(buffer[i].at("t_ns"), rows[i].at("t_ns"));
        EXPECT_EQ(buffer[i].at("used_bytes"), rows[i].at("queue_bytes"));
    }
}

/* How long a queue held how much, by the rows, is its histogram to the picosecond; also of a run
 * that is cut while packets wait, whose last row is at its end. */
TEST(SeriesOnChange, WeightedByTimeQueuesAreTheirHistograms)
{
    for (const char *until : {"0ps", "130.0007us"}) {
        TempDir dir;
        const Said said = weft(
            {"run", Incast(dir / "", "<ecn kmin='5KB' kmax='200KB'/>\n"), "--quiet", "-o",
             dir / "out", "--set", "sample.on=change", "--set", "sample.what=queue,queue-histogram",
             "--set", std::string("run.until=") + until, "--set", "congestion-control.name=dcqcn"});
        ASSERT_EQ(said.code, until[0] == '0' ? 0 : 1) << said.err;
        using Queue = std::pair<std::string, std::string>;
        std::map<Queue, std::vector<Row>> bins;
        std::map<Queue, std::pair<int64_t, double>> now;
        std::map<Queue, std::vector<int64_t>> held;
        for (const Row &row : Rows(dir / "out/series/queue_histogram.csv"))
            bins[{row.at("port"), row.at("prio")}].push_back(row);
        for (auto &queue : bins)
            held[queue.first].resize(queue.second.size());
        for (const Row &row : Rows(dir / "out/series/queue.csv")) {
            const Queue q = {row.at("port"), row.at("prio")};
            for (size_t i = 0; i < held[q].size(); i++)
                if (now[q].second >= Number(bins[q][i], "from_bytes") &&
                    now[q].second <= Number(bins[q][i], "to_bytes"))
                    held[q][i] += Ps(row) - now[q].first;
            now[q] = {Ps(row), Number(row, "queue_bytes")};
        }
        size_t compared = 0;
        for (const auto &queue : bins)
            for (size_t i = 0; i < queue.second.size(); i++) {
                const Row &bin = queue.second[i];
                if (Number(bin, "to_bytes") == 0 && now[queue.first].second == 0)
                    EXPECT_LE(held[queue.first][i], Ps(bin, "time_ns")); /* and until the end */
                else
                    EXPECT_EQ(held[queue.first][i], Ps(bin, "time_ns"))
                        << queue.first.first << " " << bin.at("from_bytes");
                compared++;
            }
        EXPECT_GT(compared, 30u);
    }
}

/* What is paused is paused as long as links.csv counts. */
TEST(SeriesOnChange, PausesAddUpToThoseOfLinks)
{
    struct {
        const char *elements;
        std::vector<std::string> more;
    } const cases[] = {
        {"<switch buffer='300KB'/>\n", {}},
        {"",
         {"--set", "topology.type=multi", "--set",
          "multi.dimensions=switch size=3 rate=100Gbps delay=1us flow-control=credit", "--set",
          "credit.buffer=32KiB"}}};
    for (const auto &c : cases) {
        TempDir dir;
        const std::string out = Changes(dir, "pause", c.more, c.elements);
        std::map<std::string, int64_t> paused;
        std::map<std::string, std::string> state;
        for (const Row &row : Rows(out + "/series/pause.csv")) {
            EXPECT_NE(state[row.at("port")], row.at("paused"));
            state[row.at("port")] = row.at("paused");
            paused[row.at("port")] += Ps(row, "paused_ns");
        }
        size_t some = 0;
        for (const Row &row : Rows(out + "/links.csv")) {
            EXPECT_EQ(paused[row.at("port")], Ps(row, "pause_ns")) << row.at("port");
            some += Ps(row, "pause_ns") > 0;
        }
        EXPECT_GE(some, 2u) << c.elements;
    }
}

/* DCQCN by hand: alpha begins at 1, so that the first cut is to one half, and the target is what
 * the rate was. */
TEST(SeriesOnChange, RatesAndTheInsideOfTheControl)
{
    TempDir dir;
    const std::string out =
        Changes(dir, "rate,control",
                {"--set", "congestion-control.name=dcqcn", "--set", "incast.size=256KiB"},
                "<ecn kmin='5KB' kmax='200KB'/>\n");
    std::map<std::string, std::vector<Row>> rates;
    std::map<std::string, double> acked, bytes;
    for (const Row &row : Rows(out + "/series/qp.csv")) {
        rates[row.at("qpn")].push_back(row);
        acked[row.at("qpn")] += Number(row, "acked_bytes");
    }
    ASSERT_EQ(rates.size(), 2u);
    for (const auto &qp : rates) {
        const std::vector<Row> &r = qp.second;
        ASSERT_GE(r.size(), 3u);
        EXPECT_EQ(Ps(r[0]), 100000000);
        EXPECT_EQ(r[0].at("rate_bps"), "100000000000");
        EXPECT_EQ(r[1].at("rate_bps"), "50000000000");
        for (size_t i = 1; i + 1 < r.size(); i++)
            EXPECT_NE(r[i].at("rate_bps"), r[i - 1].at("rate_bps"));
        for (size_t i = 1; i < r.size(); i++)
            EXPECT_NEAR(Number(r[i], "goodput_bps") * (double)(Ps(r[i]) - Ps(r[i - 1])),
                        8e12 * Number(r[i], "acked_bytes"), (double)(Ps(r[i]) - Ps(r[i - 1])));
    }
    for (const Row &row : Rows(out + "/flows.csv"))
        bytes[row.at("qpn")] += Number(row, "size_bytes");
    EXPECT_EQ(acked, bytes);
    for (const Row &row : Rows(out + "/series/control.csv"))
        EXPECT_EQ(row.at("target_rate_bps"), "100000000000");
    EXPECT_GE(Rows(out + "/series/control.csv").size(), 4u);
}

/* Windows of TCP move between those that tcp_connections.csv tells of. */
TEST(SeriesOnChange, WindowsOfTcp)
{
    if (!has_ns3())
        GTEST_SKIP() << "needs ns-3";
    TempDir dir;
    const std::string out = Play(dir, source_dir() + "/scenarios/tcp-incast32", "out",
                                 {"--set", "sample.what=cwnd:h1-h0", "--set", "sample.on=change"});
    double least = 1e18, most = 0, acked = 0;
    for (const Row &row : Rows(out + "/series/qp.csv")) {
        least = std::min(least, Number(row, "window_bytes"));
        most = std::max(most, Number(row, "window_bytes"));
        acked += Number(row, "acked_bytes");
    }
    size_t found = 0;
    for (const Row &row : Rows(out + "/tcp_connections.csv"))
        if (row.at("from") == "1" && row.at("to") == "0") {
            EXPECT_EQ(least, Number(row, "cwnd_min_bytes"));
            EXPECT_EQ(most, Number(row, "cwnd_max_bytes"));
            EXPECT_EQ(acked, Number(row, "bytes"));
            found++;
        }
    EXPECT_EQ(found, 1u);
}

// Beside TCP the engine's messages have numbers of their own: what a QP reports while it is given
// one is under that of the run.
TEST(SeriesOnChange, OneFlowBesideTcp)
{
    TempDir dir;
    if (!has_ns3())
        GTEST_SKIP() << "no ns-3";
    const Said said =
        weft(with_sets({"run", "--quiet", "--out", dir / "out"},
                       {"topology.type=single-switch", "single-switch.hosts=6",
                        "workload.type=generate", "generate.kind=scatter", "generate.size=4KiB",
                        "tcp.prios=160", "sample.on=change", "sample.what=rate:flow 1"}));
    ASSERT_EQ(said.code, 0) << said.err;
    const auto rows = cells(dir / "out/series/qp.csv");
    ASSERT_GT(rows.size(), 1u);
    for (size_t i = 1; i < rows.size(); i++)
        EXPECT_EQ(rows[i][2] + " to " + rows[i][3], "0 to 2") << "row " << i;
}

TEST(SeriesOnChange, WhatHasNoMomentsIsRefused)
{
    TempDir dir;
    const std::string scenario = Incast(dir / "", "<sample what='queue' on='change'/>\n");
    for (const char *what : {"throughput", "rtt", "in-flight:flow 0", "goodput"}) {
        const Said said = weft({"check", scenario, "--set", std::string("sample.what=") + what});
        EXPECT_EQ(said.code, 3) << what;
        EXPECT_NE(said.err.find("has no moments of change"), std::string::npos) << said.err;
        EXPECT_NE(said.err.find("queue, queue-histogram, buffer, pause, qp, rate, window, cwnd"),
                  std::string::npos)
            << said.err;
    }
    Said said = weft({"check", scenario, "--set", "sample.what=queue:h1"});
    EXPECT_EQ(said.code, 3);
    EXPECT_NE(said.err.find("matches no port of a switch"), std::string::npos) << said.err;
    said = weft({"check", scenario, "--set", "sample.interval=3us"});
    EXPECT_EQ(said.code, 0);
    EXPECT_NE(said.err.find("sample.interval: has no effect: sample.on is change"),
              std::string::npos)
        << said.err;
}

} // namespace
