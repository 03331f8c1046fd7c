/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The NIC: which QP sends next, and when.
 *
 * A QP with something to send is in exactly one place: the ready ring of its priority (round robin,
 * one packet per turn), the heap of QPs whose pacing time lies ahead, or nowhere because its window
 * is full. Choosing is O(1), pacing O(log n); no scan over QPs. The pacing gap follows each packet:
 * next = start of this packet + wire bytes / rate.
 */
#include "nic.h"
#include "core/context.h"
#include "delay.h"
#include "balance/entropy.h"
#include "core/events.h"
#include "core/extension.h"
#include "core/heap.h"
#include "core/frame_size.h"
#include "core/gap.h"
#include "grant.h"
#include "core/loop.h"
#include "core/pkt.h"
#include "core/port.h"
#include "qp.h"
#include "balance/steer.h"
#include "core/walk.h"

#include "base/fetch.h"
#include "base/units.h"

#include <stdlib.h>

static void ready_append(struct weft_engine *e, struct nic *n, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    struct list *l = &n->ready[snd->prio];
    snd->state = QP_READY;
    snd->next = NIL;
    if (l->head == NIL)
        l->head = qi;
    else
        qp_at(e, l->tail)->snd->next = qi;
    l->tail = qi;
    n->ready_mask |= (uint8_t)(1u << snd->prio);
}

/* Places a QP in the heap until its pacing time. An entry that it has already becomes out of date,
 * see nic_paced. */
static void pace(struct weft_engine *e, struct nic *n, struct qp *q, uint32_t qi)
{
    q->snd->state = QP_PACED;
    engine_push(e, &n->paced, q->snd->next_avail_ps, qi);
}

static inline bool window_reached(const struct qp *q)
{
    const struct sender *snd = q->snd;
    uint64_t in_flight = snd->nxt_bytes - snd->una_bytes;
    if (__builtin_expect(snd->counted, 0))
        in_flight = snd->flight_bytes;
    return in_flight >= snd->out.cwnd_bytes || in_flight >= snd->cap_bytes;
}

/* Whether no packet in flight makes the receiver answer: it waits for ack-every packets. */
static bool nobody_asks(const struct qp *q)
{
    return profile_of(q)->t.ack_every > 1 &&
           !(q->requested_psn > q->snd->una_psn && q->requested_psn <= q->snd->nxt_psn);
}

/* A window that holds the QP back. A window that shrank below what is in flight lets one packet
 * more go if only that one can bring an ACK. */
static inline bool window_full(const struct qp *q)
{
    return window_reached(q) && (!nobody_asks(q) || !q->snd->out.cwnd_bytes);
}

/* Lets the packet that fills the window ask for an ACK, since no other would follow it, and one
 * that is sent @p again. */
static void ask(struct weft_engine *e, struct qp *q, uint32_t i, bool again)
{
    struct pkt *k = pkt_at(e, i);
    if (window_reached(q) || k->flags & PKT_LAST || again) {
        k->flags |= PKT_ASK;
        q->requested_psn = k->psn + 1;
    }
}

/* The rate changed and the algorithm wants the gap in progress re-timed. */
static void repace(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    struct sender *const snd = q->snd;
    snd->gap_rate_bps = nic_pacing_rate(e, q);
    snd->gap_q = gap_of_rate(snd->gap_rate_bps);
    snd->next_avail_ps = snd->last_tx_ps + gap_at_rate(e->p.transport.quantum_ps, snd->last_wire,
                                                       snd->gap_rate_bps, snd->gap_q);
    if (snd->state != QP_PACED)
        return;
    struct port *p = port_at(e, q->port);
    int64_t at = snd->next_avail_ps > e->now ? snd->next_avail_ps : e->now;
    snd->next_avail_ps = at;
    pace(e, &e->nics.of[p->nic], q, qi);
    port_arm(e, p, q->port, at > p->busy_until_ps ? at : p->busy_until_ps);
}

void nic_cc_apply(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    struct sender *const snd = q->snd;
    if (snd->out.rate_bps > q->env.line_rate_bps)
        snd->out.rate_bps = q->env.line_rate_bps;
    if (snd->out.rate_bps == 0)
        snd->out.rate_bps = 1;
    if (__builtin_expect(e->path.rare & RARE_RATE, 0))
        qp_report(e, qi, WEFT_QP_RATE, NIL);
    if (snd->out.repace && snd->last_wire && nic_pacing_rate(e, q) != snd->gap_rate_bps)
        repace(e, q, qi);
    if (__builtin_expect(snd->out.timer_at_ps != snd->cc_timer_ps, 0)) {
        snd->cc_timer_ps = snd->out.timer_at_ps;
        if (snd->cc_timer_ps != WEFT_NEVER) {
            if (snd->cc_timer_ps < e->now)
                engine_fail(e, WEFT_E_INTERNAL, "congestion control '%s' set a timer in the past",
                            q->cc->name);
            else
                engine_push_timer(e, q->src_host, snd->cc_timer_ps, EV_ID(EV_CC, qi));
        }
    }
}

static inline bool few_in_flight(const struct qp *q)
{
    return q->snd->top_psn - q->snd->una_psn <= profile_of(q)->t.rto_low_packets;
}

static void rto_at(struct weft_engine *e, struct qp *q, uint32_t qi, int64_t at_ps)
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
        q->rto_from_ps = e->now;
        if (few_in_flight(q) && f->t.rto_low_ps < rto)
            rto = f->t.rto_low_ps;
    }
    int64_t at_ps = WEFT_NEVER;
    if (__builtin_expect(q->snd->counted, 0) && f->recovery->timers)
        at_ps = f->recovery->timers->due(e, q);
    if (at_ps == WEFT_NEVER)
        at_ps = e->now + backed_off(rto, q->snd->backoff);
    rto_at(e, q, qi, at_ps > e->now ? at_ps : e->now); /* timers that got shorter may be over */
}

bool nic_rto_extend(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    int64_t at = q->rto_from_ps + backed_off(profile_of(q)->t.rto_ps, q->snd->backoff);
    if (few_in_flight(q) || at <= e->now)
        return false;
    rto_at(e, q, qi, at);
    return true;
}

/* Makes the packet nxt_psn and advances. */
static uint32_t build_data(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    struct sender *const snd = q->snd;
    uint32_t i = pkt_new(e, WEFT_PKT_DATA);
    if (i == NIL)
        return NIL;
    struct pkt *k = pkt_at(e, i);
    struct msg *m = msg_at(e, snd->nxt_msg);
    const uint64_t mtu = q->mtu_bytes;
    const uint64_t index = snd->nxt_psn - m->first_psn;
    const uint64_t left = m->bytes - index * mtu;
    const uint64_t payload = left < mtu ? left : mtu;
    k->qp = qi;
    k->msg = snd->nxt_msg;
    k->psn = snd->nxt_psn;
    k->sent_ps = e->now;
    k->dst_host = q->dst_host;
    k->payload = (uint16_t)payload;
    k->frame = (uint16_t)data_frame(q, payload);
    k->prio = snd->prio;
    if (snd->nxt_psn < snd->top_psn) {
        q->retx_packets++;
        e->tot.retx_packets++;
        m->retx_bytes += payload;
        snd->held_ps[WEFT_DELAY_LOSS] +=
            gap_quantised(e->p.transport.quantum_ps, k->frame + e->p.transport.gap_bytes,
                          e->ports[q->port].ser_q);
        if (e->hooks.qp)
            qp_report(e, qi, WEFT_QP_RETX, i);
    } else {
        snd->top_psn = snd->nxt_psn + 1;
    }
    snd->nxt_psn++;
    snd->nxt_bytes += payload;
    snd->made_bytes += payload;
    snd->flight_bytes += payload; /* counted or not: one addition costs less than to ask */
    if (index + 1 == m->npkts) {
        k->flags |= PKT_LAST;
        snd->nxt_msg = m->next;
        if (m->sent_ps < 0) {
            delay_sent(e, q, m);
            if (__builtin_expect(e->peers != NULL, 0))
                e->executor->sent_last(e, q, m);
            if (__builtin_expect(e->extension && e->extension->wants_sent, 0))
                e->extension->ops->sent(e, m);
        }
    }
    if (__builtin_expect(snd->entropy != NULL, 0))
        k->mid = entropy_next(e, q) & NO_MID;
    if (__builtin_expect(snd->counted, 0) && profile_of(q)->recovery->timers)
        profile_of(q)->recovery->timers->sent(e, qi, k->psn, snd->entropy ? k->mid : 0);
    if (__builtin_expect(snd->recovering, 0))
        profile_of(q)->recovery->sent(e, qi);
    return i;
}

/* Places a QP that has just sent or been woken. @p free_ps: when the port can take its next
 * packet. */
static inline void place(struct weft_engine *e, uint32_t port, struct qp *q, uint32_t qi,
                         int64_t free_ps)
{
    struct sender *const snd = q->snd;
    struct nic *n = &e->nics.of[port_at(e, port)->nic];
    if (snd->nxt_msg == NIL) {
        snd->state = QP_IDLE;
    } else if (window_full(q) &&
               (snd->next_avail_ps <= free_ps || !e->p.transport.ns3_event_order)) {
        snd->state = QP_BLOCKED;
    } else if (snd->next_avail_ps <= free_ps) {
        ready_append(e, n, qi);
    } else {
        pace(e, n, q, qi);
    }
}

/* Steers packet @p i, which a QP has just sent through @p port, and places the QP where its next
 * one is to leave. */
static __attribute__((noinline)) void steer(struct weft_engine *e, uint32_t port, uint32_t qi,
                                            uint32_t i, int64_t free_ps)
{
    struct qp *q = qp_at(e, qi);
    const struct sender *snd = q->snd;
    struct pkt *k = pkt_at(e, i);
    k->mid = q->mid & NO_MID;
    k->chan = k->in_chan = (snd->prio - q->own_prio) & 15u;
    k->flags |= (uint8_t)((q->upper ? PKT_UPPER : 0) | (k->chan ? PKT_CHANNEL : 0));
    e->spread.steer->aim(e, q);
    delay_aim(e, q);
    struct port *to = port_at(e, q->port);
    if (q->port != port)
        free_ps = e->now > to->busy_until_ps ? e->now : to->busy_until_ps;
    place(e, q->port, q, qi, free_ps);
    if (q->port == port)
        return; /* it looks again anyway */
    if (snd->state == QP_READY && !(to->paused & 1u << snd->prio))
        port_arm(e, to, q->port, free_ps);
    else if (snd->state == QP_PACED)
        port_arm(e, to, q->port, snd->next_avail_ps > free_ps ? snd->next_avail_ps : free_ps);
}

/* ns3-event-order: moves to the head of a ring the QP whose turn it is by number, as a NIC that
 * scans its QPs from the one after the last finds it. */
static void turn_by_number(struct weft_engine *e, struct nic *n, struct list *l)
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

uint32_t nic_next(struct weft_engine *e, uint32_t port, uint32_t prio)
{
    struct port *p = port_at(e, port);
    struct nic *n = &e->nics.of[p->nic];
    struct list *l = &n->ready[prio];
    for (uint32_t turn = 0;
         l->head != NIL && (!turn || walk_on(e, turn, e->qps.pool.n, WALK_TURNS_NAME)); turn++) {
        if (e->p.transport.ns3_event_order)
            turn_by_number(e, n, l);
        uint32_t qi = l->head;
        struct qp *q = qp_at(e, qi);
        struct sender *const snd = q->snd;
        l->head = snd->next;
        if (l->head == NIL)
            n->ready_mask &= (uint8_t) ~(1u << prio);
        else if (e->pkts.prefetch_deep)
            weft_fetch(qp_at(e, l->head), sizeof(struct qp) + sizeof(struct sender));
        if (snd->updated_ps < e->now)
            delay_update(e, q);
        if (q->cc->before_send) {
            q->cc->before_send(cc_state_at(e, qi), q->ccp, e->now, &snd->out);
            nic_cc_changed(e, q, qi);
        }
        if (snd->nxt_msg == NIL || window_full(q)) {
            snd->state = snd->nxt_msg == NIL ? QP_IDLE : QP_BLOCKED;
            continue;
        }
        if (snd->next_avail_ps > e->now) { /* re-timed while it waited for its turn */
            pace(e, n, q, qi);
            continue;
        }
        const bool again = e->rc.by_bytes && profile_of(q)->by_bytes && snd->nxt_psn < snd->top_psn;
        uint32_t i = build_data(e, q, qi);
        if (i == NIL)
            return NIL;
        uint64_t wire = pkt_at(e, i)->frame + e->p.transport.gap_bytes;
        if (q->cc->on_send) {
            q->cc->on_send(cc_state_at(e, qi), q->ccp, e->now, (uint32_t)wire, &snd->out);
            nic_cc_changed(e, q, qi);
            if (credited(q))
                grant_ask_with(e, q, qi, i);
            else if (q->carries)
                e->signal->tag(e, q, qi, i);
        }
        if (nic_pacing_rate(e, q) != snd->gap_rate_bps) {
            snd->gap_rate_bps = nic_pacing_rate(e, q);
            snd->gap_q = gap_of_rate(snd->gap_rate_bps);
        }
        n->served = qi;
        snd->last_wire = wire;
        snd->last_tx_ps = e->now;
        snd->next_avail_ps =
            e->now + gap_at_rate(e->p.transport.quantum_ps, wire, snd->gap_rate_bps, snd->gap_q);
        if (snd->rto_at_ps == WEFT_NEVER)
            nic_rto_arm(e, qi);
        if (e->rc.sparse && profile_of(q)->sparse)
            ask(e, q, i, again);
        const int64_t free_ps = e->now + gap_quantised(e->p.transport.quantum_ps, wire, p->ser_q);
        snd->updated_ps = free_ps;
        if (__builtin_expect(e->spread.steer != NULL, 0))
            steer(e, port, qi, i, free_ps);
        else
            place(e, port, q, qi, free_ps);
        return i;
    }
    return NIL;
}

bool nic_paced(struct weft_engine *e, struct nic *n)
{
    for (; n->paced.n; evq_pop(&n->paced)) {
        const struct qp *q = qp_at(e, (uint32_t)n->paced.h[0].id);
        if (q->snd->state == QP_PACED && q->snd->next_avail_ps == n->paced.h[0].t &&
            (!e->spread.steer || n == &e->nics.of[e->ports[q->port].nic]))
            return true;
    }
    return false;
}

void nic_release_paced(struct weft_engine *e, uint32_t port)
{
    struct nic *n = &e->nics.of[port_at(e, port)->nic];
    while (nic_paced(e, n) && n->paced.h[0].t <= e->now) {
        uint32_t qi = (uint32_t)n->paced.h[0].id;
        struct qp *q = qp_at(e, qi);
        if (q->snd->updated_ps < e->now)
            delay_update(e, q);
        evq_pop(&n->paced);
        ready_append(e, n, qi);
    }
}

/* A QP has something to send and no credit. */
static __attribute__((noinline)) void await_credit(struct weft_engine *e, struct qp *q, uint32_t qi)
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
    if (q->cc->before_send) {
        q->cc->before_send(cc_state_at(e, qi), q->ccp, e->now, &snd->out);
        nic_cc_changed(e, q, qi);
    }
    struct port *p = port_at(e, q->port);
    place(e, q->port, q, qi, e->now > p->busy_until_ps ? e->now : p->busy_until_ps);
    if (snd->state == QP_READY) {
        if (!(p->paused & 1u << snd->prio))
            e->port_ops.kick(e, q->port);
    } else if (snd->state == QP_PACED) {
        port_arm(e, p, q->port,
                 snd->next_avail_ps > p->busy_until_ps ? snd->next_avail_ps : p->busy_until_ps);
    } else if (__builtin_expect(!snd->out.cwnd_bytes, 0)) {
        await_credit(e, q, qi);
    }
}

void nic_seek(struct weft_engine *e, struct qp *q, uint64_t psn)
{
    struct sender *const snd = q->snd;
    if (snd->nxt_psn == psn)
        return;
    if (psn < snd->nxt_psn)
        delay_update_loss(e, q);
    else
        delay_update(e, q);
    uint32_t mi = q->head_msg;
    for (uint32_t n = 0; mi != NIL && psn >= msg_at(e, mi)->first_psn + msg_at(e, mi)->npkts &&
                         walk_on(e, n, e->msgs.n, WALK_MSGS_NAME);
         n++)
        mi = msg_at(e, mi)->next;
    snd->nxt_psn = psn;
    snd->nxt_msg = mi;
    snd->nxt_bytes = q->end_byte;
    if (mi != NIL) {
        const struct msg *m = msg_at(e, mi);
        snd->nxt_bytes = m->start_byte + (psn - m->first_psn) * q->mtu_bytes;
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

/* ---- all NICs ---- */

struct nic_walk {
    uint32_t port, n; /* the next ones */
};

/* The next NIC whose port has a record, NULL: no other does; the rest is not even read. */
static struct nic *next_nic(const struct weft_engine *e, struct nic_walk *w)
{
    while (w->n < e->nics.n) {
        const uint32_t port = w->port++;
        const bool host = e->fabric->nodes[e->fabric->ports[port].node].kind == WEFT_NODE_HOST;
        w->n += host;
        if (host && port_known(e, port))
            return &e->nics.of[w->n - 1];
    }
    return NULL;
}

void nics_fini(struct weft_engine *e)
{
    struct nic_walk w = {0, 0};
    for (struct nic *n; (n = next_nic(e, &w)) != NULL;)
        evq_free(&n->paced);
    free(e->nics.of);
}

uint64_t nics_paced_bytes(const struct weft_engine *e)
{
    uint64_t bytes = 0;
    struct nic_walk w = {0, 0};
    for (const struct nic *n; (n = next_nic(e, &w)) != NULL;)
        bytes += n->paced.cap * sizeof *n->paced.h;
    return bytes;
}
