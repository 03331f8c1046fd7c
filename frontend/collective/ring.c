/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ring collectives: every rank sends only to the next one and receives only from the one before it.
 *
 * Step k is a send and a receive; a rank sends step k + 1 when it has taken in the receive of step
 * k, and posts the next receive then (one message in flight per rank). Programs alternate:
 * instruction 2k is the send of step k, 2k + 1 its receive.
 *
 * all-reduce      2(n-1) steps of one block: a reduce-scatter, then an all-gather (Patarasuk and
 * Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 2009)
 * all-to-all      a block for the rank h places on is relayed over h hops, store and forward:
 * n(n-1)/2 steps of one block, distance 1 first. It moves n/2 times the bytes of a direct
 *                 all-to-all and is here because ring fabrics (and ASTRA-sim) do it this way.
 */
#include "collective/collective.h"

#include <math.h>

static int supports(enum weft_coll_kind kind, uint32_t n, const char **why)
{
    (void)n;
    switch (kind) {
    case WEFT_COLL_ALL_REDUCE:
    case WEFT_COLL_ALL_GATHER:
    case WEFT_COLL_REDUCE_SCATTER:
    case WEFT_COLL_ALL_TO_ALL:
        return 1;
    default:
        if (why)
            *why = "ring does all-reduce, all-gather, reduce-scatter and all-to-all";
        return 0;
    }
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

static uint64_t count(enum weft_coll_kind kind, uint32_t n, uint32_t rank)
{
    (void)rank;
    return 2 * steps(kind, n);
}

/* (a - b) mod n */
static uint32_t minus(uint32_t a, uint64_t b, uint32_t n)
{
    return (uint32_t)((a + n - b % n) % n);
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

/* The block that `rank` sends in step k. */
static uint64_t sent_block(enum weft_coll_kind kind, uint32_t n, uint32_t rank, uint64_t k)
{
    switch (kind) {
    case WEFT_COLL_REDUCE_SCATTER:
        return minus(rank, k + 1, n); /* shifted by one, so that block b ends at rank b */
    case WEFT_COLL_ALL_TO_ALL: {
        uint64_t distance, hop;
        relay_step(k, &distance, &hop);
        uint64_t source = minus(rank, hop, n);
        return source * n + (source + distance) % n;
    }
    default:
        return minus(rank, k, n);
    }
}

static void instr(enum weft_coll_kind kind, uint32_t n, uint32_t rank, uint64_t i,
                  struct weft_coll_instr *out)
{
    uint64_t k = i / 2;
    uint32_t before = minus(rank, 1, n);
    *out = (struct weft_coll_instr){.nblocks = 1, .step = k};
    if (k > 0) {
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_instr = 2 * k - 1;
    }
    if (i % 2 == 0) {
        out->action = WEFT_COLL_SEND;
        out->peer = rank + 1 == n ? 0 : rank + 1;
        out->peer_instr = i + 1;
        out->first_block = sent_block(kind, n, rank, k);
    } else {
        int adds = kind == WEFT_COLL_REDUCE_SCATTER || (kind == WEFT_COLL_ALL_REDUCE && k < n - 1);
        out->action = adds ? WEFT_COLL_RECV_REDUCE : WEFT_COLL_RECV;
        out->peer = before;
        out->first_block = sent_block(kind, n, before, k);
    }
}

static uint64_t total_bytes(enum weft_coll_kind kind, uint32_t n, uint64_t bytes)
{
    /* every step moves each block once; in an all-gather that is n times `bytes` */
    return steps(kind, n) * bytes * (kind == WEFT_COLL_ALL_GATHER ? n : 1);
}

const struct weft_coll_ops weft_coll_ring = {
    .name = "ring",
    .title = "one block per step to the next rank; least bytes, most steps",
    .source = "Patarasuk and Yuan, JPDC 2009",
    .supports = supports,
    .count = count,
    .instr = instr,
    .total_bytes = total_bytes,
};
