/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every field that the future of the traffic depends on, or that it counts, and how it moves.
 *
 * What is left out: constants; what a field before it says already; the numbers of records
 * (packets, INT stacks), which mean nothing; entries of event queues, which follow from the fields
 * here (replay_jump.c); and what the reasons against (replay_why.c) keep from being anything.
 */
#include "replay_state.h"
#include "context.h"
#include "delay.h"
#include "ecmp.h"
#include "msg.h"
#include "nic.h"
#include "pkt.h"
#include "port.h"
#include "pfc.h"
#include "qp.h"
#include "replay_pauses.h"

#include "congestion/cc.h"

/* ---- QPs ---- */

/* Wire bytes that the counter of a stamp is shifted by: that of the @p hop-th switch on the way. */
static int64_t stamp_shift(const struct weft_engine *e, const struct replay_part *p,
                           const struct qp *q, uint32_t hop)
{
    uint32_t ports[MAX_PATH];
    if (!p->ahead)
        return 0;
    if (hop < QP_PATH && q->path[0][hop] != NIL)
        return (int64_t)p->ahead[q->path[0][hop]];
    const uint32_t n = ecmp_path(e, e->routing.routes, q, true, ports);
    return hop + 1 < n ? (int64_t)p->ahead[ports[hop + 1]] : 0;
}

/* How the word at @p at of a state moves, and which it is of those that move alike. */
static enum move move_of(const struct weft_cc_moving *m, size_t at, uint32_t *which)
{
    static const enum move move[] = {[WEFT_CC_MOVES_TIME] = MOVE_TIME,
                                     [WEFT_CC_MOVES_BYTES] = MOVE_GATE,
                                     [WEFT_CC_MOVES_COUNT] = MOVE_COUNT,
                                     [WEFT_CC_MOVES_SELDOM] = MOVE_SELDOM};
    for (; m->size; m++)
        if (at >= m->offset && (at - m->offset) % m->stride == 0 &&
            (at - m->offset) / m->stride < m->n) {
            *which = (uint32_t)((at - m->offset) / m->stride);
            return move[m->moves];
        }
    return MOVE_NOT;
}

static void see_control(struct weft_engine *e, const struct replay_part *p, const struct qp *q,
                        uint32_t qi, struct tape *t)
{
    char *state = cc_state_at(e, qi);
    const struct weft_cc_moving *m = q->cc->moving;
    const size_t size = m ? q->cc->state_size : 0; /* without: it has none */
    for (size_t at = 0; at < size; at += sizeof(int64_t)) {
        const size_t left = size - at;
        uint32_t which = 0;
        const enum move move = move_of(m, at, &which);
        if (move == MOVE_COUNT && t->use == TAPE_SHIFT)
            t->count = stamp_shift(e, p, q, which);
        tape_see(t, state + at, left < sizeof(int64_t) ? left : sizeof(int64_t), move,
                 "state of the congestion control");
        t->count = 0;
    }
}

/* By how much the QP moves is what its oldest unacknowledged packet does. */
static void see_pace(const struct qp *q, uint32_t qi, struct replay_part *p, struct tape *t)
{
    if (t->use == TAPE_SUM) {
        t->psn = (int64_t)q->una_psn;
        t->bytes = (int64_t)q->una_bytes;
    } else if (t->use == TAPE_COMPARE && t->at + 1 < t->n) {
        t->psn = (int64_t)(q->una_psn - (uint64_t)t->value[t->at]);
        t->bytes = (int64_t)(q->una_bytes - (uint64_t)t->value[t->at + 1]);
        p->moved[qi][0] = t->psn;
        p->moved[qi][1] = t->bytes;
    } else if (t->use == TAPE_SHIFT) {
        t->psn = p->moved[qi][0];
        t->bytes = p->moved[qi][1];
    }
}

/* Whether ports may pause in a lap: their clocks move by then, and what notes them moves as they
 * do.
 */
static bool pauses_move(const struct weft_engine *e, const struct tape *t)
{
    return e->delays.nholds && !t->told && !t->names && !t->fixed && t->use != TAPE_SHIFT &&
           replay_pauses_possible(e);
}

/* What the clock of pauses of priority @p prio of a port said when it was noted, at @p noted. */
static void see_noted(struct weft_engine *e, const struct port *p, uint32_t prio, int64_t *noted,
                      struct tape *t)
{
    if (!pauses_move(e, t)) {
        tape_see(t, noted, sizeof *noted, MOVE_NOT, "state that moved otherwise: clocks of pauses");
        return;
    }
    tape_same(t, delay_paused_ps(e, p, prio) - *noted, "how long a pause holds a packet up");
    TAPE_SEE(t, *noted, MOVE_COUNT);
}

static void see_sender(struct qp *q, struct tape *t)
{
    TAPE_SEE(t, q->una_psn, MOVE_PSN);
    TAPE_SEE(t, q->una_bytes, MOVE_BYTES);
    TAPE_SEE(t, q->nxt_psn, MOVE_PSN);
    TAPE_SEE(t, q->nxt_bytes, MOVE_BYTES);
    TAPE_SEE(t, q->top_psn, MOVE_PSN);
    TAPE_SEE(t, q->out.rate_bps, MOVE_NOT);
    TAPE_SEE(t, q->out.cwnd_bytes, MOVE_NOT);
    TAPE_SEE(t, q->out.timer_at_ps, MOVE_NOT);
    TAPE_SEE(t, q->out.repace, MOVE_NOT);
    TAPE_SEE(t, q->next_avail_ps, MOVE_TIME);
    TAPE_SEE(t, q->last_wire, MOVE_NOT);
    TAPE_SEE(t, q->last_tx_ps, MOVE_TIME);
    TAPE_SEE(t, q->gap_rate_bps, MOVE_NOT);
    TAPE_SEE(t, q->gap_q, MOVE_NOT);
    TAPE_SEE(t, q->made_bytes, MOVE_COUNT);
    TAPE_SEE(t, q->flight_bytes, MOVE_COUNT);
    TAPE_SEE(t, q->end_psn, t->told || t->names ? MOVE_PSN : MOVE_NOT);
    TAPE_SEE(t, q->end_byte, t->told || t->names ? MOVE_BYTES : MOVE_NOT);
    tape_same(t, tape_port(t, q->port), "the port of a QP");
    TAPE_SEE(t, q->state, MOVE_NOT);
    TAPE_SEE(t, q->prio, MOVE_NOT);
    TAPE_SEE(t, q->backoff, MOVE_NOT);
    TAPE_SEE(t, q->recovering, MOVE_NOT);
    TAPE_SEE(t, q->retries, MOVE_NOT);
    TAPE_SEE(t, q->rto_at_ps, MOVE_TIME);
    TAPE_SEE(t, q->rto_from_ps, MOVE_STILL);
    TAPE_SEE(t, q->cc_timer_ps, MOVE_NOT);
    TAPE_SEE(t, q->retx_packets, MOVE_HELD);
    TAPE_SEE(t, q->told_ps, MOVE_TIME);
    for (int k = 0; k < WEFT_DELAY_QUEUE; k++)
        TAPE_SEE(t, q->held_ps[k], t->names ? MOVE_NOT : MOVE_COUNT);
}

static void see_receiver(struct qp *q, struct tape *t)
{
    TAPE_SEE(t, q->exp_psn, MOVE_PSN);
    TAPE_SEE(t, q->taken_bytes, MOVE_COUNT);
    TAPE_SEE(t, q->nack_psn, MOVE_NOT);
    TAPE_SEE(t, q->nack_at_ps, MOVE_SELDOM);
    TAPE_SEE(t, q->cnp_at_ps, MOVE_SELDOM);
    tape_same(t, tape_port(t, q->ack_port), "the port of ACKs");
    TAPE_SEE(t, q->unacked, MOVE_NOT);
    TAPE_SEE(t, q->answer, MOVE_NOT);
    TAPE_SEE(t, q->holding, MOVE_NOT);
}

/* While nobody is told of messages. */
static void see_unfinished(struct weft_engine *e, const struct qp *q, struct tape *t)
{
    for (uint32_t i = q->head_msg; i != NIL; i = msg_at(e, i)->next) {
        struct msg *m = msg_at(e, i);
        TAPE_SEE(t, m->sent_ps, MOVE_NOT);
        for (int k = 0; k < WEFT_DELAY_QUEUE; k++)
            TAPE_SEE(t, m->held_ps[k], MOVE_NOT);
        TAPE_SEE(t, m->retx_bytes, MOVE_HELD);
        TAPE_SEE(t, m->cnps, MOVE_HELD);
    }
}

/* Records of messages are told apart by their place in the list of their QP. Without word of them
 * to the user the first stays the first. */
static void see_messages(struct weft_engine *e, struct qp *q, struct tape *t)
{
    const bool on = t->told || t->names;
    const enum move psn = on ? MOVE_PSN : MOVE_NOT, bytes = on ? MOVE_BYTES : MOVE_NOT;
    const enum move time = t->told ? MOVE_TIME : MOVE_NOT;
    int64_t n = 0, sends = -1, receives = -1;
    for (uint32_t i = q->head_msg; i != NIL; i = msg_at(e, i)->next, n++) {
        struct msg *m = msg_at(e, i);
        sends = i == q->nxt_msg ? n : sends;
        receives = i == q->rcv_msg ? n : receives;
        TAPE_SEE(t, m->bytes, MOVE_NOT);
        TAPE_SEE(t, m->first_psn, psn);
        TAPE_SEE(t, m->start_byte, bytes);
        TAPE_SEE(t, m->post_ps, time);
        const bool sent = m->sent_ps >= 0, received = receives < 0 || n < receives;
        tape_same(t, sent | received << 1, "how far a message is");
        if (sent)
            TAPE_SEE(t, m->sent_ps, time);
        if (received) {
            TAPE_SEE(t, m->received_ps, time);
            TAPE_SEE(t, m->ideal_ps, MOVE_NOT);
        }
        /* what delayed it; before it is sent, what the clocks of its QP said */
        for (int k = 0; k < WEFT_DELAY_QUEUE; k++)
            TAPE_SEE(t, m->held_ps[k], !t->told || sent ? MOVE_NOT : MOVE_COUNT);
        TAPE_SEE(t, m->retx_bytes, MOVE_NOT);
        TAPE_SEE(t, m->cnps, MOVE_NOT);
    }
    tape_same(t, n, "messages of a QP");
    tape_same(t, sends, "the message that a QP sends");
    tape_same(t, receives, "the message that a QP receives");
}

static void see_qp(struct weft_engine *e, struct replay_part *p, uint32_t qi, struct tape *t)
{
    struct qp *q = qp_at(e, qi);
    if (q->repeat || q->holding) {
        t->same = false;
        t->other = "a QP that has lost packets";
        return;
    }
    const bool asks = q->asked_psn > q->una_psn; /* else that is over; before either moves */
    see_pace(q, qi, p, t);
    see_sender(q, t);
    see_noted(e, &e->ports[q->port], q->prio, &q->pause_ps, t);
    see_receiver(q, t);
    if (!t->fixed)
        tape_same(t, asks, "whether an ACK was asked for");
    if (asks || t->fixed)
        TAPE_SEE(t, q->asked_psn, MOVE_PSN);
    for (int way = 0; way < 2; way++)
        for (int h = 0; h < QP_PATH; h++)
            tape_same(t, tape_port(t, q->path[way][h]), "the path of a QP");
    if (e->qps.rtt_ps.base)
        TAPE_SEE(t, ((int64_t *)(void *)e->qps.rtt_ps.base)[qi], MOVE_NOT);
    if (t->fixed)
        see_unfinished(e, q, t);
    else
        see_messages(e, q, t);
    see_control(e, p, q, qi, t);
}

/* ---- packets ---- */

static void see_stamps(struct weft_engine *e, const struct replay_part *p, const struct pkt *k,
                       struct tape *t)
{
    const uint32_t n = k->sig == NIL ? 0 : sig_hops(k->sig);
    tape_same(t, n, "stamps");
    for (uint32_t h = 0; h < n; h++) {
        struct weft_cc_hop *hop = &int_at(e, sig_stack(k->sig))->hops[h];
        TAPE_SEE(t, hop->ts_ps, MOVE_TIME);
        if (t->use == TAPE_SHIFT)
            t->count = stamp_shift(e, p, qp_at(e, k->qp), h);
        TAPE_SEE(t, hop->tx_bytes, MOVE_COUNT);
        t->count = 0;
        TAPE_SEE(t, hop->qlen_bytes, MOVE_NOT);
        TAPE_SEE(t, hop->rate_bps, MOVE_NOT);
    }
}

/* Two values that stay as they are, as one. */
static int64_t pair(uint32_t high, uint32_t low)
{
    return (int64_t)((uint64_t)high << 32 | low);
}

static void see_packet(struct weft_engine *e, struct replay_part *p, struct pkt *k, struct tape *t)
{
    p->packets++;
    if (t->use == TAPE_COMPARE || t->use == TAPE_SHIFT) {
        t->psn = p->moved[k->qp][0];
        t->bytes = p->moved[k->qp][1];
    }
    tape_same(t, pair(tape_qp(t, k->qp), tape_port(t, k->in_port)),
              "the QP of a packet, or where it came from");
    tape_same(t, pair(k->frame, k->payload), "the size of a packet");
    tape_same(t, pair((uint32_t)k->kind << 8 | k->prio, (uint32_t)k->flags << 8 | k->hop),
              "the kind of a packet");
    TAPE_SEE(t, k->psn, k->kind == WEFT_PKT_CNP ? MOVE_NOT : MOVE_PSN);
    TAPE_SEE(t, k->sent_ps, MOVE_TIME);
    if (e->telemetry.int_on)
        see_stamps(e, p, k, t);
}

/* A pause or a resume on its way. */
static void see_frame(struct replay_part *p, const struct pkt *k, struct tape *t)
{
    p->packets++;
    tape_same(t, pair((uint32_t)k->kind << 8 | k->prio, (uint32_t)k->flags << 16 | k->frame),
              "a pause on its way");
}

/* What pauses have held packet number @p i, sent at @p before_ps, up for so far, and the clock of
 * those of the port in whose queue it is (NULL: on a link). */
static void see_waits(struct weft_engine *e, struct pkt *k, uint32_t i, int64_t before_ps,
                      const struct port *at, struct tape *t)
{
    if (k->kind != WEFT_PKT_DATA)
        return;
    if (at && at->hold)
        see_noted(e, at, k->prio, &k->held_ps, t);
    struct wait *w = delay_wait_of(e, i, before_ps);
    tape_same(t, w != NULL, "whether a pause has held up a packet");
    if (!w)
        return;
    TAPE_SEE(t, w->sent_ps, MOVE_TIME);
    TAPE_SEE(t, w->paused_ps, MOVE_NOT);
    if (!pauses_move(e, t)) {
        t->same = false;
        t->other = "a packet that a pause has held up";
    }
}

/* A list of packets in a queue of port @p at, or on a link (NULL). */
static void see_list(struct weft_engine *e, struct replay_part *p, struct list l,
                     const struct port *at, struct tape *t)
{
    uint32_t n = 0;
    if (t->fixed)
        return;
    for (uint32_t i = l.head; i != NIL && t->same; i = pkt_at(e, i)->next, n++) {
        struct pkt *k = pkt_at(e, i);
        const int64_t sent_ps = k->sent_ps; /* before it is moved */
        const bool frame = k->kind == WEFT_PKT_PFC && pauses_move(e, t);
        if (!frame &&
            (k->kind == WEFT_PKT_PFC || !replay_part_knows(k) || !replay_part_has(p, k->qp))) {
            t->same = false;
            t->other = "a packet of a QP that rested, or a NACK";
            return;
        }
        if (frame)
            see_frame(p, k, t);
        else
            see_packet(e, p, k, t);
        if (e->delays.nholds)
            see_waits(e, k, i, sent_ps, at, t);
        if (!at && k->next != NIL)
            TAPE_SEE(t, k->next_at_ps, MOVE_TIME);
    }
    tape_same(t, n, "packets on a link or in a queue");
}

/* ---- ports ---- */

static void see_counters(struct weft_port_counters *c, bool pauses, struct tape *t)
{
    TAPE_SEE(t, c->tx_packets, MOVE_COUNT);
    TAPE_SEE(t, c->tx_bytes, MOVE_COUNT);
    TAPE_SEE(t, c->tx_payload_bytes, MOVE_COUNT);
    TAPE_SEE(t, c->busy_ps, MOVE_COUNT);
    TAPE_SEE(t, c->max_queue_bytes, MOVE_NOT);
    TAPE_SEE(t, c->pauses, pauses ? MOVE_COUNT : MOVE_HELD);
    if (pauses)
        TAPE_SEE(t, c->paused_ps, MOVE_COUNT);
    TAPE_SEE(t, c->ecn_marks, MOVE_HELD);
    TAPE_SEE(t, c->trims, MOVE_HELD);
    for (int why = 0; why < WEFT_DROP_REASONS; why++)
        TAPE_SEE(t, c->drops[why], MOVE_HELD);
}

static void see_histogram(struct weft_engine *e, uint32_t port, uint32_t prio, struct tape *t)
{
    struct histogram *h =
        e->histograms.wanted ? e->histograms.of[(size_t)port * WEFT_PRIOS + prio] : NULL;
    if (!h)
        return;
    TAPE_SEE(t, h->since_ps, MOVE_STILL);
    TAPE_SEE(t, h->bytes, MOVE_NOT);
    for (int b = 0; b < WEFT_QUEUE_BINS; b++)
        TAPE_SEE(t, h->time_ps[b], MOVE_COUNT);
}

static void see_nic(struct weft_engine *e, struct nic *n, struct tape *t)
{
    TAPE_SEE(t, n->ready_mask, MOVE_NOT);
    TAPE_SEE(t, n->yield, MOVE_NOT);
    for (uint32_t prio = 0; prio < WEFT_PRIOS && !t->fixed; prio++)
        for (uint32_t i = n->ready[prio].head; i != NIL; i = qp_at(e, i)->next)
            tape_same(t, tape_qp(t, i), "turns of QPs at a NIC");
}

/* Since when a port is paused, or last was, and for how long it has been. */
static void see_pauses(struct weft_engine *e, struct port *p, uint32_t port, struct tape *t)
{
    TAPE_SEE(t, p->paused_since_ps, MOVE_STILL);
    for (uint32_t prio = 0; p->hold && prio < WEFT_PRIOS; prio++) {
        TAPE_SEE(t, e->pfc.since[port].ps[prio], MOVE_STILL);
        TAPE_SEE(t, p->hold->from_ps[prio], MOVE_STILL);
        TAPE_SEE(t, p->hold->total_ps[prio], MOVE_COUNT);
    }
}

static void see_port(struct weft_engine *e, struct replay_part *part, uint32_t port, struct tape *t)
{
    struct port *p = &e->ports[port];
    TAPE_SEE(t, p->busy_until_ps, MOVE_PAST);
    TAPE_SEE(t, p->armed_ps, MOVE_TIME);
    TAPE_SEE(t, p->nonempty, MOVE_NOT);
    TAPE_SEE(t, p->paused, MOVE_NOT);
    TAPE_SEE(t, p->xoff_sent, MOVE_NOT);
    TAPE_SEE(t, p->drr, MOVE_NOT);
    TAPE_SEE(t, p->sending, MOVE_NOT);
    TAPE_SEE(t, p->lazy, MOVE_NOT);
    TAPE_SEE(t, p->qtotal, MOVE_NOT);
    TAPE_SEE(t, p->rx_packets, MOVE_COUNT);
    TAPE_SEE(t, p->ecn_rng, MOVE_HELD);
    TAPE_SEE(t, p->dropped_payload, MOVE_HELD);
    const bool pauses = pauses_move(e, t);
    see_counters(&p->st, pauses, t);
    if (pauses)
        see_pauses(e, p, port, t);
    if (p->paused && !pauses) { /* its clocks go on */
        t->same = false;
        t->other = "a port that is paused";
    }
    if (p->ctrl.head != NIL)
        see_list(e, part, p->ctrl, p, t);
    for (uint32_t prio = 0; prio < WEFT_PRIOS; prio++) {
        struct lane *l = &p->lane[prio];
        TAPE_SEE(t, l->qbytes, MOVE_NOT);
        TAPE_SEE(t, l->in_bytes, MOVE_NOT);
        TAPE_SEE(t, l->in_hdrm, MOVE_NOT);
        TAPE_SEE(t, l->deficit, MOVE_NOT);
        if (l->q.head != NIL)
            see_list(e, part, l->q, p, t);
        see_histogram(e, port, prio, t);
    }
    if (p->fly.head != NIL && !t->fixed)
        TAPE_SEE(t, part->arrive_ps[port], MOVE_TIME);
    see_list(e, part, p->fly, NULL, t);
    if (p->nic != NIL)
        see_nic(e, &e->nics.of[p->nic], t);
}

/* ---- the rest ---- */

static void see_totals(struct weft_engine *e, struct tape *t)
{
    struct weft_totals *s = &e->tot;
    const enum move messages = t->told ? MOVE_COUNT : MOVE_NOT;
    TAPE_SEE(t, s->msgs_posted, messages);
    TAPE_SEE(t, s->msgs_received, messages);
    TAPE_SEE(t, s->msgs_acked, messages);
    TAPE_SEE(t, s->bytes_posted, messages);
    TAPE_SEE(t, s->bytes_received, messages);
    TAPE_SEE(t, s->qps, MOVE_NOT);
    TAPE_SEE(t, s->packet_hops, MOVE_COUNT);
    for (int k = 0; k < WEFT_PKT_KINDS; k++) {
        TAPE_SEE(t, s->sent[k], MOVE_COUNT);
        TAPE_SEE(t, s->delivered[k], MOVE_COUNT);
    }
    TAPE_SEE(t, s->ecn_marks, MOVE_NOT);
    TAPE_SEE(t, s->pfc_pauses, MOVE_NOT);
    TAPE_SEE(t, s->pfc_resumes, MOVE_NOT);
    TAPE_SEE(t, s->rtos, MOVE_NOT);
    if (!t->told) {
        TAPE_SEE(t, e->timers.seq, MOVE_NOT);
        TAPE_SEE(t, e->timers.pool.live, MOVE_NOT);
    }
    TAPE_SEE(t, e->pkts.pool.live, MOVE_NOT);
}

void replay_state_read(struct weft_engine *e, struct replay_part *p, struct tape *t)
{
    p->packets = 0;
    if (!p->piece)
        see_totals(e, t);
    for (uint32_t i = 0; i < p->nqps && t->same; i++)
        see_qp(e, p, p->qps[i], t);
    for (uint32_t i = 0; i < p->nports && t->same; i++)
        see_port(e, p, p->ports[i], t);
    for (uint32_t i = 0; i < p->nnodes && t->same; i++) {
        struct mmu *m = &e->mmu.of[p->nodes[i]];
        for (int k = 0; k < 2; k++) {
            TAPE_SEE(t, m->in[k].used, MOVE_NOT);
            TAPE_SEE(t, m->out[k].used, MOVE_NOT);
        }
        TAPE_SEE(t, m->eager, MOVE_NOT);
    }
}

bool replay_state_sum(struct weft_engine *e, struct replay_part *p, struct tape *t)
{
    tape_start(t, TAPE_SUM, e->now);
    if (p->piece) {
        for (uint32_t i = 0; i < p->nqps && t->same; i++)
            see_qp(e, p, p->qps[i], t);
        return t->same;
    }
    for (uint32_t i = 0; i < e->qps.pool.n && t->same; i++)
        if (qp_at(e, i)->head_msg != NIL) {
            tape_same(t, i, "QPs with messages");
            see_qp(e, p, i, t);
        }
    tape_same(t, e->pkts.pool.live, "packets");
    return t->same;
}

/* What the ports of a piece have sent, those at hosts of that, and how often they were paused. */
struct sent {
    uint64_t all, hosts, pauses;
};

static struct sent sent_of(const struct weft_engine *e, const struct replay_part *p)
{
    struct sent s = {0, 0, 0};
    for (uint32_t i = 0; i < p->nports; i++) {
        const struct port *port = &e->ports[p->ports[i]];
        s.all += port->st.tx_packets;
        s.hosts += port->nic == NIL ? 0 : port->st.tx_packets;
        s.pauses += port->st.pauses;
    }
    return s;
}

/* Totals are of all pieces. In a lap all that is sent is delivered, what hosts send that is not
 * data is ACKs, and each pause is followed by a resume. */
static void count_piece(struct weft_engine *e, const struct replay_part *p, struct sent before,
                        int64_t laps)
{
    const struct sent after = sent_of(e, p);
    uint64_t data = 0;
    for (uint32_t i = 0; i < p->nqps; i++)
        data += (uint64_t)(p->moved[p->qps[i]][0] * laps);
    const uint64_t acks = after.hosts - before.hosts - data;
    e->tot.packet_hops += after.all - before.all;
    e->tot.sent[WEFT_PKT_DATA] += data;
    e->tot.delivered[WEFT_PKT_DATA] += data;
    e->tot.sent[WEFT_PKT_ACK] += acks;
    e->tot.delivered[WEFT_PKT_ACK] += acks;
    const uint64_t pauses = after.pauses - before.pauses;
    e->tot.pfc_pauses += pauses;
    e->tot.pfc_resumes += pauses;
    e->tot.sent[WEFT_PKT_PFC] += 2 * pauses;
    e->tot.delivered[WEFT_PKT_PFC] += 2 * pauses;
}

void replay_state_move(struct weft_engine *e, struct replay_part *p, struct tape *t, int64_t laps)
{
    const struct sent before = p->piece ? sent_of(e, p) : (struct sent){0, 0, 0};
    tape_start(t, TAPE_MOVE, e->now);
    t->laps = laps;
    replay_state_read(e, p, t);
    if (!tape_over(t))
        engine_fail(e, WEFT_E_INTERNAL,
                    "replay: the state was read otherwise when it was moved on");
    if (p->piece)
        count_piece(e, p, before, laps);
}

bool replay_state_shift(struct weft_engine *e, struct replay_part *p, struct tape *t,
                        int64_t shift_ps)
{
    tape_start(t, TAPE_SHIFT, e->now);
    t->shift_ps = shift_ps;
    t->count = 0;
    replay_state_read(e, p, t);
    return t->same;
}
