/* SPDX-License-Identifier: GPL-2.0-only */
/* Time of windows of several threads, and who waits: window_threads.h. No result follows from it.
 */
#include "thread_pool.h"
#include "window_threads.h"

#define LONG_NS 1000000 /**< time of a window from which on the next one is measured, too */

unsigned window_threads_together(struct window_threads *c, void (*fn)(void *ctx, unsigned number))
{
    const int64_t began_ns = thread_pool_wall_ns();
    const unsigned threads = thread_pool_do(c->pool, fn, c);
    c->run_ns += thread_pool_wall_ns() - began_ns;
    c->figures.barriers++;
    if (!c->measured)
        return threads;
    int64_t most_ns = 0;
    for (unsigned k = 0; k < c->n; k++) {
        c->took.busy_ns += c->busy_ns[k];
        most_ns = c->busy_ns[k] > most_ns ? c->busy_ns[k] : most_ns;
    }
    c->took.critical_ns += most_ns;
    c->mark_ns = thread_pool_cpu_ns();
    return threads;
}

bool window_threads_lopsided(const struct window_threads *c)
{
    uint64_t all = 0, most = 0;
    for (unsigned k = 0; k < c->n; k++) {
        all += c->turns[k].sum;
        most = c->turns[k].sum > most ? c->turns[k].sum : most;
    }
    return 20 * c->n * most > 23 * all; /* 15 % */
}

/* Whether nodes may soon be dealt anew, as some thread has more to do than others (loads.c). */
static bool may_be_dealt(const struct window_threads *c)
{
    return c->parts && !c->no_gain && window_threads_lopsided(c);
}

/* Where threads wait much for each other all the same, switches are for whoever has time from now
 * on. */
static void even_out(struct window_threads *c)
{
    if (c->figures.windows % WINDOWS_PER_LOOK)
        return;
    if (!c->uneven && c->seen.busy_ns < (int64_t)c->n * c->seen.critical_ns * 7 / 10 &&
        !may_be_dealt(c))
        c->uneven = c->list_again = true;
    c->seen = (struct thread_times){0};
}

void window_threads_project(struct window_threads *c, uint64_t events, uint64_t most, uint64_t part)
{
    struct weft_thread_figures *f = &c->figures;
    f->events += events;
    f->own_events += part;
    for (int i = 0; i < WEFT_THREAD_PROJECTIONS; i++) {
        const unsigned n = weft_thread_projections[i];
        const uint64_t share = events / n;
        if (events < window_threads_enough(n)) /* one does it alone then */
            f->critical_events[i] += events;
        else
            f->critical_events[i] += share > most ? share : most;
    }
}

void window_threads_measure(struct window_threads *c)
{
    const bool longs = c->run_ns > LONG_NS;
    c->figures.run_ns += c->run_ns;
    c->figures.busy_ns += c->weight * c->took.busy_ns;
    if (!c->posting) {
        c->seen.busy_ns += c->took.busy_ns;
        c->seen.critical_ns += c->took.critical_ns;
    }
    c->took = (struct thread_times){0};
    c->run_ns = 0;
    c->posting = false;
    c->figures.windows++;
    c->counted = c->figures.windows % WINDOWS_PER_COUNT == 0;
    c->measured = longs || c->counted;
    c->weight = longs ? 1 : WINDOWS_PER_COUNT;
    if (c->measured)
        c->mark_ns = thread_pool_cpu_ns();
    even_out(c);
}

void window_threads_begin_posts(struct window_threads *c)
{
    if (!c->measured)
        c->mark_ns = thread_pool_cpu_ns();
    c->measured = c->posting = true;
    c->weight = 1;
}
