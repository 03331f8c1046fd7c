/* SPDX-License-Identifier: GPL-2.0-only */
/* A packet goes onto a link. */
#ifndef WEFT_ENGINE_PORT_LINK_H
#define WEFT_ENGINE_PORT_LINK_H

#include "context.h"
#include "events.h"

/** Puts packet @p k, number @p i, at the end of the link of @p port, where it arrives at @p at_ps.
 */
static inline void put_on_link(struct weft_engine *e, uint32_t port, struct pkt *k, uint32_t i,
                               int64_t at_ps)
{
    struct link_end *l = &e->ends[port];
    struct list *fly = &l->fly;
    k->next = NIL;
    if (fly->head == NIL) {
        fly->head = i;
        engine_push_arrival(e, l, at_ps, port);
    } else {
        struct pkt *before = pkt_at(e, fly->tail);
        before->next = i;
        before->next_at_ps = at_ps;
    }
    fly->tail = i;
}

#endif
