// SPDX-License-Identifier: GPL-2.0-only
// Traffic that repeats itself while ports pause: periods are skipped, clocks and counters of pauses
// go on, and each pause and resume is told at its time.
#include "replay_pair.h"
#include "same.h"

namespace
{

const Settings shallow = {{"transport.mtu", "1000B"},
                          {"switch.buffer", "1600KB"},
                          {"pfc.headroom", "100KB"},
                          {"switch.reserve", "0B"}};

// Two hosts of each leaf send to a third; a message later crosses the spine.
class ReplayPaused : public testing::TestWithParam<unsigned>
{
  protected:
    void Start(Pair &p, bool told, uint64_t bytes, uint64_t more = 70'000)
    {
        for (World *w : {&p.off, &p.on}) {
            w->config.hooks.concurrency.local = true;
            w->config.hooks.pfc_late = 1;
            if (!told)
                w->config.hooks.pfc = nullptr;
        }
        p.threads = GetParam();
        p.Build();
        for (World *w : {&p.off, &p.on})
            for (uint32_t leaf = 0; leaf < w->fabric->nhosts / 4; leaf++)
                for (uint32_t h = 1; h < 3; h++)
                    w->Send(4 * leaf + h, 4 * leaf, bytes + more * leaf, h);
    }
};

INSTANTIATE_TEST_SUITE_P(Threads, ReplayPaused, testing::Values(1u, 2u, 3u));

} // namespace

TEST_P(ReplayPaused, IsSkipped)
{
    for (bool told : {false, true})
        for (const char *topology : {"single-switch", "leaf-spine"}) {
            const bool tree = !strcmp(topology, "leaf-spine");
            Pair p(topology,
                   tree ? Settings{{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}}
                        : Settings{{"hosts", "4"}},
                   shallow, "none");
            Start(p, told, 4'000'000);
            p.RunTo(WEFT_PS_PER_S);
            Same(p);
            Same(p.off, p.on);
            EXPECT_GT(p.on.Totals().pfc_pauses, 20u);
            EXPECT_EQ(p.on.pfc.size() > 0, told);
            EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 2) << p.Figures().why;
        }
}

// Twins of which the one that is simulated pauses: what takes effect in the others, which stood
// still till then, is told in the order of time.
TEST_P(ReplayPaused, TwinsPauseInOrder)
{
    Pair p("leaf-spine", {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}}, shallow,
           "none");
    Start(p, true, 4'000'000, 0);
    p.RunTo(WEFT_PS_PER_S);
    Same(p);
    Same(p.off, p.on);
}

// Looked at, and disturbed by a message or a slower link, at any moment.
TEST_P(ReplayPaused, DisturbedAtAnyMoment)
{
    uint64_t jumps = 0;
    for (unsigned k = GetParam() - 1; k<48; k += GetParam()> 1 ? 7 : 1) {
        weft_rng rng = weft_rng_stream(k, "replay-test", 6);
        Settings engine = shallow;
        if (k % 3 == 0)
            engine.emplace_back("transport.ack-every", "4");
        if (k % 4 == 0)
            engine.emplace_back("transport.ack-ignores-pause", "true");
        Pair p("leaf-spine", {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}}, engine,
               k % 5 ? "none" : "static-window");
        Start(p, k % 4, 2'000'000);
        for (int64_t at = 100 * WEFT_PS_PER_US; weft_engine_next(p.off.e) != WEFT_NEVER;) {
            at += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (120 * WEFT_PS_PER_US));
            p.RunTo(at);
            const uint64_t what = weft_rng_u64(&rng) % 8;
            const auto host = static_cast<uint32_t>(weft_rng_u64(&rng) % 16);
            if (what < 3)
                Same(p);
            for (World *w : {&p.off, &p.on}) {
                weft_err err = {};
                weft_link_change l = {};
                l.link = host;
                l.kind = WEFT_LINK_RATE;
                l.rate_bps = what == 3 ? 40'000'000'000 : 100'000'000'000;
                weft_engine_set_now(w->e, at);
                if (what == 3 && at % 3 == 0) {
                    ASSERT_EQ(weft_engine_change_links(w->e, &l, 1, &err), 0) << err.msg;
                }
                if (what == 4)
                    w->Send(host, (host + 5) % 16, 90'000, 77);
            }
            if (HasFatalFailure())
                FAIL() << "at " << at << " ps, case " << k;
        }
        Same(p);
        Same(p.off, p.on);
        if (HasFatalFailure())
            FAIL() << "case " << k;
        jumps += p.Figures().jumps;
    }
    EXPECT_GT(jumps, 10u);
}
