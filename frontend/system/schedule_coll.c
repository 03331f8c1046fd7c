/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A collective as operations of a GOAL schedule: each instruction of its program is a send, a recv
 * (and, where adding up takes time, a calc behind it) or a calc.
 *
 * An instruction is issued once the one before it in its lane has been: `irequires`. What waits for
 * it to be done has `requires`, or `irequires` if it is a send, which is done once it is posted;
 * where all up to an instruction have to be done, a calc of no time joins them.
 */
#include "system/schedule_internal.h"

#include "base/grow.h"

#include <stdlib.h>

/* Where an instruction is. */
struct place {
    uint32_t begin, end;
    bool send; /* done as it begins */
};

/* All instructions of a lane up to one are done. */
struct join {
    uint64_t upto;
    uint32_t op;
};

struct lane {
    struct place *places;
    uint64_t n;
    struct join *joins; /* in ascending order */
    size_t njoins, cap;
};

struct maker {
    struct weft_schedule *s;
    const struct weft_schedule_coll *c;
    struct lane *lanes;
    uint32_t nlanes;
};

void weft_schedule_coll_size(const struct weft_schedule_coll *c, uint64_t *lanes, uint64_t *instrs)
{
    *lanes = weft_coll_lanes(c->ops, &c->call, c->position);
    *instrs = 0;
    for (uint32_t k = 0; k < *lanes; k++) {
        const uint64_t n = c->ops->count(&c->call, c->position, k);
        *instrs = n > *instrs ? n : *instrs;
    }
}

static void schedule_coll_fetch(const struct maker *m, uint32_t lane, uint64_t i,
                                struct weft_coll_instr *in)
{
    *in = (struct weft_coll_instr){0};
    m->c->ops->instr(&m->c->call, m->c->position, lane, i, in);
}

static void wait_done(struct maker *m, uint32_t op, const struct place *on)
{
    weft_schedule_wait(m->s, op, on->send ? on->begin : on->end, on->send);
}

static int64_t cost_ps(const struct maker *m, const struct weft_coll_instr *in, uint64_t bytes)
{
    switch (in->action) {
    case WEFT_COLL_RECV:
    case WEFT_COLL_RECV_REDUCE:
        return weft_reduce_ps(m->c->p, weft_coll_added_bytes(in, bytes));
    case WEFT_COLL_COPY:
        return weft_copy_ps(m->c->p, bytes);
    case WEFT_COLL_ADD:
        return weft_reduce_ps(m->c->p, bytes);
    case WEFT_COLL_COMPUTE:
        return in->duration_ps;
    default:
        return 0;
    }
}

static void instruction(struct maker *m, uint32_t lane, uint64_t i, struct place *out)
{
    const struct weft_schedule_coll *c = m->c;
    struct weft_coll_instr in;
    schedule_coll_fetch(m, lane, i, &in);
    const bool send = in.action == WEFT_COLL_SEND;
    const bool recv = in.action == WEFT_COLL_RECV || in.action == WEFT_COLL_RECV_REDUCE;
    const bool moves = in.action != WEFT_COLL_COMPUTE && in.action != WEFT_COLL_NOP;
    const uint64_t bytes =
        moves ? weft_coll_instr_bytes(c->ops, &c->call, c->position, lane, i, &in) : 0;
    const bool message = (send || recv) && !(c->call.pairs && bytes == 0);
    const uint64_t ns = weft_schedule_ns(cost_ps(m, &in, bytes));
    const uint64_t tag =
        send ? in.peer_lane * c->lane_tags + in.peer_instr : lane * c->lane_tags + i;
    const uint32_t cpu = ns ? WEFT_SCHEDULE_REDUCTIONS + lane % 200 : WEFT_SCHEDULE_JOINS;
    out->send = send && message;
    if (message)
        out->begin = out->end =
            weft_schedule_message(m->s, send ? WEFT_GOAL_SEND : WEFT_GOAL_RECV, bytes,
                                  c->group->ranks[in.peer], c->first_tag + (uint32_t)tag);
    if (!message || ns)
        out->end = weft_schedule_op(m->s, WEFT_GOAL_CALC, ns, cpu);
    if (!message)
        out->begin = out->end;
    else if (ns)
        weft_schedule_wait(m->s, out->end, out->begin, false);
}

/* What is done when the instructions of a lane up to @p upto are. */
static uint32_t schedule_coll_join(struct maker *m, struct lane *l, uint64_t upto)
{
    size_t at = l->njoins;
    while (at > 0 && l->joins[at - 1].upto > upto)
        at--;
    if (at > 0 && l->joins[at - 1].upto == upto)
        return l->joins[at - 1].op;
    const uint32_t op = weft_schedule_op(m->s, WEFT_GOAL_CALC, 0, WEFT_SCHEDULE_JOINS);
    uint64_t from = 0;
    if (at > 0) {
        weft_schedule_wait(m->s, op, l->joins[at - 1].op, false);
        from = l->joins[at - 1].upto + 1;
    }
    for (uint64_t i = from; i <= upto && i < l->n; i++)
        wait_done(m, op, &l->places[i]);
    if (at < l->njoins)
        return op;
    if (!WEFT_GROW(l->joins, l->njoins, &l->cap)) {
        m->s->full = true;
        return op;
    }
    l->joins[l->njoins++] = (struct join){upto, op};
    return op;
}

static void schedule_coll_wait_for(struct maker *m, uint32_t lane, uint64_t i)
{
    const struct place *at = &m->lanes[lane].places[i];
    struct weft_coll_instr in;
    schedule_coll_fetch(m, lane, i, &in);
    if (i)
        weft_schedule_wait(m->s, at->begin, at[-1].begin, true);
    else
        weft_schedule_wait(m->s, at->begin, m->c->begin, false);
    struct lane *on = &m->lanes[in.dep != WEFT_COLL_DEP_NONE ? in.dep_lane : 0];
    if (in.dep == WEFT_COLL_DEP_INSTR)
        wait_done(m, at->begin, &on->places[in.dep_instr]);
    else if (in.dep == WEFT_COLL_DEP_UPTO)
        weft_schedule_wait(m->s, at->begin, schedule_coll_join(m, on, in.dep_instr), false);
}

static int make_lanes(struct maker *m)
{
    const struct weft_schedule_coll *c = m->c;
    m->nlanes = c->call.n > 1 ? weft_coll_lanes(c->ops, &c->call, c->position) : 0;
    m->lanes = calloc(m->nlanes + 1u, sizeof *m->lanes);
    for (uint32_t k = 0; m->lanes && k < m->nlanes; k++) {
        struct lane *l = &m->lanes[k];
        l->n = c->ops->count(&c->call, c->position, k);
        l->places = calloc(l->n + 1, sizeof *l->places);
        if (!l->places)
            return -1;
    }
    return m->lanes ? 0 : -1;
}

int weft_schedule_coll(struct weft_schedule *s, struct weft_schedule_coll *c, struct weft_err *err)
{
    struct maker m = {.s = s, .c = c};
    const int rc = make_lanes(&m) ? weft_err_no_memory(err, "a schedule") : 0;
    c->begin = weft_schedule_op(s, WEFT_GOAL_CALC, 0, WEFT_SCHEDULE_JOINS);
    for (uint32_t k = 0; !rc && k < m.nlanes; k++)
        for (uint64_t i = 0; i < m.lanes[k].n && !s->full; i++)
            instruction(&m, k, i, &m.lanes[k].places[i]);
    for (uint32_t k = 0; !rc && k < m.nlanes; k++)
        for (uint64_t i = 0; i < m.lanes[k].n && !s->full; i++)
            schedule_coll_wait_for(&m, k, i);
    c->end = weft_schedule_op(s, WEFT_GOAL_CALC, 0, WEFT_SCHEDULE_JOINS);
    weft_schedule_wait(s, c->end, c->begin, false);
    for (uint32_t k = 0; !rc && k < m.nlanes; k++)
        for (uint64_t i = 0; i < m.lanes[k].n && !s->full; i++)
            wait_done(&m, c->end, &m.lanes[k].places[i]);
    for (uint32_t k = 0; m.lanes && k < m.nlanes; k++) {
        free(m.lanes[k].places);
        free(m.lanes[k].joins);
    }
    free(m.lanes);
    return rc;
}
