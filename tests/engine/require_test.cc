/* SPDX-License-Identifier: GPL-2.0-only */
/* Preconditions of heaps and pools are checked where WEFT_CHECKED says so, as it does in this file.
 */
#ifndef WEFT_CHECKED
#define WEFT_CHECKED
#endif
#include "ns3-module/engine/core/heap.h"
#include "ns3-module/engine/core/stable.h"
#include "ns3-module/engine/transport/psn_set.h"

#include <gtest/gtest.h>

namespace
{

TEST(RequireDeathTest, EmptyHeapsGiveNothing)
{
    keyheap keys{};
    ASSERT_TRUE(keyheap_reserve(&keys, 1));
    EXPECT_DEATH(keyheap_pop(&keys), "q->n > 0");
    EXPECT_DEATH(keyheap_replace(&keys, 1), "q->n > 0");
    keyheap_free(&keys);
    evq events{};
    ASSERT_TRUE(evq_reserve(&events));
    EXPECT_DEATH(evq_pop(&events), "q->n > 0");
    EXPECT_DEATH(evq_replace_top(&events, 1, 1), "q->n > 0");
    evq_free(&events);
}

TEST(RequireDeathTest, HeapsAreNotFilledBeyondTheirRoom)
{
    keyheap keys{};
    ASSERT_TRUE(keyheap_reserve(&keys, 1));
    for (uint32_t i = 0, n = keys.cap; i < n; i++) /* whole cache lines */
        keyheap_put(&keys, 7 + i);
    EXPECT_DEATH(keyheap_put(&keys, 8), "q->n < q->cap");
    keyheap_free(&keys);
}

TEST(RequireDeathTest, TheFirstEventIsReplacedByALaterOneOnly)
{
    evq events{};
    ASSERT_TRUE(evq_push(&events, 10, 1));
    EXPECT_DEATH(evq_replace_top(&events, 9, 1), "t >= ");
    evq_replace_top(&events, 11, 1);
    EXPECT_EQ(events.h[0].t, 11);
    evq_free(&events);
}

TEST(RequireDeathTest, OnlyRecordsInUseAreReleased)
{
    stable pool;
    ASSERT_TRUE(stable_init(&pool, 8, 4));
    const uint32_t i = stable_alloc(&pool);
    EXPECT_DEATH(stable_release(&pool, i + 1), "i < s->n");
    stable_release(&pool, i);
    EXPECT_DEATH(stable_release(&pool, i), "s->live > 0");
    stable_fini(&pool);
}

TEST(RequireDeathTest, NumbersBelowTheBaseAreNotAdded)
{
    psn_set set{};
    psn_set_rise(&set, 5);
    EXPECT_DEATH(psn_set_add(&set, 4), "psn >= s->base");
    psn_set_free(&set);
}

} // namespace
