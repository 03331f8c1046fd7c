/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Direct collectives: every rank exchanges one message with every other rank, all of them at once,
 * beginning with the next rank so that no receiver is everybody's first.
 *
 * Without a window, a lane sends m = n - 1 messages to rank+1, rank+2, ... and then receives them
 * from rank-1, rank-2, ... An all-reduce is a direct reduce-scatter, a wait for all of it, and a
 * direct all-gather of the sums. With a window w, receives have a lane of their own, and a rank
 * sends message k when it has taken in the receives 0 .. k-w, so at most w are under way
 * (ASTRA-sim's directN). ASTRA-sim charges additions of the first window of messages received, not
 * of the second, and so on; in an all-reduce of the first of four.
 *
 * A broadcast or scatter is the root's sends, a gather or reduce its receives (a flat tree).
 */
#include "collective/cost.h"

struct params {
    uint64_t window;
    int additions; /* enum additions */
};
enum additions { ALL, ALTERNATE };

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, window, "window", "0", "0", "1048576"),
     .help = "most messages under way of each rank; 0: all at once"},
    {WEFT_ROW_ENUM(struct params, additions, "additions", "all", "all|alternate"),
     .help = "alternate: with a window, adding up costs time for every second window of messages "
             "received (of an all-reduce every fourth)",
     .source = "ASTRA-sim, AllToAll.cc and Ring::insert_packet"},
};

static bool direct_supports(const struct weft_coll_call *c, const char **why)
{
    return true; /* every kind, any number of ranks */
}

static uint64_t direct_parts(const struct weft_coll_call *c)
{
    return c->kind == WEFT_COLL_ALL_REDUCE ? c->n : 1;
}

static void rooted(const struct weft_coll_call *c, uint32_t rank, uint64_t i,
                   struct weft_coll_instr *out)
{
    const bool to_root = c->kind == WEFT_COLL_GATHER || c->kind == WEFT_COLL_REDUCE;
    const bool whole = c->kind == WEFT_COLL_BROADCAST || c->kind == WEFT_COLL_REDUCE;
    uint32_t other = rank == c->root ? (uint32_t)((rank + 1 + i) % c->n) : rank;
    out->peer = rank == c->root ? other : c->root;
    out->nblocks = 1;
    out->first_block = whole ? 0 : other;
    if ((rank == c->root) != to_root) {
        out->action = WEFT_COLL_SEND;
        /* the root has its receives in one lane, in this order; another rank has one */
        out->peer_instr = to_root ? weft_coll_minus(rank, c->root + UINT64_C(1), c->n) : 0;
    } else {
        out->action = c->kind == WEFT_COLL_REDUCE ? WEFT_COLL_RECV_REDUCE : WEFT_COLL_RECV;
    }
}

static uint64_t window_of(const struct weft_coll_call *c)
{
    return ((const struct params *)c->params)->window;
}

/* Whether receive @p i, counted over both halves, costs an addition by ASTRA-sim's rule. */
static bool is_charged(const struct weft_coll_call *c, uint64_t i)
{
    return i / window_of(c) % (c->kind == WEFT_COLL_ALL_REDUCE ? 4 : 2) == 0;
}

/* What taking in the receive costs; @p i as above. */
static void charge(const struct weft_coll_call *c, uint64_t i, struct weft_coll_instr *out)
{
    const struct params *p = c->params;
    if (p->additions == ALL || p->window == 0 || p->window >= c->n - 1)
        return;
    if (out->action == WEFT_COLL_RECV_REDUCE)
        out->free_pct = is_charged(c, i) ? 0 : 100;
    else
        out->charged = c->kind == WEFT_COLL_ALL_REDUCE && is_charged(c, i);
}

static uint32_t direct_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    return weft_coll_has_root(c->kind) || window_of(c) == 0 ? 1 : 2;
}

static uint64_t direct_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    if (weft_coll_has_root(c->kind))
        return c->n == 1 ? 0 : rank == c->root ? c->n - 1 : 1;
    return (uint64_t)(c->n - 1) * (c->kind == WEFT_COLL_ALL_REDUCE ? 2 : 1) *
           (window_of(c) ? 1 : 2);
}

/* The block that goes from `from` to `to`. */
static uint64_t block(enum weft_coll_kind kind, uint32_t n, uint32_t from, uint32_t to)
{
    switch (kind) {
    case WEFT_COLL_ALL_TO_ALL:
        return (uint64_t)from * n + to;
    case WEFT_COLL_REDUCE_SCATTER:
        return to;
    default: /* all-gather */
        return from;
    }
}

static void direct_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                         struct weft_coll_instr *out)
{
    if (weft_coll_has_root(c->kind)) {
        rooted(c, rank, i, out);
        return;
    }
    uint64_t m = c->n - 1, window = window_of(c);
    uint64_t round = window ? m : 2 * m;          /* instructions of a lane per half */
    uint64_t half = i / round, j = i % round % m; /* second half of an all-reduce: 1 */
    int sends = window ? lane == 0 : i % round < m;
    enum weft_coll_kind kind = c->kind;
    if (kind == WEFT_COLL_ALL_REDUCE)
        kind = half == 0 ? WEFT_COLL_REDUCE_SCATTER : WEFT_COLL_ALL_GATHER;
    out->nblocks = 1;
    out->step = half;
    out->dep_lane = window ? 1 : 0;
    if (sends) {
        out->action = WEFT_COLL_SEND;
        out->peer = (uint32_t)((rank + 1 + j) % c->n);
        out->peer_lane = window ? 1 : 0;
        out->peer_instr = window ? i : i + m;
        out->first_block = block(kind, c->n, rank, out->peer);
        if (window && j >= window) {
            out->dep = WEFT_COLL_DEP_INSTR;
            out->dep_instr = i - window;
        } else if (half == 1 && j == 0) { /* all receives of the first half */
            out->dep = WEFT_COLL_DEP_UPTO;
            out->dep_instr = round - 1;
        }
    } else {
        if (window && half == 1 && j == 0) { /* replaces what the first half sends */
            out->dep = WEFT_COLL_DEP_INSTR;
            out->dep_lane = 0;
            out->dep_instr = m;
        }
        out->action = kind == WEFT_COLL_REDUCE_SCATTER ? WEFT_COLL_RECV_REDUCE : WEFT_COLL_RECV;
        charge(c, half * m + j, out);
        out->peer = (uint32_t)((rank + c->n - 1 - j) % c->n);
        out->first_block = block(kind, c->n, out->peer, rank);
    }
}

static uint64_t direct_total_bytes(const struct weft_coll_call *c)
{
    uint64_t m = c->n - 1, sum = 0;
    switch (c->kind) {
    case WEFT_COLL_ALL_REDUCE:
        return 2 * m * c->bytes;
    case WEFT_COLL_ALL_GATHER:
        return m * (c->cut ? c->bytes : c->n * c->bytes);
    case WEFT_COLL_ALL_TO_ALL:
        if (!c->pairs)
            return m * c->bytes;
        for (uint32_t s = 0; s < c->n; s++)
            for (uint32_t d = 0; d < c->n; d++)
                sum += s == d ? 0 : c->pairs->bytes(c->pairs->ctx, s, d);
        return sum;
    case WEFT_COLL_SCATTER: /* everything but the root's own unit */
        return c->bytes - weft_coll_unit_bytes(c, c->root);
    default: /* reduce-scatter, broadcast, reduce, gather */
        return m * c->bytes;
    }
}

static uint64_t direct_rounds(const struct weft_coll_call *c)
{
    uint64_t window = window_of(c), m = c->n - 1;
    uint64_t halves = c->kind == WEFT_COLL_ALL_REDUCE ? 2 : 1;
    return window && window < m ? halves * ((m + window - 1) / window) : halves;
}

/* Rooted: message j of the root, or the one message of another rank. */
static uint32_t from_root(const struct weft_coll_call *c, uint32_t arg, uint32_t rank, uint32_t j)
{
    return rank == c->root ? (uint32_t)(((uint64_t)rank + 1 + j) % c->n) : rank;
}

static uint32_t to_root(const struct weft_coll_call *c, uint32_t arg, uint32_t rank, uint32_t j)
{
    return c->root;
}

static void direct_cost(const struct weft_coll_call *c, const struct weft_coll_cost_sink *sink)
{
    const uint64_t whole = weft_coll_whole_bytes(c);
    struct weft_coll_round r = {.to = weft_coll_to_others, .fanout = c->n - 1, .times = 1};
    r.bytes = weft_coll_cut(whole, c->n, 0);
    r.adds = c->kind == WEFT_COLL_ALL_REDUCE || c->kind == WEFT_COLL_REDUCE_SCATTER ||
             c->kind == WEFT_COLL_REDUCE;
    if (weft_coll_has_root(c->kind)) {
        r.bytes = c->kind == WEFT_COLL_SCATTER ? r.bytes : c->bytes;
        if (c->kind == WEFT_COLL_BROADCAST || c->kind == WEFT_COLL_SCATTER) {
            r.to = from_root;
        } else {
            r.to = to_root;
            r.fanout = 1;
        }
    }
    weft_coll_cost_round(sink, c, r);
    r.adds = false;
    if (c->kind == WEFT_COLL_ALL_REDUCE)
        weft_coll_cost_round(sink, c, r);
}

const struct weft_coll_ops weft_coll_direct = {
    .name = "direct",
    .title = "every rank sends to every other at once; fewest steps, most messages",
    .source = NULL,
    .params = WEFT_PARAM_TABLE(params, struct params),
    .supports = direct_supports,
    .parts = direct_parts,
    .lanes = direct_lanes,
    .count = direct_count,
    .instr = direct_instr,
    .total_bytes = direct_total_bytes,
    .cost = direct_cost,
    .rounds = direct_rounds,
};
