/* SPDX-License-Identifier: GPL-2.0-only */
/* Event queues of hosts, one agenda per thread. */
#include "host_agendas.h"
#include "core/context.h"
#include "core/events.h"
#include "host_parts_internal.h"
#include "obstacles.h"
#include "window_threads.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

void host_agendas_free(struct host_parts *h)
{
    if (!h)
        return;
    for (unsigned k = 0; h->of && k < h->n; k++) {
        fastq_free(&h->of[k].agenda.fast);
        evq_free(&h->of[k].agenda.slow);
        free(h->of[k].held);
        free(h->of[k].first);
        free(h->of[k].posts);
    }
    free(h->of);
    free(h->first);
    free(h->clusters);
    free(h);
}

static struct host_parts *make(const struct weft_engine *e, const struct window_threads *c)
{
    const unsigned n = c->n;
    struct host_parts *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->n = n;
    h->of = aligned_alloc(64, n * sizeof *h->of);
    h->first = aligned_alloc(64, n * sizeof *h->first);
    h->clusters = calloc(e->fabric->nnodes, sizeof *h->clusters);
    bool ok = h->of && h->first && h->clusters;
    if (h->of)
        memset(h->of, 0, n * sizeof *h->of);
    for (unsigned k = 0; ok && k < n; k++)
        ok = fastq_init(&h->of[k].agenda.fast, e->fabric->nports) &&
             evq_reserve(&h->of[k].agenda.slow);
    if (!ok) {
        host_agendas_free(h);
        return NULL;
    }
    h->done_ps = INT64_MIN;
    h->from_ps = WEFT_NEVER;
    h->switch_work_ps = INT64_MIN;
    return h;
}

uint64_t host_agendas_bytes(const struct weft_engine *e)
{
    const struct host_parts *h = e->parts;
    return h ? h->n * (2 * (uint64_t)e->fabric->nports * sizeof(struct fastq_slot) +
                       FASTQ_BUCKETS * sizeof(uint32_t)) +
                   e->fabric->nnodes * sizeof *h->clusters
             : 0;
}

/* ---- whose ---- */

uint32_t cluster_of_host(const struct weft_engine *e, uint32_t host)
{
    return e->windows.clusters.of[e->fabric->hosts[host]];
}

uint32_t cluster_of_entry(const struct weft_engine *e, uint64_t id)
{
    const enum ev_kind kind = (enum ev_kind)(id >> EV_KIND_SHIFT);
    const uint32_t port = (uint32_t)EV_NUMBER(id);
    if (kind == EV_ARRIVE)
        return e->windows.clusters.of[far_node(e, port)];
    if (kind == EV_TX)
        return e->windows.clusters.of[e->fabric->ports[port].node];
    if (kind == EV_RTO || kind == EV_CC)
        return cluster_of_host(e, qp_at(e, (uint32_t)EV_NUMBER(id))->src_host);
    return NIL;
}

/* Agenda of thread @p k, which changes. */
static struct agenda *agenda_of(struct weft_engine *e, unsigned k)
{
    host_part_changes(e->parts, k);
    return &e->parts->of[k].agenda;
}

struct host_part *host_part_of(struct weft_engine *e, uint32_t host)
{
    return &e->parts->of[e->threads->thread[e->fabric->hosts[host]]];
}

struct agenda *host_agenda(struct weft_engine *e, uint32_t host)
{
    return agenda_of(e, e->threads->thread[e->fabric->hosts[host]]);
}

struct agenda *host_agendas_at(struct weft_engine *e, unsigned i)
{
    if (i == 0)
        return &e->loop.agenda;
    return e->parts && i <= e->parts->n ? agenda_of(e, i - 1) : NULL;
}

void host_agendas_change(struct weft_engine *e)
{
    for (unsigned k = 0; e->parts && k < e->parts->n; k++)
        host_part_changes(e->parts, k);
}

/* Adds an entry to the slow queue of an agenda. */
static __attribute__((noinline, cold)) void put_slow(struct weft_engine *e, struct agenda *a,
                                                     int64_t t, enum ev_kind kind, uint32_t port)
{
    engine_push(e, &a->slow, t, EV_ID(kind, port));
}

static inline void put(struct weft_engine *e, struct agenda *a, int64_t t, enum ev_kind kind,
                       uint32_t port)
{
    const struct host_parts *h = e->parts;
    int64_t now = __builtin_expect(e->peers != NULL, 0) ? e->peers->from_ps : e->now;
    if (h && h->from_ps < now)
        now = h->from_ps;
    if (__builtin_expect(t < a->fast.base, 0) ||
        __builtin_expect(!fastq_push(&a->fast, now, t, kind, port), 0))
        put_slow(e, a, t, kind, port);
}

void host_agendas_put(struct weft_engine *e, struct agenda *a, int64_t t, enum ev_kind kind,
                      uint32_t port)
{
    put(e, a, t, kind, port);
}

void host_agendas_push(struct weft_engine *e, int64_t t, enum ev_kind kind, uint32_t port)
{
    const struct window_threads *c = e->threads;
    const unsigned k = kind == EV_ARRIVE ? c->to[port] : c->thread[e->ports[port].node];
    put(e, agenda_of(e, k), t, kind, port);
}

/* Moves all of an agenda: to the parts, or (@p back) to the engine's own. */
static void move(struct weft_engine *e, struct agenda *from, bool back)
{
    for (uint64_t key; (key = fastq_first(&from->fast, e->now)) != FASTQ_NO_KEY;) {
        const int64_t t = fastq_time(&from->fast, key);
        const enum ev_kind kind = fastq_kind(key);
        const uint32_t port = fastq_port(key);
        fastq_pop(&from->fast, key);
        if (kind == EV_TX && e->ports[port].armed_ps != t)
            continue; /* a stale one, which would take the place of the other */
        if (back)
            host_agendas_put(e, &e->loop.agenda, t, kind, port);
        else
            host_agendas_push(e, t, kind, port);
    }
    const uint32_t n = from->slow.n;
    struct ev *all = malloc((n ? n : 1) * sizeof *all);
    if (!all) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the timers of hosts");
        return;
    }
    memcpy(all, from->slow.h, n * sizeof *all);
    while (from->slow.n)
        evq_pop(&from->slow);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t cluster = cluster_of_entry(e, all[i].id);
        struct agenda *to =
            back || cluster == NIL ? &e->loop.agenda : agenda_of(e, e->threads->thread[cluster]);
        engine_push(e, &to->slow, all[i].t, all[i].id);
    }
    free(all);
}

/* ---- when ---- */

/* How long a window of hosts is at most. */
static int64_t lookahead_ps(const struct weft_engine *e)
{
    const struct windows *w = &e->windows;
    return w->clusters.between_ps < w->lookahead_ps ? w->clusters.between_ps : w->lookahead_ps;
}

/* Whether hosts have nothing to do with each other but by packets. */
static bool possible(const struct weft_engine *e)
{
    return e->threads && e->hooks.concurrency.local && !obstacle_find(e, OBSTACLE_THREADS);
}

void host_agendas_gather(struct weft_engine *e)
{
    struct host_parts *h = e->parts;
    if (!h)
        return;
    posts_flush(e);
    h->all_reported = false; /* hosts may come to other threads */
    e->parts = NULL;
    for (unsigned k = 0; k < h->n; k++) {
        e->parts = h;
        move(e, &h->of[k].agenda, true);
        e->parts = NULL;
    }
}

void host_agendas_choose(struct weft_engine *e)
{
    const bool can = possible(e);
    if (!can) {
        host_agendas_gather(e);
        return;
    }
    struct window_threads *c = e->threads;
    if (!c->parts)
        c->parts = make(e, c);
    struct host_parts *h = c->parts;
    if (!h)
        return; /* the engine's own thread runs the hosts */
    h->lookahead_ps = lookahead_ps(e);
    if (e->parts)
        return;
    e->parts = h;
    host_agendas_change(e);
    h->since_ps = e->now;
    move(e, &e->loop.agenda, false);
}

bool host_agendas_beyond(const struct weft_engine *e, uint32_t host)
{
    const struct host_parts *h = e->parts;
    return h && e->now < h->done_ps &&
           h->clusters[peers_held_with(e, cluster_of_host(e, host))].held != h->window;
}

int64_t host_agendas_done_ps(const struct weft_engine *e)
{
    return e->parts ? e->parts->done_ps : INT64_MIN;
}

int64_t host_agendas_span_ps(const struct weft_engine *e)
{
    return e->parts ? e->parts->lookahead_ps : 0;
}

void host_agendas_back(struct weft_engine *e, uint32_t port)
{
    if (e->parts && e->now < e->parts->done_ps)
        e->parts->clusters[e->windows.clusters.of[e->fabric->ports[port].node]].held =
            e->parts->window;
}
