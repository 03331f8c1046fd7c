// SPDX-License-Identifier: GPL-2.0-only
#include "fake_net.h"
#include "tests/base/temp_dir.h"

#include <cmath>
#include <set>

namespace
{

TEST(Summary, PercentilesAreNearestRank)
{
    FakeNet net;
    weft_report_config c = {nullptr, net.fabric, nullptr};
    weft_err err = {};
    weft_report *r = weft_report_new(&c, &err);
    ASSERT_NE(r, nullptr);
    /* FCTs 200, 199, ..., 1 ps with ideal 1 ps each: slowdowns 200 ... 1. */
    for (int i = 200; i >= 1; i--)
        flow(r, (uint64_t)(200 - i), 1000, i, 1);
    weft_summary s;
    weft_report_summarize(r, &net.net, nullptr, 0, &s);
    EXPECT_EQ(s.messages, 200u);
    EXPECT_EQ(s.message_bytes, 200000u);
    EXPECT_EQ(s.fct_p50_ps, 100); /* number ceil(0.50 * 200) = 100 of 1 ... 200 */
    EXPECT_EQ(s.fct_p99_ps, 198);
    EXPECT_EQ(s.fct_max_ps, 200);
    EXPECT_EQ(s.slowdown_p50, 100);
    EXPECT_EQ(s.slowdown_max, 200);
    EXPECT_EQ(s.elapsed_ps, 1000 + 200 + 100); /* the last acknowledgement */
    weft_report_free(r);
}

TEST(Summary, OneMessageIsEveryPercentileAndNoneIsNaN)
{
    FakeNet net;
    weft_report_config c = {nullptr, net.fabric, nullptr};
    weft_err err = {};
    weft_summary s;
    weft_report *none = weft_report_new(&c, &err);
    weft_report_summarize(none, &net.net, nullptr, 0, &s);
    EXPECT_EQ(s.messages, 0u);
    EXPECT_TRUE(std::isnan(s.slowdown_p50));
    EXPECT_EQ(s.ntop, 0u);
    weft_report_free(none);
    weft_report *one = weft_report_new(&c, &err);
    flow(one, 0, 0, 30, 20);
    weft_report_summarize(one, &net.net, nullptr, 0, &s);
    EXPECT_EQ(s.fct_p50_ps, 30);
    EXPECT_EQ(s.fct_p99_ps, 30);
    EXPECT_EQ(s.slowdown_p99, 1.5);
    weft_report_free(one);
}

TEST(Summary, BusiestLinksInOrderAndTheirShareOfElapsed)
{
    FakeNet net;
    weft_report_config c = {nullptr, net.fabric, nullptr};
    weft_err err = {};
    weft_report *r = weft_report_new(&c, &err);
    flow(r, 0, 0, 900, 900); /* elapsed 1000 */
    net.ports[0].busy_ps = 250;
    net.ports[1].busy_ps = 500;
    net.ports[2].busy_ps = 250;
    net.ports[3].busy_ps = 750;
    net.ports[1].max_queue_bytes = 77; /* of a host */
    net.ports[3].max_queue_bytes = 60;
    net.ports[0].paused_ps = 3;
    net.ports[2].paused_ps = 4;
    net.totals.drops[WEFT_DROP_BUFFER] = 1;
    net.totals.drops[WEFT_DROP_ERROR] = 2;
    weft_summary s;
    weft_report_summarize(r, &net.net, nullptr, 0, &s);
    ASSERT_EQ(s.ntop, 3u);
    EXPECT_EQ(s.top[0].port, 3u);
    EXPECT_EQ(s.top[0].utilisation, 0.75);
    EXPECT_EQ(s.top[1].port, 1u);
    EXPECT_EQ(s.top[2].port, 0u); /* as busy as port 2, but the lower number */
    EXPECT_EQ(s.link_utilisation_max, 0.75);
    EXPECT_EQ(s.max_queue_bytes, 77u);
    EXPECT_EQ(s.max_queue_port, 1u);
    EXPECT_EQ(s.max_switch_queue_bytes, 60u);
    EXPECT_EQ(s.pause_ps, 7);
    EXPECT_EQ(s.drops, 3u);
    weft_report_summarize(r, &net.net, nullptr, 2000, &s); /* ended at a limit */
    EXPECT_EQ(s.elapsed_ps, 2000);
    EXPECT_EQ(s.top[0].utilisation, 0.375);
    EXPECT_EQ(s.end_ps, WEFT_NO_END);
    weft_report_free(r);
}

TEST(Summary, AnUnfinishedRunSaysHowFarItGot)
{
    FakeNet net;
    weft_report_config c = {nullptr, net.fabric, nullptr};
    weft_err err = {};
    weft_report *r = weft_report_new(&c, &err);
    net.ports[0].busy_ps = 6000000; /* busy all the time, though nothing is delivered yet */
    net.totals.bytes_received = 1000;
    weft_summary s;
    weft_report_summarize(r, &net.net, nullptr, 6000000, &s);
    EXPECT_EQ(s.elapsed_ps, 6000000);
    EXPECT_EQ(s.top[0].utilisation, 1.0);
    EXPECT_TRUE(std::isnan(weft_metric_value(weft_metric_find("end-to-end", &err), &s)));
    s.scenario = "x";
    s.outcome = WEFT_OUTCOME_INTERRUPTED;
    s.ops_total = 8;
    s.arrived_share = 0.25;
    char *text = nullptr;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    weft_summary_text(out, &s, net.fabric);
    fclose(out);
    EXPECT_CONTAINS(text, "not finished             6 us simulated, 0 of 8 operations done, "
                          "1 KB of payload arrived (25.0 % of all)\n");
    EXPECT_EQ(std::string(text).find("end-to-end"), std::string::npos);
    free(text);
    weft_report_free(r);
}

TEST(Summary, BusBytesPerCollective)
{
    EXPECT_EQ(weft_coll_bus_bytes(WEFT_COLL_ALL_REDUCE, 1600, 16), 3000);     /* 2 * 15/16 */
    EXPECT_EQ(weft_coll_bus_bytes(WEFT_COLL_REDUCE_SCATTER, 1600, 16), 1500); /* 15/16 */
    EXPECT_EQ(weft_coll_bus_bytes(WEFT_COLL_ALL_TO_ALL, 1600, 16), 1500);
    EXPECT_EQ(weft_coll_bus_bytes(WEFT_COLL_ALL_GATHER, 100, 16), 1500); /* 15 shards */
    EXPECT_EQ(weft_coll_bus_bytes(WEFT_COLL_GATHER, 100, 16), 1500);
    EXPECT_EQ(weft_coll_bus_bytes(WEFT_COLL_SCATTER, 1600, 16), 1500);
    EXPECT_EQ(weft_coll_bus_bytes(WEFT_COLL_REDUCE, 100, 16), 100);
    EXPECT_EQ(weft_coll_alg_bytes(WEFT_COLL_ALL_REDUCE, 1600, 16), 1600);
    EXPECT_EQ(weft_coll_alg_bytes(WEFT_COLL_REDUCE_SCATTER, 1600, 16), 1600);
    EXPECT_EQ(weft_coll_alg_bytes(WEFT_COLL_ALL_GATHER, 100, 16), 1600); /* 16 shards */
    EXPECT_EQ(weft_coll_alg_bytes(WEFT_COLL_GATHER, 100, 16), 1600);
    EXPECT_EQ(weft_coll_bus_bytes(WEFT_COLL_BROADCAST, 100, 16), 100);
    EXPECT_EQ(weft_coll_bus_bytes(WEFT_COLL_ALL_REDUCE, 100, 1), 0);
}

TEST(Summary, CollectiveBusBandwidth)
{
    FakeNet net;
    weft_report_config c = {nullptr, net.fabric, nullptr};
    weft_err err = {};
    weft_report *r = weft_report_new(&c, &err);
    weft_op op = {};
    op.kind = WEFT_OP_COLL;
    op.coll = WEFT_COLL_ALL_REDUCE;
    op.bytes = 1000;
    op.name = "g";
    weft_system_observer o = weft_report_system_observer(r, 0);
    /* 1000 bytes on 4 ranks: 1500 bus bytes. Collective 0 takes the two ranks 10 and 20 ns,
       collective 7 takes one 40 ns, its first message leaving late, and the other, which only hands
       over its data, nothing: 3000 * 8 bits / 60 ns. */
    for (const weft_op_record &record : {weft_op_record{0, &op, 0, 0, 10000, 4, 0},
                                         weft_op_record{1, &op, 5000, 6000, 25000, 4, 0},
                                         weft_op_record{0, &op, 30000, 30000, 30000, 4, 7},
                                         weft_op_record{1, &op, 30000, 65000, 70000, 4, 7}})
        o.op(o.ctx, &record);
    weft_summary s;
    weft_report_summarize(r, &net.net, nullptr, 0, &s);
    EXPECT_EQ(s.coll[WEFT_COLL_ALL_REDUCE].ops, 4u);
    EXPECT_EQ(s.coll[WEFT_COLL_ALL_REDUCE].bytes, 4000u);
    EXPECT_DOUBLE_EQ(s.coll[WEFT_COLL_ALL_REDUCE].bus_bps, 400e9);
    EXPECT_TRUE(std::isnan(s.coll[WEFT_COLL_ALL_GATHER].bus_bps));
    EXPECT_EQ(s.elapsed_ps, 70000);
    weft_report_free(r);
}

TEST(Metrics, NamesAndKeysAreUniqueAndFound)
{
    size_t n;
    const weft_metric *m = weft_metrics(&n);
    std::set<std::string> names, keys;
    weft_err err = {};
    for (size_t i = 0; i < n; i++) {
        char key[WEFT_METRIC_TEXT_MAX];
        EXPECT_TRUE(names.insert(m[i].name).second) << m[i].name;
        EXPECT_TRUE(keys.insert(weft_metric_key(&m[i], key)).second) << key;
        EXPECT_EQ(weft_metric_find(m[i].name, &err), &m[i]);
    }
    EXPECT_EQ(weft_metric_find("end-to-ned", &err), nullptr);
    EXPECT_CONTAINS(err.msg, "did you mean 'end-to-end'");
}

TEST(Metrics, ReadTheFieldTheyName)
{
    weft_summary s = {};
    weft_err err = {};
    s.end_ps = 1500;
    s.net.ecn_marks = 9;
    s.slowdown_p99 = 1.25;
    s.peak_rss_bytes = 4096;
    char buf[WEFT_METRIC_TEXT_MAX];
    const weft_metric *end = weft_metric_find("end-to-end", &err);
    EXPECT_EQ(weft_metric_value(end, &s), 1500);
    EXPECT_STREQ(weft_metric_key(end, buf), "end_to_end_ns");
    EXPECT_EQ(weft_metric_value(weft_metric_find("ecn-marks", &err), &s), 9);
    EXPECT_TRUE(weft_metric_counts(weft_metric_find("ecn-marks", &err)));
    EXPECT_TRUE(weft_metric_counts(weft_metric_find("max-queue", &err)));
    EXPECT_FALSE(weft_metric_counts(weft_metric_find("slowdown-p99", &err)));
    EXPECT_EQ(weft_metric_value(weft_metric_find("slowdown-p99", &err), &s), 1.25);
    const weft_metric *rss = weft_metric_find("peak-rss", &err);
    EXPECT_EQ(weft_metric_value(rss, &s), 4096);
    EXPECT_TRUE(rss->host_dependent);
    EXPECT_STREQ(weft_metric_key(rss, buf), "peak_rss_bytes");
    EXPECT_STREQ(weft_metric_format(end, NAN, buf), "n/a");
}

TEST(Summary, TextAndJsonCarryTheNumbers)
{
    FakeNet net;
    weft_summary s = {};
    s.scenario = "demo";
    s.outcome = WEFT_OUTCOME_FINISHED;
    s.ranks = 2;
    s.ops_total = s.ops_done = 4;
    s.end_ps = 12345678;
    s.slowdown_p50 = s.slowdown_p99 = s.slowdown_max = 1.5;
    s.messages = 3;
    s.ntop = 1;
    s.top[0] = {3, 0.5};
    s.net.packet_hops = 10;
    s.net.ecn_marks = 42;
    s.net.pfc_pauses = 7;
    s.net.pfc_refreshes = 5;
    MemoryFile text, json;
    weft_summary_text(text.f, &s, net.fabric);
    const std::string t = text.text();
    EXPECT_CONTAINS(t, "demo: finished");
    EXPECT_CONTAINS(t, "12.35 us simulated, 4 of 4 operations");
    EXPECT_CONTAINS(t, "42 ECN marks");
    EXPECT_CONTAINS(t, "7 PFC pauses repeated 5 times");
    EXPECT_CONTAINS(t, "10 of any kind on links, one per hop\n");
    EXPECT_CONTAINS(t, "s2->h1 50.0 %");
    weft_json j;
    weft_err err = {};
    weft_json_init(&j, json.f, "mem", 2);
    weft_summary_json(&j, &s, net.fabric);
    ASSERT_EQ(weft_json_finish(&j, &err), 0) << err.msg;
    const std::string o = json.text();
    EXPECT_CONTAINS(o, "\"end_to_end_ns\": 12345.678");
    EXPECT_CONTAINS(o, "\"ecn_marks\": 42");
    EXPECT_CONTAINS(o, "\"pfc_refreshes\": 5");
    EXPECT_CONTAINS(o, "\"link\": \"s2->h1\"");
    EXPECT_GT(o.find("wall_time_s"), o.find("\"host\""));
}

} // namespace
