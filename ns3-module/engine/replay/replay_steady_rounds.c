/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of traffic in steady state is skipped, so that what goes on afterwards is as it would
 * have been.
 *
 * All is moved on by one time, and each QP by whole packets. What one is short of by that it gets
 * later, a few nanoseconds, and where congestion controls decide by single packets, or packets of
 * different flows meet in another order, all goes another way from then on. Therefore a time is
 * looked for after which every QP has sent whole packets, at its rate; and whole rounds, where its
 * window makes it send in bursts or its control does something once in a round. Where there is one,
 * and nothing else has changed from mark to mark, what was skipped leaves no trace.
 */
#include "core/context.h"
#include "replay_internal.h"

#include <math.h>

#define TRIES 4096u    /**< times that are looked at: */
#define UNLIKE 16u     /**< by how many different rates, */
#define SAME_RATE 1e-9 /**< which differ by more than that, */
#define ALIKE 0.5      /**< until all QPs are as near as that to whole packets, ps */

/* Packets of a QP's rounds, from one to the first that follows the ACK of it, after which what it
 * does repeats itself: where its window holds it, as many as that lets out. 1: neither that nor a
 * control makes rounds. */
static uint64_t rounds_round_packets(const struct weft_engine *e, const struct replay_steady *s,
                                     uint32_t i)
{
    const struct steady_qp *m = &s->mark[2].qp[i];
    const struct qp *q = qp_at(e, s->scope.qps[i]);
    const uint32_t mtu = q->kind->env.mtu_bytes;
    const uint64_t most = m->cwnd_bytes < UINT64_MAX - mtu ? (m->cwnd_bytes + mtu - 1) / mtu : 0;
    if (m->flight + replay_per_ack(q) >= most && m->flight <= most)
        return most;
    return replay_control_idle(e, s->scope.qps[i]) ? 1 : m->flight + 1;
}

/* The same, in which its receiver also comes to whole ACKs. */
static double rounds_whole_packets(const struct weft_engine *e, const struct replay_steady *s,
                                   uint32_t i)
{
    const uint64_t round = rounds_round_packets(e, s, i);
    const uint64_t each = replay_per_ack(qp_at(e, s->scope.qps[i]));
    uint64_t common = round;
    for (uint64_t rest = each; rest;) {
        const uint64_t less = common % rest;
        common = rest;
        rest = less;
    }
    return (double)(round / common * each);
}

/* Rates at which QPs send, and the packets of their rounds. */
struct rates {
    uint32_t n;
    double rate[UNLIKE], round[UNLIKE];
    bool more; /* than there is room for */
};

static void rounds_find_rates(const struct weft_engine *e, const struct replay_steady *s,
                              struct rates *r)
{
    r->n = 0;
    r->more = false;
    for (uint32_t i = 0; i < s->scope.nqps && !r->more; i++) {
        const double rate = s->step[i].rate, round = rounds_whole_packets(e, s, i);
        bool known = false;
        for (uint32_t k = 0; k < r->n; k++)
            known |= fabs(rate - r->rate[k]) < SAME_RATE * rate && r->round[k] == round;
        r->more = !known && r->n == UNLIKE;
        if (known || r->more)
            continue;
        r->rate[r->n] = rate;
        r->round[r->n++] = round;
    }
}

/* By how many ps some QP is beside whole rounds, or else packets, after @p ps. */
static double rounds_beside(const struct rates *r, bool rounds, double ps)
{
    double most = 0;
    for (uint32_t k = 0; k < r->n; k++) {
        const double each = rounds ? r->round[k] : 1, n = r->rate[k] * ps / each;
        most = fmax(most, fabs(n - floor(n + 0.5)) * each / r->rate[k]);
    }
    return most;
}

/* Of the multiples of @p each_ps up to @p ps, and more than half of that, the one after which all
 * QPs are nearest to whole rounds, or packets. @p least: how near, in ps. */
static double rounds_nearest_ps(const struct rates *r, bool rounds, double each_ps, double ps,
                                double *least)
{
    const double most = floor(ps / each_ps);
    double best_ps = most * each_ps;
    *least = 1e18;
    for (uint32_t k = 0; k < TRIES && k <= most / 2 && *least > ALIKE; k++) {
        const double t = (most - k) * each_ps, off = rounds_beside(r, rounds, t);
        if (off < *least) {
            *least = off;
            best_ps = t;
        }
    }
    return best_ps;
}

/* ---- regular traffic ---- */

/* Something sends at @p rate by @p port of a host. */
static void rounds_note_slowest(const struct replay_steady *s, uint32_t port, double rate)
{
    double *slowest = &s->slowest[port];
    *slowest = *slowest > 0 && *slowest < rate ? *slowest : rate;
}

/* Whether a rate is as often again the least at its port. */
static bool rounds_fits(const struct replay_steady *s, uint32_t port, double rate)
{
    const double times = rate / s->slowest[port];
    return fabs(times - floor(times + 0.5)) < SAME_RATE * times;
}

static double rounds_ack_rate(const struct qp *q, double rate)
{
    return rate / replay_per_ack(q);
}

/* Whether all QPs send packet after packet at the same distance, so that what was measured is what
 * they send at. With other packets of their host between some of them, its ACKs or what other QPs
 * send, it is not. */
static bool rounds_all_regular(const struct weft_engine *e, const struct replay_steady *s)
{
    bool is = true;
    for (uint32_t i = 0; i < s->scope.nqps; i++) {
        const struct qp *q = qp_at(e, s->scope.qps[i]);
        s->slowest[q->port] = s->slowest[q->ack_port] = 0;
    }
    for (uint32_t i = 0; i < s->scope.nqps; i++) {
        const struct qp *q = qp_at(e, s->scope.qps[i]);
        rounds_note_slowest(s, q->port, s->step[i].rate);
        rounds_note_slowest(s, q->ack_port, rounds_ack_rate(q, s->step[i].rate));
    }
    for (uint32_t i = 0; i < s->scope.nqps && is; i++) {
        const struct qp *q = qp_at(e, s->scope.qps[i]);
        const double rate = s->step[i].rate;
        is = rate <= s->slowest[q->port] * (1 + SAME_RATE) &&
             rounds_fits(s, q->ack_port, rounds_ack_rate(q, rate));
    }
    return is;
}

int64_t replay_skip_ps(const struct weft_engine *e, const struct replay_steady *s, int64_t ps,
                       bool *same)
{
    const double gap_ps = 1 / s->step[0].rate;
    struct rates r;
    rounds_find_rates(e, s, &r);
    const double round_ps = gap_ps * r.round[0];
    double least, best_ps;
    *same = false;
    if ((double)ps < gap_ps)
        return ps;
    if ((double)ps < round_ps)
        return (int64_t)(rounds_nearest_ps(&r, false, gap_ps, (double)ps, &least) + 0.5);
    best_ps = rounds_nearest_ps(&r, true, round_ps, (double)ps, &least);
    *same = s->suspended && s->off <= SAME_RATE && least <= ALIKE && !r.more &&
            rounds_all_regular(e, s);
    if (least > ALIKE)
        best_ps = rounds_nearest_ps(&r, false, round_ps, (double)ps, &least);
    return (int64_t)(best_ps + 0.5);
}
