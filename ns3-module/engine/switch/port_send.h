/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A port starts a packet: what ports of switches (forward.c) and of NICs (nic_send.c) share, from
 * the queue to the link. Inline, as each hop of a packet passes here.
 */
#ifndef WEFT_ENGINE_PORT_SEND_H
#define WEFT_ENGINE_PORT_SEND_H

#include "core/context.h"
#include "core/gap.h"
#include "core/walk.h"
#include "core/events.h"
#include "mmu.h"
#include "mmu_admit.h"
#include "core/executor.h"
#include "switch.h"
#include "telemetry.h"
#include "train.h"

/** Actions at the start of a packet that few runs need, which will have arrived at @p at_ps.
 * Whether it is on its way by then, and not to be put on the link. */
bool port_transmit_rarely(struct weft_engine *e, struct port *p, uint32_t port, struct pkt *k,
                          uint32_t i, uint64_t wire, int64_t at_ps);
/** Actions on a packet that has left a switch queue that few runs need. */
void port_left_rarely(struct weft_engine *e, const struct port *p, uint32_t port,
                      const struct pkt *k, uint32_t i);
/** Sends a PFC or credit frame. */
void port_start_ctrl(struct weft_engine *e, struct port *p, uint32_t port);

/* Fetches packet @p i, which is next in its list. Where there is more to fetch, that has been done
 * when it was the next but one: what is fetched now is the place of its INT stamp, on a link (@p
 * path) the ports that its QP goes through, and the packet behind it. Inlined by force, see
 * base/fetch.h. */
static inline __attribute__((always_inline)) void port_fetch_next(const struct weft_engine *e,
                                                                  uint32_t i, bool path)
{
    const struct pkt *const k = pkt_at(e, i);
    if (e->pkts.pool.live <= e->pkts.prefetch_above)
        return;
    if (e->telemetry.int_on) {
        if (k->sig < 1u << SIG_PLACE_BITS)
            __builtin_prefetch(sig_at(e, k->sig), 1);
    } else if (!e->pkts.prefetch_qps) {
        __builtin_prefetch(k, 1);
        return;
    }
    if (k->next != NIL)
        __builtin_prefetch(pkt_at(e, k->next), 1);
    if (path && e->pkts.prefetch_qps)
        __builtin_prefetch(qp_at(e, k->qp)->path);
}

/* Whether a packet that starts is on its way by then, and not to be put on the link. @p at_ps: when
 * it will have arrived; a train is earlier. */
static inline bool port_handed_over(struct weft_engine *e, struct port *p, uint32_t port,
                                    struct pkt *k, uint32_t i, uint64_t wire, int64_t *at_ps)
{
    const uint32_t rare = e->path.rare & RARE_SENDING;
    if (__builtin_expect(!rare, 1))
        return false;
    if (rare & RARE_TRAINS)
        *at_ps -= train_ahead_ps(e, port, k);
    if (rare & ~(uint32_t)(RARE_WORKER | RARE_TRAINS))
        return port_transmit_rarely(e, p, port, k, i, wire, *at_ps);
    if (!(p->own_ends & e->path.apart))
        return false;
    e->executor->send(e, port, i, *at_ps);
    return true;
}

/* Puts packet @p k, number @p i, on the link. Inlined by force: each hop comes here once. */
static inline __attribute__((always_inline)) void
port_transmit(struct weft_engine *e, struct port *p, uint32_t port, struct pkt *k, uint32_t i)
{
    const uint64_t wire = k->frame + e->p.transport.gap_bytes;
    int64_t ser = gap_ps(wire, p->ser_q);
    if (__builtin_expect(e->path.rare & RARE_QUANTUM, 0))
        ser = gap_quantised(e->p.transport.quantum_ps, wire, p->ser_q);
    p->busy_until_ps = e->now + ser;
    int64_t at_ps = p->busy_until_ps + p->prop_ps;
    if (!port_handed_over(e, p, port, k, i, wire, &at_ps))
        put_on_link(e, port, k, i, at_ps);
    p->st.tx_packets++;
    p->st.tx_bytes += wire;
    p->st.tx_payload_bytes += k->payload;
    p->st.busy_ps += ser;
    e->tot.packet_hops++;
}

/* The priority to serve, the bits of @p eligible (not 0). */
static inline uint32_t port_next_prio(const struct weft_engine *e, struct port *p,
                                      uint32_t eligible)
{
    if (__builtin_expect(eligible & (eligible - 1), 0))
        return scheduler_pick(e, p, eligible);
    const uint32_t only = (uint32_t)__builtin_ctz(eligible);
    p->lane[only].deficit = 0; /* means nothing for a strict one */
    if (__builtin_expect(e->path.rare & RARE_TURNS, 0) &&
        !(eligible & (uint32_t)e->p.sw.strict_prios))
        p->drr = (uint8_t)only;
    return only;
}

/* Whether a packet is an ECN-capable frame. */
static inline bool port_may_mark(const struct pkt *k)
{
    return k->kind == WEFT_PKT_FRAME && k->flags & PKT_ECT;
}

/* A packet has left a switch queue. */
static inline void port_left(struct weft_engine *e, struct port *p, uint32_t port, struct pkt *k,
                             uint32_t i)
{
    const uint32_t prio = k->prio;
    if (k->kind == WEFT_PKT_DATA) {
        if ((e->path.on_dequeue & QUEUE_MARK) && p->lane[prio].qbytes > e->mmu.least_kmin)
            ecn_mark(e, i, port, p->lane[prio].qbytes);
        if (e->path.on_dequeue & QUEUE_STAMP)
            telemetry_stamp(e, k, p, port);
    } else if (e->path.on_dequeue & QUEUE_MARK_FRAMES && port_may_mark(k)) {
        ecn_mark(e, i, port, p->lane[prio].qbytes);
    }
    if (__builtin_expect(e->path.on_dequeue & (QUEUE_HOOK | QUEUE_PAUSE_CLOCK | QUEUE_HISTOGRAM),
                         0))
        port_left_rarely(e, p, port, k, i);
}

/* The next packet of a queue; leaves the switch's buffer. */
static inline uint32_t port_dequeue(struct weft_engine *e, struct port *p, uint32_t port,
                                    uint32_t prio)
{
    struct list *q = &p->lane[prio].q;
    const uint32_t i = q->head;
    struct pkt *k = pkt_at(e, i);
    list_take(q, k);
    if (q->head == NIL)
        p->nonempty &= ~(1u << prio);
    else
        port_fetch_next(e, q->head, false);
    p->lane[prio].qbytes -= k->frame;
    p->qtotal -= k->frame;
    if (k->in_port != NIL) {
        mmu_release(e, k, port, p->lazy);
        if (e->path.on_dequeue)
            port_left(e, p, port, k, i);
    } else if (__builtin_expect(e->mmu.egress_pooled, 0)) {
        mmu_made_left(e, k, port);
    }
    return i;
}

/* Starts a packet of priority @p prio, number @p i. */
static inline void port_start(struct weft_engine *e, struct port *p, uint32_t port, uint32_t prio,
                              uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    p->lane[prio].deficit -= k->frame;
    port_transmit(e, p, port, k, i);
}

/* The end of port_tx: when the port looks again. */
static inline void port_arm_next(struct weft_engine *e, struct port *p, uint32_t port,
                                 uint32_t sendable)
{
    if (sendable || __builtin_expect(p->sending, 0))
        port_arm(e, p, port, p->busy_until_ps);
}

#endif
