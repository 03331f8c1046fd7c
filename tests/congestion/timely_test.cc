// SPDX-License-Identifier: GPL-2.0-only
// TIMELY's equations with numbers worked out by hand. The line rate is 100 Gbps, so an additive
// increase is 100 Mbps.
#include "algo.h"
#include "congestion/cc_table.h"

#include <algorithm>

using namespace weft_test;

namespace
{

const weft_cc_ops *const kTimely = weft_cc_find("timely", nullptr);
enum { RTT, GRADIENT, INCREASES };

/// The constants of the paper and of the simulator, at 100 Gbps; defaults follow line rate and base
/// RTT.
Algo::Settings literal(const Algo::Settings &more = {})
{
    Algo::Settings s = {{"t-low", "50us"},
                        {"t-high", "500us"},
                        {"min-rtt", "20us"},
                        {"rate-ai", "100Mbps"},
                        {"min-rate", "100Mbps"}};
    const bool sim = std::find(more.begin(), more.end(),
                               Algo::Settings::value_type{"mode", "hpcc"}) != more.end();
    s.push_back(sim ? Algo::Settings::value_type{"rate-hai", "500Mbps"}
                    : Algo::Settings::value_type{"segment", "64KB"});
    s.insert(s.end(), more.begin(), more.end());
    return s;
}

/// Every ACK is a sample.
struct Sender : Algo {
    explicit Sender(Settings s = {}) : Algo(kTimely, literal(s))
    {
        EXPECT_EQ(why_not(), "");
        init();
    }
    uint64_t rtt(double us)
    {
        m_una += 64000;
        weft_cc_ack a = ack_of(m_una, m_una);
        a.rtt_ps = static_cast<int64_t>(us * 1e6);
        ack(0, a);
        return out.rate_bps;
    }

  private:
    uint64_t m_una = 0;
};

} // namespace

TEST(TimelyPaper, FollowsTheGradient)
{
    Sender a;
    EXPECT_EQ(a.rtt(60), 100 * kGbps) << "the first sample changes nothing";
    EXPECT_NEAR(static_cast<double>(a.rtt(70)), 65e9,
                2); // diff .875 10; gradient .4375; 1 - .8 .4375 = .65
    EXPECT_DOUBLE_EQ(a.observed(GRADIENT), 0.4375);
    EXPECT_NEAR(static_cast<double>(a.rtt(70)), 62156250000, 2); // gradient .0546875: .95625
    EXPECT_NEAR(static_cast<double>(a.rtt(60)), 62256250000, 2); // diff .1367 - 8.75: negative
    EXPECT_FALSE(a.out.repace);
    EXPECT_EQ(a.out.cwnd_bytes, UINT64_MAX);
}

TEST(TimelyPaper, ThresholdsOverrideTheGradient)
{
    Sender a;
    a.rtt(20);
    a.rtt(1000); // 1 - .8 (1 - 500/1000)
    EXPECT_EQ(a.out.rate_bps, 60 * kGbps);
    EXPECT_EQ(a.rtt(49.9), 60100000000u);
    a.rtt(10);
    EXPECT_EQ(a.rtt(49), 60300000000u) << "the gradient is positive, but the RTT is low";
}

TEST(TimelyPaper, SteepGradientsStopAtTheMinimum)
{
    Sender a(Algo::Settings{{"min-rate", "1Gbps"}});
    a.rtt(60);
    EXPECT_EQ(a.rtt(200), 1 * kGbps); // 1 - .8 6.125 < 0
}

TEST(TimelyPaper, HyperactiveFromTheFifthFallingSample)
{
    Sender a;
    a.rtt(400);
    a.rtt(1000);
    ASSERT_EQ(a.out.rate_bps, 60 * kGbps);
    EXPECT_EQ(a.rtt(300), 60100000000u);
    EXPECT_EQ(a.rtt(290), 60200000000u);
    EXPECT_EQ(a.rtt(280), 60300000000u);
    EXPECT_EQ(a.rtt(270), 60400000000u);
    EXPECT_EQ(a.rtt(260), 60900000000u) << "5 x 100 Mbps";
    EXPECT_EQ(a.rtt(250), 61400000000u);
    EXPECT_EQ(a.rtt(40), 61500000000u) << "below t-low it is always one step";
    EXPECT_EQ(a.observed(INCREASES), 0);
}

TEST(TimelyPaper, OneSamplePerSegment)
{
    Algo a(kTimely, literal());
    a.init();
    for (uint64_t una = 1000; una <= 127000; una += 1000) {
        weft_cc_ack k = ack_of(una, una + 100000);
        k.rtt_ps = 1000 * kUs;
        a.ack(0, k);
    }
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    weft_cc_ack k = ack_of(128000, 228000);
    k.rtt_ps = 1000 * kUs;
    a.ack(0, k);
    EXPECT_EQ(a.out.rate_bps, 60 * kGbps);
}

TEST(TimelyPaper, OneSamplePerRoundTripWithoutSegments)
{
    Algo a(kTimely, literal({{"segment", "0B"}}));
    a.init();
    for (uint64_t una : {1000, 2000, 101000}) {
        EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
        weft_cc_ack k = ack_of(una, 101000 - 1);
        k.nxt_bytes = una < 101000 ? 100999 : 200000;
        k.rtt_ps = 1000 * kUs;
        a.ack(0, k);
    }
    EXPECT_EQ(a.out.rate_bps, 60 * kGbps);
}

TEST(TimelySim, CountsAllIncreases)
{
    Sender a(Algo::Settings{{"mode", "hpcc"}, {"min-rate", "1Gbps"}});
    a.rtt(60);
    a.rtt(1000);
    uint64_t rate = 60 * kGbps;
    for (int i = 0; i < 5; i++)
        EXPECT_EQ(a.rtt(30), rate += 100000000);
    EXPECT_EQ(a.rtt(30), rate += 500000000) << "the sixth adds rate-hai";
    a.rtt(501);
    EXPECT_EQ(a.observed(INCREASES), 0);
}

TEST(Timely, WindowScalesWithTheRate)
{
    Sender a(Algo::Settings{{"window", "scaled"}});
    a.rtt(20);
    a.rtt(1000);
    EXPECT_EQ(a.out.cwnd_bytes, 60000u);
}

TEST(Timely, SettingsThatClashAreErrors)
{
    const auto why = [](const Algo::Settings &s) { return Algo(kTimely, s).why_not(); };
    EXPECT_EQ(why({{"t-low", "1ms"}, {"t-high", "500us"}}),
              "timely: t-low must not be above t-high");
    EXPECT_NE(why({{"rate-hai", "1Gbps"}}), "");
    EXPECT_NE(why({{"mode", "hpcc"}, {"segment", "64KB"}}), "");
    EXPECT_EQ(Algo(kTimely, {{"timestamp-bytes", "8B"}}).signals().ack_bytes, 8u);
}
