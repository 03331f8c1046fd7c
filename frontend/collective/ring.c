/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ring collectives: every rank sends only to the next one and receives only from the one before it.
 *
 * Step k is a send and a receive; a rank sends step k + 1 when it has taken in the receive of step
 * k, and posts the next receive then (one message in flight per rank and channel). Lanes alternate:
 * instruction 2k is the send of step k, 2k + 1 its receive.
 *
 * all-reduce      2(n-1) steps of one block: a reduce-scatter, then an all-gather (Patarasuk and
 * Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 2009)
 * all-to-all      a block for the rank h places on is relayed over h hops, store and forward:
 * n(n-1)/2 steps of one block, distance 1 first. It moves n/2 times the bytes of a direct
 *                 all-to-all and is here because ring fabrics (and ASTRA-sim) do it this way.
 *
 * Channels are rings side by side, each with its share of every block; bidirectional gives every
 * channel a second ring that runs the other way.
 */
#include "collective/cost.h"

#include <math.h>

struct params {
    uint64_t channels;
    bool bidirectional;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, channels, "channels", "1", "1", "256"),
     .help = "rings side by side, each with its share of the data"},
    {WEFT_ROW_BOOL(struct params, bidirectional, "bidirectional", "false"),
     .help = "a second ring per channel, in the opposite direction"},
};

static const struct params *params_of(const struct weft_coll_call *c)
{
    return c->params;
}

static uint32_t ring_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    return (uint32_t)params_of(c)->channels * (params_of(c)->bidirectional ? 2 : 1);
}

static bool ring_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds = WEFT_COLL_BIT(ALL_REDUCE) | WEFT_COLL_BIT(ALL_GATHER) |
                           WEFT_COLL_BIT(REDUCE_SCATTER) | WEFT_COLL_BIT(ALL_TO_ALL);
    if (!weft_coll_one_of(c, kinds,
                          "ring does all-reduce, all-gather, reduce-scatter and all-to-all", why))
        return false;
    if (c->pairs && c->pairs->local) {
        if (why)
            *why = "ring relays blocks whose sizes only their ends know; use direct";
        return false;
    }
    return true;
}

static uint64_t ring_parts(const struct weft_coll_call *c)
{
    return (c->kind == WEFT_COLL_ALL_REDUCE ? c->n : 1) * (uint64_t)ring_lanes(c, 0);
}

static uint64_t steps(enum weft_coll_kind kind, uint32_t n)
{
    uint64_t m = n - 1;
    switch (kind) {
    case WEFT_COLL_ALL_REDUCE:
        return 2 * m;
    case WEFT_COLL_ALL_TO_ALL:
        return n * m / 2;
    default:
        return m;
    }
}

static uint64_t ring_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    return 2 * steps(c->kind, c->n);
}

/* Step k of an all-to-all: hop *hop (0 .. distance - 1) of the blocks that travel *distance. */
static void relay_step(uint64_t k, uint64_t *distance, uint64_t *hop)
{
    /* distance d owns the steps d(d-1)/2 .. d(d+1)/2 - 1; the root is a guess that is put right */
    uint64_t d = (uint64_t)((1.0 + sqrt(1.0 + 8.0 * (double)k)) / 2.0);
    while (d * (d - 1) / 2 > k)
        d--;
    while (d * (d + 1) / 2 <= k)
        d++;
    *distance = d;
    *hop = k - d * (d - 1) / 2;
}

/* A ring that runs backwards is a ring of the ranks counted backwards. */
static uint32_t turned(uint32_t rank, uint32_t n, int backwards)
{
    return backwards ? weft_coll_minus(0, rank, n) : rank;
}

/* What place `at` of the ring sends in step k: a unit, or a part of the buffer of an all-reduce. */
static uint64_t sent(const struct weft_coll_call *c, uint32_t at, uint64_t k, int backwards)
{
    uint32_t n = c->n;
    switch (c->kind) {
    case WEFT_COLL_REDUCE_SCATTER: /* shifted by one, so that unit u ends at rank u */
        return turned(weft_coll_minus(at, k + 1, n), n, backwards);
    case WEFT_COLL_ALL_TO_ALL: {
        uint64_t distance, hop;
        relay_step(k, &distance, &hop);
        uint32_t from = weft_coll_minus(at, hop, n);
        uint32_t to = (uint32_t)((from + distance) % n);
        return (uint64_t)turned(from, n, backwards) * n + turned(to, n, backwards);
    }
    default:
        return turned(weft_coll_minus(at, k, n), n, backwards);
    }
}

static void ring_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                       struct weft_coll_instr *out)
{
    uint32_t n = c->n, nlanes = ring_lanes(c, rank);
    int backwards = params_of(c)->bidirectional && lane % 2;
    uint32_t at = turned(rank, n, backwards), before = weft_coll_minus(at, 1, n);
    uint64_t k = i / 2;
    out->nblocks = 1;
    out->step = k;
    if (k > 0) {
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_lane = lane;
        out->dep_instr = 2 * k - 1;
    }
    if (i % 2 == 0) {
        out->action = WEFT_COLL_SEND;
        out->peer = turned(at + 1 == n ? 0 : at + 1, n, backwards);
        out->peer_lane = lane;
        out->peer_instr = i + 1;
        out->first_block = sent(c, at, k, backwards) * nlanes + lane;
    } else {
        int adds =
            c->kind == WEFT_COLL_REDUCE_SCATTER || (c->kind == WEFT_COLL_ALL_REDUCE && k < n - 1);
        out->action = adds ? WEFT_COLL_RECV_REDUCE : WEFT_COLL_RECV;
        out->peer = turned(before, n, backwards);
        out->first_block = sent(c, before, k, backwards) * nlanes + lane;
    }
}

static uint64_t ring_total_bytes(const struct weft_coll_call *c)
{
    uint64_t whole = 0;
    if (c->kind == WEFT_COLL_ALL_TO_ALL) { /* distance times the size, both ways of the ring */
        if (!c->pairs && !params_of(c)->bidirectional)
            return steps(c->kind, c->n) * c->bytes;
        uint64_t nlanes = ring_lanes(c, 0);
        for (uint32_t s = 0; s < c->n; s++)
            for (uint32_t d = 0; d < c->n; d++)
                for (uint32_t l = 0; l < nlanes; l++) {
                    int backwards = params_of(c)->bidirectional && l % 2;
                    uint64_t unit = weft_coll_unit_bytes(c, (uint64_t)s * c->n + d);
                    whole +=
                        weft_coll_cut(unit, nlanes, l) *
                        (backwards ? weft_coll_minus(s, d, c->n) : weft_coll_minus(d, s, c->n));
                }
        return whole;
    }
    /* every step moves each block once; in an all-gather that is n times `bytes` */
    whole = c->kind == WEFT_COLL_ALL_GATHER && !c->cut ? c->n * c->bytes : c->bytes;
    return steps(c->kind, c->n) * whole;
}

/* Message j of a rank: one per lane. */
static uint32_t collective_ring_neighbour(const struct weft_coll_call *c, uint32_t arg,
                                          uint32_t rank, uint32_t j)
{
    const int backwards = params_of(c)->bidirectional && j % 2;
    return (uint32_t)(((uint64_t)rank + (backwards ? c->n - 1 : 1)) % c->n);
}

static void ring_cost(const struct weft_coll_call *c, const struct weft_coll_cost_sink *sink)
{
    const uint32_t lanes = ring_lanes(c, 0);
    struct weft_coll_round r = {.to = collective_ring_neighbour, .fanout = lanes, .relayed = true};
    r.bytes = weft_coll_cut(weft_coll_whole_bytes(c), (uint64_t)c->n * lanes, 0);
    r.times = c->kind == WEFT_COLL_ALL_TO_ALL ? steps(c->kind, c->n) : c->n - 1;
    r.adds = c->kind == WEFT_COLL_ALL_REDUCE || c->kind == WEFT_COLL_REDUCE_SCATTER;
    weft_coll_cost_round(sink, c, r);
    r.adds = false;
    if (c->kind == WEFT_COLL_ALL_REDUCE)
        weft_coll_cost_round(sink, c, r);
}

static const char *const tries[] = {"ring", "ring:bidirectional=true", NULL};

const struct weft_coll_ops weft_coll_ring = {
    .name = "ring",
    .title = "one block per step to the next rank; least bytes, most steps",
    .source = "Patarasuk and Yuan, JPDC 2009",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .ordered = true,
    .supports = ring_supports,
    .parts = ring_parts,
    .lanes = ring_lanes,
    .count = ring_count,
    .instr = ring_instr,
    .total_bytes = ring_total_bytes,
    .cost = ring_cost,
    .tries = tries,
};
