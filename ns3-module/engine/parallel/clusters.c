/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which switches run in windows, and groups nodes joined by short links into clusters that
 * keep one order of events.
 */
#include "clusters.h"
#include "balance/balance.h"
#include "core/context.h"
#include "core/fastq.h"
#include "core/gap.h"
#include "switch/in_network_state.h"

#include "base/units.h"

#include <stdlib.h>

/** Longest time that an event of a switch in windows may lie ahead: half of what is left of the
 * span of its keys when their base moves. */
#define FARTHEST_PS (FASTQ_SPAN / 4)

bool clusters_init(struct weft_engine *e)
{
    struct clusters *c = &e->windows.clusters;
    c->of = calloc(e->fabric->nnodes + (size_t)1, sizeof *c->of);
    c->in_windows = calloc(e->fabric->nnodes + (size_t)1, sizeof *c->in_windows);
    return c->of && c->in_windows;
}

void clusters_fini(struct weft_engine *e)
{
    free(e->windows.clusters.of);
    free(e->windows.clusters.in_windows);
}

/* Whether what a port sends arrives within the span of keys. */
static bool near_enough(const struct weft_engine *e, uint32_t port)
{
    return link_of(e, port)->delay_ps +
               gap_ps(UINT16_MAX + e->p.transport.gap_bytes, port_ser_q(e, port)) <=
           FARTHEST_PS;
}

/* Whether nothing that a switch does has to be known elsewhere at its moment. */
static bool by_itself(const struct weft_engine *e, uint32_t node)
{
    return e->fabric->nodes[node].host == NIL && !e->mmu.of[node].stays_eager &&
           !in_network_at(e, node) && !balance_shares(e, node);
}

bool clusters_fits(const struct weft_engine *e, uint32_t node, int64_t least_ps)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    bool fits = by_itself(e, node);
    for (uint32_t i = n->first_port; fits && i < n->first_port + n->nports; i++)
        fits = link_of(e, i)->delay_ps >= least_ps && near_enough(e, i) &&
               near_enough(e, e->fabric->ports[i].peer);
    return fits;
}

/* ---- clusters ---- */

/* The first node of the cluster of @p node, as far as they are joined by now. */
static uint32_t first_of(uint32_t *of, uint32_t node)
{
    while (of[node] != node)
        node = of[node] = of[of[node]];
    return node;
}

void clusters_join(const struct weft_engine *e, uint32_t *of, int64_t least_ps)
{
    for (uint32_t n = 0; n < e->fabric->nnodes; n++)
        of[n] = n;
    for (uint32_t i = 0; i < e->fabric->nports; i++) {
        if (link_of(e, i)->delay_ps >= least_ps)
            continue;
        const uint32_t a = first_of(of, e->fabric->ports[i].node), b = first_of(of, far_node(e, i));
        of[a > b ? a : b] = a < b ? a : b;
    }
    for (uint32_t n = 0; n < e->fabric->nnodes; n++)
        of[n] = first_of(of, n);
}

/* Facts of a port about the ends of its link. */
static uint8_t ends(const struct weft_engine *e, const struct clusters *c, uint32_t port)
{
    const uint32_t own = e->fabric->ports[port].node, far = far_node(e, port);
    return (uint8_t)((c->in_windows[far] ? FAR_IN_WINDOWS : 0) |
                     (c->in_windows[own] ? OWN_IN_WINDOWS : 0) |
                     (c->of[own] == c->of[far] ? TOGETHER : 0) |
                     (part_own(e, own) != part_own(e, far) ? CROSSES : 0));
}

static void shorten(int64_t *least_ps, int64_t ps)
{
    *least_ps = ps < *least_ps ? ps : *least_ps;
}

void clusters_form(struct weft_engine *e, int64_t least_ps)
{
    struct clusters *c = &e->windows.clusters;
    c->switches_ps = c->between_ps = WEFT_NEVER;
    c->n = 0;
    clusters_join(e, c->of, least_ps);
    c->lone = true;
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        c->in_windows[n] = clusters_fits(e, n, least_ps);
        c->n += !c->in_windows[n] && c->of[n] == n;
        c->lone &= c->of[n] == n;
    }
    for (uint32_t i = 0; i < e->fabric->nports; i++) {
        const uint8_t at = ends(e, c, i);
        set_ends(e, i, at);
        if (at & (FAR_IN_WINDOWS | OWN_IN_WINDOWS))
            shorten(&c->switches_ps, link_of(e, i)->delay_ps);
        else if (!(at & TOGETHER))
            shorten(&c->between_ps, link_of(e, i)->delay_ps);
    }
}

void clusters_dissolve(struct weft_engine *e)
{
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        set_ends(e, i, 0);
    for (uint32_t n = 0; n < e->fabric->nnodes; n++)
        e->windows.clusters.in_windows[n] = false;
}
