// SPDX-License-Identifier: GPL-2.0-only
// Switches that are kept out of windows, as something has to know of them at once, beside others
// that run in windows: sums, and hooks that see the packets of a link.
#include "same.h"

#include "base/rng.h"

#include <deque>

namespace
{

const Settings slow = With(leafSpine, {{"host-rate", "100Gbps"}});

// The same simulation in windows, in one queue, with each transmission an event, and by threads.
template <typename Prepare, typename Begin> void SideBySide(Prepare prepare, Begin begin)
{
    std::deque<World> worlds;
    for (const unsigned n : {1u, 0u, 0u, 2u, 3u, 5u, 8u}) {
        World &w = worlds.emplace_back("leaf-spine", slow, tight, "dcqcn");
        w.config.hooks.pfc_late = n > 0;
        w.config.hooks.concurrency.local = n > 1;
        if (worlds.size() == 3)
            w.config.hooks.queue = [](void *, int64_t, uint32_t, uint32_t, uint64_t) {};
        prepare(w);
        w.Build();
        if (n > 1)
            Threads(w, n, 3);
        begin(w);
    }
    World &eager = worlds[2];
    weft_err err = {};
    for (int64_t limit = 0; weft_engine_next(eager.e) != WEFT_NEVER;) {
        limit += 3'333'333;
        for (World &w : worlds) {
            ASSERT_EQ(weft_engine_run(w.e, limit), 0) << weft_engine_error(w.e)->msg;
            weft_engine_set_now(w.e, limit);
            ASSERT_EQ(weft_engine_check(w.e, &err), 0) << err.msg;
        }
        for (const World &w : worlds) {
            Same(w, eager);
            if (testing::Test::HasFatalFailure())
                FAIL() << "world " << &w - &worlds.front() << " at " << limit << " ps";
        }
    }
    EXPECT_GT(worlds[0].Totals().windows, 0u);
    EXPECT_EQ(worlds[1].Totals().windows, 0u);
    for (size_t i = 3; i < worlds.size(); i++) {
        struct weft_thread_figures done;
        weft_engine_thread_figures(worlds[i].e, &done);
        EXPECT_GT(done.windows, 0u);
    }
    EXPECT_FALSE(eager.pfc.empty());
}

void Everywhere(World &w, uint32_t from)
{
    weft_rng rng = weft_rng_stream(5, "windows-test", 0);
    for (int i = 0; i < 60; i++) {
        const uint32_t src = from + static_cast<uint32_t>(weft_rng_u64(&rng) % (16 - from));
        const uint32_t dst = i % 3 ? static_cast<uint32_t>(weft_rng_u64(&rng) % 16) : 15;
        w.Send(src, dst == src ? (src + 1) % 16 : dst, 1 + weft_rng_u64(&rng) % 100000);
    }
}

} // namespace

// One leaf adds up what its four hosts send, again and again; packets of others cross it and the
// rest of the fabric.
TEST(WindowsBeside, SumsInOneSwitch)
{
    for (const char *latency : {"0ns", "150ns"})
        SideBySide(
            [&](World &w) {
                weft_err err = {};
                ASSERT_EQ(weft_parse_time_ps(latency, &w.config.params.in_network.latency_ps, &err),
                          0);
            },
            [](World &w) {
                const uint32_t hosts[] = {0, 1, 2, 3};
                uint32_t group = 0;
                weft_err err = {};
                ASSERT_EQ(weft_engine_group(w.e, hosts, 4, 3, &group, &err), 0) << err.msg;
                for (uint64_t tag = 0; tag < 5; tag++)
                    for (uint32_t member = 0; member < 4; member++) {
                        const weft_part p = {group, member, 30000, tag, 0, UINT32_MAX, UINT32_MAX};
                        ASSERT_EQ(weft_engine_contribute(w.e, &p, &err), 0) << err.msg;
                    }
                Everywhere(w, 0);
            });
}

// The packets of one link are told, in the same order and with the same contents, whoever runs the
// switches; a second link is added in the midst of the run.
TEST(WindowsBeside, PacketsOfALink)
{
    struct Log {
        std::vector<uint8_t> events;
        std::vector<std::tuple<int64_t, uint32_t, int, int, uint64_t, uint32_t, int>> told;
    };
    std::deque<Log> logs;
    const auto watch = [](World &w, uint32_t link) {
        Log &log = *static_cast<Log *>(w.user);
        log.events.resize(w.fabric->nports);
        for (uint32_t i = 0; i < w.fabric->nports; i++)
            if (w.fabric->ports[i].link == link)
                log.events[i] = 1 << WEFT_PKT_SENT | 1 << WEFT_PKT_ARRIVED | 1 << WEFT_PKT_QUEUED;
        w.config.hooks.packet_events = log.events.data();
    };
    SideBySide(
        [&](World &w) {
            w.user = &logs.emplace_back();
            w.config.hooks.packet = [](void *c, int64_t t, uint32_t port, weft_pkt_event what,
                                       const weft_engine_pkt_view *v) {
                static_cast<Log *>(static_cast<World *>(c)->user)
                    ->told.emplace_back(t, port, what, v->kind, v->psn, v->src_host, v->ce);
            };
            watch(w, 0); /* a host's */
        },
        [&](World &w) {
            w.At(20 * WEFT_PS_PER_US, [&w] {
                Log *log = static_cast<Log *>(w.user);
                for (uint32_t i = 0; i < w.fabric->nports; i++)
                    if (w.fabric->ports[i].link == w.fabric->nlinks - 1)
                        log->events[i] = 1 << WEFT_PKT_QUEUED | 1 << WEFT_PKT_SENT;
                weft_engine_set_hooks(w.e, &w.config.hooks);
            });
            Everywhere(w, 0);
        });
    EXPECT_GT(logs.front().told.size(), 200u);
    for (const Log &log : logs)
        EXPECT_TRUE(log.told == logs.front().told) << &log - &logs.front();
}

// RoCE in priority 3, paused, and Ultra Ethernet in priority 2, trimmed.
TEST(WindowsBeside, TwoTransportsByClass)
{
    SideBySide(
        [](World &w) {
            w.config.params.uet.prios = 4;
            w.config.params.uet.t.rto_ps = 200 * WEFT_PS_PER_US;
            w.config.params.sw.trim_prios = 4;
            w.config.params.sw.egress_limit_map = "2:40KB";
            w.config.params.ecn.prio_map = "2:8KB:32KB:1";
        },
        [](World &w) {
            weft_rng rng = weft_rng_stream(6, "windows-test", 0);
            for (uint64_t i = 0; i < 120; i++) {
                const uint32_t src = static_cast<uint32_t>(weft_rng_u64(&rng) % 15);
                const uint32_t dst =
                    i % 4 < 2 ? static_cast<uint32_t>(weft_rng_u64(&rng) % 15) : 15;
                w.Send(src, dst == src ? (src + 1) % 15 : dst, 1 + weft_rng_u64(&rng) % 100000, i,
                       i % 2 ? 2 : 3);
            }
        });
}

// In windows, in one queue, with each transmission an event, and by threads: the same.
TEST(WindowsBeside, WarningsOfBolt)
{
    for (const char *ack_prio : {"3", "6"}) {
        std::deque<World> worlds;
        for (const unsigned n : {1u, 0u, 0u, 2u, 3u, 5u}) {
            World &w = worlds.emplace_back("leaf-spine", slow,
                                           With(tight, {{"transport.ack-prio", ack_prio}}), "bolt");
            w.config.hooks.pfc_late = n > 0;
            w.config.hooks.concurrency.local = n > 1;
            if (worlds.size() == 3)
                w.config.hooks.queue = [](void *, int64_t, uint32_t, uint32_t, uint64_t) {};
            w.Build();
            if (n > 1)
                Threads(w, n, 3);
            Everywhere(w, 0);
            w.Run();
        }
        EXPECT_GT(worlds[0].Totals().windows, 0u);
        EXPECT_EQ(worlds[1].Totals().windows, 0u);
        EXPECT_GT(worlds[0].Totals().sent[WEFT_PKT_WARNING], 100u);
        for (const World &w : worlds)
            Same(w, worlds[2]);
    }
}
