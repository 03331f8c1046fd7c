/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bruck's algorithms (Bruck, Ho, Kipnis, Upfal, Weathersby: "Efficient algorithms for all-to-all
 * communications in multiport message-passing systems", TPDS 1997): ceil(log2 n) steps for any n.
 *
 * all-gather  step k: the blocks held so far, which are those of the next 2^k ranks, go to rank -
 *             2^k
 * all-to-all  step k: every block whose remaining way has bit k set moves 2^k ranks on; a block of
 *             distance d is sent once per bit of d
 */
#include "collective/cost.h"

static bool bruck_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds = WEFT_COLL_BIT(ALL_GATHER) | WEFT_COLL_BIT(ALL_TO_ALL);
    if (!weft_coll_one_of(c, kinds, "bruck does all-gather and all-to-all", why))
        return false;
    if (c->pairs && c->pairs->local) {
        if (why)
            *why = "bruck passes on blocks whose sizes only their ends know; use direct";
        return false;
    }
    return true;
}

static unsigned steps(uint32_t n)
{
    return n == 1 ? 0 : weft_coll_log2(n - 1) + 1;
}

static uint64_t bruck_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    return 2 * (uint64_t)steps(c->n);
}

/* Distances 1 .. n-1 that have bit k. */
static uint64_t distances(uint32_t n, unsigned k)
{
    uint64_t h = UINT64_C(1) << k, whole = n / (2 * h), rest = n % (2 * h);
    return whole * h + (rest > h ? rest - h : 0);
}

static void bruck_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                        struct weft_coll_instr *out)
{
    unsigned k = (unsigned)(i / 2);
    uint64_t h = UINT64_C(1) << k;
    int gather = c->kind == WEFT_COLL_ALL_GATHER, sends = i % 2 == 0;
    uint32_t up = (uint32_t)((rank + h) % c->n), down = weft_coll_minus(rank, h, c->n);
    out->step = k;
    out->action = sends ? WEFT_COLL_SEND : WEFT_COLL_RECV;
    out->peer = sends == gather ? down : up;
    out->peer_instr = i + 1;
    if (gather) {
        out->first_block = sends ? rank : up;
        out->nblocks = h < c->n - h ? h : c->n - h;
    } else {
        out->listed = true;
        out->nblocks = distances(c->n, k);
    }
    if (k > 0) {
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_lane = lane;
        out->dep_instr = 2 * (uint64_t)k - 1;
    }
}

/* All-to-all: the j-th distance with bit k, and whose block of it the sender has by then. */
static uint64_t block(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                      uint64_t j)
{
    unsigned k = (unsigned)(i / 2);
    uint64_t h = UINT64_C(1) << k, low = j & (h - 1);
    uint64_t distance = (j >> k) << (k + 1) | h | low;
    uint32_t sender = i % 2 == 0 ? rank : weft_coll_minus(rank, h, c->n);
    uint32_t from = weft_coll_minus(sender, low, c->n);
    return (uint64_t)from * c->n + (from + distance) % c->n;
}

static uint64_t bruck_total_bytes(const struct weft_coll_call *c)
{
    uint64_t sum = 0;
    if (c->kind == WEFT_COLL_ALL_GATHER)
        return (c->n - 1) * (c->cut ? c->bytes : c->n * c->bytes);
    for (uint32_t d = 1; d < c->n; d++) {
        uint64_t all = c->pairs ? 0 : c->bytes; /* from every rank to the one d places on */
        for (uint32_t s = 0; c->pairs && s < c->n; s++)
            all += c->pairs->bytes(c->pairs->ctx, s, (uint32_t)(((uint64_t)s + d) % c->n));
        sum += (uint64_t)__builtin_popcount(d) * all;
    }
    return sum;
}

static void bruck_cost(const struct weft_coll_call *c, const struct weft_coll_cost_sink *sink)
{
    const uint64_t unit = weft_coll_cut(weft_coll_whole_bytes(c), c->n, 0);
    const bool gather = c->kind == WEFT_COLL_ALL_GATHER;
    struct weft_coll_round r = {.to = weft_coll_to_shifted, .times = 1};
    for (unsigned k = 0; k < steps(c->n); k++) {
        const uint32_t h = UINT32_C(1) << k;
        r.arg = gather ? c->n - h : h;
        r.bytes = unit * (gather ? (h < c->n - h ? h : c->n - h) : distances(c->n, k));
        weft_coll_cost_round(sink, c, r);
    }
}

const struct weft_coll_ops weft_coll_bruck = {
    .name = "bruck",
    .title = "doubling distances for any number of ranks; few steps for small sizes",
    .source = "Bruck et al., TPDS 1997",
    .supports = bruck_supports,
    .count = bruck_count,
    .instr = bruck_instr,
    .block = block,
    .total_bytes = bruck_total_bytes,
    .cost = bruck_cost,
};
