/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a packet leaves a node that forwards, when its QP does not remember it: the egress port and
 * the virtual channel.
 */
#include "switch.h"
#include "balance/ecmp.h"
#include "core/context.h"
#include "core/pkt.h"
#include "core/events.h"
#include "credit.h"

#include "topologies/deadlock.h"

/* The egress port that the routes, or what steers and balances packets over them, give a packet
 * that came in through port @p in; NIL: none. */
static uint32_t choose(struct weft_engine *e, uint32_t in, struct pkt *k)
{
    const uint32_t node = e->ports[in].node;
    if (e->spread.steer && k->kind == WEFT_PKT_DATA) {
        const uint32_t out = e->spread.steer->next(e, node, k);
        if (out != NIL)
            return out;
    }
    const struct weft_route_group g = weft_routes_lookup(e->routing.routes, node, k->dst_host);
    if (__builtin_expect(e->spread.by_path != NULL, 0) && g.n && k->kind < WEFT_PKT_WARNING)
        return e->spread.by_path->choose(e, g, in, k);
    if (g.n > 1 && e->spread.balance && k->kind == WEFT_PKT_DATA) {
        for (uint32_t c = 0; c < g.n; c++)
            port_catch_up(e, &e->ports[g.ports[c]], g.ports[c]);
        return e->spread.balance(e, g, node, k);
    }
    return g.n ? ecmp_port(e, g, node, qp_at(e, k->qp), k->kind <= WEFT_PKT_REQUEST) : NIL;
}

uint32_t egress_look_up(struct weft_engine *e, uint32_t in, struct pkt *k, uint32_t i)
{
    const uint32_t node = e->ports[in].node, out = choose(e, in, k);
    const bool fits = out == NIL || !e->links.ndown || k->kind != WEFT_PKT_DATA ||
                      k->payload <= e->ports[out].kind->mtu_bytes ||
                      qp_at(e, k->qp)->kind->env.mtu_bytes <= e->ports[out].kind->mtu_bytes;
    if (out != NIL && fits)
        return out;
    if (e->links.ndown) {
        if (e->credit.ports)
            credit_refund(e, e->ends[in].peer, k);
        pkt_drop(e, i, in, WEFT_DROP_LINK);
    } else
        engine_fail(e, WEFT_E_INTERNAL, "node %u has no route to host %u", node, k->dst_host);
    return NIL;
}

void egress_change_channel(const struct weft_engine *e, struct pkt *k, uint32_t in, uint32_t out)
{
    const struct weft_fabric *f = e->fabric;
    const uint32_t vc = k->flags & PKT_CHANNEL ? k->chan : 0;
    if (!(e->mmu.channelled >> k->prio & 1))
        return;
    const bool upper = k->flags & PKT_UPPER;
    const uint32_t first = upper ? f->vcs : 0,
                   width = upper ? e->routing.channels - f->vcs : f->vcs;
    uint32_t to = first;
    if (width > 1 && upper == (vc >= f->vcs)) /* else it begins in this class */
        to += weft_next_channel(&f->links[f->ports[in].link], &f->links[f->ports[out].link],
                                vc - first);
    k->prio = (uint8_t)(k->prio - vc + to);
    k->chan = to & 15;
    k->in_chan = vc & 15;
    k->flags = (uint8_t)((k->flags & ~PKT_CHANNEL) | (to | vc ? PKT_CHANNEL : 0));
}
