/* SPDX-License-Identifier: GPL-2.0-only */
/* What an agreed order says, while it is made and when it is followed. */
#include "system/agreed_sim.h"

void weft_agreed_order_plan(const struct weft_agreed_order *o, uint64_t chunk,
                            struct weft_coll_plan *out)
{
    uint32_t order[WEFT_DIMS_MAX];
    for (uint32_t i = 0; i < o->dims.n; i++)
        order[i] = o->order[chunk * o->dims.n + i];
    weft_coll_plan_phases(o->p.kind, order, o->dims.n, o->turn, out);
}

uint32_t weft_agreed_order_queues(const struct weft_agreed_order *o)
{
    return o->nqueues;
}

int weft_agreed_order_turn(const struct weft_agreed_order *o, uint32_t q, uint64_t i,
                           struct weft_agreed_turn *out)
{
    if (i >= o->queue[q].nturns)
        return 0;
    *out = o->queue[q].turns[i];
    return 1;
}
