// SPDX-License-Identifier: GPL-2.0-only
// PowerTCP's equations with numbers worked out by hand. Line rate 100 Gbps, tau 8 us, a full window
// of 100 kB, so beta is 10 kB.
#include "algo.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_table.h"

using namespace weft_test;

namespace
{

const weft_cc_ops *const kPower = weft_cc_find("powertcp", nullptr);
enum { POWER, CWND };

struct Path : Algo {
    Path() : Algo(kPower, {}, headerless_env())
    {
        init();
    }
    void step(uint64_t una, uint64_t nxt, int64_t dt, uint64_t tx, uint64_t q)
    {
        hop.ts_ps += dt;
        hop.tx_bytes += tx;
        hop.qlen_bytes = q;
        weft_cc_ack a = ack_of(una, nxt);
        a.nhops = 1;
        a.hops = &hop;
        ack(0, a);
    }
    weft_cc_hop hop{0, 0, 0, 100 * kGbps};
};

struct Theta : Algo {
    Theta() : Algo(kPower, {{"form", "delay"}}, headerless_env())
    {
        EXPECT_EQ(why_not(), "");
        init();
    }
    void step(uint64_t una, uint64_t nxt, int64_t now, int64_t rtt)
    {
        weft_cc_ack a = ack_of(una, nxt);
        a.rtt_ps = rtt;
        ack(now, a);
    }
};

} // namespace

TEST(PowerTcpInt, FullLinkWithoutQueueIsPowerOne)
{
    Path a;
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
    a.step(1000, 50000, 0, 0, 0);
    a.step(2000, 51000, 8 * kUs, 100000, 0);
    EXPECT_EQ(a.observed(POWER), 1.0);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u) << "109 kB, but line rate needs no more than 100";
}

TEST(PowerTcpInt, QueueGrowthIsCurrentAndQueueIsVoltage)
{
    Path a;
    a.step(1000, 50000, 0, 0, 0);
    a.step(2000, 51000, 8 * kUs, 100000, 50000); // (1 + .5) (1 + .5)
    EXPECT_EQ(a.observed(POWER), 2.25);
    EXPECT_EQ(a.out.cwnd_bytes, 59000u); // .9 (100000/2.25 + 10000) + .1 100000
    EXPECT_EQ(a.out.rate_bps, 59 * kGbps);
    a.step(3000, 52000, 8 * kUs, 100000, 50000); // standing queue: 1 x 1.5; w_old as before
    EXPECT_EQ(a.observed(POWER), 1.5);
    EXPECT_EQ(a.out.cwnd_bytes, 74900u);           // .9 (66666.7 + 10000) + 5900
    a.step(51000, 100000, 8 * kUs, 100000, 50000); // a round trip ends: w_old follows
    EXPECT_EQ(a.out.cwnd_bytes, 76490u);           // 69000 + 7490
    a.step(52000, 101000, 8 * kUs, 100000, 50000);
    EXPECT_EQ(a.out.cwnd_bytes, 62543u); // .9 (76490/1.5 + 10000) + 7649
}

TEST(PowerTcpInt, SmoothsOverTheBaseRtt)
{
    Path a;
    a.step(1000, 50000, 0, 0, 0);
    a.step(2000, 51000, 2 * kUs, 25000, 50000); // (1 + 2) (1.5) = 4.5 for a quarter
    EXPECT_EQ(a.observed(POWER), 1.875);
}

TEST(PowerTcpInt, ADrainingQueueAsksForTheFullWindow)
{
    Path a;
    a.step(1000, 50000, 0, 0, 400000);
    a.step(2000, 51000, 8 * kUs, 100000, 400000);
    EXPECT_EQ(a.out.cwnd_bytes, 37000u); // 5: .9 30000 + 10000
    a.step(3000, 52000, 8 * kUs, 100000, 100000);
    EXPECT_EQ(a.observed(POWER), 0.0);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
}

TEST(PowerTcpInt, AChangedPathStartsAnew)
{
    Path a;
    a.step(1000, 50000, 0, 0, 0);
    a.hop.rate_bps = 400 * kGbps;
    a.step(2000, 51000, 8 * kUs, 100000, 900000);
    EXPECT_EQ(a.observed(POWER), 1.0);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
}

TEST(PowerTcpDelay, RisingDelayIsCurrentAndDelayIsVoltage)
{
    Theta a;
    a.step(1000, 1000, 0, 8 * kUs);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
    a.step(2000, 60000, 4 * kUs, 10 * kUs); // (.5 + 1) 1.25 = 1.875 for a half
    EXPECT_EQ(a.observed(POWER), 1.4375);
    EXPECT_EQ(a.out.cwnd_bytes, 81608u); // .9 (69565.2 + 10000) + 10000
    a.step(3000, 61000, 12 * kUs, 12 * kUs);
    EXPECT_EQ(a.observed(POWER), 1.875); // 1.25 1.5
    EXPECT_EQ(a.out.cwnd_bytes, 81608u) << "once per round trip";
    a.step(61000, 120000, 20 * kUs, 12 * kUs); // 1 x 1.5
    EXPECT_EQ(a.out.cwnd_bytes, 66126u);       // .9 (81608.7/1.5 + 10000) + 8160.87
}

TEST(PowerTcp, SettingsAndSignals)
{
    EXPECT_EQ(Algo(kPower).signals().data_bytes, 42u);
    EXPECT_EQ(Algo(kPower, {{"form", "delay"}}).signals().data_bytes, 0u);
    EXPECT_EQ(Algo(kPower, {{"form", "delay"}, {"int-bytes", "8B"}}).why_not(),
              "powertcp.int-bytes=8B has no effect: powertcp.form is delay");
    EXPECT_NE(Algo(kPower, {{"beta", "1KB"}, {"expected-flows", "3"}}).why_not(), "");
    Algo a(kPower, {{"expected-flows", "100"}, {"form", "delay"}}, headerless_env());
    a.init();
    weft_cc_ack k = ack_of(1000, 1000);
    k.rtt_ps = 8 * kUs;
    a.ack(0, k);
    k.una_bytes = k.nxt_bytes = 2000;
    k.rtt_ps = 16 * kUs;
    a.ack(8 * kUs, k);                   // power 2 x 2
    EXPECT_EQ(a.out.cwnd_bytes, 33400u); // .9 (25000 + 1000) + 10000
}
