/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Routing that leaves the routes of routes.h: packets that take a way round (valiant.c) or the
 * dimensions in any order (minimal_adaptive.c).
 *
 * Such a QP aims each packet before it waits for a port: at an intermediate host, through a port of
 * its own host, in a class of virtual channels. Class 0 are the channels that the routes themselves
 * need (fabric.vcs of them), class 1 begins behind them. Packets go from one class to the other
 * only in one direction, and each class by itself has no circular waits; so neither have both
 * together.
 */
#ifndef WEFT_ENGINE_STEER_H
#define WEFT_ENGINE_STEER_H

#include "core/context.h"
#include "ecmp.h"

/** No intermediate. */
#define NO_MID 0xffffffu

extern const struct steer steer_valiant, steer_minimal_adaptive;

/** Whether valiant has something to spread over in a dimension. */
bool valiant_spreads(const struct weft_fabric *f, uint32_t dim);
/** The member for switch.balance over this fabric; NULL: packets keep to the routes. */
const struct steer *steer_of(int balance, const struct weft_fabric *f);

/** The flow's own port among those of @p g. */
static inline uint32_t steer_own(const struct weft_engine *e, struct weft_route_group g,
                                 uint32_t node, const struct qp *q)
{
    return g.n ? ecmp_port(e, g, node, q, true) : NIL;
}
/** The priority in which packets of a QP leave its host in a class. */
static inline uint32_t steer_prio(const struct weft_engine *e, const struct qp *q, bool upper)
{
    const bool moves = upper && e->routing.vcs && (e->mmu.channelled >> q->own_prio & 1);
    return q->own_prio + (moves ? e->fabric->vcs : 0);
}

#endif
