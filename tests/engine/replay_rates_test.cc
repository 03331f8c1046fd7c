// SPDX-License-Identifier: GPL-2.0-only
// Long messages are taken over at their rates within a tolerance: completion times stay near those
// of the simulation of every packet, the error is measured, and what is counted is conserved.
#include "replay_pair.h"

#include "base/rng.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace
{

const double tolerance = 0.01;

struct Post {
    uint32_t src, dst;
    uint64_t bytes;
    int64_t atPs;
};

struct Outcome {
    std::map<uint64_t, double> fct; // by number of the message, ps
    double end = 0;
    weft_replay_figures replay = {};
    weft_totals totals = {};
};

struct Case {
    std::string topology = "single-switch";
    Settings topo = {{"hosts", "8"}};
    Settings engine = {{"transport.mtu", "4096B"}};
    std::string cc = "dcqcn";
    Settings ccSettings = {};
    std::vector<Post> posts;
};

Outcome Play(const Case &c, double within)
{
    World w(c.topology, c.topo, c.engine, c.cc, c.ccSettings);
    w.Build();
    weft_err err = {};
    if (within > 0) {
        EXPECT_EQ(weft_engine_set_replay(w.e, WEFT_REPLAYING, 64 << 20, &err), 0) << err.msg;
        weft_engine_set_tolerance(w.e, within, false);
    }
    for (size_t i = 0; i < c.posts.size(); i++)
        w.At(c.posts[i].atPs, [&w, &p = c.posts[i], i] { w.Send(p.src, p.dst, p.bytes, i); });
    EXPECT_EQ(weft_engine_run(w.e, 10 * WEFT_PS_PER_S), 0) << weft_engine_error(w.e)->msg;
    EXPECT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
    Outcome o;
    for (const auto &d : w.received) {
        o.fct[d.msg.tag] = static_cast<double>(d.received_ps - d.post_ps);
        o.end = std::max(o.end, static_cast<double>(d.received_ps));
    }
    EXPECT_EQ(w.acked.size(), c.posts.size());
    o.totals = w.Totals();
    weft_engine_replay_figures(w.e, &o.replay);
    return o;
}

double P99(const Outcome &o)
{
    std::vector<double> v;
    for (const auto &f : o.fct)
        v.push_back(f.second);
    std::sort(v.begin(), v.end());
    return v[(v.size() * 99 + 99) / 100 - 1];
}

struct Errors {
    double mean = 0, p99 = 0, end = 0, gain = 0, skipped = 0;
};

Errors Compare(const Outcome &off, const Outcome &on)
{
    Errors e;
    EXPECT_EQ(off.fct.size(), on.fct.size());
    for (const auto &f : off.fct)
        e.mean += std::fabs(on.fct.at(f.first) - f.second) / f.second;
    e.mean /= static_cast<double>(off.fct.size());
    e.p99 = std::fabs(P99(on) - P99(off)) / P99(off);
    e.end = std::fabs(on.end - off.end) / off.end;
    e.gain = static_cast<double>(off.totals.events) / static_cast<double>(on.totals.events);
    e.skipped =
        static_cast<double>(on.replay.skipped_hops) / static_cast<double>(on.totals.packet_hops);
    return e;
}

Case RandomCase(uint64_t seed)
{
    static const char *controls[] = {"none",          "dcqcn", "hpcc",     "timely",
                                     "dctcp",         "swift", "powertcp", "hpcc-pint",
                                     "static-window", "nscc",  "smartt",   "mprdma"};
    weft_rng rng = weft_rng_stream(seed, "replay-settled-test", 0);
    Case c;
    c.cc = controls[seed % 12];
    uint32_t hosts = 8;
    if (weft_rng_u64(&rng) % 2) {
        c.topology = "leaf-spine";
        c.topo = {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}};
        hosts = 16;
    }
    const uint64_t n = 4 + weft_rng_u64(&rng) % (2 * hosts), kind = weft_rng_u64(&rng) % 3;
    for (uint64_t i = 0; i < n; i++) {
        Post p;
        p.src = static_cast<uint32_t>(weft_rng_u64(&rng) % hosts);
        p.dst = kind == 0 ? 0 : static_cast<uint32_t>(weft_rng_u64(&rng) % hosts);
        if (p.dst == p.src)
            p.dst = (p.src + 1) % hosts;
        p.bytes = 20'000'000 + weft_rng_u64(&rng) % 80'000'000;
        p.atPs = static_cast<int64_t>(weft_rng_u64(&rng) % (2000 * WEFT_PS_PER_US));
        c.posts.push_back(p);
    }
    return c;
}

} // namespace

// Long messages side by side: nearly nothing is simulated, and completion times hardly differ.
TEST(ReplayRates, LongMessages)
{
    for (const char *cc : {"none", "dcqcn", "static-window", "hpcc", "powertcp"}) {
        Case c;
        c.cc = cc;
        for (uint32_t h = 0; h < 8; h++)
            c.posts.push_back({h, (h + 3) % 8, 200'000'000 + 700 * h, 0});
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        const Errors e = Compare(off, on);
        EXPECT_GT(e.gain, 4) << cc << ": " << on.replay.why;
        EXPECT_LT(e.mean, 0.002) << cc;
        EXPECT_LT(e.end, 0.002) << cc;
        EXPECT_LE(on.replay.error, tolerance) << cc;
        EXPECT_EQ(off.totals.sent[WEFT_PKT_DATA], on.totals.sent[WEFT_PKT_DATA]) << cc;
        EXPECT_EQ(off.totals.sent[WEFT_PKT_ACK], on.totals.sent[WEFT_PKT_ACK]) << cc;
        EXPECT_EQ(off.totals.packet_hops, on.totals.packet_hops) << cc;
    }
}

// What never settles elsewhere, short messages at random moments between two other hosts, holds
// nothing up. Their times stay to the picosecond.
TEST(ReplayRates, GroupsOnTheirOwn)
{
    weft_rng rng = weft_rng_stream(1, "replay-groups-test", 0);
    for (const char *cc : {"hpcc", "powertcp"}) {
        Case c;
        c.cc = cc;
        for (uint32_t h = 0; h < 4; h++)
            c.posts.push_back({h, (h + 1) % 4, 100'000'000, 0});
        for (int i = 0; i < 200; i++)
            c.posts.push_back({6, 7, 1000 + weft_rng_u64(&rng) % 100'000,
                               static_cast<int64_t>(weft_rng_u64(&rng) % 2'000'000'000)});
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        const Errors e = Compare(off, on);
        EXPECT_GT(e.skipped, 0.6) << cc << ": " << on.replay.why;
        EXPECT_LT(e.mean, 0.001) << cc;
        for (uint64_t i = 4; i < c.posts.size(); i++)
            EXPECT_EQ(off.fct.at(i), on.fct.at(i)) << cc << ", message " << i;
    }
}

// Who looks while nothing happens but what is taken over sees bytes come at their rate, also where
// a link changes in that moment.
TEST(ReplayRates, LooksInBetween)
{
    for (uint64_t steps : {1, 30}) { // a message at its rate; messages that take as long as before
        Pair p("single-switch", {{"hosts", "4"}}, {{"transport.mtu", "4096B"}}, "hpcc");
        weft_err err = {};
        p.Rings(static_cast<int>(steps), steps == 1 ? 200'000'000 : 10'000'000);
        p.off.Build();
        p.on.Build();
        ASSERT_EQ(weft_engine_set_replay(p.on.e, WEFT_REPLAYING, p.memory, &err), 0) << err.msg;
        weft_engine_set_tolerance(p.on.e, tolerance, false);
        for (auto &r : p.rings)
            r->Start();
        for (int64_t t = 50; t < 3500; t += 50) {
            p.RunTo(t * WEFT_PS_PER_US);
            weft_port_counters off, on;
            weft_engine_port_stats(p.off.e, 0, &off);
            weft_engine_port_stats(p.on.e, 0, &on);
            EXPECT_NEAR(static_cast<double>(on.tx_bytes), static_cast<double>(off.tx_bytes),
                        0.005 * static_cast<double>(off.tx_bytes) + 300'000)
                << steps << " steps, " << t << " us";
            if (steps == 1 && t == 1000) { /* all is simulated from here on, at first */
                weft_link_change same = {};
                same.kind = WEFT_LINK_RATE;
                same.rate_bps = UINT64_C(400'000'000'000);
                for (World *w : {&p.off, &p.on})
                    ASSERT_EQ(weft_engine_change_links(w->e, &same, 1, &err), 0) << err.msg;
            }
            weft_qp_state a, b;
            ASSERT_TRUE(weft_engine_qp_state(p.off.e, WEFT_FIRST_QPN, &a));
            ASSERT_TRUE(weft_engine_qp_state(p.on.e, WEFT_FIRST_QPN, &b));
            EXPECT_NEAR(static_cast<double>(b.acked_bytes), static_cast<double>(a.acked_bytes),
                        0.005 * static_cast<double>(a.acked_bytes) + 300'000)
                << steps << " steps, " << t << " us";
            const double arrived = static_cast<double>(weft_engine_arrived_bytes(p.off.e));
            EXPECT_NEAR(static_cast<double>(weft_engine_arrived_bytes(p.on.e)), arrived,
                        0.005 * arrived + 4 * 300'000)
                << steps << " steps, " << t << " us";
        }
        EXPECT_GT(p.Figures().skipped_hops, p.on.Totals().packet_hops / 2) << p.Figures().why;
    }
}

// What random scenarios come to, together or those of one control.
struct Sum {
    int cases = 0, skips = 0,
        beyond = 0; // in which something was taken over; with more than twice the error said
    double mean = 0, p99 = 0, end = 0, skipped = 0, estimate = 0, marks = 0, marksOn = 0;

    void Add(const Outcome &off, const Outcome &on)
    {
        const Errors e = Compare(off, on);
        cases++;
        skips += on.replay.taken > 0;
        beyond += e.mean > 2 * on.replay.error;
        mean += e.mean;
        p99 += e.p99;
        end += e.end;
        skipped += e.skipped;
        estimate += on.replay.error;
        marks += static_cast<double>(off.totals.ecn_marks);
        marksOn += static_cast<double>(on.totals.ecn_marks);
        EXPECT_LE(on.replay.error, on.replay.error_bound);
    }
    double Mean(double v) const
    {
        return v / cases;
    }
    void Print(const std::string &name) const
    {
        std::printf(
            "%-14s %5d cases, %4d skip %4.1f %%: error %.4f %%, estimate %.4f %%, p99 %.4f %%, end "
            "%.4f %%, %d with more than twice that\n",
            name.c_str(), cases, skips, Mean(skipped) * 100, Mean(mean) * 100, Mean(estimate) * 100,
            Mean(p99) * 100, Mean(end) * 100, beyond);
    }
};

// One scenario: what it is, and how far off its messages are.
void PrintOne(uint64_t seed, const Case &c, const Outcome &off, const Outcome &on)
{
    const Errors e = Compare(off, on);
    double worst = 0;
    for (const auto &f : off.fct)
        worst = std::max(worst, std::fabs(on.fct.at(f.first) - f.second) / f.second);
    std::printf("seed %" PRIu64 " %s %s n %zu skipped %.3f %% error %.4f %% est %.4f %% bound %.4f "
                "%% worst %.3f %% end %.4f %% said %.4f %% taken %" PRIu64 " checks %" PRIu64 "\n",
                seed, c.cc.c_str(), c.topology.c_str(), c.posts.size(), e.skipped * 100,
                e.mean * 100, on.replay.error * 100, on.replay.error_bound * 100, worst * 100,
                e.end * 100, on.replay.end_error * 100, static_cast<uint64_t>(on.replay.taken),
                static_cast<uint64_t>(on.replay.checks));
}

// Random fabrics, controls and messages that meet. Where each outcome hangs on single packets no
// two runs agree, so the bounds are those of the average. WEFT_RATES_SEEDS=FIRST-LAST plays
// others, and prints each, and what they come to by control (docs/explanation/replay.md).
TEST(ReplayRates, RandomTraffic)
{
    uint64_t first = 0, last = 39;
    const char *others = std::getenv("WEFT_RATES_SEEDS");
    if (others) {
        ASSERT_EQ(std::sscanf(others, "%" SCNu64 "-%" SCNu64, &first, &last), 2) << others;
    }
    Sum all;
    std::map<std::string, Sum> by;
    for (uint64_t seed = first; seed <= last; seed++) {
        const Case c = RandomCase(seed);
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        all.Add(off, on);
        by[c.cc].Add(off, on);
        if (others)
            PrintOne(seed, c, off, on);
        if (HasFailure())
            FAIL() << "seed " << seed;
    }
    if (others) {
        for (const auto &b : by)
            b.second.Print(b.first);
        all.Print("all");
        return;
    }
    EXPECT_LT(all.Mean(all.mean), 0.003);
    EXPECT_LT(all.Mean(all.p99), 0.003);
    EXPECT_LT(all.Mean(all.end), 0.003);
    EXPECT_GT(all.Mean(all.skipped), 0.01);
    EXPECT_GT(all.skips, 8);
    EXPECT_LE(all.beyond, all.cases / 20);
    EXPECT_GT(all.marks, 10'000);
    EXPECT_NEAR(all.marksOn, all.marks, 0.05 * all.marks);
}

// The same whatever is set: sizes of packets, ACKs for several, rates, losses instead of pauses.
Case VariedCase(uint64_t seed)
{
    Case c = RandomCase(seed);
    weft_rng rng = weft_rng_stream(seed, "replay-varied-test", 0);
    const auto any = [&rng](std::vector<const char *> of) {
        return std::string(of[weft_rng_u64(&rng) % of.size()]);
    };
    c.engine = {{"transport.mtu", any({"512B", "1000B", "4096B", "9000B"})},
                {"transport.recovery", any({"go-back-n", "selective-repeat"})},
                {"transport.ack-every", any({"1", "1", "2", "4", "16"})}};
    if (weft_rng_u64(&rng) % 3 == 0) {
        c.engine.push_back({"pfc.enabled", "off"});
        c.engine.push_back({"switch.buffer", any({"2MiB", "64MiB"})});
        c.engine.push_back({"transport.rto", "300us"});
    }
    const std::string rate = any({"100Gbps", "400Gbps"});
    if (c.topology == "leaf-spine") {
        c.topo.push_back({"host-rate", rate});
        c.topo.push_back({"uplink-rate", any({"100Gbps", "200Gbps", "400Gbps"})});
    } else {
        c.topo.push_back({"rate", rate});
    }
    return c;
}

TEST(ReplayRates, WhateverIsSet)
{
    double mean = 0, skipped = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        const Case c = VariedCase(seed);
        const Outcome off = Play(c, 0), on = Play(c, tolerance);
        const Errors e = Compare(off, on);
        mean += e.mean / 12;
        skipped += e.skipped / 12;
        EXPECT_EQ(off.totals.sent[WEFT_PKT_DATA] - off.totals.retx_packets,
                  on.totals.sent[WEFT_PKT_DATA] - on.totals.retx_packets)
            << "seed " << seed;
    }
    EXPECT_LT(mean, 0.005);
    EXPECT_GT(skipped, 0.01);
}

// Packets that no ACK comes for, as the receiver waits for more of them, are not sent again while
// their message is taken over.
TEST(ReplayRates, NothingTimesOut)
{
    Case c;
    c.cc = "none";
    c.engine = {{"transport.ack-every", "16"}, {"transport.rto", "200us"}};
    for (uint32_t h = 0; h < 8; h++)
        c.posts.push_back({h, (h + 3) % 8, 200'000'000 + 70'000 * h, 0});
    const Outcome on = Play(c, tolerance);
    EXPECT_GT(on.replay.skipped_hops, on.totals.packet_hops / 2);
    EXPECT_EQ(on.totals.rtos, 0u);
    EXPECT_EQ(on.totals.retx_packets, 0u);
}

// What can't be skipped is simulated, and said.
TEST(ReplayRates, SaysWhyNot)
{
    Case c;
    c.topology = "leaf-spine";
    c.topo = {{"leaves", "2"}, {"spines", "2"}, {"hosts-per-leaf", "4"}};
    c.engine = {{"switch.balance", "spray"}, {"transport.recovery", "out-of-order"}};
    c.posts.push_back({0, 5, 8'000'000, 0});
    const Outcome off = Play(c, 0), on = Play(c, tolerance);
    EXPECT_EQ(on.replay.taken, 0u);
    EXPECT_STREQ(on.replay.why, "no message has recurred often enough");
    ASSERT_GE(on.replay.nreasons, 1u);
    EXPECT_GT(on.replay.reasons[0].times, 0u);
    EXPECT_STREQ(on.replay.reasons[0].why, "packets are spread over paths");
    EXPECT_EQ(off.fct, on.fct);
    // Where periods of packets are looked for, too, what they lack is no reason of messages.
    c.engine = {};
    for (uint32_t h = 0; h < 4; h++)
        c.posts.push_back({h, 5, 40'000'000 + 9'000'000 * h, 0});
    const Outcome flow = Play(c, tolerance);
    EXPECT_EQ(flow.replay.taken, 0u);
    EXPECT_STREQ(flow.replay.why, "messages share a link, and drift apart");
}
