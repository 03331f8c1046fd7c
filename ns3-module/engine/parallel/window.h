/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switches run behind hosts, a window at a time.
 *
 * What leaves a node reaches the next one a link's delay later at the earliest. So once all events
 * before S are over, those of each switch before S + lookahead (the shortest link of a switch that
 * runs in windows) depend on nothing that another node does from S on: switches may run one after
 * the other, each through all its events of that window, with its ports, queues and buffer in the
 * nearest cache (Chandy and Misra: "Distributed simulation", IEEE TSE SE-5(5), 1979; the windows
 * are those of Lubachevsky, CACM 32(1), 1989, but run by one processor). Events of hosts, of
 * switches with shorter links (clusters.h), and timers keep their order among each other, as what
 * they tell the outside must. They may run to S + lookahead, too, before the next window is due.
 *
 * A switch has a heap of its own events, one entry per link that leads to it and, while it is
 * eager, per port; the switches that have any are in one heap by the time of their first. Who looks
 * at a switch, or changes it from outside, has windows run up to then first (window_catch_up).
 *
 * Timers of PFC (pfc.quanta) are among those of hosts. What a switch does in a window sets them no
 * sooner than the window is long, so none comes late; when one is due its switch catches up first.
 *
 * The result is that of one queue, as simultaneous events at different nodes don't see each other.
 * A switch of which something else must know at once is kept out of windows (clusters.c): one that
 * adds up sums, has links under credits, packets that a hook is told of, or a choice of ports by
 * state that switches share (flowlets). All are where nobody can tell which: under hooks that are
 * told of queues, marks, drops and pauses at switches; with packets that tell the outside of their
 * loss; with
 * pfc.response-time, whose timers are ordered by when they were asked for; and where ports are not
 * lazy (lazy.c).
 */
#ifndef WEFT_WINDOW_H
#define WEFT_WINDOW_H

#include "clusters.h"
#include "core/fastq.h"
#include "core/stable.h"

#define MOST_THREADS 255u

/** The events of one switch. */
struct window_node {
    struct keyheap q; /**< keys as those of fastq.h, from windows.base */
    bool vacant;      /**< the first key is that of the event being executed */
    bool owes;        /**< its lazy ports may owe transmissions, now or later */
    bool
        still; /**< nothing happens there for now: its component is suspended (replay_symmetry.c) */
    bool loose;      /**< any thread may run it */
    bool apart;      /**< some port of it is APART (port.h): all are settled when a window begins */
    uint8_t thread;  /**< that it belongs to */
    uint8_t strayed; /**< windows in a row in which another ran it */
    uint32_t events; /**< in its last window */
    uint32_t load;   /**< in windows that were counted (loads.h) */
    uint32_t place;  /**< in windows.marks: those of a thread lie together, on lines of its own */
} __attribute__((aligned(64)));

/** What there is to do at a switch, so that those with nothing to do are not even read. */
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
    struct clusters clusters;
    int64_t lookahead_ps; /**< the shortest link of a switch in windows; not beyond the soonest that
                             a timer of PFC may be due */
    int64_t done_ps;      /**< S */
    int64_t last_ps;      /**< time of the last event executed at a switch */
    int64_t base;
    struct window_node *of;      /**< by node; unused, and zero, for hosts */
    struct stable mem;           /**< what they lie in */
    struct window_mark *marks;   /**< by window_node.place */
    struct window_node *running; /**< the switch whose events are being executed, NULL: none */
    struct keyheap order; /**< (time of the first event, node); may hold superseded entries */
    bool brief; /**< it has one switch of each thread, and all of these are listed by its time */
    struct window_note *notes; /**< not told yet */
    uint32_t nnotes, notes_cap;
    int64_t noted_ps; /**< what takes effect before is noted already; at most times INT64_MIN */
};

struct weft_engine;

/** Whether a window may be due before what is due at hosts at @p t_ps: window_advance. */
static inline bool window_due(const struct windows *w, int64_t t_ps)
{
    return w->on && t_ps >= w->done_ps + w->lookahead_ps;
}

#pragma GCC visibility push(hidden)

/** Prepares for the nodes of a fabric; false when out of memory. */
bool window_init(struct weft_engine *e);
void window_fini(struct weft_engine *e);
/** Decides whether switches may run in windows as things are: at first, and whenever one of the
 * reasons against has changed. */
void window_choose(struct weft_engine *e);
/** Adds the event @p key at @p t of switch @p node. */
void window_add(struct weft_engine *e, uint32_t node, int64_t t, uint64_t key);
/** Time of the first event of a switch, WEFT_NEVER: none. */
int64_t window_first(struct weft_engine *e);
/** Nothing at hosts is due before @p t_ps. Runs at most one window and says whether it did; false:
 * what is due at hosts at @p t_ps may run. */
bool window_advance(struct weft_engine *e, int64_t t_ps);
/** All events of switches before @p t_ps are over, and those of hosts that they could come from. */
void window_done(struct weft_engine *e, int64_t t_ps);
/** Executes every event of switches before @p until_ps, before which nothing is due at hosts. */
void window_run(struct weft_engine *e, int64_t until_ps);
/** The same for all before the event that is being executed, or the time that was set: before
 * switches are looked at, or changed. */
void window_catch_up(struct weft_engine *e);

/** The run ends for now: the clock is that of the last event, and all is told. */
void window_end(struct weft_engine *e);
/** A pause or resume takes effect at a port, now; @p expired: its time is over. */
void window_note_pfc(struct weft_engine *e, uint32_t port, uint32_t prio, bool pause, bool expired);
/** Tells the hook what took effect before @p until_ps. */
void window_tell(struct weft_engine *e, int64_t until_ps);

#pragma GCC visibility pop

#endif
