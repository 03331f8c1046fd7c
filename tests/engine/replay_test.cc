// SPDX-License-Identifier: GPL-2.0-only
// Traffic that repeats itself is taken over instead of simulated: each case runs with and without,
// is looked at, stopped and disturbed at odd moments, and gives the same to the last bit.
#include "replay_pair.h"

namespace
{

// By one thread, and by several: of long tests these play a part.
class ReplayBy : public testing::TestWithParam<unsigned>
{
  protected:
    unsigned Step() const
    {
        return GetParam() > 1 ? 11 : 1;
    }
    unsigned First() const // of each a part of its own
    {
        return GetParam() > 1 ? GetParam() : 0;
    }
};

INSTANTIATE_TEST_SUITE_P(Threads, ReplayBy, testing::Values(1u, 2u, 3u));

} // namespace

// Permanent messages: most of their packets are skipped.
TEST(Replay, LapsOfPackets)
{
    for (const char *cc : {"none", "dcqcn", "static-window"}) {
        Pair p("single-switch", oneSwitch, small, cc);
        p.Build(WEFT_REPLAYING);
        for (World *w : {&p.off, &p.on})
            for (uint32_t h = 0; h < 8; h++)
                w->Send(h, (h + 3) % 8, 20'000'000 + 700 * h, h);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        EXPECT_EQ(p.on.received.size(), 8u);
        EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 2) << cc << ": " << p.Figures().why;
        EXPECT_LT(p.on.Totals().events, p.off.Totals().events / 2);
    }
}

// Steps of a ring: whole periods are played, and what the user calls his messages stays with them.
TEST(Replay, LapsOfMessages)
{
    for (int64_t compute : {INT64_C(0), INT64_C(1234567)}) {
        Pair p("single-switch", oneSwitch, small, "dcqcn");
        p.Rings(300, 20'000, compute);
        p.Build(WEFT_REPLAYING);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        EXPECT_EQ(p.on.received.size(), 2400u);
        EXPECT_GT(p.Figures().played_periods, 60u); // of several rounds each
        EXPECT_LT(p.on.Totals().events, p.off.Totals().events / 8);
    }
}

// A ring of one round: all begin a step together. The state in the midst of the second step is
// found again in the third and, compared, in the fourth; the last step ends in the midst of a
// period.
TEST(Replay, FirstStepsOfARing)
{
    Pair p("single-switch", oneSwitch, small, "dcqcn");
    p.Rings(40, 200'000, 0);
    p.Build(WEFT_REPLAYING);
    p.RunTo(WEFT_PS_PER_S);
    Same(p);
    const uint64_t hops = p.on.Totals().packet_hops;
    EXPECT_LE(hops - p.Figures().hops, hops / 10) << "of 40 steps 4";
}

// Who looks at the state in the midst of a period sees what there is, and what follows is played
// again.
TEST(Replay, LooksAtOddMoments)
{
    weft_rng rng = weft_rng_stream(1, "replay-test", 0);
    for (int64_t compute : {INT64_C(0), INT64_C(333333)}) {
        Pair p("single-switch", oneSwitch, small, "dcqcn");
        p.Rings(80, 20'000, compute);
        p.Build();
        for (int64_t at = 0; weft_engine_next(p.off.e) != WEFT_NEVER;) {
            at += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (9 * WEFT_PS_PER_US));
            p.RunTo(at);
            Same(p);
            if (HasFatalFailure())
                FAIL() << "at " << at << " ps";
        }
        EXPECT_EQ(p.on.received.size(), 640u);
        EXPECT_GT(p.Figures().played_periods, 10u);
    }
}

// A message posted at any moment of a period, from outside: at each of many offsets.
TEST(Replay, DisturbedAtAnyMoment)
{
    for (int k = 0; k < 60; k++) {
        Pair p("single-switch", oneSwitch, small, "dcqcn");
        p.Rings(40, 20'000);
        p.Build();
        const int64_t at = 40 * WEFT_PS_PER_US + k * INT64_C(61'739);
        p.RunTo(at);
        for (World *w : {&p.off, &p.on}) {
            weft_engine_set_now(w->e, at);
            w->Send(5, 2, 30'000, 77);
        }
        p.RunTo(at + 30 * WEFT_PS_PER_US);
        Same(p);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        if (HasFatalFailure())
            FAIL() << "disturbed at " << at << " ps";
        EXPECT_EQ(p.on.received.size(), 321u);
    }
}

// The same by a timer of the user's, by a link that gets slower, and by one that fails.
TEST(Replay, DisturbedByTimersAndLinks)
{
    for (int kind = 0; kind < 3; kind++)
        for (int k = 0; k < 12; k++) {
            Pair p("single-switch", oneSwitch,
                   {{"transport.mtu", "1000B"}, {"transport.rto", "50us"}}, "dcqcn");
            p.Rings(40, 20'000);
            p.Build();
            for (World *w : {&p.off, &p.on}) {
                const int64_t at = 40 * WEFT_PS_PER_US + k * INT64_C(301'739);
                w->At(at, [w, kind] {
                    weft_err err = {};
                    weft_link_change l = {};
                    l.link = 3;
                    l.kind = kind == 1 ? WEFT_LINK_RATE : WEFT_LINK_DOWN;
                    l.rate_bps = 40'000'000'000;
                    if (kind == 0)
                        w->Send(5, 2, 30'000, 77);
                    else
                        EXPECT_EQ(weft_engine_change_links(w->e, &l, 1, &err), 0) << err.msg;
                });
                w->At(at + 30 * WEFT_PS_PER_US, [w, kind] {
                    weft_err err = {};
                    if (kind == 2) {
                        EXPECT_EQ(SetLink(w->e, 3, true, &err), 0) << err.msg;
                    }
                });
            }
            p.RunTo(WEFT_PS_PER_S);
            Same(p);
            if (HasFatalFailure())
                FAIL() << "kind " << kind << ", moment " << k;
            EXPECT_EQ(p.on.received.size(), kind ? 320u : 321u);
        }
}

// Random fabrics, controls and messages; runs end at odd moments.
TEST(Replay, RandomTraffic)
{
    const char *controls[] = {"none", "dcqcn", "hpcc", "timely", "dctcp", "swift", "static-window"};
    uint64_t jumps = 0, plays = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        weft_rng rng = weft_rng_stream(seed, "replay-test", 1);
        const bool tree = weft_rng_u64(&rng) % 4 == 0;
        const Settings topo =
            tree ? Settings{{"leaves", "2"}, {"spines", "2"}, {"hosts-per-leaf", "4"}} : oneSwitch;
        Settings engine = small;
        if (weft_rng_u64(&rng) % 3 == 0)
            engine.emplace_back("switch.buffer", "400KB"),
                engine.emplace_back("pfc.headroom", "20KB"),
                engine.emplace_back("switch.reserve", "0B");
        if (weft_rng_u64(&rng) % 3 == 0)
            engine.emplace_back("transport.ack-every", "4");
        Pair p(tree ? "leaf-spine" : "single-switch", topo, engine, controls[seed % 7]);
        const bool ring = weft_rng_u64(&rng) % 2;
        if (ring)
            p.Rings(
                60, 1000 + weft_rng_u64(&rng) % 60'000,
                static_cast<int64_t>(weft_rng_u64(&rng) % 2 * (weft_rng_u64(&rng) % 2'000'000)));
        p.Build();
        for (uint32_t h = 0; !ring && h < 8; h++) {
            const uint64_t r = weft_rng_u64(&rng), pairs = seed / 7;
            const uint32_t dst = static_cast<uint32_t>((h + 1 + pairs % 7) % 8);
            for (World *w : {&p.off, &p.on})
                w->Send(h, dst, 300'000 + (r >> 16) % 2'000'000, h);
        }
        for (int64_t at = 0; weft_engine_next(p.off.e) != WEFT_NEVER;) {
            at += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (40 * WEFT_PS_PER_US));
            p.RunTo(at);
            if (weft_rng_u64(&rng) % 4 == 0)
                Same(p);
            if (HasFatalFailure())
                FAIL() << "at " << at << " ps, seed " << seed;
        }
        Same(p);
        jumps += p.Figures().jumps;
        plays += p.Figures().plays;
    }
    EXPECT_GT(jumps, 0u);
    EXPECT_GT(plays, 5u);
}

// Messages of random lengths that meet at random times repeat nothing: hardly any value is read for
// that, and few states are written down.
TEST(Replay, CostsLittleWhereNothingRepeats)
{
    for (const char *cc : {"hpcc", "dcqcn", "none"}) {
        Pair p("leaf-spine", {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "8"}}, small,
               cc);
        weft_rng rng = weft_rng_stream(1, "replay-test", 4);
        p.Build(WEFT_REPLAYING);
        for (int64_t i = 1; i <= 600; i++) {
            const uint64_t r = weft_rng_u64(&rng);
            const auto src = static_cast<uint32_t>(r % 32),
                       dst = static_cast<uint32_t>((src + 1 + (r >> 8) % 31) % 32);
            p.RunTo(i * WEFT_PS_PER_US / 2 + static_cast<int64_t>((r >> 16) % 100'000));
            for (World *w : {&p.off, &p.on})
                w->Send(src, dst, 1000 + (r >> 20) % 400'000, src);
        }
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        const weft_replay_figures f = p.Figures();
        const uint64_t events = p.off.Totals().events;
        EXPECT_GT(events, 1'000'000u);
        EXPECT_GT(f.values, 10'000u) << "it never looked";
        EXPECT_LT(f.values, 100'000 + (events / 16) + f.hops) << cc;
        EXPECT_LT(f.looks, 20 + (f.jumps * 20)) << cc;
    }
}

// Traffic that falls into components, one per switch: each is moved on by itself, and comes back
// when a message goes through it, a host looks, or a link gets slower.
TEST_P(ReplayBy, PiecesAlone)
{
    const Settings topo = {{"leaves", "4"}, {"spines", "2"}, {"hosts-per-leaf", "4"}};
    const char *controls[] = {"none", "dcqcn", "static-window", "swift"};
    uint64_t jumps = 0, hops = 0, all = 0;
    for (uint64_t seed = 1 + First(); seed <= 40; seed += Step()) {
        weft_rng rng = weft_rng_stream(seed, "replay-test", 2);
        Settings engine = small;
        if (seed % 3 == 0)
            engine.emplace_back("transport.ack-every", "4");
        Pair p("leaf-spine", topo, engine, controls[seed % 4]);
        Talk off(p.off, 4, seed), on(p.on, 4, seed);
        p.threads = GetParam();
        p.Build();
        for (uint32_t h = 0; h < 16; h += 4)
            off.Say(h), on.Say(h);
        for (int64_t at = 0; weft_engine_next(p.off.e) != WEFT_NEVER;) {
            at += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (60 * WEFT_PS_PER_US));
            p.RunTo(at);
            const uint64_t what = weft_rng_u64(&rng) % 8;
            const auto link = static_cast<uint32_t>(weft_rng_u64(&rng) % 16);
            if (what < 2)
                Same(p);
            for (World *w : {&p.off, &p.on}) {
                weft_err err = {};
                weft_link_change l = {};
                l.link = link;
                l.kind = WEFT_LINK_RATE;
                l.rate_bps = what == 2 ? 40'000'000'000 : 100'000'000'000;
                weft_engine_set_now(w->e, at);
                if (what == 2 || what == 3) {
                    ASSERT_EQ(weft_engine_change_links(w->e, &l, 1, &err), 0) << err.msg;
                }
                if (what == 4)
                    w->Send(link, (link + 5) % 16, 90'000, 77);
            }
            if (HasFatalFailure())
                FAIL() << "at " << at << " ps, seed " << seed;
        }
        Same(p);
        jumps += p.Figures().jumps;
        hops += p.Figures().hops;
        all += p.on.Totals().packet_hops;
    }
    EXPECT_GT(jumps, 300u / Step());
    EXPECT_GT(hops, all / 10);
}

// Two pairs at switches of their own, at paces of their own: neither keeps the other from being
// skipped, and a message through one of them at any moment changes nothing.
TEST_P(ReplayBy, PiecesDisturbedAtAnyMoment)
{
    for (unsigned k = First(); k < 60; k += Step()) {
        Pair p("leaf-spine", {{"leaves", "2"}, {"spines", "1"}, {"hosts-per-leaf", "4"}}, small,
               "dcqcn");
        p.threads = GetParam();
        p.Build();
        for (World *w : {&p.off, &p.on}) {
            w->Send(0, 1, 1'500'000, 1);
            w->Send(4, 5, 1'700'000, 2);
            w->Send(6, 7, 1'700'000, 3);
            for (uint64_t n = 0; n < 2; n++) /* the second after the first */
                w->At(12 * WEFT_PS_PER_US + k * INT64_C(1'739),
                      [w, n] { w->Send(2, 5, 30'000 + 5000 * n, 4 + n); });
        }
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        if (HasFatalFailure())
            FAIL() << "moment " << k;
        EXPECT_EQ(p.on.received.size(), 5u);
        EXPECT_GT(p.Figures().jumps, 2u);
        EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 3);
    }
}

// Pairs of hosts that first talk while others are skipped: what is known by QP has no place for
// them yet (memory checkers see it looked for).
TEST_P(ReplayBy, PairsThatAreNew)
{
    Pair p("leaf-spine", {{"leaves", "2"}, {"spines", "1"}, {"hosts-per-leaf", "16"}}, small,
           "dcqcn");
    p.threads = GetParam();
    p.Build();
    for (World *w : {&p.off, &p.on}) {
        w->Send(0, 1, 3'000'000, 1);
        w->Send(2, 3, 3'000'000, 2);
        w->At(60 * WEFT_PS_PER_US, [w] {
            for (uint32_t k = 0; k < 240; k++)
                w->Send(16 + k / 15, 16 + (k / 15 + 1 + k % 15) % 16, 1000, 10 + k);
        });
    }
    p.RunTo(WEFT_PS_PER_S);
    Same(p);
    EXPECT_EQ(p.on.received.size(), 242u);
    EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 2) << p.Figures().why;
}

// Rings at switches of their own are the same but for names: one of them is simulated.
TEST_P(ReplayBy, Twins)
{
    for (const char *cc : {"none", "dcqcn", "static-window", "dctcp"}) {
        Pair p("leaf-spine", sixLeaves, small, cc);
        p.Rings(7, 300'000, 0, 4);
        p.threads = GetParam();
        p.Build();
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        EXPECT_EQ(p.on.received.size(), 168u);
        EXPECT_GE(p.Figures().copies, 5u * 4) << cc;
        EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 2) << cc;
    }
}

// Messages that follow each other on a QP: the end of the first is on its way while the second is
// sent, and twins part before anybody is told of it.
TEST_P(ReplayBy, TwinsWithMessagesInARow)
{
    for (unsigned k = First(); k < 40; k += Step()) {
        Pair p("leaf-spine", sixLeaves, small, k % 2 ? "none" : "dcqcn");
        p.threads = GetParam();
        p.Build();
        for (World *w : {&p.off, &p.on})
            for (uint32_t n = 0; n < 8; n++)
                for (uint32_t h = 0; h < 24; h++) /* two share a NIC, so that each is slower */
                    w->Send(h, h / 4 * 4 + (h + 1 + n % 2) % 4, 30'000 + 1000 * k, 24 * n + h);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        EXPECT_EQ(p.on.received.size(), 192u);
        EXPECT_GE(p.Figures().copies, 5u) << "case " << k;
    }
}

// Hosts that are joined by long links without a switch: twins that part before anybody is told of a
// message are not looked for again at each picosecond.
TEST_P(ReplayBy, TwinsOverDirectLinks)
{
    Pair p("fully-connected", {{"size", "16"}, {"delay", "20us"}}, small, "dcqcn");
    p.Rings(30, 131'072);
    p.threads = GetParam();
    p.Build();
    p.RunTo(WEFT_PS_PER_S);
    Same(p);
    EXPECT_EQ(p.on.received.size(), 480u);
    EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 2) << p.Figures().why;
    EXPECT_LT(p.Figures().values, 10 * p.on.Totals().packet_hops);
}

// Twins that are looked at, get a message, or a slower link at any moment: most are still the same
// afterwards.
TEST_P(ReplayBy, TwinsDisturbedAtAnyMoment)
{
    const char *controls[] = {"none", "dcqcn", "static-window", "swift", "timely"};
    uint64_t copies = 0;
    for (unsigned k = First(); k < 80; k += Step()) {
        weft_rng rng = weft_rng_stream(static_cast<uint64_t>(k), "replay-test", 3);
        Settings engine = small;
        if (k % 3 == 0)
            engine.emplace_back("transport.ack-every", "4");
        if (k % 7 == 0)
            engine.emplace_back("switch.buffer", "1600KB");
        Pair p("leaf-spine", sixLeaves, engine, controls[k % 5]);
        p.Rings(6, 100'000 + 1000 * weft_rng_u64(&rng) % 300, k % 4 ? 0 : 1'234'567, 4);
        for (auto &r : p.rings)
            if (k % 2)
                r->crosses = 22;
        p.threads = GetParam();
        p.Build(k % 5 ? WEFT_REPLAYING_EAGERLY : WEFT_REPLAYING);
        for (int64_t at = 0; weft_engine_next(p.off.e) != WEFT_NEVER;) {
            at += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (30 * WEFT_PS_PER_US));
            p.RunTo(at);
            const uint64_t what = weft_rng_u64(&rng) % 8;
            const auto host = static_cast<uint32_t>(weft_rng_u64(&rng) % 24);
            if (what == 0)
                Same(p);
            for (World *w : {&p.off, &p.on}) {
                weft_err err = {};
                weft_link_change l = {};
                l.link = host;
                l.kind = WEFT_LINK_RATE;
                l.rate_bps = what == 1 ? 40'000'000'000 : 100'000'000'000;
                weft_engine_set_now(w->e, at);
                if ((what == 1 || what == 2) && at % 3 == 0) {
                    ASSERT_EQ(weft_engine_change_links(w->e, &l, 1, &err), 0) << err.msg;
                }
                if (what == 3 || what == 4) /* to where others send, too */
                    w->Send(host, what == 3 ? host / 4 * 4 + (host + 2) % 4 : (host + 5) % 24,
                            90'000, 77);
            }
            if (HasFatalFailure())
                FAIL() << "at " << at << " ps, case " << k;
        }
        Same(p);
        if (HasFatalFailure())
            FAIL() << "case " << k;
        copies += p.Figures().copies;
    }
    EXPECT_GT(copies, 1000u / Step());
}

// What is drawn or marked in one of them is not known of the others.
TEST_P(ReplayBy, TwinsThatMeet)
{
    for (const char *cc : {"dcqcn", "hpcc", "dctcp"})
        for (unsigned k = First(); k < 12; k += Step()) {
            Pair p("leaf-spine", sixLeaves, small, cc);
            p.threads = GetParam();
            p.Build(k % 2 ? WEFT_REPLAYING_EAGERLY : WEFT_REPLAYING);
            for (World *w : {&p.off, &p.on})
                for (uint32_t h = 0; h < 24; h++)
                    if (h % 4)
                        w->Send(h, h / 4 * 4, 200'000 + 10'000 * static_cast<uint64_t>(k), h);
            p.RunTo(WEFT_PS_PER_US * (7 + k));
            if (k % 3)
                Same(p);
            p.RunTo(WEFT_PS_PER_S);
            Same(p);
            if (HasFatalFailure())
                FAIL() << cc << ", case " << k;
        }
}

// Ports that have been paused: what follows repeats itself, with packets that were held up on their
// way at first, and with the clocks of pauses as they were.
TEST(Replay, AfterPauses)
{
    for (int k = 0; k < 12; k++) {
        Pair p("single-switch", oneSwitch,
               {{"transport.mtu", "1000B"},
                {"switch.buffer", "1600KB"},
                {"pfc.headroom", "100KB"},
                {"switch.reserve", "0B"}},
               "none");
        p.Build();
        for (World *w : {&p.off, &p.on}) {
            for (uint32_t h = 1; h < 8; h++)
                w->Send(h, 0, 200'000, h);
            for (uint32_t h = 1; h < 8; h++)
                w->Send(h, h % 7 + 1, 4'000'000 + 100'000 * h, h);
        }
        p.RunTo((40 + 3 * k) * WEFT_PS_PER_US);
        Same(p);
        p.RunTo(WEFT_PS_PER_S);
        Same(p);
        if (HasFatalFailure())
            FAIL() << "look " << k;
        EXPECT_GT(p.on.Totals().pfc_pauses, 0u);
        EXPECT_EQ(p.on.Totals().rtos, 0u);
        EXPECT_GT(p.Figures().hops, p.on.Totals().packet_hops / 10) << p.Figures().why;
    }
}

// What keeps traffic from being replayed is said.
TEST(Replay, SaysWhyNot)
{
    Pair p("single-switch", oneSwitch, small, "none");
    p.on.config.hooks.queue = [](void *, int64_t, uint32_t, uint32_t, uint64_t) {};
    p.Build(WEFT_REPLAYING);
    for (World *w : {&p.off, &p.on})
        w->Send(0, 1, 1'000'000);
    p.RunTo(WEFT_PS_PER_S);
    Same(p);
    EXPECT_EQ(p.Figures().hops, 0u);
    EXPECT_STREQ(p.Figures().why, "packets, queues or QPs are watched one by one");
}

// Without memory for a state nothing is replayed.
TEST(Replay, StaysWithinItsMemory)
{
    Pair p("single-switch", oneSwitch, small, "none");
    p.memory = 100'000;
    p.Rings(40, 200'000);
    p.Build();
    p.RunTo(WEFT_PS_PER_S);
    Same(p);
    EXPECT_EQ(p.Figures().hops, 0u);
}
