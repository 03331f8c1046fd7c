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
    for (unsigned k = 0; k < c->n; k++)
        c->took_ns += c->busy_ns[k];
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

void window_threads_measure(struct window_threads *c)
{
    const bool longs = c->run_ns > LONG_NS;
    c->figures.run_ns += c->run_ns;
    c->figures.busy_ns += c->weight * c->took_ns;
    c->took_ns = 0;
    c->run_ns = 0;
    c->posting = false;
    c->figures.windows++;
    c->counted = c->figures.windows % WINDOWS_PER_COUNT == 0;
    c->measured = longs || c->counted;
    c->weight = longs ? 1 : WINDOWS_PER_COUNT;
    if (c->measured)
        c->mark_ns = thread_pool_cpu_ns();
}

void window_threads_begin_posts(struct window_threads *c)
{
    if (!c->measured)
        c->mark_ns = thread_pool_cpu_ns();
    c->measured = c->posting = true;
    c->weight = 1;
}
