/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of a message from its QP to the link: the QP is woken and takes its place, the port of
 * the NIC becomes free and chooses a QP, or its queue, which holds ACKs and CNPs, and what other
 * hosts, frames and sums send through it; the packet is made and transmitted.
 *
 * A QP with something to send is in exactly one place: the ready ring of its priority (round robin,
 * one packet per turn), the heap of QPs whose pacing time lies ahead, or nowhere because its window
 * is full. Choosing is O(1), pacing O(log n); no scan over QPs. The pacing gap follows each packet:
 * next = start of this packet + wire bytes / rate.
 */
#include "nic.h"
#include "balance/entropy.h"
#include "balance/steer.h"
#include "core/context.h"
#include "core/events.h"
#include "core/executor.h"
#include "core/extension.h"
#include "core/frame_size.h"
#include "core/gap.h"
#include "core/walk.h"
#include "delay.h"
#include "grant.h"
#include "qp.h"
#include "switch/in_network.h"
#include "switch/port_send.h"

#include "base/fetch.h"

/* ---- places of a QP ---- */

static inline void nic_ready(struct weft_engine *e, struct nic *n, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    struct list *l = &n->ready[snd->prio];
    snd->state = QP_READY;
    n->ready_mask |= (uint8_t)(1u << snd->prio);
    if (__builtin_expect(e->nics.last != NULL, 0)) {
        nic_train_turn(e, n, qi);
        return;
    }
    snd->next = NIL;
    if (l->head == NIL)
        l->head = qi;
    else
        qp_at(e, l->tail)->snd->next = qi;
    l->tail = qi;
}

/* Whether a QP waits for its pacing time; the first of them heads the heap. */
static bool nic_paced(struct weft_engine *e, struct nic *n)
{
    for (; n->paced.n; evq_pop(&n->paced)) {
        const struct qp *q = qp_at(e, (uint32_t)n->paced.h[0].id);
        if (q->snd->state == QP_PACED && q->snd->next_avail_ps == n->paced.h[0].t &&
            (!e->spread.steer || n == &e->nics.of[e->ports[q->port].nic]))
            return true;
    }
    return false;
}

/* Moves the QPs whose pacing time has come to the ready rings. */
static void nic_release_paced(struct weft_engine *e, struct nic *n)
{
    while (nic_paced(e, n) && n->paced.h[0].t <= e->now) {
        uint32_t qi = (uint32_t)n->paced.h[0].id;
        struct qp *q = qp_at(e, qi);
        if (q->snd->updated_ps < e->now)
            delay_update(e, q);
        evq_pop(&n->paced);
        nic_ready(e, n, qi);
    }
}

/* ---- windows ---- */

static inline bool nic_window_reached(const struct qp *q)
{
    const struct sender *snd = q->snd;
    uint64_t in_flight = snd->nxt_bytes - snd->una_bytes;
    if (__builtin_expect(snd->counted, 0))
        in_flight = rare_of(q)->flight_bytes;
    return in_flight >= snd->out.cwnd_bytes || in_flight >= q->kind->cap_bytes;
}

/* Whether no packet in flight makes the receiver answer: it waits for ack-every packets. */
static bool nic_nobody_asks(const struct qp *q)
{
    return profile_of(q)->t.ack_every > 1 && !(rare_of(q)->requested_psn > q->snd->una_psn &&
                                               rare_of(q)->requested_psn <= q->snd->nxt_psn);
}

/* Whether a window that is reached holds back a QP that not each packet brings an ACK. One that
 * shrank below what is in flight lets one packet more go if only that one can bring one; of a train
 * half has arrived without it. */
static __attribute__((noinline)) bool nic_window_holds(const struct qp *q)
{
    const struct sender *snd = q->snd;
    const uint64_t arrived = snd->last_wire / 2u, more = snd->nxt_bytes - snd->una_bytes;
    if (q->kind->train > 1)
        return more < arrived || more - arrived >= snd->out.cwnd_bytes ||
               more - arrived >= q->kind->cap_bytes;
    return !nic_nobody_asks(q) || !snd->out.cwnd_bytes;
}

/* A window that holds the QP back. */
static inline bool nic_window_full(const struct qp *q)
{
    return nic_window_reached(q) && (!q->kind->sparse || nic_window_holds(q));
}

/* Lets the packet that fills the window ask for an ACK, since no other would follow it, and one
 * that is sent @p again. */
static void nic_ask(struct weft_engine *e, struct qp *q, uint32_t i, bool again)
{
    struct pkt *k = pkt_at(e, i);
    if (nic_window_reached(q) || k->flags & PKT_LAST || again) {
        k->flags |= PKT_ASK;
        rare_of(q)->requested_psn = k->psn + 1;
    }
}

/* ---- the retransmission timer ---- */

static inline bool nic_few_in_flight(const struct qp *q)
{
    return q->snd->top_psn - q->snd->una_psn <= profile_of(q)->t.rto_low_packets;
}

static inline void nic_rto_at(struct weft_engine *e, struct qp *q, uint32_t qi, int64_t at_ps)
{
    struct sender *const snd = q->snd;
    snd->rto_at_ps = at_ps;
    if (snd->rto_at_ps < snd->rto_entry_ps) {
        snd->rto_entry_ps = snd->rto_at_ps;
        engine_push_timer(e, q->src_host, snd->rto_at_ps, EV_ID(EV_RTO, qi));
    }
}

void nic_rto_arm(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    const struct profile *f = profile_of(q);
    int64_t rto = f->t.rto_ps;
    if (__builtin_expect(f->low_rto, 0)) {
        rare_of(q)->rto_from_ps = e->now;
        if (nic_few_in_flight(q) && f->t.rto_low_ps < rto)
            rto = f->t.rto_low_ps;
    }
    int64_t at_ps = WEFT_NEVER;
    if (__builtin_expect(q->snd->counted, 0) && f->recovery->timers)
        at_ps = f->recovery->timers->due(e, q);
    if (at_ps == WEFT_NEVER)
        at_ps = e->now + backed_off(rto, q->snd->backoff);
    nic_rto_at(e, q, qi, at_ps > e->now ? at_ps : e->now); /* timers that got shorter may be over */
}

bool nic_rto_extend(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    int64_t at = rare_of(q)->rto_from_ps + backed_off(profile_of(q)->t.rto_ps, q->snd->backoff);
    if (nic_few_in_flight(q) || at <= e->now)
        return false;
    nic_rto_at(e, q, qi, at);
    return true;
}

/* ---- packets ---- */

/* Makes the packet nxt_psn and advances. */
static uint32_t nic_build(struct weft_engine *e, struct nic *n, struct qp *q, uint32_t qi)
{
    struct sender *const snd = q->snd;
    uint32_t i = pkt_new(e, WEFT_PKT_DATA);
    if (i == NIL)
        return NIL;
    struct pkt *k = pkt_at(e, i);
    struct msg *m = msg_at(e, snd->nxt_msg);
    const uint64_t mtu = q->kind->env.mtu_bytes;
    uint64_t index = snd->nxt_psn - m->first_psn;
    const uint64_t left = m->bytes - index * mtu;
    const uint64_t payload = left < mtu ? left : mtu;
    k->qp = qi;
    k->msg = snd->nxt_msg;
    k->psn = snd->nxt_psn;
    k->sent_ps = e->now;
    k->dst_host = q->dst_host;
    k->payload = (uint16_t)payload;
    k->frame = (uint16_t)data_frame(q, payload);
    k->train.wire = 0;
    k->prio = snd->prio;
    if (snd->nxt_psn < snd->top_psn) {
        k->flags |= q->kind->train > 1 ? PKT_ASK : 0;
        rare_of(q)->retx_packets++;
        e->tot.retx_packets++;
        delay_sent_again(e, q, m, k);
        if (e->hooks.qp)
            qp_report(e, qi, WEFT_QP_RETX, i);
    } else {
        snd->top_psn = snd->nxt_psn + 1;
        if (__builtin_expect(q->kind->train > 1, 0))
            index += nic_train_couple(e, n, q, k, m, index);
    }
    snd->nxt_psn++;
    snd->nxt_bytes += payload;
    n->made_bytes += payload;
    if (index + 1 == m->npkts) {
        k->flags |= PKT_LAST;
        snd->nxt_msg = m->next;
        if (msg_log(e, m)->sent_ps < 0) {
            delay_sent(e, q, m);
            if (__builtin_expect(e->peers != NULL, 0))
                e->executor->sent_last(e, q, m);
            if (__builtin_expect(e->extension && e->extension->wants_sent, 0))
                e->extension->ops->sent(e, m);
        }
    }
    if (__builtin_expect(snd->sprays, 0))
        k->mid = entropy_next(e, q) & NO_MID;
    if (__builtin_expect(snd->counted, 0)) {
        rare_of(q)->flight_bytes += payload;
        if (profile_of(q)->recovery->timers)
            profile_of(q)->recovery->timers->sent(e, qi, k->psn, snd->sprays ? k->mid : 0);
    }
    if (__builtin_expect(snd->recovering, 0))
        profile_of(q)->recovery->sent(e, qi);
    return i;
}

/* Places a QP that has just sent or been woken. @p free_ps: when the port can take its next
 * packet. */
static inline void nic_place(struct weft_engine *e, uint32_t port, struct qp *q, uint32_t qi,
                             int64_t free_ps)
{
    struct sender *const snd = q->snd;
    struct nic *n = &e->nics.of[port_at(e, port)->nic];
    if (snd->nxt_msg == NIL) {
        snd->state = QP_IDLE;
    } else if (nic_window_full(q) &&
               (snd->next_avail_ps <= free_ps || !e->p.transport.ns3_event_order)) {
        snd->state = QP_BLOCKED;
    } else if (snd->next_avail_ps <= free_ps) {
        nic_ready(e, n, qi);
    } else {
        nic_pace(e, n, q, qi);
    }
}

/* Steers packet @p i, which a QP has just sent through @p port, and places the QP where its next
 * one is to leave. */
static __attribute__((noinline)) void nic_steer(struct weft_engine *e, uint32_t port, uint32_t qi,
                                                uint32_t i, int64_t free_ps)
{
    struct qp *q = qp_at(e, qi);
    const struct sender *snd = q->snd;
    struct pkt *k = pkt_at(e, i);
    k->mid = rare_of(q)->mid & NO_MID;
    k->chan = k->in_chan = (snd->prio - q->own_prio) & 15u;
    k->flags |= (uint8_t)((q->upper ? PKT_UPPER : 0) | (k->chan ? PKT_CHANNEL : 0));
    e->spread.steer->aim(e, q);
    delay_aim(e, q);
    struct port *to = port_at(e, q->port);
    if (q->port != port)
        free_ps = e->now > to->busy_until_ps ? e->now : to->busy_until_ps;
    nic_place(e, q->port, q, qi, free_ps);
    if (q->port == port)
        return; /* it looks again anyway */
    if (snd->state == QP_READY && !(to->paused & 1u << snd->prio))
        port_arm(e, to, q->port, free_ps);
    else if (snd->state == QP_PACED)
        port_arm(e, to, q->port, snd->next_avail_ps > free_ps ? snd->next_avail_ps : free_ps);
}

/* ns3-event-order: moves to the head of a ring the QP whose turn it is by number, as a NIC that
 * scans its QPs from the one after the last finds it. */
static void nic_turn_by_number(struct weft_engine *e, struct nic *n, struct list *l)
{
    uint32_t best = NIL, before = NIL, prev = NIL;
    WALK_TURNS(e, qi, l->head) {
        if (best == NIL || qi - n->served - 1 < best - n->served - 1) {
            best = qi;
            before = prev;
        }
        prev = qi;
    }
    if (before == NIL)
        return;
    struct qp *q = qp_at(e, best);
    qp_at(e, before)->snd->next = q->snd->next;
    if (l->tail == best)
        l->tail = before;
    q->snd->next = l->head;
    l->head = best;
}

static inline void nic_fetch(const struct weft_engine *e, uint32_t qi)
{
    weft_fetch(qp_at(e, qi), offsetof(struct qp, exp_psn)); /* the rest is its receiver */
    weft_fetch(sender_at(e, qi), sizeof(struct sender));
}

/* The next data packet of priority @p prio at the port of NIC @p n, NIL when every QP turned out
 * blocked. */
static uint32_t nic_next(struct weft_engine *e, struct port *p, struct nic *n, uint32_t port,
                         uint32_t prio)
{
    struct list *l = &n->ready[prio];
    for (uint32_t turn = 0;
         l->head != NIL && (!turn || walk_on(e, turn, e->qps.pool.n, WALK_TURNS_NAME)); turn++) {
        if (e->p.transport.ns3_event_order)
            nic_turn_by_number(e, n, l);
        const uint32_t qi = l->head;
        struct qp *q = qp_at(e, qi);
        struct sender *const snd = q->snd;
        l->head = snd->next;
        if (__builtin_expect(e->nics.last != NULL, 0))
            nic_train_turn_over(e, n, qi);
        if (l->head == NIL)
            n->ready_mask &= (uint8_t) ~(1u << prio);
        else if (e->pkts.prefetch_qps)
            nic_fetch(e, l->head);
        if (snd->updated_ps < e->now)
            delay_update(e, q);
        const struct qp_kind *const kind = q->kind;
        if (kind->cc->before_send) {
            if (q->cc_state)
                kind->cc->before_send(q->cc_state, kind->ccp, e->now, &snd->out);
            nic_cc_changed(e, q, qi);
        }
        if (snd->nxt_msg == NIL || nic_window_full(q)) {
            snd->state = snd->nxt_msg == NIL ? QP_IDLE : QP_BLOCKED;
            continue;
        }
        if (snd->next_avail_ps > e->now) { /* re-timed while it waited for its turn */
            nic_pace(e, n, q, qi);
            continue;
        }
        const bool again = e->rc.by_bytes && profile_of(q)->by_bytes && snd->nxt_psn < snd->top_psn;
        uint32_t i = nic_build(e, n, q, qi);
        if (i == NIL)
            return NIL;
        uint64_t wire = pkt_at(e, i)->frame + e->p.transport.gap_bytes;
        if (kind->cc->on_send) {
            if (q->cc_state)
                kind->cc->on_send(q->cc_state, kind->ccp, e->now, (uint32_t)wire, &snd->out);
            nic_cc_changed(e, q, qi);
            if (credited(q))
                grant_ask_with(e, q, qi, i);
            else if (q->carries)
                e->signal->tag(e, q, qi, i);
        }
        const uint64_t rate_bps = snd->gap_rate_bps = nic_pacing_rate(e, q);
        n->served = qi;
        snd->last_wire = (uint16_t)wire;
        snd->last_tx_ps = e->now;
        snd->next_avail_ps =
            e->now + gap_at_rate(e->p.transport.quantum_ps, wire, rate_bps, nic_gap_q(q, rate_bps));
        if (snd->rto_at_ps == WEFT_NEVER)
            nic_rto_arm(e, qi);
        if (e->rc.sparse && profile_of(q)->sparse)
            nic_ask(e, q, i, again);
        const int64_t free_ps = e->now + gap_quantised(e->p.transport.quantum_ps, wire, p->ser_q);
        snd->updated_ps = free_ps;
        if (__builtin_expect(e->spread.steer != NULL, 0))
            nic_steer(e, port, qi, i, free_ps);
        else
            nic_place(e, port, q, qi, free_ps);
        return i;
    }
    return NIL;
}

/* ---- the port ---- */

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
        nic_release_paced(e, n);
    uint32_t eligible;
    if (__builtin_expect(p->nonempty & CTRL_WAITS, 0)) {
        port_start_ctrl(e, p, port);
    } else {
        while ((eligible = nic_sendable(e, p, n))) {
            const uint32_t prio = port_next_prio(e, p, eligible);
            const bool queued = nic_queue_first(e, p, n, prio);
            const uint32_t i =
                queued ? port_dequeue(e, p, port, prio) : nic_next(e, p, n, port, prio);
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

/* ---- waking ---- */

/* Something became sendable at the port of a NIC, which has no transmissions without events. */
static inline void nic_kick(struct weft_engine *e, struct port *p, uint32_t port)
{
    if (p->busy_until_ps > e->now || p->sending)
        port_arm(e, p, port, p->busy_until_ps);
    else if (p->armed_ps != e->now || e->path.rare & RARE_ORDER)
        nic_send(e, p, port); /* else its own event of this instant is still to come */
}

/* A QP has something to send and no credit. */
static __attribute__((noinline)) void nic_await_credit(struct weft_engine *e, struct qp *q,
                                                       uint32_t qi)
{
    grant_ask(e, q, qi, false);
    if (q->snd->rto_at_ps == WEFT_NEVER)
        nic_rto_arm(e, qi);
}

void nic_wake(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    if (snd->state >= QP_READY || snd->nxt_msg == NIL)
        return;
    delay_update(e, q);
    if (q->kind->cc->before_send) {
        if (q->cc_state)
            q->kind->cc->before_send(q->cc_state, q->kind->ccp, e->now, &snd->out);
        nic_cc_changed(e, q, qi);
    }
    struct port *p = port_at(e, q->port);
    nic_place(e, q->port, q, qi, e->now > p->busy_until_ps ? e->now : p->busy_until_ps);
    if (snd->state == QP_READY) {
        if (!(p->paused & 1u << snd->prio))
            nic_kick(e, p, q->port);
    } else if (snd->state == QP_PACED) {
        port_arm(e, p, q->port,
                 snd->next_avail_ps > p->busy_until_ps ? snd->next_avail_ps : p->busy_until_ps);
    } else if (__builtin_expect(!snd->out.cwnd_bytes, 0)) {
        nic_await_credit(e, q, qi);
    }
}

void nic_go_back(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    delay_update_loss(e, q);
    snd->nxt_psn = snd->una_psn;
    snd->nxt_bytes = snd->una_bytes;
    snd->nxt_msg = q->head_msg;
    nic_wake(e, qi);
}
