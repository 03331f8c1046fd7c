/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FCT slowdown per flow size, as HPCC's fct_analysis reports it: flows sorted by size fall into 20
 * buckets of 5 %; slowdown = max(1, fct / standalone_fct); the percentile p of n values is the one
 * at place floor(n p) from 0.
 */
#ifndef WEFT_HPCC_SLOWDOWN_H
#define WEFT_HPCC_SLOWDOWN_H

#include "base/err.h"

#include <stdio.h>

WEFT_C_BEGIN

enum { WEFT_HPCC_BUCKETS = 20 };

/** One finished flow. */
struct weft_hpcc_fct {
    uint64_t bytes;
    double slowdown; /**< at least 1 */
};

/** One bucket. */
struct weft_hpcc_bucket {
    size_t flows;       /**< 0: the rest is meaningless */
    uint64_t max_bytes; /**< its largest flow */
    double mean, p50, p95, p99;
};

/** Sorts @p list and sums up its buckets and, in the last element, all of it. */
void weft_hpcc_slowdown(struct weft_hpcc_fct *list, size_t n,
                        struct weft_hpcc_bucket out[WEFT_HPCC_BUCKETS + 1]);
/** Writes the buckets as a table for people. */
void weft_hpcc_slowdown_text(FILE *out, const struct weft_hpcc_bucket b[WEFT_HPCC_BUCKETS + 1]);
/** Writes the buckets as the CSV file @p path. */
int weft_hpcc_slowdown_csv(const char *path, const struct weft_hpcc_bucket b[WEFT_HPCC_BUCKETS + 1],
                           struct weft_err *err);

WEFT_C_END
#endif
