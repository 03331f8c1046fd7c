/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A message is taken over: nothing of it is simulated, or nothing of what is left of it.
 *
 * The sender of its QP is not shown the message, so that it makes no packet. At the times that the
 * memo says the message is sent, received and acknowledged; the application hears of it as always.
 * What its packets and ACKs count on their paths is counted evenly over the time until it is sent.
 * The state of the congestion control stays as it was. When a message is given back, what it has
 * sent by then counts as received and acknowledged, and the QP goes on with the next packet.
 */
#include "core/context.h"
#include "core/frame_size.h"
#include "core/gap.h"
#include "core/moment.h"
#include "core/msg.h"
#include "replay_internal.h"
#include "replay_state.h"
#include "transport/delay.h"
#include "transport/nic.h"
#include "transport/qp.h"
#include "transport/rc.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

#define LAST_PACKETS 2u /**< of a message that is not received yet */
#define PACKET_OFF 0.5  /**< of a packet: what comes first at a port is a matter of phases */
#define IN_FLIGHT 2.0   /**< times that what is in flight takes to arrive: left of a message */
#define WARM 5          /**< round trips until the network is used to packets of a QP again; */
#define WHOLE (WEFT_NEVER / 8) /**< where messages scatter, a whole one */

/* ---- the sender of a QP ---- */

void memo_hide(struct weft_engine *e, uint32_t qi)
{
    memo_qp_at(e, qi)->hidden = true;
    qp_at(e, qi)->snd->nxt_msg = NIL;
}

void memo_show(struct weft_engine *e, uint32_t qi)
{
    struct memo_qp *q = memo_qp_at(e, qi);
    struct qp *to = qp_at(e, qi);
    q->hidden = false;
    delay_update(e, to); /* it had nothing to send until now */
    to->snd->nxt_msg = q->sending ? memo_msg_at(e, q->sending)->msg : NIL;
    nic_wake(e, qi);
}

bool memo_qp_is_plain(const struct weft_engine *e, const struct qp *q)
{
    const struct sender *snd = q->snd;
    /* out of order is no loss where packets overtake each other */
    const bool in_order = (!snd->repeats && !q->holding) || profile_of(q)->pick;
    return snd->nxt_psn == snd->top_psn && !snd->recovering && in_order && !snd->backoff &&
           snd->state != QP_PARKED && replay_of(e)->memo.possible;
}

/* ---- what is counted ---- */

/* Packets of a QP to an ACK of them. */
static uint32_t taken_per_ack(const struct qp *q)
{
    const uint32_t mtu = q->kind->env.mtu_bytes, after = profile_of(q)->ack_after;
    const uint32_t per_ack = profile_of(q)->by_bytes ? (after + mtu - 1) / mtu : after;
    return per_ack ? per_ack : 1;
}

/* ACKs of the first @p n packets of a message. */
static uint64_t taken_acks(const struct qp *q, const struct memo_msg *k, uint64_t n)
{
    const uint32_t each = taken_per_ack(q);
    return n == k->packets ? (n + each - 1) / each : n / each;
}

/* Payload of the first @p n packets. */
static uint64_t taken_bytes(const struct qp *q, const struct memo_msg *k, uint64_t n)
{
    return n == k->packets ? k->bytes : n * q->kind->env.mtu_bytes;
}

/* Packets of a message that are counted at the ports that they pass. */
struct taken_packets {
    uint32_t frame;
    uint64_t payload, salt;
};

/* Marks come at the rate at which they came so far, where that is less than one by chance. */
static uint64_t taken_marks(const struct port *p, uint64_t n, uint64_t draw)
{
    const uint64_t each = n * p->st.ecn_marks;
    return (each + draw % p->st.tx_packets) / p->st.tx_packets;
}

static void taken_count_port(struct weft_engine *e, void *ctx, uint32_t port, uint64_t n)
{
    const struct taken_packets *k = ctx;
    struct port *p = &e->ports[port];
    const uint64_t wire = k->frame + e->p.transport.gap_bytes;
    if (k->payload && p->st.ecn_marks) {
        const uint64_t marks = taken_marks(p, n, weft_mix64(k->salt + port));
        p->st.ecn_marks += marks;
        e->tot.ecn_marks += marks;
    }
    p->st.tx_packets += n;
    e->ends[port].rx_packets += n;
    e->telemetry.unseen_bytes[port] += n * wire;
    p->st.tx_payload_bytes += n * k->payload;
    p->st.busy_ps += (int64_t)n * gap_quantised(e->p.transport.quantum_ps, wire, p->ser_q);
    e->tot.packet_hops += n;
}

static void taken_count_kind(struct weft_engine *e, const struct memo_msg *k, bool forward,
                             uint64_t n, uint32_t frame, uint64_t payload)
{
    struct taken_packets of = {frame, payload,
                               weft_mix64((uint64_t)k->qp << 32 ^ k->first_psn) ^ k->counted};
    if (n)
        memo_paths_walk(e, qp_at(e, k->qp), forward, n, of.salt, taken_count_port, &of);
}

/* Of message @p k, @p n packets have been sent and received. */
static void taken_count(struct weft_engine *e, struct memo_msg *k, uint64_t n)
{
    struct qp *q = qp_at(e, k->qp);
    const uint64_t hops = e->tot.packet_hops, by = n - k->counted,
                   acks = taken_acks(q, k, n) - taken_acks(q, k, k->counted),
                   bytes = taken_bytes(q, k, n) - taken_bytes(q, k, k->counted);
    const bool tail = n == k->packets && by;
    const uint64_t full = by - tail, last = bytes - full * q->kind->env.mtu_bytes;
    if (!by)
        return;
    taken_count_kind(e, k, true, full, data_frame(q, q->kind->env.mtu_bytes),
                     q->kind->env.mtu_bytes);
    taken_count_kind(e, k, true, tail, data_frame(q, last), last);
    taken_count_kind(e, k, false, acks, ack_frame(q), 0);
    const double share = (double)(k->packets - k->before) / (double)k->packets;
    const uint64_t cnps = tail ? (uint64_t)(memo_entry_at(e, k->entry)->cnps * share + 0.5) : 0;
    if (cnps)
        delay_log(e, msg_at(e, k->msg))->cnps += cnps;
    if (q->kind->control->cnp.separate) {
        taken_count_kind(e, k, false, cnps, cnp_frame(e), 0);
        e->tot.sent[WEFT_PKT_CNP] += cnps;
        e->tot.delivered[WEFT_PKT_CNP] += cnps;
    }
    e->tot.sent[WEFT_PKT_DATA] += by;
    e->tot.delivered[WEFT_PKT_DATA] += by;
    e->tot.sent[WEFT_PKT_ACK] += acks;
    e->tot.delivered[WEFT_PKT_ACK] += acks;
    e->nics.of[e->ports[q->port].nic].made_bytes += bytes;
    e->nics.of[e->ports[q->ack_port].nic].taken_bytes += bytes;
    k->counted = n;
    replay_of(e)->base.packets_taken += by;
    replay_of(e)->figures.skipped_hops += e->tot.packet_hops - hops;
}

/* Packets that message @p i has sent by @p t_ps; none before earlier messages of its QP are
 * received, and not the last ones: a short one with no full one before it would be faster than it
 * can be. */
static uint64_t taken_packets(const struct weft_engine *e, uint32_t i, int64_t t_ps)
{
    const struct memo_msg *k = memo_msg_at(e, i);
    const struct qp *q = qp_at(e, k->qp);
    if (t_ps <= k->taken_ps || memo_qp_at(e, k->qp)->receiving != i ||
        q->exp_psn != k->first_psn + k->before)
        return k->counted;
    const double share = (double)(t_ps - k->taken_ps) / (double)(k->sent_ps - k->taken_ps);
    const double bytes = (double)(k->bytes - k->before * q->kind->env.mtu_bytes) * share;
    const uint64_t by = k->before + (uint64_t)bytes / q->kind->env.mtu_bytes;
    const uint64_t n = by < k->packets - LAST_PACKETS ? by : k->packets - LAST_PACKETS;
    return n > k->counted ? n : k->counted; /* who looked may have been ahead of the last event */
}

/* The message that queued event @p ev is the end of, if that is being sent; 0: none. */
static uint32_t taken_sending(const struct weft_engine *e, struct ev ev)
{
    const uint32_t i = (uint32_t)EV_NUMBER(ev.id);
    if (ev.id >> EV_KIND_SHIFT != MEMO_SENT)
        return 0;
    return memo_msg_at(e, i)->taken && memo_msg_at(e, i)->due_ps[MEMO_SENT] == ev.t ? i : 0;
}

void replay_memo_catch_up(struct weft_engine *e)
{
    const struct evq *events = &replay_of(e)->memo.events;
    for (uint32_t n = 0; n < events->n; n++) {
        const uint32_t i = taken_sending(e, events->h[n]);
        if (i)
            taken_count(e, memo_msg_at(e, i), taken_packets(e, i, moment_reached_ps(e)));
    }
}

/* Payload of message @p k that is in flight while it is taken over. */
static double taken_flight(const struct weft_engine *e, const struct memo_msg *k)
{
    const struct memo_entry *m = memo_entry_at(e, k->entry);
    const struct memo_course *c = memo_course_at(e, memo_qp_at(e, k->qp)->course);
    return k->rated ? (double)c->flight[MEMO_RATES - 1] * qp_at(e, k->qp)->kind->env.mtu_bytes
                    : (double)k->bytes * (m->acked_ps - m->sent_ps) / m->sent_ps;
}

void replay_memo_qp_state(const struct weft_engine *e, uint32_t qi, struct weft_qp_state *out)
{
    const uint32_t i = replay_of(e)->memo.ready ? memo_qp_at(e, qi)->sending : 0;
    const struct memo_msg *k = memo_msg_at(e, i);
    if (!i || !k->taken)
        return;
    const uint64_t n = taken_packets(e, i, moment_reached_ps(e));
    const uint64_t sent = taken_bytes(qp_at(e, qi), k, n) - taken_bytes(qp_at(e, qi), k, k->before);
    const uint64_t flight = (uint64_t)fmin((double)sent, taken_flight(e, k));
    out->in_flight_bytes += flight;
    out->acked_bytes += sent - flight;
}

/* ---- taken over, and given back ---- */

/* How long a message takes at least: a time drawn and what the others took after it need not fit.
 */
static int64_t taken_ideal_ps(struct weft_engine *e, const struct memo_msg *k)
{
    return qp_ideal_ps(e, qp_at(e, k->qp), k->bytes, msg_at(e, k->msg)->since);
}

/* A message is received, or given back. */
static void taken_ends(struct weft_engine *e, struct memo_qp *q)
{
    struct memo_node *g = memo_group(e, q);
    q->taken--;
    g->taken--;
    g->taken_ps = e->now;
}

/* When the first packet that is taken over of message @p k is sent: after the one before it. The
 * whole message takes @p sent_ps. */
static int64_t taken_from_ps(const struct weft_engine *e, const struct memo_msg *k, double sent_ps)
{
    const struct qp *q = qp_at(e, k->qp);
    const double last = (double)memo_last_packets(q), each_ps = sent_ps / (double)k->packets;
    return k->before ? q->snd->last_tx_ps + (int64_t)(last * each_ps) : k->start_ps;
}

/* Message @p k is being sent, and is taken over from the packet on that it has come to. */
static void taken_midway(struct weft_engine *e, struct memo_msg *k)
{
    delay_update(e, qp_at(e, k->qp));
    replay_packets_touch(e, k->qp);
    k->before = k->counted = qp_at(e, k->qp)->snd->nxt_psn - k->first_psn;
}

static void taken_begin(struct weft_engine *e, struct memo_msg *k)
{
    struct memo_qp *q = memo_qp_at(e, k->qp);
    memo_hide(e, k->qp);
    k->taken = true;
    q->warm_ps = WEFT_NEVER;
    q->taken++;
    memo_group(e, q)->taken++;
    replay_of(e)->memo.taken += !k->partly;
    replay_of(e)->memo.grain += PACKET_OFF / (double)k->packets;
}

void memo_take(struct weft_engine *e, uint32_t i, uint32_t entry)
{
    struct memo_msg *k = memo_msg_at(e, i);
    struct memo_entry *m = memo_entry_at(e, entry);
    struct memo_qp *q = memo_qp_at(e, k->qp);
    const double sent_ps = memo_entry_sent_ps(e, m, k);
    taken_begin(e, k);
    k->taken_ps = taken_from_ps(e, k, sent_ps);
    k->entry = entry;
    const double share = (double)(k->packets - k->before) / (double)k->packets,
                 later_ps = sent_ps * share - m->sent_ps;
    const int64_t received_ps = k->taken_ps + (int64_t)(m->received_ps + later_ps);
    const int64_t ideal_ps = k->start_ps + taken_ideal_ps(e, k);
    k->due_ps[MEMO_SENT] = k->sent_ps = k->taken_ps + (int64_t)(sent_ps * share);
    /* a QP's messages are received, and acknowledged after that, in order; events at the
     * same time would run in the order of the places of messages, which are reused */
    q->received_ps = weft_ps_max(q->received_ps + 1, weft_ps_max(received_ps, ideal_ps));
    q->acked_ps = weft_ps_max(q->acked_ps, k->taken_ps + (int64_t)(m->acked_ps + later_ps));
    if (q->received_ps > received_ps)
        q->acked_ps =
            weft_ps_max(q->acked_ps, q->received_ps + (int64_t)(m->acked_ps - m->received_ps));
    k->due_ps[MEMO_RECEIVED] = q->received_ps;
    k->due_ps[MEMO_ACKED] = q->acked_ps;
    m->hits++;
    replay_of(e)->memo.whole++;
    replay_of(e)->memo.spread += memo_entry_spread(m);
    for (enum memo_event what = MEMO_SENT; what <= MEMO_ACKED; what++)
        memo_push(e, k->due_ps[what], what, i);
}

/* Message @p i is simulated, the network used to it, and so much of it is left that all that is in
 * flight arrives before its end: it goes on as its entry says. */
static void taken_go_on(struct weft_engine *e, uint32_t i)
{
    struct memo_msg *k = memo_msg_at(e, i);
    const struct qp *q = qp_at(e, k->qp);
    if (!k->began || k->taken || !k->clean || memo_qp_at(e, k->qp)->hidden ||
        !memo_msg_fits(e, k) || !memo_qp_is_plain(e, q) || replay_component_is_ahead(e, k->qp))
        return;
    const uint32_t entry = memo_entry_find(e, memo_qp_at(e, k->qp), k->bytes, k->home);
    const struct memo_entry *m = memo_entry_at(e, entry);
    const uint64_t before = q->snd->nxt_psn - k->first_psn;
    const double left = (double)(k->packets - before) / (double)k->packets;
    if (!entry || left * m->sent_ps < IN_FLIGHT * (m->acked_ps - m->sent_ps))
        return;
    taken_midway(e, k);
    memo_take(e, i, entry);
}

void memo_take_group(struct weft_engine *e, uint32_t qi)
{
    struct memo_node *g = memo_qp_at(e, qi)->node ? memo_group(e, memo_qp_at(e, qi)) : NULL;
    if (!g || !memo_group_ready(e, g))
        return;
    g->checks = false;
    MEMO_EACH(e, g, q) {
        if (q->sending)
            taken_go_on(e, q->sending);
    }
}

void memo_take_partly(struct weft_engine *e, uint32_t i, double rate, int64_t back_ps)
{
    struct memo_msg *k = memo_msg_at(e, i);
    taken_midway(e, k);
    taken_begin(e, k);
    k->rated = true;
    k->taken_ps = taken_from_ps(e, k, (double)k->packets / rate);
    k->sent_ps = k->taken_ps + (int64_t)((double)(k->packets - k->before) / rate);
    k->due_ps[MEMO_SENT] = back_ps;
    memo_group(e, memo_qp_at(e, k->qp))->partly++;
    k->partly = true;
    memo_push(e, back_ps, MEMO_SENT, i);
}

/* Whether event @p what of message @p i is due now; then it is over. */
static bool taken_due(struct weft_engine *e, uint32_t i, enum memo_event what)
{
    struct memo_msg *k = memo_msg_at(e, i);
    if (!k->taken || k->due_ps[what] != e->now)
        return false;
    k->due_ps[what] = WEFT_NEVER;
    return true;
}

/* The QP of message @p k has sent @p n packets of it, which have arrived. */
static void taken_move(struct weft_engine *e, struct memo_msg *k, uint64_t n)
{
    struct qp *q = qp_at(e, k->qp);
    const uint64_t bytes = taken_bytes(q, k, n) - taken_bytes(q, k, k->before);
    taken_count(e, k, n);
    q->snd->nxt_psn += n - k->before;
    q->snd->nxt_bytes += bytes;
    if (q->snd->counted)
        rare_of(q)->flight_bytes += bytes;
    q->snd->top_psn = q->snd->nxt_psn;
    q->exp_psn += n - k->before;
}

/* Message @p k was taken over at its rate, up to packet @p n: what delayed it, and came of it, went
 * on as before. */
static void taken_partly_ends(struct weft_engine *e, struct memo_msg *k, uint64_t n)
{
    struct memo_node *g = memo_group(e, memo_qp_at(e, k->qp));
    struct memo_course *c = memo_course_at(e, memo_qp_at(e, k->qp)->course);
    struct msg *m = msg_at(e, k->msg);
    for (int d = 0; d < WEFT_DELAY_QUEUE && n > k->before; d++)
        delay_charge(qp_at(e, k->qp), d,
                     (int64_t)(c->held_share[d] * (double)(e->now - k->taken_ps)));
    if (m->log != NIL) {
        struct msg_log *const log = delay_log(e, m);
        log->cnps += (uint64_t)((double)log->cnps * (double)(n - k->before) / (double)k->before);
    }
    if (k->due_ps[MEMO_SENT] != WEFT_NEVER) { /* something came up, rates will be others */
        c->taken_rate = 0;
        replay_of(e)->memo.rates_error += c->off_early;
    }
    memo_qp_at(e, k->qp)->warm_ps = e->now; /* it is before it ends */
    g->partly--;
    g->moved_ps = g->back_ps = e->now;
    memo_group_measures(e, g, k->qp);
}

int64_t memo_warm_ps(const struct weft_engine *e, const struct qp *q)
{
    return replay_of(e)->memo.resamples ? WHOLE : WARM * q->kind->env.base_rtt_ps;
}

/* Message @p i is simulated from here on. */
static void taken_back(struct weft_engine *e, uint32_t i)
{
    struct memo_msg *k = memo_msg_at(e, i);
    struct memo_qp *q = memo_qp_at(e, k->qp);
    const uint64_t n = taken_packets(e, i, e->now);
    const bool moves = n > k->before;
    taken_move(e, k, n);
    k->taken = false;
    q->warm_ps = e->now + memo_warm_ps(e, qp_at(e, k->qp));
    k->clean &= k->rated;
    if (k->home && !k->rated)
        memo_group_forms(e, q, true);
    q->received_ps = q->acked_ps = 0;
    taken_ends(e, q);
    if (k->rated)
        taken_partly_ends(e, k, n);
    k->rated = false;
    k->before = 0;
    if (moves)
        rc_acknowledge(e, k->qp, k->first_psn + n);
    if (q->open_ps > e->now)
        memo_push(e, q->open_ps, MEMO_OPEN, k->qp);
    else
        memo_show(e, k->qp);
}

/* Where a group forms again, and the first message of QP @p qi is not known: those of all are
 * simulated next time, so that it is. */
static void taken_due_for_check(struct weft_engine *e, uint32_t i, uint32_t qi)
{
    const struct memo_msg *k = memo_msg_at(e, i);
    const struct memo_qp *by = qi != NIL ? memo_qp_at(e, qi) : NULL;
    struct memo_entry *m = memo_entry_at(e, k->entry);
    if (by && by->node && k->home && k->home == by->home && !memo_group(e, by)->checks)
        m->hits = m->gap;
}

void memo_back(struct weft_engine *e, uint32_t qi)
{
    const struct replay_memo *r = &replay_of(e)->memo;
    const bool all = qi == NIL || !memo_qp_at(e, qi)->node;
    for (uint32_t n = 0; n < r->events.n; n++) {
        const uint32_t i = taken_sending(e, r->events.h[n]);
        if (!i || !(all || memo_group(e, memo_qp_at(e, memo_msg_at(e, i)->qp)) ==
                               memo_group(e, memo_qp_at(e, qi))))
            continue;
        const uint64_t taken = r->taken;
        taken_due_for_check(e, i, qi);
        taken_back(e, i);
        if (r->taken != taken) /* the application has posted: begins again */
            n = UINT32_MAX;
    }
}

static void taken_pass(struct weft_engine *e, void *none, uint32_t port, uint64_t packets)
{
    (void)e;
    (void)none;
    (void)port;
    (void)packets;
}

/* Propagation from the sender of a QP to its receiver: no packet takes less. */
static int64_t taken_delay_ps(struct weft_engine *e, const struct qp *q)
{
    return memo_paths_walk(e, q, true, 0, 0, taken_pass, NULL);
}

bool memo_sent(struct weft_engine *e, uint32_t i)
{
    struct memo_msg *k = memo_msg_at(e, i);
    struct qp *q = qp_at(e, k->qp);
    struct memo_qp *mq = memo_qp_at(e, k->qp);
    if (!taken_due(e, i, MEMO_SENT))
        return false;
    /* earlier packets may still be on their way */
    if (k->rated || q->exp_psn != k->first_psn + k->before) {
        taken_back(e, i);
        return false;
    }
    struct msg_log *const log = delay_log(e, msg_at(e, k->msg));
    const struct memo_entry *from = memo_entry_at(e, k->entry);
    taken_move(e, k, k->packets);
    log->sent_ps = e->now;
    for (int c = 0; c < WEFT_DELAY_QUEUE; c++)
        log->held_ps[c] = (int64_t)from->held_ps[c];
    log->held_ps[WEFT_DELAY_NIC] += k->start_ps - k->post_ps;
    mq->free_ps = e->now;
    mq->open_ps = k->due_ps[MEMO_RECEIVED] - taken_delay_ps(e, q);
    mq->sending = k->next;
    mq->hidden = false;
    return true;
}

void memo_received(struct weft_engine *e, uint32_t i)
{
    struct memo_msg *k = memo_msg_at(e, i);
    if (!taken_due(e, i, MEMO_RECEIVED))
        return;
    const struct completer last = {NIL, msg_log(e, msg_at(e, k->msg))->sent_ps,
                                   k->first_psn + k->packets - 1};
    if (k->home && !memo_msg_fits(e, k)) /* not the group that was expected */
        memo_entry_at(e, k->entry)->n = 0;
    taken_ends(e, memo_qp_at(e, k->qp));
    rc_received(e, qp_at(e, k->qp), k->msg, &last);
}

void memo_acked(struct weft_engine *e, uint32_t i)
{
    struct memo_msg *k = memo_msg_at(e, i);
    const uint32_t qi = k->qp;
    if (!taken_due(e, i, MEMO_ACKED))
        return;
    rc_acknowledge(e, qi, k->first_psn + k->packets);
    nic_wake(e, qi);
}
