/* SPDX-License-Identifier: GPL-2.0-only */
/* What is repeated is not simulated again: who is asked when. Model: replay.h. */
#include "replay.h"
#include "core/context.h"
#include "core/loop.h"
#include "parallel/posts.h"
#include "replay_inside.h"
#include "replay_jump.h"
#include "transport/rc.h"

#include "base/units.h"

#include <stdlib.h>

#define LOOK_VALUES 64u /**< that take as long to read as to halt the loop */

/* ---- the user interferes ---- */

static bool plays(const struct weft_engine *e)
{
    return e->replay->play.on && !e->replay->play.again;
}

static void catch_up(struct weft_engine *e)
{
    if (e->replay && plays(e))
        replay_play_end(e, e->loop.due_ps);
    if (e->replay)
        replay_pieces_back(e);
}

static void disturb(struct weft_engine *e)
{
    if (!e->replay)
        return;
    catch_up(e);
    replay_packets_disturb(e);
    replay_settled_disturb(e);
    replay_messages_forget(e);
}

/* ---- life ---- */

static void release(struct replay *r)
{
    if (!r)
        return;
    replay_pieces_free(&r->packets);
    replay_twins_free(&r->packets.twins);
    replay_part_free(&r->messages.part);
    tape_free(&r->messages.tape);
    replay_settled_free(&r->settled);
    free(r->messages.stamp);
    free(r->messages.words);
    for (uint32_t i = 0; i < r->play.lines; i++)
        free(r->play.line[i].of);
    free(r->play.line);
    free(r->play.place);
    free(r->play.extra);
    free(r);
}

int weft_engine_set_replay(struct weft_engine *e, enum weft_replaying how, uint64_t most_bytes,
                           struct weft_err *err)
{
    posts_settle(e);
    if (how == WEFT_REPLAYING_OFF) {
        catch_up(e);
        release(e->replay);
        e->replay = NULL;
        return 0;
    }
    if (!e->replay && !(e->replay = calloc(1, sizeof *e->replay)))
        return weft_err_no_memory(err, "replaying");
    struct replay *r = e->replay;
    r->next_ps = r->play_ps = r->packets.next_ps = r->messages.next_ps = WEFT_NEVER;
    r->settled.next_ps = WEFT_NEVER;
    r->quiet_ps = INT64_MIN;
    r->messages.guide = NIL;
    r->packets.find_ps = r->packets.twins.next_ps = WEFT_NEVER;
    r->eager = how == WEFT_REPLAYING_EAGERLY;
    r->figures.on = true;
    /* a value of a state has 8 bytes, and there are two kinds of states */
    r->packets.most = r->messages.tape.most = most_bytes / 32;
    r->messages.most_words = most_bytes / 2 / sizeof *r->messages.words;
    return 0;
}

void weft_engine_set_tolerance(struct weft_engine *e, double tolerance)
{
    if (!e->replay)
        return;
    e->replay->settled.tolerance = tolerance;
    e->replay->figures.tolerant = tolerance > 0;
}

void weft_engine_quiet_until(struct weft_engine *e, int64_t t_ps)
{
    if (e->replay)
        e->replay->quiet_ps = t_ps;
}

static void lower(struct weft_engine *e, int64_t limit_ps)
{
    if (e->replay && limit_ps < e->replay->quiet_ps)
        e->replay->quiet_ps = limit_ps;
}

static bool waits(const struct weft_engine *e)
{
    return !e->replay->packets.pieces && !replay_messages_read(e);
}

static bool alone(const struct weft_engine *e)
{
    return e->replay->packets.twins.followers != 0;
}

static uint64_t events(const struct weft_engine *e)
{
    const struct replay *r = e->replay;
    if (!r || r->settled.tolerance <= 0)
        return e->tot.events;
    return replay_packet_events(e->tot.sent[WEFT_PKT_DATA] + e->tot.sent[WEFT_PKT_FRAME] -
                                r->taken);
}

static void run_over(struct weft_engine *e)
{
    e->replay->quiet_ps = INT64_MIN;
}

void weft_engine_replay_figures(const struct weft_engine *e, struct weft_replay_figures *out)
{
    *out = e->replay ? e->replay->figures : (struct weft_replay_figures){0};
    if (e->replay)
        replay_settled_figures(e, out);
}

/* ---- times ---- */

static int64_t next_ps(const struct weft_engine *e)
{
    return e->replay ? e->replay->next_ps : WEFT_NEVER;
}

static int64_t first_ps(const struct weft_engine *e)
{
    return e->replay ? e->replay->play_ps : WEFT_NEVER;
}

static bool look(struct weft_engine *e, int64_t t_ps)
{
    struct replay *r = e->replay;
    if (!r || e->loop.limit_ps != r->next_ps || r->next_ps >= e->loop.stop_ps)
        return false;
    const int64_t at_ps = r->next_ps, now_ps = e->now;
    WEFT_REQUIRE(at_ps <= t_ps);
    if (at_ps < e->now) { /* the user has moved the clock on meanwhile */
        disturb(e);
        replay_look_at(e, &r->messages.next_ps, WEFT_NEVER);
        replay_packets_no_look(e);
        replay_packets_find_at(e, e->now + WEFT_PS_PER_US);
        return true;
    }
    if (r->play.on) { /* all that passes in this instant, before what is due in it */
        do
            replay_play_look(e);
        while (r->play.on && r->play_ps == at_ps && e->loop.limit_ps == at_ps &&
               at_ps < e->loop.stop_ps);
        return true;
    }
    if (t_ps == WEFT_NEVER &&
        weft_engine_next(e) == WEFT_NEVER) { /* nothing is left, or it stands still for ever */
        replay_look_at(e, &r->messages.next_ps, WEFT_NEVER);
        replay_packets_disturb(e);
        replay_packets_no_look(e);
        replay_look_at(e, &r->settled.next_ps, WEFT_NEVER);
        return true;
    }
    replay_settle(e, at_ps);
    e->now = at_ps;
    r->figures.values += LOOK_VALUES;
    if (r->messages.next_ps == at_ps)
        replay_messages_look(e);
    if (r->packets.next_ps == at_ps && !r->play.on && e->now == at_ps)
        replay_packets_look(e);
    if (r->settled.next_ps <= at_ps && !r->play.on && e->now == at_ps)
        replay_settled_look(e);
    if (!r->play.on && !r->packets.pieces && e->now == at_ps)
        e->now = now_ps; /* it was no event: nothing more may happen */
    return true;
}

/* ---- what passes between the user and the engine ---- */

static bool posted(struct weft_engine *e, const struct msg *m)
{
    struct replay *r = e->replay;
    struct weft_completion d;
    r->packets_posted += m->npkts;
    replay_settled_posted(e, m->qp);
    if (r->play.again) {
        replay_packets_posted(e, m->qp, m->npkts);
        return r->play.news;
    }
    const bool read = replay_messages_read(e);
    if (read)
        rc_fill_posted(e, m, &d);
    replay_messages_note(e, REPLAY_POSTED, m->qp, read ? &d : NULL);
    replay_packets_posted(e, m->qp, m->npkts);
    return true;
}

static void posted_before(struct weft_engine *e, const struct msg *m)
{
    e->replay->in_call = true; /* of the last that was told */
    posted(e, m);
    e->replay->in_call = false;
}

static void tell(struct weft_engine *e, uint32_t qi, bool acked, bool taken,
                 const struct weft_completion *d)
{
    struct replay *r = e->replay;
    const enum replay_what what = acked ? REPLAY_ACKED : REPLAY_RECEIVED;
    if (r->play.again && replay_play_again(e, what, qi))
        return;
    void (*const hook)(void *, const struct weft_completion *) =
        acked ? e->hooks.acked : e->hooks.received;
    r->call++;
    r->in_call = true;
    replay_messages_note(e, what, qi, d);
    replay_packets_told(e, qi);
    if (!acked) {
        replay_settled_disturb(e);
        replay_settled_told(e, d);
    }
    if (hook && !taken)
        hook(e->hooks.ctx, d);
    r->in_call = false;
}

static void timer(struct weft_engine *e, bool begins)
{
    struct replay *r = e->replay;
    r->call += begins;
    r->in_call = r->in_timer = begins;
    if (!begins && plays(e))
        replay_play_timer_over(e);
}

static int post(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio, uint64_t *id,
                struct weft_err *err)
{
    if (e->replay->in_call)
        return replay_play_post(e, msg, prio, id, err);
    catch_up(e); /* of his own accord */
    return weft_engine_send(e, msg, id, err);
}

static void touch(struct weft_engine *e, uint32_t qi)
{
    replay_packets_touch(e, qi);
}

const struct replay_ops replay_ops = {.touch = touch,
                                      .posted = posted,
                                      .posted_before = posted_before,
                                      .tell = tell,
                                      .plays = plays,
                                      .post = post,
                                      .timer = timer,
                                      .look = look,
                                      .next_ps = next_ps,
                                      .first_ps = first_ps,
                                      .lower = lower,
                                      .waits = waits,
                                      .alone = alone,
                                      .pause = replay_pauses_note,
                                      .pauses = replay_pauses_add,
                                      .run_over = run_over,
                                      .events = events,
                                      .disturb = disturb,
                                      .catch_up = catch_up,
                                      .free = release};
