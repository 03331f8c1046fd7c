// SPDX-License-Identifier: GPL-2.0-only
// The largest fabrics that are meant to work.
#include "topo.h"

#include "base/rng.h"

using namespace weft_test;

TEST(RoutesLarge, FatTreeOf65536Hosts)
{
    Fabric f = build("fat-tree", {{"k", "64"}});
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nhosts, 65536u);
    EXPECT_EQ(f->nswitches, 5120u);
    EXPECT_EQ(f->nlinks, 196608u);
    Routes r = routes_of(f);
    ASSERT_NE(r, nullptr);
    // 5120 switches x 2048 edge switches in runs of 16, 4 bytes each: 2.6 MB; pages of 64 bytes
    // where the ways of a run differ (at most 1 per edge, 2 per aggregation switch), with room to
    // grow by half; and what a host needs: four groups of 8 bytes with room to double, its ports
    // and two numbers.
    const size_t runs = 5120u * 2048u / 16 * 4;
    EXPECT_GE(weft_routes_bytes(r.get()), runs);
    EXPECT_LT(weft_routes_bytes(r.get()),
              runs + 3 * 2048 * 64 * 3 / 2 + 65536 * (2 * 4 * 8 + 24 + 8 + 4));
    weft_rng rng = weft_rng_stream(1, "pairs", 0);
    for (int i = 0; i < 100000; i++) {
        const uint32_t s = static_cast<uint32_t>(weft_rng_below(&rng, 65536));
        const uint32_t d = static_cast<uint32_t>(weft_rng_below(&rng, 65536));
        ASSERT_EQ(weft_routes_hops(r.get(), s, d), s == d                 ? 0u
                                                   : s / 32 == d / 32     ? 2u
                                                   : s / 1024 == d / 1024 ? 4u
                                                                          : 6u);
        ASSERT_NO_FATAL_FAILURE(expect_path(f, r, s, d, static_cast<uint32_t>(weft_rng_u64(&rng))));
    }
}

/* The largest that networks of ASTRA-sim have: its routes take the square of their number, not the
 * cube, which 2,048 NPUs would need minutes for. */
TEST(RoutesLarge, FullyConnected)
{
    Fabric f = build("fully-connected", {{"size", "2048"}});
    ASSERT_NE(f, nullptr);
    EXPECT_EQ(f->nlinks, 2048u * 2047u / 2);
    Routes r = routes_of(f);
    ASSERT_NE(r, nullptr);
    weft_rng rng = weft_rng_stream(1, "pairs", 0);
    for (int i = 0; i < 10000; i++) {
        const uint32_t s = static_cast<uint32_t>(weft_rng_below(&rng, 2048));
        const uint32_t d = static_cast<uint32_t>(weft_rng_below(&rng, 2048));
        ASSERT_EQ(weft_routes_hops(r.get(), s, d), s == d ? 0u : 1u);
    }
}
