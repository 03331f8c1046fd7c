/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Valiant routing (Valiant, Brebner: Universal schemes for parallel communication, STOC 1981): each
 * packet goes by the routes to a host drawn at random, and from there to its destination. Whatever
 * the traffic, every link then carries what it would carry of uniform traffic, twice.
 *
 * The intermediate differs from the destination in the coordinates of the dimensions that have
 * something to spread over: those of linked NPUs that forward, and switches with circular routes
 * (dragonfly, HyperX). A packet between hosts that agree in them takes its route. At a switch next
 * to the intermediate host the packet turns without visiting the host (a dragonfly's random
 * router). An intermediate on the same switches as the source or the destination is none: the way
 * over it is the route. Nor is one that is linked to the source directly and does not forward. In a
 * Clos or a single switch each route leads over a random switch as it is: there ports of equal cost
 * are drawn at random, which is the same.
 *
 * Deadlocks: the way to the intermediate is in class 0, the way from there in class 1 with as many
 * channels again (steer.h); both are routes of the fabric, whose channel dependencies are checked.
 */
#include "core/context.h"
#include "steer.h"

#include "base/rng.h"

bool valiant_spreads(const struct weft_fabric *f, uint32_t dim)
{
    return f->dims[dim].direct ? f->transit : !f->dims[dim].acyclic;
}

static uint32_t upper(const struct weft_fabric *f)
{
    return f->vcs;
}

/* Whether the two hosts of a QP differ in a coordinate that packets spread over. */
static bool differ(const struct weft_fabric *f, const struct qp *q)
{
    uint32_t stride = 1;
    for (uint32_t d = 0; d < f->ndims; stride *= f->dims[d++].size)
        if (valiant_spreads(f, d) &&
            q->dst_host / stride % f->dims[d].size != q->src_host / stride % f->dims[d].size)
            return true;
    return false;
}

/* Whether two hosts have the same switches as neighbours, port by port. */
static bool same_switches(const struct weft_fabric *f, uint32_t a, uint32_t b)
{
    const struct weft_fabric_node *x = &f->nodes[f->hosts[a]], *y = &f->nodes[f->hosts[b]];
    bool same = x->nports == y->nports;
    for (uint32_t k = 0; same && k < x->nports; k++) {
        const uint32_t to = f->ports[f->ports[x->first_port + k].peer].node;
        same = f->nodes[to].kind == WEFT_NODE_SWITCH &&
               to == f->ports[f->ports[y->first_port + k].peer].node;
    }
    return same;
}

/* A random intermediate for a QP. */
static uint32_t draw(struct weft_engine *e, const struct qp *q)
{
    const struct weft_fabric *f = e->fabric;
    uint32_t mid = q->dst_host, stride = 1;
    for (uint32_t d = 0; d < f->ndims; stride *= f->dims[d++].size) {
        const uint32_t size = f->dims[d].size, at = q->dst_host / stride % size;
        if (!valiant_spreads(f, d))
            continue;
        mid = mid - at * stride + (uint32_t)weft_rng_below(&e->spread.steer_rng, size) * stride;
    }
    const bool useful = differ(f, q) && mid != q->src_host && mid != q->dst_host &&
                        !same_switches(f, mid, q->src_host) && !same_switches(f, mid, q->dst_host);
    return useful ? mid : NO_MID;
}

static uint32_t behind(const struct weft_fabric *f, uint32_t port)
{
    return f->ports[f->ports[port].peer].node;
}

/* Whether one of the routes leads over a link between two hosts, to one that does not forward. */
static bool ends_there(const struct weft_fabric *f, struct weft_route_group g)
{
    bool ends = false;
    for (uint32_t i = 0; i < g.n; i++)
        ends |= !weft_fabric_forwards(f, behind(f, g.ports[i]));
    return ends;
}

static void aim(struct weft_engine *e, struct qp *q)
{
    const uint32_t node = e->fabric->hosts[q->src_host];
    rare_of(q)->mid = draw(e, q);
    struct weft_route_group g = weft_routes_lookup(
        e->routing.routes, node, rare_of(q)->mid == NO_MID ? q->dst_host : rare_of(q)->mid);
    if (rare_of(q)->mid != NO_MID &&
        (!g.n || ends_there(e->fabric, g))) { /* cut off, or no way onwards */
        rare_of(q)->mid = NO_MID;
        g = weft_routes_lookup(e->routing.routes, node, q->dst_host);
    }
    if (g.n)
        q->port = g.ports[weft_rng_below(&e->spread.steer_rng, g.n)];
}

/* Through any port, where there is something to spread over. */
static void exits(const struct weft_engine *e, const struct qp *q,
                  void (*take)(void *ctx, uint32_t port), void *ctx)
{
    const struct weft_fabric *f = e->fabric;
    const struct weft_fabric_node *n = &f->nodes[f->hosts[q->src_host]];
    const struct weft_route_group g =
        weft_routes_lookup(e->routing.routes, f->hosts[q->src_host], q->dst_host);
    if (differ(f, q))
        for (uint32_t p = n->first_port; p < n->first_port + n->nports; p++)
            take(ctx, p);
    else
        for (uint32_t i = 0; i < g.n; i++)
            take(ctx, g.ports[i]);
}

/* Whether a packet at @p node has as good as reached host @p mid, to which @p g leads: at a switch,
 * when it might go there next. */
static bool reached(const struct weft_engine *e, struct weft_route_group g, uint32_t node,
                    uint32_t mid)
{
    const struct weft_fabric *f = e->fabric;
    const uint32_t to = f->hosts[mid];
    bool next_to_it = false;
    for (uint32_t i = 0; i < g.n && f->nodes[node].kind == WEFT_NODE_SWITCH; i++)
        next_to_it |= behind(f, g.ports[i]) == to;
    return node == to || next_to_it;
}

static uint32_t next(struct weft_engine *e, uint32_t node, struct pkt *k)
{
    struct weft_route_group g = {NULL, 0};
    if (k->mid != NO_MID) {
        g = weft_routes_lookup(e->routing.routes, node, k->mid);
        if (reached(e, g, node, k->mid) || !g.n) {
            k->mid = NO_MID;
            k->flags |= PKT_UPPER;
        }
    }
    if (k->mid == NO_MID)
        g = weft_routes_lookup(e->routing.routes, node, k->dst_host);
    return g.n ? g.ports[g.n > 1 ? weft_rng_below(&e->spread.steer_rng, g.n) : 0] : NIL;
}

const struct steer steer_valiant = {.upper = upper, .aim = aim, .exits = exits, .next = next};
