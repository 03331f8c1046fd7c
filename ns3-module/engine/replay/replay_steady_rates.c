/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether traffic has settled: what QPs have sent at three marks, and what that says together.
 *
 * A rate is the packets from the last one sent before a mark to the last one before the next, over
 * the time between these two: regular traffic shows none of the rounding of whole packets. Two
 * windows that differ are taken for a drift that goes on until the message ends; what it would then
 * be off by is compared with the tolerance. Where a congestion control decides, a window takes a
 * round trip at least, and as long as the control's own timers; where none does, and queues stay as
 * they are, less will do.
 */
#include "core/context.h"
#include "replay_internal.h"
#include "replay_queues.h"
#include "congestion/cc_replay.h"

#include <math.h>
#include <stdlib.h>

#define PACES 2         /**< of the congestion control's own timers */
#define FEW_PACKETS 2u  /**< that each QP must have sent in a window */
#define MONOTONIC 3     /**< steps one way that are more than chance */
#define FLICKER 3       /**< packets in flight, more or less, that mean nothing */
#define FADED 16        /**< round trips after which averages have forgotten what was before */
#define STILL 1e-9      /**< of the most that was seen of something: it rests */
#define FAR 0.1         /**< that a rate or window may go until its message ends */
#define EACH 4.0        /**< times the tolerance that a single QP may be off */
#define LEFT_PACKETS 3u /**< of a message that are not skipped */

/* ---- marks ---- */

/* Packets that a QP may send before the last ones of its message. */
static uint64_t rates_packets_left(const struct weft_engine *e, const struct qp *q)
{
    const struct msg *m = msg_at(e, q->head_msg);
    const uint64_t end = m->first_psn + m->npkts;
    return end > q->snd->nxt_psn + LEFT_PACKETS ? end - q->snd->nxt_psn - LEFT_PACKETS : 0;
}

static bool rates_make_room(struct replay_steady *s)
{
    const uint32_t qps = s->scope.nqps, ports = s->scope.nports;
    if (qps <= s->qps && ports <= s->ports)
        return true;
    s->qps = qps > s->qps ? qps : s->qps;
    s->ports = ports > s->ports ? ports : s->ports;
    for (int k = 0; k < 3; k++) {
        free(s->mark[k].qp);
        free(s->mark[k].port);
        s->mark[k].qp = malloc(s->qps * sizeof *s->mark[k].qp);
        s->mark[k].port = malloc(s->ports * sizeof *s->mark[k].port);
        if (!s->mark[k].qp || !s->mark[k].port) {
            s->qps = s->ports = 0;
            return false;
        }
    }
    return true;
}

bool replay_steady_find(struct weft_engine *e, struct replay_steady *s)
{
    if (!replay_scope_clear(e, &s->scope))
        return false;
    int64_t rtt_ps = 0;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct qp *q = qp_at(e, i);
        if (q->head_msg == NIL || replay_component_is_ahead(e, i))
            continue;
        if (q->head_msg != q->snd->nxt_msg || q->head_msg != q->rcv_msg ||
            !rates_packets_left(e, q))
            return false;
        replay_scope_add(e, &s->scope, i);
        rtt_ps = q->kind->env.base_rtt_ps > rtt_ps ? q->kind->env.base_rtt_ps : rtt_ps;
    }
    s->rtt_ps = rtt_ps;
    return s->scope.nqps > 0 && !s->scope.failed && rates_make_room(s);
}

static void rates_note_qp(const struct weft_engine *e, uint32_t qi, struct steady_qp *m)
{
    const struct qp *q = qp_at(e, qi);
    const struct sender *snd = q->snd;
    const uint64_t cwnd = snd->out.cwnd_bytes, cap = q->kind->cap_bytes;
    *m = (struct steady_qp){.psn = snd->nxt_psn,
                            .flight = snd->nxt_psn - snd->una_psn,
                            .cnps = msg_at(e, q->head_msg)->cnps,
                            .rate_bps = snd->out.rate_bps,
                            .cwnd_bytes = cwnd < cap ? cwnd : cap,
                            .tx_ps = snd->last_tx_ps};
    for (int k = 0; k < WEFT_DELAY_QUEUE; k++)
        m->held_ps[k] = snd->held_ps[k];
    if (q->kind->cc->observe)
        q->kind->cc->observe(cc_state_of(q), q->kind->ccp, m->seen);
}

void replay_mark(struct weft_engine *e, struct replay_steady *s)
{
    struct steady_mark *m = &s->mark[s->marks++];
    m->t_ps = e->now;
    replay_ports_catch_up(e, &s->scope);
    for (uint32_t i = 0; i < s->scope.nqps; i++)
        rates_note_qp(e, s->scope.qps[i], &m->qp[i]);
    for (uint32_t i = 0; i < s->scope.nports; i++) {
        const struct port *p = &e->ports[s->scope.ports[i]];
        m->port[i] = (struct steady_port){p->st.ecn_marks, p->ecn_rng};
    }
    replay_of(e)->figures.values += s->scope.nqps + s->scope.nports;
}

static void rates_forget(struct replay_steady *s)
{
    const struct steady_mark first = s->mark[0];
    s->mark[0] = s->mark[1];
    s->mark[1] = s->mark[2];
    s->mark[2] = first;
    s->marks--;
}

void replay_marks_forget(struct replay_steady *s, uint32_t n)
{
    for (; n; n--)
        rates_forget(s);
}

/* ---- judging ---- */

double replay_rate(const struct steady_qp *from, const struct steady_qp *to)
{
    if (to->psn < from->psn + FEW_PACKETS || to->tx_ps <= from->tx_ps)
        return 0;
    return (double)(to->psn - from->psn) / (double)(to->tx_ps - from->tx_ps);
}

/* Whether a QP sends as fast as its NIC lets it, as if it had no congestion control. */
static bool rates_free_of_control(const struct weft_engine *e, const struct replay_steady *s,
                                  uint32_t i)
{
    const struct qp *q = qp_at(e, s->scope.qps[i]);
    for (int k = 0; k < 3; k++) {
        const struct steady_qp *m = &s->mark[k].qp[i];
        if (m->rate_bps < q->kind->env.line_rate_bps ||
            (m->flight + 1) * q->kind->env.mtu_bytes > m->cwnd_bytes ||
            fabs((double)m->flight - (double)s->mark[0].qp[i].flight) > FLICKER)
            return false;
    }
    return true;
}

bool replay_control_idle(const struct weft_engine *e, uint32_t qi)
{
    const struct qp *q = qp_at(e, qi);
    return !q->kind->cc->state_size ||
           (weft_cc_replay_of(q->kind->cc)->pace_ps &&
            !weft_cc_replay_of(q->kind->cc)->pace_ps(cc_state_of(q), q->kind->ccp));
}

/* From a packet to its ACK, with what waits in queues. */
static int64_t rates_round_ps(const struct replay_steady *s, uint32_t i)
{
    return (int64_t)((double)s->mark[2].qp[i].flight / s->step[i].rate);
}

/* Whether the windows are long enough to tell that a QP has settled whose rates @p differ in them:
 * where its congestion control decides, or remembers what it might decide by, round trips and what
 * its own timers take. */
static bool rates_long_enough(const struct weft_engine *e, const struct replay_steady *s,
                              uint32_t i, double differ)
{
    const uint32_t qi = s->scope.qps[i];
    const struct qp *q = qp_at(e, qi);
    const int64_t own_ps =
        weft_cc_replay_of(q->kind->cc)->pace_ps
            ? weft_cc_replay_of(q->kind->cc)->pace_ps(cc_state_of(q), q->kind->ccp)
            : 0;
    if (replay_control_idle(e, qi) && differ <= REPLAY_STEADY && rates_free_of_control(e, s, i) &&
        s->mark[2].qp[i].cwnd_bytes == UINT64_MAX)
        return true;
    return s->window_ps >= s->rtt_ps && s->window_ps >= rates_round_ps(s, i) &&
           s->window_ps >= PACES * own_ps;
}

double replay_left_ps(const struct weft_engine *e, const struct replay_steady *s, uint32_t i)
{
    return (double)rates_packets_left(e, qp_at(e, s->scope.qps[i])) / s->step[i].rate;
}

/* Notes another step of something, from @p from to @p to. Whether it has gone the same way so often
 * that it is no up and down, or has not been seen often enough. */
static bool rates_goes_on(struct steady_direction *w, double from, double to)
{
    const int8_t sign = (int8_t)((to > from) - (to < from));
    w->same = sign == w->sign ? (uint8_t)(w->same + (w->same < MONOTONIC)) : 1;
    w->sign = sign;
    w->seen = (uint8_t)(w->seen + (w->seen < MONOTONIC));
    return sign && (w->same >= MONOTONIC || w->seen < MONOTONIC);
}

/* Limit of a congestion control: packets, or else a rate. */
static double rates_allowed(const struct steady_qp *m)
{
    return (double)(m->cwnd_bytes < UINT64_MAX ? m->cwnd_bytes : m->rate_bps);
}

/* Whether the congestion control has decided something between the marks. */
static bool rates_decided(const struct replay_steady *s, uint32_t i)
{
    const struct steady_qp *a = &s->mark[0].qp[i], *c = &s->mark[2].qp[i];
    const struct steady_qp *b = &s->mark[1].qp[i];
    return a->rate_bps != c->rate_bps || a->cwnd_bytes != c->cwnd_bytes ||
           a->rate_bps != b->rate_bps || a->cwnd_bytes != b->cwnd_bytes;
}

/* By how much the rates of a QP in two windows differ. */
static double rates_differs(const struct replay_steady *s, uint32_t i)
{
    const double early = replay_rate(&s->mark[0].qp[i], &s->mark[1].qp[i]);
    const double late = replay_rate(&s->mark[1].qp[i], &s->mark[2].qp[i]);
    return fabs(early - late) / (early > late ? early : late);
}

/* Whether what a congestion control knows beside its window is on its way elsewhere, as the memory
 * of congestion is that fades: what it decides when flows meet hangs on that. */
static bool rates_remembers(const struct weft_engine *e, struct replay_steady *s, uint32_t i,
                            double windows)
{
    const struct weft_cc_observable *o = qp_at(e, s->scope.qps[i])->kind->cc->observables;
    const double *a = s->mark[0].qp[i].seen, *c = s->mark[2].qp[i].seen;
    bool any = false;
    for (uint32_t k = 0; o && o[k].name; k++) {
        double *top = &s->step[i].top[k];
        *top = fmax(*top, fmax(fabs(a[k]), fabs(c[k])));
        any |= rates_goes_on(&s->step[i].seen[k], a[k], c[k]) &&
               fabs(c[k] - a[k]) * windows / 2 > FAR * *top;
    }
    return any;
}

/* By how much the rate of a QP may be off when its message ends, @p windows later; more than
 * anybody tolerates: it is not to be told. */
static double rates_drift(const struct weft_engine *e, struct replay_steady *s, uint32_t i,
                          double windows)
{
    const struct steady_qp *a = &s->mark[0].qp[i], *b = &s->mark[1].qp[i], *c = &s->mark[2].qp[i];
    const double early = replay_rate(a, b), late = replay_rate(b, c), differ = rates_differs(s, i);
    const bool drifts = rates_goes_on(&s->step[i].rates, early, late);
    const bool moves = rates_goes_on(&s->step[i].windows, rates_allowed(a), rates_allowed(c));
    const double far = fabs(rates_allowed(c) - rates_allowed(a)) / rates_allowed(c) * windows / 2;
    const bool fades = rates_remembers(e, s, i, windows);
    if (fades && !weft_cc_replay_of(qp_at(e, s->scope.qps[i])->kind->cc)->on_like_acks)
        return 1;
    if (!rates_long_enough(e, s, i, differ) ||
        (!rates_free_of_control(e, s, i) && moves && far > FAR))
        return 1;
    return drifts ? differ * windows / 2 : differ;
}

/* Whether as many packets are in flight at all marks; one more or less is a matter of moments,
 * unless a window lets them become more: where it is not full, the last mark has to have as many as
 * the first. */
static bool rates_as_many(const struct replay_steady *s, uint32_t i, uint32_t mtu)
{
    const struct steady_qp *a = &s->mark[0].qp[i], *b = &s->mark[1].qp[i], *c = &s->mark[2].qp[i];
    const uint64_t ab = a->flight > b->flight ? a->flight - b->flight : b->flight - a->flight;
    const uint64_t ac = a->flight > c->flight ? a->flight - c->flight : c->flight - a->flight;
    const uint64_t bc = b->flight > c->flight ? b->flight - c->flight : c->flight - b->flight;
    const bool full = c->cwnd_bytes == UINT64_MAX || (c->flight + 1) * mtu >= c->cwnd_bytes;
    return ab <= 1 && bc <= 1 && ac <= (full ? 1u : 0u);
}

/* Whether nothing of a QP has changed that would not come back with each round. */
static bool rates_steady(const struct weft_engine *e, const struct replay_steady *s, uint32_t i)
{
    const struct weft_cc_ops *cc = qp_at(e, s->scope.qps[i])->kind->cc;
    const struct steady_step *step = &s->step[i];
    const double *a = s->mark[0].qp[i].seen, *c = s->mark[2].qp[i].seen;
    bool is = rates_as_many(s, i, qp_at(e, s->scope.qps[i])->kind->env.mtu_bytes) &&
              !rates_decided(s, i) &&
              (replay_control_idle(e, s->scope.qps[i]) ||
               (weft_cc_replay_of(cc)->by_rounds && e->now - s->since_ps >= FADED * s->rtt_ps));
    for (uint32_t k = 0; cc->observables && cc->observables[k].name; k++) {
        const struct steady_direction *w = &step->seen[k];
        is &= w->same < MONOTONIC || !w->sign || fabs(c[k] - a[k]) < STILL * step->top[k];
    }
    return is;
}

/* How long the windows would have to be for each QP to send enough packets; 0: they do. */
static int64_t rates_need_ps(const struct replay_steady *s)
{
    const double all_ps = (double)(s->mark[2].t_ps - s->mark[0].t_ps);
    double need = 0;
    for (uint32_t i = 0; i < s->scope.nqps; i++) {
        const struct steady_qp *a = &s->mark[0].qp[i], *b = &s->mark[1].qp[i],
                               *c = &s->mark[2].qp[i];
        if (replay_rate(a, b) > 0 && replay_rate(b, c) > 0)
            continue;
        const double sent = (double)(c->psn - a->psn), ps = (FEW_PACKETS + 1) * all_ps / (sent + 1);
        need = ps > need ? ps : need;
    }
    return (int64_t)need;
}

bool replay_steady_agree(const struct weft_engine *e, struct replay_steady *s)
{
    const double span_ps = (double)(s->mark[2].t_ps - s->mark[0].t_ps) / 2;
    double sum = 0, scatter = 0;
    bool all = true;
    s->need_ps = rates_need_ps(s);
    if (s->need_ps)
        return false;
    s->suspended = true;
    for (uint32_t i = 0; i < s->scope.nqps; i++) {
        const struct steady_qp *a = &s->mark[0].qp[i], *b = &s->mark[1].qp[i],
                               *c = &s->mark[2].qp[i];
        s->step[i].rate = replay_rate(a, c);
        s->step[i].carry = 0;
        const double grown = fabs((double)c->flight - (double)b->flight);
        const double off = rates_drift(e, s, i, replay_left_ps(e, s, i) / span_ps);
        s->suspended &= rates_steady(e, s, i);
        all &= off <= EACH * s->tolerance &&
               grown <= 2 + EACH * s->tolerance * (double)(c->psn - b->psn);
        sum += off;
        scatter += rates_decided(s, i) ? rates_differs(s, i) : 0;
    }
    for (uint32_t i = 0; i < s->scope.nports; i++) {
        const struct steady_port *from = &s->mark[0].port[i], *to = &s->mark[2].port[i];
        s->suspended &= from->draws.state == to->draws.state;
        all &= from->draws.state == to->draws.state || from->marks != to->marks;
    }
    s->scatter[s->first_ps[1] > 0] += scatter / s->scope.nqps * sqrt(span_ps);
    s->scatters[s->first_ps[1] > 0]++;
    s->off = sum / s->scope.nqps;
    return all && s->off <= s->tolerance;
}
