/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Binomial trees for the collectives with a root (Thakur, Rabenseifner and Gropp, IJHPCA 2005).
 *
 * Ranks are counted from the root: place v has the parent v without its lowest set bit, and its
 * subtree is v .. v + bit - 1. A broadcast or scatter goes down, the largest subtree first; a
 * reduce or gather comes up, the smallest first. Scatter and gather move the units of a whole
 * subtree at once.
 */
#include "collective/cost.h"

static bool binomial_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds = WEFT_COLL_BIT(BROADCAST) | WEFT_COLL_BIT(REDUCE) |
                           WEFT_COLL_BIT(GATHER) | WEFT_COLL_BIT(SCATTER);
    return weft_coll_one_of(c, kinds, "binomial does broadcast, reduce, gather and scatter", why);
}

/* Children of place v: v + 1, v + 2, v + 4 ... */
static uint32_t nchildren(uint32_t n, uint32_t v)
{
    uint32_t k = 0;
    while (k < 31 && (v == 0 || (UINT32_C(1) << k) < (v & -v)) && (UINT32_C(1) << k) < n - v)
        k++;
    return k;
}

static uint64_t binomial_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    uint32_t v = weft_coll_minus(rank, c->root, c->n);
    return nchildren(c->n, v) + (v != 0);
}

/* The blocks that move between place v and its parent. */
static void subtree(const struct weft_coll_call *c, uint32_t v, struct weft_coll_instr *out)
{
    uint32_t bit = v & -v;
    out->nblocks = 1;
    if (c->kind == WEFT_COLL_BROADCAST || c->kind == WEFT_COLL_REDUCE)
        return;
    out->first_block = ((uint64_t)c->root + v) % c->n;
    out->nblocks = bit < c->n - v ? bit : c->n - v;
}

static void binomial_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                           struct weft_coll_instr *out)
{
    uint32_t n = c->n, v = weft_coll_minus(rank, c->root, n), k = nchildren(n, v);
    int down = c->kind == WEFT_COLL_BROADCAST || c->kind == WEFT_COLL_SCATTER;
    int with_parent = v != 0 && i == (down ? 0 : k);
    uint32_t child = v + (down ? UINT32_C(1) << (k - 1 - (uint32_t)(i - (v != 0)))
                               : UINT32_C(1) << (i < k ? i : 0));
    uint32_t other = with_parent ? v & (v - 1) : child;
    subtree(c, with_parent ? v : child, out);
    out->peer = (uint32_t)(((uint64_t)other + c->root) % n);
    out->step = i;
    out->dep_lane = lane;
    if (with_parent == down) { /* down: from the parent; up: from a child */
        out->action = c->kind == WEFT_COLL_REDUCE ? WEFT_COLL_RECV_REDUCE : WEFT_COLL_RECV;
        return;
    }
    out->action = WEFT_COLL_SEND;
    if (down) {
        out->peer_instr = 0;
        if (v != 0) {
            out->dep = WEFT_COLL_DEP_INSTR;
            out->dep_instr = 0;
        }
    } else {
        out->peer_instr =
            weft_coll_log2(v & -v); /* place v is its parent's child number log2(bit) */
        if (k) {
            out->dep = WEFT_COLL_DEP_UPTO;
            out->dep_instr = k - 1;
        }
    }
}

static uint64_t binomial_total_bytes(const struct weft_coll_call *c)
{
    uint64_t sum = 0;
    if (c->kind == WEFT_COLL_BROADCAST || c->kind == WEFT_COLL_REDUCE)
        return (uint64_t)(c->n - 1) * c->bytes;
    for (uint32_t v = 1; v < c->n; v++) /* a unit is sent once per level */
        sum += (uint64_t)__builtin_popcount(v) *
               weft_coll_unit_bytes(c, ((uint64_t)c->root + v) % c->n);
    return sum;
}

/* Places of subtrees of `arg`, and their parents: in a round all edges of one length. */
static uint32_t to_child(const struct weft_coll_call *c, uint32_t arg, uint32_t rank, uint32_t j)
{
    const uint32_t v = weft_coll_minus(rank, c->root, c->n);
    return v % (2 * arg) || v + arg >= c->n ? rank : (uint32_t)(((uint64_t)rank + arg) % c->n);
}

static uint32_t to_parent(const struct weft_coll_call *c, uint32_t arg, uint32_t rank, uint32_t j)
{
    const uint32_t v = weft_coll_minus(rank, c->root, c->n);
    return v && (v & -v) == arg ? weft_coll_minus(rank, arg, c->n) : rank;
}

static void binomial_cost(const struct weft_coll_call *c, const struct weft_coll_cost_sink *sink)
{
    const bool down = c->kind == WEFT_COLL_BROADCAST || c->kind == WEFT_COLL_SCATTER;
    const bool whole = c->kind == WEFT_COLL_BROADCAST || c->kind == WEFT_COLL_REDUCE;
    const uint64_t unit =
        c->kind == WEFT_COLL_SCATTER ? weft_coll_cut(c->bytes, c->n, 0) : c->bytes;
    struct weft_coll_round r = {.to = down ? to_child : to_parent, .times = 1};
    r.adds = c->kind == WEFT_COLL_REDUCE;
    for (uint32_t bit = 1; bit < c->n; bit *= 2) {
        r.arg = bit;
        r.bytes = whole ? unit : unit * bit;
        weft_coll_cost_round(sink, c, r);
    }
}

const struct weft_coll_ops weft_coll_binomial = {
    .name = "binomial",
    .title = "binomial tree from or to a root",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 2005",
    .supports = binomial_supports,
    .count = binomial_count,
    .instr = binomial_instr,
    .total_bytes = binomial_total_bytes,
    .cost = binomial_cost,
};
