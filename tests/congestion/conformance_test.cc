// SPDX-License-Identifier: GPL-2.0-only
// What cc.h promises, checked for every algorithm of the table and for the skeleton.
#include "play.h"
#include "congestion/cc_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

using namespace weft_test;

namespace
{

// The same random cases in every run; RC_PARAMS in the environment still overrides.
const int g_fixed_seed = setenv("RC_PARAMS", "seed=4242 max_success=200", 0);

class Conformance : public testing::TestWithParam<const weft_cc_ops *>
{
};

bool lower_case_words(const std::string &s)
{
    if (s.empty() || s.front() == '-' || s.back() == '-')
        return false;
    for (char c : s)
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
            return false;
    return true;
}

bool in_bounds(const Algo &a, int64_t now)
{
    return a.out.rate_bps >= 1 && a.out.rate_bps <= a.env.line_rate_bps &&
           (a.out.cwnd_bytes >= a.env.mtu_bytes || (a.ops->credit && a.out.cwnd_bytes == 0)) &&
           (a.out.timer_at_ps == WEFT_NEVER || (a.ops->on_timer && a.out.timer_at_ps >= now));
}

} // namespace

TEST(CcTable, NamesAreUniqueAndLowerCase)
{
    std::set<std::string> seen;
    for (const weft_cc_ops *ops : all()) {
        EXPECT_TRUE(lower_case_words(ops->name)) << ops->name;
        EXPECT_TRUE(seen.insert(ops->name).second) << ops->name << " is listed twice";
    }
}

TEST(CcTable, TheSkeletonIsNotListed)
{
    weft_err err{};
    EXPECT_EQ(weft_cc_find("skeleton", &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
}

TEST(CcTable, FindsEveryNameAndSuggestsTheNearest)
{
    size_t n = 0;
    const weft_cc_ops *const *t = weft_cc_table(&n);
    ASSERT_GE(n, 9u);
    for (size_t i = 0; i < n; i++)
        EXPECT_EQ(weft_cc_find(t[i]->name, nullptr), t[i]);
    weft_err err{};
    EXPECT_EQ(weft_cc_find("dcqnc", &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("'dcqcn'"), std::string::npos) << err.msg;
}

TEST_P(Conformance, DescribesItself)
{
    const weft_cc_ops *ops = GetParam();
    ASSERT_NE(ops->init, nullptr);
    EXPECT_GT(std::strlen(ops->title), 0u);
    EXPECT_GT(std::strlen(ops->source), 0u);
    std::set<std::string> names;
    for (size_t i = 0; i < ops->params.n; i++) {
        const weft_param &p = ops->params.params[i];
        EXPECT_TRUE(lower_case_words(p.name)) << p.name;
        EXPECT_TRUE(names.insert(p.name).second) << p.name << " is listed twice";
        ASSERT_NE(p.help, nullptr) << p.name;
        EXPECT_GT(std::strlen(p.help), 0u) << p.name;
        EXPECT_LT(p.offset, ops->params.struct_size) << p.name;
    }
}

TEST_P(Conformance, DefaultsAreWithinRangeAndSurviveFormatting)
{
    const weft_cc_ops *ops = GetParam();
    Algo a(ops);
    weft_err err{};
    if (ops->check) {
        EXPECT_EQ(ops->check(a.params(), &err), 0) << err.msg;
    }
    for (size_t i = 0; i < ops->params.n; i++) {
        const weft_param &p = ops->params.params[i];
        ASSERT_NE(p.def, nullptr) << p.name;
        for (const char *v : {p.def, p.min, p.max}) {
            if (v) {
                EXPECT_EQ(weft_params_set(&ops->params, a.params(), p.name, v, &err), 0) << err.msg;
            }
        }
        EXPECT_EQ(weft_params_set(&ops->params, a.params(), p.name, p.def, &err), 0) << err.msg;
        char text[WEFT_PARAM_TEXT_MAX];
        weft_params_format(&p, a.params(), text, sizeof(text));
        EXPECT_EQ(weft_params_set(&ops->params, a.params(), p.name, text, &err), 0) << err.msg;
    }
}

TEST_P(Conformance, NeedsMatchHooks)
{
    const weft_cc_ops *ops = GetParam();
    if (ops->needs & WEFT_CC_NEEDS_CNP) {
        EXPECT_NE(ops->on_cnp, nullptr);
        ASSERT_NE(ops->cnp, nullptr);
        EXPECT_TRUE(ops->needs & WEFT_CC_NEEDS_ECN) << "CNPs answer ECN marks";
        Algo a(ops);
        weft_cc_cnp how;
        std::memset(&how, 0xff, sizeof(how));
        ops->cnp(a.params(), &how);
        EXPECT_GE(how.interval_ps, 0);
    } else {
        EXPECT_EQ(ops->on_cnp, nullptr);
        EXPECT_EQ(ops->cnp, nullptr);
    }
    if (ops->needs & (WEFT_CC_NEEDS_ECN_ECHO | WEFT_CC_NEEDS_RTT)) {
        EXPECT_NE(ops->on_ack, nullptr);
    }
    if (ops->needs & WEFT_CC_NEEDS_ECN_ECHO) {
        EXPECT_TRUE(ops->needs & WEFT_CC_NEEDS_ECN);
    }
    if (ops->needs & (WEFT_CC_NEEDS_INT | WEFT_CC_NEEDS_PINT)) {
        EXPECT_NE(ops->on_ack, nullptr);
        ASSERT_NE(ops->signals, nullptr);
    }
    if (ops->signals) {
        Algo a(ops);
        const weft_cc_signals how = a.signals();
        EXPECT_LE(how.data_bytes, 1000u);
        EXPECT_LE(how.ack_bytes, 1000u);
        EXPECT_GE(how.pint_t_ps, 0);
        if (ops->needs & WEFT_CC_NEEDS_PINT) {
            EXPECT_GT(how.pint_base, 1.0);
        }
    }
}

TEST_P(Conformance, InitWritesEverything)
{
    Algo a(GetParam(), {}, default_env(), 0x00), b(GetParam(), {}, default_env(), 0xff);
    a.init(5);
    b.init(5);
    EXPECT_EQ(a.out.rate_bps, b.out.rate_bps);
    EXPECT_EQ(a.out.cwnd_bytes, b.out.cwnd_bytes);
    EXPECT_EQ(a.out.timer_at_ps, b.out.timer_at_ps);
    unsigned char repace_a, repace_b; // a bool that init left alone still holds the poison
    std::memcpy(&repace_a, &a.out.repace, 1);
    std::memcpy(&repace_b, &b.out.repace, 1);
    EXPECT_EQ(repace_a, repace_b);
    EXPECT_LE(repace_a, 1);
    EXPECT_EQ(a.state_bytes(), b.state_bytes());
    EXPECT_TRUE(in_bounds(a, 5));
    EXPECT_TRUE(a.guards_intact() && b.guards_intact());
}

TEST_P(Conformance, ObservesExactlyItsObservables)
{
    const weft_cc_ops *ops = GetParam();
    EXPECT_EQ(ops->observables == nullptr, ops->observe == nullptr);
    if (!ops->observables)
        return;
    size_t n = 0;
    for (; ops->observables[n].name; n++) {
        EXPECT_TRUE(lower_case_words(ops->observables[n].name));
        ASSERT_NE(ops->observables[n].unit, nullptr);
    }
    std::vector<double> values(n + 1, std::nan(""));
    Algo a(ops);
    a.init();
    ops->observe(a.state(), a.params(), values.data());
    for (size_t i = 0; i < n; i++)
        EXPECT_TRUE(std::isfinite(values[i])) << ops->observables[i].name;
    EXPECT_TRUE(std::isnan(values[n])) << "one value too many";
}

TEST_P(Conformance, StaysInBoundsUnderAnySequence)
{
    const weft_cc_ops *ops = GetParam();
    EXPECT_TRUE(rc::check(ops->name, [ops] {
        Algo a(ops, any_settings(ops), *any_env());
        auto steps = *rc::gen::container<std::vector<Step>>(any_step());
        play(a, steps, [&a](int64_t now) { RC_ASSERT(in_bounds(a, now)); });
        RC_ASSERT(a.guards_intact());
    }));
}

TEST_P(Conformance, IsAPureFunctionOfItsInputs)
{
    const weft_cc_ops *ops = GetParam();
    EXPECT_TRUE(rc::check(ops->name, [ops] {
        auto settings = any_settings(ops);
        auto env = *any_env();
        Algo a(ops, settings, env, 0x11), b(ops, settings, env, 0xee);
        auto params_before = std::vector<unsigned char>(static_cast<unsigned char *>(a.params()),
                                                        static_cast<unsigned char *>(a.params()) +
                                                            ops->params.struct_size);
        auto steps = *rc::gen::container<std::vector<Step>>(any_step());
        play(a, steps, [](int64_t) {});
        play(b, steps, [](int64_t) {});
        RC_ASSERT(a.state_bytes() == b.state_bytes());
        RC_ASSERT(a.out.rate_bps == b.out.rate_bps);
        RC_ASSERT(a.out.cwnd_bytes == b.out.cwnd_bytes);
        RC_ASSERT(a.out.timer_at_ps == b.out.timer_at_ps);
        auto *after = static_cast<unsigned char *>(a.params());
        RC_ASSERT(std::equal(params_before.begin(), params_before.end(), after));
    }));
}

/* The engine does not keep its state, nor call its other hooks, before the first CNP. */
TEST_P(Conformance, ChangesNothingBeforeTheFirstCnpIfItStartsWithIt)
{
    const weft_cc_ops *ops = GetParam();
    if (!ops->starts_with_cnp)
        return;
    EXPECT_TRUE(rc::check(ops->name, [ops] {
        Algo idle(ops, any_settings(ops), *any_env());
        idle.init();
        Algo busy(idle.ops, {}, idle.env);
        std::memcpy(busy.params(), idle.params(), ops->params.struct_size);
        busy.init();
        int64_t now = 0;
        for (const Step &s : *rc::gen::container<std::vector<Step>>(any_step())) {
            now += s.gap_ps;
            if (ops->before_send)
                ops->before_send(busy.state(), busy.params(), now, &busy.out);
            if (ops->on_send)
                ops->on_send(busy.state(), busy.params(), now, s.wire_bytes, &busy.out);
            RC_ASSERT(std::memcmp(&busy.out, &idle.out, sizeof busy.out) == 0);
        }
        for (Algo *a : {&idle, &busy})
            ops->on_cnp(a->state(), a->params(), now, &a->out);
        RC_ASSERT(busy.state_bytes() == idle.state_bytes());
        RC_ASSERT(std::memcmp(&busy.out, &idle.out, sizeof busy.out) == 0);
    }));
}

INSTANTIATE_TEST_SUITE_P(All, Conformance, testing::ValuesIn(all()), [](const auto &info) {
    std::string s = info.param->name;
    for (char &c : s)
        if (c == '-')
            c = '_';
    return s;
});

TEST(Ops, RequiredHooksAreChecked)
{
    size_t n = 0;
    const weft_cc_ops *const *table = weft_cc_table(&n);
    for (size_t i = 0; i < n; i++)
        EXPECT_EQ(weft_cc_check_ops(table[i], nullptr), 0) << table[i]->name;
    EXPECT_EQ(weft_cc_check_ops(&weft_cc_skeleton, nullptr), 0);

    const struct {
        const char *name, *hook;
        void (*remove)(weft_cc_ops &);
    } cases[] = {
        {"none", "init", [](weft_cc_ops &o) { o.init = nullptr; }},
        {"dcqcn", "on_cnp", [](weft_cc_ops &o) { o.on_cnp = nullptr; }},
        {"dcqcn", "cnp", [](weft_cc_ops &o) { o.cnp = nullptr; }},
        {"rccc", "credit", [](weft_cc_ops &o) { o.credit = nullptr; }},
        {"rccc", "credit", [](weft_cc_ops &o) { o.on_send = nullptr; }},
        {"hpcc", "signals", [](weft_cc_ops &o) { o.signals = nullptr; }},
        {"dcqcn", "on_cnp", [](weft_cc_ops &o) { o.on_rto = o.on_cnp; }},
        {"dcqcn", "observe", [](weft_cc_ops &o) { o.observe = nullptr; }},
    };
    for (const auto &c : cases) {
        weft_cc_ops ops = *weft_cc_find(c.name, nullptr);
        c.remove(ops);
        weft_err err = {};
        EXPECT_EQ(weft_cc_check_ops(&ops, &err), WEFT_E_INTERNAL) << c.hook;
        EXPECT_NE(std::string(err.msg).find("'" + std::string(c.hook) + "'"), std::string::npos)
            << err.msg;
    }
}
