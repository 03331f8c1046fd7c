/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which thread has which nodes, by what happens at them.
 *
 * Nodes are dealt to threads in blocks of as many hosts each (partition.h), which is even where all
 * hosts do as much. Events at clusters and switches are counted in some windows; where the
 * thread with most of it has much more than the mean, nodes are dealt anew between two windows, in
 * blocks of equal load: hosts move with what is to happen at them, switches as their links lead.
 * Old loads count half as much at each look. That is done only where it makes the busiest thread
 * less busy than before, by more than dealing takes; else the next look comes later.
 *
 * No result depends on whose a node is (worker.h).
 */
#include "core/context.h"
#include "host_agendas.h"
#include "host_parts_internal.h"
#include "partition.h"
#include "window.h"
#include "window_threads.h"

#include "base/rng.h"

#include <stdlib.h>

#define LONGEST_WAIT 1024u /**< windows between two looks at most */
#define SHUFFLE_EVERY 5u   /**< tests have nodes dealt anew that often */

/* The loads of nodes, into c->seen_load: a cluster's is at its first node. Old ones count half. */
static void gather(struct weft_engine *e, struct window_threads *c)
{
    struct weft_rng rng = weft_rng_stream(c->shuffle, "loads", c->figures.windows);
    for (uint32_t i = 0; i < e->fabric->nnodes; i++) {
        struct window_node *s = &e->windows.of[i];
        struct cluster_state *of = &e->parts->clusters[i];
        c->seen_load[i] = s->load + of->load;
        if (c->seen_load[i]) { /* else nothing is written: it may be unused */
            s->load /= 2;
            of->load /= 2;
        }
        if (c->shuffle)
            c->seen_load[i] = (uint32_t)weft_rng_below(&rng, 100);
    }
}

/* What the busiest thread has to do with nodes dealt as @p thread and @p stealable say, if those
 * for any go to whoever has least. */
static uint64_t busiest(const struct weft_engine *e, const struct window_threads *c,
                        const uint8_t *thread, const bool *stealable)
{
    uint64_t of[MOST_THREADS] = {0}, all = 0, most = 0;
    for (uint32_t i = 0; i < e->fabric->nnodes; i++) {
        all += c->seen_load[i];
        if (!stealable[i])
            of[thread[i]] += c->seen_load[i];
    }
    for (unsigned k = 0; k < c->n; k++)
        most = of[k] > most ? of[k] : most;
    return most > all / c->n ? most : all / c->n;
}

/* Whether dealing nodes anew pays: within as many windows again, of which one in some is counted.
 */
static bool pays(const struct weft_engine *e, uint64_t before, uint64_t after)
{
    return after < before - before / 10 && 4 * (before - after) > e->fabric->nports;
}

/* Moves nodes, and what is to happen at them, to the threads that their loads say. */
static void deal(struct weft_engine *e, struct window_threads *c)
{
    uint32_t *load = c->load;
    c->load = c->seen_load;
    c->seen_load = load;
    host_agendas_gather(e);
    c->by_load = true;
    window_threads_list(e);
    host_agendas_choose(e);
    c->figures.dealt++;
}

void loads_look(struct weft_engine *e)
{
    struct window_threads *c = e->threads;
    const uint32_t nnodes = e->fabric->nnodes;
    c->look_every = c->look_every > LONGEST_WAIT ? LONGEST_WAIT : c->look_every;
    c->look_at = c->figures.windows + (c->shuffle ? SHUFFLE_EVERY : c->look_every);
    if (c->n == 1 || e->peers || !e->parts)
        return;
    const bool uneven = window_threads_lopsided(c);
    for (unsigned k = 0; k < c->n; k++)
        c->turns[k].sum = 0;
    gather(e, c);
    c->no_gain &= uneven;
    if (!uneven && !c->shuffle)
        return;
    uint8_t *thread = malloc(nnodes);
    bool *stealable = malloc(nnodes * sizeof *stealable);
    if (thread && stealable) { /* else all stays as it is */
        partition(e->fabric, c->n, e->windows.clusters.of, c->seen_load, thread, stealable);
        const uint64_t before = busiest(e, c, c->thread, c->stealable);
        c->no_gain = !pays(e, before, busiest(e, c, thread, stealable));
        if (!c->no_gain || c->shuffle)
            deal(e, c);
        c->look_every = c->no_gain ? 2 * c->look_every : WINDOWS_PER_LOOK;
    }
    free(thread);
    free(stealable);
}
