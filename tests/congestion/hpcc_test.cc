// SPDX-License-Identifier: GPL-2.0-only
// HPCC's equations with numbers worked out by hand, in both modes. The line rate is 100 Gbps, T is
// 8 us, headers have no size: a full window is 100 kB.
#include "algo.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_table.h"

using namespace weft_test;

namespace
{

const weft_cc_ops *const kHpcc = weft_cc_find("hpcc", nullptr);
enum { UTIL, REF_RATE, STAGE };

// run.py's preset "hp" at 100 Gbps, with exact stamps.
const Algo::Settings kSim = {{"mode", "hpcc"}, {"max-stage", "0"}, {"min-rate", "1Gbps"}};

Algo::Settings sim(const Algo::Settings &more)
{
    Algo::Settings s = kSim;
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

/// One QP over one or more hops of 100 Gbps.
struct Path : Algo {
    explicit Path(const Settings &s = {}, weft_cc_env env = headerless_env(), size_t n = 1)
        : Algo(kHpcc, s, env), hops(n, weft_cc_hop{0, 0, 0, 100 * kGbps})
    {
        EXPECT_EQ(why_not(), "");
        init();
    }
    /// An ACK whose stamps all moved on by dt and tx bytes, with queue q.
    void step(uint64_t una, uint64_t nxt, int64_t dt, uint64_t tx, uint64_t q)
    {
        for (weft_cc_hop &h : hops) {
            h.ts_ps += dt;
            h.tx_bytes += tx;
            h.qlen_bytes = q;
        }
        send(una, nxt);
    }
    void send(uint64_t una, uint64_t nxt)
    {
        weft_cc_ack a = ack_of(una, nxt);
        a.nhops = static_cast<uint32_t>(hops.size());
        a.hops = hops.data();
        ack(0, a);
    }
    std::vector<weft_cc_hop> hops;
};

} // namespace

TEST(HpccPaper, StartsAtLineRateWithAFullWindow)
{
    Path a;
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
    EXPECT_TRUE(a.out.repace);
    EXPECT_EQ(a.observed(UTIL), 1.0);
}

TEST(HpccPaper, TheFirstAckOnlyLeavesItsStamps)
{
    Path a;
    a.step(1000, 50000, 0, 0, 500000);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
}

TEST(HpccPaper, AFullLinkAsksForTheTarget)
{
    Path a;
    a.step(1000, 50000, 0, 0, 0);
    a.step(2000, 51000, 4 * kUs, 50000, 0);
    EXPECT_EQ(a.observed(UTIL), 1.0);
    EXPECT_EQ(a.out.cwnd_bytes, 95080u); // 100000 / (1 / .95) + 80
    EXPECT_EQ(a.out.rate_bps, 95080000000u);
    EXPECT_EQ(a.observed(REF_RATE), 100e9) << "within the round trip the reference stays";
    a.step(3000, 52000, 4 * kUs, 50000, 0);
    EXPECT_EQ(a.out.cwnd_bytes, 95080u);
    a.step(51000, 140000, 4 * kUs, 50000, 0); // beyond 50000: a new round trip
    EXPECT_EQ(a.out.cwnd_bytes, 95080u);
    EXPECT_EQ(a.observed(REF_RATE), 95080000000.0);
    a.step(52000, 141000, 4 * kUs, 50000, 0);
    EXPECT_EQ(a.out.cwnd_bytes, 90406u); // 95080 .95 + 80
    EXPECT_EQ(a.observed(REF_RATE), 95080000000.0);
}

TEST(HpccPaper, OverreactingTakesFromTheRateAtEachAck)
{
    for (const char *mode : {"paper", "hpcc"}) {
        Path a({{"mode", mode}, {"overreact", "true"}});
        a.step(1000, 50000, 0, 0, 0);
        a.step(2000, 51000, 4 * kUs, 50000, 0);
        EXPECT_NEAR(a.observed(REF_RATE), 95.08e9, 0.1e9) << mode;
        a.step(3000, 52000, 4 * kUs, 50000, 0); // the same round trip, the same full link
        EXPECT_NEAR(a.observed(REF_RATE), 90.41e9, 0.2e9) << mode;
    }
}

TEST(HpccPaper, TheQueueCountsAsItsSmallerEnd)
{
    Path a;
    a.step(1000, 50000, 0, 0, 50000);
    a.step(2000, 51000, 8 * kUs, 100000, 900000); // u = 1 + 50000 B / (100 Gbps 8 us)
    EXPECT_EQ(a.observed(UTIL), 1.5);
    EXPECT_EQ(a.out.cwnd_bytes, 63413u);    // 100000 .95 / 1.5 + 80
    a.step(3000, 52000, 2 * kUs, 25000, 0); // u = 1; U = .75 1.5 + .25
    EXPECT_EQ(a.observed(UTIL), 1.375);
}

TEST(HpccPaper, LongGapsWeighAsOneRoundTrip)
{
    Path a;
    a.step(1000, 50000, 0, 0, 0);
    a.step(2000, 51000, 80 * kUs, 250000, 0);
    EXPECT_EQ(a.observed(UTIL), 0.25);
}

TEST(HpccPaper, FiveAdditiveStagesThenOneMultiplicative)
{
    Path a;
    a.step(1000, 1000, 0, 0, 50000);
    a.step(2000, 2000, 8 * kUs, 100000, 50000); // each ACK is a round trip
    EXPECT_EQ(a.out.cwnd_bytes, 63413u);
    EXPECT_EQ(a.observed(STAGE), 0);
    for (uint64_t i = 1; i <= 5; i++) {
        a.step(2000 + 1000 * i, 2000 + 1000 * i, 8 * kUs, 90000, 0); // U = .9
        EXPECT_EQ(a.out.cwnd_bytes, 63413u + 80 * i);
        EXPECT_EQ(a.observed(STAGE), i);
    }
    a.step(8000, 8000, 8 * kUs, 90000, 0);
    EXPECT_EQ(a.out.cwnd_bytes, 67438u); // 63813.33 .95 / .9 + 80
    EXPECT_EQ(a.observed(STAGE), 0);
}

TEST(HpccPaper, TheBusiestHopCounts)
{
    Path a({}, headerless_env(), 3);
    a.step(1000, 50000, 0, 0, 0);
    a.hops[1].tx_bytes += 50000; // 1.5 in all; but over 4 us
    a.hops[1].ts_ps -= 4 * kUs;
    a.step(2000, 51000, 8 * kUs, 60000, 0);
    // u = {.6, 110000 B in 4 us = 2.2, .6}; U = (1 4 + 2.2 4) / 8
    EXPECT_DOUBLE_EQ(a.observed(UTIL), 1.6);
}

TEST(HpccPaper, HeadersAreInTheRateNotInTheWindow)
{
    Path a({}, default_env());
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(a.out.cwnd_bytes, 95419u); // 100000 1000 / 1048
}

TEST(HpccPaper, NeverBelowTheMinimumRate)
{
    Path a(Algo::Settings{{"min-rate", "1Gbps"}, {"window-ai", "0B"}});
    a.step(1000, 1000, 0, 0, 1u << 30);
    a.step(2000, 2000, 8 * kUs, 100000, 1u << 30);
    EXPECT_EQ(a.out.rate_bps, 1 * kGbps);
    EXPECT_EQ(a.out.cwnd_bytes, 1000u);
}

TEST(HpccPaper, AChangedPathStartsAnew)
{
    Path a;
    a.step(1000, 50000, 0, 0, 500000);
    a.hops.push_back(a.hops[0]);
    a.step(2000, 51000, 4 * kUs, 50000, 500000);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u) << "another hop";
    a.hops[0].rate_bps = 400 * kGbps;
    a.step(3000, 52000, 4 * kUs, 50000, 500000);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u) << "another rate";
    a.hops[1].tx_bytes = 5;
    a.step(4000, 53000, 4 * kUs, 0, 500000);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u) << "a counter that runs backwards";
    a.step(5000, 54000, 4 * kUs, 50000, 500000);
    EXPECT_LT(a.out.cwnd_bytes, 100000u) << "the same path twice";
}

TEST(HpccPaper, AcksWithoutStampsChangeNothing)
{
    Path a;
    a.step(1000, 1000, 0, 0, 500000);
    a.hops.clear();
    a.send(2000, 2000);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
}

TEST(HpccSim, RatesAreWholeAndScaleTheWindow)
{
    Path a(kSim);
    a.step(1000, 50000, 0, 0, 50000);
    a.step(2000, 51000, 8 * kUs, 100000, 50000);
    EXPECT_EQ(a.out.rate_bps, 63373333333u); // 100e9 .95 / 1.5 rounded down, + 40 Mbps
    EXPECT_EQ(a.out.cwnd_bytes, 63373u);     // 100000 B 63.37 / 100
    EXPECT_TRUE(a.out.repace);
}

TEST(HpccSim, QueueTermUsesTheWindow)
{
    weft_cc_env env = headerless_env();
    env.bdp_bytes = 200000; // W = 2 C T
    Path a(kSim, env);
    a.step(1000, 50000, 0, 0, 50000);
    a.step(2000, 51000, 8 * kUs, 100000, 50000);
    EXPECT_EQ(a.observed(UTIL), 1.25);
}

TEST(HpccSim, AnIdlePathDividesUp)
{
    Path a(kSim);
    a.step(1000, 1000, 0, 0, 50000);
    a.step(2000, 2000, 8 * kUs, 100000, 50000);
    a.step(3000, 3000, 8 * kUs, 90000, 0);   // max-stage 0: multiplicative below the target, too
    EXPECT_EQ(a.out.rate_bps, 66934074073u); // 63373333333 .95 / .9 = 66894074073.7
    a.step(4000, 4000, 8 * kUs, 10000, 0);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
}

TEST(HpccSim, WindowKinds)
{
    Path none(sim({{"window", "none"}})), fixed(sim({{"window", "fixed"}}));
    for (Path *a : {&none, &fixed}) {
        a->step(1000, 50000, 0, 0, 50000);
        a->step(2000, 51000, 8 * kUs, 100000, 50000);
    }
    EXPECT_EQ(none.out.cwnd_bytes, UINT64_MAX);
    EXPECT_EQ(fixed.out.cwnd_bytes, 100000u);
}

TEST(HpccSim, CoarseStamps)
{
    Path a(sim({{"int-multi", "4"}}));
    a.hops[0] = {1999, 511, 319, 100 * kGbps}; // 1 ns, 0 B, 0 B
    a.send(1000, 50000);
    a.hops[0] = {8001999, 100511, 700, 100 * kGbps}; // 8001 ns, 196 x 512 B, 2 x 320 B
    a.send(2000, 51000);
    EXPECT_DOUBLE_EQ(a.observed(UTIL), 1.00352);
    EXPECT_EQ(a.out.rate_bps, 94706772959u); // 95e9 / 1.00352 + 40e6
}

TEST(HpccSim, WithoutFastReactOncePerRoundTrip)
{
    Path a(sim({{"fast-react", "false"}}));
    a.step(1000, 50000, 0, 0, 50000);
    a.step(2000, 51000, 4 * kUs, 50000, 50000);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    a.step(51000, 100000, 4 * kUs, 50000, 50000); // against the first stamps: 8 us
    EXPECT_EQ(a.out.rate_bps, 63373333333u);
}

TEST(HpccSim, SampleFeedbackSkipsEmptyQueuesWithinARoundTrip)
{
    Path a(sim({{"sample-feedback", "true"}}));
    a.step(1000, 50000, 0, 0, 50000);
    a.step(2000, 51000, 4 * kUs, 50000, 0);
    EXPECT_EQ(a.observed(UTIL), 1.0);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    a.step(51000, 100000, 4 * kUs, 50000, 0);
    EXPECT_EQ(a.out.rate_bps, 95040000000u);
}

TEST(HpccSim, MultiRateTakesTheSlowestHop)
{
    Path a(sim({{"multi-rate", "true"}}), headerless_env(), 2);
    a.step(1000, 1000, 0, 0, 0);
    a.hops[1].tx_bytes += 50000;
    a.step(2000, 2000, 8 * kUs, 100000, 0); // U = 1 and 1.5
    EXPECT_EQ(a.out.rate_bps, 63373333333u);
    a.hops[0].tx_bytes += 100000;
    a.hops[1].tx_bytes -= 50000;
    a.step(3000, 3000, 8 * kUs, 100000, 0);  // U = 2 and .5; references 95.04 and 63.37
    EXPECT_EQ(a.out.rate_bps, 45184000000u); // 95.04 .95 / 2 + .04; the other: 120 -> 100
}

TEST(Hpcc, SettingsWithoutEffectAreErrors)
{
    const auto why = [](const Algo::Settings &s) { return Algo(kHpcc, s).why_not(); };
    EXPECT_EQ(why({{"rate-ai", "40Mbps"}}),
              "hpcc.rate-ai=40Mbps has no effect: hpcc.mode is paper");
    EXPECT_EQ(why({{"mode", "hpcc"}, {"window-ai", "100B"}}),
              "hpcc.window-ai=100B has no effect: hpcc.mode is hpcc");
    EXPECT_NE(why({{"int-multi", "4"}}), "");
    EXPECT_EQ(why({{"int-multi", "4"}, {"mode", "hpcc"}}), "");
}

TEST(Hpcc, SignalsCostTheirBytes)
{
    EXPECT_EQ(Algo(kHpcc).signals().data_bytes, 42u);
    EXPECT_EQ(Algo(kHpcc, {{"int-bytes", "18B"}}).signals().ack_bytes, 18u);
}
