/* SPDX-License-Identifier: GPL-2.0-only */
/* When replay looks at the state, whether that is worth it, and the look itself. */
#include "core/context.h"
#include "core/loop.h"
#include "core/executor.h"
#include "replay_internal.h"
#include "replay_queues.h"

#include <string.h>

/* Looking is to cost little: most values that are read */
#define EVENTS_PER_VALUE 16u /**< one for so many events, */
#define EVENTS_PER_FREE 8u   /**< and at first one for so many, */
#define VALUES_FREE 64000u   /**< until there are so many; */
#define EVENTS_PER_STATE 4u  /**< the same of a state, after its sum was the same twice: both */
#define STATE_FREE 200000u
#define EVENTS_PER_SUM 32u   /**< of periods of messages: one for so many events, */
#define EVENTS_PER_EARLY 8u  /**< and at first one for so many, up to VALUES_FREE, */
#define VALUES_AT_ONCE 4000u /**< and so many */
#define PACKET_EVENTS 4u     /**< a packet that was posted is to come to so many at least */
#define VALUES_PER_QP 100u   /**< of a sum */
#define VALUES_PER_PACKET 12u
#define BACK_OFF_PS (64 * WEFT_PS_PER_US) /**< when that is not enough, the first time */
#define LONGEST_BACK_OFF_PS WEFT_PS_PER_S

void replay_look_at(struct weft_engine *e, int64_t *next_ps, int64_t t_ps)
{
    struct replay *r = replay_of(e);
    const int64_t done_ps = agendas_done_ps(e);
    *next_ps = t_ps > done_ps ? t_ps : done_ps; /* hosts have been run beyond the clock */
    int64_t look_ps =
        r->packets.next_ps < r->messages.next_ps ? r->packets.next_ps : r->messages.next_ps;
    r->base.look_ps = r->base.first_ps < look_ps ? r->base.first_ps : look_ps;
    loop_limit(e);
}

void replay_packets_next(struct weft_engine *e)
{
    struct replay_packets *r = &replay_of(e)->packets;
    int64_t next_ps = r->find_ps < r->symmetry.next_ps ? r->find_ps : r->symmetry.next_ps;
    for (uint32_t i = 0; i < r->top; i++) {
        const struct replay_component *k = &r->component[i];
        if (k->used && k->next_ps < next_ps)
            next_ps = k->next_ps;
        if (k->used && k->followers && k->next_completion_ps < next_ps)
            next_ps = k->next_completion_ps;
    }
    replay_look_at(e, &r->next_ps, next_ps);
}

void replay_packets_find_at(struct weft_engine *e, int64_t t_ps)
{
    replay_of(e)->packets.find_ps = t_ps;
    replay_packets_next(e);
}

void replay_packets_find_by(struct weft_engine *e, int64_t t_ps)
{
    if (t_ps < replay_of(e)->back_off_ps)
        t_ps = replay_of(e)->back_off_ps;
    if (t_ps < replay_of(e)->packets.find_ps)
        replay_packets_find_at(e, t_ps);
}

void replay_packets_no_look(struct weft_engine *e)
{
    replay_of(e)->packets.symmetry.next_ps = WEFT_NEVER;
    replay_packets_find_at(e, WEFT_NEVER);
}

void replay_say(struct weft_engine *e, enum weft_replay_kind kind, const char *why)
{
    struct weft_replay_figures *f = &replay_of(e)->figures;
    uint32_t i = 0;
    f->why = why;
    while (i < f->nreasons && (f->reasons[i].kind != kind || strcmp(f->reasons[i].why, why) != 0))
        i++;
    if (i == WEFT_REPLAY_REASONS)
        i--;
    if (i == f->nreasons)
        f->reasons[f->nreasons++] = (struct weft_replay_reason){kind, 0, why};
    f->reasons[i].times++;
}

uint64_t replay_packet_events(uint64_t packets)
{
    return packets * PACKET_EVENTS;
}

/* Events that were executed, or are known to come: very short runs are not to pay for looks. How
 * many are executed differs a little from one number of threads to another, and with a tolerance
 * results hang on what is looked at. */
static uint64_t schedule_events(const struct weft_engine *e)
{
    const uint64_t to_come = replay_packet_events(replay_of(e)->packets_posted);
    return e->tot.events > to_come && replay_of(e)->memo.tolerance <= 0 ? e->tot.events : to_come;
}

/* Entries of the event queue that are read with a state, which threads have in queues of theirs. */
static uint64_t schedule_queued(const struct weft_engine *e)
{
    return replay_of(e)->memo.tolerance > 0 ? 0 : e->loop.agenda.slow.n;
}

/* Values that may be read after @p n events: one for so many, and at first more. */
static uint64_t schedule_allowed(const struct weft_engine *e, uint64_t n, uint64_t per_free,
                                 uint64_t most_free, uint64_t per_value)
{
    const uint64_t free = n / per_free < most_free ? n / per_free : most_free;
    return free + n / per_value + replay_of(e)->figures.hops;
}

bool replay_may_read(const struct weft_engine *e, uint64_t qps)
{
    const struct replay *r = replay_of(e);
    const uint64_t read = r->figures.values - r->of_states - r->messages.read + qps * VALUES_PER_QP;
    return r->eager || read <= schedule_allowed(e, schedule_events(e), EVENTS_PER_FREE, VALUES_FREE,
                                                EVENTS_PER_VALUE);
}

/* Apart from looks for periods of packets, which would leave nothing for these; by executed events
 * alone, as each message that the reference QP receives is another look. */
bool replay_messages_pay(const struct weft_engine *e)
{
    const struct replay *r = replay_of(e);
    const bool glance = r->messages.noted && r->messages.lam + 1 < r->messages.power;
    const uint64_t each = glance ? REPLAY_GLANCE : VALUES_PER_QP,
                   read = r->messages.read + each * e->msgs.live;
    return r->eager || read <= VALUES_AT_ONCE + schedule_allowed(e, e->tot.events, EVENTS_PER_EARLY,
                                                                 VALUES_FREE, EVENTS_PER_SUM);
}

bool replay_pays(struct weft_engine *e, uint64_t qps)
{
    struct replay *r = replay_of(e);
    if (replay_may_read(e, qps))
        return true;
    if (e->now < r->back_off_ps)
        return false;
    r->again_ps = r->again_ps ? 2 * r->again_ps : BACK_OFF_PS;
    r->again_ps = r->again_ps < LONGEST_BACK_OFF_PS ? r->again_ps : LONGEST_BACK_OFF_PS;
    r->back_off_ps = e->now + r->again_ps;
    return false;
}

void replay_paid(struct weft_engine *e)
{
    replay_of(e)->again_ps = replay_of(e)->back_off_ps = 0;
}

uint64_t replay_state_size(const struct weft_engine *e)
{
    return (uint64_t)VALUES_PER_PACKET * e->pkts.pool.live;
}

bool replay_affordable(const struct weft_engine *e)
{
    const struct replay *r = replay_of(e);
    return r->eager ||
           r->of_states + 3 * replay_state_size(e) <= /* written down, compared, moved on */
               schedule_allowed(e, schedule_events(e), EVENTS_PER_STATE, STATE_FREE,
                                EVENTS_PER_STATE);
}

void replay_messages_forget(struct weft_engine *e)
{
    struct replay_messages *r = &replay_of(e)->messages;
    replay_of(e)->play.compares = false;
    r->written = r->noted = false;
    r->nevents = 0;
    r->lam = 0;
    r->power = 1;
    replay_publish(e);
}

bool replay_sum(struct weft_engine *e, struct replay_scope *p, struct snapshot *t, uint64_t *sum)
{
    const bool same = replay_state_sum(e, p, t);
    *sum = t->sum;
    replay_of(e)->figures.values += t->at + (p->component ? 0 : e->qps.pool.n / 4);
    return same;
}

void replay_count_state(struct weft_engine *e, uint64_t values)
{
    replay_of(e)->figures.values += values;
    replay_of(e)->of_states += values;
}

bool replay_write(struct weft_engine *e, struct replay_scope *p, struct snapshot *t)
{
    struct weft_replay_figures *f = &replay_of(e)->figures;
    replay_note_arrivals(e, p);
    if (!p->component)
        snapshot_room(t, replay_state_size(e));
    snapshot_start(t, SNAPSHOT_WRITE, e->now);
    replay_state_read(e, p, t);
    f->looks++;
    replay_count_state(e, t->n + schedule_queued(e));
    return snapshot_over(t) && (p->component || p->packets == e->pkts.pool.live);
}

bool replay_same(struct weft_engine *e, struct replay_scope *p, struct snapshot *t)
{
    struct weft_replay_figures *f = &replay_of(e)->figures;
    replay_note_arrivals(e, p);
    snapshot_start(t, SNAPSHOT_COMPARE, e->now);
    replay_state_read(e, p, t);
    f->compares++;
    replay_count_state(e, t->at + schedule_queued(e));
    if (!snapshot_over(t)) {
        replay_say(e, t->of_messages ? WEFT_REPLAY_MESSAGES : WEFT_REPLAY_PACKETS,
                   t->other ? t->other : "states that need more memory than is allowed");
        return false;
    }
    snapshot_start(t, SNAPSHOT_STEP, e->now);
    replay_state_read(e, p, t);
    replay_count_state(e, t->at);
    return snapshot_over(t);
}
