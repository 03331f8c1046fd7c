// SPDX-License-Identifier: GPL-2.0-only
// Lossy links: whatever is lost (data, ACK, NACK, CNP, PFC frames excepted), every message
// completes exactly once.
#include "world.h"

TEST(Loss, EveryMessageCompletesExactlyOnceOnBadLinks)
{
    for (double rate : {0.001, 0.02, 0.2}) {
        World w("dumbbell", {{"left", "4"}, {"right", "4"}},
                {{"transport.rto", "100us"},
                 {"transport.nack-interval", "20us"},
                 {"transport.retry-max", "0"},
                 {"pfc.enabled", "off"}},
                "dcqcn");
        for (uint32_t l = 0; l < w.fabric->nlinks; l++)
            w.fabric->links[l].error_rate = rate;
        w.Build();
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t m = 0; m < 5; m++)
                w.Send(i, 4 + (i + m) % 4, 50000 + m, i * 10 + m);
        w.Run();
        auto t = w.Totals();
        EXPECT_GT(t.drops[WEFT_DROP_ERROR], 0u) << rate;
        EXPECT_EQ(w.received.size(), 20u);
        EXPECT_EQ(w.acked.size(), 20u);
        EXPECT_EQ(t.bytes_received, t.bytes_posted);
        EXPECT_GT(t.retx_packets, 0u);
    }
}

// A single packet on a link that loses everything: retransmissions at rto, then doubled each time.
TEST(Loss, TimeoutBacksOff)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}},
            {{"transport.rto", "100us"}, {"transport.rto-backoff-max", "3"}});
    w.fabric->links[0].error_rate = 1.0;
    w.Build();
    w.Send(0, 1, 100);
    w.Run(WEFT_PS_PER_US, 3100 * WEFT_PS_PER_US);
    // sent at 0, then at 100, 300, 700, 1500, 2300, 3100 us (doubling 1, 2, 4, 8, 8, 8 x 100 us)
    EXPECT_EQ(w.Totals().rtos, 5u);
    EXPECT_EQ(weft_engine_next(w.e), 3100 * WEFT_PS_PER_US);
    EXPECT_EQ(w.received.size(), 0u);
    struct Said {
        std::string text;
    } said;
    uint64_t n = weft_engine_explain(
        w.e, 10, [](void *c, const char *s) { static_cast<Said *>(c)->text += s; }, &said);
    EXPECT_EQ(n, 1u);
    EXPECT_NE(said.text.find("h0 -> h1"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find("retransmission at"), std::string::npos) << said.text;
}

// The timer must not fire, nor be seen, when everything was acknowledged in time.
TEST(Loss, NoTimeoutWithoutLoss)
{
    World w("single-switch", {{"hosts", "2"}}, {{"transport.rto", "10us"}});
    w.Build();
    w.Send(0, 1, 10000000);
    w.Run();
    EXPECT_EQ(w.Totals().rtos, 0u);
    EXPECT_EQ(weft_engine_next(w.e), WEFT_NEVER);
    EXPECT_EQ(weft_engine_now(w.e), w.acked.at(0).acked_ps);
}

// One data packet lost in the middle: one NACK, everything from the gap on is sent again.
TEST(Loss, OneGapOneNack)
{
    World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}, {"delay", "1us"}});
    // lose roughly one packet in 200 on the first link only, over 400 packets
    w.fabric->links[0].error_rate = 0.005;
    w.Build();
    w.Send(0, 1, 400 * 4096);
    w.Run();
    auto t = w.Totals();
    ASSERT_GT(t.drops[WEFT_DROP_ERROR], 0u);
    EXPECT_EQ(w.acked.size(), 1u);
    EXPECT_LE(t.sent[WEFT_PKT_NACK], t.drops[WEFT_DROP_ERROR]);
    EXPECT_GT(w.acked[0].retx_bytes, 0u);
}

// The link is dead: after the configured number of timeouts the run ends and says which QP gave up.
TEST(Loss, AQpThatCannotMakeProgressEndsTheRun)
{
    World w("single-switch", {{"hosts", "2"}},
            {{"transport.rto", "100us"}, {"transport.retry-max", "2"}});
    w.fabric->links[1].error_rate = 1.0;
    w.Build();
    w.Send(0, 1, 100);
    EXPECT_EQ(weft_engine_run(w.e, WEFT_NEVER), WEFT_E_OUTCOME);
    const weft_err *err = weft_engine_error(w.e);
    EXPECT_NE(std::string(err->msg).find("h0 -> h1"), std::string::npos) << err->msg;
    EXPECT_EQ(weft_engine_now(w.e), 700 * WEFT_PS_PER_US); // 100, then 200, then 400 us
    EXPECT_EQ(w.Totals().rtos, 3u);
}
