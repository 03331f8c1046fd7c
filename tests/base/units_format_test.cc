/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace
{

char buf[WEFT_UNIT_TEXT_MAX];

TEST(UnitsFormat, Time)
{
    EXPECT_STREQ(weft_format_time(0, buf), "0ps");
    EXPECT_STREQ(weft_format_time(1, buf), "1ps");
    EXPECT_STREQ(weft_format_time(999, buf), "999ps");
    EXPECT_STREQ(weft_format_time(1280, buf), "1.28ns");
    EXPECT_STREQ(weft_format_time(1001, buf), "1.001ns");
    EXPECT_STREQ(weft_format_time(1000000, buf), "1us");
    EXPECT_STREQ(weft_format_time(1000001, buf), "1000.001ns");
    EXPECT_STREQ(weft_format_time(35000000, buf), "35us");
    EXPECT_STREQ(weft_format_time(2500 * WEFT_PS_PER_MS, buf), "2.5s");
    EXPECT_STREQ(weft_format_time(60 * WEFT_PS_PER_S, buf), "1min");
    EXPECT_STREQ(weft_format_time(90 * WEFT_PS_PER_S, buf), "90s");
    EXPECT_STREQ(weft_format_time(7200 * WEFT_PS_PER_S, buf), "2h");
    EXPECT_STREQ(weft_format_time(-1280, buf), "-1.28ns");
    EXPECT_STREQ(weft_format_time(INT64_MAX, buf), "9223372036854775.807ns");
    EXPECT_STREQ(weft_format_time(INT64_MIN, buf), "-9223372036854775.808ns");
}

TEST(UnitsFormat, Size)
{
    EXPECT_STREQ(weft_format_size(0, buf), "0B");
    EXPECT_STREQ(weft_format_size(1, buf), "1B");
    EXPECT_STREQ(weft_format_size(1048, buf), "1048B");
    EXPECT_STREQ(weft_format_size(1000, buf), "1KB");
    EXPECT_STREQ(weft_format_size(1024, buf), "1KiB");
    EXPECT_STREQ(weft_format_size(100000, buf), "100KB");
    EXPECT_STREQ(weft_format_size(33554432, buf), "32MiB");
    EXPECT_STREQ(weft_format_size(1024000, buf), "1000KiB");
    EXPECT_STREQ(weft_format_size(UINT64_MAX, buf), "18446744073709551615B");
}

TEST(UnitsFormat, Rate)
{
    EXPECT_STREQ(weft_format_rate(0, buf), "0bps");
    EXPECT_STREQ(weft_format_rate(7, buf), "7bps");
    EXPECT_STREQ(weft_format_rate(400000000000, buf), "400Gbps");
    EXPECT_STREQ(weft_format_rate(1600000000000, buf), "1.6Tbps");
    EXPECT_STREQ(weft_format_rate(12500000000, buf), "12.5Gbps");
    EXPECT_STREQ(weft_format_rate(1234567, buf), "1234.567kbps");
    EXPECT_STREQ(weft_format_rate(UINT64_MAX, buf), "18446744073709551.615kbps");
}

TEST(UnitsFormat, ForPeople)
{
    EXPECT_STREQ(weft_human_time(0, buf), "0 ps");
    EXPECT_STREQ(weft_human_time(999, buf), "999 ps");
    EXPECT_STREQ(weft_human_time(12345678, buf), "12.35 us");
    EXPECT_STREQ(weft_human_time(999960, buf), "1 us"); /* not "1000 ns" */
    EXPECT_STREQ(weft_human_time(999940, buf), "999.9 ns");
    EXPECT_STREQ(weft_human_time(-1500, buf), "-1.5 ns");
    EXPECT_STREQ(weft_human_time(12345 * WEFT_PS_PER_S, buf), "12345 s");
    EXPECT_STREQ(weft_human_size(1048576, buf), "1.049 MB");
    EXPECT_STREQ(weft_human_size(512, buf), "512 B");
    EXPECT_STREQ(weft_human_rate(398.2e9, buf), "398.2 Gbps");
    EXPECT_STREQ(weft_human_rate(0.5, buf), "0.5 bps");
    EXPECT_STREQ(weft_human_rate(0, buf), "0 bps");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(std::string(weft_human_rate(nan, buf)).find("nan"), std::string::npos);
    weft_human_rate(std::numeric_limits<double>::max(), buf); /* fits */
}

TEST(UnitsFormat, PicosecondsAsNanoseconds)
{
    EXPECT_STREQ(weft_ps_as_ns(0, buf), "0.000");
    EXPECT_STREQ(weft_ps_as_ns(1, buf), "0.001");
    EXPECT_STREQ(weft_ps_as_ns(1234567, buf), "1234.567");
    EXPECT_STREQ(weft_ps_as_ns(-1, buf), "-0.001");
    EXPECT_STREQ(weft_ps_as_ns(INT64_MAX, buf), "9223372036854775.807");
    EXPECT_STREQ(weft_ps_as_ns(INT64_MIN, buf), "-9223372036854775.808");
}

} // namespace
