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
#include "core/context.h"
#include "core/loop.h"
#include "core/pkt.h"
#include "core/walk.h"
#include "nic.h"
#include "packet_times.h"
#include "psn_set.h"
#include "rc.h"
#include "recovery.h"
#include "repeat.h"
#include "sparse_ack.h"

#include "base/units.h"

/* The sender's; what the receiver holds is rare_of(q)->held. */
struct repeat {
    struct psn_set sacked;     /**< known to be held by the receiver */
    uint64_t recovery_psn;     /**< first packet not sent when the recovery started */
    uint64_t rtx_psn;          /**< lost packets below were sent again */
    uint64_t lost_end;         /**< packets below that are not sacked are lost */
    uint64_t high_psn;         /**< highest packet known to be held */
    struct psn_set cut;        /**< trimmed or expired, and not sent again yet */
    struct packet_times times; /**< with a timer per packet */
};

/* The QP's record, made when it first has something to note; NULL (and the engine failed) when out
 * of memory. */
static struct repeat *repeat_of(struct weft_engine *e, struct qp *q)
{
    if (!rare_of(q)->repeat && !(rare_of(q)->repeat = calloc(1, sizeof *rare_of(q)->repeat)))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the bitmaps of a QP");
    q->snd->repeats = rare_of(q)->repeat != NULL;
    return rare_of(q)->repeat;
}

/* The same of what its receiver holds. */
static struct psn_set *held_of(struct weft_engine *e, struct qp *q)
{
    if (!rare_of(q)->held && !(rare_of(q)->held = calloc(1, sizeof *rare_of(q)->held)))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the bitmaps of a QP");
    return rare_of(q)->held;
}

static bool psn_set_keep(struct weft_engine *e, struct psn_set *s, uint64_t psn)
{
    if (psn_set_add(s, psn))
        return true;
    engine_fail(e, WEFT_E_LIMIT, "out of memory for the bitmaps of a QP");
    return false;
}

/* ---- receiver ---- */

static void hold(struct weft_engine *e, struct qp *q, uint32_t i)
{
    struct psn_set *held = held_of(e, q);
    const uint64_t psn = pkt_at(e, i)->psn;
    if (held)
        psn_set_rise(held, q->exp_psn);
    const bool before = held && psn_set_has(held, psn);
    if (!held || !psn_set_keep(e, held, psn)) {
        pkt_free(e, i);
        return;
    }
    q->holding = 1;
    if (profile_of(q)->by_bytes && !before && !sparse_ack_due(q, pkt_at(e, i))) {
        pkt_free(e, i);
        return;
    }
    pkt_at(e, i)->sack = (uint32_t)(psn - q->exp_psn);
    pkt_at(e, i)->flags |= PKT_SACK;
    rc_answer(e, q, i,
              profile_of(q)->recovery->tolerates_reordering ? WEFT_PKT_ACK : WEFT_PKT_NACK);
}

static void fill(struct weft_engine *e, struct qp *q, uint32_t i)
{
    struct psn_set *held = rare_of(q)->held;
    const struct completer c = {i, pkt_at(e, i)->sent_ps, q->exp_psn};
    do
        q->exp_psn++;
    while (psn_set_has(held, q->exp_psn));
    psn_set_rise(held, q->exp_psn);
    q->holding = held->n != 0;
    if (!profile_of(q)->by_bytes || sparse_ack_due(q, pkt_at(e, i)))
        rc_answer(e, q, i, WEFT_PKT_ACK);
    else
        pkt_free(e, i);
    for (uint32_t n = 0; q->rcv_msg != NIL && walk_on(e, n, e->msgs.n, WALK_MSGS_NAME); n++) {
        const struct msg *m = msg_at(e, q->rcv_msg);
        if (m->first_psn + m->npkts > q->exp_psn)
            break;
        rc_received(e, q, q->rcv_msg, &c);
    }
}

void repeat_trimmed(struct weft_engine *e, uint32_t qi, uint32_t i)
{
    struct qp *q = qp_at(e, qi);
    struct pkt *k = pkt_at(e, i);
    const bool held = rare_of(q)->held && psn_set_has(rare_of(q)->held, k->psn);
    k->sack = (uint32_t)(k->psn - q->exp_psn);
    k->flags |= PKT_SACK;
    rc_answer(e, q, i, held ? WEFT_PKT_ACK : WEFT_PKT_NACK);
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
    const struct sender *snd = q->snd;
    struct repeat *r = rare_of(q)->repeat;
    if (r->rtx_psn < snd->una_psn)
        r->rtx_psn = snd->una_psn;
    while (r->rtx_psn < r->lost_end &&
           (psn_set_has(&r->sacked, r->rtx_psn) || psn_set_has(&r->cut, r->rtx_psn)))
        r->rtx_psn++;
    const uint64_t lost = r->rtx_psn < r->lost_end ? r->rtx_psn : snd->top_psn;
    const uint64_t cut = psn_set_first(&r->cut);
    nic_seek(e, q, cut < lost ? cut : lost);
}

/* Whether a packet that the receiver isn't known to hold is known to be lost and waits to be sent
 * again. */
static bool waits(const struct qp *q, uint64_t psn)
{
    const struct repeat *r = rare_of(q)->repeat;
    return r && q->snd->recovering &&
           (psn_set_has(&r->cut, psn) || (psn >= r->rtx_psn && psn < r->lost_end));
}

/* Payload of the packets from @p psn on, of those before @p end that the receiver isn't known to
 * hold, and of these what is in flight. */
static struct ack_report unknown(const struct weft_engine *e, const struct qp *q, uint64_t psn,
                                 uint64_t end)
{
    const struct psn_set *known = rare_of(q)->repeat ? &rare_of(q)->repeat->sacked : NULL;
    struct ack_report sum = {0, 0, 0};
    WALK_MSGS(e, mi, q->head_msg) {
        if (psn >= end)
            break;
        const struct msg *m = msg_at(e, mi);
        for (; psn < end && psn < m->first_psn + m->npkts; psn++) {
            const uint64_t left = m->bytes - (psn - m->first_psn) * q->kind->env.mtu_bytes;
            const uint64_t payload = left < q->kind->env.mtu_bytes ? left : q->kind->env.mtu_bytes;
            if (known && psn_set_has(known, psn))
                continue;
            sum.received += payload;
            sum.landed += waits(q, psn) ? 0 : payload;
        }
    }
    return sum;
}

uint64_t repeat_flight(const struct weft_engine *e, const struct qp *q)
{
    return unknown(e, q, q->snd->una_psn, q->snd->top_psn).landed;
}

static void start(struct qp *q)
{
    struct sender *const snd = q->snd;
    snd->recovering = 1;
    rare_of(q)->repeat->recovery_psn = snd->top_psn;
    rare_of(q)->repeat->rtx_psn = snd->una_psn;
}

/* A packet has come: those below the result that have not are lost. */
static uint64_t lost_before(const struct qp *q, uint64_t sack)
{
    const uint64_t n = profile_of(q)->t.reorder_packets;
    if (!profile_of(q)->recovery->tolerates_reordering)
        return sack;
    return n && sack > n ? sack - n : 0;
}

/* More packets count as lost. */
static void recount(const struct weft_engine *e, struct qp *q)
{
    if (profile_of(q)->recovery->counts)
        rare_of(q)->flight_bytes = repeat_flight(e, q);
}

/* Packet @p psn is sent again before new ones. */
static void note_cut(struct weft_engine *e, struct qp *q, uint32_t qi, uint64_t psn)
{
    const struct sender *snd = q->snd;
    struct repeat *r = rare_of(q)->repeat;
    if (!snd->recovering) {
        start(q);
        r->lost_end = snd->una_psn;
    }
    psn_set_rise(&r->cut, snd->una_psn);
    if (psn_set_keep(e, &r->cut, psn))
        nic_rto_arm(e, qi);
}

/* A packet that was sent and is neither known to be received nor known to be lost. */
static bool in_flight(const struct qp *q, uint64_t psn)
{
    return psn >= q->snd->una_psn && psn < q->snd->top_psn &&
           !psn_set_has(&rare_of(q)->repeat->sacked, psn) && !waits(q, psn);
}

/* ---- a timer per packet ---- */

static void timed_sent(struct weft_engine *e, uint32_t qi, uint64_t psn, uint32_t ev)
{
    struct qp *q = qp_at(e, qi);
    struct repeat *r = repeat_of(e, q);
    if (r && !packet_times_note(&r->times, psn, q->snd->una_psn, e->now, ev,
                                (uint32_t)profile_of(q)->t.rto_backoff_max))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the timers of a QP");
}

static int64_t timed_due(struct weft_engine *e, const struct qp *q)
{
    int64_t first = WEFT_NEVER;
    struct packet_times *t = rare_of(q)->repeat ? &rare_of(q)->repeat->times : NULL;
    for (uint32_t l = 0; t && l < t->nlevels; l++) {
        struct shot_queue *of = &t->level[l];
        while (of->n && (!in_flight(q, shot_first(of)->psn) || shot_is_old(t, shot_first(of))))
            shot_drop(of);
        if (!of->n)
            continue;
        const int64_t wait = backed_off(profile_of(q)->t.rto_ps, l);
        const int64_t due = shot_first(of)->sent_ps + wait;
        first = due < first ? due : first;
    }
    return first;
}

static uint32_t timed_expire(struct weft_engine *e, uint32_t qi, uint32_t *ev)
{
    struct qp *q = qp_at(e, qi);
    struct packet_times *t = &rare_of(q)->repeat->times;
    const int64_t due = timed_due(e, q);
    for (uint32_t l = 0; l < t->nlevels; l++) {
        struct shot_queue *of = &t->level[l];
        if (!of->n || shot_first(of)->sent_ps + backed_off(profile_of(q)->t.rto_ps, l) != due)
            continue;
        const struct shot s = *shot_first(of);
        shot_drop(of);
        *ev = s.ev;
        rare_of(q)->flight_bytes -= unknown(e, q, s.psn, s.psn + 1).landed;
        packet_times_expire(t, s.psn);
        note_cut(e, q, qi, s.psn);
        steer(e, q);
        return s.expiries + 1;
    }
    return 0;
}

static bool timed_sampled(const struct qp *q, int64_t sent_ps)
{
    const struct shot *s =
        rare_of(q)->repeat ? packet_times_find(&rare_of(q)->repeat->times, sent_ps) : NULL;
    return s && s->times <= 2 && in_flight(q, s->psn);
}

const struct packet_timers repeat_timers = {
    .sent = timed_sent, .due = timed_due, .expire = timed_expire, .sampled = timed_sampled};

/* ---- what comes back ---- */

/* The receiver holds packet @p psn; false: out of memory. */
static bool note_held(struct weft_engine *e, struct qp *q, uint64_t psn)
{
    struct repeat *r = rare_of(q)->repeat;
    if (psn <= q->snd->una_psn)
        return true;
    psn_set_remove(&r->cut, psn);
    return psn_set_keep(e, &r->sacked, psn);
}

void repeat_acked(struct weft_engine *e, uint32_t qi, const struct pkt *k)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    struct repeat *r = repeat_of(e, q);
    if (!r)
        return;
    psn_set_rise(&r->sacked, snd->una_psn);
    psn_set_rise(&r->cut, snd->una_psn);
    const uint64_t sack = k->psn + k->sack;
    if (names_trimmed(profile_of(q)->recovery, k)) {
        if (in_flight(q, sack))
            note_cut(e, q, qi, sack);
    } else if (k->flags & PKT_SACK && sack > snd->una_psn) {
        if (!note_held(e, q, sack))
            return;
        for (uint64_t left = e->rc.map.bits; left; left &= left - 1)
            if (!note_held(e, q, e->rc.map.first + (uint64_t)__builtin_ctzll(left)))
                return;
        r->high_psn = sack > r->high_psn ? sack : r->high_psn;
        const uint64_t lost_end = lost_before(q, sack);
        if (!snd->recovering && lost_end > snd->una_psn) {
            const uint64_t resent = r->lost_end;
            start(q);
            if (snd->counted && r->rtx_psn < resent)
                r->rtx_psn = resent;
        }
        if (r->lost_end < lost_end) {
            r->lost_end = lost_end;
            recount(e, q);
        }
    }
    if (snd->recovering) {
        steer(e, q);
        if (snd->una_psn >= r->recovery_psn &&
            (r->sacked.n == 0 || profile_of(q)->recovery->tolerates_reordering) && r->cut.n == 0 &&
            (!snd->counted || r->rtx_psn >= r->lost_end))
            snd->recovering = 0;
        if (snd->rto_at_ps == WEFT_NEVER && snd->top_psn > snd->una_psn)
            nic_rto_arm(e, qi);
    }
    nic_wake(e, qi);
}

static void add_report(struct ack_report *sum, struct ack_report one)
{
    sum->received += one.received;
    sum->landed += one.landed;
}

struct ack_report repeat_received(const struct weft_engine *e, const struct qp *q,
                                  const struct pkt *k)
{
    const struct sender *snd = q->snd;
    struct ack_report sum = {0, 0, 0};
    if (k->psn > snd->una_psn)
        sum = unknown(e, q, snd->una_psn, k->psn);
    const uint64_t sack = k->psn + k->sack;
    if (!(k->flags & PKT_SACK) || sack < snd->una_psn || sack < k->psn)
        return sum;
    if (k->flags & PKT_MAP && k->kind == WEFT_PKT_ACK) {
        for (uint64_t left = e->rc.map.bits; left; left &= left - 1) {
            const uint64_t psn = e->rc.map.first + (uint64_t)__builtin_ctzll(left);
            if (psn > snd->una_psn)
                add_report(&sum, unknown(e, q, psn, psn + 1));
        }
        return sum;
    }
    const struct ack_report one = unknown(e, q, sack, sack + 1);
    if (names_trimmed(profile_of(q)->recovery, k)) {
        sum.trimmed = one.landed;
    } else if (sack > snd->una_psn && sack > k->psn) {
        add_report(&sum, one);
    }
    return sum;
}

void repeat_timeout(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    const struct sender *snd = q->snd;
    struct repeat *r = repeat_of(e, q);
    if (!r)
        return;
    psn_set_rise(&r->sacked, snd->una_psn);
    psn_set_free(&r->cut);
    start(q);
    const bool later_came = snd->counted && r->high_psn > snd->una_psn && snd->retries == 1;
    r->lost_end = later_came ? r->high_psn : snd->top_psn;
    recount(e, q);
    if (later_came) /* what is in flight may fill the window, so that nothing is sent again */
        nic_rto_arm(e, qi);
    steer(e, q);
    nic_wake(e, qi);
}

void repeat_sent(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    struct repeat *r = rare_of(q)->repeat;
    const uint64_t psn = q->snd->nxt_psn - 1;
    if (psn_set_has(&r->cut, psn))
        psn_set_remove(&r->cut, psn);
    else if (psn < r->lost_end)
        r->rtx_psn = q->snd->nxt_psn;
    else
        return; /* a new packet */
    steer(e, q);
}

void repeat_fini(struct qp *q)
{
    if (rare_of(q)->held)
        psn_set_free(rare_of(q)->held);
    free(rare_of(q)->held);
    if (!rare_of(q)->repeat)
        return;
    psn_set_free(&rare_of(q)->repeat->sacked);
    psn_set_free(&rare_of(q)->repeat->cut);
    packet_times_free(&rare_of(q)->repeat->times);
    free(rare_of(q)->repeat);
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
