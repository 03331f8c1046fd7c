/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Properties over random values: what is printed reads back as the same, and nothing overlaps.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/param.h"
#include "base/units.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace
{

/* Runs a property as a GoogleTest assertion; rapidcheck prints the smallest counterexample. */
template <typename F> void holds(const char *what, F f)
{
    EXPECT_TRUE(rc::check(what, std::move(f)));
}

/* Any 64-bit value, small ones and round ones as likely as large ones. */
rc::Gen<uint64_t> any_u64()
{
    const auto shifted = rc::gen::apply([](uint64_t v, int shift) { return v >> shift; },
                                        rc::gen::arbitrary<uint64_t>(), rc::gen::inRange(0, 64));
    const auto wide = rc::gen::apply(
        [](uint64_t a, uint64_t b, int shift) { return (a << 32 | (b & 0xffffffff)) >> shift; },
        rc::gen::inRange<uint64_t>(0, UINT64_C(1) << 32),
        rc::gen::inRange<uint64_t>(0, UINT64_C(1) << 32), rc::gen::inRange(0, 64));
    const auto round = rc::gen::apply(
        [](uint64_t v, int zeros) {
            for (int i = 0; i < zeros && v <= UINT64_MAX / 10; i++)
                v *= 10;
            return v;
        },
        rc::gen::inRange<uint64_t>(0, 5000), rc::gen::inRange(0, 16));
    const auto binary =
        rc::gen::apply([](uint64_t v, int shift) { return v << shift; },
                       rc::gen::inRange<uint64_t>(0, 5000), rc::gen::inRange(0, 50));
    return rc::gen::oneOf(shifted, wide, round, binary);
}

rc::Gen<int64_t> any_time()
{
    return rc::gen::map(any_u64(), [](uint64_t v) { return int64_t(v & INT64_MAX); });
}

/* Any finite double, by its bits. */
rc::Gen<double> any_double()
{
    return rc::gen::map(rc::gen::pair(rc::gen::inRange<uint64_t>(0, UINT64_C(1) << 32),
                                      rc::gen::inRange<uint64_t>(0, UINT64_C(1) << 32)),
                        [](const std::pair<uint64_t, uint64_t> &p) {
                            const uint64_t bits = p.first << 32 | p.second;
                            double v;
                            memcpy(&v, &bits, sizeof v);
                            return std::isfinite(v) ? v : 0.0;
                        });
}

TEST(UnitsProperty, RoundTrips)
{
    holds("time", [] {
        const int64_t v = *any_time();
        char buf[WEFT_UNIT_TEXT_MAX];
        int64_t back = -1;
        RC_ASSERT(weft_parse_time_ps(weft_format_time(v, buf), &back, nullptr) == 0);
        RC_ASSERT(back == v);
    });
    holds("size", [] {
        const uint64_t v = *any_u64();
        char buf[WEFT_UNIT_TEXT_MAX];
        uint64_t back = ~v;
        RC_ASSERT(weft_parse_size_bytes(weft_format_size(v, buf), &back, nullptr) == 0);
        RC_ASSERT(back == v);
    });
    holds("rate", [] {
        const uint64_t v = *any_u64();
        char buf[WEFT_UNIT_TEXT_MAX];
        uint64_t back = ~v;
        RC_ASSERT(weft_parse_rate_bps(weft_format_rate(v, buf), &back, nullptr) == 0);
        RC_ASSERT(back == v);
    });
    holds("count", [] {
        const uint64_t v = *any_u64();
        uint64_t back = ~v;
        RC_ASSERT(weft_parse_u64(std::to_string(v).c_str(), &back, nullptr) == 0);
        RC_ASSERT(back == v);
    });
    holds("real number", [] {
        const double v = *any_double();
        char buf[WEFT_UNIT_TEXT_MAX];
        double back = v + 1;
        RC_ASSERT(weft_parse_f64(weft_format_f64(v, buf), &back, nullptr) == 0);
        RC_ASSERT(back == v);
        RC_ASSERT(std::signbit(back) == std::signbit(v));
    });
    holds("nanoseconds with three decimals", [] {
        const int64_t v = *any_time();
        char buf[WEFT_UNIT_TEXT_MAX];
        int64_t back = -1;
        RC_ASSERT(weft_parse_time_ps((std::string(weft_ps_as_ns(v, buf)) + "ns").c_str(), &back,
                                     nullptr) == 0);
        RC_ASSERT(back == v);
    });
}

TEST(UnitsProperty, ParsingIsExactInEveryUnit)
{
    static const struct {
        const char *name;
        uint64_t ps;
        int decimals; /* how many decimals a whole number of ps may have in this unit */
    } units[] = {
        {"ns", 1000, 3}, {"us", 1000000, 6}, {"ms", 1000000000, 9}, {"s", 1000000000000, 12}};
    holds("a time written out in any unit", [] {
        const int64_t v = *any_time();
        const auto &u = units[*rc::gen::inRange(0, 4)];
        const std::string fraction = std::to_string(uint64_t(v) % u.ps);
        const std::string text = std::to_string(uint64_t(v) / u.ps) + "." +
                                 std::string(size_t(u.decimals) - fraction.size(), '0') + fraction +
                                 u.name;
        int64_t back = -1;
        RC_ASSERT(weft_parse_time_ps(text.c_str(), &back, nullptr) == 0);
        RC_ASSERT(back == v);
        /* One more digit is a tenth of a picosecond, unless it is a zero. */
        const int digit = *rc::gen::inRange(0, 10);
        std::string finer = text;
        finer.insert(finer.size() - strlen(u.name), std::to_string(digit));
        RC_ASSERT((weft_parse_time_ps(finer.c_str(), &back, nullptr) == 0) == (digit == 0));
    });
}

TEST(UnitsProperty, AnyTextIsReadOrRefusedWithAMessage)
{
    holds("no parser crashes", [] {
        const std::string text = *rc::gen::container<std::string>(
            rc::gen::elementOf(std::string("0123456789..-+eE%/ bBKMGTiphsmun\n\xc3")));
        weft_err e = {};
        int64_t i;
        uint64_t u;
        double d;
        bool b;
        const int codes[] = {
            weft_parse_time_ps(text.c_str(), &i, &e),  weft_parse_size_bytes(text.c_str(), &u, &e),
            weft_parse_rate_bps(text.c_str(), &u, &e), weft_parse_u64(text.c_str(), &u, &e),
            weft_parse_f64(text.c_str(), &d, &e),      weft_parse_bool(text.c_str(), &b, &e)};
        for (int code : codes)
            RC_ASSERT(code == 0 || (code == WEFT_E_INPUT && e.msg[0] != '\0'));
    });
}

struct Conf {
    bool truth;
    uint64_t count;
    double ratio;
    int64_t time_ps;
    uint64_t size_bytes;
    uint64_t rate_bps;
    int choice;
    const char *text;
};

const weft_param params[] = {
    {"truth", WEFT_PARAM_BOOL, offsetof(Conf, truth), nullptr, nullptr, nullptr, nullptr, "",
     nullptr},
    {"count", WEFT_PARAM_U64, offsetof(Conf, count), nullptr, nullptr, nullptr, nullptr, "",
     nullptr},
    {"ratio", WEFT_PARAM_F64, offsetof(Conf, ratio), nullptr, nullptr, nullptr, nullptr, "",
     nullptr},
    {"time", WEFT_PARAM_TIME, offsetof(Conf, time_ps), nullptr, nullptr, nullptr, nullptr, "",
     nullptr},
    {"size", WEFT_PARAM_SIZE, offsetof(Conf, size_bytes), nullptr, nullptr, nullptr, nullptr, "",
     nullptr},
    {"rate", WEFT_PARAM_RATE, offsetof(Conf, rate_bps), nullptr, nullptr, nullptr, nullptr, "",
     nullptr},
    {"choice", WEFT_PARAM_ENUM, offsetof(Conf, choice), nullptr, nullptr, nullptr, "a|bb|c|dddd",
     "", nullptr},
    {"text", WEFT_PARAM_STRING, offsetof(Conf, text), nullptr, nullptr, nullptr, nullptr, "",
     nullptr},
};
const weft_param_table table = WEFT_PARAM_TABLE(params, Conf);

TEST(ParamProperty, WhatIsFormattedSetsTheSameValue)
{
    holds("set(format(v)) == v", [] {
        Conf a = {}, b = {};
        a.truth = *rc::gen::inRange(0, 2);
        a.count = *any_u64();
        a.ratio = *any_double();
        a.time_ps = *any_time();
        a.size_bytes = *any_u64();
        a.rate_bps = *any_u64();
        a.choice = *rc::gen::inRange(0, 4);
        a.text = "some text";
        std::vector<std::string> texts(table.n); /* strings must outlive the struct */
        for (size_t i = 0; i < table.n; i++) {
            char buf[WEFT_PARAM_TEXT_MAX];
            texts[i] = weft_params_format(&params[i], &a, buf, sizeof buf);
            RC_ASSERT(weft_params_set(&table, &b, params[i].name, texts[i].c_str(), nullptr) == 0);
        }
        RC_ASSERT(a.truth == b.truth);
        RC_ASSERT(a.count == b.count);
        RC_ASSERT(a.ratio == b.ratio);
        RC_ASSERT(a.time_ps == b.time_ps);
        RC_ASSERT(a.size_bytes == b.size_bytes);
        RC_ASSERT(a.rate_bps == b.rate_bps);
        RC_ASSERT(a.choice == b.choice);
        RC_ASSERT(std::string(a.text) == b.text);
    });
}

TEST(ArenaProperty, AllocationsAreAlignedZeroedAndApart)
{
    holds("aligned, zeroed, apart", [] {
        const auto sizes = *rc::gen::container<std::vector<size_t>>(
            rc::gen::oneOf(rc::gen::inRange<size_t>(0, 100), rc::gen::inRange<size_t>(0, 20000)));
        weft_arena *a = weft_arena_new();
        std::vector<unsigned char *> at;
        bool zeroed = true, aligned = true, apart = true;
        for (size_t i = 0; i < sizes.size(); i++) {
            auto *p = static_cast<unsigned char *>(weft_arena_alloc(a, sizes[i]));
            aligned &= p && reinterpret_cast<uintptr_t>(p) % 16 == 0;
            for (size_t k = 0; k < sizes[i]; k++)
                zeroed &= p[k] == 0;
            memset(p, int(i % 255) + 1, sizes[i]);
            at.push_back(p);
        }
        for (size_t i = 0; i < sizes.size(); i++)
            for (size_t k = 0; k < sizes[i]; k++)
                apart &= at[i][k] == i % 255 + 1;
        weft_arena_free(a);
        RC_ASSERT(aligned);
        RC_ASSERT(zeroed);
        RC_ASSERT(apart);
    });
}

TEST(ErrProperty, PrependAlwaysEndsInTheOldMessageOrDots)
{
    holds("prepend", [] {
        const auto lengths =
            *rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, 700));
        weft_err e = {};
        weft_err_set(&e, WEFT_E_INPUT, "end");
        std::string whole = "end";
        for (size_t n : lengths) {
            const std::string context(n, 'c');
            weft_err_prepend(&e, "%s", context.c_str());
            whole = context + ": " + whole;
            if (whole.size() >= WEFT_ERR_MSG_MAX)
                whole = whole.substr(0, WEFT_ERR_MSG_MAX - 4) + "...";
            RC_ASSERT(whole == e.msg);
        }
    });
}

} // namespace
