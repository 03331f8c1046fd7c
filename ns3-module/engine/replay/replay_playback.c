/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Periods of messages are played: the state of the network is suspended at the beginning of the
 * present period, and the user is told what a period before happened.
 *
 * What passes between him and the engine in a period is a row of host events: a message is
 * received, or acknowledged, or he posts one, when told of another or in a timer of his. Each host
 * event has its turn at its time. As long as he posts what he posted a period before, the end of
 * the period is the same state again, and the next begins. Messages are told apart by their place
 * in the line of their QP: what the user calls them (number, tag, token) is all that is kept of
 * them.
 *
 * When he posts something else, or fails to, or wants to see the state, it is moved on to the
 * present period, and that is simulated again up to this moment: he posts what he has posted, at
 * the same moments, and isn't told anything. From there on everything is simulated.
 */
#include "core/agenda.h"
#include "core/context.h"
#include "core/executor.h"
#include "core/loop.h"
#include "replay.h"
#include "replay_internal.h"
#include "replay_queues.h"
#include "core/grow.h"
#include "replay_state.h"
#include "core/walk.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- host events ---- */

static const struct replay_host_event *playback_host_event(const struct replay *r, uint32_t i)
{
    return i < r->messages.nevents ? &r->messages.events[i] : NULL;
}

static int64_t playback_host_event_ps(const struct replay *r, const struct replay_host_event *w)
{
    return w->t_ps + r->play.periods * r->play.period_ps;
}

/* Whether a host event is posted during the call of the user that host events call @p call. */
static bool playback_posted_in(const struct replay_host_event *w, uint32_t call)
{
    return w && w->what == REPLAY_POSTED && w->call == call;
}

/* Reports and posts of the present period, under its name. */
static void playback_present(const struct replay *r, const struct replay_host_event *w,
                             const struct replay_name *name, struct weft_completion *d)
{
    const int64_t *moved = r->messages.scope.moved[w->qp], periods = r->play.periods,
                  ps = periods * r->play.period_ps;
    *d = w->d;
    d->id = name->id;
    d->msg.tag = name->tag;
    d->msg.token = name->token;
    d->msg.token_type = name->token_type;
    d->post_ps += ps;
    d->received_ps += d->received_ps ? ps : 0;
    d->acked_ps += d->acked_ps ? ps : 0;
    d->first_psn += (uint64_t)(periods * moved[0]);
    d->first_byte += (uint64_t)(periods * moved[1]);
}

/* ---- lines ---- */

static struct replay_line *playback_line_of(struct replay *r, uint32_t qi)
{
    return &r->play.line[r->play.place[qi]];
}

static bool playback_append(struct replay_line *l, struct replay_name name)
{
    if (!GROW(l->of, l->n, &l->cap))
        return false;
    l->of[l->n++] = name;
    return true;
}

/* A line is that of a QP's messages as they are now. */
static bool playback_fill_line(const struct weft_engine *e, struct replay_line *l,
                               const struct qp *q)
{
    l->n = l->acked = l->received = 0;
    bool received = true;
    WALK_MSGS(e, i, q->head_msg) {
        const struct msg *m = msg_at(e, i);
        received &= i != q->rcv_msg;
        l->received += received;
        if (!playback_append(l, (struct replay_name){m->id, m->tag, m->token, m->token_type}))
            return false;
    }
    l->began = l->n;
    return true;
}

static bool playback_fill_lines(const struct weft_engine *e, struct replay *r)
{
    struct replay_play *p = &r->play;
    const struct replay_scope *part = &r->messages.scope;
    if (p->places < e->qps.pool.n) {
        free(p->place);
        p->places = e->qps.pool.n;
        p->place = malloc(p->places * sizeof *p->place);
    }
    p->places = p->place ? p->places : 0;
    if (!p->place)
        return false;
    if (p->lines < part->nqps) {
        if (!grow_zeroed((void **)&p->line, sizeof *p->line, p->lines, part->nqps))
            return false;
        p->lines = part->nqps;
    }
    for (uint32_t i = 0; i < part->nqps; i++) {
        p->place[part->qps[i]] = i;
        if (!playback_fill_line(e, &p->line[i], qp_at(e, part->qps[i])))
            return false;
    }
    return true;
}

/* The messages that are underway are those that the next period begins with. */
static void playback_move_lines(struct replay *r)
{
    for (uint32_t i = 0; i < r->messages.scope.nqps; i++) {
        struct replay_line *l = &r->play.line[i];
        l->n -= l->acked;
        memmove(l->of, l->of + l->acked, l->n * sizeof *l->of);
        l->received -= l->acked;
        l->acked = 0;
        l->began = l->n;
    }
}

/* ---- playing ---- */

/* When the next host event has its turn, or is seen to be missing, or the period is over. */
static void playback_wait(struct weft_engine *e)
{
    struct replay *r = replay_of(e);
    const struct replay_host_event *w = playback_host_event(r, r->play.at);
    int64_t t = r->play.began_ps + r->play.period_ps;
    if (w)
        t = playback_host_event_ps(r, w) + (w->what == REPLAY_POSTED);
    replay_look_at(e, &r->base.first_ps, t);
}

void replay_play_begin(struct weft_engine *e, int64_t period_ps)
{
    struct replay *r = replay_of(e);
    if (!playback_fill_lines(e, r)) {
        replay_messages_forget(e);
        return;
    }
    r->play = (struct replay_play){.on = true,
                                   .began_ps = e->now,
                                   .period_ps = period_ps,
                                   .periods = 1,
                                   .stands = 1,
                                   .next_id = e->tot.msgs_posted,
                                   .line = r->play.line,
                                   .lines = r->play.lines,
                                   .place = r->play.place,
                                   .places = r->play.places,
                                   .extra = r->play.extra,
                                   .extra_cap = r->play.extra_cap};
    replay_packets_disturb(e);
    replay_queue_clear(e, &r->messages.scope, e->now);
    r->figures.plays++;
    replay_publish(e);
    replay_paid(e);
    replay_packets_no_look(e);
    playback_wait(e);
}

static void playback_end(struct weft_engine *e, int64_t due_ps, bool reported);

/* The user is told of a message. */
static void playback_report(struct weft_engine *e, const struct replay_host_event *w)
{
    struct replay *r = replay_of(e);
    struct replay_play *p = &r->play;
    struct replay_line *l = playback_line_of(r, w->qp);
    const bool acked = w->what == REPLAY_ACKED;
    WEFT_REQUIRE(acked ? l->acked < l->n : l->received < l->n);
    struct weft_completion d;
    playback_present(r, w, &l->of[acked ? l->acked++ : l->received++], &d);
    void (*const hook)(void *, const struct weft_completion *) =
        acked ? e->hooks.acked : e->hooks.received;
    e->now = e->loop.due_ps = playback_host_event_ps(r, w);
    e->loop.due_id = 0;
    e->tot.events++;
    p->at++;
    p->call = w->call;
    p->app_call = ++e->loop.calls;
    e->loop.in_call = true;
    if (hook)
        hook(e->hooks.ctx, &d);
    e->loop.in_call = false;
    p->broken |= playback_posted_in(playback_host_event(r, p->at), w->call);
    p->call = 0;
    if (p->broken)
        playback_end(e, e->now, true);
    else
        playback_wait(e);
}

void replay_play_look(struct weft_engine *e)
{
    struct replay *r = replay_of(e);
    struct replay_play *p = &r->play;
    const struct replay_host_event *w = playback_host_event(r, p->at);
    if (p->broken) {
        playback_end(e, e->loop.due_ps, false);
    } else if (!w) {
        p->began_ps += p->period_ps;
        p->periods++;
        p->at = 0;
        playback_move_lines(r);
        r->figures.played_periods++;
        playback_wait(e);
    } else if (w->what == REPLAY_POSTED) { /* and the user has not */
        p->broken = true;
        playback_end(e, r->base.first_ps, false);
    } else {
        playback_report(e, w);
    }
}

/* Whether a message is the next that was posted a period before. */
static bool playback_expected(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio)
{
    const struct replay *r = replay_of(e);
    const struct replay_play *p = &r->play;
    const struct replay_host_event *w = playback_host_event(r, p->at),
                                   *before = p->at ? playback_host_event(r, p->at - 1) : NULL;
    if (p->broken || !w || w->what != REPLAY_POSTED || w->in_timer != e->loop.in_timer ||
        playback_host_event_ps(r, w) != e->now)
        return false;
    if (p->call ? w->call != p->call : before && w->call == before->call)
        return false;
    return w->d.msg.src == msg->src && w->d.msg.dst == msg->dst && w->d.msg.prio == prio &&
           w->d.msg.qp == msg->qp && w->d.msg.bytes == msg->bytes;
}

static int playback_post_extra(struct weft_engine *e, const struct weft_msg *msg, uint64_t id,
                               struct weft_err *err)
{
    struct replay *r = replay_of(e);
    struct replay_play *p = &r->play;
    if (!GROW(p->extra, p->nextra, &p->extra_cap))
        return weft_err_no_memory(err, "messages");
    p->extra[p->nextra++] = (struct replay_extra){*msg, id, e->loop.in_timer};
    p->broken = true;
    if (e->loop.in_timer)
        replay_look_at(e, &r->base.first_ps, e->now);
    return 0;
}

int replay_play_post(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio, uint64_t *id,
                     struct weft_err *err)
{
    struct replay *r = replay_of(e);
    struct replay_play *p = &r->play;
    const uint64_t number = p->next_id++;
    if (p->app_call != e->loop.calls) /* a timer, which none of the host events is */
        p->call = 0;
    p->app_call = e->loop.calls;
    if (id)
        *id = number;
    if (!playback_expected(e, msg, prio))
        return playback_post_extra(e, msg, number, err);
    const struct replay_host_event *w = playback_host_event(r, p->at);
    const struct replay_name name = {number, msg->tag, msg->token, msg->token_type};
    if (!playback_append(playback_line_of(r, w->qp), name))
        return weft_err_no_memory(err, "messages");
    p->at++;
    p->call = w->call;
    if (e->loop.in_timer)
        playback_wait(e);
    if (e->hooks.posted) {
        struct weft_completion d;
        playback_present(r, w, &name, &d);
        e->hooks.posted(e->hooks.ctx, &d);
    }
    return 0;
}

/* ---- simulating the present period again ---- */

/* How far the period is simulated: to a time, or to the host event after `done`. */
struct again {
    int64_t limit_ps, end_ps;
    uint32_t done;
    bool to_event;
};

/* The next event before that, which is no timer of the user's. */
static bool playback_next_again(struct weft_engine *e, void *ctx, struct loop_event *ev)
{
    const struct again *g = ctx;
    struct replay *r = replay_of(e);
    while (!e->err.code && (!g->to_event || r->play.done == g->done)) {
        const struct agenda *a = ev->a = agenda_first_of_all(e, &ev->d);
        const struct due d = ev->d;
        /* before the host event: components that it is of may be suspended */
        const int64_t look_ps =
            r->packets.next_ps < g->end_ps + g->to_event ? r->packets.next_ps : WEFT_NEVER;
        if (d.t == WEFT_NEVER && look_ps == WEFT_NEVER &&
            (!e->windows.on || window_first(e) == WEFT_NEVER))
            return false;
        int64_t until_ps = d.t < g->limit_ps ? d.t : g->limit_ps;
        until_ps = look_ps < until_ps ? look_ps : until_ps;
        if (window_due(&e->windows, d.t) && windows_advance(e, until_ps))
            continue;
        if (d.t < look_ps)
            return d.t < g->limit_ps && !(d.slow && a->slow.h[0].id >> EV_KIND_SHIFT == EV_TIMER);
        replay_clock_to(e, look_ps);
        e->now = look_ps;
        replay_packets_look(e);
    }
    return false;
}

/* Runs what is due before @p limit_ps, no timer of the user's; to the next host event, if that is
 * wanted.
 */
static void playback_run(struct weft_engine *e, int64_t limit_ps, bool to_event)
{
    struct replay *r = replay_of(e);
    const uint32_t done = r->play.done;
    struct again g = {limit_ps,
                      to_event ? playback_host_event_ps(r, playback_host_event(r, done)) : limit_ps,
                      done, to_event};
    loop_events(e, &g, playback_next_again, loop_run_event);
    /* where all components are ahead nothing has moved it on, and they return to what it says */
    if (!to_event && e->loop.due_ps < limit_ps) {
        e->loop.due_ps = limit_ps;
        e->loop.due_id = 0;
    }
}

static void playback_send_again(struct weft_engine *e, const struct weft_msg *msg, uint64_t id)
{
    struct weft_err err = {0};
    uint64_t number = 0;
    if (weft_engine_send(e, msg, &number, &err))
        engine_fail(e, err.code, "%s", err.msg);
    else if (number != id)
        engine_fail(e, WEFT_E_INTERNAL, "replay: message %" PRIu64 " was posted again as %" PRIu64,
                    id, number);
}

/* The user posts what he has posted in one call. */
static void playback_post_again(struct weft_engine *e, uint32_t call)
{
    struct replay *r = replay_of(e);
    struct replay_play *p = &r->play;
    while (p->done < p->at && playback_posted_in(playback_host_event(r, p->done), call)) {
        const struct replay_host_event *w = playback_host_event(r, p->done++);
        struct replay_line *l = playback_line_of(r, w->qp);
        const struct replay_name *name = &l->of[l->again++];
        struct weft_msg msg = w->d.msg;
        msg.tag = name->tag;
        msg.token = name->token;
        msg.token_type = name->token_type;
        msg.nic = qp_at(e, w->qp)->nic;
        msg.deferrable = false; /* of this one it is not known */
        playback_send_again(e, &msg, name->id);
    }
}

/* And what he has posted otherwise. */
static void playback_post_extras(struct weft_engine *e, bool in_timer)
{
    struct replay_play *p = &replay_of(e)->play;
    p->reports = true;
    for (uint32_t i = 0; i < p->nextra; i++)
        if (p->extra[i].in_timer == in_timer)
            playback_send_again(e, &p->extra[i].msg, p->extra[i].id);
}

bool replay_play_again(struct weft_engine *e, enum replay_what what, uint32_t qi)
{
    struct replay *r = replay_of(e);
    struct replay_play *p = &r->play;
    if (p->done == p->at)
        return false;
    const struct replay_host_event *w = playback_host_event(r, p->done);
    if (w->what != what || w->qp != qi || playback_host_event_ps(r, w) != e->now) {
        engine_fail(e, WEFT_E_INTERNAL,
                    "replay: at %" PRId64 " ps QP %u completes a message, but %" PRId64
                    " ps and QP %u were to come",
                    e->now, qi, playback_host_event_ps(r, w), w->qp);
        return true;
    }
    p->done++;
    playback_post_again(e, w->call);
    if (p->done == p->at)
        playback_post_extras(e, false);
    return true;
}

/* The state at the beginning of the present period, with the messages of this one. */
static void playback_begin_again(struct weft_engine *e)
{
    struct replay *r = replay_of(e);
    struct replay_play *p = &r->play;
    const struct replay_scope *part = &r->messages.scope;
    const uint64_t hops = e->tot.packet_hops;
    replay_state_move(e, &r->messages.scope, &r->messages.snapshot, p->periods - p->stands);
    r->figures.hops += e->tot.packet_hops - hops;
    for (uint32_t k = 0; k < part->nqps; k++) {
        struct replay_line *l = &p->line[k];
        uint32_t n = 0;
        l->again = l->began;
        WALK_MSGS(e, i, qp_at(e, part->qps[k])->head_msg) {
            const struct replay_name *name = &l->of[n++];
            struct msg *m = msg_at(e, i);
            m->id = name->id;
            m->tag = name->tag;
            m->token = name->token;
            m->token_type = name->token_type;
        }
        WEFT_REQUIRE(n == l->began);
    }
    replay_queue_again(e, part, p->began_ps);
    replay_packets_find_at(e, e->now + WEFT_PS_PER_US);
    replay_symmetry_find_at(e,
                            e->now + 1); /* messages may have been posted just before the period */
}

/* The state becomes that of now, and nothing is played any more. All before @p due_ps has happened;
 * or, after the user was @p reported of a message, what comes before that. */
static void playback_end(struct weft_engine *e, int64_t due_ps, bool reported)
{
    struct replay *r = replay_of(e);
    struct replay_play *p = &r->play;
    const int64_t now = e->now;
    const bool only_seen = !p->broken;
    p->again = true;
    replay_publish(e);
    p->reports = false;
    p->done = 0;
    playback_begin_again(e);
    while (p->done < p->at && !e->err.code) {
        const struct replay_host_event *w = playback_host_event(r, p->done);
        const uint32_t done = p->done;
        if (w->what == REPLAY_POSTED) {
            playback_run(e, playback_host_event_ps(r, w) + 1, false);
            e->now = playback_host_event_ps(r, w);
            playback_post_again(e, w->call);
        } else {
            playback_run(e, WEFT_NEVER, true);
        }
        if (p->done == done)
            engine_fail(e, WEFT_E_INTERNAL, "replay: no completion at %" PRId64 " ps",
                        playback_host_event_ps(r, w));
    }
    if (!reported && !e->err.code) {
        playback_run(e, due_ps, false);
        e->now = now;
        e->loop.due_ps = due_ps;
        e->loop.due_id = 0;
        playback_post_extras(e, true);
    }
    p->on = p->again = p->broken = false;
    p->nextra = 0;
    p->call = 0;
    replay_look_at(e, &r->base.first_ps, WEFT_NEVER);
    if (only_seen) {
        p->compares = true;
        p->real_call = 0;
        replay_look_at(e, &r->messages.next_ps, p->began_ps + p->period_ps);
    } else {
        replay_messages_forget(e);
    }
    replay_publish(e);
    replay_packets_disturb(e);
    replay_packets_no_look(e); /* what was posted again wanted looks that have passed */
    replay_packets_find_at(e, e->now + WEFT_PS_PER_US);
}

void replay_play_end(struct weft_engine *e, int64_t due_ps)
{
    playback_end(e, due_ps, false);
}

/* ---- following ---- */

/* Whether what passes now has its turn. */
static bool playback_in_turn(const struct weft_engine *e, enum replay_what what, uint32_t qi,
                             const struct weft_completion *d)
{
    const struct replay *r = replay_of(e);
    const struct replay_play *p = &r->play;
    const struct replay_host_event *w = playback_host_event(r, p->at),
                                   *before = p->at ? playback_host_event(r, p->at - 1) : NULL;
    if (!w || w->what != what || w->qp != qi || playback_host_event_ps(r, w) != e->now ||
        w->d.msg.bytes != d->msg.bytes || w->in_timer != e->loop.in_timer || !e->loop.in_call)
        return false;
    if (what != REPLAY_POSTED)
        return true;
    const bool same_call = before && before->call == w->call;
    return p->real_call ? (p->real_call == e->loop.calls) == same_call : true;
}

void replay_play_follow(struct weft_engine *e, enum replay_what what, uint32_t qi,
                        const struct weft_completion *d)
{
    struct replay_play *p = &replay_of(e)->play;
    if (playback_in_turn(e, what, qi, d)) {
        p->at++;
        p->real_call = e->loop.calls;
    } else {
        replay_messages_forget(e);
    }
}

void replay_play_resume(struct weft_engine *e)
{
    struct replay *r = replay_of(e);
    struct replay_play *p = &r->play;
    if (playback_host_event(r, p->at) || e->now != p->began_ps + p->period_ps ||
        replay_reason_against(e, REPLAY_EXACT) || !playback_fill_lines(e, r)) {
        replay_messages_forget(e);
        return;
    }
    replay_packets_disturb(e);
    replay_note_arrivals(e, &r->messages.scope);
    p->began_ps = e->now;
    p->periods++;
    p->stands = p->periods;
    p->next_id = e->tot.msgs_posted;
    p->at = 0;
    p->compares = false;
    p->on = true;
    replay_publish(e);
    replay_queue_clear(e, &r->messages.scope, e->now);
    replay_packets_no_look(e);
    playback_wait(e);
}
