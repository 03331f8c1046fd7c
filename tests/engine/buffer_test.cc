// SPDX-License-Identifier: GPL-2.0-only
// The shared buffer: thresholds per priority, static and dynamic, and pools, against numbers worked
// by hand.
//
// A sender of 100 Gbps fills the ingress of a switch whose other port sends at 10 Gbps. A full
// packet is 4158 B in the buffer and 4178 B on the wire: 334,240 ps at 100 Gbps. Packet n has
// arrived at n x 334,240 ps + 1 us, and by then ceil((n - 1) / 10) packets have begun to leave, so
// that the ingress holds n - ceil((n - 1) / 10) packets, 4096 B of which are its reserve. XOFF
// waits for nothing, takes (64 + 20) x 80 ps = 6,720 ps and 1 us.
#include "world.h"

#include <algorithm>

namespace
{

constexpr int64_t PACKET = 334240;

// When the pause takes effect that the arrival of packet n raises.
constexpr int64_t PausedBy(int64_t n)
{
    return n * PACKET + 1000000 + 6720 + 1000000;
}

// Hosts 0 and 1 have 100 Gbps, the others 10 Gbps.
Settings Hosts(int n)
{
    return {{"hosts", std::to_string(n)}, {"rate", "100Gbps"}, {"delay", "1us"}};
}

void SlowReceivers(World &w)
{
    for (uint32_t i = 2; i < w.fabric->nlinks; i++)
        w.fabric->links[i].rate_bps = UINT64_C(10000000000);
}

struct Lossless {
    int64_t pausedAt = -1; // first pause
    struct weft_totals totals;
    std::vector<int64_t> ends;
};

// One message of 2 MB from host 0 to host 2, with, perhaps, a lossy one of priority 0 from 1 to 3.
Lossless Fill(const Settings &engine, uint32_t prio, bool flood = false, int hosts = 3)
{
    Settings all = {{"switch.buffer", "2MiB"}, {"transport.rto", "20ms"}};
    all.insert(all.end(), engine.begin(), engine.end());
    World w("single-switch", Hosts(hosts), all);
    SlowReceivers(w);
    w.Build();
    w.Send(0, 2, 2000000, 0, prio);
    if (flood)
        w.Send(1, 3, 2000000, 1, 0);
    w.Run();
    Lossless l;
    for (auto &p : w.pfc) {
        EXPECT_EQ(p.prio, prio);
        if (l.pausedAt < 0)
            l.pausedAt = p.t;
    }
    l.totals = w.Totals();
    EXPECT_EQ(w.acked.size(), flood ? 2u : 1u);
    EXPECT_EQ(l.totals.drops[WEFT_DROP_HEADROOM], 0u);
    for (auto &d : w.acked)
        l.ends.push_back(d.acked_ps);
    return l;
}

// The largest egress queue of a lossy priority, and the largest sum over ports of what the queues
// hold beyond the reserve, while 100 Gbps flow to each of so many ports of 10 Gbps.
struct Queues {
    uint64_t largest = 0, sum = 0;
    uint64_t drops = 0;
};

Queues Overflow(const Settings &engine, uint32_t receivers, uint32_t prio = 0)
{
    struct Watch {
        World *w;
        Queues q;
        uint32_t prio;
    } watch;
    Settings all = {{"switch.alpha", "64"},
                    {"switch.lossy-alpha", "64"},
                    {"transport.rto", "1ms"},
                    {"transport.retry-max", "0"}};
    all.insert(all.end(), engine.begin(), engine.end());
    World w("single-switch", Hosts(4), all);
    SlowReceivers(w);
    watch.w = &w;
    watch.prio = prio;
    w.config.hooks.queue = [](void *c, int64_t, uint32_t, uint32_t prio, uint64_t bytes) {
        // hooks.ctx is the world; the watch sits in its user pointer
        auto *x = static_cast<Watch *>(static_cast<World *>(c)->user);
        if (prio != x->prio)
            return;
        uint64_t sum = 0;
        for (uint32_t i = 0; i < x->w->fabric->nports; i++) {
            uint64_t q = weft_engine_queue_bytes(x->w->e, i, prio);
            sum += q > 4096 ? q - 4096 : 0;
        }
        x->q.largest = std::max(x->q.largest, bytes);
        x->q.sum = std::max(x->q.sum, sum);
    };
    w.user = &watch;
    w.Build();
    for (uint32_t r = 0; r < receivers; r++)
        w.Send(r, 2 + r, 250 * 4096, r, prio);
    w.Run();
    EXPECT_EQ(w.acked.size(), receivers);
    watch.q.drops = w.Totals().drops[WEFT_DROP_BUFFER];
    return watch.q;
}

} // namespace

// limit 200 KB: with 50 packets the ingress holds 50 x 4158 - 4096 = 203,804 B, with 49 it doesn't
// exceed; 50 are reached by packet 56 (6 have left). 100 KB: 26, by packet 29 (3 have left).
TEST(Buffer, StaticLimitsPerPriority)
{
    const Settings s = {{"pfc.prios", "24"},
                        {"switch.threshold", "static"},
                        {"switch.limit", "200KB"},
                        {"switch.limit-map", "4:100KB"}};
    EXPECT_EQ(Fill(s, 3).pausedAt, PausedBy(56));
    EXPECT_EQ(Fill(s, 4).pausedAt, PausedBy(29));
}

// 2 MiB - 2 x (2 x 37,712 + 15,212) of headroom - 3 x 8 x 4096 of reserve = S = 1,817,576 B.
// alpha 1/8: XOFF at held >= S / 9 = 201,953: 50 packets, by packet 56. alpha 1/2: at S / 3 =
// 605,859: 147 packets (607,130 B), by packet 164 (17 have left).
TEST(Buffer, AlphaPerPriority)
{
    const Settings s = {{"pfc.prios", "24"}, {"switch.alpha-map", "4:1/2"}};
    EXPECT_EQ(Fill(s, 3).pausedAt, PausedBy(56));
    EXPECT_EQ(Fill(s, 4).pausedAt, PausedBy(164));
    const Settings swapped = {
        {"pfc.prios", "24"}, {"switch.alpha", "1/2"}, {"switch.alpha-map", "3:1/8"}};
    EXPECT_EQ(Fill(swapped, 3).pausedAt, PausedBy(56));
    EXPECT_EQ(Fill(swapped, 4).pausedAt, PausedBy(164));
}

// 2 MiB - (2 x 37,628 + 2 x 15,128) - 4 x 8 x 4096 = 1,860,568 B are shared. In one pool XOFF comes
// at a ninth, 206,730 B: 51 packets, by packet 57, and sooner when lossy traffic takes of it. In a
// half of its own it comes at 103,365 B: 26 packets, by packet 29, whatever the lossy traffic does.
TEST(Buffer, LossyTrafficTakesNothingOfTheLosslessPool)
{
    const Settings split = {{"switch.lossy-share", "0.5"}};
    Lossless alone = Fill({}, 3, false, 4), flooded = Fill({}, 3, true, 4);
    EXPECT_EQ(alone.pausedAt, PausedBy(57));
    EXPECT_LT(flooded.pausedAt, alone.pausedAt);
    Lossless splitAlone = Fill(split, 3, false, 4), splitFlooded = Fill(split, 3, true, 4);
    EXPECT_EQ(splitAlone.pausedAt, PausedBy(29));
    EXPECT_EQ(splitFlooded.pausedAt, PausedBy(29));
    EXPECT_GT(splitFlooded.totals.drops[WEFT_DROP_BUFFER], 0u);
    EXPECT_GT(splitFlooded.totals.retx_packets, 0u);
    EXPECT_EQ(splitAlone.totals.retx_packets, 0u);
    // The lossless message isn't delayed by the lossy one at another port.
    EXPECT_EQ(std::min(splitFlooded.ends[0], splitFlooded.ends[1]), splitAlone.ends[0]);
}

// Lossy priorities: a static limit of 60 KB beyond the reserve holds 15 packets, 62,370 B.
TEST(Buffer, StaticEgressLimits)
{
    Queues q =
        Overflow({{"switch.egress-threshold", "static"}, {"switch.egress-limit", "60KB"}}, 1);
    EXPECT_EQ(q.largest, 15u * 4158);
    EXPECT_GT(q.drops, 0u);
    q = Overflow({{"switch.egress-threshold", "static"},
                  {"switch.egress-limit", "60KB"},
                  {"switch.egress-limit-map", "1:20KB"}},
                 1, 1);
    EXPECT_EQ(q.largest, 5u * 4158); // 5 x 4158 - 4096 = 16,694; a sixth would make 20,852
}

// An egress pool of 100 KB. Packet k is taken while k x 4158 - 4096 <= alpha x (100,000 - ((k - 1)
// x 4158 - 4096)): 13 with alpha 1, 21 with 4. With a large static limit while the pool has
// room: 25.
TEST(Buffer, EgressPoolOfTheLossyPriorities)
{
    const Settings pool = {{"switch.egress-lossy-pool", "100KB"}};
    auto with = [&](Settings more) {
        more.insert(more.end(), pool.begin(), pool.end());
        return more;
    };
    EXPECT_EQ(Overflow(pool, 1).largest, 13u * 4158);
    EXPECT_EQ(Overflow(with({{"switch.egress-alpha", "4"}}), 1).largest, 21u * 4158);
    EXPECT_EQ(Overflow(with({{"switch.egress-alpha-map", "0:4"}}), 1).largest, 21u * 4158);
    const Settings fixed =
        with({{"switch.egress-threshold", "static"}, {"switch.egress-limit", "1MiB"}});
    EXPECT_EQ(Overflow(fixed, 1).largest, 25u * 4158);
    // Two ports share it.
    Queues two = Overflow(fixed, 2);
    EXPECT_LE(two.sum, 100000u);
    EXPECT_GT(two.sum, 100000u - 4158);
}

// One as large as the buffer changes nothing; one that is too small drops what PFC let in.
TEST(Buffer, EgressPoolOfTheLosslessPriorities)
{
    Lossless without = Fill({}, 3);
    Lossless large = Fill({{"switch.egress-lossless-pool", "2MiB"}}, 3);
    EXPECT_EQ(large.ends, without.ends);
    EXPECT_EQ(large.totals.drops[WEFT_DROP_BUFFER], 0u);
    EXPECT_GT(without.totals.pfc_pauses, 0u);
    Lossless small = Fill({{"switch.egress-lossless-pool", "100KB"}}, 3);
    EXPECT_GT(small.totals.drops[WEFT_DROP_BUFFER], 0u);
    EXPECT_EQ(small.pausedAt, -1);
    EXPECT_EQ(Overflow({{"switch.egress-lossless-pool", "100KB"}}, 1, 3).largest, 25u * 4158);
    // Per priority: with alpha 1 as above.
    EXPECT_EQ(
        Overflow({{"switch.egress-lossless-pool", "100KB"}, {"switch.egress-alpha-map", "3:1"}}, 1,
                 3)
            .largest,
        13u * 4158);
}

// pfc.response-time delays the effect of a frame by so much, and headroom makes up for it.
TEST(Buffer, HeadroomCoversTheResponseTime)
{
    EXPECT_EQ(Fill({{"switch.threshold", "static"},
                    {"switch.limit", "200KB"},
                    {"pfc.response-time", "3us"}},
                   3)
                  .pausedAt,
              PausedBy(56) + 3000000);
    for (bool covered : {true, false}) {
        World w("single-switch", Hosts(17),
                {{"switch.buffer", "8MiB"},
                 {"pfc.response-time", "5us"},
                 {"pfc.headroom", covered ? "0" : "37628B"}});
        w.Build();
        for (uint32_t s = 0; s < 16; s++)
            w.Send(s, 16, 500000, s);
        w.Run();
        EXPECT_GT(w.Totals().pfc_pauses, 0u);
        EXPECT_EQ(w.acked.size(), 16u);
        if (covered)
            EXPECT_EQ(w.Totals().drops[WEFT_DROP_HEADROOM], 0u);
        else
            EXPECT_GT(w.Totals().drops[WEFT_DROP_HEADROOM], 0u);
    }
}

// Curves per priority: nothing is marked at or below its own Kmin, everything above its own Kmax.
TEST(Buffer, MarkingPerPriority)
{
    struct Seen {
        World *w;
        uint64_t marks[8], smallest[8];
    } seen = {nullptr, {}, {}};
    World w("single-switch", Hosts(3),
            {{"pfc.prios", "56"},
             {"ecn.prio-map", "3:25KB:25KB:1,4:60KB:60KB:1,5:off"},
             {"ecn.scale-rate", "20Gbps"}},
            "dcqcn");
    SlowReceivers(w);
    w.config.hooks.ecn_mark = [](void *c, int64_t, uint32_t port, const weft_engine_pkt_view *v) {
        auto *s = static_cast<Seen *>(static_cast<World *>(c)->user);
        uint64_t q = weft_engine_queue_bytes(s->w->e, port, v->prio);
        s->smallest[v->prio] = s->marks[v->prio]++ ? std::min(s->smallest[v->prio], q) : q;
    };
    seen.w = &w;
    w.user = &seen;
    w.Build();
    for (uint32_t prio : {3u, 4u, 5u})
        w.Send(0, 2, 2000000, prio, prio);
    w.Run();
    // Half of that at 10 Gbps. The queue seen at dequeue is a multiple of 4158 B: 4 and 8 packets
    // are the first to exceed 12,500 B and 30,000 B.
    EXPECT_EQ(seen.smallest[3], 4u * 4158);
    EXPECT_EQ(seen.smallest[4], 8u * 4158);
    EXPECT_GT(seen.marks[3], 0u);
    EXPECT_GT(seen.marks[4], 0u);
    EXPECT_EQ(seen.marks[5], 0u);
    EXPECT_EQ(w.acked.size(), 3u);
}

// 3 ports x 700 KB are as good as 2100 KB in one, and the figures say so.
TEST(Buffer, PerPortIsTimesThePorts)
{
    const Lossless whole = Fill({{"switch.buffer", "2100KB"}}, 3);
    const Lossless parts = Fill({{"switch.buffer-per-port", "700KB"}}, 3);
    EXPECT_GT(whole.pausedAt, 0);
    EXPECT_EQ(whole.pausedAt, parts.pausedAt);
    EXPECT_EQ(whole.ends, parts.ends);
    EXPECT_LT(Fill({{"switch.buffer-per-port", "400KB"}}, 3).pausedAt, whole.pausedAt);
    World w("single-switch", Hosts(5), {{"switch.buffer-per-port", "375KB"}});
    weft_buffer_figures b;
    weft_engine_buffer_sums(&w.config, &b);
    EXPECT_EQ(b.buffer_bytes, 5u * 375000);
    World pool("single-switch", Hosts(2),
               {{"switch.buffer-per-port", "1MB"}, {"switch.egress-lossless-pool", "3MB"}});
    weft_err err = {};
    EXPECT_EQ(weft_engine_check_config(&pool.config, &err), WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("exceeds switch.buffer, 2 MB"), std::string::npos)
        << err.msg;
}
