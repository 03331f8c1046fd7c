/* SPDX-License-Identifier: GPL-2.0-only */
/* Preconditions of the heap of events are checked where WEFT_CHECKED says so, as checked_heap.c
 * does. */
#include "base/event_heap.h"

#include <gtest/gtest.h>

extern "C" {
int checked_heap_push(weft_heap *h, int64_t t_ps, uint32_t slot);
weft_heap_entry checked_heap_pop(weft_heap *h);
void checked_heap_release(weft_heap *h);
}

TEST(HeapDeathTest, AnEmptyHeapGivesNothing)
{
    weft_heap h{};
    EXPECT_DEATH(checked_heap_pop(&h), "h->n > 0");
    ASSERT_EQ(checked_heap_push(&h, 5, 1), 0);
    EXPECT_EQ(checked_heap_pop(&h).t_ps, 5);
    EXPECT_DEATH(checked_heap_pop(&h), "h->n > 0");
    checked_heap_release(&h);
}
