/* SPDX-License-Identifier: GPL-2.0-only */
/* The operations of a rank's schedule, and what waits for what, as they are added. */
#include "system/schedule_internal.h"

#include "base/grow.h"

#include <stdlib.h>

#define OPS_MAX (UINT32_MAX / 8) /* of a rank */

uint32_t weft_schedule_op(struct weft_schedule *s, enum weft_goal_kind kind, uint64_t value,
                          uint32_t cpu)
{
    s->full |= s->nops >= OPS_MAX || !WEFT_GROW(s->ops, s->nops, &s->op_cap);
    if (s->full)
        return 0;
    s->ops[s->nops] = (struct weft_goal_op){.kind = (uint8_t)kind, .value = value, .cpu = cpu};
    return (uint32_t)s->nops++;
}

uint32_t weft_schedule_message(struct weft_schedule *s, enum weft_goal_kind kind, uint64_t bytes,
                               uint32_t peer, uint32_t tag)
{
    const uint32_t op = weft_schedule_op(s, kind, bytes, WEFT_SCHEDULE_MESSAGES);
    if (!s->full) {
        s->ops[op].peer = peer;
        s->ops[op].tag = tag;
    }
    return op;
}

void weft_schedule_wait(struct weft_schedule *s, uint32_t op, uint32_t on, bool start)
{
    s->full |= s->ndeps >= OPS_MAX || !WEFT_GROW(s->deps, s->ndeps, &s->dep_cap);
    if (!s->full)
        s->deps[s->ndeps++] = (struct weft_goal_dep){op, on, start};
}
