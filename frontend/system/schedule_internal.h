/* SPDX-License-Identifier: GPL-2.0-only */
/* What schedule.c, schedule_coll.c (collectives) and schedule_list.c (what they add to) share. */
#ifndef WEFT_SYSTEM_SCHEDULE_INTERNAL_H
#define WEFT_SYSTEM_SCHEDULE_INTERNAL_H

#include "system/system_internal.h"
#include "system/schedule.h"

/** CPUs of a schedule, which do one thing at a time: what a rank does side by side has one each. */
enum weft_schedule_cpu {
    WEFT_SCHEDULE_ACCELERATOR,
    WEFT_SCHEDULE_CPU,
    WEFT_SCHEDULE_MESSAGES,
    WEFT_SCHEDULE_MEMORY,
    WEFT_SCHEDULE_JOINS,     /**< what takes no time */
    WEFT_SCHEDULE_REDUCTIONS /**< and up: of each lane of a collective's program */
};

/** The schedule of a rank as it grows. */
struct weft_schedule {
    struct weft_goal_op *ops;
    struct weft_goal_dep *deps;
    size_t nops, ndeps, op_cap, dep_cap;
    bool full; /**< out of memory, or too long */
};

/** Adds an operation; returns its number. */
uint32_t weft_schedule_op(struct weft_schedule *s, enum weft_goal_kind kind, uint64_t value,
                          uint32_t cpu);
/** The same for a message. */
uint32_t weft_schedule_message(struct weft_schedule *s, enum weft_goal_kind kind, uint64_t bytes,
                               uint32_t peer, uint32_t tag);
/** @p op waits for @p on, with @p start for its beginning alone. */
void weft_schedule_wait(struct weft_schedule *s, uint32_t op, uint32_t on, bool start);
/** Time in the units of a schedule, nanoseconds. */
static inline uint64_t weft_schedule_ns(int64_t ps)
{
    return ((uint64_t)ps + 500) / 1000;
}

/** A collective on one of its ranks. */
struct weft_schedule_coll {
    const struct weft_system_params *p;
    const struct weft_group *group;
    const struct weft_coll_ops *ops;
    struct weft_coll_call call;
    uint32_t position;
    uint32_t first_tag;  /**< of its messages */
    uint64_t lane_tags;  /**< tags of a lane */
    uint32_t begin, end; /**< out: operations that its parents, and its children, have to do with */
};
/** Lanes and instructions of the longest lane on this rank. */
void weft_schedule_coll_size(const struct weft_schedule_coll *c, uint64_t *lanes, uint64_t *instrs);
/** Adds the operations of a collective. */
int weft_schedule_coll(struct weft_schedule *s, struct weft_schedule_coll *c, struct weft_err *err);

#endif
