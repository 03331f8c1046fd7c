// SPDX-License-Identifier: GPL-2.0-only
// 32 senders to one receiver: lossless with PFC, lossy without; ECN and CNPs; determinism.
#include "world.h"

#include <map>

namespace
{

constexpr uint32_t SENDERS = 32;
constexpr uint64_t BYTES = 1000000;

const Settings SWITCH_33 = {{"hosts", "33"}, {"rate", "100Gbps"}, {"delay", "1us"}};

void Incast(World &w)
{
    for (uint32_t s = 0; s < SENDERS; s++)
        w.Send(s, SENDERS, BYTES, s);
    w.Run();
}

uint64_t Drops(const struct weft_totals &t)
{
    return t.drops[WEFT_DROP_BUFFER] + t.drops[WEFT_DROP_HEADROOM] + t.drops[WEFT_DROP_ERROR];
}

} // namespace

TEST(Incast, WithPfcNothingIsDroppedAndTheReceiverLinkIsNeverIdle)
{
    World w("single-switch", SWITCH_33, {{"switch.buffer", "12MiB"}});
    w.Build();
    Incast(w);
    auto t = w.Totals();
    EXPECT_EQ(Drops(t), 0u);
    EXPECT_GT(t.pfc_pauses, 0u);
    EXPECT_EQ(t.pfc_pauses, t.pfc_resumes);
    EXPECT_EQ(t.bytes_received, SENDERS * BYTES);
    EXPECT_EQ(t.retx_packets, 0u);
    EXPECT_EQ(w.received.size(), SENDERS);
    EXPECT_EQ(w.acked.size(), SENDERS);
    // The receiver's link carries 32 x (244 x 4178 + 658) B back to back at 80 ps/B after the first
    // packet's
    // 334,240 ps + 1 us on the way to the switch, and takes 1 us: 2,611,430,400 + 1,334,240 +
    // 1,000,000 ps. Pauses must not starve it.
    int64_t last = 0;
    for (auto &d : w.received)
        last = std::max(last, d.received_ps);
    EXPECT_EQ(last, INT64_C(32) * (244 * 4178 + 658) * 80 + 334240 + 2000000);
}

TEST(Incast, PausesAndResumesAlternateAtEachPort)
{
    World w("single-switch", SWITCH_33, {{"switch.buffer", "12MiB"}});
    w.Build();
    Incast(w);
    std::map<std::pair<uint32_t, uint32_t>, int> state;
    for (auto &p : w.pfc) {
        int &s = state[{p.port, p.prio}];
        EXPECT_NE(s, p.pause) << "port " << p.port;
        s = p.pause;
        EXPECT_EQ(p.prio, 3u);
    }
    for (auto &[k, s] : state)
        EXPECT_EQ(s, 0) << "port " << k.first << " stays paused";
    uint64_t pauses = 0;
    for (uint32_t i = 0; i < w.fabric->nports; i++) {
        struct weft_port_counters st;
        weft_engine_port_stats(w.e, i, &st);
        pauses += st.pauses;
        EXPECT_EQ(st.pauses > 0, st.paused_ps > 0) << "port " << i;
    }
    EXPECT_EQ(pauses, w.Totals().pfc_pauses);
}

TEST(Incast, WithoutPfcDropsAreCountedAndEveryMessageStillCompletes)
{
    World w("single-switch", SWITCH_33,
            {{"switch.buffer", "4MiB"}, {"pfc.enabled", "off"}, {"transport.rto", "1ms"}});
    static uint64_t hooked;
    hooked = 0;
    w.config.hooks.drop = [](void *, int64_t, uint32_t, weft_drop_reason why,
                             const weft_engine_pkt_view *v) {
        EXPECT_EQ(why, WEFT_DROP_BUFFER);
        EXPECT_EQ(v->kind, WEFT_PKT_DATA);
        EXPECT_EQ(v->dst_host, SENDERS);
        hooked++;
    };
    w.Build();
    Incast(w);
    auto t = w.Totals();
    EXPECT_GT(t.drops[WEFT_DROP_BUFFER], 0u);
    EXPECT_EQ(t.drops[WEFT_DROP_BUFFER], hooked);
    EXPECT_EQ(t.pfc_pauses, 0u);
    EXPECT_GT(t.retx_packets, 0u);
    EXPECT_GT(t.sent[WEFT_PKT_NACK], 0u);
    EXPECT_EQ(t.bytes_received, SENDERS * BYTES);
    EXPECT_EQ(w.acked.size(), SENDERS);
    uint64_t retx = 0;
    for (auto &d : w.acked)
        retx += d.retx_bytes;
    EXPECT_GT(retx, 0u);
}

TEST(Incast, MarksRaiseCnpsOnlyForAControlThatNeedsThem)
{
    World none("single-switch", SWITCH_33);
    none.Build();
    Incast(none);
    EXPECT_EQ(none.Totals().ecn_marks, 0u);
    EXPECT_EQ(none.Totals().sent[WEFT_PKT_CNP], 0u);

    World w("single-switch", SWITCH_33, {}, "dcqcn");
    w.Build();
    Incast(w);
    auto t = w.Totals();
    EXPECT_GT(t.ecn_marks, 0u);
    EXPECT_GT(t.sent[WEFT_PKT_CNP], 0u);
    EXPECT_LT(t.sent[WEFT_PKT_CNP], t.ecn_marks); // at most one per QP and interval
    EXPECT_EQ(w.acked.size(), SENDERS);
    EXPECT_EQ(Drops(t), 0u);
}

// RED: below Kmin nothing, above Kmax everything.
TEST(Incast, MarkingFollowsKminAndKmax)
{
    for (bool enqueue : {false, true}) {
        World w("single-switch", {{"hosts", "3"}, {"rate", "100Gbps"}, {"delay", "1us"}},
                {{"ecn.kmin", "100KB"},
                 {"ecn.kmax", "100KB"},
                 {"ecn.scale-rate", "0"},
                 {"ecn.at-enqueue", enqueue ? "on" : "off"}},
                "dcqcn", {});
        static weft_engine *engine;
        static uint64_t wrong;
        wrong = 0;
        w.config.hooks.ecn_mark = [](void *, int64_t, uint32_t port, const weft_engine_pkt_view *) {
            wrong += weft_engine_queue_bytes(engine, port, 3) <= 100000;
        };
        w.Build();
        engine = w.e;
        w.Send(0, 2, 4000000);
        w.Send(1, 2, 4000000);
        w.Run();
        EXPECT_GT(w.Totals().ecn_marks, 0u);
        EXPECT_EQ(wrong, 0u);
    }
}

TEST(Incast, SameSeedSameResultOtherSeedOtherMarks)
{
    auto run = [](uint64_t seed) {
        World w("leaf-spine", {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}}, {},
                "dcqcn", {}, seed);
        w.Build();
        for (uint32_t s = 0; s < 15; s++)
            w.Send(s, 15, 300000, s);
        w.Run();
        std::vector<int64_t> times;
        for (auto &d : w.acked) {
            times.push_back(static_cast<int64_t>(d.id));
            times.push_back(d.received_ps);
            times.push_back(d.acked_ps);
        }
        times.push_back(static_cast<int64_t>(w.Totals().events));
        return times;
    };
    EXPECT_EQ(run(1), run(1));
    EXPECT_NE(run(1), run(2));
}

TEST(Incast, RunningInSmallStepsChangesNothing)
{
    auto run = [](int64_t step) {
        World w("single-switch", SWITCH_33, {{"switch.buffer", "12MiB"}}, "dcqcn");
        w.Build();
        for (uint32_t s = 0; s < SENDERS; s++)
            w.Send(s, SENDERS, 100000, s);
        w.Run(step);
        std::vector<int64_t> times;
        for (auto &d : w.acked)
            times.push_back(d.acked_ps);
        return times;
    };
    EXPECT_EQ(run(1000), run(WEFT_PS_PER_S));
}
