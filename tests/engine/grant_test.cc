// SPDX-License-Identifier: GPL-2.0-only
// Credit that receivers grant: at most the rate of their port, in turn, and to the end, whatever is
// lost on the way.
#include "once.h"
#include "world.h"

#include <algorithm>
#include <map>
#include <random>

namespace
{

constexpr int64_t US = WEFT_PS_PER_US;
constexpr uint64_t KIB = 1024;

const Settings kSwitch = {{"hosts", "9"}, {"rate", "100Gbps"}, {"delay", "1us"}};

Settings Lossy(const std::string &recovery, bool trims = true, const Settings &more = {})
{
    Settings s = {{"pfc.enabled", "false"},
                  {"transport.recovery", recovery},
                  {"transport.ack-prio", "6"},
                  {"switch.reserve", "0B"},
                  {"switch.egress-limit", "180KB"},
                  {"switch.egress-threshold", "static"},
                  {"switch.trim-prios", trims ? "8" : "0"}};
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

void Incast(World &w, uint64_t bytes)
{
    for (uint32_t h = 0; h < 8; h++)
        w.Send(h, 8, bytes);
    w.Run();
}

/// Times and amounts of all grants.
struct Grants {
    std::vector<std::pair<int64_t, uint64_t>> sent; // new quanta
    std::map<uint32_t, uint64_t> to;
    std::vector<uint8_t> events;
    void Listen(World &w)
    {
        w.user = this;
        events.assign(w.fabric->nports, 1 << WEFT_PKT_SENT);
        w.config.hooks.packet_events = events.data();
        w.config.hooks.packet = [](void *c, int64_t t, uint32_t, weft_pkt_event,
                                   const weft_engine_pkt_view *v) {
            if (v->kind != WEFT_PKT_GRANT || v->hops)
                return;
            auto *g = static_cast<Grants *>(static_cast<World *>(c)->user);
            uint64_t &before = g->to[v->qpn];
            EXPECT_GE(v->psn, before);
            g->sent.emplace_back(t, v->psn - before);
            before = v->psn;
        };
    }
};

} // namespace

TEST(Grant, MakesAtMostTheRateOfThePort)
{
    World w("single-switch", kSwitch, Lossy("rud"), "rccc");
    Grants g;
    g.Listen(w);
    w.Build();
    Incast(w, 1024 * KIB);
    ExpectAllOnceInOrder(w, "incast");
    ASSERT_GT(g.sent.size(), 8u * 64);
    double quanta = 0;
    for (auto &[t, n] : g.sent) {
        EXPECT_LE(quanta * 256, 0.99 * 12.5e-3 * double(t - g.sent[0].first) + 400) << t;
        quanta += double(n);
    }
    // 1.5 BDP unasked, and a packet of debt, is all that is granted beyond what was sent
    EXPECT_LT(quanta * 256, 8.0 * 1024 * 1024 * 1.03 + 8 * 1.5 * 60000);
    EXPECT_EQ(w.Totals().drops[WEFT_DROP_BUFFER], 0u);
    EXPECT_EQ(w.Totals().sent[WEFT_PKT_GRANT], g.sent.size());
}

// What is granted ahead is bounded by what was asked for, or 16 MiB, and ends: a BDP beyond all
// that is ever sent is not granted to the last byte.
TEST(Grant, NotMuchBeyondWhatWasEverAskedFor)
{
    for (const uint64_t mib : {1u, 40u}) {
        World w("single-switch", kSwitch, Lossy("rud", true, {{"transport.bdp", "1TB"}}), "rccc");
        w.Build();
        w.Send(0, 8, mib * 1024 * KIB);
        w.Run();
        ExpectAllOnceInOrder(w, "one");
        const uint64_t ahead = std::max<uint64_t>(mib, 16) * 1024 / 16;
        EXPECT_GE(w.Totals().sent[WEFT_PKT_GRANT], ahead);
        // headers are asked for, too
        EXPECT_LE(double(w.Totals().sent[WEFT_PKT_GRANT]),
                  1.05 * double(ahead + mib * 1024 / 16) + 100);
    }
}

// All get the same, so all end together; the first burst is all that is cut.
TEST(Grant, IsFair)
{
    World w("single-switch", kSwitch, Lossy("rud"), "rccc");
    w.Build();
    Incast(w, 4096 * KIB);
    ExpectAllOnceInOrder(w, "incast");
    int64_t first = INT64_MAX, last = 0;
    for (auto &d : w.received) {
        first = std::min(first, d.received_ps);
        last = std::max(last, d.received_ps);
    }
    EXPECT_LT(double(last), 1.02 * double(first));
    EXPECT_LT(double(last), 1.03 * 8 * 1024 * 4182 * 80) << "the link is full to the end";
    EXPECT_LT(w.Totals().trims, 400u);
}

// So do EQDS and NDP, where the receiver grants packet by packet, and NDP's receivers nothing that
// was not asked for.
TEST(Grant, EqdsAndNdpAreFairToo)
{
    for (const char *name : {"eqds", "ndp"}) {
        World w("single-switch", kSwitch, Lossy("rud"), "rccc", Preset("rccc", name));
        Grants g;
        g.Listen(w);
        w.Build();
        Incast(w, 4096 * KIB);
        ExpectAllOnceInOrder(w, name);
        int64_t first = INT64_MAX, last = 0;
        for (auto &d : w.received) {
            first = std::min(first, d.received_ps);
            last = std::max(last, d.received_ps);
        }
        EXPECT_LT(double(last), 1.02 * double(first)) << name;
        EXPECT_LT(double(last), 1.02 * 8 * 1024 * 4182 * 80) << name;
        EXPECT_LT(w.Totals().trims, 300u) << name;
        uint64_t most = 0, all = 0;
        for (auto &[t, n] : g.sent) {
            most = std::max(most, n);
            all += n;
        }
        EXPECT_EQ(most, name == std::string("ndp") ? 17u : 16u) << "a packet, in quanta";
        if (name == std::string("ndp")) {
            EXPECT_LE(all * 256, w.Totals().sent[WEFT_PKT_DATA] * 4186 + 8 * 255)
                << "no more than has been sent";
        }
    }
}

// What is left of a quantum lets one packet go, which asks for the others; of an empty message,
// too.
TEST(Grant, LaterMessagesAsk)
{
    for (const char *idle : {"0", "1.5"}) {
        World w("single-switch", kSwitch, Lossy("rud"), "rccc", {{"idle-credit", idle}});
        w.Build();
        for (uint64_t n : {1000 * KIB, UINT64_C(1), UINT64_C(0), 10 * KIB}) {
            w.Send(0, 8, n);
            w.Run();
        }
        ExpectAllOnceInOrder(w, idle);
        EXPECT_EQ(w.Totals().rtos, 0u) << idle;
    }
}

// Eight senders get 16 KiB each in turn at a hundredth of 100 Gbps: a turn takes 1.05 ms. One that
// waits asks again after 100, 200, 400 ... us; with the fourth doubling, 1.6 ms, its grant is there
// first, also in the 15 turns to come. Asking every 100 us they would ask 1,300 times.
TEST(Grant, WhoWaitsAsksEverMoreSeldom)
{
    World w("single-switch", kSwitch,
            Lossy("rud", true, {{"transport.rto", "100us"}, {"transport.rto-backoff-max", "0"}}),
            "rccc", {{"grant-rate", "0.01"}});
    w.Build();
    Incast(w, 256 * KIB);
    ExpectAllOnceInOrder(w, "slow grants");
    EXPECT_GE(w.Totals().sent[WEFT_PKT_REQUEST], 8u * 3);
    EXPECT_LE(w.Totals().sent[WEFT_PKT_REQUEST], 8u * 8);
}

// Grants, requests, data, ACKs and NACKs get lost: all comes to its end, under each recovery.
class GrantLoss : public testing::TestWithParam<const char *>
{
};

TEST_P(GrantLoss, WhateverIsLostAllArrives)
{
    Settings rules = {{"idle-credit", "0"}};
    if (*GetParam())
        rules = Preset("rccc", GetParam());
    for (const std::string recovery : kRecoveries)
        for (bool trims : {true, false})
            for (uint64_t every : {1, 4}) {
                const std::string what =
                    recovery + (trims ? " trim " : " drop ") + std::to_string(every);
                World w("single-switch", kSwitch,
                        Lossy(recovery, trims,
                              {{"transport.rto", "100us"},
                               {"transport.ack-every", std::to_string(every)}}),
                        "rccc", rules);
                std::mt19937 rng(7);
                w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
                    const bool credit = v.kind == WEFT_PKT_GRANT || v.kind == WEFT_PKT_REQUEST;
                    return rng() % 1000 < (credit ? 100u : 10u);
                };
                w.Build();
                Incast(w, 300 * KIB);
                Incast(w, 20 * KIB);
                ExpectAllOnceInOrder(w, what);
                if (GetParam() != std::string("eqds")) { // which has credit ahead
                    EXPECT_GT(w.Totals().sent[WEFT_PKT_REQUEST], 0u) << what;
                }
            }
}

INSTANTIATE_TEST_SUITE_P(Rules, GrantLoss, testing::Values("", "eqds", "ndp"),
                         [](const auto &info) {
                             return std::string(*info.param ? info.param : "defaults");
                         });

// The same with a window besides.
TEST(Grant, WithAWindowAllArrivesToo)
{
    for (const std::string recovery : kRecoveries)
        for (bool trims : {true, false}) {
            const std::string what = recovery + (trims ? " trim" : " drop");
            World w("single-switch", kSwitch, Lossy(recovery, trims, {{"transport.rto", "100us"}}),
                    "nscc", {{"credit", "true"}, {"idle-credit", "0"}});
            std::mt19937 rng(7);
            w.lose = [&](uint32_t, const weft_engine_pkt_view &v) {
                const bool credit = v.kind == WEFT_PKT_GRANT || v.kind == WEFT_PKT_REQUEST;
                return rng() % 1000 < (credit ? 100u : 10u);
            };
            w.Build();
            Incast(w, 300 * KIB);
            Incast(w, 20 * KIB);
            ExpectAllOnceInOrder(w, what);
            EXPECT_GT(w.Totals().sent[WEFT_PKT_GRANT], 0u) << what;
        }
}

// All trims are at the last hop, and nothing is marked: the window never shrinks, credit decides.
TEST(Grant, TrimsAtTheLastHopLeaveTheWindowAlone)
{
    int64_t last[2] = {0, 0};
    uint64_t trims[2] = {0, 0};
    for (int both : {0, 1}) {
        World w("single-switch", kSwitch,
                Lossy("rud", true, {{"ecn.kmin", "100MB"}, {"ecn.kmax", "100MB"}}),
                both ? "nscc" : "rccc", both ? Settings{{"credit", "true"}} : Settings{});
        w.Build();
        Incast(w, 1024 * KIB);
        ExpectAllOnceInOrder(w, both ? "both" : "credit");
        trims[both] = w.Totals().trims;
        for (auto &d : w.received)
            last[both] = std::max(last[both], d.received_ps);
    }
    EXPECT_GT(trims[1], 50u);
    EXPECT_NEAR(double(trims[1]), double(trims[0]), 0.1 * double(trims[0]));
    EXPECT_NEAR(double(last[1]), double(last[0]), 0.002 * double(last[0]));
}

// A link fails for a while and comes back.
TEST(Grant, LinksFailAndReturn)
{
    World w("leaf-spine", {{"leaves", "2"}, {"spines", "2"}, {"hosts-per-leaf", "4"}},
            Lossy("rud", true, {{"transport.rto", "100us"}}), "rccc");
    w.Build();
    weft_err err = {};
    for (uint32_t h = 0; h < 4; h++)
        w.Send(h, 4, 2048 * KIB);
    for (int i = 0; i < 6; i++) {
        ASSERT_EQ(weft_engine_run(w.e, (i + 1) * 20 * US), 0);
        for (uint32_t link : {4u, 9u})
            ASSERT_EQ(SetLink(w.e, link, i % 2 != 0, &err), 0) << err.msg;
    }
    w.Run();
    ExpectAllOnceInOrder(w, "links");
}

TEST(Grant, SmallCreditDoesNotStopAnything)
{
    World w("single-switch", kSwitch, Lossy("rud"), "rccc",
            {{"max-credit", "0.01"}, {"grant", "256B"}, {"idle-credit", "0"}});
    w.Build();
    Incast(w, 100 * KIB);
    ExpectAllOnceInOrder(w, "small credit");
}
