/* SPDX-License-Identifier: GPL-2.0-only */
/* What is noted of the order in a symbolic run, see checker_order.c; internal to checker*.c. */
#ifndef WEFT_COLLECTIVE_CHECKER_ORDER_H
#define WEFT_COLLECTIVE_CHECKER_ORDER_H

#include "collective/checker_clock.h"
#include "collective/checker_state.h"

/* Who touched a slot: 1 + lane of its rank, or 0, and the instruction. */
struct weft_checker_touch {
    uint32_t lane1, instr;
};

struct weft_checker_more_reads {
    uint32_t n, cap;
    struct weft_checker_touch at[];
};

/* There are many slots, and most have one reader at a time. */
struct weft_checker_slot_log {
    struct weft_checker_touch write; /* the last one */
    struct weft_checker_touch read;  /* since then, at most one per lane; */
    struct weft_checker_more_reads *more;
};

/* Instructions of a lane that others wait for, receives included. */
struct weft_checker_lane_log {
    struct weft_clock clock; /* of what comes next */
    struct weft_clock *end;  /* per instruction: of its end; of a receive, first of its message */
    uint32_t *waiters;       /* per instruction: that have not yet gone on */
    bool after_receive;      /* the instruction before the next one is one */
};

struct weft_checker_order {
    struct weft_checker *c;
    uint32_t *first; /* per rank: its first lane among all */
    uint32_t nlanes; /* of all ranks */
    struct weft_clock_memory memory;
    struct weft_checker_lane_log *lane;
    struct weft_checker_slot_log *slot; /* n * slots */
};

static inline struct weft_checker_lane_log *weft_checker_log(const struct weft_checker_order *o,
                                                             uint32_t r, uint32_t lane)
{
    return &o->lane[o->first[r] + lane];
}

/* checker_heard.c */
/** After the run: whether each rank has heard of all that others wrote into it. */
int weft_checker_heard_of(struct weft_checker_order *o);

#endif
