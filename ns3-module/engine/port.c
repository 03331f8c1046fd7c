/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ports: links as FIFOs, egress queues and their scheduler, forwarding.
 *
 * A link delivers in order, so only the packet at its head needs an event. A port needs an event of
 * its own only when something waits behind the packet being sent; an idle hop costs one event, the
 * arrival.
 *
 * Scheduling: PFC frames first; then the strict priorities, highest first; then surplus round robin
 * over the rest: a priority keeps its turn while its deficit is positive and may overdraw it by one
 * packet (Adiseshu, Parulkar, Varghese: "A reliable and scalable striping protocol", SIGCOMM 1996),
 * which shares the link as deficit round robin does without knowing the next packet's size.
 */
#include "internal.h"
#include "topologies/deadlock.h"

void port_arm(struct weft_engine *e, uint32_t port, int64_t at_ps)
{
    struct port *p = &e->ports[port];
    if (p->armed_ps <= at_ps)
        return; /* it will look again earlier than that */
    p->armed_ps = at_ps;
    if (e->p.transport.ns3_event_order)
        p->armed_order = p->sending ? p->end_order : ++e->order;
    engine_push_port(e, at_ps, EV_TX, port);
}

/* Puts a packet on the link. */
static void transmit(struct weft_engine *e, struct port *p, uint32_t port, uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    uint64_t wire = k->frame + e->p.transport.gap_bytes;
    int64_t ser = gap_quantised(e, wire, p->ser_q);
    p->busy_until_ps = e->now + ser;
    k->at_ps = p->busy_until_ps + p->prop_ps;
    if (e->p.transport.ns3_event_order) {
        p->sending = true;
        p->end_order = ++e->order;
        k->order = ++e->order;
    }
    if (p->fly.head == NIL)
        engine_push_port(e, k->at_ps, EV_ARRIVE, port);
    list_append(e, &p->fly, i);
    p->flying++;
    p->st.tx_packets++;
    p->st.tx_bytes += wire;
    p->st.busy_ps += ser;
    if (k->kind == WEFT_PKT_DATA)
        p->st.tx_payload_bytes += k->payload;
    e->tot.packet_hops++;
    if (e->pint_on) {
        p->pint_size = (uint32_t)wire;
        p->pint_at_ps = e->now;
    }
}

/* The priority to serve among the bits of @p eligible (not 0). */
static uint32_t pick_prio(const struct weft_engine *e, struct port *p, uint32_t eligible)
{
    uint32_t strict = eligible & (uint32_t)e->p.sw.strict_prios;
    if (strict)
        return 31u - (uint32_t)__builtin_clz(strict);
    if (e->p.sw.scheduler == WEFT_SCHED_PACKET_RR) {
        uint32_t after =
            eligible & ~((2u << p->drr) - 1); /* priorities above the one served last */
        p->drr = (uint8_t)__builtin_ctz(after ? after : eligible);
        return p->drr;
    }
    if (!(eligible & (eligible - 1))) {
        uint32_t only = (uint32_t)__builtin_ctz(eligible);
        p->deficit[only] = 0;
        return only;
    }
    if ((eligible & 1u << p->drr) && p->deficit[p->drr] > 0)
        return p->drr;
    for (uint32_t k = (p->drr + 1u) % WEFT_PRIOS;; k = (k + 1) % WEFT_PRIOS) {
        if (!(eligible & 1u << k)) {
            p->deficit[k] = 0;
            continue;
        }
        p->deficit[k] += (int32_t)e->p.sw.quantum_bytes;
        if (p->deficit[k] > 0) {
            p->drr = (uint8_t)k;
            return k;
        }
    }
}

/* The next packet of a queue; leaves the switch's buffer. */
static uint32_t dequeue(struct weft_engine *e, struct port *p, uint32_t port, uint32_t prio)
{
    uint32_t i = list_take(e, &p->q[prio]);
    struct pkt *k = pkt_at(e, i);
    if (p->q[prio].head == NIL)
        p->nonempty &= (uint8_t) ~(1u << prio);
    p->qbytes[prio] -= k->frame;
    p->qtotal -= k->frame;
    if (k->in_port != NIL) {
        mmu_release(e, k, port);
        if (e->ecn_on && !e->p.ecn.at_enqueue && k->kind == WEFT_PKT_DATA)
            ecn_mark(e, i, port, p->qbytes[prio]);
        if (e->stamp_on && k->kind == WEFT_PKT_DATA)
            signal_stamp(e, i, port);
        if (e->hooks.queue)
            e->hooks.queue(e->hooks.ctx, e->now, port, prio, p->qbytes[prio]);
    }
    return i;
}

/* Whether the next packet of a priority comes from the port's queue, else from a QP. At a NIC that
 * forwards, packets of other hosts and the host's own data take turns. */
static inline bool queue_first(const struct weft_engine *e, struct port *p, const struct nic *n,
                               uint32_t prio)
{
    const uint8_t bit = (uint8_t)(1u << prio);
    if (!(p->nonempty & bit))
        return false;
    if (__builtin_expect(!e->transit, 1) || !n || !(n->ready_mask & bit) ||
        pkt_at(e, p->q[prio].head)->in_port == NIL)
        return true;
    p->yield ^= bit;
    return p->yield & bit;
}

/* The priorities that have something to send and may. A NIC's queues hold ACKs and CNPs, and what
 * it forwards. */
static inline uint32_t sendable(const struct weft_engine *e, const struct port *p,
                                const struct nic *n)
{
    uint32_t open = ~(uint32_t)p->paused;
    if (!n)
        return p->nonempty & open;
    return (p->nonempty & (e->p.transport.ack_ignores_pause ? ~0u : open)) | (n->ready_mask & open);
}

void port_tx(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    if (p->busy_until_ps > e->now) {
        port_arm(e, port, p->busy_until_ps);
        return;
    }
    p->sending = false;
    struct nic *n = p->nic == NIL ? NULL : &e->nics[p->nic];
    if (n && n->paced.n)
        nic_release_paced(e, port);
    uint32_t i = NIL;
    if (p->ctrl.head != NIL) {
        i = list_take(e, &p->ctrl);
    } else {
        for (;;) {
            uint32_t eligible = sendable(e, p, n);
            if (!eligible)
                break;
            uint32_t prio = pick_prio(e, p, eligible);
            i = queue_first(e, p, n, prio) ? dequeue(e, p, port, prio) : nic_next(e, port, prio);
            if (i == NIL)
                continue; /* its QPs turned out to be blocked */
            if (!(e->p.sw.strict_prios >> prio & 1))
                p->deficit[prio] -= pkt_at(e, i)->frame;
            break;
        }
    }
    if (i != NIL)
        transmit(e, p, port, i);
    if (p->sending || sendable(e, p, n) || p->ctrl.head != NIL)
        port_arm(e, port, p->busy_until_ps);
    else if (n && nic_paced(e, n))
        port_arm(e, port, n->paced.h[0].t > p->busy_until_ps ? n->paced.h[0].t : p->busy_until_ps);
}

void port_kick(struct weft_engine *e, uint32_t port)
{
    struct port *p = &e->ports[port];
    if (p->busy_until_ps > e->now || p->sending)
        port_arm(e, port, p->busy_until_ps);
    else if (e->p.transport.ns3_event_order ||
             p->armed_ps != e->now) /* else its own event of this instant is still to come */
        port_tx(e, port);
}

void port_enqueue(struct weft_engine *e, uint32_t port, uint32_t i)
{
    struct port *p = &e->ports[port];
    struct pkt *k = pkt_at(e, i);
    uint32_t prio = k->prio;
    list_append(e, &p->q[prio], i);
    p->nonempty |= (uint8_t)(1u << prio);
    p->qbytes[prio] += k->frame;
    p->qtotal += k->frame;
    if (p->qtotal > p->st.max_queue_bytes)
        p->st.max_queue_bytes = p->qtotal;
    if (k->in_port != NIL) {
        if (e->ecn_on && e->p.ecn.at_enqueue && k->kind == WEFT_PKT_DATA)
            ecn_mark(e, i, port, p->qbytes[prio]);
        if (e->hooks.queue)
            e->hooks.queue(e->hooks.ctx, e->now, port, prio, p->qbytes[prio]);
    }
    if (!(p->paused & 1u << prio) || (p->nic != NIL && e->p.transport.ack_ignores_pause))
        port_kick(e, port);
}

/* Puts a packet of a lossless priority into the virtual channel of its next link. */
static void change_channel(const struct weft_engine *e, struct pkt *k, uint32_t in, uint32_t out)
{
    const struct weft_fabric *f = e->fabric;
    const uint32_t vc = k->flags & PKT_VC1 ? 1 : 0;
    if (!(e->p.pfc.prios >> k->prio & 1))
        return;
    uint32_t to =
        weft_next_channel(&f->links[f->ports[in].link], &f->links[f->ports[out].link], vc);
    k->prio = (uint8_t)(k->prio - vc + to);
    k->flags = (uint8_t)(to ? k->flags | PKT_VC1 : k->flags & ~PKT_VC1);
}

/* Forwards a packet that entered a node through port @p in. */
static void forward(struct weft_engine *e, uint32_t in, uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    uint32_t node = e->ports[in].node;
    struct weft_route_group g = weft_routes_lookup(e->routes, node, k->dst_host);
    if (__builtin_expect(g.n == 0, 0)) {
        engine_fail(e, WEFT_E_INTERNAL, "node %u has no route to host %u", node, k->dst_host);
        return;
    }
    uint32_t out = g.ports[0];
    if (g.n > 1)
        out = __builtin_expect(e->balance != NULL, 0) && k->kind == WEFT_PKT_DATA
                  ? e->balance(e, g, node, k)
                  : ecmp_port(e, g, node, qp_at(e, k->qp), k->kind == WEFT_PKT_DATA);
    k->in_port = in;
    k->in_prio = k->prio;
    if (__builtin_expect(e->vcs, 0))
        change_channel(e, k, in, out);
    enum weft_drop_reason why = mmu_admit(e, k, in, out);
    if (__builtin_expect(why != WEFT_DROP_REASONS, 0)) {
        pkt_drop(e, i, out, why);
        return;
    }
    port_enqueue(e, out, i);
}

/* Replaces the event of the arrival in hand by that of the packet behind it, if there is one. */
static void next_arrival(struct weft_engine *e, const struct port *p, uint32_t port, bool on_top)
{
    if (p->fly.head == NIL) {
        if (on_top)
            fastq_pop(&e->fast);
        return;
    }
    int64_t at = pkt_at(e, p->fly.head)->at_ps;
    if (on_top && __builtin_expect(fastq_fits(&e->fast, e->now, at), 1)) {
        fastq_replace_top(&e->fast, fastq_key(&e->fast, at, EV_ARRIVE, port));
        return;
    }
    if (on_top)
        fastq_pop(&e->fast);
    engine_push_port(e, at, EV_ARRIVE, port);
}

/* Asks the fault injection hook. */
static bool lose(const struct weft_engine *e, uint32_t i, uint32_t port)
{
    struct weft_engine_pkt_view v;
    pkt_view(e, i, &v);
    return e->hooks.lose(e->hooks.ctx, port, &v) != 0;
}

/* Whether a packet that came to a host is for another one. */
static inline bool passes_through(const struct weft_engine *e, uint32_t port, uint32_t i)
{
    return e->transit && e->fabric->nodes[e->ports[port].node].host != pkt_at(e, i)->dst_host;
}

void port_arrive(struct weft_engine *e, uint32_t port, bool on_top)
{
    struct port *p = &e->ports[port];
    uint32_t i = list_take(e, &p->fly);
    next_arrival(e, p, port, on_top);
    p->flying--;
    p->rx_packets++;
    if (__builtin_expect(p->error_rate > 0, 0) && weft_rng_f64(&p->err_rng) < p->error_rate) {
        pkt_drop(e, i, port, WEFT_DROP_ERROR);
        return;
    }
    if (__builtin_expect(e->hooks.lose != NULL, 0) && lose(e, i, port)) {
        pkt_drop(e, i, port, WEFT_DROP_ERROR);
        return;
    }
    uint32_t peer = p->peer;
    if (pkt_at(e, i)->kind == WEFT_PKT_PFC)
        pfc_receive(e, peer, i);
    else if (e->ports[peer].nic != NIL && __builtin_expect(!passes_through(e, peer, i), 1))
        rc_receive(e, i);
    else
        forward(e, peer, i);
}
