/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instances that decode: iteration by iteration each of their requests gets a token more, with
 * tensor-parallel all-reduces between the ranks of an instance.
 *
 * Requests join and leave between iterations (continuous batching: Orca, OSDI 2022). An iteration
 * is so many times a part of its computation, and then an all-reduce of one activation vector per
 * request. An all-reduce is one-shot, as those of small messages are: every rank sends all it has
 * to each other rank of its instance, and adds up.
 */
#ifndef WEFT_TRAFFIC_DECODE_H
#define WEFT_TRAFFIC_DECODE_H

#include "workload/traffic/reactor.h"

/** All instances. */
struct weft_decode_config {
    uint32_t first_rank;   /**< of the first instance; the others follow */
    uint32_t ninstances;   /**< at least 1 */
    uint32_t tp;           /**< ranks of each */
    uint32_t all_reduces;  /**< of an iteration, at least 1 */
    uint32_t batch;        /**< most requests of an iteration; 0: any number */
    uint64_t vector_bytes; /**< that a request adds to an all-reduce */
    int64_t iteration_ps;  /**< computation of an iteration */
    uint64_t cookies;      /**< the first of its cookies: it has `ninstances` from there on */
};

/** A request that has all its tokens, at times since the source began. */
struct weft_decoded {
    uint32_t request;         /**< as it was added */
    int64_t added_ps, end_ps; /**< and the last token was there */
    int64_t wait_ps;          /**< of this time, until its first iteration */
    int64_t service_ps;       /**< of it, its iterations computed */
};

struct weft_decode;

/** NULL: out of memory. @p over is told of requests, in the order of time. */
struct weft_decode *weft_decode_new(const struct weft_decode_config *c, struct weft_reactor *r,
                                    void (*over)(struct weft_reactor *r,
                                                 const struct weft_decoded *d));
void weft_decode_free(struct weft_decode *d);
/** All instances have nothing to do. */
void weft_decode_clear(struct weft_decode *d);
/** Adds a request that wants @p tokens, at least 1, to an instance. */
void weft_decode_add(struct weft_decode *d, uint32_t instance, uint32_t request, uint64_t tokens,
                     int64_t now_ps);
/** Whether a cookie of the reactor is one of its own. */
bool weft_decode_owns(const struct weft_decode *d, uint64_t cookie);
/** A timer with such a cookie fires; a flow with one has arrived. */
void weft_decode_fired(struct weft_decode *d, int64_t now_ps, uint64_t cookie);
void weft_decode_arrived(struct weft_decode *d, int64_t now_ps, uint64_t cookie);

#endif
