/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How fast an algorithm sends in a dimension: a ring over direct links between all uses one of
 * them, an exchange with all at once uses every one; and where messages do not share the bandwidth
 * of a link, one to each of n - 1 peers is as fast as one to one of them.
 */
#include "collective/cost.h"
#include "system/agreed_sim.h"

/* Bytes of each rank of the operation that is looked at, which divide evenly. */
#define BYTES (UINT64_C(1) << 20)

struct pace {
    double sent, in_turn; /* bytes; those that go one after the other */
    uint32_t links;
    bool alone;
};

static void add_round(void *ctx, const struct weft_coll_call *c, const struct weft_coll_round *r)
{
    struct pace *x = ctx;
    (void)c;
    const double bytes = (double)r->times * (double)r->bytes;
    const uint32_t per_link = (r->fanout - 1) / x->links + 1;
    x->sent += bytes * r->fanout;
    x->in_turn += bytes * (x->alone ? 1 : per_link);
}

uint64_t weft_agreed_pace_bps(const struct weft_agreed_problem *p, uint32_t d, uint64_t rate_bps)
{
    const struct weft_coll_algorithm *a = p->alg[d];
    const uint32_t n = p->dims->size[d];
    struct weft_coll_call c = {.kind = p->kind, .n = n, .bytes = BYTES * n};
    struct pace x = {.links = p->dims->links[d] ? p->dims->links[d] : 1, .alone = p->alone};
    const struct weft_coll_cost_sink sink = {&x, add_round};
    if (c.kind == WEFT_COLL_ALL_REDUCE)
        c.kind = WEFT_COLL_REDUCE_SCATTER;
    if (!a->ops->cost || n < 2)
        return rate_bps;
    weft_coll_use(&c, a);
    a->ops->cost(&c, &sink);
    return x.in_turn > 0 ? (uint64_t)((double)rate_bps / x.links * (x.sent / x.in_turn)) : rate_bps;
}
