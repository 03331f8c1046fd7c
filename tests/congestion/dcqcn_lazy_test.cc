// SPDX-License-Identifier: GPL-2.0-only
// DCQCN without timers against DCQCN with timers: a reference that executes every expiry as an
// event of its own, over random CNPs and sends. The two compute powers of 1-g differently, hence a
// few bit/s of slack.
#include "algo.h"
#include "congestion/cc_table.h"

#include <rapidcheck/gtest.h>

#include <algorithm>

using namespace weft_test;

namespace
{

/// The parameters of both models.
struct Set {
    double g;
    uint64_t ai, hai, rmin, f;
    int64_t alpha_timer, rate_timer, decrease;
    uint64_t byte_counter;
    bool clamp;
};

struct Model {
    const Set p;
    const uint64_t line;
    uint64_t rate, target;
    double alpha = 1.0;
    bool active = false;

    Model(const Set &p, uint64_t line) : p(p), line(line), rate(line), target(line) {}
    void cut()
    {
        rate = std::max(p.rmin, static_cast<uint64_t>(static_cast<double>(rate) * (1 - alpha / 2)));
    }
};

struct Paper : Model {
    using Model::Model;
    int64_t alpha_due = WEFT_NEVER, timer_due = WEFT_NEVER;
    uint64_t T = 0, B = 0, bytes = 0;

    void increase()
    {
        if (std::max(T, B) > p.f)
            target = std::min(line, target + (std::min(T, B) > p.f ? p.hai : p.ai));
        rate = (rate + target) / 2;
    }
    void run(int64_t now)
    {
        for (; alpha_due <= now; alpha_due += p.alpha_timer)
            alpha *= 1 - p.g;
        for (; timer_due <= now; timer_due += p.rate_timer) {
            T++;
            increase();
        }
    }
    void cnp(int64_t now)
    {
        run(now);
        target = rate;
        cut();
        alpha = (1 - p.g) * alpha + p.g;
        T = B = bytes = 0;
        alpha_due = now + p.alpha_timer;
        timer_due = now + p.rate_timer;
        active = true;
    }
    void sent(int64_t now, uint64_t n)
    {
        run(now);
        if (!active || !p.byte_counter)
            return;
        for (bytes += n; bytes >= p.byte_counter; bytes -= p.byte_counter) {
            B++;
            increase();
        }
    }
};

struct Hpcc : Model {
    using Model::Model;
    int64_t alpha_due = WEFT_NEVER, cut_due = WEFT_NEVER, timer_due = WEFT_NEVER;
    uint64_t stage = 0;
    bool alpha_flag = false, cut_flag = false;

    void run(int64_t now)
    {
        for (;;) {
            const int64_t t = std::min({alpha_due, cut_due, timer_due});
            if (t > now)
                return;
            if (t == alpha_due) {
                alpha = alpha_flag ? (1 - p.g) * alpha + p.g : (1 - p.g) * alpha;
                alpha_flag = false;
                alpha_due += p.alpha_timer;
            } else if (t == timer_due) {
                if (stage == p.f)
                    target = std::min(line, target + p.ai);
                else if (stage > p.f)
                    target = std::min(line, target + p.hai);
                rate = rate / 2 + target / 2;
                stage++;
                timer_due += p.rate_timer;
            } else {
                cut_due += p.decrease;
                if (!cut_flag)
                    continue;
                if (p.clamp || stage > 0)
                    target = rate;
                cut();
                stage = 0;
                cut_flag = false;
                timer_due = t + p.rate_timer;
            }
        }
    }
    void cnp(int64_t now)
    {
        run(now);
        alpha_flag = cut_flag = true;
        if (active)
            return;
        active = true;
        alpha_flag = false;
        alpha_due = now + p.alpha_timer;
        cut_due = now + p.decrease + 1000;
    }
    void sent(int64_t now, uint64_t)
    {
        run(now);
    }
};

bool close(uint64_t a, uint64_t b)
{
    return (a > b ? a - b : b - a) <= 4;
}

std::string text(uint64_t n, const char *unit)
{
    return std::to_string(n) + unit;
}

/// Plays random CNPs and sends through both and compares after each.
template <typename Reference> void compare(const char *mode)
{
    const bool paper = std::string(mode) == "paper";
    Set p{};
    p.g = *rc::gen::element(1.0 / 256, 1.0 / 16, 0.5);
    p.ai = *rc::gen::element<uint64_t>(0, 1000001, 40000000, 5000000000);
    p.hai = *rc::gen::element<uint64_t>(0, 77777777, 400000000);
    p.rmin = *rc::gen::element<uint64_t>(1000000, 100000000, 1000000000);
    p.f = *rc::gen::inRange<uint64_t>(0, 7);
    p.alpha_timer = *rc::gen::element<int64_t>(1 * kUs, 55 * kUs, 2560000);
    p.rate_timer = *rc::gen::element<int64_t>(55 * kUs, 300 * kUs, 7 * kUs);
    p.decrease = paper ? 4 * kUs : *rc::gen::element<int64_t>(4 * kUs, 50 * kUs, 999000);
    p.byte_counter = paper ? *rc::gen::element<uint64_t>(0, 10000000, 5000) : 10000000;
    p.clamp = paper ? false : *rc::gen::arbitrary<bool>();
    weft_cc_env env = default_env();
    env.line_rate_bps = *rc::gen::element<uint64_t>(25 * kGbps, 400 * kGbps, 99999999977);
    Algo::Settings s = {{"mode", mode},
                        {"gain", p.g == 0.5        ? "1/2"
                                 : p.g == 1.0 / 16 ? "1/16"
                                                   : "1/256"},
                        {"rate-ai", text(p.ai, "bps")},
                        {"rate-hai", text(p.hai, "bps")},
                        {"min-rate", text(p.rmin, "bps")},
                        {"fast-recovery", text(p.f, "")},
                        {"alpha-timer", text(p.alpha_timer, "ps")},
                        {"rate-timer", text(p.rate_timer, "ps")},
                        {"decrease-interval", text(p.decrease, "ps")},
                        {"byte-counter", text(p.byte_counter, "B")},
                        {"clamp-target", p.clamp ? "true" : "false"}};
    Algo lazy(weft_cc_find("dcqcn", nullptr), s, env),
        rarely(weft_cc_find("dcqcn", nullptr), s, env);
    Reference eager(p, env.line_rate_bps);
    int64_t now = 12345;
    lazy.init(now);
    rarely.init(now);
    const int n = *rc::gen::inRange(1, 60);
    for (int i = 0; i < n; i++) {
        now += *rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 500000),
                               rc::gen::inRange<int64_t>(0, 60 * kUs),
                               rc::gen::inRange<int64_t>(0, 20000 * kUs),
                               rc::gen::element<int64_t>(1 * kUs, 4 * kUs, 55 * kUs, 4001000));
        switch (*rc::gen::inRange(0, 3)) {
        case 0:
            lazy.cnp(now);
            rarely.cnp(now);
            eager.cnp(now);
            break;
        case 1: {
            const uint32_t bytes = *rc::gen::inRange<uint32_t>(1, 9000);
            lazy.sent(now, bytes);
            rarely.sent(now, bytes);
            eager.sent(now, bytes);
            break;
        }
        default: // only one of the two lazy ones is asked here
            lazy.rate_at(now);
            eager.run(now);
            RC_ASSERT(close(lazy.out.rate_bps, eager.rate));
            continue;
        }
        RC_ASSERT(close(lazy.out.rate_bps, eager.rate));
        RC_ASSERT(close(static_cast<uint64_t>(lazy.observed(1)), eager.target));
        RC_ASSERT(std::abs(lazy.observed(0) - eager.alpha) <= 1e-9 * eager.alpha + 1e-300);
        RC_ASSERT(lazy.out.rate_bps == rarely.out.rate_bps);
        RC_ASSERT(lazy.state_bytes() == rarely.state_bytes());
    }
}

} // namespace

RC_GTEST_PROP(DcqcnLazy, PaperEqualsTimers, ())
{
    compare<Paper>("paper");
}

RC_GTEST_PROP(DcqcnLazy, HpccEqualsTimers, ())
{
    compare<Hpcc>("hpcc");
}

TEST(DcqcnLazy, AnHourOfSilenceIsOneCall)
{
    for (const char *mode : {"paper", "hpcc"}) {
        Algo a(weft_cc_find("dcqcn", nullptr), {{"mode", mode},
                                                {"alpha-timer", "1ns"},
                                                {"rate-timer", "1ns"},
                                                {"rate-ai", "1bps"},
                                                {"rate-hai", "1bps"}});
        a.init();
        a.cnp(0);
        a.rate_at(3600 * WEFT_PS_PER_S); // 3.6e12 expiries of each timer
        EXPECT_GE(a.out.rate_bps, 99 * kGbps);
        EXPECT_EQ(a.observed(0), 0.0) << "alpha has decayed to nothing";
    }
}
