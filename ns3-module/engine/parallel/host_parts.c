/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts in windows, by several threads: host_parts.h. */
#include "host_parts.h"
#include "core/agenda.h"
#include "core/context.h"
#include "core/extension.h"
#include "core/events.h"
#include "host_parts_internal.h"
#include "posts.h"
#include "window.h"
#include "window_threads.h"

/* ---- a window ---- */

/* How far hosts may be run from @p t_ps on, but for timers. */
static int64_t horizon(const struct weft_engine *e, const struct host_parts *h, int64_t t_ps)
{
    const int64_t switches_ps = e->windows.done_ps + e->windows.lookahead_ps;
    return weft_ps_min(weft_ps_min(switches_ps, t_ps + h->lookahead_ps), e->loop.limit_ps);
}

/* How much happened up to @p t_ps. Where hosts act in step with each other, next to nothing does
 * between their steps: that is half believed. */
static void note_rate(struct host_parts *h, uint64_t events, int64_t from_ps, int64_t t_ps)
{
    const double per_ps = (double)events / (double)(t_ps - from_ps);
    h->per_ps = per_ps > h->per_ps / 2 ? per_ps : h->per_ps / 2;
    h->alone = 0;
    h->since_ps = t_ps;
}

/* Whether threads run the switches of the next window together in any case: seen once. */
static bool switch_work_pending(struct weft_engine *e, struct host_parts *h, int64_t until_ps)
{
    if (until_ps != h->switch_work_ps) {
        h->switch_work_ps = until_ps;
        h->switch_work = window_threads_worthwhile(e, e->threads, until_ps);
    }
    return h->switch_work;
}

static bool worthwhile(struct weft_engine *e, struct host_parts *h, int64_t t_ps, int64_t until_ps)
{
    const uint64_t enough = window_threads_enough(h->n);
    if (t_ps - h->since_ps >= h->lookahead_ps)
        note_rate(h, h->alone, h->since_ps, t_ps);
    return e->threads->shuffle || h->alone >= enough ||
           h->per_ps * (double)(until_ps - t_ps) >= (double)enough ||
           (until_ps == e->windows.done_ps + e->windows.lookahead_ps &&
            switch_work_pending(e, h, until_ps));
}

/* Looks at the first of a thread's agenda. */
static void look(struct weft_engine *e, struct host_parts *h, unsigned k)
{
    struct agenda *a = &h->of[k].agenda;
    const struct due d = agenda_first(e, a);
    h->first[k] = (struct first_seen){.t = d.t,
                                      .id = d.t == WEFT_NEVER ? UINT64_MAX : id_of(a, &d),
                                      .key = d.slow ? FASTQ_NO_KEY : d.key};
}

/* The same in its context. */
static void look_ahead(struct weft_engine *e, unsigned number)
{
    look(e, e->parts, number);
}

/* Runs hosts to h->until_ps, and where h->switches says so, switches to @p switches_ps. For all but
 * switches in windows and hosts that have been held the window begins at @p from_ps. */
static uint64_t run_window(struct weft_engine *e, struct host_parts *h, struct window_threads *c,
                           int64_t from_ps, int64_t switches_ps)
{
    uint64_t events = 0;
    h->counts = c->counted;
    c->look = look_ahead;
    if (h->switches)
        window_threads_begin(e, c, from_ps, switches_ps);
    else
        window_threads_begin_hosts(e, c, from_ps);
    window_threads_do(e, c, host_turn);
    for (unsigned k = 0; k < h->n; k++) {
        events += h->of[k].events;
        c->turns[k].load += h->of[k].events;
    }
    window_threads_end(c, events);
    if (h->switches) {
        window_done(e, switches_ps);
        e->tot.windows++;
    }
    window_threads_spent(c, WEFT_ALONE_JOIN);
    if (!e->peers)
        h->done_ps = h->until_ps; /* before anybody is told, and wants to look at something */
    host_ahead(e, h);
    window_threads_spent(c, WEFT_ALONE_TELL);
    window_threads_measure(c);
    return events;
}

/* No event is before @p t_ps; what is before @p from_ps is of hosts that have been held, and may go
 * on. */
static __attribute__((noinline)) bool run_together(struct weft_engine *e, struct host_parts *h,
                                                   int64_t t_ps, int64_t from_ps)
{
    int64_t until_ps = horizon(e, h, from_ps);
    if (until_ps <= from_ps || !worthwhile(e, h, from_ps, until_ps) || e->rc.last_try ||
        (e->extension && e->extension->suspends))
        return false;
    /* what messages would take alone is worked out by their hosts' threads */
    const bool ideals = !e->spread.balance && !e->spread.steer;
    h->passive = e->hooks.concurrency.passive && ideals;
    h->in_worker = e->hooks.concurrency.runs_in_worker && ideals;
    h->posts = h->in_worker && posts_may_wait(e);
    e->now = t_ps;
    const bool ahead = send_timers_may_be_ahead(e);
    until_ps = ahead ? send_timers_call(e, until_ps)
                     : weft_ps_min(until_ps, agenda_slow_time(&e->loop.agenda));
    if (until_ps <= from_ps || (!ahead && !worthwhile(e, h, from_ps, until_ps)))
        return false;
    window_report_pauses(e, weft_ps_min(t_ps, e->windows.done_ps));
    h->until_ps = until_ps;
    h->nheld = 0;
    h->window++;
    h->switches = (until_ps == e->windows.done_ps + e->windows.lookahead_ps ||
                   until_ps == e->loop.limit_ps) &&
                  window_first(e) < until_ps;
    const uint64_t events = run_window(e, h, e->threads, from_ps, until_ps);
    if (ahead)
        send_timers_end(e, until_ps);
    note_rate(h, events, from_ps, until_ps);
    loads_window_over(e);
    return true;
}

bool host_parts_run(struct weft_engine *e, int64_t t_ps)
{
    struct host_parts *h = e->parts;
    const bool left = t_ps < h->done_ps; /* it is of one that is held */
    h->alone += !left;
    const uint64_t nheld = left ? h->nheld : 0;
    if ((!left || h->all_reported) && run_together(e, h, t_ps, left ? h->done_ps : t_ps)) {
        e->threads->figures.ahead += nheld;
        return true;
    }
    h->all_reported = false;
    host_completions_report(e, e->threads, h->next);
    return false;
}

void host_parts_over(struct weft_engine *e)
{
    e->parts->all_reported = false;
    host_completions_report(e, e->threads, (struct ev){WEFT_NEVER, 0});
}

void host_parts_round(struct weft_engine *e, int64_t until_ps, int64_t switches_ps)
{
    struct host_parts *h = e->parts;
    h->until_ps = until_ps;
    h->switches = switches_ps > e->windows.done_ps;
    h->passive = peers_passive(e);
    run_window(e, h, e->threads, e->now, switches_ps);
    if (ev_before(h->of[0].bound, e->peers->bound))
        e->peers->bound = h->of[0].bound;
}

/* ---- the order of all events ---- */

/* A deadline of a QP that was seen to be the first may have been put off since, by what has not
 * changed the agenda: so it is looked at again. */
static bool remains_first(struct weft_engine *e, struct host_parts *h, unsigned k)
{
    const struct first_seen seen = h->first[k];
    if (seen.key != FASTQ_NO_KEY)
        return true;
    look(e, h, k);
    return h->first[k].t == seen.t && h->first[k].id == seen.id;
}

struct agenda *host_parts_first(struct weft_engine *e, struct due *d)
{
    struct host_parts *h = e->parts;
    const uint64_t own_id = d->t == WEFT_NEVER ? UINT64_MAX : id_of(&e->loop.agenda, d);
    unsigned of;
    do {
        int64_t t = d->t;
        uint64_t id = own_id;
        of = h->n;
        for (unsigned k = 0; k < h->n; k++) {
            const struct first_seen *f = &h->first[k];
            if (f->t == INT64_MIN)
                look(e, h, k);
            if (f->t < t || (f->t == t && f->id < id)) {
                t = f->t;
                id = f->id;
                of = k;
            }
        }
        h->next = (struct ev){t, id};
        if (of == h->n)
            return &e->loop.agenda;
    } while (!remains_first(e, h, of));
    const struct first_seen *f = &h->first[of];
    *d = (struct due){f->t, f->key, f->key == FASTQ_NO_KEY};
    host_part_changes(h, of);
    return &h->of[of].agenda;
}
