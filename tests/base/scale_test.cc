// SPDX-License-Identifier: GPL-2.0-only
// Defaults that follow from the path: values, bounds, text, and that given values stay.
#include "base/scale.h"

#include "base/units.h"

#include <gtest/gtest.h>

namespace
{

struct Conf {
    uint64_t step_bps;
    int64_t timer_ps, low_ps;
    uint64_t window_bytes;
    double packets;
    uint64_t kmin_bytes;
};

constexpr weft_scale kStep = {WEFT_BASIS_LINE_RATE, "10Gbps", nullptr, nullptr};
constexpr weft_scale kTimer = {WEFT_BASIS_LINE_TIME, "40Gbps", "6us", "50us"};
constexpr weft_scale kLow = {WEFT_BASIS_BASE_RTT, "20us", nullptr, nullptr};
constexpr weft_scale kWindow = {WEFT_BASIS_LINE_RATE, "100Gbps", "80B", nullptr};
constexpr weft_scale kPackets = {WEFT_BASIS_LINE_RATE, "100Gbps", "1", nullptr};
constexpr weft_scale kKmin = {WEFT_BASIS_CONTROL, nullptr, nullptr, nullptr};

const weft_param kParams[] = {
    {"step", WEFT_PARAM_RATE, offsetof(Conf, step_bps), "40Mbps", "0bps", nullptr, nullptr, "",
     nullptr, nullptr, &kStep},
    {"timer", WEFT_PARAM_TIME, offsetof(Conf, timer_ps), "50us", "0ps", "1s", nullptr, "", nullptr,
     nullptr, &kTimer},
    {"low", WEFT_PARAM_TIME, offsetof(Conf, low_ps), "50us", "0ps", "1s", nullptr, "", nullptr,
     nullptr, &kLow},
    {"window", WEFT_PARAM_SIZE, offsetof(Conf, window_bytes), "80B", "0B", nullptr, nullptr, "",
     nullptr, nullptr, &kWindow},
    {"packets", WEFT_PARAM_F64, offsetof(Conf, packets), "1", "0.5", "1000", nullptr, "", nullptr,
     nullptr, &kPackets},
    {"kmin", WEFT_PARAM_SIZE, offsetof(Conf, kmin_bytes), "100KB", "0", "1GiB", nullptr, "",
     nullptr, nullptr, &kKmin},
};
const weft_param_table kTable = WEFT_PARAM_TABLE(kParams, Conf);

constexpr uint64_t G = 1000000000;

Conf Settled(uint64_t line_bps, int64_t rtt_ps)
{
    Conf c{};
    weft_err err{};
    EXPECT_EQ(weft_params_defaults(&kTable, &c, &err), 0) << err.msg;
    const weft_scale_path path = {line_bps, rtt_ps};
    weft_params_resolve(&kTable, &c, &path);
    return c;
}

TEST(Scale, FollowsLineRateAndBaseRttWithinItsBounds)
{
    Conf c = Settled(400 * G, 10 * WEFT_PS_PER_US);
    EXPECT_EQ(c.step_bps, 1600000000u);
    EXPECT_EQ(c.timer_ps, 6 * WEFT_PS_PER_US); // 5 us are below the least
    EXPECT_EQ(c.low_ps, 25 * WEFT_PS_PER_US);
    EXPECT_EQ(c.window_bytes, 320u);
    EXPECT_EQ(c.packets, 4.0);
    c = Settled(25 * G, 20 * WEFT_PS_PER_US);
    EXPECT_EQ(c.step_bps, 100000000u);
    EXPECT_EQ(c.timer_ps, 50 * WEFT_PS_PER_US); // 80 us are above the most
    EXPECT_EQ(c.low_ps, 50 * WEFT_PS_PER_US);
    EXPECT_EQ(c.window_bytes, 80u);
    EXPECT_EQ(c.packets, 1.0);
    EXPECT_EQ(Settled(100 * G, 1).timer_ps, 20 * WEFT_PS_PER_US);
}

TEST(Scale, GivenValuesStayAndAutoGivesTheDefaultBack)
{
    Conf c{};
    weft_err err{};
    const weft_scale_path path = {400 * G, 10 * WEFT_PS_PER_US};
    ASSERT_EQ(weft_params_defaults(&kTable, &c, &err), 0) << err.msg;
    for (const auto &[name, value] : {std::pair{"step", "0bps"},
                                      {"timer", "50us"},
                                      {"low", "7us"},
                                      {"window", "1B"},
                                      {"packets", "2"}})
        ASSERT_EQ(weft_params_set(&kTable, &c, name, value, &err), 0) << err.msg;
    weft_params_resolve(&kTable, &c, &path);
    EXPECT_EQ(c.step_bps, 0u);
    EXPECT_EQ(c.timer_ps, 50 * WEFT_PS_PER_US);
    EXPECT_EQ(c.low_ps, 7 * WEFT_PS_PER_US);
    EXPECT_EQ(c.window_bytes, 1u);
    EXPECT_EQ(c.packets, 2.0);
    ASSERT_EQ(weft_params_set(&kTable, &c, "step", "auto", &err), 0) << err.msg;
    char buf[WEFT_PARAM_TEXT_MAX];
    EXPECT_STREQ(weft_params_format(&kParams[0], &c, buf, sizeof buf), "auto");
    weft_params_resolve(&kTable, &c, &path);
    EXPECT_EQ(c.step_bps, 1600000000u);
}

TEST(Scale, WithoutABaseRttOrAControlTheDefaultStaysOpen)
{
    Conf c = Settled(400 * G, 0);
    EXPECT_TRUE(weft_param_is_auto(&kParams[2], &c));
    EXPECT_TRUE(weft_param_is_auto(&kParams[5], &c));
    EXPECT_TRUE(weft_params_scaled_by(&kTable, &c, WEFT_BASIS_BASE_RTT));
    EXPECT_FALSE(weft_params_scaled_by(&kTable, &c, WEFT_BASIS_LINE_RATE));
}

TEST(Scale, SaysHowItFollows)
{
    char buf[WEFT_DEFAULT_TEXT_MAX];
    EXPECT_STREQ(weft_param_default_text(&kParams[0], buf, sizeof buf),
                 "40Mbps per 10Gbps of line rate");
    EXPECT_STREQ(weft_param_default_text(&kParams[1], buf, sizeof buf),
                 "50us x 40Gbps / line rate, at least 6us, at most 50us");
    EXPECT_STREQ(weft_param_default_text(&kParams[2], buf, sizeof buf),
                 "50us per 20us of base RTT");
    EXPECT_STREQ(weft_param_default_text(&kParams[5], buf, sizeof buf),
                 "what the congestion control is tuned for");
}

} // namespace
