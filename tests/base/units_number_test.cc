/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/units.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <string>

namespace
{

TEST(UnitsNumber, RealNumbers)
{
    const struct {
        const char *text;
        double value;
    } good[] = {
        {"0", 0},        {"0.05", 0.05},  {"1", 1},         {"-2.5", -2.5},       {"+3", 3},
        {"5%", 0.05},    {"0.1%", 0.001}, {"12.5%", 0.125}, {"1/256", 1 / 256.0}, {"3/4", 0.75},
        {"1e-3", 0.001}, {"2.5E+2", 250}, {" 0.5 ", 0.5},   {"100%", 1},          {"-1/4", -0.25},
        {".25", 0.25}};
    for (const auto &c : good) {
        weft_err e = {};
        double v = 77;
        EXPECT_EQ(weft_parse_f64(c.text, &v, &e), 0) << c.text << ": " << e.msg;
        EXPECT_EQ(v, c.value) << c.text;
    }
}

TEST(UnitsNumber, NotRealNumbers)
{
    const struct {
        const char *text;
        const char *message;
    } bad[] = {{"", "empty"},
               {"abc", "'abc' is not a number; write for example 0.05, 5% or 1/20"},
               {"inf", "not a number"},
               {"nan", "not a number"},
               {"0x10", "not a number"},
               {"1..2", "not a number"},
               {"1.", "not a number"},
               {"1/", "not a number"},
               {"/2", "not a number"},
               {"1/2/3", "not a number"},
               {"1/x", "not a number"},
               {"5%%", "not a number"},
               {"1e2%", "not a number"},
               {"1e", "not a number"},
               {"1 2", "not a number"},
               {"1,5", "not a number"},
               {"1/0", "divides by zero"},
               {"1e999", "too large"}};
    for (const auto &c : bad) {
        weft_err e = {};
        double v = 77;
        EXPECT_EQ(weft_parse_f64(c.text, &v, &e), WEFT_E_INPUT) << c.text;
        EXPECT_NE(std::string(e.msg).find(c.message), std::string::npos)
            << "'" << c.text << "' says: " << e.msg;
        EXPECT_EQ(v, 77);
    }
    double v;
    EXPECT_EQ(weft_parse_f64(std::string(100000, '1').c_str(), &v, nullptr), WEFT_E_INPUT);
}

TEST(UnitsNumber, Bool)
{
    for (const char *t : {"true", "on", "yes", "1", "TRUE", "On"}) {
        bool v = false;
        EXPECT_EQ(weft_parse_bool(t, &v, nullptr), 0) << t;
        EXPECT_TRUE(v) << t;
    }
    for (const char *t : {"false", "off", "no", "0", "False"}) {
        bool v = true;
        EXPECT_EQ(weft_parse_bool(t, &v, nullptr), 0) << t;
        EXPECT_FALSE(v) << t;
    }
    weft_err e = {};
    bool v = true;
    EXPECT_EQ(weft_parse_bool("ture", &v, &e), WEFT_E_INPUT);
    EXPECT_STREQ(e.msg, "'ture' is neither true nor false; did you mean true?");
    EXPECT_EQ(weft_parse_bool("", &v, &e), WEFT_E_INPUT);
    EXPECT_EQ(weft_parse_bool("2", &v, &e), WEFT_E_INPUT);
    EXPECT_TRUE(v); // as it was
}

TEST(UnitsNumber, FormatUsesTheFewestDigits)
{
    char buf[WEFT_UNIT_TEXT_MAX];
    EXPECT_STREQ(weft_format_f64(0, buf), "0");
    EXPECT_STREQ(weft_format_f64(1, buf), "1");
    EXPECT_STREQ(weft_format_f64(0.1, buf), "0.1");
    EXPECT_STREQ(weft_format_f64(0.1 + 0.2, buf), "0.30000000000000004");
    EXPECT_STREQ(weft_format_f64(1 / 256.0, buf), "0.00390625");
    EXPECT_STREQ(weft_format_f64(-2.5, buf), "-2.5");
    EXPECT_STREQ(weft_format_f64(1e300, buf), "1e+300");
    EXPECT_STREQ(weft_format_f64(DBL_MAX, buf), "1.7976931348623157e+308");
    EXPECT_STREQ(weft_format_f64(DBL_TRUE_MIN, buf), "5e-324");
}

} // namespace
