/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the rounds, bytes and additions of an algorithm, so that auto can compare algorithms
 * without playing them.
 */
#include "collective/cost.h"

uint64_t weft_coll_whole_bytes(const struct weft_coll_call *c)
{
    return c->kind == WEFT_COLL_ALL_GATHER && !c->cut ? c->n * c->bytes : c->bytes;
}

uint32_t weft_coll_to_shifted(const struct weft_coll_call *c, uint32_t arg, uint32_t rank,
                              uint32_t j)
{
    return (uint32_t)(((uint64_t)rank + arg) % c->n);
}

uint32_t weft_coll_to_others(const struct weft_coll_call *c, uint32_t arg, uint32_t rank,
                             uint32_t j)
{
    return (uint32_t)(((uint64_t)rank + 1 + j) % c->n);
}

uint32_t weft_coll_to_flipped(const struct weft_coll_call *c, uint32_t arg, uint32_t rank,
                              uint32_t j)
{
    return rank >> weft_coll_log2(c->n) ? rank : rank ^ arg;
}

uint32_t weft_coll_to_folded(const struct weft_coll_call *c, uint32_t arg, uint32_t rank,
                             uint32_t j)
{
    const uint32_t p = UINT32_C(1) << weft_coll_log2(c->n);
    return rank < p ? rank : rank - p;
}

uint32_t weft_coll_to_unfolded(const struct weft_coll_call *c, uint32_t arg, uint32_t rank,
                               uint32_t j)
{
    const uint32_t p = UINT32_C(1) << weft_coll_log2(c->n);
    return rank < c->n - p ? rank + p : rank;
}
