// SPDX-License-Identifier: GPL-2.0-only
// Ports without transmission events, and switches that run in windows, give what one queue of all
// events gives: each case runs in three ways (a hook that must know of pauses at once forbids
// windows, a queue hook makes every port eager), and with several threads; stops at odd moments and
// compares every counter and record.
#include "same.h"

#include "base/processors.h"
#include "base/rng.h"

#include <deque>
#include <iterator>
#include <map>

namespace
{

// Whether switches run in windows.
enum Run { YES, NO, SHORT }; // SHORT: only where those may be however short

struct Case {
    const char *name;
    const char *cc;
    const char *topology;
    Settings topo, engine, ccSettings;
    bool fails; // a link fails and returns, others get slower and lose packets
    Run windows{YES};
};

void PrintTo(const Case &c, std::ostream *os)
{
    *os << c.name;
}

#define NODES "switch size=4 rate=400Gbps delay=100ns; "
#define RAILS "rail-optimised rails=4 nodes=4 spines=2 rate=100Gbps delay=500ns"

const Case cases[] = {
    {"none", "none", "leaf-spine", leafSpine, {{"transport.mtu", "1000B"}}, {}, false},
    {"none with pauses", "none", "leaf-spine", leafSpine, tight, {}, false},
    {"dcqcn with pauses",
     "dcqcn",
     "leaf-spine",
     leafSpine,
     With(tight, {{"ecn.kmin", "10KB"}, {"ecn.kmax", "50KB"}}),
     {},
     false},
    {"dcqcn, pause quanta",
     "dcqcn",
     "leaf-spine",
     leafSpine,
     With(tight, {{"pfc.quanta", "100"}}),
     {},
     false,
     SHORT},
    {"dcqcn, longer pause quanta",
     "dcqcn",
     "leaf-spine",
     leafSpine,
     With(tight, {{"pfc.quanta", "500"}, {"pfc.refresh", "0.4"}}),
     {},
     false},
    {"pause quanta, a link fails",
     "dcqcn",
     "leaf-spine",
     leafSpine,
     With(tight, {{"pfc.quanta", "400"}, {"transport.rto", "200us"}}),
     {},
     true},
    {"nodes under credits",
     "dcqcn",
     "multi",
     {{"dimensions", "switch size=4 rate=400Gbps delay=300ns flow-control=credit; " RAILS}},
     tight,
     {},
     false},
    {"nodes under credits with frames",
     "none",
     "multi",
     {{"dimensions", "switch size=4 rate=200Gbps delay=100ns flow-control=credit; " RAILS}},
     With(tight, {{"credit.frame", "64B"}}),
     {},
     false},
    {"dcqcn, late pauses",
     "dcqcn",
     "leaf-spine",
     leafSpine,
     With(tight, {{"pfc.response-time", "100ns"}}),
     {},
     false,
     NO},
    {"dctcp marks at enqueue",
     "dctcp",
     "leaf-spine",
     leafSpine,
     With(tight, {{"ecn.at-enqueue", "true"}}),
     {},
     false},
    {"hpcc", "hpcc", "leaf-spine", leafSpine, tight, {}, false},
    {"hpcc-pint", "hpcc-pint", "leaf-spine", leafSpine, tight, {}, false},
    {"swift", "swift", "fat-tree", {{"k", "4"}}, {{"transport.mtu", "4096B"}}, {}, false},
    {"lossy",
     "none",
     "leaf-spine",
     leafSpine,
     With(tight, {{"pfc.enabled", "off"}, {"transport.rto", "300us"}}),
     {},
     false},
    {"lossy beside lossless",
     "dcqcn",
     "leaf-spine",
     leafSpine,
     With(tight, {{"switch.lossy-share", "0.5"}, {"transport.rto", "300us"}}),
     {},
     false},
    {"egress pools",
     "dcqcn",
     "leaf-spine",
     leafSpine,
     With(tight, {{"switch.egress-lossy-pool", "100KB"}, {"transport.rto", "300us"}}),
     {},
     false},
    {"adaptive",
     "none",
     "leaf-spine",
     leafSpine,
     With(tight, {{"switch.balance", "adaptive"}, {"transport.recovery", "selective-repeat"}}),
     {},
     false},
    {"flowlet",
     "dcqcn",
     "leaf-spine",
     leafSpine,
     With(tight, {{"switch.balance", "flowlet"}}),
     {},
     false},
    {"letflow, a link fails",
     "none",
     "fat-tree",
     {{"k", "4"}},
     With(tight, {{"switch.balance", "letflow"}, {"transport.rto", "200us"}}),
     {},
     true},
    {"drill",
     "dctcp",
     "fat-tree",
     {{"k", "4"}},
     With(tight, {{"switch.balance", "drill"}, {"transport.recovery", "out-of-order"}}),
     {},
     false},
    {"conga",
     "dcqcn",
     "leaf-spine",
     leafSpine,
     With(tight, {{"switch.balance", "conga"}}),
     {},
     false,
     NO},
    {"a link fails",
     "dcqcn",
     "leaf-spine",
     leafSpine,
     With(tight, {{"transport.rto", "200us"}}),
     {},
     true},
    {"spray",
     "dctcp",
     "fat-tree",
     {{"k", "4"}},
     With(tight, {{"switch.balance", "spray"}, {"transport.recovery", "out-of-order"}}),
     {},
     false},
    {"delays differ",
     "timely",
     "leaf-spine",
     With(leafSpine, {{"host-delay", "237ns"}, {"uplink-delay", "2us"}}),
     tight,
     {},
     false},
    {"short links",
     "timely",
     "leaf-spine",
     With(leafSpine, {{"host-delay", "37ns"}}),
     tight,
     {},
     false},
    {"nodes with short links", "dcqcn", "multi", {{"dimensions", NODES RAILS}}, tight, {}, false},
    {"nodes with short links, a link fails",
     "hpcc",
     "multi",
     {{"dimensions", NODES RAILS}},
     With(tight, {{"transport.rto", "200us"}}),
     {},
     true},
    {"short rings, long rings and rails",
     "swift",
     "multi",
     {{"dimensions", "ring size=2 rate=400Gbps delay=80ns; ring size=3 rate=200Gbps delay=300ns; "
                     "switch size=2 rate=100Gbps delay=400ns"}},
     tight,
     {},
     false},
    {"routers with short and long links",
     "dcqcn",
     "multi",
     {{"dimensions", "dragonfly routers=2 terminals=2 global-links=1 host-rate=100Gbps "
                     "host-delay=50ns local-delay=250ns global-delay=500ns; "
                     "switch size=2 rate=100Gbps delay=400ns"}},
     tight,
     {},
     false},
    {"hosts forward",
     "none",
     "torus",
     {{"shape", "3x3"}},
     {{"pfc.allow-deadlock", "true"}},
     {},
     false,
     NO},
};

class Lazy : public testing::TestWithParam<Case>
{
};

// Four priorities' worth of messages, some at once, some later by timers; the same in both worlds.
void Load(World &w, uint64_t seed)
{
    weft_rng rng = weft_rng_stream(seed, "lazy-test", 0);
    const uint32_t n = w.fabric->nhosts;
    for (int i = 0; i < 60; i++) {
        const auto src = static_cast<uint32_t>(weft_rng_u64(&rng) % n);
        auto dst =
            i % 2 ? static_cast<uint32_t>((src + 1 + weft_rng_u64(&rng) % (n - 1)) % n) : n - 1;
        dst = dst == src ? (src + 1) % n : dst;
        const auto prio = static_cast<uint32_t>(3 + weft_rng_u64(&rng) % 2);
        const uint64_t bytes = 1 + weft_rng_u64(&rng) % 200000;
        w.At(
            i < 20 ? 0 : static_cast<int64_t>(weft_rng_u64(&rng) % (60 * WEFT_PS_PER_US)),
            [=, &w] { w.Send(src, dst, bytes, static_cast<uint64_t>(i), prio); },
            i % 5 ? weft_engine_plan : weft_engine_timer);
    }
}

} // namespace

TEST_P(Lazy, GivesWhatTransmissionEventsGive)
{
    const Case &c = GetParam();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        World windows(c.topology, c.topo, c.engine, c.cc, c.ccSettings, seed);
        World lazy(c.topology, c.topo, c.engine, c.cc, c.ccSettings, seed);
        World eager(c.topology, c.topo, c.engine, c.cc, c.ccSettings, seed);
        eager.config.hooks.queue = [](void *, int64_t, uint32_t, uint32_t, uint64_t) {};
        windows.config.hooks.pfc_late = 1;
        std::deque<World> crews;
        for (size_t k = seed - 1; k < std::size(threads); k += 3)
            crews.emplace_back(c.topology, c.topo, c.engine, c.cc, c.ccSettings, seed);
        std::vector<World *> all{&windows, &lazy, &eager};
        for (World &w : crews) {
            w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
            w.config.hooks.concurrency.passive = seed != 2;
            all.push_back(&w);
        }
        for (World *w : all) {
            w->Build();
            Load(*w, seed);
        }
        for (size_t k = 0; k < crews.size(); k++)
            Threads(crews[k], threads[seed - 1 + 3 * k], seed);
        weft_rng rng = weft_rng_stream(seed, "lazy-test", 1);
        int64_t limit = 0;
        for (int step = 0; weft_engine_next(eager.e) != WEFT_NEVER; step++) {
            limit += 1 + static_cast<int64_t>(weft_rng_u64(&rng) % (7 * WEFT_PS_PER_US));
            for (World *w : all) {
                weft_err err = {};
                ASSERT_EQ(weft_engine_run(w->e, limit), 0) << weft_engine_error(w->e)->msg;
                weft_engine_set_now(w->e, limit);
                weft_link_change changes[] = {
                    {w->fabric->nlinks - 1, step == 2 ? WEFT_LINK_DOWN : WEFT_LINK_UP, 0, 0, 0,
                     WEFT_LINK_BOTH, false},
                    {w->fabric->nlinks - 2, WEFT_LINK_RATE, 40'000'000'000, 0, 0, WEFT_LINK_FORWARD,
                     true},
                    {w->fabric->nlinks - 3, WEFT_LINK_BIT_ERRORS, 0, 1e-7, 0, WEFT_LINK_BOTH,
                     false},
                };
                if (c.fails && (step == 2 || step == 5)) {
                    ASSERT_EQ(weft_engine_change_links(w->e, changes, 3, &err), 0) << err.msg;
                }
                ASSERT_EQ(weft_engine_check(w->e, &err), 0) << err.msg;
            }
            Same(lazy, eager);
            Same(windows, eager);
            for (const World &w : crews)
                Same(w, eager);
            // a port of a link that failed may have left an entry for nothing
            EXPECT_TRUE(c.fails || weft_engine_next(windows.e) == weft_engine_next(lazy.e));
            if (HasFatalFailure())
                FAIL() << "at " << limit << " ps, seed " << seed;
        }
        EXPECT_EQ(weft_engine_next(lazy.e), WEFT_NEVER);
        EXPECT_EQ(weft_engine_next(windows.e), WEFT_NEVER);
        EXPECT_EQ(windows.Totals().windows > 0, c.windows == YES);
        EXPECT_EQ(lazy.Totals().windows, 0u);
        for (const World &w : crews) {
            struct weft_thread_figures done;
            weft_engine_thread_figures(w.e, &done);
            EXPECT_TRUE(c.windows == SHORT || (done.windows > 0) == (c.windows == YES));
        }
        EXPECT_EQ(lazy.received.size(), 60u);
        const bool switches = c.topology != std::string("torus"); // whose ports all belong to hosts
        EXPECT_LT(lazy.Totals().events, eager.Totals().events + !switches);
    }
}

// Arrivals from so far ahead that they were among the timers still come before the transmissions of
// their instant.
TEST(LazyPorts, ArrivalsFromFarAhead)
{
    const Settings slow = {{"leaves", "4"},
                           {"spines", "2"},
                           {"hosts-per-leaf", "4"},
                           {"host-rate", "301bps"},
                           {"uplink-rate", "1204bps"}};
    World windows("leaf-spine", slow, {{"transport.mtu", "1000B"}, {"transport.rto", "100s"}});
    World lazy("leaf-spine", slow, {{"transport.mtu", "1000B"}, {"transport.rto", "100s"}});
    World eager("leaf-spine", slow, {{"transport.mtu", "1000B"}, {"transport.rto", "100s"}});
    eager.config.hooks.queue = [](void *, int64_t, uint32_t, uint32_t, uint64_t) {};
    windows.config.hooks.pfc_late = 1;
    World *all[] = {&windows, &lazy, &eager};
    for (World *w : all) {
        w->Build();
        for (uint32_t h = 0; h < 16; h++)
            for (uint32_t k = 1; k < 4; k++)
                w->Send(h, (h + 4 * k) % 16, 2000, h);
    }
    for (int64_t limit = 0; weft_engine_next(eager.e) != WEFT_NEVER; limit += 13 * WEFT_PS_PER_S) {
        for (World *w : all)
            ASSERT_EQ(weft_engine_run(w->e, limit), 0) << weft_engine_error(w->e)->msg;
        Same(lazy, eager);
        Same(windows, eager);
        if (HasFatalFailure())
            FAIL() << "at " << limit << " ps";
    }
    EXPECT_EQ(lazy.received.size(), 48u);
}

// Events of switches may lie, and stay away, longer than the span of their keys.
TEST(Windows, SpanSilences)
{
    World windows("leaf-spine", leafSpine, tight), lazy("leaf-spine", leafSpine, tight);
    windows.config.hooks.pfc_late = 1;
    for (World *w : {&windows, &lazy}) {
        w->Build();
        weft_err err = {};
        for (int64_t t : {0.1, 0.6, 1.3, 9.0, 9.2}) {
            w->At(static_cast<int64_t>(t * WEFT_PS_PER_S), [w] {
                for (uint32_t src = 1; src < 16; src++)
                    w->Send(src, 0, 50000);
            });
        }
        ASSERT_EQ(weft_engine_run(w->e, 5 * WEFT_PS_PER_S), 0);
        weft_engine_set_now(w->e, 5 * WEFT_PS_PER_S);
        w->Send(3, 12, 123456);
        ASSERT_EQ(weft_engine_run(w->e, WEFT_NEVER), 0);
        ASSERT_EQ(weft_engine_check(w->e, &err), 0) << err.msg;
    }
    EXPECT_EQ(windows.received.size(), 76u);
    EXPECT_GT(windows.Totals().windows, 0u);
    EXPECT_EQ(weft_engine_now(windows.e), weft_engine_now(lazy.e));
    Same(windows, lazy);
}

// A hook that forbids windows may come while packets are everywhere; what was before it isn't told
// to it.
TEST(Windows, EndWhenSomebodyListens)
{
    World windows("leaf-spine", leafSpine, tight), lazy("leaf-spine", leafSpine, tight);
    windows.config.hooks.pfc_late = 1;
    static int64_t first;
    first = WEFT_NEVER;
    uint64_t before = 0;
    for (World *w : {&windows, &lazy}) {
        w->Build();
        for (uint32_t src = 1; src < 16; src++)
            w->Send(src, 0, 200000);
        ASSERT_EQ(weft_engine_run(w->e, 33'333'333), 0);
        weft_engine_set_now(w->e, 33'333'333);
        if (w == &windows) {
            before = w->Totals().windows;
            weft_engine_hooks hooks = w->config.hooks;
            hooks.queue = [](void *, int64_t t, uint32_t, uint32_t, uint64_t) {
                first = t < first ? t : first;
            };
            weft_engine_set_hooks(w->e, &hooks);
        }
        ASSERT_EQ(weft_engine_run(w->e, WEFT_NEVER), 0);
        weft_err err = {};
        ASSERT_EQ(weft_engine_check(w->e, &err), 0) << err.msg;
    }
    EXPECT_GT(before, 0u);
    EXPECT_EQ(windows.Totals().windows, before);
    EXPECT_GE(first, 33'333'333);
    EXPECT_LT(first, 40'000'000);
    EXPECT_FALSE(windows.pfc.empty());
    Same(windows, lazy);
}

// They may end while a switch is behind.
TEST(Windows, EndInTheMidstOfOne)
{
    World windows("leaf-spine", leafSpine, tight), lazy("leaf-spine", leafSpine, tight);
    windows.config.hooks.pfc_late = 1;
    for (World *w : {&windows, &lazy}) {
        w->config.hooks.received = [](void *c, const weft_completion *d) {
            auto *w = static_cast<World *>(c);
            w->received.push_back(*d);
            if (w->received.size() == 7)
                weft_engine_expect_steps(w->e);
        };
        w->Build();
        for (int i = 0; i < 5; i++)
            for (uint32_t src = 1; src < 16; src++)
                w->Send(src, src < 4 ? 15 : src % 3, 20000);
        ASSERT_EQ(weft_engine_run(w->e, WEFT_NEVER), 0);
        weft_err err = {};
        ASSERT_EQ(weft_engine_check(w->e, &err), 0) << err.msg;
    }
    EXPECT_GT(windows.Totals().windows, 0u);
    Same(windows, lazy);
}

// What a message's end shows of the switches is the state at its event, whichever way they run.
// Delays are ten times what a packet takes, so that hosts and switches have events of the same
// picosecond.
TEST(Windows, HooksSeeThePresent)
{
    const Settings even =
        With(leafSpine, {{"host-delay", "865600ps"}, {"uplink-delay", "865600ps"}});
    World windows("leaf-spine", even, tight), lazy("leaf-spine", even, tight);
    windows.config.hooks.pfc_late = 1;
    std::vector<uint64_t> seen[2];
    for (int k = 0; k < 2; k++) {
        World *w = k ? &lazy : &windows;
        w->user = &seen[k];
        w->config.hooks.received = [](void *c, const weft_completion *d) {
            auto *w = static_cast<World *>(c);
            auto *log = static_cast<std::vector<uint64_t> *>(w->user);
            log->push_back(static_cast<uint64_t>(d->received_ps));
            log->push_back(w->Totals().packet_hops);
            for (uint32_t port = 0; port < w->fabric->nports; port++)
                log->push_back(weft_engine_queue_bytes(w->e, port, 3));
        };
        w->Build();
        for (int i = 0; i < 40; i++) // equal sizes: many end at one picosecond
            for (uint32_t src = 0; src < 16; src++)
                w->Send(src, (src + 4) % 16, 8000);
        ASSERT_EQ(weft_engine_run(w->e, WEFT_NEVER), 0);
    }
    EXPECT_GT(windows.Totals().windows, 0u);
    EXPECT_GT(seen[0].size(), 640u * 10);
    EXPECT_TRUE(seen[0] == seen[1]);
}

// Threads take records from each other's pools, and switches from each other: a fabric with more
// switches than threads, with stamps, drops and pauses, and somebody who looks at the switches at
// odd moments.
TEST(Threads, GiveWhatOneGives)
{
    const Settings small = With(tight, {{"switch.reserve", "1KB"}});
    const struct {
        const char *cc;
        Settings engine;
    } runs[] = {
        {"hpcc", small},
        {"dcqcn", With(small, {{"pfc.enabled", "off"}, {"transport.rto", "300us"}})},
        {"none", small},
    };
    for (const auto &run : runs) {
        std::deque<World> worlds;
        for (unsigned n : {1u, 2u, 3u, 8u}) {
            worlds.emplace_back("fat-tree", Settings{{"k", "8"}}, run.engine, run.cc);
            World &w = worlds.back();
            w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
            w.config.hooks.concurrency.passive = n != 3;
            w.Build();
            if (n > 1)
                Threads(w, n, 7);
            for (uint32_t src = 0; src < 128; src++)
                for (uint32_t k = 1; k < 4; k++)
                    w.Send(src, k == 3 ? src % 5 + 1 + 8 * (src / 64) : (src * 37 + 31 * k) % 128,
                           60000 + 1000 * src);
            weft_err err = {};
            for (int64_t limit = 13'333'333; weft_engine_next(w.e) != WEFT_NEVER;
                 limit += 13'333'333) {
                ASSERT_EQ(weft_engine_run(w.e, limit), 0) << weft_engine_error(w.e)->msg;
                ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
            }
            Same(w, worlds.front());
            struct weft_thread_figures done;
            weft_engine_thread_figures(w.e, &done);
            EXPECT_EQ(done.threads, n);
            EXPECT_EQ(done.windows > 0, n > 1);
            EXPECT_EQ(done.events > 100000, n > 1);
            if (HasFatalFailure())
                FAIL() << run.cc << ", " << n << " threads";
        }
        EXPECT_EQ(worlds.front().received.size(), 384u);
    }
}

// Hosts that answer what they are sent, at once or a little later, each answer with the number that
// it has in the order of all.
TEST(Threads, HostsThatAnswer)
{
    const struct {
        const char *recovery, *balance, *cc;
    } runs[] = {{"go-back-n", "flow", "dcqcn"},       {"go-back-0", "flow", "dcqcn"},
                {"selective-repeat", "flow", "hpcc"}, {"out-of-order", "spray", "dctcp"},
                {"rud", "entropy", "nscc"},           {"selective-repeat", "flow", "swift"}};
    for (const auto &[recovery, balance, cc] : runs) {
        std::deque<World> worlds;
        for (unsigned n : {1u, 2u, 3u, 5u, 8u}) {
            worlds.emplace_back("fat-tree", Settings{{"k", "4"}},
                                With(tight, {{"transport.recovery", recovery},
                                             {"switch.balance", balance},
                                             {"pfc.enabled", "off"},
                                             {"transport.rto", "100us"}}),
                                cc);
            World &w = worlds.back();
            w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
            w.late = [](const weft_msg &m) { return m.bytes % 3 != 0; };
            w.Answer();
            w.Build();
            if (n > 1)
                Threads(w, n, 11);
            w.Ask();
            weft_err err = {};
            for (int64_t limit = 7'777'777; weft_engine_next(w.e) != WEFT_NEVER; limit += 7'777'777)
                ASSERT_EQ(weft_engine_run(w.e, limit), 0) << weft_engine_error(w.e)->msg;
            ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
            Same(w, worlds.front());
            if (HasFatalFailure())
                FAIL() << recovery << ", " << n << " threads";
            struct weft_thread_figures done;
            weft_engine_thread_figures(w.e, &done);
            EXPECT_EQ(done.windows > 100, n > 1);
            EXPECT_EQ(done.dealt > 10, n > 1) << "hosts have changed threads at random";
        }
        EXPECT_EQ(worlds.front().received.size(), 16u + 48 * 21);
    }
}

// Hosts that have been told of a message go on in the next window where nothing else can be told of
// in this one, and nobody answers later; who has nothing to do when a message is acknowledged is
// told of that later.
TEST(Threads, HostsGoOnTogether)
{
    const std::function<bool(const weft_msg &)> late[] = {
        [](const weft_msg &) { return true; }, [](const weft_msg &m) { return m.bytes % 3 != 0; },
        nullptr};
    const struct {
        const char *k, *cc, *recovery;
        uint32_t bytes;
    } runs[] = {{"8", "dcqcn", "go-back-n", 50000},
                {"8", "hpcc", "selective-repeat", 20000},
                {"4", "none", "go-back-n", 9000},
                {"4", "dcqcn", "go-back-n", 150000}};
    uint64_t ahead[std::size(late)] = {}, held[std::size(late)] = {};
    for (const auto &run : runs)
        for (size_t l = 0; l < std::size(late); l++) {
            std::deque<World> worlds;
            for (unsigned n : {1u, 2u, 3u, 4u, 8u, 0u}) { // 0: another number each turn
                worlds.emplace_back(
                    "fat-tree", Settings{{"k", run.k}},
                    With(tight, {{"transport.recovery", run.recovery}, {"switch.reserve", "1KB"}}),
                    run.cc);
                World &w = worlds.back();
                w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
                w.late = late[l];
                w.Answer(false);
                w.Build();
                weft_err err = {};
                ASSERT_EQ(weft_engine_set_threads(w.e, n, n % 3 ? 0 : 9, &err), 0) << err.msg;
                for (uint32_t src = 0; src < w.fabric->nhosts; src++)
                    w.Send(src, (src + 1) % w.fabric->nhosts, run.bytes + 31 * src, 12);
                for (int64_t limit = 7'777'777; weft_engine_next(w.e) != WEFT_NEVER;
                     limit += 7'777'777)
                    ASSERT_EQ(weft_engine_run(w.e, limit), 0) << weft_engine_error(w.e)->msg;
                ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
                Same(w, worlds.front());
                if (HasFatalFailure())
                    FAIL() << run.cc << ", k=" << run.k << ", " << n << " threads, " << l;
                struct weft_thread_figures done;
                weft_engine_thread_figures(w.e, &done);
                ahead[l] += done.ahead;
                held[l] += done.held;
            }
            EXPECT_EQ(worlds.front().received.size(), worlds.front().fabric->nhosts * 13u);
        }
    EXPECT_GT(ahead[0], held[0] / 10);
    EXPECT_GT(ahead[1], held[1] / 100);
    EXPECT_LT(held[0], held[2]) << "also for what is acknowledged";
}

// A host takes in by itself, in its thread, what nothing follows from, and in the order in which it
// comes.
TEST(Threads, HostsAbsorb)
{
    struct Sink {
        World *world;
        std::vector<weft_completion> of[8];
    };
    for (const char *cc : {"dcqcn", "swift"}) {
        std::deque<World> worlds;
        for (unsigned n : {1u, 2u, 3u, 8u, 0u}) {
            worlds.emplace_back("fat-tree", Settings{{"k", "4"}},
                                With(tight, {{"pfc.enabled", "off"}, {"transport.rto", "100us"}}),
                                cc);
            World &w = worlds.back();
            Sink sink = {&w, {}};
            w.user = &sink;
            w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
            w.late = [](const weft_msg &m) { return m.bytes % 2 != 0; };
            w.Answer(false);
            w.config.hooks.concurrency.runs_in_worker = [](void *, unsigned, const weft_msg *m,
                                                           weft_follows *) {
                return m->tag == 0; // as Answer() does nothing
            };
            w.config.hooks.concurrency.run_in_worker = [](void *c, unsigned thread,
                                                          const weft_completion *d) {
                static_cast<Sink *>(static_cast<World *>(c)->user)->of[thread].push_back(*d);
            };
            w.Build();
            weft_err err = {};
            ASSERT_EQ(weft_engine_set_threads(w.e, n, n % 3 ? 0 : 7, &err), 0) << err.msg;
            w.Ask();
            for (uint32_t src = 0; src < 16; src++)
                for (uint32_t k = 1; k < 16; k++)
                    w.Send(src, (src + k) % 16, 1 + 977 * k * src);
            for (int64_t limit = 7'777'777; weft_engine_next(w.e) != WEFT_NEVER; limit += 7'777'777)
                ASSERT_EQ(weft_engine_run(w.e, limit), 0) << weft_engine_error(w.e)->msg;
            ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
            size_t absorbed = 0;
            for (const auto &list : sink.of) {
                int64_t last[16] = {};
                for (const weft_completion &d : list) {
                    EXPECT_GE(d.received_ps, last[d.msg.dst]);
                    last[d.msg.dst] = d.received_ps;
                }
                w.received.insert(w.received.end(), list.begin(), list.end());
                absorbed += list.size();
            }
            EXPECT_EQ(absorbed > 100, n != 1);
            std::sort(
                w.received.begin(), w.received.end(),
                [](const weft_completion &a, const weft_completion &b) { return a.id < b.id; });
            Same(w, worlds.front());
            if (HasFatalFailure())
                FAIL() << cc << ", " << n << " threads";
        }
    }
}

// What a host posts when it has been told of a message, on QPs that are open, it posts in its
// thread; messages get the numbers that they have with one.
TEST(Threads, HostsPostThere)
{
    struct Sink {
        World *world;
        std::vector<weft_completion> of[8];
        static bool Foreseen(const weft_msg &m)
        {
            return m.tag % 7 != 3;
        }
        std::vector<weft_msg> Next(const weft_msg &m) const
        {
            const uint32_t n = world->fabric->nhosts, k = m.tag == 20 ? 2 : m.tag > 0;
            std::vector<weft_msg> next;
            for (uint32_t i = 0; i < k; i++) {
                weft_msg &x = next.emplace_back();
                x.src = m.dst;
                x.dst = (m.dst + 1 + (m.src + i) % 3) % n;
                x.bytes = m.bytes + 13 * i;
                x.tag = m.tag - 1;
                x.prio = UINT32_MAX;
            }
            return next;
        }
        void Post(const weft_msg &m) const
        {
            for (const weft_msg &x : Next(m))
                world->Send(x.src, x.dst, x.bytes, x.tag);
        }
    };
    const Settings ways[] = {tight,
                             With(tight, {{"pfc.enabled", "off"}, {"transport.rto", "100us"}}),
                             With(tight, {{"transport.recovery", "selective-repeat"},
                                          {"pfc.enabled", "off"},
                                          {"transport.rto", "100us"}})};
    for (const Settings &way : ways)
        for (const char *cc : {"dcqcn", "hpcc"})
            for (const bool replays : {false, weft_engine_can_replay()}) {
                std::deque<World> worlds;
                for (unsigned n : {1u, 2u, 3u, 8u, 0u}) {
                    worlds.emplace_back("fat-tree", Settings{{"k", "4"}}, way, cc);
                    World &w = worlds.back();
                    Sink sink = {&w, {}};
                    w.user = &sink;
                    w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
                    w.late = [](const weft_msg &m) { return m.tag % 2 == 0; };
                    w.config.hooks.received = [](void *c, const weft_completion *d) {
                        auto *world = static_cast<World *>(c);
                        world->received.push_back(*d);
                        static_cast<Sink *>(world->user)->Post(d->msg);
                    };
                    w.config.hooks.concurrency.runs_in_worker =
                        [](void *c, unsigned, const weft_msg *m, weft_follows *follows) {
                            for (const weft_msg &x :
                                 static_cast<Sink *>(static_cast<World *>(c)->user)->Next(*m))
                                follows->msg[follows->n++] = x;
                            return Sink::Foreseen(*m);
                        };
                    w.config.hooks.concurrency.run_in_worker = [](void *c, unsigned thread,
                                                                  const weft_completion *d) {
                        auto *s = static_cast<Sink *>(static_cast<World *>(c)->user);
                        s->of[thread].push_back(*d);
                        EXPECT_EQ(weft_engine_now(s->world->e), d->received_ps);
                        s->Post(d->msg);
                    };
                    w.Build();
                    weft_err err = {};
                    if (replays) {
                        ASSERT_EQ(
                            weft_engine_set_replay(w.e, WEFT_REPLAYING_EAGERLY, 1 << 26, &err), 0);
                    }
                    ASSERT_EQ(weft_engine_set_threads(w.e, n, n % 3 ? 0 : 5, &err), 0) << err.msg;
                    for (uint32_t src = 0; src < 16; src++) {
                        w.Send(src, (src + 1) % 16, 4000, 25);
                        w.Send(src, (src + 2) % 16, 700 + 100 * src, 30);
                    }
                    for (int64_t limit = 7'777'777; weft_engine_next(w.e) != WEFT_NEVER;
                         limit += 7'777'777)
                        ASSERT_EQ(weft_engine_run(w.e, limit), 0) << weft_engine_error(w.e)->msg;
                    ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
                    std::map<std::pair<uint32_t, uint64_t>, uint64_t> ids;
                    for (const weft_completion &d : w.acked)
                        ids[{d.qpn, d.first_psn}] = d.id;
                    size_t absorbed = 0;
                    for (auto &list : sink.of) {
                        for (weft_completion &d : list) // it may have had no number then
                            d.id = ids[{d.qpn, d.first_psn}];
                        w.received.insert(w.received.end(), list.begin(), list.end());
                        absorbed += list.size();
                    }
                    EXPECT_EQ(absorbed > (replays ? 20u : 100u), n != 1) << absorbed;
                    std::sort(w.received.begin(), w.received.end(),
                              [](const weft_completion &a, const weft_completion &b) {
                                  return a.id < b.id;
                              });
                    Same(w, worlds.front());
                    if (HasFatalFailure())
                        FAIL() << cc << ", " << n << " threads" << (replays ? ", replay" : "");
                }
                EXPECT_EQ(worlds.front().received.size(), 16u * (6 + 40 + 11 + 40));
            }
}

// Where half of the hosts are idle the others are dealt to the threads anew, with what is to happen
// at them; where all have as much to do nobody moves.
TEST(Threads, NodesAreDealtByTheirLoad)
{
    for (uint32_t busy : {16u, 8u}) {
        std::deque<World> worlds;
        for (unsigned n : {1u, 2u}) {
            worlds.emplace_back("fat-tree", Settings{{"k", "4"}}, tight, "dcqcn");
            World &w = worlds.back();
            weft_err err = {};
            w.config.hooks.pfc_late = w.config.hooks.concurrency.local =
                w.config.hooks.concurrency.passive = 1;
            w.Build();
            ASSERT_EQ(weft_engine_set_threads(w.e, n, 0, &err), 0) << err.msg;
            for (uint32_t src = 0; src < busy; src++)
                w.Send(src, (src + busy / 2) % busy, 36'000'000 / busy);
            ASSERT_EQ(weft_engine_run(w.e, WEFT_NEVER), 0) << weft_engine_error(w.e)->msg;
            ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
            Same(w, worlds.front());
            struct weft_thread_figures done;
            weft_engine_thread_figures(w.e, &done);
            EXPECT_EQ(done.dealt > 0, n > 1 && busy < 16) << busy << " hosts";
            if (n > 1) { // of the busiest thread, by whose nodes are
                EXPECT_LT(static_cast<double>(done.projected[0].critical_events),
                          0.7 * static_cast<double>(done.counted_events))
                    << busy << " hosts";
            }
        }
        EXPECT_EQ(worlds.front().received.size(), busy);
    }
}

// What an answer posts from another host can't be played: it is said, not played wrongly.
TEST(Threads, ALocalUserPostsFromTheHostItIsToldAbout)
{
    World w("fat-tree", Settings{{"k", "4"}}, tight, "none");
    static std::string said;
    said.clear();
    w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
    w.config.hooks.received = [](void *c, const weft_completion *d) {
        weft_err err = {};
        const weft_msg from_elsewhere = {
            .src = d->msg.src, .dst = d->msg.dst, .bytes = 1, .prio = 3};
        if (weft_engine_send(static_cast<World *>(c)->e, &from_elsewhere, nullptr, &err))
            said = err.msg;
    };
    w.Build();
    Threads(w, 2, 5);
    for (uint32_t src = 0; src < 16; src++)
        w.Send(src, 15 - src, 5000 + 400000 * (src % 4));
    ASSERT_EQ(weft_engine_run(w.e, WEFT_PS_PER_MS), 0);
    EXPECT_NE(said.find("has been run beyond the moment"), std::string::npos) << said;
}

// Messages wait for the threads that post them until somebody looks.
TEST(Threads, WhatWasPostedIsThereWhenSomebodyLooks)
{
    std::deque<World> worlds;
    for (unsigned n : {1u, 3u}) {
        worlds.emplace_back("fat-tree", Settings{{"k", "4"}}, tight, "dcqcn");
        World &w = worlds.back();
        w.config.hooks.pfc_late = w.config.hooks.concurrency.local = 1;
        w.Build();
        if (n > 1)
            Threads(w, n, 7);
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t src = 0; src < 16; src++)
                w.Send(src, 15 - src, 20000 + src);
        World &one = worlds.front();
        EXPECT_EQ(weft_engine_soonest(w.e) == 0, n > 1) << "they wait";
        EXPECT_EQ(weft_engine_next(w.e), weft_engine_next(one.e));
        EXPECT_GT(weft_engine_soonest(w.e), 0) << "they have been posted";
        EXPECT_EQ(weft_engine_qps(w.e), 16u);
        for (uint32_t qpn = WEFT_FIRST_QPN; qpn < WEFT_FIRST_QPN + 16; qpn++) {
            weft_qp_state now, alone;
            ASSERT_TRUE(weft_engine_qp_state(w.e, qpn, &now));
            ASSERT_TRUE(weft_engine_qp_state(one.e, qpn, &alone));
            EXPECT_EQ(now.src, alone.src);
            EXPECT_GT(now.in_flight_bytes, 0u);
            EXPECT_EQ(now.in_flight_bytes, alone.in_flight_bytes);
            EXPECT_EQ(now.rate_bps, alone.rate_bps);
        }
    }
}

// Where nobody says how many there are, other numbers are tried: nothing follows from that.
TEST(Threads, AsManyAsMakeItFastest)
{
    std::deque<World> worlds;
    for (unsigned n : {1u, 0u}) {
        worlds.emplace_back("fat-tree", Settings{{"k", "8"}},
                            With(tight, {{"switch.reserve", "1KB"}}), "dcqcn");
        World &w = worlds.back();
        w.config.hooks.pfc_late = w.config.hooks.concurrency.local =
            w.config.hooks.concurrency.passive = 1;
        w.Build();
        weft_err err = {};
        ASSERT_EQ(weft_engine_set_threads(w.e, n, 0, &err), 0) << err.msg;
        for (uint32_t src = 0; src < 128; src++)
            w.Send(src, (src + 5) % 128, 600'000 + src);
        for (int64_t limit = 2'000'000; weft_engine_next(w.e) != WEFT_NEVER; limit += 2'000'000)
            ASSERT_EQ(weft_engine_run(w.e, limit), 0) << weft_engine_error(w.e)->msg;
        ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
        Same(w, worlds.front());
        EXPECT_GT(w.Totals().events, 20 * 20'000u) << "enough to try something";
        struct weft_thread_figures done;
        weft_engine_thread_figures(w.e, &done);
        EXPECT_GE(done.threads, 1u);
        EXPECT_EQ(done.windows > 0, n == 0 && weft_processors() > 1);
    }
}

// A fabric of one switch, which one thread runs, has nothing to choose.
TEST(Threads, OneSwitch)
{
    World w("single-switch", {{"hosts", "64"}});
    w.Build();
    weft_err err = {};
    ASSERT_EQ(weft_engine_set_threads(w.e, 0, 0, &err), 0) << err.msg;
    for (uint32_t src = 0; src < 64; src++)
        w.Send(src, (src + 5) % 64, 20'000'000);
    for (int64_t limit = 2'000'000; weft_engine_next(w.e) != WEFT_NEVER; limit += 2'000'000)
        ASSERT_EQ(weft_engine_run(w.e, limit), 0) << weft_engine_error(w.e)->msg;
    EXPECT_GT(w.Totals().events, 60 * 20'000u) << "enough to try something";
    struct weft_thread_figures done;
    weft_engine_thread_figures(w.e, &done);
    EXPECT_EQ(done.threads, 1u);
}

// Too many are refused; one per processor is a choice.
TEST(Threads, Number)
{
    World w("leaf-spine", leafSpine, tight);
    w.Build();
    weft_err err = {};
    EXPECT_EQ(weft_engine_set_threads(w.e, 1000, 0, &err), WEFT_E_INPUT);
    EXPECT_STREQ(err.msg, "1000 threads: at most 255");
    EXPECT_EQ(weft_engine_set_threads(w.e, 0, 0, &err), 0) << err.msg;
    struct weft_thread_figures done;
    weft_engine_thread_figures(w.e, &done);
    EXPECT_GE(done.threads, 1u);
    EXPECT_EQ(weft_engine_set_threads(w.e, 1, 0, &err), 0) << err.msg;
    weft_engine_thread_figures(w.e, &done);
    EXPECT_EQ(done.threads, 1u);
}

INSTANTIATE_TEST_SUITE_P(Cases, Lazy, testing::ValuesIn(cases));
