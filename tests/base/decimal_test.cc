// SPDX-License-Identifier: GPL-2.0-only
// Numbers as text are those of printf, digit by digit.
#include "base/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

namespace
{

std::string written(uint64_t number, int decimals)
{
    char text[32], *end = text + sizeof text;
    std::string s(weft_decimal_digits(end, number, decimals + 1), end);
    return decimals ? s.insert(s.size() - decimals, ".") : s;
}

std::string printed(double v, int decimals)
{
    char text[400];
    snprintf(text, sizeof text, "%.*f", decimals, std::fabs(v));
    return text;
}

TEST(Decimal, Digits)
{
    for (uint64_t v :
         {UINT64_C(0), UINT64_C(7), UINT64_C(10), UINT64_C(99), UINT64_C(100), UINT64_MAX})
        EXPECT_EQ(written(v, 0), std::to_string(v));
    char text[8], *end = text + sizeof text;
    EXPECT_EQ(std::string(weft_decimal_digits(end, 5, 3), end), "005");
    EXPECT_EQ(std::string(weft_decimal_digits(end, 0, 0), end), "");
}

// Numbers of all sizes, those halfway between two texts among them.
TEST(Decimal, RoundsAsPrintfDoes)
{
    std::mt19937_64 draw(1);
    uint64_t taken = 0;
    for (int i = 0; i < 200000; i++) {
        const int decimals = static_cast<int>(draw() % 10);
        double v;
        const uint64_t bits = draw();
        switch (i % 4) {
        case 0: // any bits
            memcpy(&v, &bits, sizeof v);
            break;
        case 1: // of one size
            v = static_cast<double>(bits >> draw() % 64) / 1e6;
            break;
        case 2: // halfway
            v = (static_cast<double>(bits % 100000) + 0.5) /
                std::ldexp(1.0, static_cast<int>(draw() % 12));
            break;
        default:
            v = 1 + static_cast<double>(bits % 1000000) / 1e6;
        }
        uint64_t number = 0;
        if (!std::isfinite(v) || !weft_decimal_scaled(v, decimals, &number))
            continue;
        taken++;
        ASSERT_EQ(written(number, decimals), printed(v, decimals)) << v << " with " << decimals;
    }
    EXPECT_GT(taken, 100000u);
}

TEST(Decimal, WhatHasTooManyDigitsIsRefused)
{
    uint64_t number = 0;
    EXPECT_FALSE(weft_decimal_scaled(1, 10, &number));
    EXPECT_FALSE(weft_decimal_scaled(4503599627370496.0, 0, &number));
    EXPECT_FALSE(weft_decimal_scaled(1000000000.0, 9, &number));
    EXPECT_FALSE(weft_decimal_scaled(INFINITY, 0, &number));
    EXPECT_FALSE(weft_decimal_scaled(NAN, 0, &number));
    ASSERT_TRUE(weft_decimal_scaled(4503599627370495.0, 0, &number));
    EXPECT_EQ(number, UINT64_C(4503599627370495));
    ASSERT_TRUE(weft_decimal_scaled(999999999.0, 9, &number));
    EXPECT_EQ(number, UINT64_C(999999999000000000));
    ASSERT_TRUE(weft_decimal_scaled(4.9e-324, 9, &number));
    EXPECT_EQ(number, 0u);
    ASSERT_TRUE(weft_decimal_scaled(0, 6, &number));
    EXPECT_EQ(number, 0u);
}

} // namespace
