/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Selective repeat as IRN does it (Mittal et al., Revisiting network support for RDMA, SIGCOMM
 * 2018, sections 3.1 and 3.2).
 *
 * Receiver: packets behind a gap are kept, each answered by a NACK with the packet expected next
 * and the one that caused the NACK. Messages complete in order, as the expected packet moves past
 * their ends. nack-interval has no effect: each NACK says something new.
 * Sender: the first NACK starts a recovery. A packet is lost when a later one was received (after a
 * timeout: when it was sent before the timeout) and is sent again once, in order, before new ones.
 * A packet lost twice waits for the timer. The recovery ends when all that was sent before it is
 * acknowledged and no packet behind a gap is known.
 * In flight, for the window and the BDP cap: from the oldest unacknowledged packet to the cursor.
 *
 * Relies on one path per QP: a later packet received means that the earlier ones were lost.
 */
#include "context.h"
#include "loop.h"
#include "nic.h"
#include "pkt.h"
#include "psn_set.h"
#include "rc.h"
#include "recovery.h"
#include "repeat.h"

#include "base/units.h"

struct repeat {
    struct psn_set held;   /**< receiver: arrived behind the gap */
    struct psn_set sacked; /**< sender: known to be held by the receiver */
    uint64_t recovery_psn; /**< first packet not sent when the recovery started */
    uint64_t rtx_psn;      /**< lost packets below were sent again */
    uint64_t lost_end;     /**< packets below that are not sacked are lost */
};

/* The QP's record, made with its first gap; NULL (and the engine failed) when out of memory. */
static struct repeat *repeat_of(struct weft_engine *e, struct qp *q)
{
    if (!q->repeat && !(q->repeat = calloc(1, sizeof *q->repeat)))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the bitmaps of a QP");
    return q->repeat;
}

static bool add(struct weft_engine *e, struct psn_set *s, uint64_t psn)
{
    if (psn_set_add(s, psn))
        return true;
    engine_fail(e, WEFT_E_LIMIT, "out of memory for the bitmaps of a QP");
    return false;
}

/* ---- receiver ---- */

static void hold(struct weft_engine *e, struct qp *q, uint32_t i)
{
    struct repeat *r = repeat_of(e, q);
    const uint64_t psn = pkt_at(e, i)->psn;
    if (r)
        psn_set_rise(&r->held, q->exp_psn);
    if (!r || !add(e, &r->held, psn)) {
        pkt_free(e, i);
        return;
    }
    q->holding = 1;
    pkt_at(e, i)->sack = (uint32_t)(psn - q->exp_psn);
    pkt_at(e, i)->flags |= PKT_SACK;
    rc_answer(e, q, i, e->rc.recovery->tolerates_reordering ? WEFT_PKT_ACK : WEFT_PKT_NACK);
}

static void fill(struct weft_engine *e, struct qp *q, uint32_t i)
{
    struct psn_set *held = &q->repeat->held;
    const struct completer c = {i, pkt_at(e, i)->sent_ps, q->exp_psn};
    do
        q->exp_psn++;
    while (psn_set_has(held, q->exp_psn));
    psn_set_rise(held, q->exp_psn);
    q->holding = held->n != 0;
    rc_answer(e, q, i, WEFT_PKT_ACK);
    while (q->rcv_msg != NIL) {
        const struct msg *m = msg_at(e, q->rcv_msg);
        if (m->first_psn + m->npkts > q->exp_psn)
            break;
        rc_received(e, q, q->rcv_msg, &c);
    }
}

void repeat_gap(struct weft_engine *e, uint32_t qi, uint32_t i)
{
    struct qp *q = qp_at(e, qi);
    const uint64_t psn = pkt_at(e, i)->psn;
    if (psn < q->exp_psn)
        rc_answer(e, q, i, WEFT_PKT_ACK);
    else if (psn > q->exp_psn)
        hold(e, q, i);
    else
        fill(e, q, i);
}

/* ---- sender ---- */

/* Moves the cursor to the next packet to send again, or to the first never sent. */
static void steer(struct weft_engine *e, struct qp *q)
{
    struct repeat *r = q->repeat;
    if (r->rtx_psn < q->una_psn)
        r->rtx_psn = q->una_psn;
    while (r->rtx_psn < r->lost_end && psn_set_has(&r->sacked, r->rtx_psn))
        r->rtx_psn++;
    nic_seek(e, q, r->rtx_psn < r->lost_end ? r->rtx_psn : q->top_psn);
}

static void start(struct qp *q)
{
    q->recovering = 1;
    q->repeat->recovery_psn = q->top_psn;
    q->repeat->rtx_psn = q->una_psn;
}

/* A packet has come: those below the result that have not are lost. */
static uint64_t lost_before(const struct weft_engine *e, uint64_t sack)
{
    const uint64_t n = e->p.transport.reorder_packets;
    if (!e->rc.recovery->tolerates_reordering)
        return sack;
    return n && sack > n ? sack - n : 0;
}

void repeat_acked(struct weft_engine *e, uint32_t qi, const struct pkt *k)
{
    struct qp *q = qp_at(e, qi);
    struct repeat *r = repeat_of(e, q);
    if (!r)
        return;
    psn_set_rise(&r->sacked, q->una_psn);
    const uint64_t sack = k->psn + k->sack;
    if (k->flags & PKT_SACK && sack > q->una_psn) {
        if (!add(e, &r->sacked, sack))
            return;
        const uint64_t lost_end = lost_before(e, sack);
        if (!q->recovering && lost_end > q->una_psn)
            start(q);
        if (r->lost_end < lost_end)
            r->lost_end = lost_end;
    }
    if (q->recovering) {
        steer(e, q);
        if (q->una_psn >= r->recovery_psn &&
            (r->sacked.n == 0 || e->rc.recovery->tolerates_reordering))
            q->recovering = 0;
        if (q->rto_at_ps == WEFT_NEVER && q->top_psn > q->una_psn)
            nic_rto_arm(e, qi);
    }
    nic_wake(e, qi);
}

/* Payload of the packets from @p psn on, of those before @p end that the receiver isn't known to
 * hold: walks the messages from @p mi, to which @p psn belongs. */
static uint64_t unknown_payload(const struct weft_engine *e, const struct qp *q, uint64_t psn,
                                uint64_t end)
{
    const struct psn_set *known = q->repeat ? &q->repeat->sacked : NULL;
    uint64_t bytes = 0;
    for (uint32_t mi = q->head_msg; mi != NIL && psn < end; mi = msg_at(e, mi)->next) {
        const struct msg *m = msg_at(e, mi);
        for (; psn < end && psn < m->first_psn + m->npkts; psn++) {
            const uint64_t at = (psn - m->first_psn) * q->mtu_bytes, left = m->bytes - at;
            if (!known || !psn_set_has(known, psn))
                bytes += left < q->mtu_bytes ? left : q->mtu_bytes;
        }
    }
    return bytes;
}

uint64_t repeat_received(const struct weft_engine *e, const struct qp *q, const struct pkt *k)
{
    uint64_t bytes = k->psn > q->una_psn ? unknown_payload(e, q, q->una_psn, k->psn) : 0;
    const uint64_t sack = k->psn + k->sack;
    if (k->flags & PKT_SACK && sack > q->una_psn && sack > k->psn)
        bytes += unknown_payload(e, q, sack, sack + 1);
    return bytes;
}

void repeat_timeout(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    struct repeat *r = repeat_of(e, q);
    if (!r)
        return;
    psn_set_rise(&r->sacked, q->una_psn);
    start(q);
    r->lost_end = q->top_psn;
    steer(e, q);
    nic_wake(e, qi);
}

void repeat_sent(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    struct repeat *r = q->repeat;
    if (q->nxt_psn > r->lost_end)
        return; /* a new packet */
    r->rtx_psn = q->nxt_psn;
    steer(e, q);
}

void repeat_fini(struct qp *q)
{
    if (!q->repeat)
        return;
    psn_set_free(&q->repeat->held);
    psn_set_free(&q->repeat->sacked);
    free(q->repeat);
}

const struct recovery recovery_selective_repeat = {.name = "selective-repeat",
                                                   .low_rto = true,
                                                   .bdp_fc = true,
                                                   .gap = repeat_gap,
                                                   .acked = repeat_acked,
                                                   .timeout = repeat_timeout,
                                                   .received = repeat_received,
                                                   .sent = repeat_sent,
                                                   .fini = repeat_fini};
