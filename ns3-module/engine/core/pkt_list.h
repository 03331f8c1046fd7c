/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of packets: queues, and links. */
#ifndef WEFT_ENGINE_PKT_LIST_H
#define WEFT_ENGINE_PKT_LIST_H

#include "base/require.h"
#include "context.h"
#include "events.h"

static inline void list_append(struct weft_engine *e, struct list *l, struct pkt *k, uint32_t i)
{
    k->next = NIL;
    if (l->head == NIL)
        l->head = i;
    else
        pkt_at(e, l->tail)->next = i;
    l->tail = i;
}
/** Takes the first packet, which is @p k. */
static inline void list_take(struct list *l, const struct pkt *k)
{
    WEFT_REQUIRE(l->head != NIL);
    l->head = k->next;
}

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
