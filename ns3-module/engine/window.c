/* SPDX-License-Identifier: GPL-2.0-only */
/* Windows of switches. Why and when: window.h. */
#include "internal.h"

#define NODE_BITS FASTQ_ID_BITS
#define REBASE_PS (FASTQ_SPAN / 2)
/** Longest time that an event may lie ahead: half of what is left of the span when the base moves. */
#define FARTHEST_PS (FASTQ_SPAN / 4)

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
}

static inline int64_t time_of(const struct windows *w, uint64_t key)
{
    return key == KEYHEAP_EMPTY ? WEFT_NEVER : w->base + (int64_t)(key >> FASTQ_ID_BITS);
}

/* ---- when ---- */

/* The shortest delay of a link that a switch is at; 0: some event could lie too far ahead, or there is no
 * switch. */
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
    return e->lazy && !h->pfc && !h->drop && !h->lose && !e->frames_on && !e->in_network &&
           !e->p.pfc.quanta && !e->p.pfc.response_ps && !balance_shared(e) &&
           e->fabric->nnodes <= 1u << NODE_BITS;
}

/* Hands all events of switches to the queue of the others. */
static void leave(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    window_run(e, e->due_ps);
    w->on = false;
    keyheap_clear(&w->order);
    for (uint32_t n = 0; n < e->fabric->nnodes; n++) {
        struct window_node *s = &w->of[n];
        for (uint32_t i = 0; i < s->q.n; i++)
            engine_push_port(e, time_of(w, s->q.h[i]), fastq_kind(s->q.h[i]),
                             fastq_port(s->q.h[i]));
        if (s->q.n)
            keyheap_clear(&s->q);
        s->listed_ps = WEFT_NEVER;
    }
}

void window_choose(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    const bool can = possible(e) && (w->lookahead_ps = lookahead(e)) > 0;
    if (w->on && !can) {
        leave(e);
    } else if (!w->on && can && e->pkts.live == 0) { /* nothing of switches is in the other queue */
        w->on = true;
        w->done_ps = e->due_ps;
        w->base = e->due_ps;
    }
}

/* ---- the queues ---- */

static void list(struct weft_engine *e, uint32_t node, int64_t t)
{
    struct windows *w = &e->windows;
    w->of[node].listed_ps = t;
    if (!keyheap_reserve(&w->order, w->order.n + 1)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the events of switches");
        return;
    }
    keyheap_put(&w->order, (uint64_t)(t - w->base) << NODE_BITS | node);
}

void window_push(struct weft_engine *e, uint32_t node, int64_t t, enum ev_kind kind, uint32_t port)
{
    struct windows *w = &e->windows;
    struct window_node *s = &w->of[node];
    const uint64_t key = (uint64_t)(t - w->base) << FASTQ_ID_BITS |
                         (uint64_t)kind << FASTQ_PORT_BITS | port;
    if (s->vacant) {
        s->vacant = false;
        keyheap_replace(&s->q, key);
        return;
    }
    if (__builtin_expect(!keyheap_reserve(&s->q, s->q.n + 1), 0)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the events of a switch");
        return;
    }
    keyheap_put(&s->q, key);
    if (t < s->listed_ps)
        list(e, node, t);
}

int64_t window_first(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    for (;;) {
        const uint64_t key = w->order.h[0];
        const int64_t t = time_of(w, key);
        if (t == WEFT_NEVER || w->of[key & ((1u << NODE_BITS) - 1)].listed_ps == t)
            return t;
        keyheap_pop(&w->order);
    }
}

/* Moves the base to @p base; no event is earlier. */
static void rebase(struct weft_engine *e, int64_t base)
{
    struct windows *w = &e->windows;
    const uint64_t by = (uint64_t)(base - w->base) << FASTQ_ID_BITS;
    window_first(e);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->order.n; i++) /* superseded ones may be earlier, and go */
        if (w->order.h[i] >= by)
            w->order.h[kept++] = w->order.h[i] - by;
    w->order.n = 0;
    w->order.h[0] = kept ? w->order.h[0] : KEYHEAP_EMPTY;
    for (uint32_t i = 0; i < kept; i++)
        keyheap_put(&w->order, w->order.h[i]);
    for (uint32_t n = 0; n < e->fabric->nnodes; n++)
        for (uint32_t i = 0; i < w->of[n].q.n; i++)
            w->of[n].q.h[i] -= by;
    w->base = base;
}

/* ---- running ---- */

/* Executes the events of a switch before @p until_ps. */
static void run_node(struct weft_engine *e, uint32_t node, int64_t until_ps)
{
    struct windows *w = &e->windows;
    struct window_node *s = &w->of[node];
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    const uint64_t until = (uint64_t)(until_ps - w->base) << FASTQ_ID_BITS;
    s->listed_ps = INT64_MIN; /* no need to list what is pushed meanwhile */
    uint64_t key;
    uint32_t events = 0;
    while ((key = s->q.h[0]) < until) {
        e->now = e->due_ps = w->base + (int64_t)(key >> FASTQ_ID_BITS);
        s->vacant = true;
        if (fastq_kind(key) == EV_ARRIVE)
            port_arrive(e, fastq_port(key));
        else
            port_due(e, fastq_port(key));
        if (s->vacant) {
            s->vacant = false;
            keyheap_pop(&s->q);
        }
        events++;
    }
    if (e->now > w->last_ps)
        w->last_ps = e->now;
    e->tot.events += events;
    /* while its records are near, rather than at the other ends of its links */
    e->due_ps = until_ps;
    for (uint32_t i = n->first_port; events >= n->nports && i < n->first_port + n->nports; i++)
        port_settle(e, &e->ports[i], i);
    s->listed_ps = WEFT_NEVER;
    if (s->q.n)
        list(e, node, time_of(w, s->q.h[0]));
}

/* Executes the events of all switches before @p until_ps, at most one lookahead after those before
 * which all are over. */
static void run_window(struct weft_engine *e, int64_t until_ps)
{
    struct windows *w = &e->windows;
    const int64_t now = e->now, due_ps = e->due_ps;
    while (window_first(e) < until_ps && !e->err.code) {
        const uint32_t node = (uint32_t)w->order.h[0] & ((1u << NODE_BITS) - 1);
        keyheap_pop(&w->order);
        run_node(e, node, until_ps);
    }
    w->done_ps = until_ps;
    e->now = now;
    e->due_ps = due_ps;
}

/* No event of a switch is before @p t_ps, and none of a host that it could come from. */
static void done(struct weft_engine *e, int64_t t_ps)
{
    struct windows *w = &e->windows;
    if (t_ps > w->done_ps)
        w->done_ps = t_ps;
    if (w->done_ps - w->base > REBASE_PS)
        rebase(e, w->done_ps);
}

bool window_advance(struct weft_engine *e, int64_t t_ps)
{
    struct windows *w = &e->windows;
    const int64_t first = window_first(e);
    if (first >= t_ps) {
        if (t_ps != WEFT_NEVER)
            done(e, t_ps);
        return false;
    }
    done(e, first);
    const int64_t until_ps = w->done_ps + w->lookahead_ps;
    if (t_ps < until_ps)
        return false;
    run_window(e, until_ps);
    return true;
}

void window_run(struct weft_engine *e, int64_t until_ps)
{
    struct windows *w = &e->windows;
    if (!w->on)
        return;
    for (int64_t first; (first = window_first(e)) < until_ps && !e->err.code;) {
        done(e, first);
        const int64_t ahead_ps = w->done_ps + w->lookahead_ps;
        run_window(e, ahead_ps < until_ps ? ahead_ps : until_ps);
    }
    done(e, until_ps);
}
