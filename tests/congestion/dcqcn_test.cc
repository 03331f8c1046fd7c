// SPDX-License-Identifier: GPL-2.0-only
// DCQCN's equations with numbers worked out by hand, in all modes. The line rate is 100 Gbps.
#include "algo.h"
#include "congestion/cc_table.h"

using namespace weft_test;

namespace
{

const weft_cc_ops *const kDcqcn = weft_cc_find("dcqcn", nullptr);
enum { ALPHA, TARGET };

// run.py's preset "dcqcn" at 100 Gbps.
const Algo::Settings kHpcc = {
    {"mode", "hpcc"},      {"alpha-timer", "1us"},  {"rate-timer", "300us"}, {"fast-recovery", "1"},
    {"rate-ai", "20Mbps"}, {"rate-hai", "200Mbps"}, {"min-rate", "1Gbps"}};

// The paper's constants, for its 40 Gbps links; defaults follow the line rate.
const Algo::Settings kPaper = {{"rate-ai", "40Mbps"},
                               {"rate-hai", "400Mbps"},
                               {"alpha-timer", "55us"},
                               {"rate-timer", "55us"},
                               {"cnp-interval", "50us"}};

Algo::Settings with(Algo::Settings base, const Algo::Settings &more)
{
    base.insert(base.end(), more.begin(), more.end());
    return base;
}

std::string why_not(const Algo::Settings &s)
{
    return Algo(kDcqcn, s).why_not();
}

} // namespace

TEST(DcqcnPaper, StartsAtLineRateAndStaysThereWithoutCnps)
{
    Algo a(kDcqcn);
    a.init();
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(a.out.cwnd_bytes, UINT64_MAX);
    EXPECT_EQ(a.out.timer_at_ps, WEFT_NEVER);
    a.sent(50 * kUs, 50000000);
    EXPECT_EQ(a.rate_at(1000 * kUs), 100 * kGbps);
    EXPECT_EQ(a.observed(ALPHA), 1.0) << "alpha rests until the first CNP";
}

TEST(DcqcnPaper, FirstCnpHalvesTheRate)
{
    Algo a(kDcqcn);
    a.init();
    a.cnp(0);
    EXPECT_EQ(a.out.rate_bps, 50 * kGbps);
    EXPECT_EQ(a.observed(TARGET), 100e9);
    EXPECT_EQ(a.observed(ALPHA), 1.0); // (1-g) 1 + g
}

TEST(DcqcnPaper, CutRecoverIncreaseCut)
{
    Algo a(kDcqcn, kPaper);
    a.init();
    a.cnp(0);
    a.cnp(50 * kUs); // before the first expiry at 55 us
    EXPECT_EQ(a.out.rate_bps, 25 * kGbps);
    EXPECT_EQ(a.observed(TARGET), 50e9);
    EXPECT_EQ(a.rate_at(105 * kUs - 1), 25000000000u);
    EXPECT_EQ(a.rate_at(105 * kUs), 37500000000u); // fast recovery 1
    EXPECT_EQ(a.rate_at(160 * kUs), 43750000000u);
    EXPECT_EQ(a.rate_at(215 * kUs), 46875000000u);
    EXPECT_EQ(a.rate_at(270 * kUs), 48437500000u);
    EXPECT_EQ(a.rate_at(325 * kUs), 49218750000u); // fast recovery 5
    EXPECT_EQ(a.rate_at(380 * kUs), 49629375000u); // target 50.04
    EXPECT_EQ(a.observed(TARGET), 50040e6);
    // Six decays since 50 us: alpha = (255/256)^6 = 0.97679019...
    a.cnp(390 * kUs);
    EXPECT_EQ(a.out.rate_bps, 25390631601u); // 49629375000 (1 - 0.48839509...)
    EXPECT_EQ(a.observed(TARGET), 49629375000.0);
    EXPECT_NEAR(a.observed(ALPHA), 0.9768808565377434, 1e-14);
}

TEST(DcqcnPaper, AlphaDecaysEachTimerWithoutCnp)
{
    Algo a(kDcqcn, with(kPaper, {{"gain", "0.5"}}));
    a.init();
    a.cnp(0);
    a.rate_at(55 * kUs - 1);
    EXPECT_EQ(a.observed(ALPHA), 1.0);
    a.rate_at(55 * kUs);
    EXPECT_EQ(a.observed(ALPHA), 0.5);
    a.rate_at(10 * 55 * kUs);
    EXPECT_EQ(a.observed(ALPHA), 0x1p-10);
}

TEST(DcqcnPaper, BytesAndTimeIncreaseTogether)
{
    Algo a(kDcqcn, with(kPaper, {{"fast-recovery", "1"}}));
    a.init();
    a.cnp(0);
    a.cnp(1 * kUs);            // rate 25, target 50; the rate timer expires at 56, 111, ...
    a.sent(2 * kUs, 10000000); // B=1, T=0: fast recovery
    EXPECT_EQ(a.out.rate_bps, 37500000000u);
    EXPECT_EQ(a.rate_at(56 * kUs), 43750000000u); // B=1, T=1: fast recovery
    a.sent(57 * kUs, 10000000);                   // B=2, T=1: additive, target 50.04
    EXPECT_EQ(a.out.rate_bps, 46895000000u);
    EXPECT_EQ(a.rate_at(111 * kUs), 48667500000u); // B=2, T=2: hyper, target 50.44
    EXPECT_EQ(a.observed(TARGET), 50440e6);
    a.cnp(112 * kUs); // starts both counts anew
    const uint64_t cut = a.out.rate_bps;
    a.sent(113 * kUs, 10000000);
    EXPECT_EQ(a.out.rate_bps, (cut + 48667500000u) / 2) << "fast recovery again";
}

TEST(DcqcnPaper, ByteCounterKeepsTheRemainder)
{
    Algo a(kDcqcn, {{"rate-timer", "1s"}});
    a.init();
    a.cnp(0);
    for (int i = 0; i < 3; i++)
        a.sent(1, 2600000);
    EXPECT_EQ(a.out.rate_bps, 50 * kGbps);
    a.sent(1, 2600000); // 10.4 MB
    EXPECT_EQ(a.out.rate_bps, 75 * kGbps);
    a.sent(1, 9599999);
    EXPECT_EQ(a.out.rate_bps, 75 * kGbps);
    a.sent(1, 1); // 20 MB
    EXPECT_EQ(a.out.rate_bps, 87500000000u);
}

TEST(DcqcnPaper, ByteCounterCanBeOff)
{
    Algo a(kDcqcn, {{"byte-counter", "0B"}});
    a.init();
    a.cnp(0);
    a.sent(1, 4000000000u);
    EXPECT_EQ(a.out.rate_bps, 50 * kGbps);
}

TEST(DcqcnPaper, NeverBelowTheMinimumNorAboveTheLine)
{
    Algo a(kDcqcn, {{"min-rate", "1Gbps"}});
    a.init();
    for (int i = 0; i < 20; i++)
        a.cnp(i);
    EXPECT_EQ(a.out.rate_bps, 1 * kGbps);
    EXPECT_EQ(a.rate_at(3600 * WEFT_PS_PER_S), 99999999999u)
        << "at rest one bit/s below an even line rate";
    weft_cc_env slow = default_env();
    slow.line_rate_bps = 500000000; // below the minimum
    Algo b(kDcqcn, {{"min-rate", "1Gbps"}}, slow);
    b.init();
    b.cnp(1);
    EXPECT_EQ(b.out.rate_bps, 500000000u);
}

TEST(DcqcnPaper, ReceiverSendsPacedCnpPackets)
{
    Algo a(kDcqcn, kPaper);
    weft_cc_cnp how{};
    kDcqcn->cnp(a.params(), &how);
    EXPECT_TRUE(how.separate);
    EXPECT_EQ(how.interval_ps, 50 * kUs);
}

// At 400 Gbps a CNP may come every 6 us, and steps are 0.4 % of the line rate.
TEST(DcqcnPaper, DefaultsFollowTheLineRate)
{
    weft_cc_env fast = default_env();
    fast.line_rate_bps = 400 * kGbps;
    Algo a(kDcqcn, {{"fast-recovery", "0"}}, fast);
    a.init();
    weft_cc_cnp how{};
    kDcqcn->cnp(a.params(), &how);
    EXPECT_EQ(how.interval_ps, 6 * kUs);
    a.cnp(0);
    a.cnp(1 * kUs); // rate 100, target 200
    EXPECT_EQ(a.rate_at(6500000), 150800000000u) << "5.5 us later: target 201.6";
    EXPECT_EQ(a.observed(TARGET), 201600e6);
}

TEST(DcqcnHpcc, CnpsRideOnAcksUnpaced)
{
    Algo a(kDcqcn, kHpcc);
    weft_cc_cnp how{true, 1};
    kDcqcn->cnp(a.params(), &how);
    EXPECT_FALSE(how.separate);
    EXPECT_EQ(how.interval_ps, 0);
}

TEST(DcqcnHpcc, FirstCutComesOneIntervalAndANanosecondLater)
{
    Algo a(kDcqcn, kHpcc);
    a.init();
    a.cnp(0);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps) << "the first CNP itself cuts nothing";
    EXPECT_EQ(a.rate_at(4001000 - 1), 100 * kGbps);
    // Ticks at 1, 2, 3, 4 us without a CNP: alpha = (255/256)^4 = 0.98446631...
    EXPECT_EQ(a.rate_at(4001000), 50776684272u);
    EXPECT_EQ(a.observed(TARGET), 100e9);
    EXPECT_NEAR(a.observed(ALPHA), 0.9844663145486265, 1e-15);
    EXPECT_EQ(a.rate_at(8001000), 50776684272u) << "no CNP, no cut";
}

TEST(DcqcnHpcc, CutsBackToBackThenRecovers)
{
    Algo a(kDcqcn, kHpcc);
    a.init();
    a.cnp(0);
    a.cnp(5 * kUs + 500000); // counted by the alpha tick at 6 us and the cut at 8.001 us
    a.cnp(5 * kUs + 600000); // same interval: no further effect
    EXPECT_EQ(a.rate_at(8001000 - 1), 50776684272u);
    // alpha: (255/256)^5, the tick at 6 us adds 1/256, two decays: 0.97304971...
    EXPECT_EQ(a.rate_at(8001000), 26072565153u);
    EXPECT_EQ(a.observed(TARGET), 100e9) << "not clamped: the rate did not increase in between";
    EXPECT_EQ(a.rate_at(308001000 - 1), 26072565153u);
    EXPECT_EQ(a.rate_at(308001000), 63036282576u); // F = 1 fast recovery: 13036282576 + 50000000000
    EXPECT_EQ(a.rate_at(608001000),
              81518141288u); // additive, the target is capped at the line rate
}

TEST(DcqcnHpcc, ACutAfterAnIncreaseMovesTheTarget)
{
    Algo a(kDcqcn, kHpcc);
    a.init();
    a.cnp(0);
    a.rate_at(4001000 + 300 * kUs); // one fast recovery: 50776684272/2 + 50e9
    EXPECT_EQ(a.out.rate_bps, 75388342136u);
    a.cnp(305 * kUs);
    a.rate_at(308001000);
    EXPECT_EQ(a.observed(TARGET), 75388342136.0);
}

TEST(DcqcnHpcc, ClampTargetMovesItAtEveryCut)
{
    Algo a(kDcqcn, with(kHpcc, {{"clamp-target", "true"}}));
    a.init();
    a.cnp(0);
    a.cnp(5 * kUs);
    a.rate_at(8001000);
    EXPECT_EQ(a.observed(TARGET), 50776684272.0);
}

TEST(DcqcnHpcc, StagesAreFastAdditiveHyper)
{
    Algo a(kDcqcn,
           with(kHpcc, {{"clamp-target", "true"}, {"gain", "0.000001"}, {"fast-recovery", "2"}}));
    a.init();
    a.cnp(0);
    a.cnp(5 * kUs); // cuts at about 4 and 8 us, alpha nearly 1
    a.rate_at(10 * kUs);
    const double target = a.observed(TARGET);
    EXPECT_NEAR(target, 50e9, 1e6);
    a.rate_at(10 * kUs + 300 * kUs);
    EXPECT_EQ(a.observed(TARGET), target);
    a.rate_at(10 * kUs + 600 * kUs);
    EXPECT_EQ(a.observed(TARGET), target);
    a.rate_at(10 * kUs + 900 * kUs);
    EXPECT_EQ(a.observed(TARGET), target + 20e6); // one additive
    a.rate_at(10 * kUs + 1200 * kUs);
    EXPECT_EQ(a.observed(TARGET), target + 220e6); // then hyper
    a.rate_at(10 * kUs + 1500 * kUs);
    EXPECT_EQ(a.observed(TARGET), target + 420e6);
}

TEST(DcqcnHpcc, RateOnFirstCnp)
{
    Algo a(kDcqcn, with(kHpcc, {{"first-cnp-rate", "0.25"}}));
    a.init();
    a.cnp(0);
    EXPECT_EQ(a.out.rate_bps, 25 * kGbps);
    EXPECT_EQ(a.observed(TARGET), 25e9);
}

TEST(DcqcnHpcc, ACnpAtATickWaitsForTheNext)
{
    Algo a(kDcqcn, kHpcc);
    a.init();
    a.cnp(0);
    a.cnp(4001000); // the cut that is due acts first; this CNP's cut is at 8.001 us
    EXPECT_EQ(a.out.rate_bps, 50776684272u);
    EXPECT_EQ(a.rate_at(8001000 - 1), 50776684272u);
    EXPECT_LT(a.rate_at(8001000), 50776684272u);
}

TEST(DcqcnHpcc, SentBytesDoNotMatter)
{
    Algo a(kDcqcn, kHpcc);
    a.init();
    a.cnp(0);
    a.rate_at(5 * kUs);
    a.sent(6 * kUs, 4000000000u);
    EXPECT_EQ(a.out.rate_bps, 50776684272u);
}

TEST(DcqcnWindow, NoneFixedScaled)
{
    for (const char *mode : {"paper", "hpcc"}) {
        Algo none(kDcqcn, {{"mode", mode}}), fixed(kDcqcn, {{"mode", mode}, {"window", "fixed"}}),
            scaled(kDcqcn, {{"mode", mode}, {"window", "scaled"}});
        for (Algo *a : {&none, &fixed, &scaled}) {
            a->init();
            a->cnp(0);
            a->rate_at(5 * kUs);
        }
        EXPECT_EQ(none.out.cwnd_bytes, UINT64_MAX);
        EXPECT_EQ(fixed.out.cwnd_bytes, 100000u);
        EXPECT_EQ(scaled.out.cwnd_bytes,
                  100000 * (scaled.out.rate_bps / 1000) / (100 * kGbps / 1000));
        for (int i = 0; i < 12; i++)
            scaled.cnp((60 + 10 * i) * kUs);
        scaled.rate_at(200 * kUs);
        EXPECT_GE(scaled.out.cwnd_bytes, 1000u) << "never below one MTU";
    }
}

TEST(DcqcnCheck, ParametersOfTheOtherModeAreRefused)
{
    EXPECT_EQ(why_not({}), "");
    EXPECT_EQ(why_not(kHpcc), "");
    EXPECT_EQ(why_not({{"cnp-interval", "4us"}, {"byte-counter", "0B"}}), "");
    EXPECT_NE(why_not({{"decrease-interval", "5us"}}).find("decrease-interval"), std::string::npos);
    EXPECT_NE(why_not({{"clamp-target", "true"}}).find("clamp-target"), std::string::npos);
    EXPECT_NE(why_not({{"first-cnp-rate", "0.5"}}).find("first-cnp-rate"), std::string::npos);
    EXPECT_NE(why_not(with(kHpcc, {{"cnp-interval", "4us"}})).find("cnp-interval"),
              std::string::npos);
    EXPECT_NE(why_not(with(kHpcc, {{"byte-counter", "0B"}})).find("byte-counter"),
              std::string::npos);
}

// NVIDIA's names: dce_tcp_rtt, rate_reduce_monitor_period, rpg_time_reset, rpg_byte_reset ...; a
// gain that shows.
TEST(DcqcnNic, ClocksCutAndTimerAndBytesIncrease)
{
    Algo a(kDcqcn, {{"mode", "nic"},
                    {"gain", "0.5"},
                    {"alpha-timer", "1us"},
                    {"decrease-interval", "4us"},
                    {"rate-timer", "300us"},
                    {"byte-counter", "2MB"},
                    {"fast-recovery", "1"},
                    {"rate-ai", "5Mbps"},
                    {"rate-hai", "50Mbps"}});
    EXPECT_EQ(a.why_not(), "");
    a.init();
    a.cnp(0);
    EXPECT_EQ(a.rate_at(4 * kUs + 999), 100 * kGbps);
    EXPECT_EQ(a.rate_at(4 * kUs + 1000), 96875000000u); // alpha 1/16 after four ticks
    a.sent(5 * kUs, 2000000);                           // B=1: fast recovery
    EXPECT_EQ(a.out.rate_bps, 98437500000u);
    a.sent(6 * kUs, 2000000); // B=2: additive, but the target is the line rate
    EXPECT_EQ(a.out.rate_bps, 99218750000u);
    a.cnp(7 * kUs); // alpha 1/128, and 1/256 + 1/2 at the cut
    EXPECT_EQ(a.rate_at(8 * kUs + 1000), 74220275878u);
    EXPECT_EQ(a.observed(TARGET), 99218750000.0) << "there was an increase since the last cut";
    a.sent(9 * kUs, 2000000); // B=1, T=0
    EXPECT_EQ(a.out.rate_bps, 86719512939u);
    EXPECT_EQ(a.rate_at(308 * kUs + 1000), 92969131469u); // B=1, T=1: fast recovery
    a.sent(309 * kUs, 2000000);                           // B=2, T=1: additive, target 99.22375
    EXPECT_EQ(a.out.rate_bps, 96096440734u);
    EXPECT_EQ(a.rate_at(608 * kUs + 1000), 97685095367u); // B=2, T=2: hyper, target 99.27375
    EXPECT_EQ(a.observed(TARGET), 99273750000.0);
}

TEST(DcqcnNic, SendsCnpPacketsOfItsOwn)
{
    Algo a(kDcqcn, {{"mode", "nic"}, {"cnp-interval", "4us"}});
    weft_cc_cnp how{};
    a.ops->cnp(a.params(), &how);
    EXPECT_TRUE(how.separate);
    EXPECT_EQ(how.interval_ps, 4 * kUs);
}
