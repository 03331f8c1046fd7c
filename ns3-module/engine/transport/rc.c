/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reliable connection: what a host does with a packet that is for it.
 *
 * Receiver: in-order delivery. The expected packet is taken and acknowledged (every ack-every
 * packets, and at the end of a message). Marked packets raise CNPs as the congestion control asks.
 * Sender: cumulative ACKs, one retransmission timer per QP. What both do about a gap is the
 * business of the loss recovery (recovery.h). A message is complete at the receiver when all its
 * bytes and those of the messages before it have arrived, and at the sender when its last packet is
 * acknowledged.
 */
#include "rc.h"
#include "balance/entropy.h"
#include "balance/steer.h"
#include "core/context.h"
#include "core/extension.h"
#include "core/loop.h"
#include "core/pkt.h"
#include "core/port.h"
#include "core/stable.h"
#include "core/walk.h"
#include "core/frame_size.h"
#include "grant.h"
#include "nic.h"
#include "delay.h"
#include "core/executor.h"
#include "probe.h"
#include "qp.h"
#include "sparse_ack.h"

#include "base/units.h"

#include <inttypes.h>

void rc_fill(const struct qp *q, const struct msg *m, struct weft_completion *d)
{
    *d = (struct weft_completion){.id = m->id,
                                  .msg = {.src = q->src_host,
                                          .dst = q->dst_host,
                                          .bytes = m->bytes,
                                          .tag = m->tag,
                                          .token = m->token,
                                          .prio = q->own_prio,
                                          .qp = q->number,
                                          .token_type = m->token_type,
                                          .deferrable = m->deferrable},
                                  .post_ps = m->post_ps,
                                  .qpn = m->qp + WEFT_FIRST_QPN,
                                  .first_byte = m->start_byte,
                                  .first_psn = m->first_psn,
                                  .packets = m->npkts};
}

void rc_fill_done(const struct weft_engine *e, const struct msg *m, int64_t acked_ps,
                  struct weft_completion *d)
{
    const struct msg_log *const log = msg_log(e, m);
    rc_fill(qp_at(e, m->qp), m, d);
    d->received_ps = log->received_ps;
    d->acked_ps = acked_ps;
    d->ideal_ps = log->ideal_ps;
    d->retx_bytes = acked_ps ? log->retx_bytes : 0;
    d->cnps = acked_ps ? log->cnps : 0;
    delay_fill(log, d);
}

void rc_fill_posted(struct weft_engine *e, const struct msg *m, struct weft_completion *d)
{
    struct qp *q = qp_at(e, m->qp);
    rc_fill(q, m, d);
    d->ideal_ps = qp_ideal_ps(e, q, m->bytes, m->since);
}

/* ---- receiver ---- */

/* With trains: what the answer to all packets since the last ACK, or of a train, takes besides that
 * to one. */
static uint32_t rc_more_bytes(const struct weft_engine *e, const struct qp *q,
                              enum weft_pkt_kind kind)
{
    const uint32_t more = kind == WEFT_PKT_ACK && q->unacked ? q->unacked - 1 : e->rc.more;
    return more * (ack_frame(q) + (uint32_t)e->p.transport.gap_bytes);
}

void rc_answer(struct weft_engine *e, struct qp *q, uint32_t i, enum weft_pkt_kind kind)
{
    struct pkt *k = pkt_at(e, i);
    uint8_t flags = (uint8_t)((k->flags & PKT_SACK) | q->answer);
    const struct profile *f = profile_of(q);
    if (kind == WEFT_PKT_ACK) {
        flags &= (uint8_t)~PKT_NEAR;
        if (__builtin_expect(f->by_bytes, 0))
            flags |= sparse_ack_map(e, q, i);
    }
    e->tot.sent[kind]++;
    k->kind = (uint8_t)kind;
    k->psn = q->exp_psn;
    k->dst_host = q->src_host;
    k->frame = (uint16_t)(kind == WEFT_PKT_ACK ? ack_frame(q) : nack_frame(q));
    if (__builtin_expect(e->path.rare & RARE_TRAINS, 0))
        k->frame = (uint16_t)(k->frame + rc_more_bytes(e, q, kind));
    k->payload = 0;
    k->prio = (uint8_t)f->t.ack_prio;
    k->flags = flags;
    k->in_port = NIL;
    k->hop = 0;
    q->answer = 0;
    if (kind == WEFT_PKT_ACK || !f->by_bytes) /* a NACK tells of one packet */
        q->unacked = 0;
    e->port_ops.enqueue(e, q->ack_port, i);
}

void rc_nack_sparingly(struct weft_engine *e, struct qp *q, uint32_t i)
{
    if (rare_of(q)->nack_psn != q->exp_psn + 1 ||
        e->now - rare_of(q)->nack_at_ps >= profile_of(q)->t.nack_interval_ps) {
        rare_of(q)->nack_psn = q->exp_psn + 1;
        rare_of(q)->nack_at_ps = e->now;
        rc_answer(e, q, i, WEFT_PKT_NACK);
    } else {
        pkt_free(e, i);
    }
}

/* By how much a message in trains is earlier than the least for packets whose times are rounded one
 * by one. */
static int64_t rc_rounded_ps(const struct weft_engine *e, const struct msg *m)
{
    const int64_t ps = msg_log(e, m)->ideal_ps - (e->now - m->post_ps);
    return ps > 0 && ps <= (int64_t)m->npkts ? ps : 0;
}

void rc_received(struct weft_engine *e, struct qp *q, uint32_t mi, const struct completer *c)
{
    struct msg *m = msg_at(e, mi);
    delay_received(e, q, m, c);
    struct msg_log *const log = delay_log(e, m);
    log->received_ps = e->now;
    log->ideal_ps = qp_ideal_ps(e, q, m->bytes, m->since);
    if (__builtin_expect(e->path.rare & RARE_TRAINS, 0))
        log->ideal_ps -= rc_rounded_ps(e, m);
    q->rcv_msg = m->rcv_next;
    e->tot.msgs_received++;
    e->tot.bytes_received += m->bytes;
    if (e->hooks.received || e->extension || e->peers) {
        struct weft_completion d;
        rc_fill_done(e, m, 0, &d);
        if (__builtin_expect(e->extension && !e->worker, 0))
            extension_completed(e, m->qp, false, false, &d);
        else if (__builtin_expect(e->peers || e->worker, 0))
            e->executor->completed(e, mi, false, &d);
        else
            e->hooks.received(e->hooks.ctx, &d);
    }
}

static void send_cnp(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    uint32_t i = pkt_new(e, WEFT_PKT_CNP);
    if (i == NIL)
        return;
    struct pkt *k = pkt_at(e, i);
    k->qp = qi;
    k->psn = 0;
    k->sent_ps = e->now;
    k->dst_host = q->src_host;
    k->frame = (uint16_t)cnp_frame(e);
    k->payload = 0;
    k->prio = (uint8_t)e->p.transport.cnp_prio;
    k->train.marked = e->rc.more_cnps & 15u;
    e->port_ops.enqueue(e, q->ack_port, i);
}

static void note_mark(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    q->answer |= q->kind->control->echo_on ? PKT_ECHO : 0;
    if (!q->kind->control->cnp_on ||
        (q->cnp_at_ps != WEFT_NEVER && e->now - q->cnp_at_ps < q->kind->control->cnp.interval_ps))
        return;
    q->cnp_at_ps = e->now;
    if (q->kind->control->cnp.separate)
        send_cnp(e, q, qi);
    else
        q->answer |= PKT_CNP;
}

/* A trimmed packet. */
static void receive_trimmed(struct weft_engine *e, struct qp *q, uint32_t qi, uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    const bool near = k->flags & PKT_NEAR_CUT;
    k->flags &= (uint8_t)~PKT_NEAR_CUT; /* in an answer it means something else */
    if (k->psn < q->exp_psn) {
        rc_answer(e, q, i, WEFT_PKT_ACK);
    } else if (profile_of(q)->recovery->trimmed) {
        q->answer |= near ? PKT_NEAR : 0;
        profile_of(q)->recovery->trimmed(e, qi, i);
    } else {
        rc_nack_sparingly(e, q, i);
    }
}

static void receive_data(struct weft_engine *e, uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    const uint32_t qi = k->qp, mi = k->msg;
    struct qp *q = qp_at(e, qi);
    const bool last = k->flags & PKT_LAST;
    e->tot.delivered[WEFT_PKT_DATA]++;
    e->nics.of[port_at(e, q->ack_port)->nic].taken_bytes += k->payload;
    if (__builtin_expect(q->carries, 0)) {
        if (credited(q)) {
            grant_note(e, q, k->flags);
            grant_requested(e, qi, k->sig, k->flags & PKT_TRIM);
        } else if (e->signal->taken) {
            e->signal->taken(e, q, qi, k);
        }
    }
    if (k->flags & (PKT_CE | PKT_TRIM)) {
        if (k->flags & PKT_CE)
            note_mark(e, q, qi);
        if (k->flags & PKT_TRIM) {
            receive_trimmed(e, q, qi, i);
            return;
        }
    }
    if (__builtin_expect(k->psn != q->exp_psn || q->holding, 0)) {
        profile_of(q)->recovery->gap(e, qi, i);
        return;
    }
    q->exp_psn += 1 + e->rc.more;
    if (ack_due(q, k, e->rc.more))
        rc_answer(e, q, i, WEFT_PKT_ACK);
    else
        pkt_free(e, i);
    if (last) { /* whatever became of the packet, it says when it was sent */
        const struct completer c = {i, pkt_at(e, i)->sent_ps, q->exp_psn - 1};
        rc_received(e, q, mi, &c);
    }
}

/* ---- sender ---- */

/* Advances una to @p psn; returns the list of messages that are now completely acknowledged. */
static uint32_t advance(struct weft_engine *e, struct qp *q, uint64_t psn)
{
    struct sender *const snd = q->snd;
    uint32_t done = NIL, done_tail = NIL;
    snd->una_psn = psn;
    for (uint32_t n = 0; q->head_msg != NIL && (!n || walk_on(e, n, e->msgs.n, WALK_MSGS_NAME));
         n++) {
        struct msg *m = msg_at(e, q->head_msg);
        if (psn < m->first_psn + m->npkts) {
            snd->una_bytes = m->start_byte + (psn - m->first_psn) * q->kind->env.mtu_bytes;
            break;
        }
        snd->una_bytes = m->start_byte + m->bytes;
        uint32_t mi = q->head_msg;
        q->head_msg = m->next;
        if (done == NIL)
            done = mi;
        else
            msg_at(e, done_tail)->next = mi;
        m->next = NIL;
        done_tail = mi;
    }
    if (snd->nxt_psn < psn) { /* acknowledged before it was resent */
        delay_update(e, q);
        snd->nxt_psn = psn;
        snd->nxt_bytes = snd->una_bytes;
        snd->nxt_msg = q->head_msg;
    }
    return done;
}

static void complete(struct weft_engine *e, uint32_t mi)
{
    struct msg *m = msg_at(e, mi);
    struct weft_completion d;
    rc_fill_done(e, m, e->now, &d);
    if (__builtin_expect(!e->peers, 1)) /* else when it is told */
        delay_log_release(e, m);
    if (__builtin_expect(!e->peers && !e->worker, 1))
        stable_release(&e->msgs, mi);
    e->tot.msgs_acked++;
    if (d.received_ps - d.post_ps < d.ideal_ps) {
        engine_fail(e, WEFT_E_INTERNAL,
                    "message %" PRIu64 " took %" PRId64 " ps, less than its ideal %" PRId64 " ps",
                    d.id, (d.received_ps - d.post_ps), d.ideal_ps);
        return;
    }
    if (__builtin_expect(e->extension && !e->worker, 0))
        extension_completed(e, d.qpn - WEFT_FIRST_QPN, true, false, &d);
    else if (__builtin_expect(e->peers || e->worker, 0))
        e->executor->completed(e, mi, true, &d);
    else if (e->hooks.acked)
        e->hooks.acked(e->hooks.ctx, &d);
}

/* The messages of list @p done are completely acknowledged. */
static void complete_all(struct weft_engine *e, uint32_t done)
{
    for (uint32_t n = 0; done != NIL && walk_on(e, n, e->msgs.n, "messages acknowledged"); n++) {
        const uint32_t next = msg_at(e, done)->next;
        complete(e, done);
        done = next;
    }
}

void rc_acknowledge(struct weft_engine *e, uint32_t qi, uint64_t psn)
{
    struct qp *q = qp_at(e, qi);
    if (psn <= q->snd->una_psn)
        return;
    const struct pkt ack = {.kind = WEFT_PKT_ACK, .psn = psn};
    if (q->snd->counted)
        rare_of(q)->flight_bytes -= profile_of(q)->recovery->received(e, q, &ack).landed;
    const uint32_t done = advance(e, q, psn);
    if (q->snd->nxt_psn == q->snd->una_psn)
        q->snd->rto_at_ps = WEFT_NEVER;
    complete_all(e, done);
}

static void count_cnp(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    if (e->hooks.qp)
        qp_report(e, qi, WEFT_QP_CNP, NIL);
    if (q->head_msg != NIL)
        delay_log(e, msg_at(e, q->head_msg))->cnps++;
    if (__builtin_expect(!q->cc_state, 0) && !qp_first_cnp(e, q))
        return;
    q->kind->cc->on_cnp(q->cc_state, q->kind->ccp, e->now, &q->snd->out);
}

/* Work on an ACK or NACK that few runs need. */
static __attribute__((noinline)) void note_ack(struct weft_engine *e, const struct pkt *k,
                                               uint32_t i)
{
    if (e->qps.rtt_ps.base)
        ((int64_t *)(void *)e->qps.rtt_ps.base)[k->qp] = e->now - k->sent_ps;
    qp_report(e, k->qp, k->kind == WEFT_PKT_NACK ? WEFT_QP_NACK : WEFT_QP_ACK, i);
}

/* Whether a QP's packets come out of order, so that its recovery has to say what an ACK tells. */
static inline bool in_disorder(const struct qp *q, const struct pkt *k)
{
    return __builtin_expect(q->snd->repeats || q->snd->counted || k->flags & PKT_SACK, 0) &&
           profile_of(q)->recovery->received;
}

/* What ACK or NACK @p k tells a QP in disorder; what is known to have landed, or to be lost, is not
 * in flight any more. */
static __attribute__((noinline)) struct ack_report read_report(const struct weft_engine *e,
                                                               struct qp *q, const struct pkt *k)
{
    const struct ack_report r = profile_of(q)->recovery->received(e, q, k);
    if (q->snd->counted)
        rare_of(q)->flight_bytes -= r.landed + r.trimmed;
    return r;
}

/* Whether the round trip of ACK @p k is no sample, where packets have a timer each. */
static inline bool rc_is_unsure(const struct qp *q, const struct pkt *k)
{
    return __builtin_expect(q->snd->counted, 0) && profile_of(q)->recovery->timers &&
           !profile_of(q)->recovery->timers->sampled(q, k->sent_ps);
}

static void receive_ack(struct weft_engine *e, uint32_t i)
{
    const struct pkt *const k = pkt_at(e, i);
    const uint32_t qi = k->qp;
    const uint8_t flags = k->flags;
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    const bool nack = k->kind == WEFT_PKT_NACK;
    e->tot.delivered[k->kind]++;
    if (k->psn > snd->top_psn) {
        engine_fail(e, WEFT_E_INTERNAL,
                    "QP %u: ACK of packet %" PRIu64 ", but only %" PRIu64 " were sent", qi, k->psn,
                    snd->top_psn);
        pkt_free(e, i);
        return;
    }
    if (__builtin_expect(e->path.rare & RARE_ACK, 0))
        note_ack(e, k, i);
    if (__builtin_expect(e->rc.by_bytes, 0))
        e->rc.map = flags & PKT_MAP && !nack ? ((struct sack_map *)(void *)e->rc.maps.base)[i]
                                             : (struct sack_map){0, 0};
    const uint64_t una_before = snd->una_bytes;
    const bool probe = probe_answered(q, k), unsure = rc_is_unsure(q, k) && !probe;
    const bool disorder = in_disorder(q, k);
    struct ack_report report = {0, 0, 0};
    if (disorder)
        report = read_report(e, q, k);
    uint32_t done = NIL;
    if (k->psn > snd->una_psn) {
        done = advance(e, q, k->psn);
        snd->backoff = 0;
        snd->retries = 0;
        if (snd->nxt_psn > snd->una_psn)
            nic_rto_arm(e, qi);
        else
            snd->rto_at_ps = WEFT_NEVER;
    }
    if (flags & PKT_CNP)
        count_cnp(e, q, qi);
    if (__builtin_expect(credited(q), 0))
        grantee_at(&e->grants, qi)->landed_bytes +=
            disorder ? report.received : snd->una_bytes - una_before;
    if (__builtin_expect(snd->sprays, 0))
        entropy_answered(e, q, k);
    const struct qp_kind *const kind = q->kind;
    const struct weft_cc_ops *const cc = kind->cc;
    if (cc->on_ack) {
        const struct control *const control = kind->control;
        struct weft_cc_ack a = {.acked_bytes = snd->una_bytes - una_before,
                                .una_bytes = snd->una_bytes,
                                .nxt_bytes = snd->nxt_bytes,
                                .received_bytes =
                                    disorder ? report.received : snd->una_bytes - una_before,
                                .flight_bytes = snd->counted ? rare_of(q)->flight_bytes
                                                             : snd->nxt_bytes - snd->una_bytes,
                                .trimmed_bytes = report.trimmed,
                                .rtt_ps = cc->needs & WEFT_CC_NEEDS_RTT ? e->now - k->sent_ps : 0,
                                .ecn_echo = flags & PKT_ECHO,
                                .last_hop = report.trimmed && flags & PKT_NEAR,
                                .unsure = unsure,
                                .probe = probe,
                                .nack = nack};
        if (__builtin_expect(q->carries == QP_SIGNAL, 0))
            e->signal->acked(k->sig, &a);
        struct weft_cc_hop hops[WEFT_CC_MAX_HOPS];
        if (control->int_on && k->sig != NIL) {
            a.nhops = stamps_read(e, k->sig, hops);
            a.hops = hops;
            if (__builtin_expect(a.nhops > kind->stamps, 0) && !qp_whole_state(e, q))
                return;
        }
        if (control->pint_on) {
            a.pint = (uint16_t)k->sig;
            if (control->signals.pint_tables)
                a.draw = (uint16_t)weft_libc_rand_next(&e->draws.libc_rand);
        }
        cc->on_ack(q->cc_state, kind->ccp, e->now, &a, &snd->out);
    }
    if (__builtin_expect(nack || snd->recovering || flags & PKT_SACK, 0)) {
        const struct pkt copy = *k;
        pkt_free(e, i);
        nic_cc_changed(e, q, qi);
        profile_of(q)->recovery->acked(e, qi, &copy);
    } else {
        pkt_free(e, i);
        nic_cc_changed(e, q, qi);
        nic_wake(e, qi);
    }
    if (__builtin_expect(done != NIL, 0))
        complete_all(e, done);
}

static void receive_cnp(struct weft_engine *e, uint32_t i)
{
    const uint32_t qi = pkt_at(e, i)->qp;
    struct qp *q = qp_at(e, qi);
    e->tot.delivered[WEFT_PKT_CNP]++;
    if (__builtin_expect(e->nics.last != NULL, 0))
        nic_train_cnps(q, pkt_at(e, i)->train.marked);
    pkt_free(e, i);
    count_cnp(e, q, qi);
    nic_cc_changed(e, q, qi);
    nic_wake(e, qi);
}

static void receive_warning(struct weft_engine *e, uint32_t i)
{
    e->signal->warned(e, i);
}

/* A request for credit, for an ACK, or for both. */
static void receive_request(struct weft_engine *e, uint32_t i)
{
    struct pkt *k = pkt_at(e, i);
    struct qp *q = qp_at(e, k->qp);
    e->tot.delivered[WEFT_PKT_REQUEST]++;
    if (credited(q))
        grant_requested(e, k->qp, k->sig, true);
    if (!(k->flags & PKT_ASK)) {
        pkt_free(e, i);
        return;
    }
    k->mid = NO_MID; /* no entropy value came through */
    rc_answer(e, q, i, WEFT_PKT_ACK);
}

void rc_receive(struct weft_engine *e, uint32_t i, uint32_t port)
{
    static void (*const receive[WEFT_PKT_KINDS])(struct weft_engine *, uint32_t) = {
        [WEFT_PKT_DATA] = receive_data,       [WEFT_PKT_ACK] = receive_ack,
        [WEFT_PKT_NACK] = receive_ack,        [WEFT_PKT_CNP] = receive_cnp,
        [WEFT_PKT_REQUEST] = receive_request, [WEFT_PKT_GRANT] = grant_receive,
        [WEFT_PKT_WARNING] = receive_warning};
    const uint32_t kind = pkt_at(e, i)->kind;
    if (__builtin_expect(kind == WEFT_PKT_FRAME, 0))
        frame_receive(e, i, port);
    else
        receive[kind](e, i);
}

/* A timer has expired, for the n-th time in a row; whether the QP goes on. */
static bool expired(struct weft_engine *e, struct qp *q, uint64_t nth)
{
    char at[WEFT_UNIT_TEXT_MAX];
    e->tot.rtos++;
    const struct weft_transport_params *t = &profile_of(q)->t;
    const uint64_t most = t->retry_max;
    q->snd->backoff = (uint8_t)(nth < t->rto_backoff_max ? nth : t->rto_backoff_max);
    e->rc.last_try |= nth == most;
    if (!most || nth != most + 1)
        return true;
    engine_fail(e, WEFT_E_OUTCOME,
                "the QP h%u -> h%u (priority %u) failed at %s: no progress after %" PRIu64
                " retransmission "
                "timeouts in a row (%s.retry-max)",
                q->src_host, q->dst_host, q->own_prio, weft_human_time(e->now, at), most,
                e->rc.of_prio[q->own_prio] == PROFILE_UET ? "uet" : "transport");
    return false;
}

static void rc_report_timeout(struct weft_engine *e, struct qp *q, uint32_t qi,
                              enum entropy_feedback what, uint32_t ev)
{
    if (q->kind->cc->on_rto) {
        q->kind->cc->on_rto(q->cc_state, q->kind->ccp, e->now, &q->snd->out);
        nic_cc_changed(e, q, qi);
    }
    if (q->snd->sprays)
        entropy_feed(e, q, ev, what);
}

/* The timer of a QP whose packets have one each. */
static void packet_rto(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    const struct packet_timers *t = profile_of(q)->recovery->timers;
    int64_t due_ps;
    while ((due_ps = t->due(e, q)) <= e->now) {
        uint32_t ev;
        if (!expired(e, q, t->expire(e, qi, &ev)))
            return;
        rc_report_timeout(e, q, qi, ENTROPY_LOST, ev);
    }
    nic_wake(e, qi);
    if (due_ps < WEFT_NEVER)
        nic_rto_arm(e, qi);
}

/* With no data in flight the timer was for credit: asks for it again. */
static void credit_rto(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    if (!expired(e, q, ++q->snd->retries))
        return;
    grant_ask(e, q, qi, true);
    nic_rto_arm(e, qi);
}

static bool waits_for_credit(const struct qp *q)
{
    return credited(q) && q->snd->state == QP_BLOCKED && !q->snd->out.cwnd_bytes;
}

int64_t *rc_rto_deadline(const struct weft_engine *e, uint64_t qi, int64_t *at_ps)
{
    struct sender *const snd = qp_at(e, (uint32_t)qi)->snd;
    *at_ps = snd->rto_at_ps;
    return &snd->rto_entry_ps;
}

void rc_rto(struct weft_engine *e, uint64_t number)
{
    const uint32_t qi = (uint32_t)number;
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    snd->rto_entry_ps = WEFT_NEVER;
    if (snd->state == QP_PARKED) { /* armed by an ACK that was past the failure */
        snd->rto_at_ps = WEFT_NEVER;
        return;
    }
    if (profile_of(q)->low_rto && nic_rto_extend(e, qi))
        return;
    snd->rto_at_ps = WEFT_NEVER; /* armed again by the first packet that is sent */
    if (snd->nxt_msg == NIL && snd->nxt_psn < qp_end_psn(e, q))
        return; /* an extension sends for it, and no packet that follows brings an ACK */
    const struct packet_timers *timers = profile_of(q)->recovery->timers;
    const bool idle = timers ? timers->due(e, q) == WEFT_NEVER : snd->una_psn == snd->top_psn;
    if (idle && waits_for_credit(q)) {
        credit_rto(e, q, qi);
        return;
    }
    if (timers) {
        packet_rto(e, q, qi);
    } else {
        if (!expired(e, q, ++snd->retries))
            return;
        rc_report_timeout(e, q, qi, ENTROPY_TIMEOUT, 0);
        profile_of(q)->recovery->timeout(e, qi);
    }
    if (!probe_send(e, q, qi) && waits_for_credit(q))
        grant_ask(e, q, qi, true);
}

int64_t *rc_cc_deadline(const struct weft_engine *e, uint64_t qi, int64_t *at_ps)
{
    const struct qp *const q = qp_at(e, (uint32_t)qi);
    *at_ps = q->snd->out.timer_at_ps; /* WEFT_NEVER: it is switched off */
    return &rare_of(q)->cc_timer_ps;
}

void rc_cc_timer(struct weft_engine *e, uint64_t number)
{
    const uint32_t qi = (uint32_t)number;
    struct qp *q = qp_at(e, qi);
    rare_of(q)->cc_timer_ps = 0;
    q->snd->out.timer_at_ps = WEFT_NEVER;
    if (q->kind->cc->on_timer)
        q->kind->cc->on_timer(q->cc_state, q->kind->ccp, e->now, &q->snd->out);
    nic_cc_changed(e, q, qi);
    nic_wake(e, qi);
}
