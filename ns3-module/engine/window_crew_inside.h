/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads' state: inside of window_crew.c and host_parts.c. */
#ifndef WEFT_WINDOW_CREW_INSIDE_H
#define WEFT_WINDOW_CREW_INSIDE_H

#include "base/figures.h"
#include "base/units.h"
#include "context.h"
#include "crew.h"
#include "engine.h"
#include "worker.h"

#include <stdatomic.h>

#define MOST_THREADS 255u
/** Events per thread below which one does it alone: a barrier takes as long as some hundred. */
#define WORTHWHILE 100u

/** The switches of a thread that take part in a window: its own, then those for any. */
struct turn {
    uint32_t first, loose, end;
    _Alignas(64) _Atomic uint32_t next; /**< not taken yet */
};

/** CPU time of threads in some windows. */
struct thread_times {
    int64_t busy_ns;     /**< of all of them */
    int64_t critical_ns; /**< of the busiest of each window */
};

static inline void thread_times_add(struct thread_times *t, int64_t busy_ns, int64_t most_ns)
{
    t->busy_ns += busy_ns;
    t->critical_ns += most_ns;
}

struct window_crew {
    struct crew *crew;
    unsigned n;
    struct worker *workers;
    struct outbox *out; /**< by port; NULL: no other processes */
    _Atomic uint32_t untouched[2];
    uint32_t *switches, nswitches; /**< in windows */
    uint32_t *nodes;               /**< that take part in the window, by thread */
    uint32_t *border, nborder;     /**< switches of clusters that have links to others */
    struct turn *turns;
    uint8_t *thread;    /**< of each node, at first */
    bool *loose;        /**< by node: any of several threads may run it */
    uint8_t *to;        /**< by port: of the node at the end of its link */
    int64_t settled_ps; /**< all transmissions before this time have been made */
    bool look_again;    /**< any switch may owe some */
    bool uneven;        /**< threads have waited much for each other */
    bool list_again;    /**< who may run switches has changed */
    uint64_t shuffle;   /**< not 0, for tests: seed of random orders */
    struct host_parts *parts;
    /* this window */
    struct weft_engine *e;
    int64_t until_ps;
    uint64_t until;
    bool measured;    /**< the times of its threads */
    int64_t *busy_ns; /**< by thread */
    int64_t run_ns;   /**< from its beginning */
    int64_t done_ns;  /**< to when all had come to its end */
    /* measured windows: all, those since the last look */
    struct thread_times all, seen;
    int64_t measured_ns;         /**< their run_ns */
    struct thread_times posting; /**< of messages together (posts.h) */
    int64_t posting_ns;          /**< its run_ns */
    struct weft_thread_figures figures;
};

#define WINDOW_LEAST_PS (200 * WEFT_PS_PER_NS)

/** Shortest delay of a link that windows are worth it with: below, a node has too few events in one
 * (docs/performance.md). Processes take shorter ones where they must (peers.c), tests have threads
 * run windows however short, but for some seeds. */
static inline int64_t window_least_ps(const struct weft_engine *e)
{
    if (e->peers)
        return e->peers->least_ps;
    return e->crew && e->crew->shuffle >> 1 & 1 ? 1 : WINDOW_LEAST_PS;
}

/** CPU time of this thread in a window that is measured, else 0. */
static inline int64_t window_crew_clock_ns(const struct window_crew *c)
{
    return c->measured ? crew_cpu_ns() : 0;
}

#pragma GCC visibility push(hidden)

/** A window of clusters alone begins at @p hosts_ps: makes the transmissions that switches owe
 * before it. */
void window_crew_begin_hosts(struct weft_engine *e, struct window_crew *c, int64_t hosts_ps);
/** It is over; @p events were executed, @p most of them at one host. */
void window_crew_end_hosts(struct weft_engine *e, struct window_crew *c, uint64_t events,
                           uint64_t most);
/** Whether enough happened at switches lately for several threads. */
bool window_crew_worthwhile(const struct weft_engine *e, const struct window_crew *c,
                            int64_t until_ps);
/** Settles switches, those of clusters up to @p hosts_ps, before which nothing is due at these, and
 * lists those in windows that have something to do before @p until_ps. */
void window_crew_begin(struct weft_engine *e, struct window_crew *c, int64_t hosts_ps,
                       int64_t until_ps);
/** Runs switches, those of thread @p number first, then those that others have not begun. */
void window_crew_turns(struct window_crew *c, struct worker *w, unsigned number);
/** All switches have been run; beside their events, @p events were executed, @p most of them at one
 * node. */
void window_crew_end(struct weft_engine *e, struct window_crew *c, uint64_t events, uint64_t most);
/** Threads execute @p fn (crew.h), which runs nodes in contexts of their own (worker.h); takes over
 * what they have done. */
void window_crew_do(struct weft_engine *e, struct window_crew *c,
                    void (*fn)(void *ctx, unsigned number), void *ctx);
/** The window is over, with all that the engine's own thread had to do with it. */
void window_crew_measure(struct window_crew *c);
/** The same of posting messages together, which is always measured. */
void window_crew_measure_posts(struct window_crew *c);
/** For tests: each thread comes late at random, so that any of them is first. */
void window_crew_dawdle(const struct window_crew *c, unsigned number);

#pragma GCC visibility pop

#endif
