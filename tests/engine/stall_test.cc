// SPDX-License-Identifier: GPL-2.0-only
// Telling runs whose packets go round without end from slow ones.
#include "world.h"

namespace
{

constexpr int64_t kMs = WEFT_PS_PER_MS;

// Runs with a look each half of `after`, until nothing gets on, nothing is left, or `end`. Returns
// what the last look said; *at: when.
weft_motion Watch(World &w, int64_t after, int64_t end, int64_t *at)
{
    weft_motion m = WEFT_MOTION_SOME;
    for (*at = after / 2;
         *at < end && m != WEFT_MOTION_STUCK && weft_engine_next(w.e) != WEFT_NEVER;
         *at += after / 2) {
        EXPECT_EQ(weft_engine_run(w.e, *at), 0) << weft_engine_error(w.e)->msg;
        weft_engine_set_now(w.e, *at);
        m = weft_engine_motion(w.e, *at, after);
    }
    return m;
}

std::vector<std::string> Explained(const World &w)
{
    std::vector<std::string> said;
    weft_engine_explain(
        w.e, 100,
        [](void *to, const char *s) { static_cast<std::vector<std::string> *>(to)->push_back(s); },
        &said);
    return said;
}

void BitErrors(World &w, double ber)
{
    weft_err err = {};
    weft_link_change c = {};
    c.link = 0;
    c.kind = WEFT_LINK_BIT_ERRORS;
    c.bit_error_rate = ber;
    ASSERT_EQ(weft_engine_change_links(w.e, &c, 1, &err), 0) << err.msg;
}

} // namespace

// One packet in thirty is lost. A message of 977, started anew at each loss, never arrives: that is
// said, at the same time in every run; the other recoveries bring it home.
TEST(Stall, GoBack0UnderBitErrorsIsFoundAndNamed)
{
    std::string first;
    for (const char *recovery :
         {"go-back-0", "go-back-0", "go-back-n", "selective-repeat", "out-of-order"}) {
        SCOPED_TRACE(recovery);
        World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}},
                {{"transport.recovery", recovery}, {"transport.rto", "100us"}});
        w.Build();
        BitErrors(w, 1e-6);
        w.Send(0, 1, 4000000, 7);
        int64_t at;
        const weft_motion m = Watch(w, kMs, 1000 * kMs, &at);
        weft_err err = {};
        EXPECT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
        const auto said = Explained(w);
        if (std::string(recovery) != "go-back-0") {
            EXPECT_EQ(m, WEFT_MOTION_NONE);
            EXPECT_EQ(w.acked.size(), 1u);
            EXPECT_TRUE(said.empty());
            continue;
        }
        EXPECT_EQ(m, WEFT_MOTION_STUCK);
        EXPECT_LT(at, 500 * kMs);
        ASSERT_EQ(said.size(), 1u);
        EXPECT_NE(said[0].find("h0 -> h1: message 0 of 4 MB (tag 7)"), std::string::npos)
            << said[0];
        EXPECT_NE(said[0].find("no progress since "), std::string::npos) << said[0];
        EXPECT_NE(said[0].find(" of 977; "), std::string::npos) << said[0];
        EXPECT_NE(said[0].find("(transport.recovery=go-back-0 starts anew after each loss)"),
                  std::string::npos)
            << said[0];
        EXPECT_EQ(first.empty() ? said[0] : first, said[0]);
        first = said[0];
    }
}

// Slow is not stuck: links on which a packet takes longer than the time allowed, queues that take
// longer to empty, timers that back off, links that are down and come back.
TEST(Stall, SlowIsNotStuck)
{
    int64_t at;
    {
        SCOPED_TRACE("links of 10 kbps: a packet takes 3.3 s on each");
        World w("single-switch", {{"hosts", "3"}, {"rate", "10kbps"}}, {{"transport.rto", "100s"}});
        w.Build();
        w.Send(0, 2, 40000);
        w.Send(1, 2, 40000);
        Watch(w, 100 * kMs, 1000 * WEFT_PS_PER_S, &at);
        EXPECT_EQ(w.acked.size(), 2u);
    }
    {
        SCOPED_TRACE("a slow link behind a fast one, full of packets sent again");
        World w("single-switch", {{"hosts", "2"}, {"rate", "100Gbps"}},
                {{"transport.rto", "1ms"},
                 {"transport.rto-backoff-max", "0"},
                 {"transport.retry-max", "0"},
                 {"pfc.enabled", "false"},
                 {"switch.buffer", "1MiB"},
                 {"switch.lossy-alpha", "1/8"}});
        w.Build();
        weft_err err = {};
        weft_link_change c = {};
        c.link = 1;
        c.kind = WEFT_LINK_RATE;
        c.rate_bps = 10000000;
        ASSERT_EQ(weft_engine_change_links(w.e, &c, 1, &err), 0) << err.msg;
        w.Send(0, 1, 2000000);
        Watch(w, kMs, 100 * WEFT_PS_PER_S, &at);
        EXPECT_EQ(w.acked.size(), 1u);
    }
    {
        SCOPED_TRACE("three packets of ten lost, a timeout each");
        World w("single-switch", {{"hosts", "2"}}, {{"transport.rto", "1s"}}, "static-window",
                {{"window", "4KiB"}});
        w.Build();
        BitErrors(w, 1e-5);
        w.Send(0, 1, 100000);
        Watch(w, kMs, 1000 * WEFT_PS_PER_S, &at);
        EXPECT_EQ(w.acked.size(), 1u);
    }
    {
        SCOPED_TRACE("down for long, then up");
        World w("single-switch", {{"hosts", "2"}}, {{"transport.rto", "1ms"}});
        w.Build();
        weft_err err = {};
        w.Send(0, 1, 10000000);
        ASSERT_EQ(weft_engine_run(w.e, kMs / 10), 0);
        weft_engine_set_now(w.e, kMs / 10);
        ASSERT_EQ(SetLink(w.e, 0, false, &err), 0) << err.msg;
        for (int k = 1; k < 100; k++) {
            weft_engine_run(w.e, k * 10 * kMs);
            weft_engine_set_now(w.e, k * 10 * kMs);
            EXPECT_EQ(weft_engine_motion(w.e, k * 10 * kMs, kMs), WEFT_MOTION_NONE);
        }
        ASSERT_EQ(SetLink(w.e, 0, true, &err), 0) << err.msg;
        EXPECT_NE(weft_engine_motion(w.e, 990 * kMs, kMs), WEFT_MOTION_STUCK);
        w.Run();
        EXPECT_EQ(w.acked.size(), 1u);
    }
}
