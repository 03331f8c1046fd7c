/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulation of chunks going through dimensions that agreed_order.c takes its order from.
 * Internal to agreed_*.c.
 */
#ifndef WEFT_SYSTEM_AGREED_SIM_H
#define WEFT_SYSTEM_AGREED_SIM_H

#include "base/event_heap.h"
#include "system/agreed_order.h"

#include <stdbool.h>

/* Phases that take turns: of a dimension, or the copies in one. */
struct weft_agreed_queue {
    struct weft_agreed_turn *turns; /* the result, in order of beginning */
    uint64_t nturns;
    struct weft_agreed_turn *ready; /* in order of arrival, from head on */
    uint64_t head, nready;
    uint64_t active;
    uint64_t free_ps; /* the bytes of all phases so far are through */
};

struct weft_agreed_order {
    uint64_t users;
    struct weft_agreed_order *next; /* among those kept */
    struct weft_agreed_problem p;
    struct weft_dims wanted; /* p.dims as given */
    enum weft_intra wanted_intra;
    struct weft_dims dims;
    enum weft_coll_turn turn;
    uint8_t *order; /* nchunks * dims.n */
    uint32_t nqueues;
    struct weft_agreed_queue queue[WEFT_AGREED_QUEUES];
};

/* What only the simulation needs. */
struct weft_agreed_sim {
    struct weft_agreed_order *o;
    struct weft_heap ends; /* of phases under way; the slot is the chunk. Has room for one each */
    uint64_t now_ps;
    bool shared;     /* phases under way in a queue share its bandwidth; else each has all of it */
    uint32_t *phase; /* per chunk */
    uint32_t *queue; /* per chunk: where its phase is under way */
    uint64_t *bytes; /* per chunk: what the phase begins with */
};

/* What a rank sends per second in dimension @p d of bandwidth @p rate_bps, the way its algorithm
 * uses the links that have it together: one after the other, or several at once. */
uint64_t weft_agreed_pace_bps(const struct weft_agreed_problem *p, uint32_t d, uint64_t rate_bps);
/* Writes the turns of each queue for the order of s->o; returns when the last phase ends. */
uint64_t weft_agreed_simulate(struct weft_agreed_sim *s);
/* When the last phase ends, by every message, in the order of the turns written; UINT64_MAX: not
 * known. agreed_play.c */
uint64_t weft_agreed_play(const struct weft_agreed_order *o);

#endif
