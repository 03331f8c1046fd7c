// SPDX-License-Identifier: GPL-2.0-only
// SMaRTT's equations with numbers worked out by hand. 100 Gbps, 12 us: BDP 150 kB, largest window
// 187.5 kB, target 18 us, packets of 4000 bytes. Fair increase 900 bytes per window of ACKs.
#include "algo.h"
#include "congestion/cc_table.h"

using namespace weft_test;

namespace
{

const weft_cc_ops *const kSmartt = weft_cc_find("smartt", nullptr);
enum { CWND, MARKS, RTT, TARGET, ACHIEVED };
constexpr uint64_t kMtu = 4000;
constexpr int64_t kT = 12 * kUs;

weft_cc_env Env(bool trims = true)
{
    weft_cc_env env{};
    env.line_rate_bps = 100 * kGbps;
    env.base_rtt_ps = kT;
    env.bdp_bytes = 150000;
    env.mtu_bytes = kMtu;
    env.mtu_wire_bytes = kMtu + 64;
    env.trims = trims;
    return env;
}

/// Without wait to decrease unless a test asks for it.
struct Smartt : Algo {
    explicit Smartt(double bdps = 0, Settings more = {{"mark-threshold", "0"}}, bool trims = true)
        : Algo(kSmartt, With(bdps, std::move(more)), Env(trims))
    {
        EXPECT_EQ(why_not(), "");
        init();
    }
    static Settings With(double bdps, Settings s)
    {
        if (bdps > 0)
            s.emplace_back("first-window", std::to_string(bdps));
        return s;
    }
    void step(int64_t now, bool mark, double rttUs, uint64_t n = kMtu)
    {
        weft_cc_ack a = ack_of(0, 0, n);
        a.flight_bytes = flight;
        a.ecn_echo = mark;
        a.rtt_ps = static_cast<int64_t>(rttUs * static_cast<double>(kUs));
        ack(now, a);
    }
    void trim(int64_t now, uint64_t bytes = kMtu)
    {
        weft_cc_ack a{};
        a.nack = true;
        a.trimmed_bytes = bytes;
        a.flight_bytes = flight;
        a.rtt_ps = 1;
        ack(now, a);
    }
    double cwnd() const
    {
        return observed(CWND);
    }
    uint64_t flight = 0;
};

} // namespace

TEST(Smartt, BeginsWithTheLargestWindow)
{
    Smartt a, b(0.5);
    EXPECT_EQ(a.cwnd(), 187500.0);
    EXPECT_EQ(a.out.cwnd_bytes, 187500u);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(a.observed(TARGET), 18.0 * kUs);
    EXPECT_EQ(b.cwnd(), 75000.0);
    EXPECT_EQ(Smartt(7).cwnd(), 187500.0) << "no more than the largest";
}

// mi is 12 / (18 - 12) = 2: without delay (18 - 12)/12 * 2, one packet per window of ACKs.
TEST(Smartt, IncreasesBelowTheTarget)
{
    Smartt a(0.5);
    a.step(1, false, 15);
    EXPECT_DOUBLE_EQ(a.cwnd(), 75000 + 0.2 * 2 * 4000 * 4000 / 75000 + 900.0 * 4000 / 75000);
    Smartt b(0.5);
    b.step(1, false, 13.1); // beyond no-delay
    EXPECT_NEAR(b.cwnd(), 75000 + 4.9 / 13.1 * 2 * 4000 * 4000 / 75000 + 48, 1e-9);
    Smartt c(0.5, {{"increase", "1000"}});
    c.step(1, false, 15);
    EXPECT_DOUBLE_EQ(c.cwnd(), 75000 + 4000 + 48.0) << "no more than what was acknowledged";
}

TEST(Smartt, IncreasesFairlyAboveTheTarget)
{
    Smartt a(0.5);
    a.step(1, false, 18);
    EXPECT_DOUBLE_EQ(a.cwnd(), 75048.0) << "at the target the increase of the other case is 0";
    a.step(2, false, 30);
    EXPECT_DOUBLE_EQ(a.cwnd(), 75048 + 900.0 * 4000 / 75048);
}

TEST(Smartt, DecreasesFairlyBelowTheTarget)
{
    Smartt a(0.5);
    a.step(1, true, 15);
    EXPECT_DOUBLE_EQ(a.cwnd(), 75000 - 0.8 * 4000 / 2);
    Smartt b(1);
    b.step(1, true, 15, 16000); // an ACK of four packets counts as four
    EXPECT_DOUBLE_EQ(b.cwnd(), 150000 - 0.8 * 16000);
}

TEST(Smartt, DecreasesByTheDelayAboveTheTarget)
{
    Smartt a(0.5);
    a.step(1, true, 20); // (20 - 18)/20 * 2 * 4000 + 0.8 * 4000 / 2
    EXPECT_DOUBLE_EQ(a.cwnd(), 75000 - 800 - 1600.0);
    Smartt b(0.5);
    b.step(1, true, 36); // 4000 + 1600, but no more than what was acknowledged
    EXPECT_DOUBLE_EQ(b.cwnd(), 75000 - 4000.0);
    Smartt c(0.5, {{"mark-threshold", "0"}}, false); // without trimming 4 instead of 2
    c.step(1, true, 20);
    EXPECT_DOUBLE_EQ(c.cwnd(), 75000 - 1600 - 1600.0);
}

TEST(Smartt, WaitsToDecrease)
{
    Smartt a(0.5, {});
    a.step(1, true, 20); // 0.125
    a.step(2, true, 20); // 0.234375
    EXPECT_EQ(a.cwnd(), 75000.0);
    EXPECT_EQ(a.observed(MARKS), 0.234375);
    a.step(3, true, 20);
    EXPECT_EQ(a.observed(MARKS), 0.330078125);
    EXPECT_DOUBLE_EQ(a.cwnd(), 72600.0);
    a.step(4, false, 18);
    EXPECT_EQ(a.observed(MARKS), 0.330078125 * 0.875);
}

TEST(Smartt, FastIncreaseAfterAWindowWithoutDelay)
{
    Smartt a(0.1, {{"mark-threshold", "0"}, {"increase", "0.000001"}, {"fair-increase", "0"}});
    for (int i = 0; i < 3; i++)
        a.step(1 + i, false, 12);
    EXPECT_NEAR(a.cwnd(), 15000, 1); // 12 kB
    a.step(4, false, 13);            // 16 kB > 15 kB
    EXPECT_NEAR(a.cwnd(), 23000, 1);
    a.step(5, false, 12);
    EXPECT_NEAR(a.cwnd(), 31000, 1) << "and so on";
    a.step(6, false, 13.1); // a delay ends it
    EXPECT_NEAR(a.cwnd(), 31000, 1);
    for (int i = 0; i < 7; i++)
        a.step(7 + i, false, 12);
    EXPECT_NEAR(a.cwnd(), 31000, 1) << "28 kB";
    a.step(20, false, 12);
    EXPECT_NEAR(a.cwnd(), 39000, 1);
    a.step(21, true, 12); // so does a mark
    a.step(22, false, 12);
    EXPECT_NEAR(a.cwnd(), 39000 - 0.8 * 4000 * 39000 / 150000, 2);
}

TEST(Smartt, ATrimCostsItsSizeAndQuickAdaptGoesToWhatWasAchieved)
{
    for (const auto &[achieved, scale, want] :
         {std::tuple<uint64_t, const char *, double>{20000, "0.8", 16000},
          {20000, "1", 20000},
          {0, "0.8", 4000},
          {900000, "1", 187500}}) {
        Smartt a(0, {{"mark-threshold", "0"}, {"qa-scale", scale}});
        a.step(1, true, 15, 0); // begins the first period, which lasts 18 us
        a.step(2, true, 15, achieved);
        a.flight = 50000;
        const double before = a.cwnd();
        a.trim(10 * kUs); // asks for it, costs its size, and nothing was due
        EXPECT_EQ(a.cwnd(), std::max(before - 4000, 4000.0));
        EXPECT_EQ(a.observed(ACHIEVED), double(achieved));
        a.trim(18 * kUs + 1);
        EXPECT_EQ(a.cwnd(), want) << achieved;
        EXPECT_EQ(a.observed(ACHIEVED), 0.0);
        a.trim(18 * kUs + 2); // ignored: 50 kB were in flight, 4 kB of which are accounted for
        a.step(19 * kUs, true, 36, 40000);
        a.step(20 * kUs, false, 12, 4000);
        EXPECT_EQ(a.cwnd(), want);
        a.step(21 * kUs, true, 36, 4000); // 52 kB: marks count again
        EXPECT_EQ(a.cwnd(), std::max(want - 4000, 4000.0));
    }
}

// ignore=marks: what has no mark counts meanwhile.
TEST(Smartt, MayIgnoreMarksAlone)
{
    Smartt a(0, {{"mark-threshold", "0"}, {"qa-scale", "1"}, {"ignore", "marks"}});
    a.step(1, true, 15, 0);
    a.step(2, true, 15, 20000);
    a.flight = 50000;
    a.trim(10 * kUs);
    a.trim(18 * kUs + 1);
    EXPECT_EQ(a.cwnd(), 20000.0);
    a.step(19 * kUs, true, 36, 4000);
    EXPECT_EQ(a.cwnd(), 20000.0);
    a.step(20 * kUs, false, 18, 4000);
    EXPECT_DOUBLE_EQ(a.cwnd(), 20000 + 900.0 * 4000 / 20000);
    a.trim(21 * kUs);
    EXPECT_DOUBLE_EQ(a.cwnd(), 20180.0) << "trims are ignored, too";
}

TEST(Smartt, QuickAdaptIsAskedForAndNotTooOften)
{
    Smartt a;
    a.step(1, true, 15, 0);
    a.step(19 * kUs, true, 15, 0); // a period passes, nobody asked
    EXPECT_EQ(a.cwnd(), 187500.0);
    a.trim(20 * kUs);
    a.step(36 * kUs, true, 15, 0);
    EXPECT_EQ(a.cwnd(), 183500.0) << "17 us after the last look";
    a.step(37 * kUs, true, 15, 0);
    EXPECT_EQ(a.cwnd(), double(kMtu)) << "nothing came in this time";
}

TEST(Smartt, LossWithoutTrimmingCostsAnMtuPerRttAndAsksForQuickAdapt)
{
    Smartt a(0, {}, false);
    a.step(1, true, 15, 0);
    a.rto(2);
    a.rto(3);
    weft_cc_ack k = ack_of(0, 0, 0);
    k.nack = true;
    a.ack(4, k);
    EXPECT_EQ(a.cwnd(), 187500.0 - kMtu);
    a.ack(13 * kUs, k);
    EXPECT_EQ(a.cwnd(), 187500.0 - 2 * kMtu);
    a.step(15 * kUs, false, 30, 50000);
    a.step(19 * kUs, false, 30, 50000);
    EXPECT_EQ(a.cwnd(), 80000.0);
}
