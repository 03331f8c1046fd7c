/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events for which hosts are blocked, when a window is over: see host_parts_internal.h.
 *
 * Let a host be held from t on, in a window that ends at U. What it sends from t on arrives at a
 * switch at U or later, as the window is no longer than the shortest link. So who is told of
 * something at other hosts may be told before the host goes on, if nothing more can be told at this
 * one before U; and the host may go on in the next window, as if it began at t for it alone, if the
 * thread that runs it runs these switches, after its hosts.
 */
#include "core/agenda.h"
#include "core/context.h"
#include "core/extension.h"
#include "core/events.h"
#include "host_agendas.h"
#include "host_parts_internal.h"
#include "window_threads.h"

/* Blocked events at hosts of thread @p k are due again: @p n events. */
static void put_back(struct weft_engine *e, unsigned k, const struct ev *ev, uint32_t n)
{
    struct agenda *a = &e->parts->of[k].agenda;
    if (n)
        host_part_changes(e->parts, k);
    for (const struct ev *end = ev + n; ev < end; ev++) {
        const enum ev_kind kind = (enum ev_kind)(ev->id >> EV_KIND_SHIFT);
        if (kind <= EV_TX)
            host_agendas_put(e, a, ev->t, kind, (uint32_t)EV_NUMBER(ev->id));
        else
            engine_push(e, &a->slow, ev->t, ev->id);
    }
}

/* Whether a lone host sends only to switches in windows that its own thread runs. */
static bool within(const struct weft_engine *e, uint32_t node)
{
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    bool all = true;
    for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++)
        all &= (e->ends[i].ends & (FAR_IN_WINDOWS | APART)) == FAR_IN_WINDOWS;
    return all;
}

/* Whether the user may be told of all that the hosts of a thread are held for before they do what
 * else they have to in this window: nothing more is to be told at these, and what they send is
 * known in time even if they do the rest in the next window. */
static bool may_go_on(const struct weft_engine *e, const struct host_parts *h,
                      const struct host_part *p)
{
    bool may = p->bound.t >= h->until_ps;
    for (uint32_t i = 0; i < p->nfirst && may; i++)
        may = within(e, cluster_of_entry(e, p->first[i].id));
    return may;
}

/* The thread whose hosts are held for the first event that is left; NULL: none is. */
static struct host_part *first_held(const struct host_parts *h)
{
    struct host_part *first = NULL;
    for (unsigned k = 0; k < h->n; k++) {
        struct host_part *p = &h->of[k];
        if (p->ntold < p->nfirst &&
            (!first || ev_before(p->first[p->ntold], first->first[first->ntold])))
            first = p;
    }
    return first;
}

/* What hosts are held for; `may`: the user may be told of it now. */
struct firsts {
    struct host_parts *all;
    struct host_part *part; /**< of the event that is next */
    bool may;
};

/* The next of these events, before all timers of the user. */
static bool next_first(struct weft_engine *e, void *ctx, struct loop_event *ev)
{
    struct firsts *f = ctx;
    f->part = f->may ? first_held(f->all) : NULL;
    if (!f->part)
        return false;
    const struct ev *at = &f->part->first[f->part->ntold];
    ev->d = (struct due){at->t, fastq_key(0, 0, EV_ARRIVE, (uint32_t)EV_NUMBER(at->id)), false};
    return f->may = at->t <= agenda_slow_time(&e->loop.agenda) && at->t < e->loop.limit_ps;
}

static void run_first(struct weft_engine *e, void *ctx, const struct loop_event *ev)
{
    struct host_part *p = ((struct firsts *)ctx)->part;
    host_completions_report(e, e->threads, p->first[p->ntold]);
    e->now = e->loop.due_ps = ev->d.t;
    e->loop.due_id = (uint32_t)ev->d.key;
    e->tot.events++;
    agenda_run_key(e, ev->d.key);
    if (e->windows.last_ps < ev->d.t)
        e->windows.last_ps = ev->d.t;
    p->ntold++;
}

/* Tells the user of all that hosts are held for, in the order of these events, as far as he does
 * not ask for a timer that comes before. Then these go on in the next window (run_together), with
 * what is left of this one. */
static void report_ahead(struct weft_engine *e, struct host_parts *h)
{
    const int64_t now = e->now;
    struct firsts f = {h, NULL,
                       e->windows.clusters.lone && !(e->extension && e->extension->orders_posts)};
    for (unsigned k = 0; k < h->n && f.may; k++)
        f.may = may_go_on(e, h, &h->of[k]);
    h->from_ps = now; /* agendas have what is before the clock */
    loop_events(e, &f, next_first, run_first);
    e->now = now;
    h->from_ps = WEFT_NEVER;
    h->all_reported = f.may;
}

void host_ahead(struct weft_engine *e, struct host_parts *h)
{
    const struct host_part *p = first_held(h);
    const struct ev first = p ? p->first[p->ntold] : (struct ev){WEFT_NEVER, 0};
    h->all_reported = false;
    for (unsigned k = 0; k < h->n; k++)
        put_back(e, k, h->of[k].held, h->of[k].nheld);
    if (p)
        report_ahead(e, h);
    for (unsigned k = 0; k < h->n; k++) {
        p = &h->of[k];
        put_back(e, k, p->first + p->ntold, p->nfirst - p->ntold);
        h->nheld += p->nfirst;
        e->threads->figures.held += p->nfirst;
    }
    if (!e->peers)
        host_completions_report(e, e->threads, first);
}
