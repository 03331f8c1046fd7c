/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions of MSCCL++ plans, and the lanes that serve other GPUs; see mscclpp_read.c. */
#include "collective/mscclpp.h"

#include <stdio.h>
#include <string.h>

void *mscclpp_grow(struct mscclpp *p, void *old, uint64_t n, uint64_t cap, size_t size)
{
    void *to = weft_arena_calloc(p->m->arena, cap, size);
    if (!to)
        p->code = weft_err_set(p->err, WEFT_E_LIMIT, "out of memory for %s", p->file);
    else if (n)
        memcpy(to, old, n * size);
    return to;
}

/* Appends an instruction, which waits for the one before it; NULL: no memory. */
struct weft_msccl_instr *mscclpp_emit(struct mscclpp *p, struct mscclpp_at at,
                                      enum weft_coll_action action)
{
    struct weft_msccl_lane *l = &p->m->gpus[at.gpu].lanes[at.lane];
    if (l->n == l->nsteps) { /* until the program is there, nsteps is the room */
        struct weft_msccl_instr *more =
            mscclpp_grow(p, l->instrs, l->n, 2 * l->n + 4, sizeof *more);
        if (!more)
            return NULL;
        l->instrs = more;
        l->nsteps = 2 * l->n + 4;
    }
    struct weft_msccl_instr *in = &l->instrs[l->n++];
    in->line = p->line;
    in->col = p->col;
    in->in.action = action;
    in->in.step = at.op;
    if (l->n > 1) {
        in->in.dep = WEFT_COLL_DEP_INSTR;
        in->in.dep_lane = at.lane;
        in->in.dep_instr = l->n - 2;
    }
    return in;
}

/* Index of the last instruction of a lane. */
static uint64_t mscclpp_last(const struct mscclpp *p, struct mscclpp_at at)
{
    return p->m->gpus[at.gpu].lanes[at.lane].n - 1;
}

/* The lane of GPU `to` for what threadblock `at` does there. */
static uint32_t lane_for(struct mscclpp *p, uint32_t to, struct mscclpp_at at,
                         enum mscclpp_service what)
{
    struct weft_msccl_gpu *g = &p->m->gpus[to];
    uint32_t *lane =
        &p->service[((uint64_t)to * p->ntbs + p->first_tb[at.gpu] + at.lane) * MSCCLPP_SERVICES +
                    what];
    if (*lane)
        return *lane - 1;
    if (g->nlanes == p->room[to]) {
        struct weft_msccl_lane *more =
            mscclpp_grow(p, g->lanes, g->nlanes, 2 * g->nlanes + 4, sizeof *more);
        if (!more)
            return 0;
        g->lanes = more;
        p->room[to] = 2 * g->nlanes + 4;
    }
    g->lanes[g->nlanes] = (struct weft_msccl_lane){.send = -1,
                                                   .recv = -1,
                                                   .channel = -1,
                                                   .served = true,
                                                   .for_gpu = at.gpu,
                                                   .for_tb = at.lane};
    *lane = ++g->nlanes;
    return *lane - 1;
}

/* A message from one lane to another; its receive goes behind the others of that lane. */
static void mscclpp_emit_message(struct mscclpp *p, struct mscclpp_at from, uint64_t source,
                                 struct mscclpp_at to, uint64_t slot, uint64_t n)
{
    struct weft_msccl_instr *recv = p->code ? NULL : mscclpp_emit(p, to, WEFT_COLL_RECV);
    if (!recv)
        return;
    recv->in.peer = from.gpu;
    recv->in.nblocks = n;
    recv->in.first_block = slot;
    struct weft_msccl_instr *send = mscclpp_emit(p, from, WEFT_COLL_SEND);
    if (!send)
        return;
    send->in.peer = to.gpu;
    send->in.nblocks = n;
    send->in.first_block = source;
    send->in.peer_lane = to.lane;
    send->in.peer_instr = mscclpp_last(p, to);
}

struct mscclpp_at mscclpp_put(struct mscclpp *p, struct mscclpp_at at, uint64_t source, uint32_t to,
                              uint64_t slot, uint64_t n, bool relaxed)
{
    struct mscclpp_at there = {to, lane_for(p, to, at, relaxed ? MSCCLPP_RELAXED : MSCCLPP_WRITES),
                               at.op};
    mscclpp_emit_message(p, at, source, there, slot, n);
    return there;
}

void mscclpp_get(struct mscclpp *p, struct mscclpp_at at, uint32_t from, uint64_t source,
                 uint64_t slot, uint64_t n)
{
    const struct mscclpp_at there = {from, lane_for(p, from, at, MSCCLPP_READS), at.op};
    mscclpp_emit_message(p, at, 0, there, 0, 0);
    mscclpp_emit_message(p, there, source, at, slot, n);
}

void mscclpp_local(struct mscclpp *p, struct mscclpp_at at, enum weft_coll_action action,
                   uint64_t source, uint64_t slot, uint64_t n)
{
    if (action == WEFT_COLL_COPY && source == slot)
        return;
    struct weft_msccl_instr *in = p->code ? NULL : mscclpp_emit(p, at, action);
    if (!in)
        return;
    in->in.source = source;
    in->in.first_block = slot;
    in->in.nblocks = n;
}

void mscclpp_wait(struct mscclpp *p, struct mscclpp_at at, struct mscclpp_wait w)
{
    if (p->code || !mscclpp_emit(p, at, WEFT_COLL_NOP) || !mscclpp_emit(p, at, WEFT_COLL_NOP))
        return;
    w.at = at;
    w.instr = mscclpp_last(p, at);
    if (p->nwaits == MSCCLPP_EVENTS_MAX) {
        mscclpp_wrong(p, at, "more than 65536 waits in a plan", NULL);
        return;
    }
    if (p->nwaits == p->waits_room) {
        struct mscclpp_wait *more =
            mscclpp_grow(p, p->waits, p->nwaits, 2 * p->nwaits + 16, sizeof *more);
        if (!more)
            return;
        p->waits = more;
        p->waits_room = 2 * p->nwaits + 16;
    }
    p->waits[p->nwaits++] = w;
}

void mscclpp_event(struct mscclpp *p, struct mscclpp_event e)
{
    if (p->code)
        return;
    e.instr = mscclpp_last(p, e.at);
    if (p->nevents == MSCCLPP_EVENTS_MAX) {
        mscclpp_wrong(p, e.at, "more than 65536 signals and packets in a plan", NULL);
        return;
    }
    if (p->nevents == p->events_room) {
        struct mscclpp_event *more =
            mscclpp_grow(p, p->events, p->nevents, 2 * p->nevents + 16, sizeof *more);
        if (!more)
            return;
        p->events = more;
        p->events_room = 2 * p->nevents + 16;
    }
    p->events[p->nevents++] = e;
}

int mscclpp_wrong(struct mscclpp *p, struct mscclpp_at at, const char *fmt, const char *what)
{
    char text[256];
    const struct weft_msccl_lane *l = &p->m->gpus[at.gpu].lanes[at.lane];
    if (p->code)
        return p->code;
    snprintf(text, sizeof text, fmt, what ? what : "");
    return p->code =
               weft_err_at(p->err, WEFT_E_INPUT, p->file, p->line, p->col,
                           "gpus[%u].threadblocks[%u].ops[%u]: %s", l->served ? l->for_gpu : at.gpu,
                           l->served ? l->for_tb : at.lane, at.op, text);
}
