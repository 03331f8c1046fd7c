/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much payload a workload moves: what progress is measured against.
 *
 * A collective is counted once, at the first member of its group, as the sum over its chunks and
 * phases; what the programs send follows from the call alone, so nothing of it need have run. Over
 * dimensions, the sum is the same in any order of them. Equal collectives are worked out once.
 */
#include "system/remote.h"

#include <stdbool.h>

/* Different collectives that are remembered. */
#define KNOWN 64

/* What the volume of a collective follows from. */
struct key {
    uint32_t group;
    enum weft_coll_kind kind; /* as simulated */
    uint32_t root;
    uint64_t bytes;
    uint32_t involved;
    const struct weft_choice *choice;
};

struct known {
    struct key key[KNOWN];
    uint64_t bytes[KNOWN];
    size_t n;
};

static bool equal(const struct key *a, const struct key *b)
{
    return a->group == b->group && a->kind == b->kind && a->root == b->root &&
           a->bytes == b->bytes && a->involved == b->involved && a->choice == b->choice;
}

/* Payload that arrives at hosts in one phase of one chunk, of all its ranks together. */
static uint64_t phase_bytes(const struct weft_coll_ops *ops, const struct weft_coll_call *c)
{
    uint64_t sum = 0;
    if (c->n < 2)
        return 0;
    if (!ops->in_network)
        return ops->total_bytes(c);
    const uint64_t n = ops->count(c, 0, 0);
    for (uint64_t i = 0; i < n; i++) {
        struct weft_coll_instr in = {0};
        ops->instr(c, 0, 0, i, &in);
        if (in.action != WEFT_COLL_SWITCH)
            continue;
        const uint64_t takers = in.to != WEFT_COLL_ALL     ? 1
                                : in.from == WEFT_COLL_ALL ? c->n
                                                           : c->n - 1;
        sum += takers * weft_coll_instr_bytes(ops, c, 0, 0, i, &in);
    }
    return sum;
}

/* One chunk that all members play as one. */
static uint64_t whole_bytes(const struct weft_system *s, const struct weft_op *op,
                            struct weft_coll_call call, uint64_t chunk)
{
    const struct weft_choice *choice = weft_choice_of(&s->choices, op);
    const struct weft_coll_algorithm *a = &choice->alg[0];
    call.bytes = weft_coll_chunk_bytes(call.bytes, weft_choice_chunks(choice, s->p), chunk);
    weft_site_use(&s->sites, &call, op->group, a);
    return phase_bytes(a->ops, &call);
}

/* One chunk that goes through the dimensions: each phase counted at the rank with the first place
 * in it. */
static uint64_t phased_bytes(const struct weft_system *s, const struct weft_op *op,
                             const struct weft_shape *shape, const struct weft_coll_call *call,
                             uint64_t chunk)
{
    const struct weft_group *g = &s->w->groups[op->group];
    const struct weft_choice *choice = weft_choice_of(&s->choices, op);
    uint32_t order[WEFT_DIMS_MAX];
    struct weft_coll_plan plan;
    uint64_t sum = 0;
    for (uint32_t d = 0; d < shape->dims.n; d++)
        order[d] = d;
    weft_coll_plan_phases(call->kind, order, shape->dims.n,
                          s->p->all_reduce_phases ? WEFT_COLL_TURN_WHOLE : WEFT_COLL_TURN_FOLD,
                          &plan);
    for (uint32_t m = 0; m < g->n; m++) {
        struct weft_coll_cursor cursor;
        uint32_t place[WEFT_DIMS_MAX] = {0};
        weft_shape_place(shape, &s->dims, g->ranks[m], place);
        weft_coll_cursor_begin(&cursor, &shape->dims, place,
                               weft_coll_chunk_bytes(call->bytes, s->p->chunks, chunk));
        for (uint32_t i = 0; i < plan.n; i++) {
            const uint32_t d = plan.phase[i].dim;
            const struct weft_coll_algorithm *a = weft_choice_in(choice, shape->fabric_dim[d]);
            struct weft_coll_call phase = *call;
            weft_coll_cursor_call(&cursor, &plan.phase[i], &phase);
            weft_coll_use(&phase, a);
            if (place[d] == 0)
                sum += phase_bytes(a->ops, &phase);
            weft_coll_cursor_next(&cursor, &plan.phase[i]);
        }
    }
    return sum;
}

static uint64_t collective_bytes(const struct weft_system *s, const struct weft_op *op)
{
    const struct weft_group *g = &s->w->groups[op->group];
    struct weft_shape scratch;
    const struct weft_shape *shape = weft_shape_of(&s->shapes[op->group], op, &scratch);
    const struct weft_coll_call call = weft_call_of(g, s->position[op->group], op);
    const struct weft_choice *choice = weft_choice_of(&s->choices, op);
    const bool phased = choice->n > 1 || shape == &scratch;
    if (g->n < 2 || (shape == &scratch && shape->dims.n == 0))
        return 0;
    const uint64_t most = weft_choice_chunks(choice, s->p);
    const uint64_t chunks = weft_coll_chunks(call.bytes, most);
    const uint64_t full = weft_coll_chunk_bytes(call.bytes, most, 0);
    uint64_t sum = 0, last = 0;
    for (uint64_t i = 0; i < chunks; i++) {
        if (i == 0 || weft_coll_chunk_bytes(call.bytes, most, i) != full)
            last = phased ? phased_bytes(s, op, shape, &call, i) : whole_bytes(s, op, call, i);
        sum += last;
    }
    return sum;
}

/* What one rank of an all-to-all-v sends to the others. */
static uint64_t split_bytes(const struct weft_system *s, uint32_t rank, const struct weft_op *op)
{
    const struct weft_group *g = &s->w->groups[op->group];
    uint64_t sum = 0;
    for (uint32_t m = 0; m < g->n; m++)
        sum += g->ranks[m] == rank ? 0 : op->send_bytes[m];
    return sum;
}

/* The same for a collective that all members have in common; 0 but at the first of them. */
static uint64_t shared_bytes(const struct weft_system *s, struct known *known, uint32_t rank,
                             const struct weft_op *op)
{
    const struct key key = {.group = op->group,
                            .kind = weft_coll_run_as(op->coll),
                            .root = op->has_root ? op->root : 0,
                            .bytes = op->coll == WEFT_COLL_BARRIER ? 0 : op->bytes,
                            .involved = op->involved,
                            .choice = weft_choice_of(&s->choices, op)};
    if (s->w->groups[op->group].ranks[0] != rank)
        return 0;
    const size_t held = known->n < KNOWN ? known->n : KNOWN;
    for (size_t i = 0; i < held; i++)
        if (equal(&known->key[i], &key))
            return known->bytes[i];
    const size_t at = known->n++ % KNOWN;
    known->key[at] = key;
    known->bytes[at] = collective_bytes(s, op);
    return known->bytes[at];
}

static uint64_t op_bytes(const struct weft_system *s, struct known *known, uint32_t rank,
                         const struct weft_op *op)
{
    switch (op->kind) {
    case WEFT_OP_SEND:
        return op->bytes;
    case WEFT_OP_COLL:
        return op->send_bytes ? split_bytes(s, rank, op) : shared_bytes(s, known, rank, op);
    case WEFT_OP_MEM:
        return weft_remote_message_bytes(s->p, op);
    default:
        return 0;
    }
}

uint64_t weft_system_volume(const struct weft_system *s)
{
    struct known known = {.n = 0};
    uint64_t sum = 0;
    for (uint32_t r = 0; r < s->w->nranks; r++)
        for (uint32_t i = 0; i < s->w->dags[r].nops; i++)
            sum += op_bytes(s, &known, r, weft_workload_visit(s->w, r, i));
    return sum;
}
