/* SPDX-License-Identifier: GPL-2.0-only */
/* Windows of switches. Why and when: window.h. */
#include "window.h"
#include "window_threads.h"
#include "host_agendas.h"
#include "core/windows.h"
#include "core/context.h"
#include "core/executor.h"
#include "core/gap.h"
#include "core/events.h"
#include "core/fastq.h"
#include "core/heap.h"
#include "core/loop.h"
#include "peers.h"
#include "switch/pfc.h"

#include "base/units.h"

#define REBASE_PS (FASTQ_SPAN / 2)
bool window_init(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    w->noted_ps = INT64_MIN;
    w->least_ps = WINDOW_LEAST_PS;
    if (stable_init(&w->mem, sizeof *w->of, e->fabric->nnodes + 1))
        w->of = (struct window_node *)(void *)w->mem.base; /* zeroed, and on a page */
    /* each thread's begin on a line */
    const size_t places = e->fabric->nnodes + (size_t)WINDOW_MARKS * (MOST_THREADS + 1);
    w->marks = aligned_alloc(64, (places / WINDOW_MARKS + 1) * 64);
    if (!w->of || !w->marks || !keyheap_reserve(&w->order, 64) || !clusters_init(e))
        return false;
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        if (e->fabric->nodes[n].host != NIL)
            continue;
        if (!keyheap_reserve(&w->of[n].q, 8))
            return false;
        w->of[n].place = n;
        w->marks[n] = (struct window_mark){KEYHEAP_EMPTY, WEFT_NEVER};
    }
    return true;
}

void window_fini(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    window_threads_fini(e); /* it asks for clusters */
    for (uint32_t n = 0; w->of && n < e->fabric->nnodes; n++)
        keyheap_free(&w->of[n].q);
    keyheap_free(&w->order);
    clusters_fini(e);
    stable_fini(&w->mem);
    free(w->marks);
    free(w->notes);
}

/* ---- when ---- */

/* Whether nothing but the clock joins switches to each other and to hosts, but those that
 * clusters.c keeps out of windows. */
static bool possible(const struct weft_engine *e)
{
    const struct weft_engine_hooks *h = &e->hooks;
    return e->path.lazy && !e->windows.stepped && (!h->pfc || (h->pfc_late && !h->credit)) &&
           !h->drop && !h->lose && !e->path.frames && !e->p.pfc.response_ps &&
           pfc_soonest_ps(e) >= e->windows.least_ps && e->fabric->nnodes <= 1u << WINDOW_NODE_BITS;
}

/* Hands all events of switches to the queue of the others. */
static void leave(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    host_agendas_gather(e);
    windows_catch_up(e);
    window_report_pauses(e, WEFT_NEVER);
    w->on = w->one_per_thread = false;
    clusters_dissolve(e);
    keyheap_clear(&w->order);
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        struct window_node *s = &w->of[n];
        for (uint32_t i = 0; i < s->q.n; i++)
            engine_push_port(e, window_time(w, s->q.h[i]), fastq_kind(s->q.h[i]),
                             fastq_port(s->q.h[i]));
        if (e->fabric->nodes[n].host != NIL)
            continue;
        keyheap_clear(&s->q);
        window_mark(w, n)->listed_ps = WEFT_NEVER;
        window_note_first(w, n);
    }
}

/* Whether the switches that may run in windows are those that do. */
static bool as_they_are(const struct weft_engine *e, bool can, int64_t least_ps)
{
    for (uint32_t n = 0; n < e->fabric->nnodes; n++)
        if (e->windows.clusters.in_windows[n] != (can && clusters_fits(e, n, least_ps)))
            return false;
    return true;
}

void window_choose(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    const bool can = possible(e);
    const int64_t least_ps = e->windows.least_ps;
    w->changed = true;
    const bool hosts_alone = e->peers && can && !w->on; /* there may be none of switches */
    if (hosts_alone || !as_they_are(e, can, least_ps)) {
        if (w->on)
            leave(e);
        if (can && e->pkts.pool.live == 0) { /* nothing of switches is in the other queue */
            clusters_form(e, least_ps);
            w->on = true;
            w->done_ps = e->loop.due_ps;
            w->base = e->loop.due_ps;
            window_threads_list(e);
        }
    }
    const int64_t soonest_ps = pfc_soonest_ps(e);
    w->lookahead_ps = w->clusters.switches_ps < soonest_ps ? w->clusters.switches_ps : soonest_ps;
    if (w->lookahead_ps > FOREVER_PS)
        w->lookahead_ps = FOREVER_PS; /* no switch runs in windows: times are added to it */
    host_agendas_choose(e);
}

void weft_engine_expect_steps(struct weft_engine *e)
{
    e->windows.stepped = true;
    window_choose(e);
}

/* Moves the base to @p base; no event is earlier. */
static void rebase(struct weft_engine *e, int64_t base)
{
    struct windows *w = &e->windows;
    const uint64_t by = (uint64_t)(base - w->base) << FASTQ_ID_BITS;
    window_threads_list_all(e);
    w->base = base;
    keyheap_clear(&w->order);
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        struct window_node *s = &w->of[n];
        if (e->fabric->nodes[n].host != NIL)
            continue;
        for (uint32_t i = 0; i < s->q.n; i++)
            s->q.h[i] -= by;
        window_note_first(w, n);
        if (s->q.n)
            window_list(e, n, window_time(w, s->q.h[0]));
    }
}

/* ---- running ---- */

/* Executes the events of all switches before @p until_ps, at most one lookahead after those before
 * which all are over. */
static void run_window(struct weft_engine *e, int64_t until_ps)
{
    struct windows *w = &e->windows;
    const int64_t now = e->now, due_ps = e->loop.due_ps;
    const uint64_t until = window_key(w, until_ps);
    const int code = e->err.code;
    const bool alone = !window_threads_run(e, until_ps);
    if (alone)
        window_threads_list_all(e);
    while (alone && window_first(e) < until_ps && e->err.code == code) {
        const uint32_t node = window_switch(w->order.h[0]);
        const struct window_node *s = &w->of[node];
        window_run_node(e, node, until, until_ps);
        /* its entry is still the first: no other switch got an event this early */
        if (s->q.n)
            keyheap_replace(&w->order, window_key(w, window_mark(w, node)->listed_ps) | node);
        else
            keyheap_pop(&w->order);
    }
    w->done_ps = until_ps;
    e->tot.windows++;
    e->now = now;
    e->loop.due_ps = due_ps;
}

/* Executes the events of switches at @p t_ps, before which all are over, that go before entry @p
 * id. */
static void run_instant(struct weft_engine *e, int64_t t_ps, uint32_t id)
{
    struct windows *w = &e->windows;
    const int64_t now = e->now, due_ps = e->loop.due_ps;
    const uint64_t until = window_key(w, t_ps) | id;
    window_threads_list_all(e);
    for (uint32_t n = 0; n < e->fabric->nnodes; n++)
        if (w->of[n].q.n && w->of[n].q.h[0] < until) {
            window_run_node(e, n, until, t_ps);
            if (w->of[n].q.n)
                window_list(e, n, window_mark(w, n)->listed_ps);
        }
    e->now = now;
    e->loop.due_ps = due_ps;
}

void window_done(struct weft_engine *e, int64_t t_ps)
{
    struct windows *w = &e->windows;
    if (t_ps > w->done_ps)
        w->done_ps = t_ps;
    if (w->done_ps - w->base > REBASE_PS)
        rebase(e, w->done_ps - w->lookahead_ps);
}

/* The next window begins with the event of a switch at @p first_ps. Several threads settle switches
 * up to the end of a window: so theirs begin there unless nothing would happen in them. */
static void begin(struct weft_engine *e, int64_t first_ps)
{
    if (!e->threads || first_ps - e->windows.done_ps >= e->windows.lookahead_ps)
        window_done(e, first_ps);
}

bool window_advance(struct weft_engine *e, int64_t t_ps)
{
    struct windows *w = &e->windows;
    const int64_t first = window_first(e);
    if (first >= t_ps) {
        if (t_ps != WEFT_NEVER)
            window_done(e, t_ps);
        return false;
    }
    begin(e, first);
    const int64_t until_ps = w->done_ps + w->lookahead_ps;
    if (t_ps < until_ps)
        return false;
    run_window(e, until_ps);
    window_report_pauses(e, until_ps);
    return true;
}

/* Processes have windows of their own (peers_window.c). */
static void run_until(struct weft_engine *e, int64_t until_ps)
{
    struct windows *w = &e->windows;
    const int code = e->err.code;
    for (int64_t first; (first = window_first(e)) < until_ps && e->err.code == code;) {
        begin(e, first);
        const int64_t ahead_ps = w->done_ps + w->lookahead_ps;
        run_window(e, ahead_ps < until_ps ? ahead_ps : until_ps);
    }
    window_done(e, until_ps);
    window_report_pauses(e, until_ps);
}

void window_run(struct weft_engine *e, int64_t until_ps, uint32_t until_id)
{
    if (!e->peers)
        run_until(e, until_ps);
    if (until_id && window_first(e) == until_ps)
        run_instant(e, until_ps, until_id);
}
