/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Minimal-adaptive routing on direct fabrics: at each host a packet may go on in any dimension in
 * which it is not yet where it belongs, always on a shortest way there; it takes the port with the
 * shortest queue. Switches, and hosts from which an outer dimension leads past the inner ones,
 * choose among the ports of their route.
 *
 * Deadlocks (after Duato: A new theory of deadlock-free adaptive routing in wormhole networks, IEEE
 * TPDS 1993): adaptive packets travel in class 1, which is one channel. No packet that holds a
 * buffer ever waits for a paused port of it: it chooses among ports that are not paused, and when a
 * port is paused the packets that wait there leave for the escape channels, class 0, where they
 * follow the routes dimension by dimension to the end. Those are checked to have no circular waits;
 * so every packet gets on. A packet that has not left its NIC holds nothing and may wait.
 */
#include "core/context.h"
#include "core/port.h"
#include "core/walk.h"
#include "steer.h"

static uint32_t upper(const struct weft_fabric *f)
{
    return 1;
}

/* The better of two ports, the first when they are equal; NIL stands for none. */
static uint32_t better(const struct weft_engine *e, uint32_t a, uint32_t b)
{
    if (a == NIL || b == NIL)
        return a == NIL ? b : a;
    const struct port *p = &e->ports[a], *q = &e->ports[b];
    if (p->qtotal != q->qtotal)
        return p->qtotal < q->qtotal ? a : b;
    return p->busy_until_ps <= q->busy_until_ps ? a : b;
}

/* The best of the ports of a group whose priority @p prio is not paused. */
static uint32_t best_of(struct weft_engine *e, struct weft_route_group g, uint32_t prio)
{
    uint32_t best = NIL;
    for (uint32_t i = 0; i < g.n; i++)
        if (!(e->ports[g.ports[i]].paused >> prio & 1))
            best = better(e, best, g.ports[i]);
    return best;
}

/* The best of all ports of a node that lead a packet nearer and are not paused; NIL: none. The
 * dimension looked at first takes turns. */
static uint32_t choose(struct weft_engine *e, uint32_t node, uint32_t dst_host, uint32_t prio)
{
    const struct weft_fabric *f = e->fabric;
    const uint32_t host = f->nodes[node].host, turn = e->spread.turns[node]++;
    uint32_t best = NIL;
    if (host == UINT32_MAX || !weft_routes_by_dims(e->routing.routes))
        return best_of(e, weft_routes_lookup(e->routing.routes, node, dst_host), prio);
    for (uint32_t k = 0; k < f->ndims; k++) {
        const uint32_t d = (k + turn) % f->ndims;
        const struct weft_route_group g =
            weft_routes_lookup_dim(e->routing.routes, host, dst_host, d);
        if (g.n && f->dims[d].spans)
            return best_of(e, weft_routes_lookup(e->routing.routes, node, dst_host), prio);
        best = better(e, best, best_of(e, g, prio));
    }
    return best;
}

static void aim(struct weft_engine *e, struct qp *q)
{
    const uint32_t node = e->fabric->hosts[q->src_host];
    rare_of(q)->mid = NO_MID;
    q->upper = true;
    q->snd->prio = (uint8_t)steer_prio(e, q, true);
    uint32_t port = choose(e, node, q->dst_host, q->snd->prio);
    if (port == NIL)
        port = steer_own(e, weft_routes_lookup(e->routing.routes, node, q->dst_host), node, q);
    if (port != NIL)
        q->port = port;
}

/* Through those that lead nearer in any dimension, and those of the route. */
static void exits(const struct weft_engine *e, const struct qp *q,
                  void (*take)(void *ctx, uint32_t port), void *ctx)
{
    const struct weft_fabric *f = e->fabric;
    struct weft_route_group g =
        weft_routes_lookup(e->routing.routes, f->hosts[q->src_host], q->dst_host);
    if (weft_routes_by_dims(e->routing.routes))
        g.n = 0;
    for (uint32_t d = 0; d <= f->ndims; d++) {
        for (uint32_t i = 0; i < g.n; i++)
            take(ctx, g.ports[i]);
        if (d < f->ndims)
            g = weft_routes_lookup_dim(e->routing.routes, q->src_host, q->dst_host, d);
    }
}

/* By the routes, in the escape channels. */
static uint32_t escape(struct weft_engine *e, uint32_t node, struct pkt *k)
{
    k->flags &= (uint8_t)~PKT_UPPER;
    return steer_own(e, weft_routes_lookup(e->routing.routes, node, k->dst_host), node,
                     qp_at(e, k->qp));
}

static uint32_t next(struct weft_engine *e, uint32_t node, struct pkt *k)
{
    if (!(k->flags & PKT_UPPER))
        return escape(e, node, k);
    const uint32_t port = choose(e, node, k->dst_host, steer_prio(e, qp_at(e, k->qp), true));
    return port == NIL ? escape(e, node, k) : port;
}

static void paused(struct weft_engine *e, uint32_t port, uint32_t prio)
{
    uint32_t i = e->port_ops.take_upper(e, port, prio);
    for (uint32_t n = 0;
         i != NIL && walk_on(e, n, e->pkts.pool.n, "packets that leave by another path"); n++) {
        struct pkt *k = pkt_at(e, i);
        const uint32_t after = k->next;
        e->port_ops.leave_by(e, port, escape(e, e->ports[port].node, k), i);
        i = after;
    }
}

const struct steer steer_minimal_adaptive = {
    .upper = upper, .aim = aim, .exits = exits, .next = next, .paused = paused};
