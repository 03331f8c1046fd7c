// SPDX-License-Identifier: GPL-2.0-only
// Swift's equations with numbers worked out by hand. Line rate 100 Gbps, 100 packets of 1000 bytes.
#include "algo.h"
#include "congestion/cc_table.h"

#include <cmath>

using namespace weft_test;

namespace
{

const weft_cc_ops *const kSwift = weft_cc_find("swift", nullptr);
enum { CWND, TARGET, RTT };

// A target of 30 us that does not move with the window.
const Algo::Settings kFixed = {{"fs-range", "0us"}, {"hop-target", "5us"}};

struct Sender : Algo {
    explicit Sender(Settings s = kFixed) : Algo(kSwift, s, two_hops())
    {
        EXPECT_EQ(why_not(), "");
        init();
    }
    static weft_cc_env two_hops()
    {
        weft_cc_env env = default_env();
        env.hops = 2;
        return env;
    }
    double rtt(int64_t now_us, int64_t rtt_us, uint64_t acked = 1000)
    {
        weft_cc_ack a = ack_of(1000, 1000, acked);
        a.rtt_ps = rtt_us * kUs;
        ack(now_us * kUs, a);
        return observed(CWND);
    }
    void lose(int64_t now_us)
    {
        weft_cc_ack a = ack_of(1000, 1000, 0);
        a.nack = true;
        a.rtt_ps = 10 * kUs;
        ack(now_us * kUs, a);
    }
};

} // namespace

TEST(Swift, StartsWithOneBdp)
{
    Sender a;
    EXPECT_EQ(a.observed(CWND), 100.0);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_FALSE(a.out.repace);
}

TEST(Swift, AddsOnePacketPerWindowBelowTheTarget)
{
    Sender a;
    EXPECT_DOUBLE_EQ(a.rtt(0, 29), 100.01);
    EXPECT_EQ(a.observed(TARGET), 30e6); // 20 + 2 x 5
    EXPECT_DOUBLE_EQ(a.rtt(1, 29, 4000), 100.01 + 4 / 100.01);
    EXPECT_EQ(a.out.cwnd_bytes, 100049u);
    EXPECT_DOUBLE_EQ(a.rtt(2, 29, 0), 100.01 + 4 / 100.01) << "a duplicate gains nothing";
}

TEST(Swift, CutsInProportionOncePerRtt)
{
    Sender a;
    EXPECT_DOUBLE_EQ(a.rtt(0, 60), 60.0); // 1 - .8 30/60
    EXPECT_DOUBLE_EQ(a.rtt(59, 60), 60.0);
    EXPECT_DOUBLE_EQ(a.rtt(60, 60), 36.0);
    EXPECT_DOUBLE_EQ(a.rtt(500, 300), 18.0) << "at most max-mdf: 1 - .8 .9 < .5";
}

TEST(Swift, FlowScalingRaisesTheTargetOfSmallWindows)
{
    Sender a(Algo::Settings{{"hop-target", "0us"}});
    EXPECT_NEAR(a.observed(TARGET), 20e6, 1) << "100 packets: nothing";
    a.rtt(0, 10000);
    EXPECT_DOUBLE_EQ(a.rtt(20000, 10000), 25.0);
    a.rtt(20001, 1, 0);
    EXPECT_NEAR(a.observed(TARGET), 23265543, 1); // 32.6554 / 5 - 3.26554 us more
    for (int i = 2; i < 20; i++)
        a.rtt(i * 20000, 10000);
    EXPECT_NEAR(a.observed(TARGET), 120e6, 1) << "fs-range at most";
}

TEST(Swift, PacesBelowOnePacket)
{
    Sender a;
    for (int i = 0; i < 9; i++)
        a.rtt(i * 1000, 1000);
    EXPECT_DOUBLE_EQ(a.observed(CWND), 100.0 / 512);
    EXPECT_EQ(a.out.cwnd_bytes, 1000u);
    EXPECT_EQ(a.out.rate_bps, 1637500u); // 1048 B .1953125 / 1 ms
    a.rtt(9000, 10);
    EXPECT_DOUBLE_EQ(a.observed(CWND), 100.0 / 512 + 1) << "one per acknowledged packet";
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    for (int i = 10; i < 60; i++)
        a.rtt(i * 1000, 1000);
    EXPECT_DOUBLE_EQ(a.observed(CWND), 0.01);
}

TEST(Swift, LossTakesMaxMdf)
{
    Sender a(Algo::Settings{{"max-mdf", "0.4"}, {"fs-range", "0us"}});
    a.lose(0);
    EXPECT_DOUBLE_EQ(a.observed(CWND), 60.0);
    a.lose(5);
    EXPECT_DOUBLE_EQ(a.observed(CWND), 60.0) << "once per RTT";
    a.rto(100 * kUs);
    EXPECT_DOUBLE_EQ(a.observed(CWND), 36.0);
}

TEST(Swift, ManyTimeoutsReset)
{
    Sender a;
    for (int i = 1; i <= 4; i++)
        a.rto(i * 1000 * kUs);
    EXPECT_DOUBLE_EQ(a.observed(CWND), 6.25);
    a.rto(5000 * kUs);
    EXPECT_DOUBLE_EQ(a.observed(CWND), 0.01);
}

TEST(Swift, TheWindowStopsAtTheLargestTarget)
{
    Sender a;
    for (int i = 0; i < 1000; i++)
        a.rtt(i, 10, 1000000);
    EXPECT_NEAR(a.observed(CWND), 375000.0 / 1048, 1e-9); // 100 Gbps 30 us
    Sender b(Algo::Settings{{"max-cwnd", "50"}});
    EXPECT_EQ(b.observed(CWND), 50.0);
}

TEST(Swift, SettingsThatClashAreErrors)
{
    EXPECT_EQ(Algo(kSwift, {{"fs-min-cwnd", "100"}}).why_not(),
              "swift: fs-min-cwnd must be below fs-max-cwnd");
    EXPECT_NE(Algo(kSwift, {{"min-cwnd", "1"}, {"max-cwnd", "0.5"}}).why_not(), "");
}
