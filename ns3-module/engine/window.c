/* SPDX-License-Identifier: GPL-2.0-only */
/* Windows of switches. Why and when: window.h. */
#include "window.h"
#include "window_queue.h"
#include "balance.h"
#include "context.h"
#include "events.h"
#include "fastq.h"
#include "gap.h"
#include "keyheap.h"
#include "loop.h"
#include "port.h"

#include "base/units.h"

#include <string.h>

#define REBASE_PS (FASTQ_SPAN / 2)
/** Longest time that an event may lie ahead: half of what is left of the span when the base moves.
 */
#define FARTHEST_PS (FASTQ_SPAN / 4)

/** Shortest delay worth it: below, a switch has too few events in a window (docs/performance.md).
 */
#define LEAST_PS (200 * WEFT_PS_PER_NS)

bool window_init(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    w->of = calloc(e->fabric->nnodes, sizeof *w->of);
    if (!w->of || !keyheap_reserve(&w->order, 64))
        return false;
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        w->of[n].listed_ps = WEFT_NEVER;
        if (e->fabric->nodes[n].host == NIL && !keyheap_reserve(&w->of[n].q, 8))
            return false;
    }
    return true;
}

void window_fini(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    for (uint32_t n = 0; w->of && n < e->fabric->nnodes; n++)
        keyheap_free(&w->of[n].q);
    keyheap_free(&w->order);
    free(w->of);
    free(w->notes);
}

/* ---- when ---- */

/* The shortest delay of a link that a switch is at; 0: some event could lie too far ahead, or there
 * is no switch. */
static int64_t lookahead(const struct weft_engine *e)
{
    int64_t least = WEFT_NEVER;
    for (uint32_t i = 0; i < e->fabric->nports; i++) {
        const struct port *p = &e->ports[i];
        if (p->nic != NIL && p->to_host)
            continue;
        if (p->prop_ps + gap_ps(UINT16_MAX + e->p.transport.gap_bytes, p->ser_q) > FARTHEST_PS)
            return 0;
        least = p->prop_ps < least ? p->prop_ps : least;
    }
    return least == WEFT_NEVER ? 0 : least;
}

/* Whether nothing but the clock joins switches to each other and to hosts. */
static bool possible(const struct weft_engine *e)
{
    const struct weft_engine_hooks *h = &e->hooks;
    return e->path.lazy && !e->windows.stepped && (!h->pfc || h->pfc_late) && !h->drop &&
           !h->lose && !e->path.frames && !e->in_network && !e->p.pfc.quanta &&
           !e->p.pfc.response_ps && !balance_shared(e) &&
           e->fabric->nnodes <= 1u << WINDOW_NODE_BITS;
}

/* Hands all events of switches to the queue of the others. */
static void leave(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    window_catch_up(e);
    window_tell(e, WEFT_NEVER);
    w->on = false;
    keyheap_clear(&w->order);
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        struct window_node *s = &w->of[n];
        for (uint32_t i = 0; i < s->q.n; i++)
            engine_push_port(e, window_time(w, s->q.h[i]), fastq_kind(s->q.h[i]),
                             fastq_port(s->q.h[i]));
        keyheap_clear(&s->q);
        s->listed_ps = WEFT_NEVER;
    }
}

void window_choose(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    const bool can = possible(e) && (w->lookahead_ps = lookahead(e)) >= LEAST_PS;
    if (w->on && !can) {
        leave(e);
    } else if (!w->on && can &&
               e->pkts.pool.live == 0) { /* nothing of switches is in the other queue */
        w->on = true;
        w->done_ps = e->loop.due_ps;
        w->base = e->loop.due_ps;
    }
}

void weft_engine_expect_steps(struct weft_engine *e)
{
    e->windows.stepped = true;
    window_choose(e);
}

/* The order of their events. */
static int compare_notes(const void *va, const void *vb)
{
    const struct window_note *a = va, *b = vb;
    if (a->t_ps != b->t_ps)
        return a->t_ps < b->t_ps ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

void window_tell(struct weft_engine *e, int64_t until_ps)
{
    struct windows *w = &e->windows;
    uint32_t told = 0;
    if (!w->nnotes)
        return;
    qsort(w->notes, w->nnotes, sizeof *w->notes, compare_notes);
    for (; told < w->nnotes && w->notes[told].t_ps < until_ps; told++) {
        const struct window_note *n = &w->notes[told];
        e->hooks.pfc(e->hooks.ctx, n->t_ps, n->port, n->prio, n->pause);
    }
    w->nnotes -= told;
    memmove(w->notes, w->notes + told, w->nnotes * sizeof *w->notes);
}

/* Moves the base to @p base; no event is earlier. */
static void rebase(struct weft_engine *e, int64_t base)
{
    struct windows *w = &e->windows;
    const uint64_t by = (uint64_t)(base - w->base) << FASTQ_ID_BITS;
    w->base = base;
    keyheap_clear(&w->order);
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        struct window_node *s = &w->of[n];
        for (uint32_t i = 0; i < s->q.n; i++)
            s->q.h[i] -= by;
        if (s->q.n)
            window_list(e, n, window_time(w, s->q.h[0]));
    }
}

/* ---- running ---- */

/* Fetches the ports of a switch, the ends of the links to it, and the first packets of all of
 * these: what its first events touch. Inlined by force, see base/fetch.h. */
static inline __attribute__((always_inline)) void fetch(const struct weft_engine *e,
                                                        const struct window_node *s,
                                                        const struct weft_fabric_node *n,
                                                        uint64_t until)
{
    const uint32_t end = n->first_port + n->nports;
    for (uint32_t i = n->first_port; i < end; i++) {
        const struct port *p = &e->ports[i];
        __builtin_prefetch(p, 1);
        __builtin_prefetch(&p->qtotal, 1);
        __builtin_prefetch(&p->lane[e->p.transport.data_prio], 1);
    }
    for (uint32_t i = 0; i < s->q.n; i++)
        if (s->q.h[i] < until)
            __builtin_prefetch(&e->ports[fastq_port(s->q.h[i])], 1);
    for (uint32_t i = 0; i < s->q.n; i++) {
        const struct port *p = &e->ports[fastq_port(s->q.h[i])];
        if (s->q.h[i] >= until)
            continue;
        __builtin_prefetch(&p->qtotal, 1);
        if (p->fly.head != NIL)
            __builtin_prefetch(pkt_at(e, p->fly.head), 1);
    }
    for (uint32_t i = n->first_port; i < end; i++) {
        const struct port *p = &e->ports[i];
        const uint32_t queued = p->nonempty & (CTRL_WAITS - 1);
        if (queued)
            __builtin_prefetch(pkt_at(e, p->lane[__builtin_ctz(queued)].q.head), 1);
    }
}

/* Makes the transmissions that a switch owes before @p until_ps while its records are near; else
 * the other ends of its links do, from far. One per port and round, so that the next packet of each
 * queue has time to come from memory. */
static void settle_in_turns(struct weft_engine *e, const struct weft_fabric_node *n,
                            int64_t until_ps)
{
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t i = n->first_port; i < n->first_port + n->nports; i++) {
            struct port *p = &e->ports[i];
            if (p->armed_ps >= until_ps || !p->lazy)
                continue;
            port_catch_up(e, p, i, p->armed_ps + 1);
            more = true;
        }
    }
}

/* Executes the events of a switch whose keys are below @p until; @p settle_ps: before which it is
 * settled. */
static void run_node(struct weft_engine *e, uint32_t node, uint64_t until, int64_t settle_ps)
{
    struct windows *w = &e->windows;
    struct window_node *s = &w->of[node];
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    uint64_t key;
    uint32_t events = 0;
    w->running = s;
    s->listed_ps = INT64_MIN; /* no need to list what is added meanwhile */
    if (e->pkts.pool.live > e->pkts.prefetch_above && s->events >= n->nports)
        fetch(e, s, n, until);
    for (; (key = s->q.h[0]) < until; events++) {
        e->now = e->loop.due_ps = w->base + (int64_t)(key >> FASTQ_ID_BITS);
        s->vacant = true;
        if (fastq_kind(key) == EV_ARRIVE)
            port_arrive(e, fastq_port(key));
        else
            port_due(e, fastq_port(key));
        if (s->vacant)
            keyheap_pop(&s->q);
        s->vacant = false;
    }
    w->running = NULL;
    if (events >= n->nports) /* with fewer, looking at all ports costs more */
        settle_in_turns(e, n, settle_ps);
    if (e->now > w->last_ps)
        w->last_ps = e->now;
    e->tot.events += events;
    s->events = events;
    s->listed_ps = window_time(w, s->q.h[0]);
}

/* Executes the events of all switches before @p until_ps, at most one lookahead after those before
 * which all are over. */
static void run_window(struct weft_engine *e, int64_t until_ps)
{
    struct windows *w = &e->windows;
    const int64_t now = e->now, due_ps = e->loop.due_ps;
    const uint64_t until = window_key(w, until_ps);
    const int code = e->err.code;
    while (window_first(e) < until_ps && e->err.code == code) {
        const uint32_t node = window_switch(w->order.h[0]);
        const struct window_node *s = &w->of[node];
        run_node(e, node, until, until_ps);
        /* its entry is still the first: no other switch got an event this early */
        if (s->q.n)
            keyheap_replace(&w->order, window_key(w, s->listed_ps) | node);
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
    for (uint32_t n = 0; n < e->fabric->nnodes; n++)
        if (w->of[n].q.n && w->of[n].q.h[0] < until) {
            run_node(e, n, until, t_ps);
            if (w->of[n].q.n)
                window_list(e, n, w->of[n].listed_ps);
        }
    e->now = now;
    e->loop.due_ps = due_ps;
}

/* No event of a switch is before @p t_ps, and none of a host that it could come from. */
static void set_done(struct weft_engine *e, int64_t t_ps)
{
    struct windows *w = &e->windows;
    if (t_ps > w->done_ps)
        w->done_ps = t_ps;
    if (w->done_ps - w->base > REBASE_PS)
        rebase(e, w->done_ps - w->lookahead_ps);
}

bool window_advance(struct weft_engine *e, int64_t t_ps)
{
    struct windows *w = &e->windows;
    const int64_t first = window_first(e);
    if (first >= t_ps) {
        if (t_ps != WEFT_NEVER)
            set_done(e, t_ps);
        return false;
    }
    set_done(e, first);
    const int64_t until_ps = w->done_ps + w->lookahead_ps;
    if (t_ps < until_ps)
        return false;
    run_window(e, until_ps);
    window_tell(e, until_ps);
    return true;
}

void window_run(struct weft_engine *e, int64_t until_ps)
{
    struct windows *w = &e->windows;
    if (!w->on)
        return;
    const int code = e->err.code;
    for (int64_t first; (first = window_first(e)) < until_ps && e->err.code == code;) {
        set_done(e, first);
        const int64_t ahead_ps = w->done_ps + w->lookahead_ps;
        run_window(e, ahead_ps < until_ps ? ahead_ps : until_ps);
    }
    set_done(e, until_ps);
    window_tell(e, until_ps);
}

void window_catch_up(struct weft_engine *e)
{
    window_run(e, e->loop.due_ps);
    if (e->windows.on && e->loop.due_id && window_first(e) == e->loop.due_ps)
        run_instant(e, e->loop.due_ps, e->loop.due_id);
}

void window_end(struct weft_engine *e)
{
    if (e->loop.limit_ps != WEFT_NEVER) /* else nothing is left */
        window_catch_up(e);
    if (e->now < e->windows.last_ps)
        e->now = e->windows.last_ps;
    window_tell(e, WEFT_NEVER);
}
