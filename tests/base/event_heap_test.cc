/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/event_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace
{

TEST(EventHeap, SortsByTimeThenInsertion)
{
    weft_heap h = {};
    std::vector<int64_t> times;
    uint64_t x = 12345;
    for (uint32_t i = 0; i < 2000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        times.push_back((int64_t)((x >> 33) % 50)); // many ties
        ASSERT_EQ(weft_heap_push(&h, times.back(), i), 0);
    }
    std::vector<uint32_t> want(times.size());
    for (uint32_t i = 0; i < want.size(); i++)
        want[i] = i;
    std::stable_sort(want.begin(), want.end(),
                     [&](uint32_t a, uint32_t b) { return times[a] < times[b]; });
    for (uint32_t w : want)
        EXPECT_EQ(weft_heap_pop(&h).slot, w);
    EXPECT_EQ(h.n, 0u);
    weft_heap_release(&h);
}

TEST(EventHeap, TiesHoldAcrossPopsAndPushes)
{
    weft_heap h = {};
    weft_heap_push(&h, 5, 1);
    weft_heap_push(&h, 5, 2);
    EXPECT_EQ(weft_heap_pop(&h).slot, 1u);
    weft_heap_push(&h, 5, 3);
    weft_heap_push(&h, 4, 4);
    EXPECT_EQ(weft_heap_pop(&h).slot, 4u);
    EXPECT_EQ(weft_heap_pop(&h).slot, 2u);
    EXPECT_EQ(weft_heap_pop(&h).slot, 3u);
    weft_heap_release(&h);
}

} // namespace
