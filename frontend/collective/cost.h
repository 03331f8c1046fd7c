/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an algorithm costs, as data: the rounds of its program, for a choice among algorithms
 * without playing them.
 *
 * A round says who sends to whom, and how much. Rounds come one after the other; what a round takes
 * follows from the links that its messages cross, which system/auto_paths.c finds out. In the terms
 * of the alpha-beta model (Hockney, Parallel Computing 1994; Thakur, Rabenseifner and Gropp, IJHPCA
 * 2005): alpha of each round, and its bytes times beta of the link that they load most.
 */
#ifndef WEFT_COLLECTIVE_COST_H
#define WEFT_COLLECTIVE_COST_H

#include "collective/collective.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Whom @p rank sends its message number @p j of a round to; itself: to nobody. */
typedef uint32_t weft_coll_to_fn(const struct weft_coll_call *c, uint32_t arg, uint32_t rank,
                                 uint32_t j);

/** Rounds that are all alike. */
struct weft_coll_round {
    weft_coll_to_fn *to;
    uint32_t arg;    /**< of `to` */
    uint32_t fanout; /**< messages of a rank in a round, all at once; 0 counts as 1 */
    uint64_t times;  /**< rounds, one after the other */
    uint64_t bytes;  /**< of each message */
    bool relayed; /**< a rank waits for its neighbour alone, around a ring: slow ones are evened out
                   */
    bool streamed;  /**< these rounds fill a pipeline that is under way: they add no latency */
    bool meanwhile; /**< no rounds of their own: so much of the streamed ones that follow goes on
                       while the rounds before wait for their latencies */
    bool adds;      /**< what comes in is added up */
};

/** Takes the rounds. */
struct weft_coll_cost_sink {
    void *ctx;
    void (*round)(void *ctx, const struct weft_coll_call *c, const struct weft_coll_round *r);
};

static inline void weft_coll_cost_round(const struct weft_coll_cost_sink *s,
                                        const struct weft_coll_call *c, struct weft_coll_round r)
{
    r.fanout = r.fanout ? r.fanout : 1;
    if (r.times)
        s->round(s->ctx, c, &r);
}

/** Bytes that all units have together: the buffer, or what each rank has after an all-gather. */
uint64_t weft_coll_whole_bytes(const struct weft_coll_call *c);

/* --- who sends to whom --- */

/** rank + arg, around. */
weft_coll_to_fn weft_coll_to_shifted;
/** Message j: rank + 1 + j, around. */
weft_coll_to_fn weft_coll_to_others;
/** rank xor arg among the ranks below the largest power of two p <= n. */
weft_coll_to_fn weft_coll_to_flipped;
/** Rank p + v to rank v, and back. */
weft_coll_to_fn weft_coll_to_folded;
weft_coll_to_fn weft_coll_to_unfolded;

WEFT_C_END
#endif
