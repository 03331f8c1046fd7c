/* SPDX-License-Identifier: GPL-2.0-only */
/* Adding events: to the queues of the loop, and to those of switches that run in windows. */
#ifndef WEFT_ENGINE_EVENTS_H
#define WEFT_ENGINE_EVENTS_H

#include "context.h"
#include "executor.h"

/** Adds to an event queue; fails the engine when out of memory. */
static inline void engine_push(struct weft_engine *e, struct evq *q, int64_t t, uint64_t id)
{
    if (__builtin_expect(!evq_push(q, t, id), 0))
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the event queue (%u entries)", q->n);
}

/** Adds an event of switch @p node. */
static inline void window_push(struct weft_engine *e, uint32_t node, int64_t t, enum ev_kind kind,
                               uint32_t port)
{
    struct window_node *s = &e->windows.of[node];
    const uint64_t key = fastq_key(e->windows.base, t, kind, port);
    if (s->vacant) {
        s->vacant = false;
        keyheap_replace(&s->q, key);
    } else {
        window_add(e, node, t, key);
    }
}

/** The same for the switch that is running, as the first thing that its present event adds. */
static inline void window_push_next(struct weft_engine *e, int64_t t, enum ev_kind kind,
                                    uint32_t port)
{
    struct window_node *s = e->windows.running;
    s->vacant = false;
    keyheap_replace(&s->q, fastq_key(e->windows.base, t, kind, port));
}

/** Adds a timer of host @p host. */
static inline void engine_push_timer(struct weft_engine *e, uint32_t host, int64_t t, uint64_t id)
{
    struct agenda *a =
        __builtin_expect(e->parts != NULL, 0) ? e->executor->agenda(e, host) : &e->loop.agenda;
    engine_push(e, &a->slow, t, id);
}

/** Queues an event of port @p port at node @p node: where it runs in windows, in the node's own. */
static inline void engine_push_at(struct weft_engine *e, bool in_windows, uint32_t node, int64_t t,
                                  enum ev_kind kind, uint32_t port)
{
    if (in_windows)
        window_push(e, node, t, kind, port);
    else if (__builtin_expect(e->parts != NULL, 0))
        e->executor->push(e, t, kind, port);
    else if (__builtin_expect(!fastq_push(&e->loop.agenda.fast, e->now, t, kind, port), 0))
        engine_push(e, &e->loop.agenda.slow, t, EV_ID(kind, port));
}

/** Queues the arrival at the end @p l of the link of @p port. */
static inline void engine_push_arrival(struct weft_engine *e, const struct link_end *l, int64_t t,
                                       uint32_t port)
{
    engine_push_at(e, l->ends & FAR_IN_WINDOWS, l->far, t, EV_ARRIVE, port);
}

/** Queues the next transmission of port @p p, number @p port. */
static inline void engine_push_tx(struct weft_engine *e, const struct port *p, int64_t t,
                                  uint32_t port)
{
    engine_push_at(e, p->own_ends & OWN_IN_WINDOWS, p->node, t, EV_TX, port);
}

/** The same of either kind. */
static inline void engine_push_port(struct weft_engine *e, int64_t t, enum ev_kind kind,
                                    uint32_t port)
{
    if (kind == EV_ARRIVE)
        engine_push_arrival(e, &e->ends[port], t, port);
    else
        engine_push_tx(e, &e->ports[port], t, port);
}

/** The port looks for something to send at @p at_ps, if not earlier. */
static inline void port_arm(struct weft_engine *e, struct port *p, uint32_t port, int64_t at_ps)
{
    if (p->armed_ps <= at_ps)
        return; /* it will look again earlier than that */
    p->armed_ps = at_ps;
    if (__builtin_expect(e->path.rare & RARE_ORDER, 0))
        p->armed_order = p->sending ? p->end_order : ++e->loop.order;
    if (!p->lazy)
        engine_push_tx(e, p, at_ps, port);
}

/** The same up to now, if it owes any: before anything that its queues, its pauses or its counters
 * have a part in. */
static inline void port_catch_up(struct weft_engine *e, struct port *p, uint32_t port)
{
    if (p->armed_ps < e->loop.due_ps)
        e->port_ops.catch_up(e, p, port, e->loop.due_ps);
}

#endif
