/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The port of a NIC starts a packet: of a QP (nic.c), or of its queue, which holds ACKs and CNPs,
 * and what other hosts, frames and sums send through it.
 */
#include "core/context.h"
#include "nic.h"
#include "switch/in_network.h"
#include "switch/port_send.h"

/* Whether the head of a NIC's queue is an ACK or a CNP of the host itself. */
static bool nic_answers(const struct weft_engine *e, const struct port *p, uint32_t prio)
{
    const struct pkt *k = pkt_at(e, p->lane[prio].q.head);
    return k->in_port == NIL && k->kind < WEFT_PKT_FRAME;
}

/* Whether the next packet of a priority comes from the port's queue, else from a QP. Answers go
 * first; packets of other hosts, frames and sums take turns with the QPs. */
static inline bool nic_queue_first(const struct weft_engine *e, const struct port *p, struct nic *n,
                                   uint32_t prio)
{
    const uint8_t bit = (uint8_t)(1u << prio);
    if (!(p->nonempty & bit))
        return false;
    if (__builtin_expect(!e->nics.turns, 1) || !(n->ready_mask & bit) || nic_answers(e, p, prio))
        return true;
    n->yield ^= bit;
    return n->yield & bit;
}

/* The priorities that a NIC may send. Its queues hold ACKs and CNPs, and what it forwards. */
static inline uint32_t nic_sendable(const struct weft_engine *e, const struct port *p,
                                    const struct nic *n)
{
    const uint32_t open = ~p->paused;
    return (p->nonempty & (e->p.transport.ack_ignores_pause ? ~0u : open)) | (n->ready_mask & open);
}

/* Whether packet @p i, just started at a NIC, is a frame of the host's own. */
static inline bool nic_own_frame(const struct weft_engine *e, uint32_t i)
{
    return __builtin_expect(e->nics.turns, 0) && pkt_at(e, i)->kind == WEFT_PKT_FRAME &&
           pkt_at(e, i)->in_port == NIL;
}

void nic_send(struct weft_engine *e, struct port *p, uint32_t port)
{
    struct nic *n = &e->nics.of[p->nic];
    uint32_t frame = NIL;
    if (n->paced.n)
        nic_release_paced(e, port);
    uint32_t eligible;
    if (__builtin_expect(p->nonempty & CTRL_WAITS, 0)) {
        port_start_ctrl(e, p, port);
    } else {
        while ((eligible = nic_sendable(e, p, n))) {
            const uint32_t prio = port_next_prio(e, p, eligible);
            const bool queued = nic_queue_first(e, p, n, prio);
            const uint32_t i = queued ? port_dequeue(e, p, port, prio) : nic_next(e, port, prio);
            if (i != NIL) { /* else its QPs turned out to be blocked */
                port_start(e, p, port, prio, i);
                if (nic_own_frame(e, i))
                    frame = i;
                if (queued && __builtin_expect(e->nics.turns, 0))
                    in_network_left(e, i);
                break;
            }
        }
    }
    eligible = nic_sendable(e, p, n);
    port_arm_next(e, p, port, eligible);
    if (!eligible && !p->sending && nic_paced(e, n))
        port_arm(e, p, port,
                 n->paced.h[0].t > p->busy_until_ps ? n->paced.h[0].t : p->busy_until_ps);
    if (__builtin_expect(frame != NIL, 0))
        e->hooks.frame_left(e->hooks.ctx, pkt_at(e, frame)->handle);
}
