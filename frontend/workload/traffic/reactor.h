/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sources whose flows follow from the arrival of others have in common: flows and timers of
 * the future in order of time, flows under way, and whose each is. A source says what begins it,
 * what a timer does and what an arrival does.
 */
#ifndef WEFT_TRAFFIC_REACTOR_H
#define WEFT_TRAFFIC_REACTOR_H

#include "base/event_heap.h"
#include "base/slots.h"
#include "workload/flows.h"

struct weft_reactor;

/** What a source does, at times since it began. It calls the functions below, whose failures are
 * kept. */
struct weft_reactor_ops {
    void (*begin)(struct weft_reactor *r, uint64_t repetition);
    /** A timer fires. */
    void (*fired)(struct weft_reactor *r, int64_t now_ps, uint64_t cookie);
    /** A flow has come to its receiver. */
    void (*arrived)(struct weft_reactor *r, int64_t now_ps, uint64_t cookie);
    void (*free)(struct weft_reactor *r);
};

/** A flow or timer of the future; a flow under way. */
struct weft_reactor_item {
    struct weft_flow flow;
    uint64_t cookie;
    bool is_flow;
};

/** Base of such a source. */
struct weft_reactor {
    struct weft_flow_source base;
    const struct weft_reactor_ops *ops;
    struct weft_heap heap;   /**< of the future */
    struct weft_slots items; /**< of struct weft_reactor_item */
    uint32_t *by_number;     /**< item of each flow made, from number `first` on */
    uint64_t first, made, room;
    uint64_t open; /**< flows made that have not arrived */
    bool begun;
    struct weft_err err;
};

/** Makes a zeroed object the base of a source, ready for its first flow. */
void weft_reactor_init(struct weft_reactor *r, const struct weft_reactor_ops *ops, bool endless);
/** Frees what the base owns. */
void weft_reactor_release(struct weft_reactor *r);
/** Begins a flow at @p t_ps, not before now; @p cookie comes back when it has arrived. */
void weft_reactor_send(struct weft_reactor *r, int64_t t_ps, uint32_t src, uint32_t dst,
                       uint64_t bytes, uint32_t qp, uint64_t cookie);
/** Fires at @p t_ps. */
void weft_reactor_timer(struct weft_reactor *r, int64_t t_ps, uint64_t cookie);
/** Reports a request that is over. */
void weft_reactor_request(struct weft_reactor *r, const struct weft_request *request);
/** Takes a place for something of the source; WEFT_NO_SLOT: without memory, which is kept as its
 * failure. */
uint32_t weft_reactor_place(struct weft_reactor *r, struct weft_slots *of, const char *what);
/** Keeps the failure of a source. */
void weft_reactor_fail(struct weft_reactor *r, const char *what);

#endif
