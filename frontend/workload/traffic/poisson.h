/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Poisson traffic with flow sizes from a distribution as a list, as HPCC's traffic_gen makes it:
 * the flows of workload/traffic/cdf_source.h, with a mean interval of mean size / (load x rate) per
 * host.
 */
#ifndef WEFT_TRAFFIC_POISSON_H
#define WEFT_TRAFFIC_POISSON_H

#include "base/cdf.h"

#include <stdio.h>

WEFT_C_BEGIN

/** What to generate. */
struct weft_traffic_config {
    const struct weft_cdf *cdf;
    uint32_t hosts;      /**< at least 2; hosts are 0 .. hosts-1 */
    uint64_t rate_bps;   /**< of each host's link */
    double load;         /**< fraction of it that each host offers on average, above 0 */
    int64_t start_ps;    /**< flows start in [start, start + duration) */
    int64_t duration_ps; /**< above 0 */
    uint64_t seed;
};

/** One flow; starts are whole nanoseconds. */
struct weft_traffic_flow {
    uint32_t src, dst;
    uint64_t bytes;
    int64_t start_ps;
};

/** All flows, ordered by (start, source). */
struct weft_traffic {
    struct weft_traffic_flow *list;
    size_t n;
    uint64_t bytes; /**< sum */
};

/** Generates; NULL on failure, *err says why. */
struct weft_traffic *weft_traffic_new(const struct weft_traffic_config *c, struct weft_err *err);
void weft_traffic_free(struct weft_traffic *t);
/** Writes @p t in the grammar of flow.txt: priority group 3, port 100, seconds with 9 decimals. */
void weft_traffic_write(const struct weft_traffic *t, FILE *out);

WEFT_C_END
#endif
