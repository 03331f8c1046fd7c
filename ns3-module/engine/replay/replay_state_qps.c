/* SPDX-License-Identifier: GPL-2.0-only */
/* What the future of the traffic depends on, and what it counts, of QPs and their messages:
 * replay_state.c. */
#include "replay_state_internal.h"
#include "switch/pause_clock.h"
#include "core/context.h"
#include "core/msg.h"
#include "core/walk.h"
#include "replay_pauses.h"
#include "transport/delay.h"
#include "transport/qp.h"

#include "congestion/cc.h"
#include "congestion/cc_replay.h"

/* A machine word of the state of a control that moves. */
struct moving_word {
    size_t at; /* SIZE_MAX: there is none */
    enum evolution move;
};

/* The first that moves from @p at on. */
static struct moving_word state_next_moving(const struct weft_cc_moving *m, size_t at)
{
    static const enum evolution move[] = {[WEFT_CC_MOVES_TIME] = EVOLVES_TIME,
                                          [WEFT_CC_MOVES_BYTES] = EVOLVES_GATE,
                                          [WEFT_CC_MOVES_COUNT] = EVOLVES_COUNT,
                                          [WEFT_CC_MOVES_SELDOM] = EVOLVES_SAME};
    struct moving_word first = {.at = SIZE_MAX};
    for (; m->size; m++) {
        const size_t which = at > m->offset ? (at - m->offset + m->stride - 1) / m->stride : 0;
        const size_t then = m->offset + which * m->stride;
        if (which < m->n && then < first.at)
            first = (struct moving_word){then, move[m->moves]};
    }
    return first;
}

static void state_read_control(const struct qp *q, struct snapshot *t)
{
    char *state = q->cc_state;
    int64_t started = state != NULL;
    snapshot_field(t, &started, sizeof started, t->fixed ? EVOLVES_RARE : EVOLVES_SAME,
                   "whether a congestion control has started");
    if (!started)
        return;
    const struct weft_cc_moving *m = weft_cc_replay_of(q->kind->cc)->moving;
    const size_t size = m ? qp_state_bytes(q) : 0; /* without: it has none */
    struct moving_word next = {.at = 0};
    for (size_t at = 0; at < size; at += sizeof(int64_t)) {
        const size_t left = size - at;
        if (at == 0 || at > next.at)
            next = state_next_moving(m, at);
        const enum evolution move = at == next.at ? next.move : EVOLVES_SAME;
        if (left >= sizeof(int64_t)) /* a size that the compiler knows */
            snapshot_field(t, state + at, sizeof(int64_t), move, "state of the congestion control");
        else
            snapshot_field(t, state + at, left, move, "state of the congestion control");
    }
}

/* By how much the QP moves is what its oldest unacknowledged packet does. */
static void state_read_pace(const struct qp *q, uint32_t qi, struct replay_scope *p,
                            struct snapshot *t)
{
    const struct sender *snd = q->snd;
    if (t->use == SNAPSHOT_SUM) {
        t->psn = (int64_t)snd->una_psn;
        t->bytes = (int64_t)snd->una_bytes;
    } else if (t->use == SNAPSHOT_COMPARE && t->at + 1 < t->n) {
        t->psn = (int64_t)(snd->una_psn - (uint64_t)t->value[t->at]);
        t->bytes = (int64_t)(snd->una_bytes - (uint64_t)t->value[t->at + 1]);
        p->moved[qi][0] = t->psn;
        p->moved[qi][1] = t->bytes;
    }
}

bool replay_pauses_move(const struct weft_engine *e, const struct snapshot *t)
{
    return e->delays.nholds && !t->of_messages && !t->names && !t->fixed &&
           replay_pauses_possible(e);
}

void replay_read_noted(struct weft_engine *e, const struct port *p, uint32_t prio, int64_t *noted,
                       struct snapshot *t)
{
    if (!replay_pauses_move(e, t)) {
        snapshot_field(t, noted, sizeof *noted, EVOLVES_SAME,
                       "state that moved otherwise: clocks of pauses");
        return;
    }
    snapshot_same(t, pause_clock_ps(e, p, prio) - *noted, "how long a pause holds a packet up");
    SNAPSHOT_FIELD(t, *noted, EVOLVES_COUNT);
}

/* What the control last said; by how much the QP moves is read before all that moves so. */
static void state_read_sender(struct qp *q, struct snapshot *t)
{
    struct sender *const snd = q->snd;
    _Static_assert(sizeof snd->out == 4 * sizeof(int64_t), "its four fields are read");
    SNAPSHOT_FIELD(t, snd->una_psn, EVOLVES_PSN);
    SNAPSHOT_FIELD(t, snd->una_bytes, EVOLVES_BYTES);
    SNAPSHOT_FIELD(t, snd->out.rate_bps, EVOLVES_SAME);
    SNAPSHOT_FIELD(t, snd->out.cwnd_bytes, EVOLVES_SAME);
    SNAPSHOT_FIELD(t, snd->out.timer_at_ps, EVOLVES_SAME);
    SNAPSHOT_FIELD(t, snd->out.repace, EVOLVES_SAME);
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(snd, type, name, evolution)
#include "core/sender.def"
}

/* After the log of a message, a copy, is read: it is written where it moves, so that messages
 * without one get none. */
static void state_log_read(struct weft_engine *e, struct msg *m, const struct msg_log *log,
                           const struct snapshot *t)
{
    if (t->use == SNAPSHOT_MOVE && memcmp(log, msg_log(e, m), sizeof *log))
        *delay_log(e, m) = *log;
}

/* While nobody is told of messages. */
static void state_read_unfinished(struct weft_engine *e, const struct qp *q, struct snapshot *t)
{
    WALK_MSGS(e, i, q->head_msg) {
        struct msg_log log = *msg_log(e, msg_at(e, i));
        SNAPSHOT_FIELD(t, log.sent_ps, EVOLVES_SAME);
        for (int k = 0; k < WEFT_DELAY_QUEUE; k++)
            SNAPSHOT_FIELD(t, log.held_ps[k], EVOLVES_SAME);
        SNAPSHOT_FIELD(t, log.retx_bytes, EVOLVES_RARE);
        SNAPSHOT_FIELD(t, log.cnps, EVOLVES_RARE);
        state_log_read(e, msg_at(e, i), &log, t);
    }
}

/* Records of messages are told apart by their place in the list of their QP. Without callbacks on
 * them to the user the first stays the first. */
static void state_read_messages(struct weft_engine *e, struct qp *q, struct snapshot *t)
{
    int64_t n = 0, sends = -1, receives = -1;
    WALK_MSGS(e, i, q->head_msg) {
        struct msg *m = msg_at(e, i);
        sends = i == q->snd->nxt_msg ? n : sends;
        receives = i == q->rcv_msg ? n : receives;
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(m, type, name, evolution)
#include "core/msg.def"
        struct msg_log copy = *msg_log(e, m), *const log = &copy;
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(log, type, name, evolution)
#include "core/msg_log.def"
        const bool sent = log->sent_ps >= 0, received = receives < 0 || n < receives;
        snapshot_same(t, sent | received << 1, "how far a message is");
        if (sent)
            SNAPSHOT_FIELD(t, log->sent_ps, t->of_messages ? EVOLVES_TIME : EVOLVES_SAME);
        if (received) {
            SNAPSHOT_FIELD(t, log->received_ps, t->of_messages ? EVOLVES_TIME : EVOLVES_SAME);
            SNAPSHOT_FIELD(t, log->ideal_ps, EVOLVES_SAME);
        }
        /* what delayed it; before it is sent, what the clocks of its QP said */
        for (int k = 0; k < WEFT_DELAY_QUEUE; k++)
            SNAPSHOT_FIELD(t, log->held_ps[k],
                           !t->of_messages || sent ? EVOLVES_SAME : EVOLVES_COUNT);
        state_log_read(e, m, log, t);
        n++;
    }
    snapshot_same(t, n, "messages of a QP");
    snapshot_same(t, sends, "the message that a QP sends");
    snapshot_same(t, receives, "the message that a QP receives");
}

void replay_read_qp(struct weft_engine *e, struct replay_scope *p, uint32_t qi, struct snapshot *t)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    struct qp_rare *const rare = rare_of(q);
    if (snd->repeats || q->holding) {
        t->same = false;
        t->other = "a QP that has lost packets";
        return;
    }
    const bool asks =
        rare->requested_psn > snd->una_psn; /* else that is over; before either moves */
    state_read_pace(q, qi, p, t);
    state_read_sender(q, t);
    replay_read_noted(e, &e->ports[q->port], snd->prio, &rare->pause_ps, t);
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(q, type, name, evolution)
#include "core/qp.def"
#define FIELD(type, name, dimensions, evolution, owner) STATE_READ(rare, type, name, evolution)
#include "core/qp_rare.def"
    uint64_t end_psn = qp_end_psn(e, q); /* follows from what is read, but tells in a sum */
    state_read_field(t, &end_psn, sizeof end_psn, 1, EVOLVES_END_PSN, "messages of a QP");
    snd->delayed |= rare->pause_ps || rare->held_ps[0] || rare->held_ps[1];
    if (!t->fixed)
        snapshot_same(t, asks, "whether an ACK was requested");
    if (asks || t->fixed)
        SNAPSHOT_FIELD(t, rare->requested_psn, EVOLVES_PSN);
    if (e->qps.rtt_ps.base)
        SNAPSHOT_FIELD(t, ((int64_t *)(void *)e->qps.rtt_ps.base)[qi], EVOLVES_SAME);
    if (t->fixed)
        state_read_unfinished(e, q, t);
    else
        state_read_messages(e, q, t);
    state_read_control(q, t);
}
