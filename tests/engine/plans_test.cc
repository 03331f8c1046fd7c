// SPDX-License-Identifier: GPL-2.0-only
// Timers that only post, which threads have called before their time, give what timers give that
// are called at their time: chains of them, some at the same instants as each other and as timers
// that do more, which look at what has been posted and sent so far.
#include "same.h"

#include "base/rng.h"

#include <deque>

namespace
{

using Ask = decltype(weft_engine_plan);

// Posts a few messages, and asks for the next turn a multiple of 100 ns later, or at once.
struct Chain {
    World *w;
    Ask *ask;
    weft_rng rng;
    int left;

    void Next(int64_t at)
    {
        weft_err err = {};
        ASSERT_EQ(ask(w->e, at, Turn, this, 0, &err), 0) << err.msg;
    }

    static void Turn(void *ctx, uint64_t)
    {
        auto *c = static_cast<Chain *>(ctx);
        const uint32_t n = c->w->fabric->nhosts;
        for (uint64_t k = weft_rng_below(&c->rng, 4); k > 0; k--) {
            const auto src = static_cast<uint32_t>(weft_rng_below(&c->rng, n));
            const auto dst = static_cast<uint32_t>((src + 1 + weft_rng_below(&c->rng, n - 1)) % n);
            c->w->Send(src, dst, 1 + weft_rng_below(&c->rng, 30000));
        }
        if (c->left-- > 0)
            c->Next(weft_engine_now(c->w->e) +
                    static_cast<int64_t>(weft_rng_below(&c->rng, 4) * 100 * WEFT_PS_PER_NS));
    }
};

// What a timer that does more sees.
void Look(World *w, std::vector<uint64_t> *log)
{
    const weft_totals t = w->Totals();
    for (uint64_t x : {static_cast<uint64_t>(weft_engine_now(w->e)), t.msgs_posted, t.bytes_posted,
                       t.packet_hops, t.qps})
        log->push_back(x);
    for (uint32_t port = 0; port < w->fabric->nports; port++)
        log->push_back(weft_engine_queue_bytes(w->e, port, 3));
}

void Change(const World *w, weft_link_change_kind kind)
{
    weft_err err = {};
    weft_link_change change = {w->fabric->nlinks - 1, kind, 0, 0, 0, WEFT_LINK_BOTH, false};
    ASSERT_EQ(weft_engine_change_links(w->e, &change, 1, &err), 0) << err.msg;
}

// Plays the same on @p n threads; returns what was seen.
std::vector<uint64_t> Play(World &w, unsigned n, uint64_t seed, bool fails)
{
    std::vector<uint64_t> log;
    std::deque<Chain> chains;
    if (n > 1)
        Threads(w, n, seed);
    for (uint64_t i = 0; i < 3; i++) {
        Ask *ask = n > 1 ? weft_engine_plan : weft_engine_timer;
        chains.push_back({&w, ask, weft_rng_stream(seed, "plans-test", i), 150});
        chains.back().Next(static_cast<int64_t>(i) * 50 * WEFT_PS_PER_NS);
    }
    for (int64_t us = 3; us < 30; us += 3)
        w.At(us * WEFT_PS_PER_US, [&w, &log] {
            Look(&w, &log);
            w.Send(0, 1, 5000);
        });
    if (fails) {
        w.At(5 * WEFT_PS_PER_US, [&w] { Change(&w, WEFT_LINK_DOWN); });
        w.At(9 * WEFT_PS_PER_US, [&w] { Change(&w, WEFT_LINK_UP); });
    }
    weft_err err = {};
    for (int64_t limit = 777'777; weft_engine_next(w.e) != WEFT_NEVER; limit += 1'777'777) {
        EXPECT_EQ(weft_engine_run(w.e, limit), 0) << weft_engine_error(w.e)->msg;
        EXPECT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
        Look(&w, &log);
    }
    return log;
}

} // namespace

TEST(Threads, TimersThatOnlyPostAreCalledAhead)
{
    for (const char *cc : {"dcqcn", "hpcc", "none"})
        for (uint64_t seed = 1; seed <= 4; seed++) {
            std::deque<World> worlds;
            std::vector<uint64_t> seen;
            for (unsigned n : {1u, 2u, 3u, 8u}) {
                worlds.emplace_back("fat-tree", Settings{{"k", "4"}},
                                    With(tight, {{"transport.rto", "100us"}}), cc);
                World &w = worlds.back();
                w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
                w.config.hooks.concurrency.passive = n != 8; // else they are timers like others
                w.Build();
                const std::vector<uint64_t> log = Play(w, n, seed, seed == 3);
                if (n == 1)
                    seen = log;
                EXPECT_TRUE(log == seen) << cc << ", " << n << " threads, seed " << seed;
                Same(w, worlds.front());
                if (HasFatalFailure())
                    FAIL() << cc << ", " << n << " threads, seed " << seed;
            }
            EXPECT_GT(worlds.front().received.size(), 500u);
        }
}
