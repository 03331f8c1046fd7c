/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traffic in steady state: when to look for it, and for how long it is moved on.
 *
 * Where the user allows an error, each QP with messages is looked at three times, some round trips
 * apart: what it has sent by then, and when it sent last, give its rate in the first and in the
 * second window. Traffic has settled when both agree within the tolerance, on the average of all
 * QPs and for each within some times that, and when what is in flight stays as it was, so that no
 * queue fills or empties. Then all moves on at these rates (replay_steady_skip.c) until the first
 * message nears its end, or something else is due; the more the windows differ, the less far. If
 * traffic hasn't settled, the windows get longer.
 *
 * At intervals what would have been skipped is simulated, and the rates that QPs then have are
 * compared with those that were assumed: from these controls follows the estimate of the error, and
 * what they find beyond the tolerance is not skipped.
 */
#include "core/context.h"
#include "core/loop.h"
#include "replay.h"
#include "replay_internal.h"
#include "replay_queues.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

#define WINDOWS_PER_RTT 4 /**< of traffic in which nothing moves */
#define LEAST_WINDOWS 2   /**< worth to be skipped */
#define CONTROL_WINDOWS 4 /**< that a control takes at most */
#define CONTROL_SHARE 8   /**< controls take this part of the time that was skipped */
#define STEADY_SHARE 64   /**< the same where windows didn't differ */
#define SHARING 50.0      /**< roots of ps: what a random walk of completion times may come to */
#define WORTH 1.5         /**< share of messages to skip for an error of one tolerance, at least */

static void steady_look_in(struct weft_engine *e, int64_t ps)
{
    replay_look_at(e, &replay_of(e)->steady.next_ps,
                   ps == WEFT_NEVER ? WEFT_NEVER : e->now + (ps > 1 ? ps : 1));
}

/* ---- the user's doings ---- */

static void steady_start_over(struct weft_engine *e, struct replay_steady *s)
{
    s->marks = 0;
    s->control = s->ready = false;
    s->since_ps = e->now;
    s->again_ps = s->rtt_ps / WINDOWS_PER_RTT + 1;
    steady_look_in(e, s->rtt_ps);
}

void replay_steady_posted(struct weft_engine *e, uint32_t qi)
{
    struct replay_steady *s = &replay_of(e)->steady;
    const int64_t rtt_ps = qp_at(e, qi)->kind->env.base_rtt_ps;
    if (s->tolerance <= 0)
        return;
    /* threads that post in the same instant say so in no particular order */
    if (rtt_ps > s->rtt_ps || s->posted_ps < e->now)
        s->rtt_ps = rtt_ps;
    s->posted_ps = e->now;
    steady_start_over(e, s);
}

void replay_steady_disturb(struct weft_engine *e)
{
    struct replay_steady *s = &replay_of(e)->steady;
    if (s->tolerance > 0 && s->rtt_ps)
        steady_start_over(e, s);
}

void replay_steady_free(struct replay_steady *s)
{
    replay_scope_free(&s->scope);
    snapshot_free(&s->snapshot);
    for (int k = 0; k < 3; k++) {
        free(s->mark[k].qp);
        free(s->mark[k].port);
    }
    free(s->step);
    free(s->load_ps);
    free(s->slowest);
}

/* Until the first message nears its end, at the rates found. */
static int64_t steady_until_end_ps(const struct weft_engine *e, const struct replay_steady *s)
{
    double least = 1e18;
    for (uint32_t i = 0; i < s->scope.nqps; i++) {
        const double left = replay_left_ps(e, s, i);
        least = left < least ? left : least;
    }
    return (int64_t)least;
}

/* The same until the user, or anything else, may do something. */
static int64_t steady_until_else_ps(struct weft_engine *e, const struct replay_steady *s)
{
    int64_t until_ps = e->loop.quiet_ps > e->loop.stop_ps ? e->loop.quiet_ps : e->loop.stop_ps;
    const int64_t else_ps = replay_first_else(e, &s->scope, true);
    const int64_t ahead_ps = replay_components_ahead_ps(e);
    until_ps = else_ps < until_ps ? else_ps : until_ps;
    until_ps = ahead_ps < until_ps ? ahead_ps : until_ps;
    return (until_ps < LAST_PS ? until_ps : LAST_PS) - e->now;
}

/* ---- controls ---- */

static bool steady_control_due(const struct replay_steady *s, int64_t ps, double off)
{
    const int64_t share = off > REPLAY_STEADY ? CONTROL_SHARE : STEADY_SHARE;
    return s->skipped_ps > 0 && s->control_ps + ps <= s->skipped_ps / share;
}

/* A control is over: whether what it would have skipped was within the tolerance. */
static bool steady_control_holds(struct weft_engine *e, struct replay_steady *s)
{
    double sum = 0;
    replay_marks_forget(s, 1);
    replay_mark(e, s);
    for (uint32_t i = 0; i < s->scope.nqps; i++) {
        const double found = replay_rate(&s->mark[1].qp[i], &s->mark[2].qp[i]);
        sum += fabs(found - s->step[i].rate) / s->step[i].rate;
    }
    s->control = false;
    s->control_ps += s->mark[2].t_ps - s->mark[1].t_ps;
    s->errors += sum;
    s->errors_n += s->scope.nqps;
    replay_of(e)->figures.controls++;
    return sum <= s->tolerance * s->scope.nqps;
}

/* ---- looks ---- */

static void steady_not_yet(struct weft_engine *e, struct replay_steady *s, const char *why)
{
    replay_of(e)->figures.unsettled++;
    replay_say(e, WEFT_REPLAY_SETTLED, why);
    replay_marks_forget(s, s->need_ps ? 2 : 1); /* longer windows begin with the last mark */
    s->window_ps = s->need_ps > s->window_ps ? s->need_ps : s->window_ps + s->window_ps / 2;
    s->need_ps = 0;
    steady_look_in(e, s->window_ps);
}

/* Whether what would be skipped is worth that flows go another way from then on, which even the
 * shortest skip means where congestion controls decide: the shorter messages are, the more they are
 * off by it (replay_steady_error.c). They go another way anyway once something was skipped of
 * theirs. */
static bool steady_worthwhile(struct weft_engine *e, const struct replay_steady *s, int64_t ps)
{
    const int64_t until_ps = replay_first_else(e, &s->scope, true) - e->now;
    double all_ps = 0;
    bool decide = false;
    for (uint32_t i = 0; i < s->scope.nqps; i++) {
        const struct qp *q = qp_at(e, s->scope.qps[i]);
        const int64_t post_ps = msg_at(e, q->head_msg)->post_ps;
        if (post_ps < s->last_ps)
            return true;
        decide |= q->kind->cc->state_size > 0;
        all_ps += (double)(e->now - post_ps) + replay_left_ps(e, s, i);
    }
    ps = until_ps < ps ? until_ps : ps;
    const double share = (double)ps * s->scope.nqps / all_ps;
    return !decide || share * s->tolerance >= WORTH * SHARING / sqrt(all_ps / s->scope.nqps);
}

/* Traffic has settled: skips it, or has it simulated to see what that would have been. */
static void steady_skip(struct weft_engine *e, struct replay_steady *s, double off)
{
    const int64_t span_ps = s->mark[2].t_ps - s->mark[1].t_ps;
    int64_t ps = steady_until_end_ps(e, s);
    if (ps < LEAST_WINDOWS * span_ps) { /* it is over soon */
        steady_look_in(e, WEFT_NEVER);
        return;
    }
    const int64_t else_ps = steady_until_else_ps(e, s) - 1;
    const bool other = else_ps < ps;
    bool same;
    const int64_t ahead_ps = replay_skip_ps(e, s, other ? else_ps : ps, &same);
    if (!same && !steady_worthwhile(e, s, ps)) {
        steady_not_yet(e, s, "too little to skip for flows to take another path");
        return;
    }
    const int64_t control_ps = ps < CONTROL_WINDOWS * span_ps ? ps : CONTROL_WINDOWS * span_ps;
    if (steady_control_due(s, control_ps, off)) {
        s->control = true;
        replay_marks_forget(s, 1); /* where something was skipped, the last mark is from before */
        replay_mark(e, s);
        steady_look_in(e, control_ps);
        return;
    }
    ps = ahead_ps;
    if (ps < span_ps) {
        s->ready = other;
        steady_look_in(e, other ? else_ps + 2 : s->window_ps);
        return;
    }
    replay_components_drop(e);
    if (!replay_skip(e, s, ps)) {
        steady_not_yet(e, s, "queues fill");
        return;
    }
    for (int differs = 0; !same && differs < 1 + (off > REPLAY_STEADY); differs++)
        if (!s->first_ps[differs])
            s->first_ps[differs] = e->now - ps;
    s->last_ps = same ? s->last_ps : e->now;
    s->skipped_ps += ps;
    s->differed += off * (double)ps;
    if (replay_of(e)->packets.find_ps < WEFT_NEVER)
        replay_packets_find_at(e, e->now + s->rtt_ps);
    s->ready = other;
    s->marks = other ? s->marks : 0;
    steady_look_in(e, other ? else_ps - ps + 3 : s->window_ps);
}

static bool steady_begin(struct weft_engine *e, struct replay_steady *s)
{
    replay_of(e)->figures.values += e->qps.pool.n;
    s->window_ps = 0;
    if (!replay_steady_find(e, s)) {
        if (e->msgs.live)
            replay_say(e, WEFT_REPLAY_SETTLED, "messages that begin or end");
        s->again_ps *= 2; /* a message ends, or others follow one another */
        steady_look_in(e, e->msgs.live ? s->again_ps : WEFT_NEVER);
        return false;
    }
    if (e->now < s->since_ps + s->rtt_ps) {
        steady_look_in(e, s->since_ps + s->rtt_ps - e->now);
        return false;
    }
    s->window_ps = s->rtt_ps / WINDOWS_PER_RTT;
    for (uint32_t i = 0; i < s->steps; i++)
        s->step[i] = (struct steady_step){.rate = s->step[i].rate, .carry = s->step[i].carry};
    return true;
}

void replay_steady_look(struct weft_engine *e)
{
    struct replay_steady *s = &replay_of(e)->steady;
    const char *why = replay_reason_against(e, REPLAY_IN_STEADY);
    if (why) {
        replay_say(e, WEFT_REPLAY_SETTLED, why);
        steady_look_in(e, WEFT_NEVER);
        return;
    }
    if (s->changes != replay_of(e)->packets.changes) { /* others take part than before */
        s->changes = replay_of(e)->packets.changes;
        s->marks = 0;
        s->control = s->ready = false;
    }
    if (s->control && !steady_control_holds(e, s)) {
        steady_not_yet(e, s, "controls found more than the tolerance");
        return;
    }
    if (s->ready) {
        s->ready = false;
        if (replay_skip_ready(e, s)) {
            steady_skip(e, s, s->off);
            return;
        }
        s->marks = 0;
    }
    if (!s->marks && !steady_begin(e, s))
        return;
    if (s->marks < 3)
        replay_mark(e, s);
    if (s->marks < 3) { /* windows of equal length could agree though packets come irregularly */
        steady_look_in(e, s->window_ps + (s->marks > 1 ? s->window_ps / 3 : 0));
        return;
    }
    if (!replay_skip_room(e, s) || !replay_steady_agree(e, s))
        steady_not_yet(e, s, "rates, windows or queues don't settle within the tolerance");
    else if (!replay_skip_ready(e, s))
        steady_not_yet(e, s,
                       s->snapshot.other ? s->snapshot.other
                                         : "packets that are of no QP with messages");
    else
        steady_skip(e, s, s->off);
}
