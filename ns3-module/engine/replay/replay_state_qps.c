/* SPDX-License-Identifier: GPL-2.0-only */
/* What the future of the traffic depends on, and what it counts, of QPs and their messages:
 * replay_state.c. */
#include "replay_state_inside.h"
#include "switch/pause_clock.h"
#include "balance/ecmp.h"
#include "core/context.h"
#include "core/msg.h"
#include "core/walk.h"
#include "replay_pauses.h"
#include "transport/qp.h"

#include "congestion/cc.h"

int64_t replay_stamp_shift(const struct weft_engine *e, const struct replay_part *p,
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

/* A word of a state of a control that moves. */
struct moving_word {
    size_t at; /* SIZE_MAX: there is none */
    enum move move;
    uint32_t which; /* of those that move alike */
};

/* The first that moves from @p at on. */
static struct moving_word next_moving(const struct weft_cc_moving *m, size_t at)
{
    static const enum move move[] = {[WEFT_CC_MOVES_TIME] = MOVE_TIME,
                                     [WEFT_CC_MOVES_BYTES] = MOVE_GATE,
                                     [WEFT_CC_MOVES_COUNT] = MOVE_COUNT,
                                     [WEFT_CC_MOVES_SELDOM] = MOVE_SELDOM};
    struct moving_word first = {.at = SIZE_MAX};
    for (; m->size; m++) {
        const size_t which = at > m->offset ? (at - m->offset + m->stride - 1) / m->stride : 0;
        const size_t then = m->offset + which * m->stride;
        if (which < m->n && then < first.at)
            first = (struct moving_word){then, move[m->moves], (uint32_t)which};
    }
    return first;
}

static void see_control(struct weft_engine *e, const struct replay_part *p, const struct qp *q,
                        uint32_t qi, struct tape *t)
{
    char *state = cc_state_at(e, qi);
    const struct weft_cc_moving *m = q->cc->moving;
    const size_t size = m ? q->cc->state_size : 0; /* without: it has none */
    struct moving_word next = {.at = 0};
    for (size_t at = 0; at < size; at += sizeof(int64_t)) {
        const size_t left = size - at;
        if (at == 0 || at > next.at)
            next = next_moving(m, at);
        const enum move move = at == next.at ? next.move : MOVE_NOT;
        if (move == MOVE_COUNT && t->use == TAPE_SHIFT)
            t->count = replay_stamp_shift(e, p, q, next.which);
        if (left >= sizeof(int64_t)) /* a size that the compiler knows */
            tape_see(t, state + at, sizeof(int64_t), move, "state of the congestion control");
        else
            tape_see(t, state + at, left, move, "state of the congestion control");
        t->count = 0;
    }
}

/* By how much the QP moves is what its oldest unacknowledged packet does. */
static void see_pace(const struct qp *q, uint32_t qi, struct replay_part *p, struct tape *t)
{
    const struct sender *snd = q->snd;
    if (t->use == TAPE_SUM) {
        t->psn = (int64_t)snd->una_psn;
        t->bytes = (int64_t)snd->una_bytes;
    } else if (t->use == TAPE_COMPARE && t->at + 1 < t->n) {
        t->psn = (int64_t)(snd->una_psn - (uint64_t)t->value[t->at]);
        t->bytes = (int64_t)(snd->una_bytes - (uint64_t)t->value[t->at + 1]);
        p->moved[qi][0] = t->psn;
        p->moved[qi][1] = t->bytes;
    } else if (t->use == TAPE_SHIFT) {
        t->psn = p->moved[qi][0];
        t->bytes = p->moved[qi][1];
    }
}

bool replay_pauses_move(const struct weft_engine *e, const struct tape *t)
{
    return e->delays.nholds && !t->told && !t->names && !t->fixed && t->use != TAPE_SHIFT &&
           replay_pauses_possible(e);
}

void replay_see_noted(struct weft_engine *e, const struct port *p, uint32_t prio, int64_t *noted,
                      struct tape *t)
{
    if (!replay_pauses_move(e, t)) {
        tape_see(t, noted, sizeof *noted, MOVE_NOT, "state that moved otherwise: clocks of pauses");
        return;
    }
    tape_same(t, pause_clock_ps(e, p, prio) - *noted, "how long a pause holds a packet up");
    TAPE_SEE(t, *noted, MOVE_COUNT);
}

static void see_sender(struct qp *q, struct tape *t)
{
    struct sender *const snd = q->snd;
    TAPE_SEE(t, snd->una_psn, MOVE_PSN);
    TAPE_SEE(t, snd->una_bytes, MOVE_BYTES);
    TAPE_SEE(t, snd->nxt_psn, MOVE_PSN);
    TAPE_SEE(t, snd->nxt_bytes, MOVE_BYTES);
    TAPE_SEE(t, snd->top_psn, MOVE_PSN);
    TAPE_SEE(t, snd->out.rate_bps, MOVE_NOT);
    TAPE_SEE(t, snd->out.cwnd_bytes, MOVE_NOT);
    TAPE_SEE(t, snd->out.timer_at_ps, MOVE_NOT);
    TAPE_SEE(t, snd->out.repace, MOVE_NOT);
    TAPE_SEE(t, snd->next_avail_ps, MOVE_TIME);
    TAPE_SEE(t, snd->last_wire, MOVE_NOT);
    TAPE_SEE(t, snd->last_tx_ps, MOVE_TIME);
    TAPE_SEE(t, snd->gap_rate_bps, MOVE_NOT);
    TAPE_SEE(t, snd->gap_q, MOVE_NOT);
    TAPE_SEE(t, snd->made_bytes, MOVE_COUNT);
    TAPE_SEE(t, snd->flight_bytes, MOVE_COUNT);
    TAPE_SEE(t, q->end_psn, t->told || t->names ? MOVE_PSN : MOVE_NOT);
    TAPE_SEE(t, q->end_byte, t->told || t->names ? MOVE_BYTES : MOVE_NOT);
    tape_same(t, tape_port(t, q->port), "the port of a QP");
    TAPE_SEE(t, snd->state, MOVE_NOT);
    TAPE_SEE(t, snd->prio, MOVE_NOT);
    TAPE_SEE(t, snd->backoff, MOVE_NOT);
    TAPE_SEE(t, snd->recovering, MOVE_NOT);
    TAPE_SEE(t, snd->retries, MOVE_NOT);
    TAPE_SEE(t, snd->rto_at_ps, MOVE_TIME);
    TAPE_SEE(t, q->rto_from_ps, MOVE_STILL);
    TAPE_SEE(t, snd->cc_timer_ps, MOVE_NOT);
    TAPE_SEE(t, q->retx_packets, MOVE_HELD);
    TAPE_SEE(t, snd->told_ps, MOVE_TIME);
    for (int k = 0; k < WEFT_DELAY_QUEUE; k++)
        TAPE_SEE(t, snd->held_ps[k], t->names ? MOVE_NOT : MOVE_COUNT);
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
    WALK_MSGS(e, i, q->head_msg) {
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
    WALK_MSGS(e, i, q->head_msg) {
        struct msg *m = msg_at(e, i);
        sends = i == q->snd->nxt_msg ? n : sends;
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
        n++;
    }
    tape_same(t, n, "messages of a QP");
    tape_same(t, sends, "the message that a QP sends");
    tape_same(t, receives, "the message that a QP receives");
}

void replay_see_qp(struct weft_engine *e, struct replay_part *p, uint32_t qi, struct tape *t)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    if (snd->repeat || q->holding) {
        t->same = false;
        t->other = "a QP that has lost packets";
        return;
    }
    const bool asks = q->asked_psn > snd->una_psn; /* else that is over; before either moves */
    see_pace(q, qi, p, t);
    see_sender(q, t);
    replay_see_noted(e, &e->ports[q->port], snd->prio, &snd->pause_ps, t);
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
