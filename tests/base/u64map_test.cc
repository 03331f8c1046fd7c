/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/rng.h"
#include "base/u64map.h"

#include <gtest/gtest.h>

#include <map>

namespace
{

TEST(U64Map, AgreesWithStdMap)
{
    weft_u64map m = {};
    std::map<uint64_t, void *> want;
    weft_rng rng = weft_rng_stream(1, "u64map", 0);
    static char marks[64];
    for (int step = 0; step < 20000; step++) {
        uint64_t key = weft_rng_below(&rng, 200); // few keys: long lives, many collisions
        void *value = &marks[weft_rng_below(&rng, 64)], *got = nullptr;
        switch (weft_rng_below(&rng, 3)) {
        case 0:
            ASSERT_EQ(weft_u64map_put(&m, key, value), 0);
            want[key] = value;
            break;
        case 1:
            ASSERT_EQ(weft_u64map_take(&m, key, &got), (int)want.count(key));
            if (want.count(key)) {
                ASSERT_EQ(got, want[key]);
            }
            want.erase(key);
            break;
        default:
            ASSERT_EQ(weft_u64map_get(&m, key, &got), (int)want.count(key));
            if (want.count(key)) {
                ASSERT_EQ(got, want[key]);
            }
        }
        ASSERT_EQ(m.n, want.size());
    }
    weft_u64map_release(&m);
    EXPECT_EQ(m.cap, 0u);
}

TEST(U64Map, EmptyOwnsNothing)
{
    weft_u64map m = {};
    EXPECT_EQ(weft_u64map_get(&m, 0, nullptr), 0);
    EXPECT_EQ(weft_u64map_take(&m, 5, nullptr), 0);
    EXPECT_EQ(m.slots, nullptr);
}

} // namespace
