// SPDX-License-Identifier: GPL-2.0-only
#include "base/needs.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace
{

struct Values {
    int mode;
    uint64_t mask, bit;
    const char *text;
    int64_t wait_ps;
};

const weft_param kParams[] = {
    {"mode", WEFT_PARAM_ENUM, offsetof(Values, mode), "a", nullptr, nullptr, "a|b|c", "", nullptr},
    {"mask", WEFT_PARAM_U64, offsetof(Values, mask), "12", nullptr, nullptr, nullptr, "", nullptr},
    {"bit", WEFT_PARAM_U64, offsetof(Values, bit), "3", nullptr, nullptr, nullptr, "", nullptr},
    {"text", WEFT_PARAM_STRING, offsetof(Values, text), "", nullptr, nullptr, nullptr, "", nullptr},
    {"wait", WEFT_PARAM_TIME, offsetof(Values, wait_ps), "0", nullptr, nullptr, nullptr, "",
     nullptr},
    {"needy", WEFT_PARAM_U64, offsetof(Values, bit), "3", nullptr, nullptr, nullptr, "", nullptr,
     "mode=b"},
};
const weft_param_table kTable = {kParams, 5, sizeof(Values)};

const char *lookup(void *ctx, const char *key, char *buf, size_t size)
{
    (void)ctx;
    if (std::strcmp(key, "other.words") != 0)
        return nullptr;
    snprintf(buf, size, "ecn-echo, base-rtt, int");
    return buf;
}

struct Result {
    int code;
    std::string why;
};

Result effective(const char *needs, const Values &v)
{
    weft_param p = kParams[0];
    p.name = "it";
    p.needs = needs;
    const weft_needs_scope scope = {&kTable, &v, "sec", lookup, nullptr};
    char why[256] = "";
    weft_err err{};
    const int code = weft_param_effective(&p, &scope, why, sizeof why, &err);
    return {code, code < 0 ? err.msg : why};
}

const Values kDefault = {0, 12, 3, "", 0};

} // namespace

TEST(Needs, ConditionsHoldOrSayWhy)
{
    const struct {
        const char *needs;
        int code;
        const char *why;
    } cases[] = {
        {nullptr, 1, ""},
        {"mode=a", 1, ""},
        {"mode=b|c", 0, "sec.mode is a"},
        {"mode=a|b", 1, ""},
        {"mode!=a", 0, "sec.mode is a"},
        {"mode!=b|c", 1, ""},
        {"wait!=0", 0, "sec.wait is 0ps"},
        {"wait=0", 1, ""},
        {"text=", 1, ""},
        {"text!=", 0, "sec.text is empty (give one)"},
        {"mask has 2", 1, ""},
        {"mask has 0", 0, "sec.mask is 12, without 0"},
        {"mask has $bit", 1, ""},
        {"mask lacks $bit", 0, "sec.mask is 12, with 3 (bit)"},
        {"bit=$bit", 1, ""},
        {"bit!=$bit", 0, "sec.bit is 3"},
        {"mask!=$bit", 1, ""},
        {"other.words has int", 1, ""},
        {"other.words has rtt", 0, "other.words is ecn-echo, base-rtt, int, without rtt"},
        {"other.words lacks ecn-echo", 0, "other.words is ecn-echo, base-rtt, int, with ecn-echo"},
        {"other.words has ecn", 0, "other.words is ecn-echo, base-rtt, int, without ecn"},
        {"absent.key=1", 1, ""},
        {"mode=a and mask has 0", 0, "sec.mask is 12, without 0"},
        {"mode=b or mask has 0", 0, "sec.mode is a and sec.mask is 12, without 0"},
        {"mode=b and bit=3 or mode=a and bit=3", 1, "sec.mode is a"},
        {"mode=b or mode=c", 0, "sec.mode is a"},
    };
    for (const auto &c : cases) {
        const Result r = effective(c.needs, kDefault);
        EXPECT_EQ(r.code, c.code) << c.needs << ": " << r.why;
        if (c.code == 0) {
            EXPECT_EQ(r.why, c.why) << c.needs;
        }
    }
}

TEST(Needs, MalformedOnesAreInternalErrors)
{
    EXPECT_EQ(effective("mode", kDefault).code, WEFT_E_INTERNAL);
    EXPECT_EQ(effective("mode=a and x", kDefault).code, WEFT_E_INTERNAL);
    const Result r = effective("nosuch=1", kDefault);
    EXPECT_EQ(r.code, WEFT_E_INTERNAL);
    EXPECT_EQ(r.why, "needs of parameter 'it': there is no parameter 'nosuch'");
}

TEST(Needs, ValuesWithoutEffectAreRefused)
{
    const weft_param_table table = {kParams, 6, sizeof(Values)};
    Values v = kDefault;
    const weft_needs_scope scope = {&table, &v, "sec", nullptr, nullptr};
    weft_err err{};
    EXPECT_EQ(weft_params_refuse_idle(&scope, &err), 0) << err.msg;
    v.bit = 4; // needy shares it
    EXPECT_EQ(weft_params_refuse_idle(&scope, &err), WEFT_E_INPUT);
    EXPECT_STREQ(err.msg, "sec.needy=4 has no effect: sec.mode is a");
    v.mode = 1;
    err = {};
    EXPECT_EQ(weft_params_refuse_idle(&scope, &err), 0) << err.msg;
}
