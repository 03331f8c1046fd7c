/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Periods of messages: the search for them.
 *
 * One QP is the reference; each time that it has received a message, and half as long again as its
 * first took, a sum of the state is compared with the one that was noted last. In the midst of the
 * next messages, as when one has been received the user posts others, or in the end does not: a
 * period that begins there is simulated again for its first half only. When it is noted anew is
 * Brent's algorithm for cycles (BIT 20, 1980): after 1, 2, 4, 8 ... looks, so that a period of any
 * length is found. Where the sum is the same the state itself is written down, and compared where
 * it is the same again. Those take part that had messages since the sum was noted.
 */
#include "core/context.h"
#include "core/executor.h"
#include "replay.h"
#include "replay_internal.h"
#include "replay_queues.h"
#include "core/grow.h"
#include "replay_state.h"

#include "base/units.h"

#include <stdlib.h>

#define WAIT_PACKETS                                                                               \
    256u /**< looks wait where messages have fewer: in longer ones periods of packets are found */
#define OTHERS                                                                                     \
    8u /**< messages, beside as many as are underway, that others receive until one of them is the \
          reference QP */
#define AT_ONCE                                                                                    \
    2u /**< states are written down, and not paid for before, so often: at the first noting of a   \
          sum that waits, */
#define EVENTS_PER_FIRST 1u   /**< if there were so many events for each value, */
#define EVENTS_PER_WRITTEN 2u /**< at others if there were so many since, */
#define VALUES_PER_EVENT 4u   /**< where the sum is the same if there are at most so many values */

/* Something was posted on a QP: it takes part from the next writing down on. */
static void message_periods_stamp(struct replay_messages *r, uint32_t qi)
{
    if (qi >= r->stamps) {
        if (!grow_zeroed((void **)&r->stamp, sizeof *r->stamp, r->stamps, 2 * (qi + 1))) {
            r->strange = true;
            return;
        }
        r->stamps = 2 * (qi + 1);
    }
    r->stamp[qi] = r->writings + 1;
    if (r->written &&
        !replay_scope_has(&r->scope, qi)) /* what is written down knows nothing of it */
        r->written = false;
}

static void message_periods_write_host_event(struct weft_engine *e, enum replay_what what,
                                             uint32_t qi, const struct weft_completion *d)
{
    struct replay_messages *r = &replay_of(e)->messages;
    if (r->nevents >= r->most_events || !GROW(r->events, r->nevents, &r->events_cap)) {
        r->strange = true;
        return;
    }
    r->events[r->nevents++] = (struct replay_host_event){.d = *d,
                                                         .t_ps = e->now,
                                                         .qp = qi,
                                                         .call = e->loop.calls,
                                                         .what = (uint8_t)what,
                                                         .in_timer = e->loop.in_timer};
}

/* When to look after the reference QP has received messages, the first of which is this one. */
static int64_t message_periods_wait_ps(const struct weft_engine *e, const struct weft_completion *d)
{
    return d->packets < WAIT_PACKETS ? (e->now - d->post_ps) / 2 : 0;
}

/* Whether a QP is to be the reference QP from now on. */
static bool message_periods_references(struct weft_engine *e, struct replay_messages *r,
                                       uint32_t qi, const struct weft_completion *d)
{
    if (qi == r->reference) {
        r->since = 0;
        return true;
    }
    if (r->reference != NIL && ++r->since < OTHERS + (uint64_t)e->msgs.live)
        return false;
    r->reference = qi;
    r->since = 0;
    r->wait_ps = message_periods_wait_ps(e, d);
    r->posted = e->tot.msgs_posted;
    replay_messages_forget(e);
    return true;
}

/* When to look after the reference QP has received a message: at once, or in the midst of the next
 * ones; where hosts have been run beyond the clock, once none can be further, which is as long
 * after each. */
static int64_t message_periods_look_ps(const struct weft_engine *e)
{
    const int64_t wait_ps = replay_of(e)->messages.wait_ps;
    const int64_t span_ps = agendas_span_ps(e);
    const int64_t then_ps = e->now + (wait_ps > span_ps ? wait_ps : span_ps);
    const int64_t pending_ps = replay_of(e)->messages.next_ps;
    if (wait_ps == 0 && agendas_done_ps(e) <= e->now + 1)
        return e->now + 1;
    return pending_ps < then_ps ? pending_ps : then_ps;
}

/* The same where it may be of a period. */
static void message_periods_note(struct weft_engine *e, enum replay_what what, uint32_t qi,
                                 const struct weft_completion *d)
{
    struct replay_messages *r = &replay_of(e)->messages;
    if (what == REPLAY_POSTED) {
        message_periods_stamp(r, qi);
        r->strange |= !e->loop.in_call;
    }
    if (r->written && !r->strange)
        message_periods_write_host_event(e, what, qi, d);
    if (what != REPLAY_RECEIVED || !message_periods_references(e, r, qi, d))
        return;
    if (r->next_ps != WEFT_NEVER) /* its messages follow each other too closely to wait */
        r->wait_ps = 0;
    if (replay_messages_pay(e))
        replay_look_at(e, &r->next_ps, message_periods_look_ps(e));
}

void replay_messages_note(struct weft_engine *e, enum replay_what what, uint32_t qi,
                          const struct weft_completion *d)
{
    /* with a tolerance nothing is played: who looks, and when, would decide what is skipped */
    if (!e->hooks.concurrency.local || replay_of(e)->memo.tolerance > 0)
        return;
    if (replay_of(e)->play.compares) {
        replay_play_follow(e, what, qi, d);
        return;
    }
    message_periods_note(e, what, qi, d);
    replay_publish(e);
}

static bool message_periods_find_part(struct weft_engine *e, struct replay_messages *r)
{
    if (!replay_scope_clear(e, &r->scope))
        return false;
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        if (qp_at(e, i)->head_msg != NIL || (i < r->stamps && r->stamp[i] > r->writings))
            replay_scope_add(e, &r->scope, i);
    return !r->scope.failed;
}

/* The state is written down as well: its sum is what it was, or so much has been taken over that it
 * costs little. */
static void message_periods_write_down(struct weft_engine *e, struct replay_messages *r)
{
    r->lam = 0;
    r->nevents = 0;
    r->strange = false;
    r->written = message_periods_find_part(e, r) && replay_write(e, &r->scope, &r->snapshot);
    r->writings++;
}

/* Whether the state is written down as soon as its sum is noted: where much has been taken over
 * already, and once or twice before, where to simulate once more what went on since the sum was
 * noted last would cost several times as much. Not at the first noting just after a message was
 * received: what nothing came before hardly comes again. */
static bool message_periods_writes_at_once(const struct weft_engine *e)
{
    const struct replay_messages *r = &replay_of(e)->messages;
    if (replay_of(e)->figures.hops)
        return replay_affordable(e);
    if (r->noted)
        return r->written_at_once == 0 &&
               replay_state_size(e) <= (e->tot.events - r->noted_events) / EVENTS_PER_WRITTEN;
    return r->wait_ps && r->written_at_once < AT_ONCE &&
           replay_state_size(e) <= e->tot.events / EVENTS_PER_FIRST;
}

/* Whether the state is written down, as its sum was the same. */
static bool message_periods_writes_same(struct weft_engine *e, struct replay_messages *r)
{
    if (replay_affordable(e))
        return true;
    if (r->written_at_once == AT_ONCE || replay_state_size(e) > e->tot.events * VALUES_PER_EVENT)
        return false;
    r->written_at_once++;
    return true;
}

/* The sum of the state, as it is now, is kept for as many looks again. */
static void message_periods_note_sum(struct weft_engine *e, struct replay_messages *r,
                                     uint64_t glance, uint64_t sum)
{
    const bool at_once = message_periods_writes_at_once(e);
    r->power *= r->noted ? 2 : 1;
    r->lam = 0;
    r->nevents = 0;
    r->glance = glance;
    r->sum = sum;
    r->noted = true;
    r->noted_events = e->tot.events;
    r->written = r->strange = false;
    snapshot_clear(&r->snapshot);
    r->written_at_once += at_once;
    if (at_once)
        message_periods_write_down(e, r);
    else
        r->writings++;
}

static bool message_periods_same(struct weft_engine *e, struct replay_messages *r)
{
    if (r->strange) {
        replay_say(e, WEFT_REPLAY_MESSAGES, "messages were posted otherwise than before");
        return false;
    }
    return replay_same(e, &r->scope, &r->snapshot) && replay_first_else(e, &r->scope) == WEFT_NEVER;
}

/* State of QPs with messages at a glance: where it is not as it was, nor is the sum. */
static uint64_t message_periods_look_over(struct weft_engine *e, struct replay_messages *r)
{
    uint64_t glance = 0, qps = 0;
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct qp *q = qp_at(e, i);
        if (q->head_msg == NIL)
            continue;
        const int64_t since_ps = q->snd->last_tx_ps ? e->now - q->snd->last_tx_ps : 0;
        const uint64_t seen = (q->snd->nxt_psn - q->snd->una_psn) * 3 +
                              (q->exp_psn - q->snd->una_psn) * 5 + (uint64_t)since_ps * 7 +
                              q->snd->out.cwnd_bytes * 11 + i;
        glance = (glance + seen) * UINT64_C(0x9e3779b97f4a7c15);
        qps++;
    }
    r->read += qps * REPLAY_GLANCE;
    replay_of(e)->figures.values += qps * REPLAY_GLANCE + e->qps.pool.n / 4;
    return glance;
}

void replay_messages_look(struct weft_engine *e)
{
    struct replay_messages *r = &replay_of(e)->messages;
    replay_look_at(e, &r->next_ps, WEFT_NEVER);
    if (replay_of(e)->play.compares) {
        replay_play_resume(e);
        return;
    }
    if (r->posted == e->tot.msgs_posted) {
        replay_say(e, WEFT_REPLAY_MESSAGES, "no messages were posted meanwhile");
        return;
    }
    r->posted = e->tot.msgs_posted;
    uint64_t sum = 0, glance = 0;
    const char *why = replay_reason_against(e, REPLAY_EXACT);
    r->snapshot.of_messages = true;
    bool other = false;
    if (!why) {
        glance = message_periods_look_over(e, r);
        other = r->noted && glance != r->glance && r->lam + 1 < r->power;
        if (!other && !replay_sum(e, &r->scope, &r->snapshot, &sum))
            why = r->snapshot.other;
        r->read += other ? 0 : r->snapshot.at;
    }
    if (why) {
        replay_say(e, WEFT_REPLAY_MESSAGES, why);
        replay_messages_forget(e);
        snapshot_clear(&r->snapshot);
        return;
    }
    r->lam++;
    const bool again = r->noted && !other && sum == r->sum;
    if (replay_of(e)->packets.symmetry.followers ||
        (replay_components_ahead_ps(e) > e->now && replay_components_ahead_ps(e) != WEFT_NEVER)) {
        replay_say(e, WEFT_REPLAY_MESSAGES, "a component is in the midst of long messages");
        r->wait_ps = 0;
    } else if (again && r->written && message_periods_same(e, r))
        replay_play_begin(e, e->now - r->snapshot.written_ps);
    else if (again && !r->written && message_periods_writes_same(e, r))
        message_periods_write_down(e, r);
    else if (!r->noted || r->lam >= r->power)
        message_periods_note_sum(e, r, glance, sum);
    else if (!again)
        replay_say(e, WEFT_REPLAY_MESSAGES, "state of QPs that moved otherwise");
    replay_publish(e);
}
