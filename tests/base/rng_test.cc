/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/rng.h"

#include <gtest/gtest.h>

#include <set>

namespace
{

TEST(Rng, IsSplitMix64)
{
    /* First outputs for state 1234567 of the reference implementation of SplitMix64. */
    weft_rng r = {1234567};
    EXPECT_EQ(weft_rng_u64(&r), UINT64_C(6457827717110365317));
    EXPECT_EQ(weft_rng_u64(&r), UINT64_C(3203168211198807973));
    EXPECT_EQ(weft_rng_u64(&r), UINT64_C(9817491932198370423));
    EXPECT_EQ(weft_rng_u64(&r), UINT64_C(4593380528125082431));
    EXPECT_EQ(weft_rng_u64(&r), UINT64_C(16408922859458223821));
}

TEST(Rng, StreamsDependOnSeedNameAndIndexOnly)
{
    weft_rng a = weft_rng_stream(1, "ecn", 7), b = weft_rng_stream(1, "ecn", 7);
    EXPECT_EQ(weft_rng_u64(&a), weft_rng_u64(&b));
    std::set<uint64_t> first;
    for (uint64_t seed = 0; seed < 8; seed++)
        for (const char *name : {"ecn", "ecm", "loss", ""})
            for (uint64_t index = 0; index < 64; index++)
                first.insert(weft_rng_stream(seed, name, index).state);
    EXPECT_EQ(first.size(), 8u * 4 * 64);
}

TEST(Rng, DoublesAreInTheHalfOpenUnitIntervalAndEven)
{
    weft_rng r = weft_rng_stream(42, "f64", 0);
    double sum = 0;
    int low = 0;
    const int n = 100000;
    for (int i = 0; i < n; i++) {
        const double v = weft_rng_f64(&r);
        ASSERT_GE(v, 0.0);
        ASSERT_LT(v, 1.0);
        sum += v;
        low += v < 0.25;
    }
    /* Standard deviations: 0.29 / sqrt(n) = 0.0009 and sqrt(3/16 n) = 137. */
    EXPECT_NEAR(sum / n, 0.5, 0.005);
    EXPECT_NEAR(low, n / 4, 700);
}

TEST(Rng, BelowStaysBelowAndReachesAll)
{
    weft_rng r = weft_rng_stream(42, "below", 0);
    int count[7] = {};
    for (int i = 0; i < 70000; i++) {
        const uint64_t v = weft_rng_below(&r, 7);
        ASSERT_LT(v, 7u);
        count[v]++;
    }
    for (int c : count)
        EXPECT_NEAR(c, 10000, 500); /* standard deviation 93 */
    for (int i = 0; i < 10; i++)
        EXPECT_EQ(weft_rng_below(&r, 1), 0u);
}

} // namespace
