/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collectives over the dimensions of a fabric, one phase after the other.
 *
 * A group whose members form a grid is played as a row of phases, each of which is a collective of
 * the ranks that differ in one dimension only (Themis, ISCA 2022; ASTRA-sim):
 *   reduce-scatter  one phase per dimension in a given order; each leaves 1/n of the data
 *   all-gather      the same backwards
 *   all-to-all      one phase per dimension; each moves everything that has to go to another place
 *                   in it
 *   all-reduce      reduce-scatter and back. With `fold`, the last dimension is one all-reduce
 *                   instead of a reduce-scatter and an all-gather; with `whole`, every phase is an
 *                   all-reduce of everything
 */
#ifndef WEFT_COLLECTIVE_PHASES_H
#define WEFT_COLLECTIVE_PHASES_H

#include "collective/collective.h"

#include <stdbool.h>

WEFT_C_BEGIN

#define WEFT_DIMS_MAX 8u

/** The dimensions of a fabric or of a group in it, innermost first. */
struct weft_dims {
    uint32_t n; /**< 0: not known */
    uint32_t size[WEFT_DIMS_MAX];
    uint64_t rate_bps[WEFT_DIMS_MAX];  /**< bandwidth of a rank in it; 0: not known */
    uint32_t links[WEFT_DIMS_MAX];     /**< that have it together; 0: not known, as 1 */
    int64_t latency_ps[WEFT_DIMS_MAX]; /**< between two ranks of it; 0: not known */
};

/** One phase. */
struct weft_coll_phase {
    enum weft_coll_kind kind;
    uint32_t dim;
};

/** The phases of one chunk. */
struct weft_coll_plan {
    uint32_t n;
    struct weft_coll_phase phase[2 * WEFT_DIMS_MAX];
};

/** Whether @p kind (as played) can be played in phases. */
bool weft_coll_has_phases(enum weft_coll_kind kind);

/** How an all-reduce ends its way out. */
enum weft_coll_turn { WEFT_COLL_TURN_FOLD, WEFT_COLL_TURN_BACK, WEFT_COLL_TURN_WHOLE };

/**
 * Plans a chunk of @p kind over dimensions order[0 .. n-1], those of a reduce-scatter; an
 * all-gather takes them backwards.
 */
void weft_coll_plan_phases(enum weft_coll_kind kind, const uint32_t *order, uint32_t n,
                           enum weft_coll_turn turn, struct weft_coll_plan *out);

/** Where a rank is between the phases of a chunk. */
struct weft_coll_cursor {
    const struct weft_dims *dims;   /**< of the group */
    uint32_t place[WEFT_DIMS_MAX];  /**< own place in each */
    uint64_t total_bytes;           /**< of the chunk */
    uint64_t bytes;                 /**< held now: what the next phase begins with */
    uint64_t before[WEFT_DIMS_MAX]; /**< what was held before the reduce-scatter of a dimension */
    uint32_t done;                  /**< all-to-all: bit set of finished dimensions */
    uint32_t dim;                   /**< of the phase under way */
    struct weft_coll_pairs pairs;   /**< all-to-all: sizes of the phase under way */
};

/** Begins a chunk of @p bytes at @p place. */
void weft_coll_cursor_begin(struct weft_coll_cursor *c, const struct weft_dims *dims,
                            const uint32_t *place, uint64_t bytes);
/** Fills kind, n, bytes, cut and pairs of @p call for a phase; @p c must stay where it is until
 * then. */
void weft_coll_cursor_call(struct weft_coll_cursor *c, const struct weft_coll_phase *phase,
                           struct weft_coll_call *call);
/** Notes that the phase is over. */
void weft_coll_cursor_next(struct weft_coll_cursor *c, const struct weft_coll_phase *phase);

WEFT_C_END
#endif
