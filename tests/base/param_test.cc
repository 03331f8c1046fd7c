/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/param.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace
{

struct Conf {
    uint64_t untouched;
    bool fast;
    uint64_t count;
    double gain;
    int64_t timer_ps;
    uint64_t buffer_bytes;
    uint64_t rate_bps;
    const char *label;
    int mode;
};

const weft_param params[] = {
    {"fast", WEFT_PARAM_BOOL, offsetof(Conf, fast), "on", nullptr, nullptr, nullptr, "", nullptr},
    {"count", WEFT_PARAM_U64, offsetof(Conf, count), "5", "1", "10", nullptr, "", nullptr},
    {"gain", WEFT_PARAM_F64, offsetof(Conf, gain), "1/256", "0", "1", nullptr, "", nullptr},
    {"timer", WEFT_PARAM_TIME, offsetof(Conf, timer_ps), "55us", "1ns", nullptr, nullptr, "",
     nullptr},
    {"buffer", WEFT_PARAM_SIZE, offsetof(Conf, buffer_bytes), "32MiB", nullptr, "1GiB", nullptr, "",
     nullptr},
    {"rate-ai", WEFT_PARAM_RATE, offsetof(Conf, rate_bps), "40Mbps", "1Mbps", "1Gbps", nullptr, "",
     nullptr},
    {"label", WEFT_PARAM_STRING, offsetof(Conf, label), nullptr, nullptr, nullptr, nullptr, "",
     nullptr},
    {"mode", WEFT_PARAM_ENUM, offsetof(Conf, mode), "paper", nullptr, nullptr, "paper|simulator",
     "", nullptr},
};
const weft_param_table table = WEFT_PARAM_TABLE(params, Conf);

Conf defaults()
{
    Conf c;
    memset(&c, 0xee, sizeof c);
    weft_err e = {};
    EXPECT_EQ(weft_params_defaults(&table, &c, &e), 0) << e.msg;
    return c;
}

std::string formatted(const Conf &c, const char *name)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    return weft_params_format(weft_params_find(&table, name), &c, buf, sizeof buf);
}

TEST(Param, Defaults)
{
    const Conf c = defaults();
    EXPECT_EQ(c.untouched, 0u) << "the struct is zeroed";
    EXPECT_EQ(c.fast, 1);
    EXPECT_EQ(c.count, 5u);
    EXPECT_EQ(c.gain, 1 / 256.0);
    EXPECT_EQ(c.timer_ps, 55000000);
    EXPECT_EQ(c.buffer_bytes, 33554432u);
    EXPECT_EQ(c.rate_bps, 40000000u);
    EXPECT_EQ(c.label, nullptr) << "no default";
    EXPECT_EQ(c.mode, 0);
}

TEST(Param, SetEveryType)
{
    Conf c = defaults();
    const char *const values[][2] = {
        {"fast", "off"},     {"count", "7"},         {"gain", "25%"},        {"timer", "1.5ms"},
        {"buffer", "100KB"}, {"rate-ai", "0.5Gb/s"}, {"label", "some text"}, {"mode", "simulator"}};
    for (const auto &v : values) {
        weft_err e = {};
        EXPECT_EQ(weft_params_set(&table, &c, v[0], v[1], &e), 0) << e.msg;
    }
    EXPECT_EQ(c.fast, 0);
    EXPECT_EQ(c.count, 7u);
    EXPECT_EQ(c.gain, 0.25);
    EXPECT_EQ(c.timer_ps, 1500000000);
    EXPECT_EQ(c.buffer_bytes, 100000u);
    EXPECT_EQ(c.rate_bps, 500000000u);
    EXPECT_STREQ(c.label, "some text");
    EXPECT_EQ(c.mode, 1);
    EXPECT_EQ(c.untouched, 0u);
}

TEST(Param, Format)
{
    const Conf c = defaults();
    EXPECT_EQ(formatted(c, "fast"), "true");
    EXPECT_EQ(formatted(c, "count"), "5");
    EXPECT_EQ(formatted(c, "gain"), "0.00390625");
    EXPECT_EQ(formatted(c, "timer"), "55us");
    EXPECT_EQ(formatted(c, "buffer"), "32MiB");
    EXPECT_EQ(formatted(c, "rate-ai"), "40Mbps");
    EXPECT_EQ(formatted(c, "label"), "");
    EXPECT_EQ(formatted(c, "mode"), "paper");
}

TEST(Param, BadValues)
{
    const struct {
        const char *name;
        const char *value;
        const char *message;
    } bad[] = {
        {"rate-a1", "1Gbps", "unknown parameter 'rate-a1'; did you mean 'rate-ai'?"},
        {"zzzzzzzz", "1",
         "unknown parameter 'zzzzzzzz'; valid are fast, count, gain, timer, buffer, rate-ai, "
         "label, mode"},
        {"rate-ai", "400",
         "parameter 'rate-ai': '400' has no unit; write for example 400Gbps or 400Mbps"},
        {"rate-ai", "2Gbps", "parameter 'rate-ai': 2Gbps is out of range; valid is 1Mbps to 1Gbps"},
        {"rate-ai", "999999bps", "out of range"},
        {"count", "0", "parameter 'count': 0 is out of range; valid is 1 to 10"},
        {"count", "11", "out of range"},
        {"gain", "1.0001", "valid is 0 to 1"},
        {"timer", "999ps", "parameter 'timer': 999ps is out of range; it must be at least 1ns"},
        {"buffer", "2GiB", "parameter 'buffer': 2GiB is out of range; it must be at most 1GiB"},
        {"fast", "maybe", "parameter 'fast': 'maybe' is neither true nor false"},
        {"mode", "papr", "'papr' is not one of paper|simulator; did you mean paper?"},
        {"mode", "pap", "did you mean paper?"},
        {"mode", "", "'' is not one of paper|simulator"},
        {"mode", "paper|simulator", "is not one of"},
    };
    for (const auto &b : bad) {
        Conf c = defaults();
        const Conf before = c;
        weft_err e = {};
        EXPECT_EQ(weft_params_set(&table, &c, b.name, b.value, &e), WEFT_E_INPUT) << b.value;
        EXPECT_EQ(e.code, WEFT_E_INPUT);
        EXPECT_NE(std::string(e.msg).find(b.message), std::string::npos)
            << b.name << "=" << b.value << " says: " << e.msg;
        EXPECT_EQ(memcmp(&before, &c, sizeof c), 0) << "a failed set changed the struct";
    }
}

TEST(Param, BoundsThemselvesAreValid)
{
    Conf c = defaults();
    EXPECT_EQ(weft_params_set(&table, &c, "count", "1", nullptr), 0);
    EXPECT_EQ(weft_params_set(&table, &c, "count", "10", nullptr), 0);
    EXPECT_EQ(weft_params_set(&table, &c, "timer", "1ns", nullptr), 0);
    EXPECT_EQ(weft_params_set(&table, &c, "gain", "100%", nullptr), 0);
}

TEST(Param, EmptyTable)
{
    const weft_param_table none = WEFT_PARAM_TABLE_NONE;
    weft_err e = {};
    EXPECT_EQ(weft_params_defaults(&none, nullptr, &e), 0);
    EXPECT_EQ(weft_params_find(&none, "x"), nullptr);
    EXPECT_EQ(weft_params_set(&none, nullptr, "x", "1", &e), WEFT_E_INPUT);
    EXPECT_STREQ(e.msg, "unknown parameter 'x'; there are none here");
}

TEST(Param, AWrongTableIsABugOfWeft)
{
    const weft_param wrong_default[] = {
        {"count", WEFT_PARAM_U64, offsetof(Conf, count), "11", "1", "10", nullptr, "", nullptr}};
    const weft_param_table t1 = WEFT_PARAM_TABLE(wrong_default, Conf);
    Conf c;
    weft_err e = {};
    EXPECT_EQ(weft_params_defaults(&t1, &c, &e), WEFT_E_INTERNAL);
    EXPECT_EQ(e.code, WEFT_E_INTERNAL);
    EXPECT_NE(std::string(e.msg).find("default of parameter 'count'"), std::string::npos);

    const weft_param wrong_bound[] = {{"count", WEFT_PARAM_U64, offsetof(Conf, count), nullptr,
                                       "one", nullptr, nullptr, "", nullptr}};
    const weft_param_table t2 = WEFT_PARAM_TABLE(wrong_bound, Conf);
    EXPECT_EQ(weft_params_set(&t2, &c, "count", "3", &e), WEFT_E_INTERNAL);
}

TEST(Param, FormatOfAWordOutOfTheChoice)
{
    Conf c = defaults();
    c.mode = 17;
    EXPECT_EQ(formatted(c, "mode"), "");
    c.mode = -1;
    EXPECT_EQ(formatted(c, "mode"), "");
}

TEST(Param, TypeNames)
{
    EXPECT_STREQ(weft_param_type_name(WEFT_PARAM_BOOL), "bool");
    EXPECT_STREQ(weft_param_type_name(WEFT_PARAM_U64), "count");
    EXPECT_STREQ(weft_param_type_name(WEFT_PARAM_F64), "ratio");
    EXPECT_STREQ(weft_param_type_name(WEFT_PARAM_TIME), "time");
    EXPECT_STREQ(weft_param_type_name(WEFT_PARAM_SIZE), "size");
    EXPECT_STREQ(weft_param_type_name(WEFT_PARAM_RATE), "rate");
    EXPECT_STREQ(weft_param_type_name(WEFT_PARAM_STRING), "text");
    EXPECT_STREQ(weft_param_type_name(WEFT_PARAM_ENUM), "choice");
}

} // namespace
