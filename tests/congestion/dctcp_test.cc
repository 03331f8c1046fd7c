// SPDX-License-Identifier: GPL-2.0-only
// DCTCP's equations with numbers worked out by hand. Line rate 100 Gbps, a window of 100 kB.
#include "algo.h"
#include "congestion/cc_table.h"

using namespace weft_test;

namespace
{

const weft_cc_ops *const kDctcp = weft_cc_find("dctcp", nullptr);
const Algo::Settings kSim = {{"mode", "hpcc"}, {"min-rate", "1Gbps"}};

struct Sender : Algo {
    explicit Sender(Settings s = {}) : Algo(kDctcp, s)
    {
        EXPECT_EQ(why_not(), "");
        init();
    }
    void step(uint64_t una, uint64_t nxt, bool mark, uint64_t acked = 1000)
    {
        weft_cc_ack a = ack_of(una, nxt, acked);
        a.ecn_echo = mark;
        ack(0, a);
    }
};

} // namespace

TEST(DctcpPaper, StartsWithOneBdpAtLineRate)
{
    Sender a, b(Algo::Settings{{"initial-window", "30KB"}});
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
    EXPECT_EQ(a.observed(0), 1.0);
    EXPECT_EQ(b.out.cwnd_bytes, 30000u);
    EXPECT_FALSE(a.out.repace);
}

TEST(DctcpPaper, CutsByHalfOfAlphaOncePerRoundTrip)
{
    Sender a;
    a.step(1000, 100000, false); // ends round 1 without marks: alpha = 15/16; window in use: + 10 B
    EXPECT_EQ(a.observed(0), 0.9375);
    EXPECT_EQ(a.out.cwnd_bytes, 100010u);
    a.step(2000, 101000, true);
    EXPECT_EQ(a.out.cwnd_bytes, 53130u); // 100010 (1 - .9375/2) = 53130.3
    for (uint64_t una = 3000; una <= 100000; una += 1000)
        a.step(una, 101000, una % 2000 == 0);
    EXPECT_EQ(a.out.cwnd_bytes, 53130u);
    // Round 2 ends beyond 100000: 50 of 100 ACKs were marked.
    a.step(101000, 154000, false);
    EXPECT_DOUBLE_EQ(a.observed(0), 0.9375 * 15 / 16 + 0.5 / 16);
    EXPECT_EQ(a.out.cwnd_bytes, 53130u) << "the cut's round trip ends beyond 101000";
    a.step(102000, 155000, false);
    EXPECT_EQ(a.out.cwnd_bytes, 53149u); // 53130.3 + 1000 1000 / 53130.3
}

TEST(DctcpPaper, GrowsOnlyWhenTheWindowIsUsed)
{
    Sender a;
    a.step(1000, 50000, false);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
    for (uint64_t una = 2000; una <= 101000; una += 1000)
        a.step(una, una + 99000, false);
    EXPECT_NEAR(static_cast<double>(a.out.cwnd_bytes), 101000, 10) << "one MTU per window";
}

TEST(DctcpPaper, LossHalves)
{
    Sender a;
    a.step(1000, 50000, false);
    weft_cc_ack nack = ack_of(1000, 50000, 0);
    nack.nack = true;
    a.ack(0, nack);
    EXPECT_EQ(a.out.cwnd_bytes, 50000u);
    a.rto(0);
    EXPECT_EQ(a.out.cwnd_bytes, 50000u) << "once per round trip";
    a.step(51000, 60000, false);
    a.rto(0);
    EXPECT_EQ(a.out.cwnd_bytes, 25000u);
}

TEST(DctcpPaper, NeverBelowOneMtu)
{
    Sender a;
    for (uint64_t i = 1; i < 100; i++)
        a.step(i * 1000, i * 1000, true);
    EXPECT_EQ(a.out.cwnd_bytes, 1000u);
}

TEST(DctcpSim, CutsTheRate)
{
    Sender a(kSim);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
    a.step(1000, 100000, true); // first: alpha stays 1; 101 packets expected
    EXPECT_EQ(a.out.rate_bps, 50 * kGbps);
    EXPECT_EQ(a.out.cwnd_bytes, 50000u);
    a.step(2000, 100000, true);
    EXPECT_EQ(a.out.rate_bps, 50 * kGbps);
    a.step(101000, 151000, false); // F = 2/101; out of the cut: + 615 Mbps
    EXPECT_DOUBLE_EQ(a.observed(0), 0.9387376237623762);
    EXPECT_EQ(a.out.rate_bps, 50615000000u);
    a.step(102000, 152000, true);
    EXPECT_EQ(a.out.rate_bps, 26857897586u); // 50615000000 (1 - alpha/2)
}

TEST(DctcpSim, BoundsTheRate)
{
    Sender a(kSim);
    for (uint64_t i = 1; i < 200; i++)
        a.step(i * 1000, i * 1000, true);
    EXPECT_EQ(a.out.rate_bps, 1 * kGbps);
    for (uint64_t i = 200; i < 1000; i++)
        a.step(i * 1000, i * 1000, false);
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
}

TEST(Dctcp, SettingsWithoutEffectAreErrors)
{
    EXPECT_NE(Algo(kDctcp, {{"rate-ai", "1Gbps"}}).why_not(), "");
    EXPECT_NE(Algo(kDctcp, {{"window", "none"}}).why_not(), "");
    EXPECT_NE(Algo(kDctcp, {{"mode", "hpcc"}, {"initial-window", "1KB"}}).why_not(), "");
}
