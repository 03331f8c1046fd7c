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

// Rings in which each message crosses the spines: laps of messages are found though hosts are run
// beyond the clock.
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
            EXPECT_GT(p.Figures().played_laps, 60u) << p.Figures().why;
            EXPECT_GT(Shared(p), 10u);
        }
}

// Who listens is told late, of pieces that are not ahead, and posts in timers.
TEST(ReplayThreads, WhoListens)
{
    for (unsigned threads : {2u, 3u})
        for (const char *cc : {"none", "dcqcn", "static-window"}) {
            Pair p("leaf-spine", sixLeaves, small, cc);
            p.threads = threads;
            for (World *w : {&p.off, &p.on}) {
                w->config.hooks.local = w->config.hooks.listens = w->config.hooks.pfc_late = 1;
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

// What has settled is not skipped there, and that is said.
TEST(ReplayThreads, NothingApproximate)
{
    Pair p("leaf-spine", sixLeaves, small, "swift");
    p.threads = 2;
    p.Build(WEFT_REPLAYING);
    weft_engine_set_tolerance(p.on.e, 0.01);
    for (World *w : {&p.off, &p.on})
        for (uint32_t h = 1; h < 4; h++)
            w->Send(h, 0, 4'000'000, h);
    p.RunTo(WEFT_PS_PER_S);
    Same(p);
    const weft_replay_figures f = p.Figures();
    EXPECT_EQ(f.skipped_hops, 0u);
    bool said = false;
    for (uint32_t i = 0; i < f.nreasons; i++)
        said |= f.reasons[i].kind == WEFT_REPLAY_SETTLED &&
                !strcmp(f.reasons[i].why, "several threads run the fabric");
    EXPECT_TRUE(said);
}
