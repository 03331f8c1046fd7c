// SPDX-License-Identifier: GPL-2.0-only
// Loss recovery: whatever is lost, under each recovery every message completes exactly once and in
// order; and each recovery sends again what its source says, no more.
#include "once.h"

#include "base/rng.h"
#include "ns3-module/engine/transport/psn_set.h"

#include <map>
#include <set>

namespace
{
Settings Lossy(const std::string &recovery, const Settings &more = {})
{
    Settings s = {{"transport.recovery", recovery},    {"transport.chunk", "16KiB"},
                  {"transport.rto", "100us"},          {"transport.rto-low", "50us"},
                  {"transport.nack-interval", "20us"}, {"transport.retry-max", "0"},
                  {"transport.rto-backoff-max", "2"},  {"pfc.enabled", "off"}};
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

// Four senders, four receivers, ten QPs with messages of 1 to 31 packets and empty ones.
void SendMany(World &w)
{
    for (uint32_t m = 0; m < 8; m++)
        for (uint32_t i = 0; i < 4; i++)
            w.Send(i, 4 + (i + m % 2) % 4, m == 5 ? 0 : 125000 / (1 + 7 * (m % 3)) + m, i * 10 + m);
}
} // namespace

TEST(Recovery, WhateverKindIsLostEveryMessageCompletesOnce)
{
    for (const std::string recovery : kRecoveries)
        for (auto kind : {WEFT_PKT_DATA, WEFT_PKT_ACK, WEFT_PKT_NACK, WEFT_PKT_CNP})
            for (double rate : {0.01, 0.1, 0.3})
                for (uint64_t seed : {1, 2, 3}) {
                    World w("dumbbell", {{"left", "4"}, {"right", "4"}},
                            Lossy(recovery, {{"ecn.kmin", "4KB"}, {"ecn.kmax", "20KB"}}), "dcqcn",
                            {}, seed);
                    weft_rng rng = weft_rng_stream(seed, "test-loss", 0);
                    uint64_t lost = 0;
                    w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
                        // NACKs come of lost data only
                        double p = v.kind == kind                                     ? rate
                                   : kind == WEFT_PKT_NACK && v.kind == WEFT_PKT_DATA ? 0.02
                                                                                      : 0;
                        bool yes = p > 0 && weft_rng_f64(&rng) < p;
                        lost += yes && v.kind == kind;
                        return yes;
                    };
                    w.Build();
                    SendMany(w);
                    w.Run();
                    std::string what = recovery + " losing " + weft_pkt_kind_name(kind) + " at " +
                                       std::to_string(rate) + ", seed " + std::to_string(seed);
                    ExpectAllOnceInOrder(w, what);
                    EXPECT_TRUE(lost > 0 || rate < 0.05 ||
                                (kind == WEFT_PKT_NACK && !HasNacks(recovery)))
                        << what;
                    if (HasFailure())
                        return;
                }
}

TEST(Recovery, EveryKindLostAtOnce)
{
    for (const std::string recovery : kRecoveries)
        for (const char *ackEvery : {"1", "4"})
            for (const char *chunk : {"0", "1B", "20KB"})
                for (uint64_t seed = 1; seed <= 6; seed++) {
                    World w("dumbbell", {{"left", "4"}, {"right", "4"}},
                            Lossy(recovery,
                                  {{"transport.ack-every", ackEvery}, {"transport.chunk", chunk}}),
                            "dcqcn", {}, seed);
                    for (uint32_t l = 0; l < w.fabric->nlinks; l++)
                        w.fabric->links[l].error_rate = 0.003 * double(seed);
                    w.Build();
                    SendMany(w);
                    w.Run();
                    EXPECT_GT(w.Totals().drops[WEFT_DROP_ERROR], 0u);
                    ExpectAllOnceInOrder(w, recovery + " chunk " + chunk + " seed " +
                                                std::to_string(seed));
                    if (HasFailure())
                        return;
                }
}

// Only data is lost, the cap of one BDP keeps a QP quiet before its timer expires: what is sent
// again is what was lost.
TEST(Recovery, SelectiveRepeatSendsAgainOnlyWhatWasLost)
{
    uint64_t total = 0;
    for (double rate : {0.001, 0.01, 0.1, 0.4})
        for (uint64_t seed = 1; seed <= 5; seed++) {
            World w("dumbbell", {{"left", "4"}, {"right", "4"}},
                    Lossy("selective-repeat",
                          {{"transport.rto", "1ms"}, {"transport.rto-low", "500us"}}),
                    "none", {}, seed);
            weft_rng rng = weft_rng_stream(seed, "test-loss", 0);
            w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
                return v.kind == WEFT_PKT_DATA && weft_rng_f64(&rng) < rate;
            };
            w.Build();
            SendMany(w);
            w.Run();
            ExpectAllOnceInOrder(w, std::to_string(rate));
            auto t = w.Totals();
            EXPECT_EQ(t.drops[WEFT_DROP_BUFFER], 0u);
            EXPECT_EQ(t.retx_packets, t.drops[WEFT_DROP_ERROR]) << rate << " seed " << seed;
            total += t.retx_packets;
        }
    EXPECT_GT(total, 100u);
}

namespace
{
// h0 -> h1 through a switch, 5 packets and then 100; packet 5 + 53 is lost once on the first link.
// Returns the packet numbers that h0 put on its link.
std::vector<uint64_t> LoseOne(World &w, const std::vector<uint64_t> &lost = {58})
{
    std::vector<uint64_t> sent;
    std::set<uint64_t> todo(lost.begin(), lost.end());
    const uint32_t port = w.fabric->nodes[w.fabric->hosts[0]].first_port;
    w.lose = [&](uint32_t p, const weft_engine_pkt_view &v) {
        if (p != port || v.kind != WEFT_PKT_DATA)
            return false;
        sent.push_back(v.psn);
        return todo.erase(v.psn) == 1;
    };
    w.Build();
    w.Send(0, 1, 5 * 4096);
    w.Send(0, 1, 100 * 4096);
    w.Run();
    ExpectAllOnceInOrder(w, "one lost");
    return sent;
}

// The first packet sent again.
uint64_t FirstRepeat(const std::vector<uint64_t> &sent)
{
    std::set<uint64_t> seen;
    for (uint64_t psn : sent)
        if (!seen.insert(psn).second)
            return psn;
    return UINT64_MAX;
}

const Settings kPair = {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}};
} // namespace

TEST(Recovery, WhereEachRestarts)
{
    World n("single-switch", kPair, {{"transport.recovery", "go-back-n"}});
    EXPECT_EQ(FirstRepeat(LoseOne(n)), 58u);

    // chunks of 16 packets from the first of the message: 5, 21, 37, 53
    World c("single-switch", kPair,
            {{"transport.recovery", "go-back-0"}, {"transport.chunk", "64KiB"}});
    auto sent = LoseOne(c);
    EXPECT_EQ(FirstRepeat(sent), 53u);
    EXPECT_EQ(c.Totals().retx_packets, n.Totals().retx_packets + 5);
    EXPECT_EQ(c.Totals().rtos, 0u);

    // no chunks: the message, not the one before it
    World m("single-switch", kPair, {{"transport.recovery", "go-back-0"}});
    EXPECT_EQ(FirstRepeat(LoseOne(m)), 5u);

    World s("single-switch", kPair, {{"transport.recovery", "selective-repeat"}});
    sent = LoseOne(s);
    EXPECT_EQ(FirstRepeat(sent), 58u);
    EXPECT_EQ(s.Totals().retx_packets, 1u);
    EXPECT_EQ(sent.size(), 106u);
    EXPECT_LT(s.acked.at(1).acked_ps, n.acked.at(1).acked_ps);
}

// Several holes, the last one among packets sent during the recovery: repeats in order, one each,
// new packets in between, no timer.
TEST(Recovery, SelectiveRepeatFillsHolesInOrder)
{
    World w("single-switch", kPair, {{"transport.recovery", "selective-repeat"}});
    const std::vector<uint64_t> holes = {10, 11, 14, 30, 35, 36};
    auto sent = LoseOne(w, holes);
    std::vector<uint64_t> repeats;
    std::set<uint64_t> seen;
    for (uint64_t psn : sent)
        if (!seen.insert(psn).second)
            repeats.push_back(psn);
    EXPECT_EQ(repeats, holes);
    EXPECT_EQ(w.Totals().rtos, 0u);
}

// Messages behind a lost one arrive but complete with it, in order.
TEST(Recovery, MessagesBehindAGapWait)
{
    World w("single-switch", kPair,
            {{"transport.recovery", "selective-repeat"}, {"transport.bdp-fc", "false"}});
    bool lost = false;
    w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
        bool yes = v.kind == WEFT_PKT_DATA && v.psn == 1 && !lost;
        lost |= yes;
        return yes;
    };
    w.Build();
    for (int i = 0; i < 10; i++)
        w.Send(0, 1, 100);
    w.Run();
    ExpectAllOnceInOrder(w, "small messages");
    EXPECT_LT(w.received.at(0).received_ps, w.received.at(1).received_ps);
    for (int i = 2; i < 10; i++)
        EXPECT_EQ(w.received.at(i).received_ps, w.received.at(1).received_ps);
    EXPECT_EQ(w.Totals().retx_packets, 1u);
}

TEST(Recovery, BdpFlowControlCapsWhatIsInFlight)
{
    for (bool on : {true, false}) {
        World w("single-switch", kPair,
                {{"transport.recovery", "selective-repeat"},
                 {"transport.bdp", "40960B"},
                 {"transport.bdp-fc", on ? "true" : "false"}});
        w.lose = [](uint32_t, const weft_engine_pkt_view &v) { return v.kind != WEFT_PKT_DATA; };
        w.Build();
        w.Send(0, 1, 100 * 4096);
        w.Run(WEFT_PS_PER_US, 3000 * WEFT_PS_PER_US);
        EXPECT_EQ(w.Totals().sent[WEFT_PKT_DATA], on ? 10u : 100u);
        EXPECT_EQ(w.Totals().rtos, 0u);
    }
}

// All packets of a message are lost once. 3 in flight: rto-low after the first; 4: rto.
TEST(Recovery, ShortTimeoutForFewPackets)
{
    for (uint64_t n : {1, 3, 4}) {
        World w("single-switch", kPair,
                {{"transport.recovery", "selective-repeat"},
                 {"transport.rto", "1ms"},
                 {"transport.rto-low", "100us"}});
        uint64_t seen = 0;
        w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
            return v.kind == WEFT_PKT_DATA && seen++ < n;
        };
        w.Build();
        w.Send(0, 1, n * 4096);
        w.Run();
        ExpectAllOnceInOrder(w, "tail");
        int64_t rto = (n <= 3 ? 100 : 1000) * WEFT_PS_PER_US;
        EXPECT_EQ(w.received.at(0).received_ps, rto + w.received.at(0).ideal_ps) << n;
        EXPECT_EQ(w.Totals().rtos, 1u);
        EXPECT_EQ(w.Totals().retx_packets, n);
    }
}

TEST(Recovery, WithoutLossAllAreTheSame)
{
    std::vector<int64_t> times;
    for (const std::string recovery : kRecoveries) {
        World w("dumbbell", {{"left", "4"}, {"right", "4"}},
                {{"transport.recovery", recovery}, {"transport.bdp-fc", "false"}}, "dcqcn");
        w.Build();
        SendMany(w);
        w.Run();
        ExpectAllOnceInOrder(w, recovery);
        EXPECT_EQ(w.Totals().retx_packets, 0u);
        for (auto &d : w.acked)
            times.push_back(d.acked_ps);
    }
    const size_t n = times.size() / std::size(kRecoveries);
    for (size_t i = 0; i < times.size(); i++)
        EXPECT_EQ(times[i], times[i % n]) << kRecoveries[i / n];
}

TEST(PsnSet, BehavesAsASetThatRises)
{
    psn_set s = {};
    std::set<uint64_t> model;
    weft_rng rng = weft_rng_stream(7, "psn-set", 0);
    uint64_t base = 0;
    for (int i = 0; i < 20000; i++) {
        uint64_t psn = base + uint64_t(weft_rng_f64(&rng) * (i < 10000 ? 50 : 700));
        ASSERT_TRUE(psn_set_add(&s, psn));
        model.insert(psn);
        if (weft_rng_f64(&rng) < 0.2) {
            base += uint64_t(weft_rng_f64(&rng) * 100);
            psn_set_rise(&s, base);
            model.erase(model.begin(), model.lower_bound(base));
        }
        ASSERT_EQ(s.n, model.size());
        for (uint64_t p = base > 5 ? base - 5 : 0; p < base + 800; p += 1 + i % 7)
            ASSERT_EQ(psn_set_has(&s, p), model.count(p) == 1) << p;
    }
    psn_set_free(&s);
}
