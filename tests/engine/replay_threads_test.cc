// SPDX-License-Identifier: GPL-2.0-only
// Repeated traffic is taken over while several threads share the windows of what is left (more of
// that: ReplayBy in replay_test.cc).
#include "replay_pair.h"

namespace
{

uint64_t Shared(const Pair &p)
{
    weft_thread_figures f;
    weft_engine_thread_figures(p.on.e, &f);
    return f.windows;
}

} // namespace

// Rings in which each message crosses the spines: periods of messages are found though hosts are
// run beyond the clock.
TEST(ReplayThreads, LapsOfMessages)
{
    for (unsigned threads : {2u, 3u})
        for (int64_t compute : {INT64_C(0), INT64_C(1234567)}) {
            Pair p("leaf-spine", {{"leaves", "4"}, {"spines", "4"}, {"hosts-per-leaf", "1"}}, small,
                   "dcqcn");
            p.threads = threads;
            p.Rings(300, 20'000, compute);
            p.Build(WEFT_REPLAYING);
            p.RunTo(WEFT_PS_PER_S);
            Same(p);
            EXPECT_EQ(p.on.received.size(), 1200u);
            EXPECT_GT(p.Figures().played_periods, 60u) << p.Figures().why;
            EXPECT_GT(Shared(p), 10u);
        }
}

// Who listens is told late, of components that are not ahead, and posts in timers.
TEST(ReplayThreads, WhoListens)
{
    for (unsigned threads : {2u, 3u})
        for (const char *cc : {"none", "dcqcn", "static-window"}) {
            Pair p("leaf-spine", sixLeaves, small, cc);
            p.threads = threads;
            for (World *w : {&p.off, &p.on}) {
                w->config.hooks.concurrency.local = w->config.hooks.concurrency.passive = true;
                w->config.hooks.pfc_late = 1;
                w->config.hooks.pfc = nullptr;
            }
            p.Build();
            for (World *w : {&p.off, &p.on}) {
                for (uint32_t h = 0; h < 24; h++)
                    w->Send(h, h / 4 * 4 + (h + 1) % 4, 2'000'000 + 50'000 * (h / 4), h);
                for (int n = 1; n < 8; n++)
                    w->At(n * INT64_C(23'700'000), [w, n] {
                        for (uint32_t h = 0; h < 24; h += 1 + static_cast<uint32_t>(n) % 3)
                            w->Send(h, (h + 4 * static_cast<uint32_t>(n)) % 24 ^ 1, 30'000, 100);
                    });
            }
            p.RunTo(WEFT_PS_PER_S);
            Same(p);
            if (HasFatalFailure())
                FAIL() << cc << ", " << threads << " threads";
            EXPECT_GT(Shared(p), 100u);
            EXPECT_GT(p.Figures().jumps, 0u) << p.Figures().why;
        }
}

// Long messages are taken over at their rates as by one thread, to the last bit.
TEST(ReplayThreads, Rates)
{
    for (unsigned threads : {2u, 3u})
        for (const char *cc : {"hpcc", "powertcp"}) {
            Pair p("leaf-spine", sixLeaves, {{"transport.mtu", "4096B"}}, cc);
            p.threads = threads;
            for (World *w : {&p.off, &p.on}) {
                w->config.hooks.concurrency.local = true;
                w->config.hooks.pfc_late = 1;
                w->config.hooks.pfc = nullptr;
            }
            p.Build(WEFT_REPLAYING);
            weft_err err = {};
            ASSERT_EQ(weft_engine_set_replay(p.off.e, WEFT_REPLAYING, p.memory, &err), 0);
            for (World *w : {&p.off, &p.on}) {
                weft_engine_set_tolerance(w->e, 0.01, false);
                for (uint32_t h = 0; h < 8; h++)
                    w->Send(h, h / 4 * 4 + (h + 1) % 4, 100'000'000 + 700 * h, h);
                w->At(INT64_C(1'800'000'000), [w] { w->Send(0, 9, 100'000, 100); });
            }
            p.RunTo(INT64_C(1'000'000'000)); // in the midst
            p.RunTo(WEFT_PS_PER_S);
            Same(p);
            if (HasFatalFailure())
                FAIL() << cc << ", " << threads << " threads";
            EXPECT_GT(Shared(p), 50u);
            EXPECT_GT(p.Figures().taken, 0u) << cc << ": " << p.Figures().why;
            weft_replay_figures one;
            weft_engine_replay_figures(p.off.e, &one);
            EXPECT_EQ(one.skipped_hops, p.Figures().skipped_hops);
            EXPECT_EQ(one.error, p.Figures().error);
            EXPECT_EQ(weft_engine_events(p.off.e), weft_engine_events(p.on.e));
        }
}
