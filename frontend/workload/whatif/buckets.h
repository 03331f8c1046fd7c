/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which collectives of one rank may become one: buckets.
 *
 * The rank's operations are visited in an order that their dependencies allow. A bucket is open for
 * each sort of collective, takes in what comes in ascending id, and closes when it is full or when
 * nothing but what depends on it is left to visit. A member may wait for the members before it, as
 * operations on one stream do. Whoever else waits for a bucket comes behind all of its members in
 * that order, so that buckets, or stretches of them, can replace their members without a circle.
 */
#ifndef WEFT_BUCKETS_H
#define WEFT_BUCKETS_H

#include "workload/whatif/edit.h"

/** A collective that may go into a bucket. */
struct weft_bucketed {
    uint32_t node; /**< index in the trace */
    uint32_t sort; /**< only those of one sort become one */
    uint64_t bytes;
    uint32_t bucket; /**< filled in: numbers that mean nothing but being the same within a sort */
};

/**
 * Puts @p n collectives, in ascending node id, into buckets of at most @p most_bytes, which one
 * that is alone may exceed. @p nsorts: sorts are numbers below. WEFT_E_INPUT: the dependencies make
 * a circle.
 */
int weft_buckets_fill(const struct weft_edit *e, struct weft_bucketed *list, uint32_t n,
                      uint32_t nsorts, uint64_t most_bytes, struct weft_err *err);

#endif
