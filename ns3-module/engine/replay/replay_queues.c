/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves the event queues and the clock on by a number of periods. */
#include "replay_queues.h"
#include "core/agenda.h"
#include "core/context.h"
#include "core/events.h"
#include "core/heap.h"
#include "core/fastq.h"
#include "core/executor.h"
#include "core/windows.h"
#include "replay_internal.h"

#include "base/units.h"

#include <stdlib.h>

void replay_clock_to(struct weft_engine *e, int64_t t_ps)
{
    weft_engine_follow(e, t_ps);
    e->loop.due_ps = t_ps;
    e->loop.due_id = 0;
}

void replay_ports_catch_up(struct weft_engine *e, const struct replay_scope *p)
{
    for (uint32_t i = 0; e->path.lazy && i < p->nports; i++)
        port_catch_up(e, &e->ports[p->ports[i]], p->ports[i]);
}

/* Calls fn(ctx, key) for every arrival and transmission that is not in a slow queue, with *@p
 * base_ps the time that the keys count from. */
static void queues_each_key(struct weft_engine *e, int64_t *base_ps,
                            void (*fn)(void *ctx, uint64_t key), void *ctx)
{
    const struct agenda *a;
    for (unsigned i = 0; (a = agendas_at(e, i)) != NULL; i++) {
        *base_ps = a->fast.base;
        fastq_each(&a->fast, fn, ctx);
    }
    *base_ps = e->windows.base;
    for (uint32_t n = 0; e->windows.on && n < e->fabric->nnodes; n++)
        for (uint32_t i = 0; i < e->windows.of[n].q.n; i++)
            fn(ctx, e->windows.of[n].q.h[i]);
}

/* ---- looking ---- */

struct look {
    struct weft_engine *e;
    const struct replay_scope *p;
    int64_t *arrive_ps;
    int64_t base_ps;
    int64_t first_ps; /* of what is not of the periods */
};

static void queues_look_at(struct look *l, int64_t t, enum ev_kind kind, uint32_t port)
{
    if (!l->p || replay_scope_has_port(l->p, port)) {
        if (kind == EV_ARRIVE && l->arrive_ps)
            l->arrive_ps[port] = t;
    } else if (t < l->first_ps && (kind == EV_ARRIVE || l->e->ports[port].armed_ps == t)) {
        l->first_ps = t;
    }
}

static void queues_look_at_key(void *ctx, uint64_t key)
{
    struct look *l = ctx;
    queues_look_at(l, l->base_ps + (int64_t)(key >> FASTQ_ID_BITS), fastq_kind(key),
                   fastq_port(key));
}

/* Whether a timer of a QP will mean something when it comes up. */
static bool queues_rto_counts(const struct weft_engine *e, const struct replay_scope *p,
                              uint32_t qi)
{
    return !replay_scope_has(p, qi) && qp_at(e, qi)->snd->rto_at_ps != WEFT_NEVER;
}

static void queues_look_at_slow(struct look *l, const struct evq *q)
{
    for (uint32_t i = 0; i < q->n; i++) {
        const enum ev_kind kind = (enum ev_kind)(q->h[i].id >> EV_KIND_SHIFT);
        const uint32_t number = (uint32_t)EV_NUMBER(q->h[i].id);
        if (kind <= EV_TX)
            queues_look_at(l, q->h[i].t, kind, number);
        else if (q->h[i].t < l->first_ps && kind != EV_TIMER &&
                 (kind != EV_RTO || queues_rto_counts(l->e, l->p, number)) &&
                 (kind != EV_CC || qp_at(l->e, number)->snd->out.timer_at_ps == q->h[i].t))
            l->first_ps = q->h[i].t;
    }
}

static void queues_look(struct look *l)
{
    const struct agenda *a;
    queues_each_key(l->e, &l->base_ps, queues_look_at_key, l);
    for (unsigned i = 0; (a = agendas_at(l->e, i)) != NULL; i++)
        queues_look_at_slow(l, &a->slow);
}

void replay_note_arrivals(struct weft_engine *e, struct replay_scope *p)
{
    struct look l = {.e = e, .p = p, .arrive_ps = p->arrive_ps};
    replay_ports_catch_up(e, p);
    queues_look(&l);
}

void replay_note_all_arrivals(struct weft_engine *e, int64_t *arrive_ps)
{
    struct look l = {.e = e, .arrive_ps = arrive_ps, .first_ps = INT64_MIN};
    queues_look(&l);
}

int64_t replay_first_else(struct weft_engine *e, const struct replay_scope *p)
{
    struct look l = {.e = e, .p = p, .first_ps = WEFT_NEVER};
    queues_look(&l);
    return l.first_ps;
}

static int64_t queues_first_in(const struct weft_engine *e, const struct replay_scope *p,
                               const struct evq *q)
{
    int64_t first_ps = WEFT_NEVER;
    for (uint32_t i = 0; i < q->n; i++) {
        const enum ev_kind kind = (enum ev_kind)(q->h[i].id >> EV_KIND_SHIFT);
        const uint32_t number = (uint32_t)EV_NUMBER(q->h[i].id);
        if (kind <= EV_TX || kind == EV_RTO || kind == EV_TIMER || q->h[i].t >= first_ps)
            continue;
        if (kind != EV_CC ||
            (replay_scope_has(p, number) && qp_at(e, number)->snd->out.timer_at_ps == q->h[i].t))
            first_ps = q->h[i].t;
    }
    return first_ps;
}

int64_t replay_first_of(struct weft_engine *e, const struct replay_scope *p)
{
    int64_t first_ps = WEFT_NEVER;
    const struct agenda *a;
    for (unsigned i = 0; (a = agendas_at(e, i)) != NULL; i++) {
        const int64_t t = queues_first_in(e, p, &a->slow);
        first_ps = t < first_ps ? t : first_ps;
    }
    return first_ps;
}

/* ---- moving on ---- */

/* Kept entries: those of ports that don't take part. */
struct kept_keys {
    const struct weft_engine *e;
    const struct replay_scope *p;
    struct ev *of;
    uint32_t n;
    int64_t base_ps;
};

static void queues_keep(struct kept_keys *k, int64_t t, enum ev_kind kind, uint32_t port)
{
    if (!replay_scope_has_port(k->p, port) &&
        (kind == EV_ARRIVE || k->e->ports[port].armed_ps == t))
        k->of[k->n++] = (struct ev){t, EV_ID(kind, port)};
}

static void queues_keep_key(void *ctx, uint64_t key)
{
    struct kept_keys *k = ctx;
    queues_keep(k, k->base_ps + (int64_t)(key >> FASTQ_ID_BITS), fastq_kind(key), fastq_port(key));
}

/* Leaves in a slow queue what the fields of what takes part don't say. */
static void queues_thin_slow(struct weft_engine *e, struct kept_keys *k, struct evq *q)
{
    struct evq left = {0};
    for (uint32_t i = 0; i < q->n; i++) {
        const enum ev_kind kind = (enum ev_kind)(q->h[i].id >> EV_KIND_SHIFT);
        const uint32_t number = (uint32_t)EV_NUMBER(q->h[i].id);
        if (kind <= EV_TX)
            queues_keep(k, q->h[i].t, kind, number);
        else if (kind != EV_RTO || queues_rto_counts(e, k->p, number))
            engine_push(e, &left, q->h[i].t, q->h[i].id);
    }
    evq_free(q);
    *q = left;
    if (!evq_reserve(q))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the event queue");
}

static void queues_clear_windows(struct weft_engine *e, int64_t now_ps)
{
    struct windows *w = &e->windows;
    keyheap_clear(&w->order);
    w->one_per_thread = false;
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        if (e->fabric->nodes[n].host != NIL)
            continue;
        keyheap_clear(&w->of[n].q);
        window_mark(w, n)->listed_ps = WEFT_NEVER;
        window_note_first(w, n);
    }
    w->done_ps = w->base = now_ps;
    e->windows.changed = true;
}

static void queues_queue_port(struct weft_engine *e, const struct replay_scope *p, uint32_t port)
{
    const struct port *o = &e->ports[port];
    if (e->ends[port].fly.head != NIL)
        engine_push_arrival(e, &e->ends[port], p->arrive_ps[port], port);
    if (o->armed_ps != WEFT_NEVER && !o->lazy)
        engine_push_tx(e, o, o->armed_ps, port);
    if (o->nic != NIL) {
        struct evq *paced = &e->nics.of[o->nic].paced;
        while (paced->n)
            evq_pop(paced);
    }
}

static void queues_queue_qp(struct weft_engine *e, uint32_t qi)
{
    struct qp *q = qp_at(e, qi);
    struct sender *const snd = q->snd;
    if (snd->state == QP_PACED)
        engine_push(e, &e->nics.of[e->ports[q->port].nic].paced, snd->next_avail_ps, qi);
    snd->rto_entry_ps = snd->rto_at_ps;
    if (snd->rto_at_ps != WEFT_NEVER)
        engine_push_timer(e, q->src_host, snd->rto_at_ps, EV_ID(EV_RTO, qi));
}

/* Entries of other QPs whose timers count for nothing were dropped. */
static void queues_forget_idle_timers(struct weft_engine *e, const struct replay_scope *p)
{
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        if (!replay_scope_has(p, i) && qp_at(e, i)->snd->rto_at_ps == WEFT_NEVER)
            qp_at(e, i)->snd->rto_entry_ps = WEFT_NEVER;
}

void replay_queue_clear(struct weft_engine *e, const struct replay_scope *p, int64_t now_ps)
{
    struct agenda *a;
    uint32_t most = 0;
    for (unsigned i = 0; (a = agendas_at(e, i)) != NULL; i++)
        most += fastq_len(&a->fast) + a->slow.n;
    for (uint32_t n = 0; e->windows.on && n < e->fabric->nnodes; n++)
        most += e->windows.of[n].q.n;
    struct kept_keys kept = {.e = e, .p = p, .of = malloc((most + (size_t)1) * sizeof *kept.of)};
    if (!kept.of) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the event queue");
        return;
    }
    queues_each_key(e, &kept.base_ps, queues_keep_key, &kept);
    for (unsigned i = 0; (a = agendas_at(e, i)) != NULL; i++) {
        queues_thin_slow(e, &kept, &a->slow);
        fastq_clear(&a->fast, now_ps);
        a->fetched = a->fast.top;
    }
    queues_forget_idle_timers(e, p);
    e->now = e->loop.due_ps = now_ps;
    e->loop.due_id = 0;
    if (e->windows.on)
        queues_clear_windows(e, now_ps);
    for (uint32_t i = 0; i < kept.n; i++)
        engine_push_port(e, kept.of[i].t, (enum ev_kind)(kept.of[i].id >> EV_KIND_SHIFT),
                         (uint32_t)EV_NUMBER(kept.of[i].id));
    free(kept.of);
}

void replay_queue_add(struct weft_engine *e, const struct replay_scope *p)
{
    for (uint32_t i = 0; i < p->nports; i++)
        queues_queue_port(e, p, p->ports[i]);
    for (uint32_t i = 0; i < p->nqps; i++)
        queues_queue_qp(e, p->qps[i]);
}

void replay_queue_again(struct weft_engine *e, const struct replay_scope *p, int64_t now_ps)
{
    replay_queue_clear(e, p, now_ps);
    replay_queue_add(e, p);
}
