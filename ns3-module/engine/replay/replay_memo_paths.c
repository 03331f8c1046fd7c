/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The equal paths of a QP whose packets are spread over them, as one flow of fluid.
 *
 * Where switches spread packet by packet, the ports of a node get the shares of a flow that they
 * have had of all data so far: the same number each where packets take turns, but with an adaptive
 * choice or entropy values some get more. A hash of the flow and the node decides on what does not
 * divide. Where paths meet again the parts are added. ACKs and QPs that are not spread keep to one
 * path, the same walk.
 *
 * Ports that only a part of a flow passes join no QPs to a group if their tier is non-blocking: if
 * the ports that packets are spread over have the rate of all others of their switch, at the switch
 * that spreads them or, on the way down, at the one that they come to. Such a port is never the
 * bottleneck of what is spread evenly; which packet is first there is chance, and shows in the
 * checks.
 */
#include "balance/ecmp.h"
#include "core/context.h"
#include "replay_internal.h"

#include "base/rng.h"

#include <stdlib.h>

#define RATE 1e12 /**< over ser_q: a rate without a unit */

bool memo_paths_init(struct weft_engine *e)
{
    struct memo_paths *p = &replay_of(e)->memo.paths;
    const uint32_t nodes = e->spread.balance ? e->fabric->nnodes : 1;
    for (int k = 0; k < 2; k++)
        p->part[k] = calloc(nodes + (size_t)1, sizeof *p->part[k]);
    p->place = calloc(e->fabric->nnodes + (size_t)1, sizeof *p->place);
    return p->part[0] && p->part[1] && p->place;
}

void memo_paths_free(struct memo_paths *p)
{
    free(p->part[0]);
    free(p->part[1]);
    free(p->place);
    *p = (struct memo_paths){0};
}

/* A walk along the paths of a QP. */
struct walk {
    const struct qp *q;
    uint32_t dst; /**< host */
    bool forward, spreads, scans;
    uint64_t salt; /**< for the ports that get one packet more */
    struct memo_part *next;
    uint32_t nnext, hop;
    uint32_t wide_node; /**< a node, and whether its ports towards a host are non-blocking */
    bool wide;
    memo_port_fn fn;
    void *ctx;
};

/* Whether the ports @p g of @p node have the rate of all its others together. */
static bool paths_non_blocking(const struct weft_engine *e, struct weft_route_group g,
                               uint32_t node)
{
    const struct weft_fabric_node *x = &e->fabric->nodes[node];
    double rates = 0, chosen = 0;
    for (uint32_t i = x->first_port; i < x->first_port + x->nports; i++)
        rates += RATE / (double)e->ports[i].ser_q;
    for (uint32_t i = 0; i < g.n; i++)
        chosen += RATE / (double)e->ports[g.ports[i]].ser_q;
    return g.n > 1 && chosen > 0.499 * rates;
}

/* Whether what arrives at the far end of @p port, from where packets are spread, is never more than
 * the hosts below can take. */
static bool paths_come_wide(const struct weft_engine *e, struct walk *w, uint32_t port)
{
    const uint32_t node = far_node(e, port), src = w->forward ? w->q->src_host : w->q->dst_host;
    if (w->wide_node != node && e->fabric->nodes[node].kind != WEFT_NODE_HOST) {
        w->wide_node = node;
        w->wide = paths_non_blocking(e, weft_routes_lookup(e->routing.routes, node, src), node);
    }
    return w->wide_node == node && w->wide;
}

/* @p n packets leave by @p port, towards a node that may get others. */
static void paths_pass(struct weft_engine *e, struct walk *w, const struct memo_part *from,
                       uint32_t port, uint64_t n)
{
    struct memo_paths *p = &replay_of(e)->memo.paths;
    const uint32_t node = far_node(e, port), i = p->place[node];
    const int64_t ps = from->ps + e->ports[port].kind->delay_ps;
    if (i < w->nnext && w->next[i].node == node) {
        w->next[i].n += n;
        w->next[i].ps = ps < w->next[i].ps ? ps : w->next[i].ps;
        return;
    }
    p->place[node] = w->nnext;
    w->next[w->nnext++] = (struct memo_part){node, n, ps};
}

/* Data goes through a port as often as it has so far. */
static double paths_weight(const struct weft_engine *e, uint32_t port)
{
    return (double)e->ports[port].st.tx_payload_bytes + 1;
}

/* The packets of a part leave its node. @p whole: it is all of the flow. */
static void paths_leave(struct weft_engine *e, struct walk *w, const struct memo_part *from,
                        bool whole)
{
    const struct weft_route_group g = weft_routes_lookup(e->routing.routes, from->node, w->dst);
    if (!g.n)
        return;
    if (!w->spreads || g.n == 1 || !w->hop) {
        const bool bound = !w->hop && w->forward && w->q->nic;
        const uint32_t port =
            bound ? g.ports[(w->q->nic - 1u) % g.n] : ecmp_port(e, g, from->node, w->q, w->forward);
        if (!w->scans || whole || !paths_come_wide(e, w, port))
            w->fn(e, w->ctx, port, from->n);
        paths_pass(e, w, from, port, from->n);
        return;
    }
    const bool narrow = w->scans && !paths_non_blocking(e, g, from->node);
    double sum = 0, so_far = 0;
    for (uint32_t i = 0; i < g.n; i++)
        sum += paths_weight(e, g.ports[i]);
    const double draw = (double)(weft_mix64(w->salt ^ from->node) >> 11) * 0x1p-53;
    uint64_t passed = 0;
    for (uint32_t i = 0; i < g.n; i++) {
        so_far += paths_weight(e, g.ports[i]);
        const double share = (double)from->n * so_far / sum;
        const uint64_t upto = i + 1 == g.n ? from->n : (uint64_t)(share + draw), n = upto - passed;
        passed = upto;
        if (narrow ? !paths_come_wide(e, w, g.ports[i]) : n > 0)
            w->fn(e, w->ctx, g.ports[i], n);
        if (n || w->scans)
            paths_pass(e, w, from, g.ports[i], n);
    }
}

int64_t memo_paths_walk(struct weft_engine *e, const struct qp *q, bool forward, uint64_t packets,
                        uint64_t salt, memo_port_fn fn, void *ctx)
{
    struct memo_paths *p = &replay_of(e)->memo.paths;
    struct memo_part *at = p->part[0];
    struct walk w = {.q = q,
                     .dst = forward ? q->dst_host : q->src_host,
                     .forward = forward,
                     .spreads = profile_of(q)->pick && (forward || !packets),
                     .scans = !packets,
                     .salt = salt,
                     .next = p->part[1],
                     .wide_node = NIL,
                     .fn = fn,
                     .ctx = ctx};
    const uint32_t end = e->fabric->hosts[w.dst];
    int64_t ps = WEFT_NEVER;
    *at = (struct memo_part){e->fabric->hosts[forward ? q->src_host : q->dst_host], packets, 0};
    for (uint32_t n = 1; n && w.hop < MAX_PATH; w.hop++) {
        w.nnext = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (at[i].node == end)
                ps = at[i].ps < ps ? at[i].ps : ps;
            else
                paths_leave(e, &w, &at[i], n == 1);
        }
        struct memo_part *const other = at;
        at = w.next;
        w.next = other;
        n = w.nnext;
    }
    return ps;
}
