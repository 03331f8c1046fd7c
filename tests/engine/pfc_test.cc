// SPDX-License-Identifier: GPL-2.0-only
// PFC on the wire: pause times in quanta, refresh, lost PAUSE and RESUME frames.
#include "world.h"

#include <map>

namespace
{

constexpr uint32_t SENDERS = 16;
constexpr uint64_t BYTES = 500000;
const Settings SWITCH_17 = {{"hosts", "17"}, {"rate", "100Gbps"}, {"delay", "1us"}};

Settings Engine(const std::string &quanta, const std::string &refresh = "1/2")
{
    return {{"switch.buffer", "6MiB"},
            {"pfc.quanta", quanta},
            {"pfc.refresh", refresh},
            {"transport.rto", "1ms"},
            {"transport.retry-max", "0"}};
}

void Post(World &w)
{
    for (uint32_t s = 0; s < SENDERS; s++)
        w.Send(s, SENDERS, BYTES, s);
}

// Longest stretch from a pause to the resume at the same port.
int64_t LongestPause(const World &w)
{
    std::map<uint32_t, int64_t> since;
    int64_t longest = 0;
    for (auto &p : w.pfc) {
        if (p.pause)
            since[p.port] = p.t;
        else
            longest = std::max(longest, p.t - since.at(p.port));
    }
    return longest;
}

struct Lost {
    int which;      // 1: pauses, 0: resumes
    uint64_t after; // lose those after the first so many
    uint64_t seen, lost;
} g_lost;

int Lose(void *, uint32_t, const weft_engine_pkt_view *v)
{
    if (v->kind != WEFT_PKT_PFC || v->pause != g_lost.which || g_lost.seen++ < g_lost.after)
        return 0;
    g_lost.lost++;
    return 1;
}

} // namespace

// Quanta large enough that no pause expires, and refreshed late enough that none is refreshed:
// the same results as without pause times.
TEST(Pfc, LongPauseTimesChangeNothing)
{
    std::vector<int64_t> ends[2];
    for (int k = 0; k < 2; k++) {
        World w("single-switch", SWITCH_17, Engine(k ? "65535" : "0", "1"));
        w.Build();
        Post(w);
        w.Run();
        for (auto &d : w.acked)
            ends[k].push_back(d.acked_ps);
        EXPECT_GT(w.Totals().pfc_pauses, 0u);
        EXPECT_EQ(w.Totals().pfc_pauses, w.Totals().pfc_resumes);
        EXPECT_EQ(w.Totals().drops[WEFT_DROP_HEADROOM], 0u);
        // 65535 x 512 bits at 10 ps a bit
        EXPECT_LT(LongestPause(w), INT64_C(65535) * 5120);
        EXPECT_EQ(w.Totals().pfc_refreshes, 0u);
    }
    EXPECT_EQ(ends[0], ends[1]);
}

// Every frame after the first pause is lost, so that one pause ends by itself after
// 100 x 512 bit times of 10 ps = 512,000 ps.
TEST(Pfc, APauseExpiresAfterItsQuanta)
{
    World w("single-switch", SWITCH_17, Engine("100"));
    g_lost = {1, 1, 0, 0};
    w.config.hooks.lose = Lose;
    w.Build();
    Post(w);
    w.Run();
    ASSERT_EQ(w.pfc.size(), 2u);
    EXPECT_EQ(w.pfc[0].pause, 1);
    EXPECT_EQ(w.pfc[1].pause, 0);
    EXPECT_EQ(w.pfc[1].port, w.pfc[0].port);
    EXPECT_EQ(w.pfc[1].t - w.pfc[0].t, 512000);
    EXPECT_GT(g_lost.lost, 0u);
    EXPECT_EQ(w.acked.size(), SENDERS); // what found no headroom was sent again
}

// The congestion lasts far longer than one pause time: refreshed every half of it, no port wakes
// early.
TEST(Pfc, RefreshKeepsAPortPaused)
{
    World w("single-switch", SWITCH_17, Engine("200")); // 1.024 us
    w.Build();
    Post(w);
    w.Run();
    auto t = w.Totals();
    EXPECT_GT(t.pfc_refreshes, 0u);
    EXPECT_EQ(t.sent[WEFT_PKT_PFC], t.pfc_pauses + t.pfc_resumes + t.pfc_refreshes);
    EXPECT_GT(LongestPause(w), 1024000);
    EXPECT_EQ(t.drops[WEFT_DROP_HEADROOM], 0u);
    EXPECT_EQ(t.retx_packets, 0u);
    EXPECT_EQ(w.acked.size(), SENDERS);
    EXPECT_EQ(weft_engine_next(w.e), WEFT_NEVER);
}

TEST(Pfc, LostResumesStallForEverWithoutPauseTimesOnly)
{
    for (bool expires : {false, true}) {
        World w("single-switch", SWITCH_17, Engine(expires ? "1000" : "0"));
        g_lost = {0, 0, 0, 0};
        w.config.hooks.lose = Lose;
        w.Build();
        Post(w);
        w.Run(50 * WEFT_PS_PER_US, 100 * WEFT_PS_PER_MS);
        EXPECT_GT(g_lost.lost, 0u);
        EXPECT_EQ(w.Totals().drops[WEFT_DROP_ERROR], g_lost.lost);
        if (expires)
            EXPECT_EQ(w.acked.size(), SENDERS);
        else
            EXPECT_LT(w.acked.size(), SENDERS);
    }
}

// One frame in twenty is lost on the links of the senders: data, ACKs, pauses and resumes.
TEST(Pfc, LossyLinksToTheSendersDoNotStall)
{
    World w("single-switch", SWITCH_17, Engine("65535"));
    for (uint32_t s = 0; s < SENDERS; s++)
        w.fabric->links[s].error_rate = 0.05;
    w.Build();
    Post(w);
    w.Run();
    EXPECT_EQ(w.received.size(), SENDERS);
    EXPECT_EQ(w.acked.size(), SENDERS);
    EXPECT_GT(w.Totals().drops[WEFT_DROP_ERROR], 0u);
}

TEST(Pfc, QuantaAreSixteenBits)
{
    EXPECT_THROW(World("single-switch", SWITCH_17, {{"pfc.quanta", "65536"}}), std::runtime_error);
    EXPECT_THROW(World("single-switch", SWITCH_17, {{"pfc.refresh", "2"}}), std::runtime_error);
}
