/* SPDX-License-Identifier: GPL-2.0-only */
/* When a port looks for its next packet; see lazy.c. */
#ifndef WEFT_ENGINE_PORT_CATCH_UP_H
#define WEFT_ENGINE_PORT_CATCH_UP_H

#include "context.h"
#include "events.h"

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
static inline void port_settle(struct weft_engine *e, struct port *p, uint32_t port)
{
    if (p->armed_ps < e->loop.due_ps)
        e->port_ops.catch_up(e, p, port, e->loop.due_ps);
}

#endif
