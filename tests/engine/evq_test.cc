// SPDX-License-Identifier: GPL-2.0-only
// The event queue against std::set as oracle.
#include "ns3-module/engine/core/fastq.h"

#include "base/rng.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

TEST(EventQueue, ServesByTimeThenId)
{
    evq q = {};
    EXPECT_TRUE(evq_push(&q, 5, EV_ID(EV_TX, 1)));
    EXPECT_TRUE(evq_push(&q, 5, EV_ID(EV_ARRIVE, 9)));
    EXPECT_TRUE(evq_push(&q, 4, EV_ID(EV_TIMER, 0)));
    EXPECT_EQ(q.h[0].t, 4);
    evq_pop(&q);
    EXPECT_EQ(q.h[0].id, EV_ID(EV_ARRIVE, 9)); // arrivals before transmissions of the same instant
    evq_pop(&q);
    EXPECT_EQ(q.h[0].id, EV_ID(EV_TX, 1));
    evq_free(&q);
}

TEST(EventQueue, MatchesAnOrderedSetUnderRandomUse)
{
    evq q = {};
    std::multiset<std::pair<int64_t, uint64_t>> oracle;
    weft_rng r = weft_rng_stream(1, "evq", 0);
    for (int step = 0; step < 200000; step++) {
        uint64_t what = weft_rng_below(&r, 100);
        int64_t t = static_cast<int64_t>(weft_rng_below(&r, 1000));
        uint64_t id = weft_rng_below(&r, 50);
        if (oracle.empty() || what < 45) {
            ASSERT_TRUE(evq_push(&q, t, id));
            oracle.emplace(t, id);
        } else {
            ASSERT_EQ(oracle.begin()->first, q.h[0].t);
            ASSERT_EQ(oracle.begin()->second, q.h[0].id);
            oracle.erase(oracle.begin());
            if (what < 75) {
                evq_pop(&q);
            } else {
                t += q.h[0].t; // later than the top, as a link's next arrival is
                evq_replace_top(&q, t, id);
                oracle.emplace(t, id);
            }
        }
        ASSERT_EQ(q.n, oracle.size());
    }
    evq_free(&q);
}

// Pushes and pops at random against an ordered set. Each (kind, port) is in the queue at most once,
// as the engine has it, except where a push replaces an entry: then both may be served.
static void AgainstOracle(const char *name, uint32_t ports, int64_t ahead_ps, int percent_push,
                          int steps, bool heap_only)
{
    SCOPED_TRACE(name);
    fastq q;
    ASSERT_TRUE(fastq_init(&q, ports));
    q.heap_only = heap_only;
    std::set<std::pair<int64_t, uint64_t>> oracle;
    std::map<uint64_t, int64_t> where;
    weft_rng r = weft_rng_stream(1, name, 0);
    int64_t now = 0, first_base = q.base;
    size_t replaced = 0, stale = 0;
    for (int step = 0; step < steps; step++) {
        if (oracle.empty() || weft_rng_below(&r, 100) < static_cast<uint64_t>(percent_push)) {
            int64_t t =
                now + static_cast<int64_t>(weft_rng_below(&r, static_cast<uint64_t>(ahead_ps)));
            ev_kind kind = weft_rng_below(&r, 2) ? EV_TX : EV_ARRIVE;
            uint32_t port = static_cast<uint32_t>(weft_rng_below(&r, ports));
            uint64_t id = EV_ID(kind, port);
            auto old = where.find(id);
            if (old != where.end()) {
                oracle.erase({old->second, id});
                replaced++;
            }
            ASSERT_TRUE(fastq_push(&q, now, t, kind, port));
            oracle.emplace(t, id);
            where[id] = t;
            continue;
        }
        uint64_t key = fastq_first(&q, now);
        ASSERT_NE(FASTQ_NO_KEY, key);
        int64_t t = fastq_time(&q, key);
        uint64_t id = EV_ID(fastq_kind(key), fastq_port(key));
        fastq_pop(&q, key);
        ASSERT_GE(t, now);
        ASSERT_LE(t, oracle.begin()->first);
        auto it = where.find(id);
        if (it == where.end() || it->second != t) {
            stale++; // replaced by a later push
            continue;
        }
        ASSERT_EQ(oracle.begin()->first, t);
        ASSERT_EQ(oracle.begin()->second, id);
        oracle.erase(oracle.begin());
        where.erase(it);
        now = t;
    }
    while (!oracle.empty()) {
        uint64_t key = fastq_first(&q, now);
        ASSERT_NE(FASTQ_NO_KEY, key);
        uint64_t id = EV_ID(fastq_kind(key), fastq_port(key));
        int64_t t = fastq_time(&q, key);
        fastq_pop(&q, key);
        if (where.count(id) && where[id] == t) {
            ASSERT_EQ(oracle.begin()->first, t);
            ASSERT_EQ(oracle.begin()->second, id);
            oracle.erase(oracle.begin());
            where.erase(id);
        } else
            stale++;
    }
    while (fastq_len(&q)) {
        fastq_pop(&q, fastq_first(&q, now));
        stale++;
    }
    EXPECT_LE(stale, replaced);
    EXPECT_FALSE(q.failed);
    if (ahead_ps * steps / ports / 4 > FASTQ_SPAN) {
        EXPECT_GT(q.base, first_base);
    }
    fastq_free(&q);
}

TEST(FastQueue, ServesByTimeThenKindThenPort)
{
    AgainstOracle("few", 10, 2000000, 50, 100000, false);
    AgainstOracle("fabric", 3000, 1200000, 52, 400000, false);
    AgainstOracle("dense", 3000, 3000, 55, 200000, false);
    AgainstOracle("same-instants", 3000, 3, 55, 200000, false);
    AgainstOracle("slow-links", 3000, INT64_C(5000000000), 55, 200000, false);
    AgainstOracle("heap", 3000, 1200000, 52, 200000, true);
    AgainstOracle("far-and-rebased", 200, INT64_C(700000000000), 50, 200000, false);
    AgainstOracle("far-and-rebased-heap", 20, INT64_C(700000000000), 50, 100000, true);
}

TEST(FastQueue, RefusesWhatLiesBeyondItsWindow)
{
    fastq q;
    ASSERT_TRUE(fastq_init(&q, 4));
    EXPECT_FALSE(fastq_push(&q, 5, 5 + FASTQ_SPAN, EV_TX, 1));
    EXPECT_TRUE(fastq_push(&q, FASTQ_SPAN, FASTQ_SPAN + 5, EV_TX, 1)); // the window has moved
    EXPECT_EQ(FASTQ_SPAN + 5, fastq_time(&q, fastq_first(&q, FASTQ_SPAN)));
    fastq_free(&q);
}

// A port that is armed earlier than before must not lose the new entry to the old one, whichever
// part of the queue the two are in.
TEST(FastQueue, EarlierEntryOfThePortReplacesTheLaterOne)
{
    for (int64_t later : {INT64_C(20000), INT64_C(3000000), INT64_C(900000000)}) {
        fastq q;
        ASSERT_TRUE(fastq_init(&q, 100));
        for (uint32_t port = 1; port < 100; port++) // opens the calendar
            ASSERT_TRUE(fastq_push(&q, 0, 1000 + port, EV_ARRIVE, port));
        ASSERT_TRUE(fastq_push(&q, 0, later, EV_TX, 0));
        ASSERT_TRUE(fastq_push(&q, 0, 10000, EV_TX, 0));
        for (uint32_t port = 1; port < 100; port++)
            fastq_pop(&q, fastq_first(&q, 0));
        uint64_t key = fastq_first(&q, 1100);
        EXPECT_EQ(10000, fastq_time(&q, key));
        EXPECT_EQ(EV_TX, fastq_kind(key));
        fastq_free(&q);
    }
}
