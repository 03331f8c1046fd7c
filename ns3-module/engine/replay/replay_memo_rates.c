/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Long messages in steady state.
 *
 * While a message is sent that is worth it, the rates of its group are measured at intervals of two
 * round trips or more: packets from the last one before a measurement to the last one before the
 * next, over the time between these two, which shows nothing of whole packets. Where three rates of
 * each QP agree within the tolerance, and no window, rate or number of packets in flight is on its
 * way elsewhere, all messages of the group are taken over at these rates until the first of them
 * nears its end. A drift is taken to go on for that long. Other groups have nothing to do with it.
 *
 * Then it is simulated again, and the next rates are compared with those that were assumed: that is
 * the measured error. Where it is within the tolerance, more may be skipped at once, 16 intervals
 * at first. A message that begins in the group, or a link that changes, ends it earlier.
 */
#include "core/context.h"
#include "core/msg.h"
#include "congestion/cc_replay.h"
#include "replay_internal.h"
#include "replay_state.h"
#include "transport/delay.h"

#include <math.h>
#include <string.h>

#define WORTH 8.0               /**< intervals that a message takes at least */
#define LEAST_SKIP 2.0          /**< intervals */
#define FIRST_SKIP 16u          /**< the same, at most, */
#define SKIP_GROWS 6u           /**< times as many after a check that holds, */
#define LAST_SKIP 100000u       /**< up to so many */
#define ROUND_TRIPS 2           /**< of an interval, at least */
#define PACES 2                 /**< of the congestion control's own timers, the same */
#define FEW_PACKETS 16u         /**< the same, of each QP */
#define INTERVAL_GROWS 3 / 2    /**< where rates don't agree */
#define EACH 4.0                /**< times the tolerance that a single QP may be off */
#define FAR 0.1                 /**< that a limit may go until the message ends */
#define FLICKER 2.0             /**< packets in flight, more or less, that mean nothing */
#define TRANSIENT 2.0           /**< round trips until all is as it was, */
#define TRANSIENT_OF_QUEUES 5.0 /**< the same with queues */
#define INTERRUPTED 4.0         /**< times as long, for the others */
#define SHARING 50.0            /**< roots of ps: what flows that go another way come to, */
#define WORTH_IT 1.5 /**< and how often again that is to be skipped, over the tolerance */
#define STILL 1e-5   /**< a smaller difference is no drift */

/* ---- one QP ---- */

/* The message that a QP is sending, packet by packet; NULL: none. */
static struct memo_msg *rates_sending(const struct weft_engine *e, const struct memo_qp *q)
{
    struct memo_msg *k = q->sending ? memo_msg_at(e, q->sending) : NULL;
    return k && k->began && !k->taken && !q->hidden ? k : NULL;
}

static double rates_left(const struct weft_engine *e, const struct memo_msg *k)
{
    return (double)(k->first_psn + k->packets - qp_at(e, k->qp)->snd->nxt_psn);
}

/* Packets of the QPs that share its NIC, one of each. */
static double rates_turn_ps(const struct weft_engine *e, const struct qp *q)
{
    const uint32_t users = replay_of(e)->memo.users[q->port];
    return (double)memo_packet_ps(e, q, q->kind->env.mtu_bytes) * (users ? users : 1);
}

/* An interval in which the rate of a QP shows. */
static int64_t rates_interval_ps(const struct weft_engine *e, const struct qp *q)
{
    const struct weft_cc_replay *r = weft_cc_replay_of(q->kind->cc);
    const int64_t rtt_ps = ROUND_TRIPS * q->kind->env.base_rtt_ps,
                  few_ps = (int64_t)(FEW_PACKETS * rates_turn_ps(e, q)),
                  own_ps = r->pace_ps ? PACES * r->pace_ps(cc_state_of(q), q->kind->ccp) : 0;
    return weft_ps_max(weft_ps_max(rtt_ps, few_ps), own_ps);
}

static void rates_shift(struct memo_course *c)
{
    for (int i = 0; i + 1 < MEMO_RATES; i++) {
        c->rate[i] = c->rate[i + 1];
        c->limit[i] = c->limit[i + 1];
        c->flight[i] = c->flight[i + 1];
    }
}

/* Notes how far QP @p q is. @p goes_on: nothing has changed in its group since it was last
 * measured. False: it has sent too little since. */
static bool rates_note(const struct weft_engine *e, const struct qp *q, struct memo_course *c,
                       bool goes_on)
{
    const struct sender *snd = q->snd;
    const uint64_t psn = snd->nxt_psn - (memo_last_packets(q) - 1), sent = psn - c->psn,
                   cwnd = snd->out.cwnd_bytes;
    const int64_t ps = snd->last_tx_ps - c->tx_ps;
    const bool enough = !goes_on || (sent >= FEW_PACKETS && ps > 0);
    if (goes_on && enough && c->psn) {
        rates_shift(c);
        c->n += c->n < MEMO_RATES;
        c->rate[MEMO_RATES - 1] = (double)sent / (double)ps;
        c->limit[MEMO_RATES - 1] = (double)(cwnd < q->kind->cap_bytes ? cwnd : snd->out.rate_bps);
        c->flight[MEMO_RATES - 1] = snd->nxt_psn - snd->una_psn;
    } else {
        c->n = 0;
    }
    if (!c->n) {
        c->since_ps = e->now;
        for (int d = 0; d < WEFT_DELAY_QUEUE; d++)
            c->held_ps[d] = delay_clock(q, d);
    }
    c->psn = psn;
    c->tx_ps = snd->last_tx_ps;
    return enough;
}

static double rates_mean(const struct memo_course *c)
{
    double sum = 0;
    for (int i = 0; i < MEMO_RATES; i++)
        sum += c->rate[i];
    return sum / MEMO_RATES;
}

/* Whether three values go one way, by more than nothing. */
static bool rates_go_on(const double v[MEMO_RATES])
{
    const double by = v[2] - v[0];
    return (v[1] - v[0]) * (v[2] - v[1]) > 0 && fabs(by) > STILL * fabs(v[2]);
}

/* Whether the congestion control holds a QP, or nearly. */
static bool rates_limited(const struct weft_engine *e, const struct memo_qp *q,
                          const struct memo_course *c)
{
    const struct qp *of = qp_at(e, memo_msg_at(e, q->sending)->qp);
    const double mtu = of->kind->env.mtu_bytes, near = 1 - FAR;
    return (double)c->flight[2] * mtu > near * (double)of->snd->out.cwnd_bytes ||
           c->rate[2] * mtu * 8e12 > near * (double)of->snd->out.rate_bps;
}

/* By how much the rate of a QP may be off @p n intervals later; more than anybody tolerates: it is
 * not to be told. */
static double rates_off(const struct weft_engine *e, const struct memo_qp *q, double n)
{
    const struct memo_course *c = memo_course_at(e, q->course);
    const double *r = c->rate, mean = rates_mean(c), by = fabs(r[2] - r[0]);
    const double tolerance = replay_of(e)->memo.tolerance;
    const double least = fmin(r[0], fmin(r[1], r[2])), most = fmax(r[0], fmax(r[1], r[2]));
    const double grown = fabs((double)c->flight[2] - (double)c->flight[0]);
    const double sent = mean * (double)(e->now - c->since_ps);
    if (rates_limited(e, q, c) && rates_go_on(c->limit) &&
        fabs(c->limit[2] - c->limit[0]) / c->limit[2] * n / 2 > FAR)
        return 1;
    if (grown > FLICKER + EACH * tolerance * sent)
        return 1;
    return (rates_go_on(r) ? by * n / 2 : most - least) / mean;
}

/* How long it takes until all is as it was, once a QP sends again: nothing of it is in flight then.
 * 0: it has the fabric for itself, and nothing but its NIC holds it. */
static double rates_fill_ps(const struct weft_engine *e, const struct memo_msg *k,
                            const struct memo_course *c)
{
    const struct qp *q = qp_at(e, k->qp);
    const double mean = rates_mean(c), round_ps = (double)c->flight[2] / mean,
                 each_ps = (double)memo_packet_ps(e, q, q->kind->env.mtu_bytes);
    const bool alone = mean * each_ps > 1 - FAR,
               waits = round_ps > (double)q->kind->env.base_rtt_ps * (1 + FAR) + FLICKER / mean;
    return alone && !waits ? 0 : TRANSIENT_OF_QUEUES * round_ps;
}

/* The same if others begin then, for them. */
static double rates_transient_ps(const struct weft_engine *e, const struct memo_msg *k,
                                 const struct memo_course *c)
{
    const double fill_ps = rates_fill_ps(e, k, c);
    return fill_ps > 0 ? fill_ps : TRANSIENT * (double)qp_at(e, k->qp)->kind->env.base_rtt_ps;
}

/* How long a message takes in all, at its rate. */
static double rates_took_ps(const struct weft_engine *e, const struct memo_msg *k,
                            const struct memo_course *c)
{
    return (double)(e->now - k->start_ps) + rates_left(e, k) / rates_mean(c);
}

/* ---- a group ---- */

/* Calls for each QP of a group that is sending. */
#define RATES_EACH(e, g, q, k)                                                                     \
    MEMO_EACH(e, g, q)                                                                             \
        for (struct memo_msg *k = rates_sending(e, q); k; k = NULL)

void memo_rates_watch(struct weft_engine *e, uint32_t i)
{
    const struct memo_msg *k = memo_msg_at(e, i);
    const struct qp *q = qp_at(e, k->qp);
    struct memo_qp *mq = memo_qp_at(e, k->qp);
    struct memo_node *g = memo_group(e, mq);
    const int64_t interval_ps = rates_interval_ps(e, q);
    if (rates_left(e, k) * rates_turn_ps(e, q) < WORTH * (double)interval_ps)
        return;
    g->interval_ps = weft_ps_max(g->interval_ps, interval_ps);
    memo_group_measures(e, g, k->qp);
}

/* Intervals until the first message of a group nears its end; or, with checks in between (@p once),
 * how many of them may be skipped at once. */
static double rates_skip(const struct weft_engine *e, const struct memo_node *g, bool once)
{
    double least = LAST_SKIP;
    RATES_EACH(e, g, q, k) {
        const struct memo_course *c = memo_course_at(e, q->course);
        const double left = rates_left(e, k) / rates_mean(c) / (double)g->interval_ps - 1;
        least = fmin(least, once ? fmin(left, c->most) : left);
    }
    return least;
}

/* Whether what was skipped went at the rates that there are now. */
static void rates_check(struct weft_engine *e, const struct memo_node *g)
{
    RATES_EACH(e, g, q, k) {
        struct memo_course *c = memo_course_at(e, q->course);
        if (c->taken_rate > 0) {
            const bool holds = memo_rate_compare(e, rates_mean(c) / c->taken_rate - 1);
            c->most = !holds ? FIRST_SKIP : c->most < LAST_SKIP ? c->most * SKIP_GROWS : c->most;
        }
        replay_of(e)->memo.checked += c->taken_rate > 0 && !k->checked;
        k->checked |= c->taken_rate > 0;
        c->taken_rate = 0;
    }
}

/* Whether the rates of a group stay as they are for @p n intervals. */
static bool rates_agree(const struct weft_engine *e, const struct memo_node *g, double n)
{
    const double tolerance = replay_of(e)->memo.tolerance;
    double sum = 0, took_ps = 0;
    uint32_t qps = 0;
    bool fresh = false;
    RATES_EACH(e, g, q, k) {
        const struct memo_course *c = memo_course_at(e, q->course);
        const double off = rates_off(e, q, n) +
                           rates_fill_ps(e, k, c) / (n * (double)g->interval_ps) +
                           rates_transient_ps(e, k, c) / rates_took_ps(e, k, c);
        sum += off;
        took_ps += rates_took_ps(e, k, c);
        fresh |= !k->partly && qp_at(e, k->qp)->kind->cc->state_size;
        qps++;
        if (off > EACH * tolerance)
            return false;
    }
    const double all_ps = rates_skip(e, g, false) * (double)g->interval_ps;
    if (fresh && all_ps * tolerance * qps < WORTH_IT * SHARING * sqrt(took_ps * qps))
        return false;
    return qps && sum <= tolerance * qps;
}

/* The messages of a group are taken over for @p n intervals. */
static void rates_take(struct weft_engine *e, struct memo_node *g, double n)
{
    const int64_t back_ps = e->now + (int64_t)(n * (double)g->interval_ps);
    RATES_EACH(e, g, q, k) {
        struct memo_course *c = memo_course_at(e, q->course);
        struct qp *to = qp_at(e, k->qp);
        delay_update(e, to);
        for (int d = 0; d < WEFT_DELAY_QUEUE; d++)
            c->held_share[d] =
                (double)(delay_clock(to, d) - c->held_ps[d]) / (double)(e->now - c->since_ps);
        c->taken_rate = rates_mean(c);
        const double took_ps = rates_took_ps(e, k, c);
        const double off_ps =
            rates_fill_ps(e, k, c) + rates_off(e, q, n) * (double)(back_ps - e->now);
        c->off_early =
            (to->kind->cc->state_size ? INTERRUPTED : 1) * rates_transient_ps(e, k, c) / took_ps;
        replay_of(e)->memo.rates_error += off_ps / took_ps;
        memo_take_partly(e, q->sending, c->taken_rate, back_ps);
    }
}

/* NULL: out of memory. */
static struct memo_course *rates_course(struct weft_engine *e, struct memo_qp *q)
{
    if (q->course)
        return memo_course_at(e, q->course);
    const uint32_t i = stable_alloc(&replay_of(e)->memo.courses);
    if (i == NIL)
        return NULL;
    q->course = i;
    *memo_course_at(e, i) = (struct memo_course){.most = FIRST_SKIP};
    return memo_course_at(e, i);
}

/* Whether message @p k is simulated to be compared with the memo. */
static bool rates_for_check(const struct weft_engine *e, const struct memo_node *g,
                            const struct memo_msg *k)
{
    return g->checks && memo_entry_at(e, k->entry)->n >= MEMO_LEAST_SEEN;
}

void memo_rates_measure(struct weft_engine *e, uint32_t qi)
{
    struct memo_node *g = memo_qp_at(e, qi)->node ? memo_group(e, memo_qp_at(e, qi)) : NULL;
    if (!g || g->measures_ps != e->now)
        return;
    const bool goes_on = g->moved_ps <= g->measured_ps;
    bool enough = true, known = goes_on && !g->taken, worth = false;
    int64_t least_ps = 0;
    RATES_EACH(e, g, q, k) {
        const struct qp *of = qp_at(e, k->qp);
        struct memo_course *c = rates_course(e, q);
        if (!c)
            return;
        if (!goes_on && g->moved_ps != g->back_ps) /* not only as what was skipped is over */
            c->taken_rate = 0;
        enough &= rates_note(e, of, c, goes_on);
        known &= c->n == MEMO_RATES && memo_qp_is_plain(e, of) &&
                 !weft_cc_replay_of(of->kind->cc)->unsettled &&
                 !replay_component_is_ahead(e, k->qp) && !rates_for_check(e, g, k);
        least_ps = weft_ps_max(least_ps, rates_interval_ps(e, of));
        const double each_ps = c->n ? 1 / c->rate[MEMO_RATES - 1] : rates_turn_ps(e, of);
        worth |= rates_left(e, k) * each_ps > WORTH * (double)g->interval_ps;
    }
    g->measured_ps = e->now;
    if (!goes_on) {
        g->interval_ps = least_ps;
    } else if (!enough) {
        g->interval_ps *= 2;
    } else if (known) {
        rates_check(e, g);
        const double n = rates_skip(e, g, true);
        if (n >= LEAST_SKIP && rates_agree(e, g, n)) {
            rates_take(e, g, n);
            return;
        }
        if (n >= LEAST_SKIP) {
            replay_say(e, WEFT_REPLAY_MEMO, "rates of long messages don't settle");
            g->interval_ps = g->interval_ps * INTERVAL_GROWS;
        }
    }
    if (worth)
        memo_group_measures(e, g, qi);
}
