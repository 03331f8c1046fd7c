/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of libweft (weft.h): a network of a scenario without its workloads, over net/net.h.
 *
 * What is posted waits in the library until its time (sim_post.c): one timer of the net is armed
 * for all of it, so that what is posted between runs enters the net as flows of a list do. What the
 * net says becomes events (sim_run.c), which are sorted at the end of each run.
 */
#ifndef WEFT_LIB_SIM_H
#define WEFT_LIB_SIM_H

#include "lib/weft.h"

#include "base/event_heap.h"
#include "base/slots.h"
#include "net/net.h"
#include "net/watch.h"
#include "scenario/scenario.h"

#pragma GCC visibility push(hidden)

/** A message or timer, from when it is posted to when it is over. */
struct sim_item {
    uint64_t id, user, tag, bytes;
    uint32_t src, dst, prio, qp;
    uint32_t next;  /**< in the list of a QP that wait for the NIC; WEFT_NO_SLOT: the last */
    uint8_t events; /**< enum weft_event_kind: those that it had */
    bool timer, marked;
};

/** What is posted for later times. Entries whose time is not before that of the last are appended,
 * others go into the heap. */
struct sim_pending {
    struct weft_heap_entry *queue;
    size_t head, n, cap;
    struct weft_heap heap;
    uint64_t order; /**< entries so far */
};

struct sim_match;   /* sim_match.c */
struct post_change; /* sim_post.c */
struct sim_nics;    /* sim_nics.c */

struct weft_sim {
    struct weft_scenario *scenario;
    struct weft_scenario_parts parts;
    struct weft_net *net;
    struct weft_fault_player *faults; /**< NULL: nothing goes wrong */
    struct weft_series *series;       /**< NULL: nothing is sampled */
    struct weft_watch watch;
    int64_t now_ps;
    uint64_t posted;         /**< messages, timers and receives: the next number */
    struct weft_slots items; /**< struct sim_item */
    struct sim_pending pending;
    int64_t armed_ps;            /**< when the net's timer fires next; WEFT_NEVER: none is armed */
    uint64_t open;               /**< messages in the net */
    struct post_change *changes; /**< of links, that have not happened */
    struct weft_event *events;
    size_t head, nevents, events_cap;
    uint32_t kinds;           /**< of events that are taken */
    uint32_t stop, run_flags; /**< of the present run */
    bool stopped, instant;    /**< an event that stops has happened; one happened between runs */
    bool passive;             /**< the sink that the net has now may be told later */
    bool sunk;                /**< it has one */
    struct sim_match *match;  /**< NULL: without receives */
    struct sim_nics *nics;    /**< NULL: STARTED and SENT are not asked for */
    struct weft_err err;      /**< the last */
    bool broken;              /**< it can only be closed */
    char text[1400];          /**< of err */
};

/** Opens a network with one of @p backends, the first being the default. */
weft_sim *sim_open(const struct weft_net_backend *const *backends, size_t nbackends,
                   const char *scenario, const char *const *settings, size_t n,
                   const struct weft_sim_options *options, struct weft_error *error);

/* sim_error.c */
/** A callback failed: the run ends. */
void sim_break(struct weft_sim *s);
/** Remembers an error. Returns its code. */
int sim_fail(struct weft_sim *s, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static inline struct sim_item *sim_item(const struct weft_sim *s, uint32_t slot)
{
    return (struct sim_item *)weft_slot(&s->items, slot);
}

/* sim_pending.c */
/** Adds a slot; equal times come in the order added. 0 or WEFT_E_LIMIT. */
int sim_pending_add(struct sim_pending *p, int64_t t_ps, uint32_t slot);
/** The time of the first; WEFT_NEVER: there is none. */
int64_t sim_pending_first(const struct sim_pending *p);
/** Takes the first. */
uint32_t sim_pending_take(struct sim_pending *p);
void sim_pending_release(struct sim_pending *p);

/* sim_events.c */
/** Adds an event of an item, at @p t_ps; counts whether it stops the run. 0 or WEFT_E_LIMIT, which
 * is remembered. */
int sim_event(struct weft_sim *s, uint32_t slot, uint32_t kind, int64_t t_ps);
/** Adds any event. */
int sim_event_add(struct weft_sim *s, const struct weft_event *e, bool marked);
/** Sorts what was added since @p from events were there to take. */
void sim_events_sort(struct weft_sim *s, size_t from);
/** Frees the slot of an item to which nothing can happen any more. */
void sim_item_over(struct weft_sim *s, uint32_t slot);

/* sim_post.c */
/** Frees changes that will not happen. */
void sim_changes_free(struct weft_sim *s);

/* sim_run.c */
/** Has the net call when the first of what is pending is due. */
int sim_arm(struct weft_sim *s);

/* sim_match.c */
struct sim_match *sim_match_new(struct weft_err *err);
void sim_match_free(struct sim_match *m);
/** A message has arrived at @p t_ps. */
int sim_match_arrived(struct weft_sim *s, const struct sim_item *message, int64_t t_ps);
/** Receives that wait, in the order posted: at most @p max sentences. Returns how many. */
uint64_t sim_match_explain(const struct weft_sim *s, uint64_t max,
                           void (*say)(void *ctx, const char *sentence), void *ctx);
uint64_t sim_match_waiting(const struct weft_sim *s);

/* sim_nics.c */
int sim_nics_new(struct weft_sim *s, struct weft_err *err);
void sim_nics_free(struct sim_nics *n);
/** A message enters the net. */
int sim_nics_posted(struct weft_sim *s, uint32_t slot);
/** What never showed at a NIC has happened by now, at @p t_ps: a message of a backend without
 * packets, or of TCP. */
int sim_nics_over(struct weft_sim *s, uint32_t slot, const struct weft_completion *done);

#pragma GCC visibility pop

#endif
