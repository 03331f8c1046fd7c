// SPDX-License-Identifier: GPL-2.0-only
// Places for things that come and go, and variates from uniform ones.
#include "base/draw.h"
#include "base/slots.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace
{

struct Thing {
    uint64_t a, b;
};

TEST(Slots, AFreedPlaceIsTheNextTaken)
{
    struct weft_slots s = {};
    s.size = sizeof(Thing);
    for (uint32_t i = 0; i < 3; i++)
        EXPECT_EQ(weft_slots_take(&s), i);
    weft_slots_give_back(&s, 0);
    weft_slots_give_back(&s, 2);
    EXPECT_EQ(weft_slots_take(&s), 2U);
    EXPECT_EQ(weft_slots_take(&s), 0U);
    EXPECT_EQ(weft_slots_take(&s), 3U);
    weft_slots_clear(&s);
    EXPECT_EQ(weft_slots_take(&s), 0U);
    weft_slots_release(&s);
    EXPECT_EQ(s.size, sizeof(Thing));
    EXPECT_EQ(weft_slots_take(&s), 0U);
    weft_slots_release(&s);
}

TEST(Slots, ContentsStayWhereManyComeAndGo)
{
    struct weft_slots s = {};
    s.size = sizeof(Thing);
    std::set<uint32_t> taken;
    std::vector<uint64_t> held(4096);
    struct weft_rng rng = weft_rng_stream(1, "slots", 0);
    for (uint64_t k = 0; k < 100000; k++) {
        if (taken.size() < 1000 && (taken.empty() || weft_rng_below(&rng, 3))) {
            const uint32_t i = weft_slots_take(&s);
            ASSERT_NE(i, WEFT_NO_SLOT);
            ASSERT_TRUE(taken.insert(i).second);
            *static_cast<Thing *>(weft_slot(&s, i)) = Thing{k, ~k};
            held[i] = k;
        } else {
            auto it = taken.begin();
            std::advance(it, weft_rng_below(&rng, taken.size()));
            const Thing *t = static_cast<Thing *>(weft_slot(&s, *it));
            ASSERT_EQ(t->a, held[*it]);
            ASSERT_EQ(t->b, ~held[*it]);
            weft_slots_give_back(&s, *it);
            taken.erase(it);
        }
    }
    EXPECT_LE(s.n, 1000U); // no more than were taken at once
    weft_slots_release(&s);
}

TEST(Draw, MeansAreThoseOfTheDistributions)
{
    struct weft_rng rng = weft_rng_stream(7, "draw", 0);
    const int n = 400000;
    double exponential = 0, normal = 0, square = 0, gap = 0;
    for (int i = 0; i < n; i++) {
        exponential += weft_exponential(weft_rng_f64(&rng)) / n;
        const double u = weft_rng_f64(&rng), x = weft_log_normal(u, weft_rng_f64(&rng), 0.5);
        normal += x / n;
        square += x * x / n;
        gap += weft_draw_gap_ps(&rng, 1e6) / n;
    }
    EXPECT_NEAR(exponential, 1, 0.01);
    EXPECT_NEAR(normal, 1, 0.01);
    EXPECT_NEAR(square, exp(0.25), 0.02); // E x^2 = exp(sigma^2) where the mean is 1
    EXPECT_NEAR(gap, 1e6, 1e4);           // a million per second: 1 us apart
    EXPECT_DOUBLE_EQ(weft_exponential(0), 0);
    EXPECT_DOUBLE_EQ(weft_log_normal(0, 0.25, 2), exp(-2.0)); // z = 0
}

} // namespace
