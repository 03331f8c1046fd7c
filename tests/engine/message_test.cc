// SPDX-License-Identifier: GPL-2.0-only
// Messages on idle paths: times worked out by hand, to the picosecond.
#include "world.h"

#include "ns3-module/engine/core/stable.h"

namespace
{

const Settings DUMBBELL_100G = {{"left", "2"},
                                {"right", "2"},
                                {"host-rate", "100Gbps"},
                                {"host-delay", "1us"},
                                {"bottleneck-rate", "100Gbps"},
                                {"bottleneck-delay", "1us"}};

} // namespace

// 1,000,000 B = 244 packets of 4096 B and one of 576 B. On the wire 4096 + 62 + 20 = 4178 B and 658
// B; at 80 ps per
// byte 334,240 ps and 52,640 ps. Three links: the first packet pays three serialisations, each
// other full one follows one
// serialisation later, the short one waits behind its predecessor at each hop:
// 246 x 334,240 + 52,640 + 3 x 1,000,000 = 85,275,680 ps.
TEST(Message, OneMegabyteOverADumbbellTakesTheSumOfItsSerialisationsAndDelays)
{
    World w("dumbbell", DUMBBELL_100G);
    w.Build();
    w.Send(0, 2, 1000000, 7);
    w.Run();
    ASSERT_EQ(w.received.size(), 1u);
    EXPECT_EQ(w.received[0].received_ps, 85275680);
    EXPECT_EQ(w.received[0].ideal_ps, 85275680);
    EXPECT_EQ(w.received[0].msg.tag, 7u);
    // The ACK of the last packet: 66 + 20 = 86 B = 6,880 ps on each of three links. It can meet
    // only the ACKs before it,
    // which left at least one short packet (52,640 ps) earlier.
    ASSERT_EQ(w.acked.size(), 1u);
    EXPECT_EQ(w.acked[0].acked_ps, 85275680 + 3 * (6880 + 1000000));
    auto t = w.Totals();
    EXPECT_EQ(t.sent[WEFT_PKT_DATA], 245u);
    EXPECT_EQ(t.sent[WEFT_PKT_ACK], 245u);
    EXPECT_EQ(t.packet_hops, 245u * 3 * 2);
    EXPECT_EQ(t.packets_in_flight, 0u);
}

// One 64-byte frame at most rates: (1 payload + 3 pad + 62 -> 66) + 20 = 86 B.
TEST(Message, OneByteIsPaddedAndExactAtEveryRate)
{
    const struct {
        const char *rate;
        int64_t ps;
    } cases[] = {{"10Gbps", 68800}, {"25Gbps", 27520}, {"40Gbps", 17200}, {"100Gbps", 6880},
                 {"400Gbps", 1720}, {"800Gbps", 860},  {"1.6Tbps", 430}};
    for (auto &c : cases) {
        World w("single-switch", {{"hosts", "2"}, {"rate", c.rate}, {"delay", "1ns"}});
        w.Build();
        w.Send(0, 1, 1);
        w.Run();
        ASSERT_EQ(w.received.size(), 1u);
        EXPECT_EQ(w.received[0].received_ps, 2 * (c.ps + 1000)) << c.rate;
    }
}

TEST(Message, ZeroBytesStillCostsOnePacket)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "0"}});
    w.Build();
    w.Send(0, 1, 0);
    w.Run();
    ASSERT_EQ(w.received.size(), 1u);
    EXPECT_EQ(w.received[0].received_ps, 2 * (64 + 20) * 80); // padded to the 64-byte minimum
    EXPECT_EQ(w.Totals().bytes_received, 0u);
}

// A slow link in the middle: 100 G, 25 G, 100 G. Full packet 334,240 / 1,336,960 ps.
TEST(Message, SlowMiddleLinkSetsThePace)
{
    Settings s = DUMBBELL_100G;
    s[4].second = "25Gbps";
    World w("dumbbell", s);
    w.Build();
    w.Send(0, 2, 10 * 4096);
    w.Run();
    EXPECT_EQ(w.received.at(0).received_ps, 334240 + 10 * 1336960 + 334240 + 3000000);
    EXPECT_EQ(w.received[0].ideal_ps, w.received[0].received_ps);
}

// A link of 40 s and another of 30 s: far beyond the fast queue's window of 1.1 s.
TEST(Message, LinksLongerThanTheEventWindow)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1s"}},
            {{"transport.rto", "100s"}, {"pfc.enabled", "off"}});
    w.fabric->links[0].delay_ps = 40 * WEFT_PS_PER_S;
    w.fabric->links[1].delay_ps = 30 * WEFT_PS_PER_S;
    w.Build();
    w.Send(0, 1, 3 * 4096);
    w.Run(WEFT_PS_PER_S, 1000 * WEFT_PS_PER_S);
    ASSERT_EQ(w.acked.size(), 1u);
    EXPECT_EQ(w.received[0].received_ps, 70 * WEFT_PS_PER_S + 4 * 334240);
}

TEST(Message, MessagesOfOneQpArriveInOrderAndShareTheLine)
{
    World w("dumbbell", DUMBBELL_100G);
    w.Build();
    for (uint64_t i = 0; i < 20; i++)
        w.Send(0, 2, 1000 * (i % 5) + i, i);
    w.Run();
    ASSERT_EQ(w.received.size(), 20u);
    for (uint64_t i = 0; i < 20; i++)
        EXPECT_EQ(w.received[i].msg.tag, i);
    EXPECT_EQ(w.acked.size(), 20u);
    EXPECT_EQ(w.Totals().qps, 1u);
}

// Two QPs of one NIC alternate packet by packet. The first was alone when its first packet left, so
// the order on the link
// is A A B A B A B ... : A's 100th packet is number 197 (from 0), B's is number 199.
TEST(Message, QpsOfOneNicShareRoundRobin)
{
    World w("dumbbell", DUMBBELL_100G);
    w.Build();
    w.Send(0, 2, 100 * 4096);
    w.Send(0, 3, 100 * 4096);
    w.Run();
    ASSERT_EQ(w.received.size(), 2u);
    EXPECT_EQ(w.received[0].received_ps, (198 + 2) * 334240 + 3000000);
    EXPECT_EQ(w.received[1].received_ps, (200 + 2) * 334240 + 3000000);
}

/* 100 packets of 334,240 ps over three links of 1 us: the k-th is there 3 us and k + 2 of them
 * after the start. */
TEST(Message, WhatHasArrivedIsKnownPacketByPacket)
{
    World w("dumbbell", DUMBBELL_100G);
    w.Build();
    w.Send(0, 2, 100 * 4096 - 96);
    const int64_t packet = 334240, way = 3 * 1000000 + 2 * packet;
    for (int k : {1, 2, 50, 99}) {
        ASSERT_EQ(weft_engine_run(w.e, way + k * packet), 0); /* not what is due then */
        EXPECT_EQ(weft_engine_arrived_bytes(w.e), (k - 1) * 4096u);
        ASSERT_EQ(weft_engine_run(w.e, way + k * packet + 1), 0);
        EXPECT_EQ(weft_engine_arrived_bytes(w.e), k * 4096u);
        EXPECT_EQ(w.Totals().bytes_received, 0u);
    }
    w.Send(0, 3, 4096); /* beside it */
    w.Run();
    EXPECT_EQ(weft_engine_arrived_bytes(w.e), 101 * 4096u - 96);
    EXPECT_EQ(weft_engine_arrived_bytes(w.e), w.Totals().bytes_received);
}

TEST(Message, BiggerThanFourGigabytes)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "1.6Tbps"}, {"delay", "1us"}},
            {{"transport.mtu", "9216B"}});
    w.Build();
    const uint64_t bytes = UINT64_C(5) << 30;
    w.Send(0, 1, bytes);
    w.Run(WEFT_PS_PER_S);
    ASSERT_EQ(w.received.size(), 1u);
    EXPECT_EQ(w.Totals().bytes_received, bytes);
    EXPECT_EQ(w.received[0].received_ps, w.received[0].ideal_ps);
}

// ACKs every 16 packets and at the end: 100 packets are 6 x 16 + the last 4.
TEST(Message, AcksAreCoalesced)
{
    World w("dumbbell", DUMBBELL_100G, {{"transport.ack-every", "16"}});
    w.Build();
    w.Send(0, 2, 100 * 4096);
    w.Run();
    EXPECT_EQ(w.Totals().sent[WEFT_PKT_ACK], 7u);
    EXPECT_EQ(w.acked.size(), 1u);
}

// A window of two packets on a path whose round trip is far longer: two packets per round trip.
// Round trip of a packet: 3 x (334,240 + 1 us) there, 3 x (6,880 + 1 us) back = 7,023,360 ps.
// Packets 0 and 1 leave at 0 and
// 334,240; each ACK releases the next packet. Packet 2k leaves at k x 7,023,360.
TEST(Message, StaticWindowWaitsForAcks)
{
    World w("dumbbell", DUMBBELL_100G, {}, "static-window", {{"window", "8192B"}});
    w.Build();
    w.Send(0, 2, 20 * 4096);
    w.Run();
    const int64_t rtt = 3 * (334240 + 1000000) + 3 * (6880 + 1000000);
    EXPECT_EQ(w.received.at(0).received_ps, 9 * rtt + 334240 + 3 * (334240 + 1000000));
}

TEST(Message, PrioritiesHaveQpsOfTheirOwnAndStrictOnesGoFirst)
{
    World w("dumbbell", DUMBBELL_100G);
    w.Build();
    w.Send(0, 2, 100 * 4096, 1, 3);
    w.Send(0, 2, 100 * 4096, 2, 7); // 7 is strict by default
    w.Run();
    EXPECT_EQ(w.Totals().qps, 2u);
    ASSERT_EQ(w.received.size(), 2u);
    EXPECT_EQ(w.received[0].msg.tag, 2u);
    // one packet of the other class was already on the wire
    EXPECT_EQ(w.received[0].received_ps, (1 + 100 + 2) * 334240 + 3000000);
}

TEST(Message, TwoClassesThatAreNotStrictShareTheLinkEvenly)
{
    World w("dumbbell", DUMBBELL_100G, {{"pfc.prios", "12"}});
    w.Build();
    w.Send(0, 2, 400 * 4096, 1, 2);
    w.Send(1, 2, 400 * 4096, 2, 3);
    w.Run();
    ASSERT_EQ(w.received.size(), 2u);
    const int64_t both = 800 * 334240;
    EXPECT_NEAR(static_cast<double>(w.received[0].received_ps), static_cast<double>(both),
                0.02 * both);
}

TEST(Message, TimersFireInOrderAndAtTheirTime)
{
    World w("single-switch", {{"hosts", "2"}});
    w.Build();
    static std::vector<std::pair<int64_t, uint64_t>> fired;
    fired.clear();
    auto fn = [](void *ctx, uint64_t arg) {
        fired.emplace_back(weft_engine_now(static_cast<weft_engine *>(ctx)), arg);
    };
    weft_err err = {};
    ASSERT_EQ(weft_engine_timer(w.e, 500, fn, w.e, 1, &err), 0);
    ASSERT_EQ(weft_engine_timer(w.e, 100, fn, w.e, 2, &err), 0);
    ASSERT_EQ(weft_engine_timer(w.e, 500, fn, w.e, 3, &err), 0);
    w.Run();
    const std::vector<std::pair<int64_t, uint64_t>> want = {{100, 2}, {500, 1}, {500, 3}};
    EXPECT_EQ(fired, want);
    EXPECT_EQ(weft_engine_timer(w.e, 10, fn, w.e, 4, &err), WEFT_E_INTERNAL); // the past
}

TEST(Message, WrongEndpointsAreErrors)
{
    World w("single-switch", {{"hosts", "2"}});
    w.Build();
    weft_err err = {};
    weft_msg m = {0, 2, 1, 0, 0, UINT32_MAX};
    EXPECT_EQ(weft_engine_send(w.e, &m, nullptr, &err), WEFT_E_INPUT);
    m.dst = 0;
    EXPECT_EQ(weft_engine_send(w.e, &m, nullptr, &err), WEFT_E_INPUT);
    m.dst = 1;
    m.prio = 8;
    EXPECT_EQ(weft_engine_send(w.e, &m, nullptr, &err), WEFT_E_INPUT);
}
