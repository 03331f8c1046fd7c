/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Figures of a whole fabric: what `weft topology` prints and the common checks compare with
 * formulas.
 */
#ifndef WEFT_TOPOLOGY_MEASURE_H
#define WEFT_TOPOLOGY_MEASURE_H

#include "routes.h"

WEFT_C_BEGIN

/**
 * Most that the first half of the hosts (by number; the middle one of an odd count left out) can
 * send to the second half at once, one direction, by maximum flow over the links. The split is
 * across the outermost dimension, which is the narrowest for the usual shapes.
 */
int weft_fabric_bisection_bps(const struct weft_fabric *f, uint64_t *out, struct weft_err *err);

/** Lengths and numbers of routes between pairs of hosts. */
struct weft_path_figures {
    uint32_t diameter;       /**< links on the longest route */
    double mean_hops;        /**< over the pairs looked at */
    uint64_t min_paths;      /**< fewest equal-cost paths of a pair */
    uint64_t max_paths;      /**< most; UINT64_MAX: more than fit */
    uint32_t sources_looked; /**< pairs: all destinations of so many sources, evenly spread */
};
/** Looks at every pair, or in fabrics of more than @p max_pairs pairs at those of some sources. */
int weft_fabric_path_figures(const struct weft_routes *r, const struct weft_fabric *f,
                             uint64_t max_pairs, struct weft_path_figures *out,
                             struct weft_err *err);

/**
 * The longest time that a packet of @p full bytes and an answer of @p answer bytes, both with gaps,
 * take from host to host and back while nothing else is on the way. In fabrics of more than @p
 * max_pairs pairs those of some destinations are looked at.
 */
int weft_fabric_longest_rtt_ps(const struct weft_fabric *f, uint64_t full, uint64_t answer,
                               uint64_t max_pairs, int64_t *out, struct weft_err *err);

/** Rates at the switches of one tier. */
struct weft_tier_figures {
    uint32_t dim, tier, switches;
    uint64_t down_bps, up_bps; /**< sums over links to lower and to higher tiers */
    uint64_t same_bps;         /**< links within the tier, each counted once */
    uint32_t min_ports, max_ports;
};
/** Tiers in ascending order of dimension and tier; writes at most @p max, returns how many. A
 * switch belongs to the dimension of its first link. */
uint32_t weft_fabric_tier_figures(const struct weft_fabric *f, struct weft_tier_figures *out,
                                  uint32_t max);

WEFT_C_END
#endif
