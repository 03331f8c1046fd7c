/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switches with event queues of their own, which are executed a window of time at a time behind
 * those of hosts: their queues, and what is noted there until it is told. When they run, and by how
 * many threads, is the executor's (executor.h); windows.on is false where there is none.
 */
#ifndef WEFT_ENGINE_WINDOWS_H
#define WEFT_ENGINE_WINDOWS_H

#include "engine.h"
#include "fastq.h"
#include "heap.h"
#include "stable.h"

#include "base/units.h"

#include <stdbool.h>
#include <stdint.h>

/** Which switches run in windows, and which nodes are executed in one common order
 * (parallel/clusters.h). */
struct clusters {
    uint32_t *of;        /**< by node: the first node of its cluster; a switch in windows: itself */
    bool *in_windows;    /**< by node */
    uint32_t n;          /**< clusters */
    bool lone;           /**< each is one node */
    int64_t switches_ps; /**< the shortest link of a switch in windows */
    int64_t between_ps;  /**< the shortest link of two clusters; WEFT_NEVER: there is none */
};

/** The events of one switch. */
struct window_node {
    struct keyheap q; /**< keys as those of fastq.h, from windows.base */
    bool vacant;      /**< the first key is that of the event being executed */
    bool deferred;    /**< its lazy ports may owe transmissions, now or later */
    bool suspended;   /**< nothing happens there for now: its component is suspended */
    bool stealable;   /**< any thread may run it */
    bool apart;      /**< some port of it is APART (port.h): all are settled when a window begins */
    uint8_t thread;  /**< that it belongs to */
    uint8_t stolen;  /**< windows in a row in which another ran it */
    uint32_t events; /**< in its last window */
    uint32_t load;   /**< in windows that were counted (loads.c) */
    uint32_t place;  /**< in windows.marks: those of a thread lie together, on lines of its own */
} __attribute__((aligned(64)));

/** Pending work at a switch, so that those with nothing to do are not even read. */
struct window_mark {
    uint64_t first;    /**< nothing is before this key; 0: its ports may owe transmissions */
    int64_t listed_ps; /**< time of its entry in windows.order, WEFT_NEVER: none */
};
/** As many lie on a cache line. */
#define WINDOW_MARKS 4u

/** A pause or resume that took effect: struct weft_engine_hooks, pfc. */
struct window_note {
    int64_t t_ps;
    uint64_t rank; /**< among those of its time: the port that sent the frame, or beyond the numbers
                      of ports that of the timer whose pause is over */
    uint32_t port;
    uint8_t prio;
    bool pause;
};

struct windows {
    bool on;
    bool stepped; /**< weft_engine_expect_steps was called */
    bool changed; /**< switches were changed from outside: any may have transmissions to make */
    struct clusters clusters;
    int64_t lookahead_ps; /**< the shortest link of a switch in windows; not beyond the soonest that
                             a timer of PFC may be due */
    int64_t done_ps;      /**< S */
    int64_t last_ps;      /**< time of the last event executed at a switch */
    int64_t least_ps;     /**< shortest delay of a link that windows are worth it with */
    int64_t base;
    struct window_node *of;      /**< by node; unused, and zero, for hosts */
    struct stable mem;           /**< what they lie in */
    struct window_mark *marks;   /**< by window_node.place */
    struct window_node *running; /**< the switch whose events are being executed, NULL: none */
    struct keyheap order; /**< (time of the first event, node); may hold superseded entries */
    bool one_per_thread;  /**< it has one switch of each thread, and all of these are listed by its
                             time */
    struct window_note *notes; /**< not told yet */
    uint32_t nnotes, notes_cap;
    uint32_t nagreed; /**< of these, all processes know */
    int64_t noted_ps; /**< what takes effect before is noted already; at most times INT64_MIN */
    int64_t first_note_ps; /**< no note is earlier, where there are any */
};

struct weft_engine;

/** Whether a window may be due before what is due at hosts at @p t_ps: window_advance. */
static inline bool window_due(const struct windows *w, int64_t t_ps)
{
    return w->on && t_ps >= w->done_ps + w->lookahead_ps;
}

/** Bits of a node's number in an entry of windows.order. */
#define WINDOW_NODE_BITS FASTQ_ID_BITS

/** The time of a key. */
static inline int64_t window_time(const struct windows *w, uint64_t key)
{
    return key == KEYHEAP_EMPTY ? WEFT_NEVER : w->base + (int64_t)(key >> FASTQ_ID_BITS);
}

/** The first key of a time. */
static inline uint64_t window_key(const struct windows *w, int64_t t)
{
    return fastq_key(w->base, t, EV_ARRIVE, 0);
}

/** The switch of an entry of `order`. */
static inline uint32_t window_switch(uint64_t entry)
{
    return (uint32_t)entry & ((1u << WINDOW_NODE_BITS) - 1);
}

static inline struct window_mark *window_mark(const struct windows *w, uint32_t node)
{
    return &w->marks[w->of[node].place];
}
/** Something has changed at switch @p node that is not a new event: its mark knows. */
static inline void window_note_first(struct windows *w, uint32_t node)
{
    const struct window_node *s = &w->of[node];
    w->marks[s->place].first = s->deferred && s->apart ? 0 : s->q.h[0];
}

/** Adds the event @p key at @p t of switch @p node. */
void window_add(struct weft_engine *e, uint32_t node, int64_t t, uint64_t key);
/** Time of the first event of a switch, WEFT_NEVER: none. */
int64_t window_first(struct weft_engine *e);
/** Enters a switch whose first event is at @p t into windows.order. */
void window_list(struct weft_engine *e, uint32_t node, int64_t t);
/** A pause or resume takes effect at a port, now; @p expired: its time is over. */
void window_note_pfc(struct weft_engine *e, uint32_t port, uint32_t prio, bool pause, bool expired);
/** Writes down a pause or resume, to be told later. */
void window_note(struct weft_engine *e, const struct window_note *note);
/** Reports pauses and resumes that took effect before @p until_ps to the hook. */
void window_report_pauses(struct weft_engine *e, int64_t until_ps);
/** The order of their events (qsort): arrivals, then timers. */
int window_compare_notes(const void *va, const void *vb);

#endif
