/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Direct collectives: every rank exchanges one message with every other rank, all of them at once,
 * beginning with the next rank so that no receiver is everybody's first.
 *
 * Program of m = n - 1 messages: sends 0 .. m-1 to rank+1, rank+2, ..., then receives from rank-1,
 * rank-2, ...; an all-reduce is a direct reduce-scatter, a wait for all of it, and a direct
 * all-gather of the sums.
 */
#include "collective/collective.h"

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
            *why = "direct does all-reduce, all-gather, reduce-scatter and all-to-all";
        return 0;
    }
}

static uint64_t count(enum weft_coll_kind kind, uint32_t n, uint32_t rank)
{
    (void)rank;
    return (uint64_t)(n - 1) * (kind == WEFT_COLL_ALL_REDUCE ? 4 : 2);
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

static void instr(enum weft_coll_kind kind, uint32_t n, uint32_t rank, uint64_t i,
                  struct weft_coll_instr *out)
{
    uint32_t m = n - 1;
    uint64_t half = i / (2 * (uint64_t)m); /* second half of an all-reduce: 1 */
    uint64_t j = i % (2 * (uint64_t)m);
    if (kind == WEFT_COLL_ALL_REDUCE)
        kind = half == 0 ? WEFT_COLL_REDUCE_SCATTER : WEFT_COLL_ALL_GATHER;
    *out = (struct weft_coll_instr){.nblocks = 1, .step = half};
    if (j < m) {
        out->action = WEFT_COLL_SEND;
        out->peer = (uint32_t)((rank + 1 + j) % n);
        out->peer_instr = i + m;
        out->first_block = block(kind, n, rank, out->peer);
        if (half == 1 && j == 0)
            out->dep = WEFT_COLL_DEP_ALL;
    } else {
        j -= m;
        out->action = kind == WEFT_COLL_REDUCE_SCATTER ? WEFT_COLL_RECV_REDUCE : WEFT_COLL_RECV;
        out->peer = (uint32_t)((rank + n - 1 - j) % n);
        out->first_block = block(kind, n, out->peer, rank);
    }
}

static uint64_t total_bytes(enum weft_coll_kind kind, uint32_t n, uint64_t bytes)
{
    uint64_t m = n - 1;
    switch (kind) {
    case WEFT_COLL_ALL_REDUCE:
        return 2 * m * bytes;
    case WEFT_COLL_ALL_GATHER:
        return m * n * bytes;
    default: /* reduce-scatter, all-to-all: everything but the own block */
        return m * bytes;
    }
}

const struct weft_coll_ops weft_coll_direct = {
    .name = "direct",
    .title = "every rank sends to every other at once; fewest steps, most messages",
    .source = NULL,
    .supports = supports,
    .count = count,
    .instr = instr,
    .total_bytes = total_bytes,
};
