/* SPDX-License-Identifier: GPL-2.0-only */
/* Balances nodes among threads by the number of events at each node. */
#include "loads.h"
#include "core/context.h"
#include "host_agendas.h"
#include "host_parts_inside.h"
#include "partition.h"
#include "window.h"
#include "window_crew.h"
#include "window_crew_inside.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_WAIT 1024u /**< windows between two looks at most */
#define SHUFFLE_EVERY 5u   /**< tests have nodes dealt anew that often */

/* The loads of nodes, into c->seen_load: a cluster's is at its first node. Old ones count half. */
static void gather(struct weft_engine *e, struct window_crew *c)
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

/* What the busiest thread has to do with nodes dealt as @p thread and @p loose say, if those for
 * any go to whoever has least. */
static uint64_t busiest(const struct weft_engine *e, const struct window_crew *c,
                        const uint8_t *thread, const bool *loose)
{
    uint64_t of[MOST_THREADS] = {0}, all = 0, most = 0;
    for (uint32_t i = 0; i < e->fabric->nnodes; i++) {
        all += c->seen_load[i];
        if (!loose[i])
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
static void deal(struct weft_engine *e, struct window_crew *c)
{
    uint32_t *load = c->load;
    c->load = c->seen_load;
    c->seen_load = load;
    host_agendas_gather(e);
    c->by_load = true;
    window_crew_list(e);
    host_agendas_choose(e);
    c->figures.dealt++;
}

void loads_look(struct weft_engine *e)
{
    struct window_crew *c = e->crew;
    const uint32_t nnodes = e->fabric->nnodes;
    c->look_every = c->look_every > LONGEST_WAIT ? LONGEST_WAIT : c->look_every;
    c->look_at = c->figures.windows + (c->shuffle ? SHUFFLE_EVERY : c->look_every);
    if (c->n == 1 || e->peers || !e->parts)
        return;
    const bool uneven = window_crew_lopsided(c);
    for (unsigned k = 0; k < c->n; k++)
        c->turns[k].sum = 0;
    gather(e, c);
    c->in_vain &= uneven;
    if (!uneven && !c->shuffle)
        return;
    uint8_t *thread = malloc(nnodes);
    bool *loose = malloc(nnodes * sizeof *loose);
    if (thread && loose) { /* else all stays as it is */
        partition(e->fabric, c->n, e->windows.clusters.of, c->seen_load, thread, loose);
        const uint64_t before = busiest(e, c, c->thread, c->loose);
        c->in_vain = !pays(e, before, busiest(e, c, thread, loose));
        if (!c->in_vain || c->shuffle)
            deal(e, c);
        c->look_every = c->in_vain ? 2 * c->look_every : WINDOWS_PER_LOOK;
    }
    free(thread);
    free(loose);
}
