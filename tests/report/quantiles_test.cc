// SPDX-License-Identifier: GPL-2.0-only
// Percentiles: exact up to a number of values, then within what their bins are wide.
#include "base/draw.h"
#include "report/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace
{

TEST(Quantiles, NearestRankOfAllValues)
{
    struct weft_quantiles q = {};
    for (int i = 10; i >= 1; i--)
        ASSERT_EQ(weft_quantiles_add(&q, i, nullptr), 0);
    weft_quantiles_sort(&q);
    EXPECT_EQ(weft_quantile(&q, 0), 1);
    EXPECT_EQ(weft_quantile(&q, 10), 1);
    EXPECT_EQ(weft_quantile(&q, 11), 2);
    EXPECT_EQ(weft_quantile(&q, 50), 5);
    EXPECT_EQ(weft_quantile(&q, 99), 10);
    EXPECT_EQ(q.max, 10);
    weft_quantiles_free(&q);
}

TEST(Quantiles, TenthsOfAPercent)
{
    struct weft_quantiles q = {};
    for (int i = 1; i <= 2000; i++)
        ASSERT_EQ(weft_quantiles_add(&q, i, nullptr), 0);
    weft_quantiles_sort(&q);
    EXPECT_EQ(weft_quantile(&q, 99), 1980);
    EXPECT_EQ(weft_quantile(&q, 99.9), 1998);
    EXPECT_EQ(weft_quantile(&q, 100), 2000);
    weft_quantiles_free(&q);
}

TEST(Quantiles, SortsAsTheLibraryDoes)
{
    struct weft_rng rng = weft_rng_stream(5, "quantiles", 0);
    for (size_t n : {0, 1, 2, 511, 512, 513, 5000, 70000}) {
        struct weft_quantiles q = {};
        std::vector<double> all;
        for (size_t i = 0; i < n; i++) {
            const double v = weft_rng_f64(&rng);
            all.push_back(i % 3 == 0 ? 0 : i % 3 == 1 ? std::exp(60 * v) : std::floor(1e4 * v));
            ASSERT_EQ(weft_quantiles_add(&q, all.back(), nullptr), 0);
        }
        weft_quantiles_sort(&q);
        std::sort(all.begin(), all.end());
        EXPECT_EQ(std::vector<double>(q.values, q.values + q.n), all) << n;
        ASSERT_EQ(weft_quantiles_add(&q, 7, nullptr), 0);
        weft_quantiles_sort(&q);
        EXPECT_TRUE(std::is_sorted(q.values, q.values + q.n)) << n;
        weft_quantiles_free(&q);
    }
}

TEST(Quantiles, ManyAreCountedInBinsAndStayClose)
{
    struct weft_quantiles q = {};
    struct weft_rng rng = weft_rng_stream(3, "quantiles", 0);
    std::vector<double> all;
    const size_t n = WEFT_QUANTILES_EXACT + 1000000;
    for (size_t i = 0; i < n; i++) {
        const double u = weft_rng_f64(&rng);
        all.push_back(1e7 *
                      weft_log_normal(u, weft_rng_f64(&rng), 2)); // some 10 us, and long tails
        ASSERT_EQ(weft_quantiles_add(&q, all.back(), nullptr), 0);
        ASSERT_EQ(q.bins == nullptr, i < WEFT_QUANTILES_EXACT);
    }
    EXPECT_EQ(q.values, nullptr);
    struct weft_quantiles copy = {};
    ASSERT_EQ(weft_quantiles_copy(&copy, &q, nullptr), 0);
    std::sort(all.begin(), all.end());
    weft_quantiles_sort(&copy);
    for (unsigned p : {1u, 25u, 50u, 90u, 99u, 100u}) {
        const double exact = all[(n * p + 99) / 100 - 1];
        EXPECT_NEAR(weft_quantile(&copy, p) / exact, 1, 1.3e-4) << p;
    }
    EXPECT_EQ(copy.max, all.back());
    weft_quantiles_free(&copy);
    weft_quantiles_free(&q);
}

TEST(Quantiles, BinsHoldEveryValue)
{
    struct weft_quantiles q = {};
    for (size_t i = 0; i <= WEFT_QUANTILES_EXACT; i++)
        ASSERT_EQ(weft_quantiles_add(&q, 1, nullptr), 0);
    EXPECT_EQ(weft_quantile(&q, 99), 1); // not more than the largest
    for (double v : {0.0, 0.1, 0x1p64, 0x1p70})
        ASSERT_EQ(weft_quantiles_add(&q, v, nullptr), 0);
    EXPECT_NEAR(weft_quantile(&q, 50), 1, 1.3e-4);
    EXPECT_EQ(q.max, 0x1p70);
    EXPECT_EQ(weft_quantile(&q, 0), 0);
    weft_quantiles_free(&q);
}

} // namespace
