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
#include "core/port.h"
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

/* What the busiest of @p n threads has to do with nodes dealt as @p thread and @p stealable say, if
 * those for any go to whoever has least. */
static uint64_t busiest(const struct weft_engine *e, unsigned n, const uint32_t *load,
                        const uint8_t *thread, const bool *stealable)
{
    uint64_t of[MOST_THREADS] = {0}, all = 0, most = 0;
    for (uint32_t i = 0; i < e->fabric->nnodes; i++) {
        all += load[i];
        if (!stealable[i])
            of[thread[i]] += load[i];
    }
    for (unsigned k = 0; k < n; k++)
        most = of[k] > most ? of[k] : most;
    return most > all / n ? most : all / n;
}

/* Whether dealing nodes anew pays: within as many windows again, of which one in some is counted.
 */
static bool pays(const struct weft_engine *e, uint64_t before, uint64_t after)
{
    return after < before - before / 10 && 4 * (before - after) > e->fabric->nports;
}

struct loads_projection {
    uint8_t *thread[WEFT_THREAD_PROJECTIONS];
    bool *stealable[WEFT_THREAD_PROJECTIONS];
    uint32_t load[]; /**< by node: events in the window */
};

/* NULL: out of memory, so nothing is projected. */
static struct loads_projection *projection_new(size_t nnodes)
{
    const size_t size = sizeof(struct loads_projection) + nnodes * sizeof(uint32_t);
    struct loads_projection *p = calloc(1, size + 2 * nnodes * WEFT_THREAD_PROJECTIONS);
    for (int i = 0; p && i < WEFT_THREAD_PROJECTIONS; i++) {
        p->thread[i] = (uint8_t *)p + size + 2 * nnodes * (size_t)i;
        p->stealable[i] = (bool *)(p->thread[i] + nnodes);
    }
    return p;
}

/* Deals nodes out to other numbers of threads, as they are dealt to those that there are. */
static void projection_deal(struct weft_engine *e)
{
    struct window_threads *c = e->threads;
    if (e->choice || c->n == 1)
        return;
    if (!c->projection)
        c->projection = projection_new(e->fabric->nnodes);
    for (int i = 0; c->projection && i < WEFT_THREAD_PROJECTIONS; i++)
        partition(e->fabric, weft_thread_projections[i], e->windows.clusters.of,
                  c->by_load ? c->load : NULL, c->projection->thread[i],
                  c->projection->stealable[i]);
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
    projection_deal(e);
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
        const uint64_t before = busiest(e, c->n, c->seen_load, c->thread, c->stealable);
        c->no_gain = !pays(e, before, busiest(e, c->n, c->seen_load, thread, stealable));
        if (!c->no_gain || c->shuffle)
            deal(e, c);
        c->look_every = c->no_gain ? 2 * c->look_every : WINDOWS_PER_LOOK;
    }
    free(thread);
    free(stealable);
}

void loads_project(struct weft_engine *e, uint64_t events)
{
    const struct window_threads *c = e->threads;
    const struct host_parts *h = c->parts;
    struct weft_thread_figures *f = &e->threads->figures;
    const uint64_t weight = c->posting ? 1 : WINDOWS_PER_COUNT;
    if (!c->projection)
        projection_deal(e);
    if (!c->projection)
        return;
    for (uint32_t i = 0; i < e->fabric->nnodes; i++) {
        const bool counted = h && h->clusters[i].window == (uint32_t)h->window;
        c->projection->load[i] = e->windows.clusters.in_windows[i] ? e->windows.of[i].events
                                 : counted                         ? h->clusters[i].events
                                                                   : 0;
    }
    f->counted_events += weight * events;
    for (int i = 0; i < WEFT_THREAD_PROJECTIONS; i++) {
        const unsigned n = weft_thread_projections[i];
        const bool together = events >= window_threads_enough(n);
        const uint64_t most = busiest(e, n, c->projection->load, c->projection->thread[i],
                                      c->projection->stealable[i]);
        f->projected[i].windows += together * weight;
        f->projected[i].critical_events += weight * (together ? most : events);
    }
}

void loads_moved(const struct weft_engine *e, struct weft_thread_figures *out)
{
    const struct loads_projection *p = e->threads ? e->threads->projection : NULL;
    for (int i = 0; p && i < WEFT_THREAD_PROJECTIONS; i++) {
        const uint8_t *thread = p->thread[i];
        for (uint32_t port = 0; port < e->fabric->nports; port++)
            if (thread[e->fabric->ports[port].node] != thread[far_node(e, port)])
                out->projected[i].moved_packets += e->ports[port].st.tx_packets;
    }
}
