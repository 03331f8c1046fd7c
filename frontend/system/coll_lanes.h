/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions of a program that runs, and which of them are done. Between coll_prog.c and
 * coll_lanes.c. */
#ifndef WEFT_SYSTEM_COLL_LANES_H
#define WEFT_SYSTEM_COLL_LANES_H

#include "system/coll.h"

static inline uint32_t weft_prog_rank(const struct weft_prog *p, uint32_t position)
{
    return p->base + p->ranks[position] * p->stride;
}

static inline uint64_t weft_prog_tag(const struct weft_prog *p, uint32_t lane, uint64_t i)
{
    return (p->key << p->sys->lane_bits | lane) << p->sys->instr_bits | i;
}

static inline void weft_prog_instr(const struct weft_prog *p, uint32_t lane, uint64_t i,
                                   struct weft_coll_instr *in)
{
    *in = (struct weft_coll_instr){0};
    p->ops->instr(&p->call, p->position, lane, i, in);
}

static inline uint64_t weft_prog_bytes(const struct weft_prog *p, uint32_t lane, uint64_t i,
                                       const struct weft_coll_instr *in)
{
    return weft_coll_instr_bytes(p->ops, &p->call, p->position, lane, i, in);
}

static inline bool weft_prog_is_done(const struct weft_prog_lane *l, uint64_t i)
{
    if (i < l->prefix)
        return true;
    if (i / 64 - l->prefix / 64 >= l->nwords)
        return false; /* no room was needed for it yet */
    return l->done[(i / 64) & (l->nwords - 1)] >> (i % 64) & 1;
}

/** Whether instruction @p i can be marked as done without asking for memory. */
static inline bool weft_prog_has_room(const struct weft_prog_lane *l, uint64_t i)
{
    return i / 64 - l->prefix / 64 < l->nwords;
}

/** Ends the run with an error of this rank. */
void weft_prog_fail(struct weft_prog *p, int code, const char *what);
/** The message of @p bytes that a send instruction posts, but for its token. */
void weft_prog_message(const struct weft_prog *p, const struct weft_coll_instr *in, uint64_t bytes,
                       struct weft_msg *out);
/** Instruction @p i of a lane is done. */
void weft_prog_mark_done(struct weft_prog *p, struct weft_prog_lane *l, uint64_t i);

#endif
