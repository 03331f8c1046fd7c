/* SPDX-License-Identifier: GPL-2.0-only */
/* A packet goes onto a link. */
#ifndef WEFT_ENGINE_PORT_LINK_H
#define WEFT_ENGINE_PORT_LINK_H

#include "context.h"
#include "events.h"

/** Puts packet @p k, number @p i, at the end of the link of port @p p, where it arrives at @p
 * at_ps. */
static inline void put_on_link(struct weft_engine *e, struct port *p, uint32_t port, struct pkt *k,
                               uint32_t i, int64_t at_ps)
{
    k->next = NIL;
    if (p->fly.head == NIL) {
        p->fly.head = i;
        engine_push_port(e, at_ps, EV_ARRIVE, port);
    } else {
        struct pkt *before = pkt_at(e, p->fly.tail);
        before->next = i;
        before->next_at_ps = at_ps;
    }
    p->fly.tail = i;
}

#endif
