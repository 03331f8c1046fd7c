/* SPDX-License-Identifier: GPL-2.0-only */
/* Windows that several processes run together: peers.h. */
#include "core/agenda.h"
#include "core/context.h"
#include "host_parts.h"
#include "host_parts_internal.h"
#include "obstacles.h"
#include "peers.h"
#include "window.h"
#include "window_threads.h"
#include "core/windows.h"

#include <string.h>

/* ---- what is to be told ---- */

/* When the first timer of the user, or of pauses at ports of this process, is due. */
static int64_t own_timer(struct weft_engine *e)
{
    struct agenda *a = &e->loop.agenda;
    return agenda_slow_first(e, a, FASTQ_NO_KEY) ? a->slow.h[0].t : WEFT_NEVER;
}

/* The same of all processes. */
static int64_t first_timer(struct weft_engine *e)
{
    const int64_t own_ps = own_timer(e);
    return weft_ps_min(e->peers->known.timer_ps, own_ps);
}

/* Whether the first of what is to be told comes before all timers and events of users, and no host
 * that is held could come before it. */
static bool may_report(struct weft_engine *e, const struct completion *t)
{
    return ev_before(t->at, e->peers->known.bound) && t->at.t <= first_timer(e) &&
           t->at.t < e->peers->user_ps && !e->err.code;
}

/* Tells what may be told; says whether that was anything that hosts wait for. What the user posts
 * then may arrive within the window where clusters are more than a host: nothing is told that it
 * could come before. */
static bool report_all(struct weft_engine *e)
{
    struct peers *p = e->peers;
    int64_t until_ps = WEFT_NEVER;
    bool reported = false;
    peers_completions_order(p);
    uint32_t n = 0;
    for (; n < p->ncompletions && p->completions[n].at.t <= until_ps &&
           may_report(e, &p->completions[n]);
         n++) {
        const struct completion t = p->completions[n];
        reported |= !t.deferrable;
        if (!e->windows.clusters.lone && !t.deferrable)
            until_ps = weft_ps_min(until_ps, t.at.t + p->shortest_ps);
        peers_completion_report(e, &t);
    }
    p->ncompletions -= n;
    if (n)
        memmove(p->completions, &p->completions[n], p->ncompletions * sizeof *p->completions);
    if (reported && p->link.user)
        remote_posts_agree(e);
    return reported;
}

/* ---- what all agree on ---- */

static int64_t first_of_hosts(struct weft_engine *e)
{
    if (!e->parts)
        return e->now; /* before the run: or later */
    struct agenda *a = &e->parts->of[0].agenda;
    const uint64_t key = fastq_first(&a->fast, e->peers->from_ps);
    const int64_t fast_ps = agenda_fast_time(a, key);
    const bool slow = agenda_slow_first(e, a, key); /* of deadlines, those that hold */
    return slow ? a->slow.h[0].t : fast_ps;
}

/* When the first transmission that a switch owes is due, WEFT_NEVER: none owes any. */
static int64_t first_owed(const struct weft_engine *e)
{
    const struct window_threads *c = e->threads;
    int64_t first_ps = WEFT_NEVER;
    for (uint32_t i = 0; i < c->nswitches + c->nborder; i++) {
        const uint32_t node = i < c->nswitches ? c->switches[i] : c->border[i - c->nswitches];
        const struct weft_fabric_node *n = &e->fabric->nodes[node];
        for (uint32_t k = n->first_port; k < n->first_port + n->nports; k++)
            if (e->ports[k].lazy && e->ports[k].armed_ps < first_ps)
                first_ps = e->ports[k].armed_ps;
    }
    return first_ps;
}

/* Whether switches have transmissions to make. */
static bool has_deferred(const struct weft_engine *e)
{
    const struct window_threads *c = e->threads;
    bool any = e->windows.changed || e->peers->border_deferred;
    for (uint32_t i = 0; i < c->nswitches && !any; i++)
        any = e->windows.of[c->switches[i]].deferred;
    return any;
}

/* Fills the send buffer for all. */
static void pack_for_all(struct weft_engine *e, const struct peers_head *h)
{
    e->part.all.n = 0;
    if (h->code)
        send_buffer_add(e, &e->part.all, &e->err, sizeof e->err);
    send_buffer_add(e, &e->part.all, e->windows.notes + e->windows.nagreed,
                    h->nnotes * sizeof *e->windows.notes);
}

/* Gives what fits at once, and takes what the others give; false, and the engine has failed: they
 * can't be reached. */
static bool give(struct weft_engine *e, struct peers_head *h, struct peers_given *g)
{
    struct peers *p = e->peers;
    struct weft_err err = {0};
    peers_pack(e, h, g);
    peers_merge(&p->known, h);
    for (unsigned k = 0; k < p->link.n; k++)
        p->mail[k] = (struct weft_mail){p->out[k].bytes, p->out[k].n};
    if (p->link.exchange(p->link.ctx, p->mail, p->came, &err)) {
        p->failed = engine_fail(e, err.code, "%s", err.msg) != 0;
        return false;
    }
    for (unsigned k = 0; k < p->link.n; k++)
        if (k != p->link.me)
            peers_unpack(e, k);
    return true;
}

void peers_exchange(struct weft_engine *e)
{
    struct peers *p = e->peers;
    const int64_t hosts_ps = first_of_hosts(e), switches_ps = window_first(e);
    struct peers_head h = {.bound = p->bound,
                           .next_ps = hosts_ps < switches_ps ? hosts_ps : switches_ps,
                           .last_ps = p->last_ps,
                           .timer_ps = e->pfc.ports ? own_timer(e) : WEFT_NEVER,
                           .nnotes = e->windows.nnotes - e->windows.nagreed,
                           .same = p->same,
                           .code = e->err.code,
                           .deferred = has_deferred(e),
                           .last_try = e->rc.last_try};
    struct peers_given g = {p->ncompletions, p->ncompletions + p->nown};
    pack_for_all(e, &h);
    p->posted = e->part.figures = false;
    p->failed = h.code != 0;
    p->known = h;
    p->ncompletions += p->nown;
    p->nown = 0;
    do {
        p->known.more = false;
        if (!give(e, &h, &g))
            return;
        e->part.all.n = 0; /* has been given */
        h.code = 0;
        h.nnotes = 0;
    } while (p->known.more);
    if (e->part.exchanges++ == 0 && !p->failed)
        peers_share(e);
    if (!(e->part.exchanges &
          (e->part.exchanges - 1))) /* most QPs find their paths early in a run */
        peers_unread(e);
    e->windows.nagreed = e->windows.nnotes;
}

/* ---- a window ---- */

/* Executes what is due at hosts of this process at the time of a timer that has been fired: it
 * comes before the next one. */
static void catch_up(struct weft_engine *e, int64_t t_ps)
{
    if (!e->parts || first_of_hosts(e) > t_ps) /* else nobody goes on like this: ready */
        return;
    host_parts_round(e, t_ps + 1, INT64_MIN);
}

/* Timers of t_ps, to that of PFC of number `until` if the run fails then. */
struct timers_due {
    int64_t t_ps;
    uint64_t until;
};

static bool next_timer(struct weft_engine *e, void *ctx, struct loop_event *ev)
{
    const struct timers_due *d = ctx;
    ev->a = &e->loop.agenda;
    ev->d = (struct due){d->t_ps, FASTQ_NO_KEY, true};
    if (own_timer(e) != d->t_ps || e->loop.stop_ps == INT64_MIN)
        return false;
    const struct ev top = ev->a->slow.h[0];
    return d->until == UINT64_MAX ||
           (top.id >> EV_KIND_SHIFT == EV_PFC && EV_NUMBER(top.id) < d->until);
}

static void run_timer(struct weft_engine *e, void *ctx, const struct loop_event *ev)
{
    const bool pause = ev->a->slow.h[0].id >> EV_KIND_SHIFT == EV_PFC;
    agenda_run(e, ev->a, ev->d);
    if (!pause)
        e->tot.events -= e->peers->link.me != 0; /* one process counts them */
    catch_up(e, ev->d.t);
}

/* Fires the timers of @p t_ps. All hosts have been run to them. */
static void fire(struct weft_engine *e, int64_t t_ps)
{
    const uint64_t until = e->pfc.ports ? peers_watch_repeats(e, t_ps) : UINT64_MAX;
    if (until !=
        UINT64_MAX) /* the run has failed, but for what comes before that in this instant */
        e->loop.stop_ps = t_ps;
    struct timers_due due = {t_ps, until};
    loop_events(e, &due, next_timer, run_timer);
    if (until != UINT64_MAX)
        e->loop.limit_ps = e->loop.stop_ps = INT64_MIN;
    e->peers->known.timer_ps = WEFT_NEVER; /* until all have exchanged again */
    if (e->peers->last_ps < t_ps)
        e->peers->last_ps = t_ps;
}

/* Whether a cluster of this process is held. */
static bool any_held(const struct peers *p)
{
    bool held = false;
    for (uint32_t i = 0; i < p->ncompletions + p->nown && !held; i++)
        held = p->completions[i].from == p->link.me && !p->completions[i].deferrable;
    return held;
}

/* Makes the transmissions that switches of clusters owe before @p t_ps, to which all of this
 * process's have been run: nobody but they themselves would do it in time. */
static void catch_up_border(struct weft_engine *e, int64_t t_ps)
{
    struct peers *p = e->peers;
    const struct window_threads *c = e->threads;
    p->border_deferred = false;
    for (uint32_t i = 0; i < c->nborder; i++)
        p->border_deferred |= window_catch_up_node(e, c->border[i], t_ps);
}

/* Runs hosts to @p hosts_ps, or event peers.until, and switches to @p until_ps, and exchanges what
 * came of it. */
static void run_round(struct weft_engine *e, int64_t hosts_ps, int64_t until_ps)
{
    struct peers *p = e->peers;
    struct host_parts *h = e->parts;
    p->bound = (struct ev){WEFT_NEVER, 0};
    h->window++;
    for (uint32_t i = 0; i < p->ncompletions; i++)
        if (p->completions[i].from == p->link.me && !p->completions[i].deferrable)
            h->clusters[p->completions[i].cluster].held = h->window;
    e->now = p->from_ps;
    host_parts_round(e, hosts_ps, until_ps);
    h->done_ps = hosts_ps;
    if (!any_held(p))
        catch_up_border(e, hosts_ps);
    if (e->windows.last_ps > p->last_ps)
        p->last_ps = e->windows.last_ps;
    peers_exchange(e);
}

/* Executes the timers of retransmission of @p t_ps at which QPs may give up, one after the other in
 * the order of all processes: the first that does ends the run. */
static void give_up(struct weft_engine *e, int64_t t_ps)
{
    struct peers *p = e->peers;
    for (int64_t from = 0;; from++) {
        from = part_least(e, peers_try_at(e, t_ps, from));
        if (from == WEFT_NEVER)
            break;
        for (int64_t next = 0; next < 2 && !e->err.code; next++) {
            p->until = (struct ev){t_ps, EV_ID(EV_RTO, (uint64_t)(from + next))};
            run_round(e, t_ps + 1, INT64_MIN);
        }
        if (e->err.code)
            return;
    }
    p->until = (struct ev){WEFT_NEVER, 0};
    run_round(e, t_ps + 1, INT64_MIN);
}

/* Hosts may have come to run in parts, or ceased to, since it was last asked. */
static bool ready(struct weft_engine *e)
{
    const char *why = obstacle_find(e, OBSTACLE_PROCESSES);
    if (!why && (!e->parts || e->peers->ended))
        why = "hosts do not run in windows";
    if (why) /* the same in all */
        e->peers->failed = engine_fail(e, WEFT_E_ALONE, "%s", why) != 0;
    return !why;
}

/* All events before @p until_ps, and @p first_ps is no later than the first. */
static void run_window(struct weft_engine *e, int64_t first_ps, int64_t until_ps)
{
    struct peers *p = e->peers;
    p->from_ps = first_ps;
    while (!e->err.code && e->loop.stop_ps != INT64_MIN) {
        const int64_t timer_ps = first_timer(e), user_ps = p->user_ps;
        run_round(e, weft_ps_min(timer_ps < until_ps ? timer_ps + 1 : until_ps, user_ps), until_ps);
        if (e->err.code)
            return;
        if (report_all(e))
            continue;
        if (p->until.t < weft_ps_min(until_ps, user_ps)) {
            give_up(e, p->until.t);
            continue;
        }
        if (user_ps < until_ps && user_ps <= timer_ps) {
            remote_posts_run(e);
            continue;
        }
        if (timer_ps >= until_ps)
            break;
        e->parts->done_ps = timer_ps;
        fire(e, timer_ps);
        if (!ready(e)) /* a link has changed */
            return;
    }
    p->posted = false;
    window_done(e, until_ps);
    window_report_pauses(e, until_ps);
}

/* ---- the run ---- */

int64_t peers_next(struct weft_engine *e)
{
    struct peers *p = e->peers;
    if (p->posted && !p->running) {
        p->from_ps = e->now;
        peers_exchange(e);
    }
    const int64_t timer_ps = first_timer(e);
    if (p->posted && e->now < timer_ps)
        return e->now; /* or later */
    return weft_ps_min(p->known.next_ps, timer_ps);
}

/* The events of users come before all others. */
static void between_windows(struct weft_engine *e)
{
    struct peers *p = e->peers;
    p->from_ps = p->user_ps;
    if (e->loop.due_ps < p->user_ps) {
        e->loop.due_ps = p->user_ps;
        e->loop.due_id = 0;
    }
    remote_posts_run(e);
}

void peers_run(struct weft_engine *e)
{
    struct peers *p = e->peers;
    struct windows *w = &e->windows;
    const int64_t before_ps = e->now;
    if (!ready(e))
        return;
    e->part.figures = false;
    if (p->link.user)
        remote_posts_agree(e);
    if (p->posted) {
        p->from_ps = e->now;
        peers_exchange(e);
    }
    p->running = true;
    while (!e->err.code) {
        if (p->stopping)
            e->loop.stop_ps = weft_ps_min(e->loop.stop_ps, weft_ps_max(w->done_ps, p->from_ps));
        const int64_t first_ps = peers_next(e), stop_ps = e->loop.stop_ps;
        if (p->user_ps <= first_ps && p->user_ps < stop_ps) {
            between_windows(e);
            continue;
        }
        if (first_ps >= stop_ps &&
            !(p->known.deferred && w->done_ps < stop_ps && stop_ps < WEFT_NEVER))
            break;
        const int64_t ahead_ps = e->parts->lookahead_ps;
        if (first_ps - w->done_ps >= ahead_ps) /* nothing happens until then but what is owed */
            window_done(e, p->known.deferred ? part_least(e, weft_ps_min(first_owed(e), first_ps))
                                             : first_ps);
        const int64_t from_ps = weft_ps_min(first_ps, w->done_ps);
        const int64_t try_ps = p->known.last_try ? part_least(e, peers_next_try(e)) : WEFT_NEVER;
        const int64_t until_ps =
            weft_ps_min(weft_ps_min(from_ps + ahead_ps - 1, try_ps) + 1, stop_ps);
        p->until = (struct ev){try_ps, EV_ID(EV_RTO, UINT64_C(0))};
        run_window(e, from_ps,
                   weft_ps_min(weft_ps_min(until_ps - 1, first_timer(e)) + 1, p->user_ps));
    }
    if (e->err.code && !p->failed)
        peers_exchange(e); /* so that nobody waits for this process */
    if (e->err.code)
        window_report_pauses(e, WEFT_NEVER);
    p->running = false;
    e->now = weft_ps_max(before_ps, weft_ps_max(p->known.last_ps, p->ran_ps));
    if (!e->err.code && e->loop.stop_ps < LAST_PS && e->loop.stop_ps > e->loop.due_ps) {
        e->loop.due_ps = e->loop.stop_ps;
        e->loop.due_id = 0;
    }
}
