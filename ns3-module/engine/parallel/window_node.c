/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of one switch in a window: window.h. */
#include "window.h"
#include "core/agenda.h"
#include "core/context.h"
#include "core/heap.h"
#include "core/port.h"
#include "core/windows.h"

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
        __builtin_prefetch(&p->st, 1);
        if (!s->apart) /* else other threads have most of them */
            __builtin_prefetch(&e->ends[i], 1);
        __builtin_prefetch(&p->lane[e->p.transport.data_prio], 1);
    }
    for (uint32_t i = 0; i < s->q.n; i++)
        if (s->q.h[i] < until)
            __builtin_prefetch(&e->ends[fastq_port(s->q.h[i])].fly, 1);
    for (uint32_t i = 0; i < s->q.n; i++) {
        const uint32_t port = fastq_port(s->q.h[i]);
        const struct link_end *l = &e->ends[port];
        if (s->q.h[i] >= until)
            continue;
        if (!(l->ends & e->path.apart)) /* else another thread may be there */
            __builtin_prefetch(&e->ports[port], 1);
        if (fastq_kind(s->q.h[i]) == EV_ARRIVE && l->fly.head != NIL)
            __builtin_prefetch(pkt_at(e, l->fly.head), 1);
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
 * queue has time to come from memory. Whether more will come later. */
static bool catch_up_in_turns(struct weft_engine *e, const struct weft_fabric_node *n,
                              int64_t until_ps)
{
    bool more = true, deferred = false;
    while (more) {
        more = deferred = false;
        struct port *p = &e->ports[n->first_port];
        for (const struct port *end = p + n->nports; p < end; p++) {
            if (p->armed_ps == WEFT_NEVER || !p->lazy)
                continue;
            if (p->armed_ps < until_ps) {
                e->port_ops.catch_up(e, p, (uint32_t)(p - e->ports), p->armed_ps + 1);
                more = true;
            }
            deferred |= p->armed_ps != WEFT_NEVER;
        }
    }
    return deferred;
}

bool window_catch_up_node(struct weft_engine *e, uint32_t node, int64_t until_ps)
{
    return e->windows.of[node].suspended || catch_up_in_turns(e, &e->fabric->nodes[node], until_ps);
}

/* A switch's part of a window. */
struct node_turn {
    struct window_node *node;
    uint64_t until; /**< keys from this one on are left */
    uint32_t events;
};

static inline bool next_of_node(struct weft_engine *e, void *ctx, struct loop_event *ev)
{
    const struct node_turn *t = ctx;
    ev->d.key = t->node->q.h[0];
    return ev->d.key < t->until;
}

/* The place of the event in the heap is that of the first one that it adds. */
static inline void run_of_node(struct weft_engine *e, void *ctx, const struct loop_event *ev)
{
    struct node_turn *t = ctx;
    struct window_node *s = t->node;
    t->events++;
    e->now = e->loop.due_ps = e->windows.base + (int64_t)(ev->d.key >> FASTQ_ID_BITS);
    s->vacant = true;
    agenda_run_key(e, ev->d.key);
    if (s->vacant) {
        keyheap_pop(&s->q);
        s->vacant = false;
    }
}

void window_run_node(struct weft_engine *e, uint32_t node, uint64_t until, int64_t caught_up_ps)
{
    struct windows *w = &e->windows;
    struct window_node *s = &w->of[node];
    const struct weft_fabric_node *n = &e->fabric->nodes[node];
    struct node_turn turn = {s, until, 0};
    w->running = s;
    window_mark(w, node)->listed_ps = INT64_MIN; /* no need to list what is added meanwhile */
    if (e->pkts.pool.live > e->pkts.prefetch_above && s->events >= n->nports)
        fetch(e, s, n, until);
    loop_events(e, &turn, next_of_node, run_of_node);
    const uint32_t events = turn.events;
    w->running = NULL;
    if (e->now > w->last_ps)
        w->last_ps = e->now;
    e->tot.events += events;
    s->events = events;
    s->deferred = true;
    if (s->apart && e->worker)
        s->deferred = window_catch_up_node(e, node, caught_up_ps);
    else if (events >= n->nports) /* with fewer, looking at all ports costs more */
        catch_up_in_turns(e, n, caught_up_ps);
    if (!e->worker) /* threads list nothing */
        window_mark(w, node)->listed_ps = window_time(w, s->q.h[0]);
    window_note_first(w, node);
}
