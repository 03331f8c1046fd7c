/* SPDX-License-Identifier: GPL-2.0-only */
/* Repeated traffic is not simulated again: the order of the attempts. Model: replay.h. */
#include "replay.h"
#include "core/context.h"
#include "core/loop.h"
#include "core/executor.h"
#include "replay_internal.h"
#include "replay_queues.h"
#include "transport/rc.h"

#include "base/units.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_VALUES 64u /**< that take as long to read as to halt the loop */

/* ---- the user interferes ---- */

static void replay_catch_up(struct weft_engine *e)
{
    if (replay_of(e)->base.takes_posts)
        replay_play_end(e, e->loop.due_ps);
    replay_components_back(e);
    replay_memo_catch_up(e);
}

static void replay_disturb(struct weft_engine *e, uint32_t qp)
{
    if (qp != NIL) {
        replay_packets_touch(e, qp);
        return;
    }
    replay_catch_up(e);
    replay_packets_disturb(e);
    replay_memo_disturb(e);
    replay_messages_forget(e);
}

/* ---- life ---- */

static void replay_release(struct weft_engine *e)
{
    struct replay *r = replay_of(e);
    replay_components_free(&r->packets);
    replay_symmetry_free(&r->packets.symmetry);
    replay_scope_free(&r->messages.scope);
    snapshot_free(&r->messages.snapshot);
    replay_memo_free(e);
    free(r->messages.stamp);
    free(r->messages.events);
    for (uint32_t i = 0; i < r->play.lines; i++)
        free(r->play.line[i].of);
    free(r->play.line);
    free(r->play.place);
    free(r->play.extra);
    free(r);
    e->extension = NULL;
}

/* ---- times ---- */

static bool replay_look(struct weft_engine *e, int64_t t_ps)
{
    struct replay *r = replay_of(e);
    if (e->loop.limit_ps != r->base.look_ps || r->base.look_ps >= e->loop.stop_ps)
        return false;
    const int64_t at_ps = r->base.look_ps, now_ps = e->now;
    WEFT_REQUIRE(at_ps <= t_ps);
    if (at_ps < e->now) { /* the user has moved the clock on meanwhile */
        replay_disturb(e, NIL);
        replay_look_at(e, &r->messages.next_ps, WEFT_NEVER);
        replay_packets_no_look(e);
        replay_packets_find_at(e, e->now + WEFT_PS_PER_US);
        if (r->base.look_ps == at_ps)
            engine_fail(e, WEFT_E_INTERNAL, "replay: a look in the past, which stays");
        return !e->err.code;
    }
    if (r->play.on) { /* all that passes in this instant, before what is due in it */
        do
            replay_play_look(e);
        while (r->play.on && r->base.first_ps == at_ps && e->loop.limit_ps == at_ps &&
               at_ps < e->loop.stop_ps);
        return true;
    }
    if (t_ps == WEFT_NEVER &&
        weft_engine_next(e) == WEFT_NEVER) { /* nothing is left, or it is suspended for ever */
        replay_look_at(e, &r->messages.next_ps, WEFT_NEVER);
        replay_packets_disturb(e);
        replay_packets_no_look(e);
        return true;
    }
    replay_clock_to(e, at_ps);
    e->now = at_ps;
    if (r->memo.events.n && r->base.first_ps == at_ps) {
        replay_memo_look(e);
        return true;
    }
    r->figures.values += LOOK_VALUES;
    if (r->messages.next_ps == at_ps)
        replay_messages_look(e);
    if (r->packets.next_ps == at_ps && !r->play.on && e->now == at_ps)
        replay_packets_look(e);
    if (!r->play.on && !r->packets.components && e->now == at_ps)
        e->now = now_ps; /* it was no event: nothing more may happen */
    return true;
}

/* ---- what passes between the user and the engine ---- */

static bool replay_posted(struct weft_engine *e, const struct msg *m)
{
    struct replay *r = replay_of(e);
    struct weft_completion d;
    r->packets_posted += m->npkts;
    if (r->base.wants_sent)
        replay_memo_posted(e, m);
    if (r->play.again) {
        replay_packets_posted(e, m->qp, m->npkts);
        return r->play.reports;
    }
    const bool read = replay_messages_read(r);
    if (read)
        rc_fill_posted(e, m, &d);
    replay_messages_note(e, REPLAY_POSTED, m->qp, read ? &d : NULL);
    replay_packets_posted(e, m->qp, m->npkts);
    return true;
}

static bool replay_completed(struct weft_engine *e, uint32_t qi, bool acked,
                             const struct weft_completion *d)
{
    const enum replay_what what = acked ? REPLAY_ACKED : REPLAY_RECEIVED;
    if (replay_of(e)->play.again && replay_play_again(e, what, qi))
        return false;
    replay_messages_note(e, what, qi, d);
    replay_packets_completed(e, qi);
    if (replay_of(e)->base.wants_sent)
        replay_memo_completed(e, qi, acked, d);
    return true;
}

static int replay_post(struct weft_engine *e, const struct weft_msg *msg, uint32_t prio,
                       uint64_t *id, struct weft_err *err)
{
    if (e->loop.in_call)
        return replay_play_post(e, msg, prio, id, err);
    replay_catch_up(e); /* of his own accord */
    return weft_engine_send(e, msg, id, err);
}

static int64_t replay_paused(struct weft_engine *e, const struct window_note *note,
                             int64_t until_ps)
{
    const struct replay_packets *r = &replay_of(e)->packets;
    if (!note) /* for each window */
        return r->pauses || r->symmetry.followers ? replay_pauses_add(e, until_ps) : until_ps;
    replay_pauses_note(e, note);
    return until_ps;
}

/* ---- what the engine's user sets ---- */

static const struct extension_ops ops = {.post = replay_post,
                                         .posted = replay_posted,
                                         .sent = replay_memo_sent,
                                         .completed = replay_completed,
                                         .disturb = replay_disturb,
                                         .catch_up = replay_catch_up,
                                         .qp_state = replay_memo_qp_state,
                                         .paused = replay_paused,
                                         .look = replay_look,
                                         .free = replay_release};

int weft_engine_set_replay(struct weft_engine *e, enum weft_replaying how, uint64_t most_bytes,
                           struct weft_err *err)
{
    posts_flush(e);
    if (how == WEFT_REPLAYING_OFF) {
        extension_catch_up(e);
        if (e->extension)
            replay_release(e);
        return 0;
    }
    struct replay *r = replay_of(e);
    if (!r && !(r = calloc(1, sizeof *r)))
        return weft_err_no_memory(err, "replaying");
    e->extension = &r->base;
    r->base.ops = &ops;
    r->base.steps = &r->figures.values;
    r->base.look_ps = r->base.first_ps = r->packets.next_ps = r->messages.next_ps = WEFT_NEVER;
    e->loop.quiet_ps = INT64_MIN;
    r->messages.reference = NIL;
    r->packets.find_ps = r->packets.symmetry.next_ps = WEFT_NEVER;
    r->eager = how == WEFT_REPLAYING_EAGERLY;
    r->figures.on = true;
    /* a value of a state has 8 bytes, and there are two kinds of states */
    r->packets.most = r->messages.snapshot.most = most_bytes / 32;
    r->messages.most_events = most_bytes / 2 / sizeof *r->messages.events;
    return 0;
}

bool weft_engine_can_replay(void)
{
    return true;
}

void weft_engine_set_tolerance(struct weft_engine *e, double tolerance, bool resamples)
{
    struct replay *r = replay_of(e);
    if (!r)
        return;
    r->memo.tolerance = tolerance;
    r->figures.tolerant = tolerance > 0;
    r->figures.resamples = r->memo.resamples = tolerance > 0 && resamples;
    r->base.events_per_packet = tolerance > 0 ? replay_packet_events(1) : 0;
    if (tolerance > 0)
        replay_memo_begin(e);
    const bool wants_sent = r->memo.ready && tolerance > 0;
    if (wants_sent == r->base.wants_sent)
        return;
    r->base.wants_sent = wants_sent;
    windows_choose(e); /* whether threads may run hosts */
}

/* With a tolerance: why no message was taken over, whatever periods of packets lacked. @p rest
 * (NULL: nothing) stands against these, and so is no reason for messages. Before anything was
 * looked at, it is the one reason, met no time. */
static void replay_figures_of_messages(struct weft_replay_figures *f, const char *rest)
{
    uint32_t i = f->nreasons;
    while (i && (f->reasons[i - 1].kind != WEFT_REPLAY_MEMO ||
                 (rest && !strcmp(f->reasons[i - 1].why, rest))))
        i--;
    if (f->why && f->tolerant)
        f->why = i ? f->reasons[i - 1].why : "no message has recurred often enough";
    if (rest && !f->nreasons)
        f->reasons[f->nreasons++] = (struct weft_replay_reason){WEFT_REPLAY_PACKETS, 0, rest};
}

void weft_engine_replay_figures(const struct weft_engine *e, struct weft_replay_figures *out)
{
    *out = (struct weft_replay_figures){0};
    if (!replay_of(e))
        return;
    *out = replay_of(e)->figures;
    replay_memo_figures(e, out);
    const char *rest = replay_reason_against(e, REPLAY_EXACT);
    if ((rest || out->tolerant) && !replay_reason_against(e, REPLAY_MEMO))
        replay_figures_of_messages(out, rest);
    if (!out->why) /* before anything was looked at: what stands against that */
        out->why = replay_reason_against(e, out->tolerant ? REPLAY_MEMO : REPLAY_EXACT);
}
