// SPDX-License-Identifier: GPL-2.0-only
// The closed forms against one step at a time.
#include "congestion/lazy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace
{

weft_cc_rates step(weft_cc_rates c, uint64_t cap, uint64_t by, bool halve_each)
{
    c.target_bps = std::min(cap, c.target_bps + by);
    c.rate_bps = halve_each ? c.rate_bps / 2 + c.target_bps / 2 : (c.rate_bps + c.target_bps) / 2;
    return c;
}

void expect_same(weft_cc_rates c, uint64_t cap, uint64_t by, uint64_t n, bool halve_each)
{
    weft_cc_rates slow = c;
    for (uint64_t i = 0; i < n; i++)
        slow = step(slow, cap, by, halve_each);
    weft_cc_climb(&c, cap, by, n, halve_each);
    RC_ASSERT(c.rate_bps == slow.rate_bps);
    RC_ASSERT(c.target_bps == slow.target_bps);
}

} // namespace

TEST(LazyPow, PowersOfTwoAreExact)
{
    EXPECT_EQ(weft_cc_pow(0.5, 0), 1.0);
    EXPECT_EQ(weft_cc_pow(0.5, 10), 0x1p-10);
    EXPECT_EQ(weft_cc_pow(2.0, 1023), 0x1p1023);
    EXPECT_EQ(weft_cc_pow(0.0, 0), 1.0);
    EXPECT_EQ(weft_cc_pow(0.0, 7), 0.0);
    EXPECT_EQ(weft_cc_pow(0.5, UINT64_MAX), 0.0);
}

TEST(LazyPow, AgreesWithRepeatedMultiplication)
{
    double slow = 1.0;
    for (uint64_t n = 0; n < 20000; n++) {
        ASSERT_NEAR(weft_cc_pow(255.0 / 256.0, n), slow, slow * 1e-12) << n;
        slow *= 255.0 / 256.0;
    }
}

TEST(LazyClimb, HandWorkedSteps)
{
    weft_cc_rates c = {25, 50};
    weft_cc_climb(&c, 100, 0, 1, false); // (25+50)/2 = 37.5
    EXPECT_EQ(c.rate_bps, 37u);
    weft_cc_climb(&c, 100, 10, 2, false); // 60,(37+60)/2=48; 70,(48+70)/2=59
    EXPECT_EQ(c.target_bps, 70u);
    EXPECT_EQ(c.rate_bps, 59u);
    weft_cc_climb(&c, 100, 10, UINT64_MAX, false);
    EXPECT_EQ(c.target_bps, 100u);
    EXPECT_EQ(c.rate_bps, 99u) << "(99 + 100) / 2 rounds down for ever";
}

TEST(LazyClimb, HalvesRoundedApartLoseUpToOneBit)
{
    weft_cc_rates c = {25, 51};
    weft_cc_climb(&c, 100, 0, 1, true); // 12 + 25
    EXPECT_EQ(c.rate_bps, 37u);
    c = {25, 51};
    weft_cc_climb(&c, 100, 0, 1, false);
    EXPECT_EQ(c.rate_bps, 38u);
}

RC_GTEST_PROP(LazyClimb, EqualsSingleSteps, (bool halve_each))
{
    const uint64_t cap = *rc::gen::inRange<uint64_t>(1, 2000000000000);
    weft_cc_rates c;
    c.target_bps = *rc::gen::inRange<uint64_t>(0, cap + 1);
    c.rate_bps = *rc::gen::inRange<uint64_t>(0, c.target_bps + 1);
    const uint64_t by =
        *rc::gen::oneOf(rc::gen::just<uint64_t>(0), rc::gen::inRange<uint64_t>(0, cap / 50 + 2),
                        rc::gen::inRange<uint64_t>(cap / 5000, cap / 1000 + 2));
    expect_same(c, cap, by, *rc::gen::inRange<uint64_t>(0, 6000), halve_each);
}

RC_GTEST_PROP(LazyClimb, EqualsSingleStepsOnSmallNumbers, (bool halve_each))
{
    const uint64_t cap = *rc::gen::inRange<uint64_t>(1, 400);
    weft_cc_rates c;
    c.target_bps = *rc::gen::inRange<uint64_t>(0, cap + 1);
    c.rate_bps = *rc::gen::inRange<uint64_t>(0, c.target_bps + 1);
    expect_same(c, cap, *rc::gen::inRange<uint64_t>(0, 9), *rc::gen::inRange<uint64_t>(0, 600),
                halve_each);
}

TEST(LazyClimb, ManyExpiriesReturnAtOnce)
{
    weft_cc_rates c = {1, 1};
    weft_cc_climb(&c, UINT64_C(1) << 62, 1, UINT64_C(1) << 61,
                  false); // would take years one by one
    EXPECT_EQ(c.target_bps, (UINT64_C(1) << 61) + 1);
    EXPECT_EQ(c.target_bps - c.rate_bps, 1u) << "the gap at rest with step 1: ceil((1 + 1) / 2)";
}

TEST(LazyExpiries, CountsThePeriodEndIncluded)
{
    EXPECT_EQ(weft_cc_expiries(100, 99, 10), 0u);
    EXPECT_EQ(weft_cc_expiries(100, 100, 10), 0u);
    EXPECT_EQ(weft_cc_expiries(100, 109, 10), 0u);
    EXPECT_EQ(weft_cc_expiries(100, 110, 10), 1u);
    EXPECT_EQ(weft_cc_expiries(100, 135, 10), 3u);
}
