// SPDX-License-Identifier: GPL-2.0-only
// What delays a message, by cause: worlds in which one cause alone can, with the exact numbers, and
// random ones in which delays add up.
#include "tables.h"
#include "world.h"

#include "base/rng.h"

#include <array>
#include <numeric>

namespace
{

int64_t Sum(const weft_completion &d)
{
    return std::accumulate(d.delay_ps, d.delay_ps + WEFT_DELAYS, INT64_C(0));
}

int64_t Beyond(const weft_completion &d)
{
    return d.received_ps - d.post_ps - d.ideal_ps;
}

// All delays but that of one cause are 0, and it is all.
void ExpectOnly(const weft_completion &d, weft_delay cause)
{
    for (int k = 0; k < WEFT_DELAYS; k++)
        EXPECT_EQ(d.delay_ps[k], k == cause ? Beyond(d) : 0) << "cause " << k;
}

// 400 Gbps: 1000 bytes of payload are 1086 bytes on the wire with the default headers.
const Settings kSwitch = {{"hosts", "4"}, {"delay", "500ns"}};
const Settings kQuiet = {{"transport.mtu", "1000B"}};

weft_completion Of(const World &w, uint64_t tag)
{
    for (const auto &d : w.acked)
        if (d.msg.tag == tag)
            return d;
    ADD_FAILURE() << "message " << tag << " did not arrive";
    return {};
}

TEST(Delay, AMessageAloneHasNone)
{
    World w("single-switch", kSwitch, kQuiet);
    w.Build();
    w.Send(0, 1, 1000000, 1);
    w.Run();
    EXPECT_EQ(Sum(Of(w, 1)), 0);
    EXPECT_EQ(Beyond(Of(w, 1)), 0);
}

TEST(Delay, OnlyItsOwnNic)
{
    World w("single-switch", kSwitch, kQuiet);
    w.Build();
    w.Send(0, 1, 100000, 1);
    w.Send(0, 1, 50000, 2); // behind the first on its QP
    w.Run();
    EXPECT_EQ(Sum(Of(w, 1)), 0);
    const auto d = Of(w, 2);
    ExpectOnly(d, WEFT_DELAY_NIC);
    // It waits exactly as long as the first takes on the link: what the first one's ideal time has
    // more than that of its last packet alone, and that packet.
    World alone("single-switch", kSwitch, kQuiet);
    alone.Build();
    alone.Send(0, 1, 1000, 1);
    alone.Send(0, 1, 1000, 2);
    alone.Run();
    const int64_t packet_ps = Of(alone, 2).received_ps - Of(alone, 1).received_ps;
    EXPECT_EQ(Beyond(d), 100 * packet_ps);
}

TEST(Delay, OnlyOtherQpsOfItsNic)
{
    World w("single-switch", kSwitch, kQuiet);
    w.Build();
    w.Send(0, 1, 100000, 1);
    w.Send(0, 2, 100000, 2);
    w.Send(0, 3, 100000, 3);
    w.Run();
    for (uint64_t tag = 1; tag <= 3; tag++)
        ExpectOnly(Of(w, tag), WEFT_DELAY_NIC);
    // They take turns: the one that came last waits for two packets of others before each of its
    // own, but the first has sent two when they come.
    EXPECT_EQ(Beyond(Of(w, 3)) % 200, 0);
    EXPECT_EQ(Beyond(Of(w, 1)), Beyond(Of(w, 3)) / 200 * 196);
}

TEST(Delay, OnlyQueuesOfTheFabric)
{
    World w("single-switch", kSwitch, kQuiet);
    w.config.params.pfc.enabled = 0;
    w.Build();
    w.Send(0, 2, 100000, 1);
    w.Send(1, 2, 100000, 2);
    w.Run();
    ExpectOnly(Of(w, 1), WEFT_DELAY_QUEUE);
    ExpectOnly(Of(w, 2), WEFT_DELAY_QUEUE);
    EXPECT_GT(Beyond(Of(w, 2)), 0);
    EXPECT_EQ(w.Totals().drops[WEFT_DROP_BUFFER], 0u);
}

struct PacketTimes {
    int64_t rtt_ps, packet_ps; // of a packet of 1000 B alone; from one to the next
};

PacketTimes TimesOfAPacket()
{
    World w("single-switch", kSwitch, kQuiet);
    w.Build();
    w.Send(0, 1, 1000, 1);
    w.Send(0, 1, 1000, 2);
    w.Run();
    return {Of(w, 1).acked_ps, Of(w, 2).received_ps - Of(w, 1).received_ps};
}

TEST(Delay, OnlyCongestionControl)
{
    World w("single-switch", kSwitch, kQuiet, "static-window", {{"window", "1000B"}});
    w.Build();
    w.Send(0, 1, 20000, 1);
    w.Run();
    const auto d = Of(w, 1);
    ExpectOnly(d, WEFT_DELAY_CONTROL);
    // One packet per round trip, and it is sending in a part of that.
    const PacketTimes one = TimesOfAPacket();
    EXPECT_EQ(Beyond(d), 19 * (one.rtt_ps - one.packet_ps));
}

// A control that paces at 10 Gbps on links of 400 Gbps, and has no window.
const weft_cc_ops kPaced = [] {
    weft_cc_ops o = {};
    o.name = "paced";
    o.state_size = 1;
    o.init = [](void *, const void *, const weft_cc_env *, int64_t, weft_cc_out *out) {
        out->rate_bps = 10000000000;
        out->cwnd_bytes = UINT64_MAX;
        out->timer_at_ps = WEFT_NEVER;
    };
    o.on_ack = [](void *, const void *, int64_t, const weft_cc_ack *, weft_cc_out *) {};
    return o;
}();

TEST(Delay, OnlyPacing)
{
    World w("single-switch", kSwitch, kQuiet);
    w.config.cc = &kPaced;
    w.Build();
    w.Send(0, 1, 20000, 1);
    w.Run();
    const auto d = Of(w, 1);
    ExpectOnly(d, WEFT_DELAY_CONTROL);
    // 19 of 20 packets wait from the end of the one before until 40 times what that took have
    // passed.
    EXPECT_EQ(Beyond(d), 19 * 39 * TimesOfAPacket().packet_ps);
}

// Six hosts overload the link to host 7, and PFC pauses host 0, which has sent all that it had for
// there. A message that it posts then, to an idle host, waits for the resume and for nothing else.
TEST(Delay, OnlyPfc)
{
    bool found = false;
    for (uint64_t bytes = 20000; !found && bytes < 400000; bytes += 20000) {
        Settings s = kQuiet;
        s.push_back({"switch.buffer", "2MiB"});
        World w("single-switch", {{"hosts", "9"}, {"delay", "500ns"}}, s);
        w.Build();
        for (uint32_t h = 0; h < 7; h++)
            w.Send(h, 7, h ? 4000000 : bytes, h);
        struct weft_port_counters st = {};
        for (int64_t t = WEFT_PS_PER_US; !found && t < 100 * WEFT_PS_PER_US; t += WEFT_PS_PER_US) {
            ASSERT_EQ(weft_engine_run(w.e, t), 0);
            weft_engine_port_stats(w.e, 0, &st);
            bool paused = false;
            for (const PfcEvent &p : w.pfc)
                paused = p.port == 0 ? p.pause : paused;
            found = paused && st.tx_payload_bytes == bytes;
        }
        if (!found)
            continue;
        const size_t before = w.pfc.size();
        w.Send(0, 8, 100000, 99);
        w.Run();
        const auto d = Of(w, 99);
        int64_t resumed_ps = 0;
        for (size_t i = before; i < w.pfc.size() && !resumed_ps; i++)
            if (w.pfc[i].port == 0 && !w.pfc[i].pause)
                resumed_ps = w.pfc[i].t;
        ExpectOnly(d, WEFT_DELAY_PAUSE);
        EXPECT_EQ(Beyond(d), resumed_ps - d.post_ps);
    }
    EXPECT_TRUE(found);
}

// Two leaves: what is queued at the first for the second, whose uplink port is paused, waits on the
// way.
TEST(Delay, PausesOnTheWayAreNoQueues)
{
    Settings s = kQuiet;
    s.push_back({"switch.buffer", "1MiB"});
    World w(
        "leaf-spine",
        {{"leaves", "2"}, {"hosts-per-leaf", "4"}, {"spines", "1"}, {"uplink-rate", "1600Gbps"}},
        s);
    w.Build();
    for (uint32_t h = 0; h < 4; h++)
        w.Send(h, 4, 1000000, h);
    w.Run();
    ASSERT_GT(w.Totals().pfc_pauses, 0u);
    int64_t paused_ps = 0, queued_ps = 0;
    for (const auto &d : w.acked) {
        EXPECT_EQ(Sum(d), Beyond(d));
        EXPECT_EQ(d.delay_ps[WEFT_DELAY_NIC] + d.delay_ps[WEFT_DELAY_CONTROL] +
                      d.delay_ps[WEFT_DELAY_LOSS],
                  0);
        paused_ps += d.delay_ps[WEFT_DELAY_PAUSE];
        queued_ps += d.delay_ps[WEFT_DELAY_QUEUE];
    }
    EXPECT_GT(paused_ps, 0);
    EXPECT_GT(queued_ps, 0);
}

TEST(Delay, OnlyLoss)
{
    for (const char *recovery : kRecoveries) {
        Settings s = kQuiet;
        s.push_back({"transport.recovery", recovery});
        s.push_back({"transport.rto", "100us"});
        World w("single-switch", kSwitch, s);
        bool lost = false;
        w.lose = [&](uint32_t, const weft_engine_pkt_view &k) {
            const bool now = !lost && k.kind == WEFT_PKT_DATA && k.psn == 49; // the last one
            lost |= now;
            return now;
        };
        w.Build();
        w.Send(0, 1, 50000, 1);
        w.Run();
        const auto d = Of(w, 1);
        EXPECT_GE(Beyond(d), 99 * WEFT_PS_PER_US) << recovery;
        ExpectOnly(d, WEFT_DELAY_LOSS);
    }
}

// Whatever happens, delays add up, and those of switches in windows, or without events of their
// own, are those of the plain way.
TEST(Delay, AddUpWhateverHappens)
{
    const char *controls[] = {"none", "dcqcn", "hpcc", "timely", "swift", "static-window"};
    int64_t seen[WEFT_DELAYS] = {};
    for (uint64_t seed = 0; seed < 48; seed++) {
        weft_rng rng = weft_rng_stream(seed, "delays", 0);
        auto pick = [&](uint32_t n) { return weft_rng_below(&rng, n); };
        const std::string control = controls[seed % 6];
        const bool lossy = pick(2), spray = pick(2) && seed % 6 < 2;
        Settings s = {{"transport.mtu", "1000B"},
                      {"transport.rto", "200us"},
                      {"transport.recovery",
                       spray ? "out-of-order" : kRecoveries[pick(std::size(kRecoveries))]},
                      {"pfc.enabled", lossy ? "off" : "on"},
                      {"switch.buffer", lossy ? "400KB" : "1MiB"}};
        if (spray)
            s.push_back({"switch.balance", "spray"});
        if (pick(2) && !lossy)
            s.push_back({"pfc.quanta", "20000"});
        const Settings topo = {{"leaves", "3"}, {"hosts-per-leaf", "3"}, {"spines", "2"}};
        std::vector<std::array<int64_t, WEFT_DELAYS + 2>> first;
        for (int plain = 0; plain < 2; plain++) {
            weft_rng again = weft_rng_stream(seed, "messages", 0);
            World w("leaf-spine", topo, s, control);
            w.lose = [&, losses = weft_rng_stream(seed, "losses", 0)](
                         uint32_t, const weft_engine_pkt_view &) mutable {
                return lossy && weft_rng_below(&losses, 2000) == 0;
            };
            if (!lossy)
                w.lose = nullptr;
            if (plain) /* told of queues, every transmission is an event */
                w.config.hooks.queue = [](void *, int64_t, uint32_t, uint32_t, uint64_t) {};
            else
                w.config.hooks.pfc_late = 1;
            w.Build();
            for (int i = 0; i < 40; i++) {
                const uint32_t src = weft_rng_below(&again, 9),
                               step = 1 + weft_rng_below(&again, 8);
                w.Send(src, i % 3 ? (src + step) % 9 : (src ? 0 : 1),
                       weft_rng_below(&again, 300000), i);
                ASSERT_EQ(weft_engine_run(w.e, 2 * (i + 1) * WEFT_PS_PER_US), 0);
                weft_engine_set_now(w.e, 2 * (i + 1) * WEFT_PS_PER_US);
            }
            w.Run();
            ASSERT_EQ(w.acked.size(), 40u) << seed;
            std::vector<std::array<int64_t, WEFT_DELAYS + 2>> all;
            for (const auto &d : w.acked) {
                EXPECT_EQ(Sum(d), Beyond(d)) << "seed " << seed << " message " << d.id;
                std::array<int64_t, WEFT_DELAYS + 2> row = {(int64_t)d.id, d.received_ps};
                for (int k = 0; k < WEFT_DELAYS; k++) {
                    EXPECT_GE(d.delay_ps[k], 0);
                    row[2 + k] = d.delay_ps[k];
                    seen[k] += d.delay_ps[k];
                }
                EXPECT_EQ(d.delay_ps[WEFT_DELAY_LOSS] > 0 && w.Totals().retx_packets == 0, false);
                EXPECT_EQ(d.delay_ps[WEFT_DELAY_PAUSE] > 0 && w.Totals().pfc_pauses == 0, false);
                all.push_back(row);
            }
            if (plain && !lossy) { /* losses are drawn in another order */
                EXPECT_EQ(all, first) << "seed " << seed;
            }
            first = all;
        }
    }
    for (int k = 0; k < WEFT_DELAYS; k++)
        EXPECT_GT(seen[k], 0) << "cause " << k;
}

} // namespace
