// SPDX-License-Identifier: GPL-2.0-only
// The event queue against std::set as oracle.
#include "ns3-module/engine/fastq.h"

#include "base/rng.h"

#include <gtest/gtest.h>

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
    for (int step = 0; step < 200000; step++)
    {
        uint64_t what = weft_rng_below(&r, 100);
        int64_t t = static_cast<int64_t>(weft_rng_below(&r, 1000));
        uint64_t id = weft_rng_below(&r, 50);
        if (oracle.empty() || what < 45)
        {
            ASSERT_TRUE(evq_push(&q, t, id));
            oracle.emplace(t, id);
        }
        else
        {
            ASSERT_EQ(oracle.begin()->first, q.h[0].t);
            ASSERT_EQ(oracle.begin()->second, q.h[0].id);
            oracle.erase(oracle.begin());
            if (what < 75)
            {
                evq_pop(&q);
            }
            else
            {
                t += q.h[0].t; // later than the top, as a link's next arrival is
                evq_replace_top(&q, t, id);
                oracle.emplace(t, id);
            }
        }
        ASSERT_EQ(q.n, oracle.size());
    }
    evq_free(&q);
}

TEST(FastQueue, ServesByTimeThenKindThenPortAcrossRebases)
{
    fastq q = {};
    std::multiset<std::pair<int64_t, uint64_t>> oracle;
    weft_rng r = weft_rng_stream(1, "fastq", 0);
    int64_t now = 0, rebases = 0;
    for (int step = 0; step < 200000; step++)
    {
        uint64_t what = weft_rng_below(&r, 100);
        if (oracle.empty() || what < 45)
        {
            // up to 0.7 s ahead: the clock soon leaves the window
            int64_t t = now + static_cast<int64_t>(weft_rng_below(&r, UINT64_C(700000000000)));
            ev_kind kind = weft_rng_below(&r, 2) ? EV_TX : EV_ARRIVE;
            uint32_t port = static_cast<uint32_t>(weft_rng_below(&r, 1u << FASTQ_PORT_BITS));
            int64_t base = q.base;
            ASSERT_TRUE(fastq_fits(&q, now, t));
            rebases += q.base != base;
            ASSERT_TRUE(fastq_push(&q, fastq_key(&q, t, kind, port)));
            oracle.emplace(t, EV_ID(kind, port));
        }
        else
        {
            ev top = fastq_top(&q);
            ASSERT_EQ(oracle.begin()->first, top.t);
            ASSERT_EQ(oracle.begin()->second, top.id);
            oracle.erase(oracle.begin());
            now = top.t;
            fastq_pop(&q);
        }
        ASSERT_EQ(q.n, oracle.size());
    }
    EXPECT_GT(rebases, 10);
    EXPECT_FALSE(fastq_fits(&q, now, now + FASTQ_SPAN));
    fastq_free(&q);
}
