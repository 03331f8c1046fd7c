// SPDX-License-Identifier: GPL-2.0-only
// Lossless at every combination of link rates from 10 Gbps to 1.6 Tbps, and 1000-to-1 incasts.
#include "world.h"

#include <algorithm>

namespace
{

const std::vector<uint64_t> GBPS = {10, 25, 40, 50, 100, 200, 400, 800, 1600};
constexpr int64_t DELAY = 1000000;
constexpr int64_t WIRE = 4178; // a packet of 4096 B with headers and gap

// ps to send one wire byte; whole for each of the rates
int64_t PsPerByte(uint64_t gbps)
{
    EXPECT_EQ(8000 % gbps, 0u);
    return static_cast<int64_t>(8000 / gbps);
}

void SetRate(World &w, uint32_t host, uint64_t gbps)
{
    w.fabric->links[host].rate_bps = gbps * UINT64_C(1000000000);
}

void ExpectNothingLost(const World &w, uint64_t messages)
{
    auto t = w.Totals();
    for (uint64_t d : t.drops)
        EXPECT_EQ(d, 0u);
    EXPECT_EQ(t.retx_packets, 0u);
    EXPECT_EQ(t.rtos, 0u);
    EXPECT_EQ(t.pfc_pauses, t.pfc_resumes);
    EXPECT_EQ(w.received.size(), messages);
    EXPECT_EQ(w.acked.size(), messages);
}

int64_t LastReceived(const World &w)
{
    int64_t last = 0;
    for (auto &d : w.received)
        last = std::max(last, d.received_ps);
    return last;
}

} // namespace

// N packets through a switch, in at rate a, out at rate b, 1 us of delay each. The slower link
// sends without a break from its first packet to its last: a <= b: N on the first link, the last
// one once more on the second; a > b: the first one on the first link, N on the second. PFC holds
// back what does not fit the buffer, and must neither lose a packet nor let the slower link run
// dry.
TEST(Rates, EveryPairIsLosslessAndTakesTheClosedFormToThePicosecond)
{
    constexpr int64_t N = 1000;
    for (uint64_t a : GBPS) {
        for (uint64_t b : GBPS) {
            SCOPED_TRACE(std::to_string(a) + "G in, " + std::to_string(b) + "G out");
            World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}},
                    {{"switch.buffer", "4MiB"}, {"transport.rto", "100ms"}});
            SetRate(w, 0, a);
            SetRate(w, 1, b);
            w.Build();
            w.Send(0, 1, N * 4096);
            w.Run();
            ExpectNothingLost(w, 1);
            int64_t slow = N * WIRE * PsPerByte(std::min(a, b)),
                    fast = WIRE * PsPerByte(std::max(a, b));
            EXPECT_EQ(LastReceived(w), slow + fast + 2 * DELAY);
            EXPECT_EQ(w.Totals().pfc_pauses > 0, a > b);
        }
    }
}

// Nine senders, one of each rate, to a receiver of each rate.
TEST(Rates, AMixedIncastIsLosslessAtEveryReceiver)
{
    for (uint64_t b : GBPS) {
        SCOPED_TRACE(std::to_string(b) + "G receiver");
        World w("single-switch", {{"hosts", "10"}, {"rate", "100Gbps"}, {"delay", "1us"}},
                {{"switch.buffer", "8MiB"}, {"transport.rto", "100ms"}});
        for (uint32_t s = 0; s < GBPS.size(); s++)
            SetRate(w, s, GBPS[s]);
        SetRate(w, 9, b);
        w.Build();
        for (uint32_t s = 0; s < GBPS.size(); s++)
            w.Send(s, 9, 1000 * 4096, s);
        w.Run();
        ExpectNothingLost(w, GBPS.size());
        EXPECT_GT(w.Totals().pfc_pauses, 0u);
        // No sooner than the receiver's link and the slowest sender's allow.
        int64_t receiver = 9 * 1000 * WIRE * PsPerByte(b), sender = 1000 * WIRE * PsPerByte(10);
        EXPECT_GE(LastReceived(w), std::max(receiver, sender) + 2 * DELAY);
    }
}

// 1000 x 64 KiB at 100 Gbps. 1001 ports need 1001 x (37,628 + 8 x 4096) = 70.5 MB of headroom and
// reserve. The receiver's link is busy from the first packet's arrival to the end: 16,000 x 334,240
// ps.
TEST(Rates, Incast1000To1DropsNothing)
{
    World w("single-switch", {{"hosts", "1001"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            {{"switch.buffer", "80MiB"}});
    w.Build();
    for (uint32_t s = 0; s < 1000; s++)
        w.Send(s, 1000, 65536, s);
    w.Run(WEFT_PS_PER_MS);
    ExpectNothingLost(w, 1000);
    EXPECT_GT(w.Totals().pfc_pauses, 0u);
    EXPECT_EQ(LastReceived(w), WIRE * 80 + DELAY + 16000 * WIRE * 80 + DELAY);
}

// 256 KiB each through 32 leaves and 4 spines: pauses spread from the receiver's leaf to every leaf
// and host.
TEST(Rates, Incast1000To1OverTwoTiersDropsNothing)
{
    World w("leaf-spine",
            {{"leaves", "32"}, {"spines", "4"}, {"hosts-per-leaf", "32"}, {"host-rate", "100Gbps"}},
            {{"switch.buffer", "6MiB"}, {"transport.rto", "100ms"}});
    w.Build();
    for (uint32_t s = 0; s < 1000; s++)
        w.Send(s, 1023, 262144, s);
    w.Run(WEFT_PS_PER_MS);
    ExpectNothingLost(w, 1000);
    EXPECT_GE(LastReceived(w), 64000 * WIRE * 80);
    EXPECT_LE(LastReceived(w), 64000 * WIRE * 80 * 1001 / 1000);
    uint64_t hosts = 0, switches = 0;
    for (uint32_t i = 0; i < w.fabric->nports; i++) {
        struct weft_port_counters st;
        weft_engine_port_stats(w.e, i, &st);
        (w.fabric->nodes[w.fabric->ports[i].node].kind == WEFT_NODE_HOST ? hosts : switches) +=
            st.pauses > 0;
    }
    EXPECT_GT(hosts, 0u);
    EXPECT_GT(switches, 4u); // leaves are paused by spines, spines by the receiver's leaf
}

// Every priority lossless, tiny packets, short links, no reserve and a static limit so low that
// each packet raises XOFF: headroom is as small as it can be, and the PFC frames of eight
// priorities queue behind each other.
TEST(Rates, EightLosslessPrioritiesInTheLeastHeadroom)
{
    for (const char *delay : {"1ns", "50ns", "1us"}) {
        World w("single-switch", {{"hosts", "9"}, {"rate", "100Gbps"}, {"delay", delay}},
                {{"pfc.prios", "255"},
                 {"transport.mtu", "256B"},
                 {"switch.reserve", "0"},
                 {"pfc.xon-offset", "0"},
                 {"switch.threshold", "static"},
                 {"switch.limit", "300B"},
                 {"switch.strict-prios", "0"}});
        w.Build();
        uint64_t n = 0;
        for (uint32_t s = 0; s < 9; s++)
            for (uint32_t prio = 0; prio < 8; prio++, n++)
                w.Send(s, (s + 1 + prio % 3) % 9, 20000, n, prio);
        w.Run();
        ExpectNothingLost(w, n);
        EXPECT_GT(w.Totals().pfc_pauses, 100u);
    }
}

// Rates of a few bits per second: times are exact, and the end of the clock is an error.
TEST(Rates, FewBitsPerSecond)
{
    for (uint64_t bps : {1, 2, 1000, 1899, 29000, 1000000}) {
        World w("single-switch", {{"hosts", "2"}},
                {{"transport.rto", "100s"}, {"transport.mtu", "4096B"}});
        for (uint32_t h = 0; h < 2; h++)
            w.fabric->links[h].rate_bps = bps;
        w.Build();
        w.Send(0, 1, 4096);
        ASSERT_EQ(weft_engine_run(w.e, WEFT_NEVER), 0) << weft_engine_error(w.e)->msg;
        ASSERT_EQ(w.received.size(), 1u);
        // 2^-20 ps per byte of rounding
        EXPECT_NEAR(double(w.received[0].received_ps), 2 * (WIRE * 8e12 / double(bps) + DELAY), 2)
            << bps;
        EXPECT_EQ(w.received[0].received_ps, w.received[0].ideal_ps);
    }
}

TEST(Rates, TheEndOfTheClockIsAnError)
{
    World w("single-switch", {{"hosts", "2"}}, {{"transport.rto", "100s"}});
    for (uint32_t h = 0; h < 2; h++)
        w.fabric->links[h].rate_bps = 1;
    w.Build();
    w.Send(0, 1, 1000000);
    EXPECT_EQ(weft_engine_run(w.e, WEFT_NEVER), WEFT_E_LIMIT);
    EXPECT_NE(std::string(weft_engine_error(w.e)->msg).find("simulated time has come to"),
              std::string::npos);
    EXPECT_GT(weft_engine_now(w.e), WEFT_NEVER / 4);
}
