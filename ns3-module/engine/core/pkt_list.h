/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of packets. */
#ifndef WEFT_ENGINE_PKT_LIST_H
#define WEFT_ENGINE_PKT_LIST_H

#include "base/require.h"
#include "context.h"

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

#endif
