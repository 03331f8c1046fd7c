/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flows with sizes from a distribution, each rank at random intervals of its own, without end or
 * for a time.
 *
 * Sizes are drawn by inverting the distribution and cut to whole bytes, at least 1. Each rank draws
 * arrivals, sizes and destinations from three streams of its own, so that its flows depend on
 * (seed, rank, settings) only. With Poisson arrivals and uniform destinations this is what HPCC's
 * traffic generator makes.
 */
#ifndef WEFT_CDF_SOURCE_H
#define WEFT_CDF_SOURCE_H

#include "base/cdf.h"
#include "workload/flows.h"

/** How far apart the flows of a rank begin. */
enum weft_arrivals {
    WEFT_ARRIVALS_POISSON,   /**< exponential intervals */
    WEFT_ARRIVALS_LOG_NORMAL /**< their logarithm is normal: burstier the larger sigma is */
};
/** Who sends to whom. */
enum weft_traffic_pattern {
    WEFT_TRAFFIC_ALL_TO_ALL,  /**< to any other rank, each flow anew */
    WEFT_TRAFFIC_PERMUTATION, /**< to one other rank, and from one: all ranks in one ring in random
                                 order */
    WEFT_TRAFFIC_HOT_SPOT /**< the share `hot_share` to the ranks 0 .. hot_ranks-1, the rest to any
                             other */
};

/** What to make. */
struct weft_cdf_traffic {
    const struct weft_cdf *cdf; /**< copied */
    uint32_t nranks;            /**< at least 2 */
    int arrivals;               /**< enum weft_arrivals */
    double sigma;               /**< of log-normal arrivals, > 0 */
    int pattern;                /**< enum weft_traffic_pattern */
    uint32_t hot_ranks;         /**< 1 .. nranks-1 */
    double hot_share;           /**< 0 .. 1 */
    int64_t duration_ps;        /**< flows begin before it; 0: without end */
    uint64_t seed;
};

/** Makes the source; @p gap_ps: per rank the mean time between the starts of its flows, 0: it sends
 * none. The array is copied; NULL: none sends. NULL: WEFT_E_LIMIT. */
struct weft_flow_source *weft_cdf_source_new(const struct weft_cdf_traffic *c, const double *gap_ps,
                                             struct weft_err *err);
/** Share of the flows of rank @p rank that go to a rank with another @p node than its own. @p s is
 * a source of weft_cdf_source_new. */
double weft_cdf_source_crossing(const struct weft_flow_source *s, uint32_t rank,
                                const uint32_t *node);
/** Sets the mean time between the starts of a rank's flows, before the first flow is made. */
void weft_cdf_source_set_gap(struct weft_flow_source *s, uint32_t rank, double gap_ps);

#endif
