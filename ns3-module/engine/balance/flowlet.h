/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flowlets (Vanini et al.: Let it flow, NSDI 2017): what a flow sends without a pause of
 * switch.flowlet-gap at a node stays on one port, as long as that leads to its destination. The
 * table has FLOWLETS entries for all nodes together; two flows that share an entry take each
 * other's place, as in a switch.
 */
#ifndef WEFT_ENGINE_FLOWLET_H
#define WEFT_ENGINE_FLOWLET_H

#include "core/context.h"

#include "base/rng.h"

#define FLOWLETS (1u << 16)

struct flowlet {
    int64_t last_ps;
    uint32_t qp, node; /**< whose it is */
    uint32_t port;     /**< NIL: none yet */
};

/** Whether a port is still one of its route: links may have failed since it was chosen. */
static inline bool flowlet_stands(const struct weft_engine *e, struct weft_route_group g,
                                  uint32_t port)
{
    uint32_t i = 0;
    if (!e->routing.intact)
        return true;
    while (i < g.n && g.ports[i] != port)
        i++;
    return i < g.n;
}

/** The entry of a flow at a node, as it sends another packet through one of @p g. @p goes_on: its
 * port still holds; one that no longer leads to the destination holds no more, whatever the gap,
 * and is forgotten. */
static inline struct flowlet *flowlet_of(struct weft_engine *e, struct weft_route_group g,
                                         uint32_t node, uint32_t qp, bool *goes_on)
{
    struct flowlet *f = &e->spread.flowlets[weft_mix64((uint64_t)node << 32 | qp) & (FLOWLETS - 1)];
    const bool same = f->qp == qp + 1 && f->node == node && flowlet_stands(e, g, f->port);
    *goes_on = same && e->now - f->last_ps <= e->p.sw.flowlet_gap_ps;
    if (!same)
        *f = (struct flowlet){.qp = qp + 1, .node = node, .port = NIL};
    f->last_ps = e->now;
    return f;
}

#endif
