// SPDX-License-Identifier: GPL-2.0-only
// All congestion controls on the real engine: each gives a result of its own, each finishes with
// coalesced ACKs, and an incast stands where its paper says.
#include "once.h"
#include "world.h"
#include "congestion/cc_table.h"

#include <algorithm>
#include <map>
#include <random>

namespace
{

struct Variant {
    std::string cc;
    Settings settings;
    std::string Name() const
    {
        std::string n = cc;
        for (auto &[k, v] : settings)
            n += " " + k + "=" + v;
        return n;
    }
};

// Every control, and every word of its `mode` or `form`.
std::vector<Variant> AllVariants()
{
    size_t n = 0;
    const weft_cc_ops *const *t = weft_cc_table(&n);
    std::vector<Variant> all;
    for (size_t i = 0; i < n; i++) {
        const weft_param *p = weft_params_find(&t[i]->params, "mode");
        if (!p)
            p = weft_params_find(&t[i]->params, "form");
        if (!p) {
            all.push_back({t[i]->name, {}});
            continue;
        }
        std::string word;
        for (const char *c = p->choices;; c++) {
            if (*c && *c != '|') {
                word += *c;
                continue;
            }
            all.push_back({t[i]->name, {{p->name, word}}});
            word.clear();
            if (!*c)
                break;
        }
    }
    return all;
}

const Settings kSwitch = {{"hosts", "9"}, {"rate", "100Gbps"}, {"delay", "1us"}};

// Eight senders into one receiver; completion times in order of completion.
std::vector<int64_t> Incast(const Variant &v, const Settings &engine, uint64_t bytes)
{
    World w("single-switch", kSwitch, engine, v.cc, v.settings);
    w.Build();
    for (uint32_t s = 0; s < 8; s++)
        w.Send(s, 8, bytes, s);
    w.Run();
    EXPECT_EQ(w.acked.size(), 8u) << v.Name();
    EXPECT_EQ(w.Totals().rtos, 0u) << v.Name();
    std::vector<int64_t> times;
    for (auto &d : w.acked)
        times.push_back(d.acked_ps);
    return times;
}

// Queue at the receiver's port in the second half of an incast of long messages, time average.
double MeanQueue(const Variant &v, const char *rate, const Settings &engine, int64_t from_ps,
                 int64_t until_ps, double *use)
{
    World w("single-switch", {{"hosts", "9"}, {"rate", rate}, {"delay", "1us"}}, engine, v.cc,
            v.settings);
    struct Area {
        int64_t from, until, at;
        uint32_t port;
        uint64_t bytes;
        double sum;
    } area = {from_ps, until_ps, 0, 0, 0, 0};
    const weft_fabric_port &host = w.fabric->ports[w.fabric->nodes[w.fabric->hosts[8]].first_port];
    area.port = host.peer;
    static Area *g;
    g = &area;
    w.config.hooks.queue = [](void *, int64_t t, uint32_t port, uint32_t prio, uint64_t bytes) {
        if (port != g->port || prio != 3)
            return;
        const int64_t a = std::max(g->at, g->from), b = std::min(t, g->until);
        if (b > a)
            g->sum += double(g->bytes) * double(b - a);
        g->at = t;
        g->bytes = bytes;
    };
    w.Build();
    for (uint32_t s = 0; s < 8; s++)
        w.Send(s, 8, 2000000000, s);
    struct weft_port_counters before, after;
    EXPECT_EQ(weft_engine_run(w.e, from_ps), 0);
    weft_engine_port_stats(w.e, area.port, &before);
    EXPECT_EQ(weft_engine_run(w.e, until_ps), 0);
    weft_engine_port_stats(w.e, area.port, &after);
    *use = double(after.busy_ps - before.busy_ps) / double(until_ps - from_ps);
    return area.sum / double(until_ps - from_ps);
}

} // namespace

TEST(Control, EachGivesAResultOfItsOwn)
{
    std::map<std::vector<int64_t>, std::string> seen;
    for (const Variant &v : AllVariants()) {
        const auto times = Incast(v, {{"ecn.kmin", "20KB"}, {"ecn.kmax", "80KB"}}, 4000000);
        auto [it, fresh] = seen.emplace(times, v.Name());
        EXPECT_TRUE(fresh) << v.Name() << " gives the same result as " << it->second;
    }
    EXPECT_GE(seen.size(), 15u);
}

// 8 x 4 MB take 2.67 ms of the receiver's link; coalesced ACKs neither stop nor starve anybody.
TEST(Control, EachFinishesWithCoalescedAcks)
{
    const int64_t least = INT64_C(8) * 977 * 4178 * 80;
    for (const Variant &v : AllVariants()) {
        int64_t plain = 0;
        for (const char *every : {"1", "4", "16"}) {
            const auto times = Incast(v, {{"transport.ack-every", every}}, 4000000);
            const int64_t last = *std::max_element(times.begin(), times.end());
            EXPECT_GE(last, least - 100 * WEFT_PS_PER_US) << v.Name() << " ack-every " << every;
            if (!plain)
                plain = last;
            // TIMELY falls far when eight flows begin at line rate, and climbs back by rate-ai a
            // sample.
            EXPECT_LT(last, (v.cc == "timely" ? 5 : 2) * plain)
                << v.Name() << " ack-every " << every;
            EXPECT_LT(last, (v.cc == "timely" ? 10 : 4) * least)
                << v.Name() << " ack-every " << every;
        }
    }
}

// One packet in a hundred is lost, data or not; small queues drop or trim, or PFC holds them; one
// path or many: all arrives, once.
TEST(Control, EachGetsThroughLosses)
{
    const auto one_path = [](const Variant &v) { // stamps are those of the path's switches
        return weft_cc_find(v.cc.c_str(), nullptr)->needs &
               (WEFT_CC_NEEDS_INT | WEFT_CC_NEEDS_PINT);
    };
    for (const Variant &v : AllVariants())
        for (const std::string recovery : kRecoveries)
            for (const std::string queues : {"pfc", "drop", "trim"})
                for (const std::string balance : {"flow", "entropy"}) {
                    if (balance == "entropy" && (recovery.rfind("go-back", 0) == 0 || one_path(v)))
                        continue; // what is out of order is lost
                    Settings engine = {{"transport.recovery", recovery},
                                       {"transport.rto", "100us"},
                                       {"transport.ack-prio", "6"},
                                       {"switch.balance", balance}};
                    if (queues != "pfc")
                        engine.insert(engine.end(), {{"pfc.enabled", "false"},
                                                     {"switch.reserve", "0B"},
                                                     {"switch.egress-limit", "60KB"},
                                                     {"switch.egress-threshold", "static"}});
                    if (queues == "trim")
                        engine.emplace_back("switch.trim-prios", "8");
                    World w("fat-tree", {{"k", "4"}}, engine, v.cc, v.settings);
                    std::mt19937 rng(7);
                    w.lose = [&](uint32_t, const weft_engine_pkt_view &) {
                        return rng() % 100 == 0;
                    };
                    w.Build();
                    for (uint32_t s = 0; s < 8; s++)
                        w.Send(s, 8 + s / 4, 60000);
                    w.Run();
                    ExpectAllOnceInOrder(w,
                                         v.Name() + " " + recovery + " " + queues + " " + balance);
                }
}

// Base RTT 4.7 us, one bandwidth-delay product 58 KB.
TEST(Control, AnIncastsQueueStandsWhereThePaperSays)
{
    struct Case {
        Variant v;
        const char *rate;
        Settings engine;
        int64_t from_us, until_us;
        double least, most;
    };
    const Settings step = {{"ecn.scale-rate", "0"}, {"ecn.kmin", "100KB"}, {"ecn.kmax", "100KB"}};
    const Settings red = {
        {"ecn.scale-rate", "0"}, {"ecn.kmin", "5KB"}, {"ecn.kmax", "200KB"}, {"ecn.pmax", "0.01"}};
    const Case cases[] = {
        // near zero: below one bandwidth-delay product
        {{"hpcc", {}}, "100Gbps", {}, 1000, 3000, 0, 20000},
        {{"hpcc-pint", {}}, "100Gbps", {}, 1000, 3000, 0, 20000},
        {{"powertcp", {}}, "100Gbps", {}, 1000, 3000, 0, 60000},
        {{"powertcp", {{"form", "delay"}}}, "100Gbps", {}, 1000, 3000, 0, 60000},
        // around K
        {{"dctcp", {}}, "100Gbps", step, 1000, 3000, 60000, 140000},
        // between Kmin and Kmax, with the paper's thresholds for its 40 Gbps
        {{"dcqcn", {}}, "40Gbps", red, 20000, 60000, 5000, 200000},
        // target delay of 20 + 3.053 us, and up to 100 us of flow scaling, less the base RTT
        {{"swift", {}},
         "100Gbps",
         {},
         1000,
         3000,
         0.9 * (23.053 - 4.7) * 12500,
         (123.053 - 4.7) * 12500},
        // 10 Gbps: below t-high 500 us of RTT; each time the RTT passes t-low the gradient drains
        // it
        {{"timely", {}}, "10Gbps", {{"switch.buffer", "64MiB"}}, 100000, 200000, 0, 489 * 1250},
    };
    for (const Case &c : cases) {
        double use = 0;
        const double q = MeanQueue(c.v, c.rate, c.engine, c.from_us * WEFT_PS_PER_US,
                                   c.until_us * WEFT_PS_PER_US, &use);
        EXPECT_GE(use, c.v.cc == "timely" ? 0.7 : 0.9) << c.v.Name();
        EXPECT_GE(q, c.least) << c.v.Name();
        EXPECT_LE(q, c.most) << c.v.Name();
    }
}

namespace
{

// What a control with a timer does at its ACKs: how far ahead it sets it; -1: off; 0: nothing.
std::vector<int64_t> g_ahead, g_acks, g_fired;

weft_cc_ops Timed()
{
    weft_cc_ops o = {};
    o.name = "timed";
    o.init = [](void *, const void *, const weft_cc_env *env, int64_t now, weft_cc_out *out) {
        *out = {env->line_rate_bps, env->mtu_bytes, now + 100 * WEFT_PS_PER_US, false};
    };
    o.on_ack = [](void *, const void *, int64_t now, const weft_cc_ack *, weft_cc_out *out) {
        const int64_t ahead = g_ahead.at(g_acks.size());
        g_acks.push_back(now);
        if (ahead)
            out->timer_at_ps = ahead < 0 ? WEFT_NEVER : now + ahead;
    };
    o.on_timer = [](void *, const void *, int64_t now, weft_cc_out *out) {
        g_fired.push_back(now);
        out->timer_at_ps = g_fired.size() < 3 ? now + 7 * WEFT_PS_PER_US : WEFT_NEVER;
    };
    return o;
}

} // namespace

// The timer of a control fires at the time that it last set, and never once it is off.
TEST(Control, TimersFireWhenTheControlSays)
{
    const weft_cc_ops timed = Timed();
    const int64_t us = WEFT_PS_PER_US;
    struct Case {
        std::vector<int64_t> ahead;
        size_t last; // the ACK that decides; 0: none does
    };
    for (const Case &c :
         {Case{{50 * us, -1, 20 * us, 40 * us}, 4}, Case{{50 * us, -1, 40 * us, 20 * us}, 4},
          Case{{50 * us, 0, 20 * us, 0}, 3}, Case{{-1, 50 * us, -1, -1}, 0}}) {
        g_ahead = c.ahead;
        g_acks.clear();
        g_fired.clear();
        World w("single-switch", kSwitch);
        w.config.cc = &timed;
        w.Build();
        w.Send(0, 1, 4 * w.config.params.transport.mtu_bytes);
        w.Run();
        ASSERT_EQ(g_acks.size(), 4u);
        ASSERT_LT(g_acks.back(), 20 * us);
        std::vector<int64_t> at;
        for (int64_t k = 0; c.last && k < 3; k++)
            at.push_back(g_acks[c.last - 1] + c.ahead[c.last - 1] + k * 7 * us);
        EXPECT_EQ(g_fired, at);
    }
}
