/* SPDX-License-Identifier: GPL-2.0-only */
/* What algorithms say that they cost agrees with what their programs send. */
#include "collective/algorithm.h"
#include "collective/cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace
{

struct Sum {
    double bytes = 0;
    uint64_t rounds = 0;
};

void Add(void *ctx, const weft_coll_call *c, const weft_coll_round *r)
{
    Sum *s = static_cast<Sum *>(ctx);
    if (r->meanwhile)
        return;
    ASSERT_GE(r->fanout, 1u);
    for (uint32_t rank = 0; rank < c->n; rank++)
        for (uint32_t j = 0; j < r->fanout; j++) {
            const uint32_t to = r->to(c, r->arg, rank, j);
            ASSERT_LT(to, c->n);
            s->bytes += to == rank ? 0 : (double)r->times * (double)r->bytes;
        }
    s->rounds += r->streamed ? 0 : r->times;
}

Sum CostOf(const char *written, weft_coll_kind kind, uint32_t n, uint64_t bytes)
{
    weft_coll_algorithm a;
    weft_err err = {};
    EXPECT_EQ(weft_coll_algorithm_parse(written, strlen(written), "", &a, &err), 0) << err.msg;
    weft_coll_call c = {};
    c.kind = kind;
    c.n = n;
    c.bytes = bytes;
    weft_coll_use(&c, &a);
    Sum s;
    const weft_coll_cost_sink sink = {&s, Add};
    a.ops->cost(&c, &sink);
    weft_coll_algorithm_release(&a);
    return s;
}

} // namespace

/// A message is counted with the largest of its sizes, so that the sum may be above what is sent
/// where ranks are no power of two; where they are it is exact.
TEST(CollectiveCost, BytesOfAllRoundsAreThoseOfTheProgram)
{
    static const weft_coll_kind kinds[] = {
        WEFT_COLL_ALL_REDUCE, WEFT_COLL_ALL_GATHER, WEFT_COLL_REDUCE_SCATTER, WEFT_COLL_ALL_TO_ALL,
        WEFT_COLL_BROADCAST,  WEFT_COLL_REDUCE,     WEFT_COLL_GATHER,         WEFT_COLL_SCATTER};
    size_t nops, seen = 0;
    const weft_coll_ops *const *ops = weft_coll_table(&nops);
    for (size_t i = 0; i < nops; i++) {
        const char *const alone[] = {ops[i]->name, nullptr};
        for (const char *const *t = ops[i]->tries ? ops[i]->tries : alone; ops[i]->cost && *t; t++)
            for (const weft_coll_kind kind : kinds)
                for (uint32_t n = 2; n <= 33; n++) {
                    weft_coll_algorithm a;
                    weft_err err = {};
                    ASSERT_EQ(weft_coll_algorithm_parse(*t, strlen(*t), "", &a, &err), 0);
                    weft_coll_call c = {};
                    c.kind = kind;
                    c.n = n;
                    c.bytes = (uint64_t)n * 4096;
                    weft_coll_use(&c, &a);
                    if (a.ops->supports(&c, nullptr)) {
                        const double sent = (double)a.ops->total_bytes(&c);
                        const double cost = CostOf(*t, kind, n, c.bytes).bytes;
                        const bool even = (n & (n - 1)) == 0;
                        EXPECT_GE(cost, sent * 0.999) << *t << " " << kind << " on " << n;
                        EXPECT_LE(cost, sent * (even ? 1.001 : 1.65))
                            << *t << " " << kind << " on " << n;
                        seen++;
                    }
                    weft_coll_algorithm_release(&a);
                }
    }
    EXPECT_GT(seen, 500u);
}

/// Steps as the papers count them: 2 (n-1), 2 log n, log n, 2, 2 log n (up and down a tree).
TEST(CollectiveCost, RoundsAreThoseOfThePapers)
{
    const weft_coll_kind ar = WEFT_COLL_ALL_REDUCE;
    EXPECT_EQ(CostOf("ring", ar, 16, 1 << 20).rounds, 30u);
    EXPECT_EQ(CostOf("halving-doubling", ar, 16, 1 << 20).rounds, 8u);
    EXPECT_EQ(CostOf("halving-doubling", ar, 17, 1 << 20).rounds, 10u);
    EXPECT_EQ(CostOf("recursive-doubling", ar, 16, 1 << 20).rounds, 4u);
    EXPECT_EQ(CostOf("direct", ar, 16, 1 << 20).rounds, 2u);
    EXPECT_EQ(CostOf("double-binary-tree", ar, 16, 1 << 20).rounds, 8u);
    EXPECT_EQ(CostOf("bruck", WEFT_COLL_ALL_GATHER, 17, 1 << 20).rounds, 5u);
    EXPECT_EQ(CostOf("binomial", WEFT_COLL_BROADCAST, 17, 1 << 20).rounds, 5u);
    EXPECT_EQ(CostOf("ring", WEFT_COLL_ALL_TO_ALL, 16, 1 << 20).rounds, 120u);
}
