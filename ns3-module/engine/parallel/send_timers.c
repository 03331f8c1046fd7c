/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timers that do nothing but post messages (weft_engine_plan), and threads.
 *
 * A timer of the user's ends a window, as it may concern any host. Of one that only posts it is
 * known before what comes of it. So those that are due in a window are called when it begins, in
 * their order, with the clock at the time of each. What they post gets its numbers then, and the
 * thread of its host posts it when it has come to that time, behind all that goes before timers.
 *
 * Numbers are those of the order of all posts: so there is nobody else who posts in the window, as
 * the user only listens (struct weft_engine_hooks, listens), and no host is held.
 *
 * A message of a QP that has had others before this window concerns its receiver as well, which
 * another thread may run: the window ends with the instant of that timer, and the engine's own
 * thread posts what was posted from then on.
 */
#include "core/agenda.h"
#include "core/context.h"
#include "core/heap.h"
#include "core/loop.h"
#include "host_parts_internal.h"
#include "posts.h"

bool send_timers_may_be_ahead(const struct weft_engine *e)
{
    return e->parts->passive && !e->extension && posts_may_wait(e);
}

static bool posts_only(const struct weft_engine *e, const struct ev *ev)
{
    return ev->id >> EV_KIND_SHIFT == EV_TIMER && timer_posts_only(e, EV_NUMBER(ev->id));
}

/* Whether all that is due at @p t_ps, before which nothing is, are timers that only post; of the
 * entries of the heap from @p i down. */
static bool all_plan(const struct weft_engine *e, int64_t t_ps, uint32_t i)
{
    const struct evq *q = &e->loop.agenda.slow;
    if (i >= q->n || q->h[i].t != t_ps)
        return true;
    bool all = posts_only(e, &q->h[i]);
    for (uint32_t c = 4 * i + 1; all && c <= 4 * i + 4; c++)
        all = all_plan(e, t_ps, c);
    return all;
}

/* The first timer of the engine's own agenda, if it is due before *@p ctx and only posts. */
static bool next_plan(struct weft_engine *e, void *ctx, struct loop_event *ev)
{
    int64_t *until_ps = ctx;
    ev->a = &e->loop.agenda;
    ev->d.t = agenda_slow_time(ev->a);
    if (e->parts->late && e->now + 1 < *until_ps)
        *until_ps = e->now + 1;
    return ev->d.t < *until_ps && all_plan(e, ev->d.t, 0);
}

/* Calls it. */
static void run_plan(struct weft_engine *e, void *ctx, const struct loop_event *ev)
{
    const struct ev top = ev->a->slow.h[0];
    e->now = top.t;
    e->tot.events++;
    e->parts->turn++;
    evq_pop(&ev->a->slow);
    timer_fire(e, EV_NUMBER(top.id));
}

int64_t send_timers_call(struct weft_engine *e, int64_t until_ps)
{
    const struct agenda *a = &e->loop.agenda;
    const int64_t now = e->now;
    e->parts->late = false;
    e->loop.ahead = true;
    loop_events(e, &until_ps, next_plan, run_plan);
    e->loop.ahead = false;
    e->now = now;
    return agenda_slow_time(a) < until_ps ? agenda_slow_time(a) : until_ps;
}

void send_timers_end(struct weft_engine *e, int64_t until_ps)
{
    if (e->parts->late) { /* all is over but for the timers of the last instant */
        e->now = until_ps - 1;
        e->loop.due_ps = until_ps;
        e->loop.due_id = 0;
    }
    for (unsigned k = 0; k < e->parts->n; k++) {
        struct host_part *of = &e->parts->of[k];
        for (uint32_t i = of->timely; i < of->nposts; i++)
            post_make(e, &of->posts[i]);
        of->timely = 0;
    }
    posts_made(e);
}
