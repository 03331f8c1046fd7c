/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Load balancing among equal-cost ports, beyond the hash of the flow (ecmp.c): one function each, listed
 * in the order of enum weft_balance.
 *
 * spray: packet by packet, the ports of a node in turn.
 * adaptive: packet by packet, the port with the shortest queue; the flow's own among equals.
 * flowlet: a flow stays on its port until it pauses for switch.flowlet-gap, then goes to the port with the
 * shortest queue (Vanini et al.: Let it flow, NSDI 2017). The table has FLOWLETS entries for all nodes
 * together; two flows that share an entry take each other's place, as in a switch.
 *
 * Only data packets are balanced; ACKs and CNPs keep to the hash. NICs send a QP through the port of its
 * hash.
 */
#include "internal.h"

#include "base/rng.h"

#define FLOWLETS (1u << 16)

struct flowlet {
    int64_t last_ps;
    uint32_t qp, node; /* whose it is */
    uint32_t port;
};

static uint32_t spray(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                      const struct pkt *k)
{
    (void)k;
    return g.ports[e->turns[node]++ % g.n];
}

static uint32_t shortest(const struct weft_engine *e, struct weft_route_group g, uint32_t first)
{
    uint32_t best = first;
    for (uint32_t i = 0; i < g.n; i++)
        if (e->ports[g.ports[i]].qtotal < e->ports[best].qtotal)
            best = g.ports[i];
    return best;
}

static uint32_t adaptive(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                         const struct pkt *k)
{
    return shortest(e, g, ecmp_port(e, g, node, qp_at(e, k->qp), true));
}

static uint32_t flowlet(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                        const struct pkt *k)
{
    struct flowlet *f = &e->flowlets[weft_mix64((uint64_t)node << 32 | k->qp) & (FLOWLETS - 1)];
    bool same = f->qp == k->qp + 1 && f->node == node;
    if (!same || e->now - f->last_ps > e->p.sw.flowlet_gap_ps) {
        uint32_t own = same ? f->port : ecmp_port(e, g, node, qp_at(e, k->qp), true);
        *f = (struct flowlet){.qp = k->qp + 1, .node = node, .port = shortest(e, g, own)};
    }
    f->last_ps = e->now;
    return f->port;
}

static const struct {
    balance_fn pick;
    bool per_packet;
} table[] = {
    [WEFT_BALANCE_FLOW] = {NULL, false},
    [WEFT_BALANCE_SPRAY] = {spray, true},
    [WEFT_BALANCE_FLOWLET] = {flowlet, false},
    [WEFT_BALANCE_ADAPTIVE] = {adaptive, true},
};

int balance_check(const struct weft_engine_config *c, struct weft_err *err)
{
    int b = c->params.sw.balance;
    if ((size_t)b >= sizeof table / sizeof table[0])
        return weft_err_set(err, WEFT_E_INPUT, "switch.balance is number %d; see enum weft_balance",
                            b);
    if (!table[b].per_packet)
        return 0;
    if (c->params.transport.recovery != WEFT_RECOVERY_SELECTIVE_REPEAT &&
        c->params.transport.recovery != WEFT_RECOVERY_OUT_OF_ORDER &&
        !c->params.transport.allow_reordering)
        return weft_err_set(
            err, WEFT_E_INPUT,
            "switch.balance=%s reorders packets, which this transport.recovery takes "
            "for losses; set transport.recovery=out-of-order (or selective-repeat), or "
            "transport.allow-reordering=true to see what happens",
            b == WEFT_BALANCE_SPRAY ? "spray" : "adaptive");
    struct control_needs needs;
    int rc = control_check(c, &needs, err);
    if (!rc && needs.stamped)
        return weft_err_set(err, WEFT_E_INPUT,
                            "the congestion control '%s' follows the switches of one path, but "
                            "switch.balance sends each packet of a QP on a path of its own",
                            needs.stamped);
    return rc;
}

int balance_init(struct weft_engine *e, struct weft_err *err)
{
    e->balance = table[e->p.sw.balance].pick;
    if (!e->balance)
        return 0;
    e->turns = calloc(e->fabric->nnodes, sizeof *e->turns);
    e->flowlets = calloc(FLOWLETS, sizeof *e->flowlets);
    if (!e->turns || !e->flowlets)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for load balancing");
    return 0;
}
