/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/units.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

struct Good {
    const char *text;
    uint64_t value;
};
struct Bad {
    const char *text;
    const char *message; /* a part of it */
};

constexpr uint64_t K = 1000, KI = 1024;

const Good good_times[] = {
    {"0", 0},
    {"0.000", 0},
    {"0ns", 0},
    {"1ps", 1},
    {"1.28ns", 1280},
    {"0.0005ms", 500000},
    {".5us", 500000},
    {"1us", K *K},
    {"35us", 35 * K *K},
    {"2ms", 2 * K *K *K},
    {"1s", K *K *K *K},
    {"1.5min", 90 * K *K *K *K},
    {"1h", 3600 * K *K *K *K},
    {"0.001ns", 1},
    {"0.000000000001s", 1},
    {"1.2800000000000000000000000000000000000000000000ns", 1280},
    {"0001.50us", 1500000},
    {"1 us", K *K},
    {"  7ns\n", 7000},
    {"7NS", 7000},
    {"0.1ns", 100}, /* not a multiple of a power of two: doubles would miss some of these */
    {"0.007s", 7 * K *K *K},
    {"123456.789012s", 123456789012 * K *K},
    {"9223372036854775807ps", INT64_MAX},
    {"9223372.036854775807s", INT64_MAX},
    {"0.000000000000000000000000000000000000000000h", 0},
};

const Bad bad_times[] = {
    {"", "empty"},
    {"  ", "empty"},
    {"35", "'35' has no unit; write for example 35ns, 35us or 35s"},
    {"1.5", "'1.5' has no unit; write for example 1.5ns, 1.5us or 1.5s"},
    {"0.5ps", "'0.5ps' is not a whole number of picoseconds"},
    {"1.2345ns", "not a whole number of picoseconds"},
    {"0.0000000000001s", "not a whole number"},
    {"-1us", "negative"},
    {"+1us", "must start with a number"},
    {"us", "must start with a number"},
    {"1.us", "unknown unit '.us'"},
    {"1e3ns", "unknown unit 'e3ns'"},
    {"0x10ns", "unknown unit"},
    {"1,5us", "unknown unit"},
    {"1us 2us", "unknown unit 'us 2us'"},
    {"5usec", "unknown unit 'usec' in '5usec'; did you mean us?"},
    {"5sec", "did you mean s?"},
    {"5m", "did you mean ms?"},
    {"5hours", "units of time are ps ns us ms s min h"},
    {"5GB", "unknown unit 'GB'"},
    {"9223372036854775808ps", "too large"},
    {"2563h", "too large"},
    {"999999999999999999999999999999s", "too large"},
    {"99999999999999999999999999999999999999999999s", "too many digits"},
};

const Good good_sizes[] = {
    {"0", 0},
    {"4096B", 4096},
    {"4KiB", 4096},
    {"32MiB", 32 * KI *KI},
    {"100KB", 100 * K},
    {"100kB", 100 * K},
    {"1.5MB", 1500000},
    {"1GB", K *K *K},
    {"1TB", K *K *K *K},
    {"1TiB", KI *KI *KI *KI},
    {"0.5KiB", 512},
    {"0.000000000000909494701772928237915039062500TiB", 1},
    {"18446744073709551615B", UINT64_MAX},
};

const Bad bad_sizes[] = {
    {"4096", "'4096' has no unit; write for example 4096B or 4KiB"},
    {"1048576", "'1048576' has no unit; write for example 1048576B or 1MiB"},
    {"1000000", "'1000000' has no unit; write for example 1000000B or 1MB"},
    {"1048577", "'1048577' has no unit; write for example 1048577B"},
    {"100", "'100' has no unit; write for example 100B or 100KiB"},
    {"1.5", "'1.5' has no unit; write for example 1.5MB or 1.5KiB"},
    {"1.5mib", "unknown unit 'mib' in '1.5mib'; did you mean MiB?"},
    {"1kb", "unknown unit 'kb' in '1kb'; did you mean KB?"},
    {"1K", "did you mean KB?"},
    {"64M", "did you mean MB?"},
    {"1bytes", "units of size are B KB"},
    {"1Gbps", "unknown unit 'Gbps'"},
    {"1.5B", "'1.5B' is not a whole number of bytes"},
    {"0.0001KB", "not a whole number of bytes"},
    {"-1B", "negative"},
    {"18446744073709551616B", "too large; the largest size is 18446744073709551615B"},
    {"16777216TiB", "too large"},
    {"16777215.999999999999999999TiB", "not a whole number"},
};

const Good good_rates[] = {
    {"0", 0},
    {"400Gbps", 400 * K *K *K},
    {"400gbps", 400 * K *K *K},
    {"400Gb/s", 400 * K *K *K},
    {"400Gbit/s", 400 * K *K *K},
    {"400GBit/s", 400 * K *K *K},
    {"400 Gbps", 400 * K *K *K},
    {"1.6Tbps", 1600 * K *K *K},
    {"40Mbps", 40 * K *K},
    {"5kbps", 5 * K},
    {"5Kbps", 5 * K},
    {"7bps", 7},
    {"7b/s", 7},
    {"7bit/s", 7},
    {"50GB/s", 400 * K *K *K},
    {"50GBps", 400 * K *K *K},
    {"1B/s", 8},
    {"0.125B/s", 1},
    {"1KB/s", 8000},
    {"1MB/s", 8 * K *K},
    {"1KiB/s", 8 * KI},
    {"1MiB/s", 8 * KI *KI},
    {"1GiB/s", 8 * KI *KI *KI},
    {"1TiB/s", 8 * KI *KI *KI *KI},
    {"1TB/s", 8 * K *K *K *K},
    {"18446744073709551615bps", UINT64_MAX},
};

const Bad bad_rates[] = {
    {"400", "'400' has no unit; write for example 400Gbps or 400Mbps"},
    {"400000000000", "'400000000000' has no unit; write for example 400000000000bps or 400Gbps"},
    {"400G", "unknown unit 'G' in '400G'; did you mean Gbps?"},
    {"400Gbp", "did you mean Gbps?"},
    {"400Gbs", "did you mean Gbps?"},
    {"400GBs", "did you mean"},
    {"400Gib/s", "did you mean GiB/s?"},
    {"400KiB", "did you mean KiB/s?"},
    {"400Ebps", "unknown unit 'Ebps'"},
    {"400b", "did you mean bps?"},
    {"400abcb/s", "unknown unit"},
    {"1.5bps", "'1.5bps' is not a whole number of bit/s"},
    {"20000000Tbps", "too large"},
    {"-1Gbps", "negative"},
};

template <typename T, size_t G, size_t B>
void check(int (*parse)(const char *, T *, weft_err *), const Good (&good)[G], const Bad (&bad)[B])
{
    for (const Good &c : good) {
        weft_err e = {};
        T v = T(77);
        EXPECT_EQ(parse(c.text, &v, &e), 0) << c.text << ": " << e.msg;
        EXPECT_EQ(uint64_t(v), c.value) << c.text;
        EXPECT_EQ(e.code, 0);
    }
    for (const Bad &c : bad) {
        weft_err e = {};
        T v = T(77);
        EXPECT_EQ(parse(c.text, &v, &e), WEFT_E_INPUT) << c.text;
        EXPECT_EQ(e.code, WEFT_E_INPUT);
        EXPECT_NE(std::string(e.msg).find(c.message), std::string::npos)
            << "'" << c.text << "' says: " << e.msg;
        EXPECT_EQ(uint64_t(v), 77u) << "a failed parse changed its output: " << c.text;
        EXPECT_EQ(parse(c.text, &v, nullptr), WEFT_E_INPUT);
    }
}

TEST(UnitsParse, Time)
{
    check(weft_parse_time_ps, good_times, bad_times);
}

TEST(UnitsParse, Size)
{
    check(weft_parse_size_bytes, good_sizes, bad_sizes);
}

TEST(UnitsParse, Rate)
{
    check(weft_parse_rate_bps, good_rates, bad_rates);
}

TEST(UnitsParse, Count)
{
    const Good good[] = {{"0", 0},   {"7", 7},         {" 8 ", 8},
                         {"007", 7}, {"16384", 16384}, {"18446744073709551615", UINT64_MAX}};
    const Bad bad[] = {{"", "an empty text is not a count"},
                       {"-1", "negative"},
                       {"1.5", "not a whole number"},
                       {"1.0", "not a whole number"},
                       {"8B", "without unit"},
                       {"1e6", "without unit"},
                       {"eight", "must start with a number"},
                       {"18446744073709551616", "too large"}};
    check(weft_parse_u64, good, bad);
}

TEST(UnitsParse, NullIsEmpty)
{
    int64_t t;
    uint64_t u;
    EXPECT_EQ(weft_parse_time_ps(nullptr, &t, nullptr), WEFT_E_INPUT);
    EXPECT_EQ(weft_parse_u64(nullptr, &u, nullptr), WEFT_E_INPUT);
}

TEST(UnitsParse, AHugeTextIsQuotedInPart)
{
    weft_err e = {};
    int64_t t;
    const std::string text = "1" + std::string(100000, 'x');
    EXPECT_EQ(weft_parse_time_ps(text.c_str(), &t, &e), WEFT_E_INPUT);
    EXPECT_LT(std::string(e.msg).size(), 400u);
}

} // namespace
