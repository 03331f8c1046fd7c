// SPDX-License-Identifier: GPL-2.0-only
// PINT: the code, the switch's average, and the control that reads it.
#include "algo.h"

#include "congestion/pint_code.h"
#include "congestion/cc_table.h"

#include <rapidcheck/gtest.h>

#include <cmath>

using namespace weft_test;

namespace
{

const weft_cc_ops *const kPint = weft_cc_find("hpcc-pint", nullptr);
enum { UTIL, REF_RATE, STAGE };

weft_cc_ack coded(uint64_t una, uint64_t nxt, double u, double base = 1.01)
{
    weft_cc_ack a = ack_of(una, nxt);
    a.pint = weft_pint_encode(u, base, 0.999999);
    return a;
}

} // namespace

TEST(PintCode, RoundsUpAsOftenAsTheValueIsAway)
{
    // u = 1 is 512, between 1.05^127 = 490.954 and 1.05^128 = 515.502: 85.73 % of the way.
    EXPECT_EQ(weft_pint_encode(1.0, 1.05, 0.857), 128);
    EXPECT_EQ(weft_pint_encode(1.0, 1.05, 0.858), 127);
    EXPECT_NEAR(weft_pint_decode(128, 1.05), 1.0068396731, 1e-10);
}

// Powers of two have exact logarithms: T = 4096 ns at 8 Gbps is 4096 bytes; dt = 1024 ns, a queue
// of 2048 bytes, a packet of 1024: 1024 x 2048 / 4096^2 + 1024 / 4096 = 1/8 + 1/4. log2 of the
// nanoseconds in a second doesn't round where rate / 8 is a power of ten.
TEST(PintTables, AveragesAsTheDoubleArithmeticDoes)
{
    weft_libc_rand draws;
    weft_libc_rand_init(&draws, 1);
    EXPECT_NEAR(weft_pint_update_tables(0, 1024, 4096, 2048, 1024, 8000000000, &draws), 0.375,
                1e-9);
    // A queue below 256 bytes isn't seen; 3072 of 4096 ns of u = 1 remain, log2 3072 cut to 15
    // bits.
    EXPECT_NEAR(weft_pint_update_tables(1, 1024, 4096, 255, 0, 8000000000, &draws), 0.75,
                0.75 * 0.7 / 32768);
    EXPECT_EQ(weft_pint_update_tables(1, 5000, 4096, 0, 0, 8000000000, &draws), 0);
    // Nothing drew so far: all arguments had 16 bits or fewer. u = 9 is 73728, which has 17.
    weft_libc_rand fresh;
    weft_libc_rand_init(&fresh, 1);
    EXPECT_EQ(fresh.at, draws.at);
    weft_pint_update_tables(9.00001, 1024, 4096, 0, 0, 8000000000, &draws);
    EXPECT_EQ((fresh.at + 1) % 31, draws.at);
    for (int i = 1; i < 2000; i++) {
        const double u = i * 0.003;
        const int64_t dt = i % 4160;
        const uint64_t q = static_cast<uint64_t>(i) * 37;
        EXPECT_NEAR(weft_pint_update_tables(u, dt, 4160, q, 1050, 100000000000, &draws),
                    weft_pint_update(u, dt * 1000, 4160000, q, 1050, 100000000000),
                    0.001 + u * 0.001)
            << i;
    }
}

TEST(PintCode, EndsOfTheRange)
{
    for (double r : {0.0, 0.5, 0.999999}) {
        EXPECT_EQ(weft_pint_encode(0, 1.05, r), 0);
        EXPECT_EQ(weft_pint_encode(-1, 1.05, r), 0);
        EXPECT_EQ(weft_pint_encode(std::nan(""), 1.05, r), 0);
        EXPECT_LE(weft_pint_encode(INFINITY, 1.05, r), 256) << "8 bits";
        EXPECT_EQ(weft_pint_encode(INFINITY, 1.05, r), weft_pint_encode(512, 1.05, r));
        EXPECT_EQ(weft_pint_encode(1.0 / 512, 1.01, r), 0);
    }
    EXPECT_LE(weft_pint_encode(512, 1.01, 0.5), 2048) << "11 bits";
    EXPECT_EQ(weft_pint_decode(0, 1.05), 1.0 / 512);
    EXPECT_EQ(weft_pint_decode(UINT16_MAX, 2.0), 512.0);
    EXPECT_EQ(weft_pint_encode(1, 2.0, 0.0), 9) << "exact powers do not round";
    EXPECT_EQ(weft_pint_encode(1, 2.0, 0.999), 9);
}

RC_GTEST_PROP(PintCode, IsRightOnAverage, ())
{
    const double u = *rc::gen::inRange(1, 100000) / 1000.0;
    const double base = *rc::gen::element(1.01, 1.05, 1.3);
    double sum = 0;
    const int n = 20000;
    for (int i = 0; i < n; i++)
        sum += weft_pint_decode(weft_pint_encode(u, base, (i + 0.5) / n), base);
    RC_ASSERT(std::fabs(sum / n - std::ceil(u * 512) / 512) < 1e-4 * u + 1e-6);
}

TEST(PintSwitch, AveragesOverT)
{
    // B T = 100 kB: half of T at a queue of half B T, one kB sent, half of the old .8.
    EXPECT_DOUBLE_EQ(weft_pint_update(0.8, 4 * kUs, 8 * kUs, 50000, 1000, 100 * kGbps),
                     0.5 * 0.5 + 0.01 + 0.5 * 0.8);
    EXPECT_DOUBLE_EQ(weft_pint_update(0.8, 80 * kUs, 8 * kUs, 50000, 1000, 100 * kGbps), 0.51)
        << "nothing is older than T";
    EXPECT_DOUBLE_EQ(weft_pint_update(0.8, 0, 8 * kUs, 50000, 0, 100 * kGbps), 0.8);
}

TEST(PintSwitch, ABusyLinkWithoutQueueTendsToOne)
{
    double u = 0;
    for (int i = 0; i < 2000; i++)
        u = weft_pint_update(u, 80000, 8 * kUs, 0, 1000, 100 * kGbps);
    EXPECT_NEAR(u, 1.0, 1e-6);
}

TEST(HpccPint, PaperReactsWithAWindow)
{
    Algo a(kPint, {{"log-base", "1.01"}}, headerless_env());
    a.init();
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    EXPECT_EQ(a.out.cwnd_bytes, 100000u);
    EXPECT_TRUE(a.out.repace);
    a.ack(0, coded(1000, 50000, 2.0));
    EXPECT_EQ(a.out.cwnd_bytes, 100000u) << "the first ACK changes nothing";
    const weft_cc_ack two = coded(2000, 51000, 2.0);
    const double u = std::pow(1.01, two.pint) / 512;
    EXPECT_NEAR(u, 2.0, 0.02);
    a.ack(0, two);
    EXPECT_EQ(a.out.cwnd_bytes, static_cast<uint64_t>(95000 / u + 80));
    EXPECT_EQ(a.observed(REF_RATE), 100e9);
    a.ack(0, coded(50001, 100000, 2.0));
    EXPECT_NEAR(a.observed(REF_RATE), (95000 / u + 80) * 1e6, 1e-3);
}

TEST(HpccPint, SimReactsWithARate)
{
    Algo a(kPint, {{"mode", "hpcc"}, {"max-stage", "0"}, {"log-base", "2"}, {"min-rate", "1Gbps"}},
           headerless_env());
    ASSERT_EQ(a.why_not(), "");
    a.init();
    a.ack(0, coded(1000, 50000, 1.0, 2));
    weft_cc_ack two = ack_of(2000, 51000);
    two.pint = 10; // 2^10 / 512 = 2
    a.ack(0, two);
    EXPECT_EQ(a.observed(UTIL), 2.0);
    EXPECT_EQ(a.out.rate_bps, 47540000000u); // 100e9 .95 / 2 + 40e6
    EXPECT_EQ(a.out.cwnd_bytes, 47540u);
    a.ack(0, ack_of(3000, 52000)); // code 0: idle
    EXPECT_EQ(a.out.rate_bps, 100 * kGbps);
    two.pint = 18; // 512
    a.ack(0, two);
    EXPECT_EQ(a.out.rate_bps, 1 * kGbps);
}

TEST(HpccPint, SamplesEvenly)
{
    Algo a(kPint, {{"sample", "0.5"}, {"log-base", "2"}}, headerless_env());
    a.init();
    int changes = 0;
    for (uint64_t i = 1; i <= 22; i++) {
        const uint64_t before = a.out.cwnd_bytes;
        weft_cc_ack ack = ack_of(1000 * i, 1000 * i);
        ack.pint = 10;
        a.ack(0, ack);
        changes += a.out.cwnd_bytes != before;
    }
    EXPECT_LE(changes, 10) << "every second ACK, less the first";
    EXPECT_GE(changes, 5);
}

TEST(HpccPint, TellsSwitchesHowToCode)
{
    Algo a(kPint, {{"log-base", "1.01"}, {"average-time", "13us"}});
    EXPECT_EQ(a.signals().data_bytes, 2u);
    EXPECT_EQ(a.signals().ack_bytes, 2u);
    EXPECT_EQ(a.signals().pint_base, 1.01);
    EXPECT_EQ(a.signals().pint_t_ps, 13 * kUs);
    EXPECT_NE(Algo(kPint, {{"rate-ai", "1Mbps"}}).why_not(), "");
}
