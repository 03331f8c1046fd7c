/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trains (switch/train.h) at the NIC: how many packets they have, and their turns.
 *
 * A QP that has sent a train lets others have as many turns as it has packets. The ready ring of a
 * priority is in the order of turns, which are numbered, and the last QP of each turn is known: a
 * QP takes its place in the ring with no look at the others.
 */
#include "delay.h"
#include "nic.h"
#include "core/context.h"
#include "core/gap.h"
#include "core/walk.h"

#include <string.h>

#define TRAIN_OF_SENT 2u   /**< of what a message has sent, a train is at most this part, */
#define TRAIN_OF_LEFT 2u   /**< the same of what is left, */
#define TRAIN_OF_WINDOW 8u /**< and of the window */
#define TRAIN_OF_SLOWER 2u /**< a slower QP's trains are at most this part of the longest, */
#define TRAIN_WAITS 17     /**< if its turns take so many times as long as its rate asks for */
#define TRAIN_VARIES 5u    /**< packets that it may have less */
#define TRAIN_ACKS 30u     /**< packets per ACK, where it makes no difference, */
#define TRAIN_OF_ACKS 4u   /**< this part of a message, */
#define TRAIN_OF_RTO 4     /**< and this part of the retransmission timeout at most */
#define TRAIN_CNPS (255u / TRAIN_TURNS) /**< that sender.owes has room for */

/* The lower of two numbers of packets. */
static uint64_t train_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Whether the congestion control of a QP goes by CNPs alone. */
static bool train_by_cnps(const struct qp *q)
{
    return q->kind->control->cnp.separate && q->kind->cc->before_send;
}

/* Whether the rate that the congestion control allows a QP may hold it: else it goes by CNPs, and
 * waits for its turn for so much longer that the rate can be cut several times before. */
static bool train_paced(const struct weft_engine *e, const struct qp *q)
{
    const struct sender *snd = q->snd;
    return !train_by_cnps(q) ||
           (e->now - snd->last_tx_ps) / TRAIN_WAITS < snd->next_avail_ps - snd->last_tx_ps;
}

/* CNPs that @p n packets cause at most that follow each other as the last ones have. */
static uint64_t train_slots(const struct weft_engine *e, const struct qp *q, uint64_t n)
{
    const struct sender *snd = q->snd;
    const int64_t interval_ps = q->kind->control->cnp.interval_ps;
    if (!train_by_cnps(q))
        return 1;
    const double each_ps =
        (double)(e->now - snd->last_tx_ps) * q->kind->full_frame / (double)snd->last_wire;
    const double most = interval_ps ? 1 + (double)(n - 1) * each_ps / (double)interval_ps : n;
    return most < (double)n ? (uint64_t)most : n;
}

/* Whether the congestion control has heard nothing of a message that has sent @p sent packets. */
static bool train_unheard(const struct qp *q, uint64_t sent)
{
    return q->kind->cc->state_size && q->snd->nxt_psn - q->snd->una_psn >= sent;
}

/* Packets of the train that a QP makes next, of @p left packets of a message that has sent @p
 * sent; 1: none. */
static uint64_t train_next(const struct weft_engine *e, const struct qp *q, uint64_t sent,
                           uint64_t left)
{
    const struct sender *snd = q->snd;
    const struct qp_kind *k = q->kind;
    const bool slower = snd->out.rate_bps < k->out.rate_bps,
               smaller = snd->out.cwnd_bytes < k->out.cwnd_bytes;
    if (smaller || train_unheard(q, sent) || (slower && train_paced(e, q)))
        return 1;
    const uint64_t window = train_least(snd->out.cwnd_bytes, k->cap_bytes) / k->env.mtu_bytes;
    uint64_t n = slower ? (k->train + 1u) / TRAIN_OF_SLOWER : k->train;
    n = train_least(n, window / TRAIN_OF_WINDOW);
    n = train_least(n, sent / TRAIN_OF_SENT + 1);
    n = train_least(n, left / TRAIN_OF_LEFT);
    return n ? n : 1;
}

/* Packets that a train has less where QPs share a NIC: would all send trains of the same length,
 * they would do so at the same time, one round of all of them. @p state: of the NIC. */
static uint64_t train_varies(uint8_t *state)
{
    *state = (uint8_t)(*state * 5u + 3u);
    return *state * TRAIN_VARIES >> 8;
}

void nic_train_acks(struct qp_kind *k)
{
    const bool by_acks = k->cc->on_ack || (k->cc->on_cnp && !k->control->cnp.separate);
    if (k->train > 1 && !by_acks && k->out.cwnd_bytes == UINT64_MAX && k->cap_bytes == UINT64_MAX)
        k->ack_after = TRAIN_ACKS;
}

/* Whether the next @p n packets of message @p m, which has sent @p sent, are acknowledged at once:
 * they may be the first that are, a part of it waits for that, or the retransmission timer is not
 * to wait for more. */
static bool train_asks(const struct weft_engine *e, const struct qp *q, const struct msg *m,
                       uint64_t sent, uint64_t n)
{
    const int64_t rto_ps = profile_of(q)->t.rto_ps;
    return train_unheard(q, sent) ||
           q->snd->nxt_psn + n - q->snd->una_psn > m->npkts / TRAIN_OF_ACKS ||
           q->snd->rto_at_ps - e->now < rto_ps - rto_ps / TRAIN_OF_RTO;
}

uint64_t nic_train_couple(const struct weft_engine *e, struct nic *n, struct qp *q, struct pkt *k,
                          const struct msg *m, uint64_t index)
{
    struct sender *const snd = q->snd;
    uint64_t more = train_next(e, q, index, m->npkts - index) - 1;
    if (more >= TRAIN_VARIES && n->ready[snd->prio].head != NIL)
        more -= train_varies(&n->train);
    const uint64_t bytes = more * q->kind->env.mtu_bytes,
                   wire = more * (q->kind->full_frame + e->p.transport.gap_bytes);
    k->payload = (uint16_t)(k->payload + bytes); /* the last packet of a message is none */
    k->frame = (uint16_t)(k->frame + wire);
    k->train.wire = (uint16_t)wire;
    k->train.n = (uint8_t)more;
    k->train.slots = (uint8_t)(more ? train_slots(e, q, 1 + more) : 1) & 15u;
    k->train.marked = 0;
    if (train_asks(e, q, m, index, 1 + more))
        k->flags |= PKT_ASK;
    k->sent_ps += gap_ps(wire, e->ports[q->port].ser_q); /* the last one of them */
    snd->top_psn += more;
    snd->nxt_psn += more;
    snd->nxt_bytes += bytes;
    n->made_bytes += bytes;
    n->in_trains += more;
    snd->owes = (uint8_t)((snd->owes & ~(TRAIN_TURNS - 1u)) | more);
    return more;
}

/* ---- CNPs ---- */

void nic_train_cnps(struct qp *q, uint32_t n)
{
    struct sender *const snd = q->snd;
    const uint64_t all = train_least(snd->owes / TRAIN_TURNS + n, TRAIN_CNPS);
    snd->owes = (uint8_t)(snd->owes % TRAIN_TURNS + all * TRAIN_TURNS);
}

/* Tells the congestion control of them as if they had come while the QP waited for its turn, as
 * long as packets as far apart as those of the train could have been sent. */
static void train_report_cnps(struct weft_engine *e, struct qp *q)
{
    struct sender *const snd = q->snd;
    const int64_t n = snd->owes / TRAIN_TURNS, since_ps = snd->last_tx_ps;
    const double least_bps = 8e12 * (double)snd->last_wire / (double)(e->now - since_ps);
    snd->owes %= TRAIN_TURNS;
    int64_t heard = 0;
    while (heard < n && q->cc_state && (double)snd->out.rate_bps > least_bps)
        q->kind->cc->on_cnp(q->cc_state, q->kind->ccp,
                            since_ps + (e->now - since_ps) * ++heard / (n + 1), &snd->out);
    if (q->head_msg != NIL)
        delay_log(e, msg_at(e, q->head_msg))->cnps += (uint64_t)heard;
}

/* ---- turns ---- */

static uint32_t *train_lasts(struct weft_engine *e, const struct nic *n, uint32_t prio)
{
    return e->nics.last[n - e->nics.of][prio];
}

void nic_train_turn(struct weft_engine *e, struct nic *n, uint32_t qi)
{
    struct sender *const snd = qp_at(e, qi)->snd;
    struct list *l = &n->ready[snd->prio];
    uint32_t *last = train_lasts(e, n, snd->prio), before = NIL;
    const uint32_t turns = snd->owes % TRAIN_TURNS;
    for (uint32_t later = turns + 2u; before == NIL && later-- > 0;)
        before = last[(n->turn[snd->prio] + later) % TRAIN_TURNS] - 1;
    snd->turn = (uint8_t)((n->turn[snd->prio] + turns + 1u) % TRAIN_TURNS);
    snd->owes -= (uint8_t)turns;
    last[snd->turn] = qi + 1;
    uint32_t *at = before == NIL ? &l->head : &qp_at(e, before)->snd->next;
    snd->next = *at;
    *at = qi;
    if (snd->next == NIL)
        l->tail = qi;
}

void nic_train_turn_over(struct weft_engine *e, struct nic *n, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    const struct sender *snd = q->snd;
    uint32_t *last = train_lasts(e, n, snd->prio);
    if (snd->owes >= TRAIN_TURNS)
        train_report_cnps(e, q);
    if (last[snd->turn] == qi + 1)
        last[snd->turn] = 0;
    n->turn[snd->prio] = snd->next == NIL ? 0 : snd->turn;
}

void nic_train_turns_again(struct weft_engine *e, struct nic *n, uint32_t prio)
{
    uint32_t *last = train_lasts(e, n, prio);
    memset(last, 0, TRAIN_TURNS * sizeof *last);
    WALK_TURNS(e, i, n->ready[prio].head)
        last[qp_at(e, i)->snd->turn] = i + 1;
}
