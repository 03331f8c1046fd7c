/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads' state: inside of window_threads.c, window_turns.c and host_parts.c. */
#ifndef WEFT_ENGINE_WINDOW_THREADS_H
#define WEFT_ENGINE_WINDOW_THREADS_H

#include "base/figures.h"
#include "base/units.h"
#include "core/context.h"
#include "thread_pool.h"
#include "engine.h"
#include "worker.h"

#include <stdatomic.h>

/** Events below which one of @p n threads does them alone: two barriers take as long as some
 * hundred and fifty, and what each thread has to be begun and put together as some 25. */
static inline uint64_t window_threads_enough(unsigned n)
{
    return 150 + 25 * (uint64_t)n;
}

/** Windows of which one is measured, and what happens at each host is counted: asking for the time
 * of a thread takes as long as ten packets. */
#define WINDOWS_PER_COUNT 8u
/** Windows between two looks at what threads have to do, and wait. */
#define WINDOWS_PER_LOOK (8 * WINDOWS_PER_COUNT)

/** The switches of a thread. */
struct turn {
    uint32_t first, stealable,
        end; /**< its own at first, in `switches`; from `stealable` on those for any */
    uint32_t any, any_end; /**< those for any that are its own by now, in `any` */
    uint64_t events;       /**< of this window, at all switches that it ran */
    uint64_t load;         /**< of the window, at those that are its own at first, and hosts */
    uint64_t sum;          /**< of windows since the last look at loads (loads.c) */
    int64_t first_ps;      /**< of the next event at its own at first, WEFT_NEVER: none */
    uint32_t first_node;
    uint32_t place; /**< of the first of its own */
    uint32_t soon;  /**< of its own at first, those with events before window_threads.soon_ps */
    uint64_t soon_events; /**< those switches' events in their last windows, and one of each */
    _Alignas(64) _Atomic uint32_t next; /**< not taken yet, in `any` */
};

struct window_threads;
struct loads_projection;
/** Part of thread @p number of something that all do together. */
typedef void window_threads_work(struct window_threads *c, struct worker *w, unsigned number);

struct window_threads {
    struct thread_pool *pool;
    unsigned n;
    struct worker *workers;
    struct outbox *out; /**< by port */
    _Atomic uint32_t untouched[WORKER_POOLS];
    uint32_t *switches, nswitches; /**< in windows, by whose they are at first */
    uint32_t *any;                 /**< those for any, by whose they are by now */
    uint32_t *border, nborder;     /**< switches of clusters that have links to others */
    struct turn *turns;
    uint8_t *thread;      /**< of each node, at first */
    bool *stealable;      /**< by node: any of several threads may run it */
    uint8_t *to;          /**< by port: of the node at the end of its link */
    int64_t caught_up_ps; /**< all transmissions before this time have been made */
    uint32_t *place;      /**< by node: window_node.place */
    uint64_t *loads;      /**< window_threads_loads */
    uint32_t *load;       /**< by node: what happened there, if nodes are dealt by it */
    uint32_t *seen_load;  /**< the same at the last look (loads.c) */
    bool by_load;         /**< nodes are dealt by their load */
    bool no_gain;         /**< dealing them so would not have helped at the last look */
    uint64_t look_at;     /**< windows after which the next look is due */
    uint32_t look_every;  /**< windows between two of them */
    struct loads_projection *projection; /**< loads.c; NULL: none */
    _Atomic bool changed_hands;          /**< a switch for any has */
    uint64_t shuffle;                    /**< not 0, for tests: seed of random orders */
    struct host_parts *parts;
    /* this window */
    struct weft_engine *e;
    int64_t until_ps;
    uint64_t until;
    int64_t soon_ps; /**< end of a window that follows at once */
    window_threads_work *work;
    /** at the end of a window, in the context of a thread: looks at what its hosts have next */
    void (*look)(struct weft_engine *e, unsigned number);
    bool all_deferred; /**< switches may owe transmissions */
    bool measured;     /**< the times of its threads */
    bool counted;      /**< what happens at each host */
    bool posting;      /**< it is messages that they post */
    int64_t *busy_ns;  /**< by thread */
    int64_t weight;    /**< so many windows it stands for, if it is measured */
    int64_t run_ns;    /**< that threads were together */
    int64_t mark_ns;   /**< CPU time of the engine's own thread, to here; 0: none yet */
    int64_t clock_ns;  /**< what asking for it takes */
    int64_t took_ns;   /**< CPU time of all threads, in this one */
    struct weft_thread_figures figures;
};

/** How many numbers of that kind lie on lines of one thread's own. */
static inline size_t window_threads_row(unsigned n)
{
    return (n + 7u) / 8u * 8u;
}
/** Events in this window at the switches that thread @p number ran, by whose these are at first. */
static inline uint64_t *window_threads_loads(const struct window_threads *c, unsigned number)
{
    return c->loads + number * window_threads_row(c->n);
}

/** CPU time of this thread in a window that is measured, else 0. */
static inline int64_t window_threads_clock_ns(const struct window_threads *c)
{
    return c->measured ? thread_pool_cpu_ns() : 0;
}

/** Work of the engine's own thread since the last such call was of this kind. */
static inline void window_threads_spent(struct window_threads *c, enum weft_alone kind)
{
    if (!c->measured)
        return;
    const int64_t now_ns = thread_pool_cpu_ns(), took_ns = now_ns - c->mark_ns - c->clock_ns;
    if (c->mark_ns && took_ns > 0)
        c->figures.alone_ns[kind] += c->weight * took_ns;
    c->mark_ns = now_ns;
}

/** A window of clusters alone begins at @p hosts_ps: makes the transmissions that switches owe
 * before it. */
void window_threads_begin_hosts(struct weft_engine *e, struct window_threads *c, int64_t hosts_ps);
/** Whether enough happened at switches lately for several threads. */
bool window_threads_worthwhile(struct weft_engine *e, const struct window_threads *c,
                               int64_t until_ps);
/** The same of a window to @p until_ps in which switches run as well; nothing is due at those of
 * clusters before @p hosts_ps. */
void window_threads_begin(struct weft_engine *e, struct window_threads *c, int64_t hosts_ps,
                          int64_t until_ps);
/** Runs switches, those of thread @p number first, then those that others have not begun. */
void window_threads_turns(struct window_threads *c, struct worker *w, unsigned number);
/** The window is over; beside the events of switches, @p events were executed. */
void window_threads_end(struct window_threads *c, uint64_t events);
/** Threads do @p work, each in a context of its own (worker.h); takes over what they have done. */
void window_threads_do(struct weft_engine *e, struct window_threads *c, window_threads_work *work);
/** Lists the switches for any by thread, after some have changed hands. */
void window_threads_list_any(const struct weft_engine *e, struct window_threads *c);

/* window_times.c */
/** Threads execute fn(c, number), and wait for each other; returns how many there are. */
unsigned window_threads_together(struct window_threads *c, void (*fn)(void *ctx, unsigned number));
/** The window is over, with all that the engine's own thread had to do with it. */
void window_threads_measure(struct window_threads *c);
/** Whether the busiest thread has had much more to do than the mean since the last look at loads
 * (loads.c). */
bool window_threads_lopsided(const struct window_threads *c);
/** Messages are posted together: this is always measured. */
void window_threads_begin_posts(struct window_threads *c);

/* window_threads.c, window_turns.c */
/** Several threads execute the events of all switches before @p until_ps, as run_window of
 * window.c. False, and nothing has happened: there is only one, or too little to do. */
bool window_threads_run(struct weft_engine *e, int64_t until_ps);
/** Enters all switches into windows.order, if only the first of each thread are
 * (windows.one_per_thread). */
void window_threads_list_all(struct weft_engine *e);
/** Other switches run in windows now. */
void window_threads_list(struct weft_engine *e);
void window_threads_fini(struct weft_engine *e);
/** Makes a pool of @p n threads instead of the one that there is; see weft_engine_set_threads. */
int window_threads_make(struct weft_engine *e, unsigned n, uint64_t shuffle, struct weft_err *err);
/** Memory of the threads' state. */
uint64_t window_threads_bytes(const struct weft_engine *e);

/* threads.c */
/** The engine is about to run on: it may do so with another number of threads. */
void threads_choose(struct weft_engine *e);

/* loads.c */
/** Looks at what the threads have had to do since the last look, and deals nodes anew where that is
 * worth it. Between windows, when nothing waits to be posted. */
void loads_look(struct weft_engine *e);

/** A window of @p events is over that was counted: what other numbers of threads would make of it.
 */
void loads_project(struct weft_engine *e, uint64_t events);
/** Packets that go from a node of one thread to one of another, with those numbers. */
void loads_moved(const struct weft_engine *e, struct weft_thread_figures *out);

/** A window in which hosts ran is over: the same when it is time. */
static inline void loads_window_over(struct weft_engine *e)
{
    if (__builtin_expect(e->threads->figures.windows >= e->threads->look_at, 0))
        loads_look(e);
}

#endif
