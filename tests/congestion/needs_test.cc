// SPDX-License-Identifier: GPL-2.0-only
// What algorithms and parameters say that they need, against what they do.
#include "play.h"

#include "congestion/core_credit.h"
#include "congestion/cc_credit.h"
#include "congestion/cc_supply.h"
#include "congestion/cc_table.h"

#include <set>
#include <tuple>

using namespace weft_test;

namespace
{

using Decision = std::tuple<uint64_t, uint64_t, int64_t>;

/// All decisions of a run and all that parameters tell the network.
std::vector<Decision> decisions(Algo &a, const std::vector<Step> &steps)
{
    std::vector<Decision> d;
    d.emplace_back(a.ops->needs_now ? a.ops->needs_now(a.params()) : a.ops->needs, 0, 0);
    play(a, steps,
         [&](int64_t) { d.emplace_back(a.out.rate_bps, a.out.cwnd_bytes, a.out.timer_at_ps); });
    if (a.ops->signals) {
        const weft_cc_signals s = a.signals();
        d.emplace_back(s.data_bytes, s.ack_bytes, s.pint_t_ps);
        d.emplace_back(static_cast<uint64_t>(s.pint_base * 1e6), 0, 0);
    }
    if (a.ops->credit && a.needs() & WEFT_CC_NEEDS_CREDIT) {
        weft_cc_grants g{};
        a.ops->credit->rules(a.params(), &a.env, &g);
        d.emplace_back(g.grant_bytes, g.idle_bytes, g.frame_bytes);
        d.emplace_back(static_cast<uint64_t>(g.rate_share * 1e6), 0, 0);
        if (const weft_cc_core *c = g.core)
            for (double x : {c->target, c->weight, c->decrease, c->increase, c->least, c->rtts})
                d.emplace_back(static_cast<uint64_t>(x * 1e9), 0, 0);
    }
    if (a.ops->supply) {
        weft_cc_supply r{};
        a.ops->supply->rules(a.params(), &r);
        d.emplace_back(r.tokens, r.frame_bytes, 0);
        d.emplace_back(static_cast<uint64_t>(r.threshold * 1e6), r.burst * 1e6, 0);
    }
    if (a.ops->cnp) {
        weft_cc_cnp c{};
        a.ops->cnp(a.params(), &c);
        d.emplace_back(c.separate, 0, c.interval_ps);
    }
    return d;
}

/// Texts that some type of parameter takes.
std::vector<const char *> values_of(const weft_param &p)
{
    std::vector<const char *> v = {"true", "false", "3KB", "500KB", "3Gbps", "7us", "3", "0.3"};
    for (const char *own : {p.def, p.min, p.max})
        if (own)
            v.push_back(own);
    return v;
}

class Needs : public testing::TestWithParam<const weft_cc_ops *>
{
};

} // namespace

TEST_P(Needs, UnderAnyParametersTheyAreAmongTheDeclaredOnes)
{
    const weft_cc_ops *ops = GetParam();
    unsigned seen = 0;
    EXPECT_TRUE(rc::check(ops->name, [&] {
        Algo a(ops, any_settings(ops));
        const unsigned now = ops->needs_now ? ops->needs_now(a.params()) : ops->needs;
        RC_ASSERT((now & ~ops->needs) == 0u);
        // A default that follows from the base RTT adds that.
        RC_ASSERT((now & ~a.needs()) == 0u);
        RC_ASSERT((a.needs() & ~now & ~unsigned{WEFT_CC_NEEDS_BASE_RTT}) == 0u);
        seen |= a.needs();
    }));
    EXPECT_EQ(seen, ops->needs) << "declares what no parameters ask for";
}

// A parameter whose needs are not met: other values of it change nothing.
TEST_P(Needs, IdleParametersChangeNothing)
{
    const weft_cc_ops *ops = GetParam();
    EXPECT_TRUE(rc::check(ops->name, [&] {
        const auto settings = any_settings(ops);
        const auto env = *any_env();
        const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
        Algo plain(ops, settings, env);
        const auto want = decisions(plain, steps);
        for (size_t i = 0; i < ops->params.n; i++) {
            const weft_param &p = ops->params.params[i];
            Algo other(ops, settings, env);
            const weft_needs_scope scope{&ops->params, other.params(), ops->name, nullptr, nullptr};
            weft_err err{};
            const int effective = weft_param_effective(&p, &scope, nullptr, 0, &err);
            RC_ASSERT(effective >= 0);
            if (effective)
                continue;
            for (const char *v : values_of(p))
                if (weft_params_set(&ops->params, other.params(), p.name, v, &err) == 0) {
                    RC_ASSERT(decisions(other, steps) == want);
                }
        }
    }));
}

// The converse: each parameter of each algorithm decides something, or tells the network something.
TEST_P(Needs, EveryParameterHasAnEffect)
{
    const weft_cc_ops *ops = GetParam();
    std::set<std::string> silent;
    for (size_t i = 0; i < ops->params.n; i++)
        silent.insert(ops->params.params[i].name);
    const auto set = [&](Algo &a, const weft_param *p, const char *value) {
        weft_err err{};
        return !p || weft_params_set(&ops->params, a.params(), p->name, value, &err) == 0;
    };
    // Some matter only where another is small: with @p least, that one is at its least value on
    // both sides.
    const auto search = [&](const weft_param *least) {
        rc::check(ops->name, [&] {
            const auto settings = any_settings(ops);
            const auto env = *any_env();
            const auto steps = *rc::gen::container<std::vector<Step>>(80, any_step());
            Algo plain(ops, settings, env);
            if (!set(plain, least, least ? least->min : nullptr))
                return;
            const auto want = decisions(plain, steps);
            for (size_t i = 0; i < ops->params.n; i++) {
                const weft_param &p = ops->params.params[i];
                for (const char *v : values_of(p)) {
                    Algo other(ops, settings, env);
                    if (silent.count(p.name) && set(other, least, least ? least->min : nullptr) &&
                        set(other, &p, v) && decisions(other, steps) != want)
                        silent.erase(p.name);
                }
                if (p.type == WEFT_PARAM_ENUM)
                    silent.erase(p.name); // any_settings and the other tests go through every word
            }
        });
    };
    search(nullptr);
    for (size_t i = 0; i < ops->params.n && !silent.empty(); i++)
        if (ops->params.params[i].min)
            search(&ops->params.params[i]);
    for (const std::string &name : silent)
        ADD_FAILURE() << ops->name << "." << name << " changes nothing";
}

// Signals and path facts that an algorithm does not ask for do not matter to it.
TEST_P(Needs, NothingElseMatters)
{
    const weft_cc_ops *ops = GetParam();
    EXPECT_TRUE(rc::check(ops->name, [&] {
        const auto settings = any_settings(ops);
        auto env = *any_env();
        const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
        Algo a(ops, settings, env);
        const unsigned needs = a.needs();
        if (!(needs & WEFT_CC_NEEDS_BASE_RTT))
            env.base_rtt_ps = *rc::gen::inRange<int64_t>(0, 1000 * kUs);
        if (!(needs & WEFT_CC_NEEDS_BDP))
            env.bdp_bytes = *rc::gen::inRange<uint64_t>(0, 100000000);
        Algo b(ops, settings, env);
        auto other = steps;
        for (Step &s : other) { // play passes on only what is asked for
            if (!(needs & (WEFT_CC_NEEDS_ECN_ECHO | WEFT_CC_NEEDS_SIGNALS)))
                s.mark = !s.mark;
            if (!(needs & WEFT_CC_NEEDS_PINT))
                s.pint ^= 0xff;
            if (!(needs & (WEFT_CC_NEEDS_INT | WEFT_CC_NEEDS_CREDIT |
                           WEFT_CC_NEEDS_SIGNALS))) // or the backlog, or a warning
                s.qlen_bytes += 1000;
        }
        RC_ASSERT(decisions(a, steps) == decisions(b, other));
    }));
}

TEST(NeedsWords, NameTheSignals)
{
    char buf[WEFT_CC_SIGNALS_TEXT_MAX];
    const auto words = [&](const char *name, const Algo::Settings &s) {
        const weft_cc_ops *ops = weft_cc_find(name, nullptr);
        return std::string(weft_cc_signal_names(ops, Algo(ops, s).params(), buf, sizeof buf));
    };
    EXPECT_EQ(words("none", {}), "none");
    EXPECT_EQ(words("dcqcn", {}), "ecn, cnp, cnp-packet");
    EXPECT_EQ(words("dcqcn", {{"mode", "hpcc"}, {"window", "fixed"}}), "ecn, cnp, bdp");
    EXPECT_EQ(words("dctcp", {}), "ecn, ecn-echo, bdp");
    EXPECT_EQ(words("powertcp", {}), "int, base-rtt");
    EXPECT_EQ(words("powertcp", {{"form", "delay"}}), "rtt, base-rtt");
    EXPECT_EQ(words("hpcc-pint", {{"average-time", "1us"}}), "pint, base-rtt");
    EXPECT_EQ(words("hpcc-pint", {{"mode", "hpcc"}, {"window", "none"}, {"average-time", "1us"}}),
              "pint");
}

INSTANTIATE_TEST_SUITE_P(All, Needs, testing::ValuesIn(all()), [](const auto &info) {
    std::string s = info.param->name;
    for (char &c : s)
        if (c == '-')
            c = '_';
    return s;
});
