/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ops of one NPU from ready to done. What an op does in between is up to its kind (op_table.c).
 *
 * Ready ops are issued in ascending id. Any number of SENDs, RECVs and collectives is in progress
 * at once, unless the NPU does them one at a time.
 */
#include "system/system_internal.h"

#include "base/grow.h"
#include "base/heap.h"

#include <stdlib.h>

void weft_npu_no_memory(struct weft_npu *npu, const char *what)
{
    struct weft_err err = {0};
    weft_err_set(&err, WEFT_E_LIMIT, "out of memory for %s of rank %u", what, npu->rank);
    weft_system_fail(npu->sys, &err);
}

static bool npu_op_before(const uint32_t *a, const uint32_t *b)
{
    return *a < *b;
}

static void npu_push(struct weft_npu *npu, struct weft_op_heap *h, uint32_t op)
{
    if (!WEFT_GROW(h->op, h->n, &h->cap)) {
        weft_npu_no_memory(npu, "ops");
        return;
    }
    h->op[h->n] = op;
    WEFT_HEAP_LIFT(h->op, h->n, npu_op_before);
    h->n++;
}

static uint32_t pop(struct weft_op_heap *h)
{
    WEFT_REQUIRE(h->n > 0);
    const uint32_t first = h->op[0];
    h->op[0] = h->op[--h->n];
    WEFT_HEAP_SINK(h->op, h->n, 0, npu_op_before);
    return first;
}

void weft_npu_ready(struct weft_npu *npu, uint32_t op)
{
    npu_push(npu, &npu->ready, op);
}

/* Whether an op has to wait for others of its NPU to end: system.one-at-a-time. */
static bool takes_turns(const struct weft_npu *npu, enum weft_op_kind kind)
{
    return npu->sys->p->one_at_a_time && weft_op_table[kind].takes_turns;
}

/* The next op to be issued into *op; false: there is none now. */
static bool next_ready(struct weft_npu *npu, uint32_t *op)
{
    while (npu->ready.n > 0) {
        *op = pop(&npu->ready);
        if (!npu->turn_taken || !takes_turns(npu, npu->dag->ops[*op].kind))
            return true;
        npu_push(npu, &npu->held, *op);
    }
    return false;
}

/* The one whose turn it was is over: the next that was held may have it. */
static void pass_turn(struct weft_npu *npu)
{
    npu->turn_taken = false;
    if (npu->held.n > 0)
        weft_npu_ready(npu, pop(&npu->held));
}

/* Counts a collective that begins (+1) or ends (-1). */
static void count_collective(struct weft_npu *npu, int change)
{
    const struct weft_system_params *p = npu->sys->p;
    const bool before = npu->collectives > 0;
    npu->collectives += (uint32_t)change;
    if (p->comm_channels > 0 || (p->comm_share > 0 && before != (npu->collectives > 0)))
        weft_share_changed(npu);
}

/* Counts an op that communicates, which begins (+1) or ends (-1). */
static void count_communication(struct weft_npu *npu, const struct weft_op *op, int change)
{
    if (!weft_op_table[op->kind].communicates)
        return;
    npu->communicating += (uint32_t)change;
    if (op->kind == WEFT_OP_COLL)
        count_collective(npu, change);
}

static void npu_begin(struct weft_active *a)
{
    const struct weft_op *op = weft_active_op(a);
    if (weft_op_table[op->kind].communicates)
        weft_npu_account(a->npu, a->ready_ps);
    count_communication(a->npu, op, 1);
    weft_op_table[op->kind].begin(a);
}

void weft_npu_issue(struct weft_npu *npu)
{
    if (npu->issuing)
        return; /* an op that is done while being issued: the loop below goes on */
    npu->issuing = 1;
    uint32_t next;
    while (npu->sys->err.code == 0 && next_ready(npu, &next)) {
        struct weft_active *a = calloc(1, sizeof *a + (npu->dag->groups ? sizeof a->own[0] : 0));
        if (!a) {
            weft_npu_no_memory(npu, "ops");
            break;
        }
        a->npu = npu;
        a->op = next;
        a->what = weft_dag_op(npu->dag, a->op, a->own);
        if (takes_turns(npu, a->what->kind))
            npu->turn_taken = true;
        a->ready_ps = weft_now_ps(npu->sys);
        a->start_ps = -1;
        a->prev = npu->last_active;
        if (a->prev)
            a->prev->next = a;
        else
            npu->first_active = a;
        npu->last_active = a;
        npu->state[a->op].phase = WEFT_OP_ACTIVE;
        npu_begin(a);
    }
    npu->issuing = 0;
}

/* One thing less that the children from..to-1 of an op wait for. */
static void npu_release(struct weft_npu *npu, const struct weft_op *op, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t child = npu->dag->children[op->first_child + i];
        if (--npu->state[child].parents_left == 0)
            weft_npu_ready(npu, child);
    }
}

void weft_npu_begun(struct weft_active *a)
{
    const struct weft_op *op = weft_active_op(a);
    npu_release(a->npu, op, 0, op->nearly);
}

void weft_npu_drop(struct weft_active *a)
{
    const struct weft_op_ops *kind = &weft_op_table[weft_active_op(a)->kind];
    if (kind->release)
        kind->release(a);
    free(a);
}

void weft_npu_done(struct weft_active *a)
{
    struct weft_npu *npu = a->npu;
    struct weft_system *s = npu->sys;
    const struct weft_op *op = weft_active_op(a);
    const struct weft_op_ops *kind = &weft_op_table[op->kind];
    int64_t now = weft_now_ps(npu->sys);
    weft_npu_account(npu, now);
    weft_causal_path_done(npu, a->op);
    count_communication(npu, op, -1);
    if (takes_turns(npu, op->kind))
        pass_turn(npu);
    npu->result.end_ps = now;
    npu->state[a->op].phase = WEFT_OP_DONE;
    npu->done++;
    if (++s->done % WEFT_VISIT_OPS == 0)
        weft_arena_relax(s->w->arena);
    if (s->observer.op) {
        struct weft_op_record record = {
            .rank = npu->rank,
            .op = op,
            .ready_ps = a->ready_ps,
            .start_ps = a->start_ps < 0 ? a->ready_ps : a->start_ps,
            .end_ps = now,
            .exposed_ps = a->exposed_ps,
            .members = kind->members ? kind->members(a) : 0,
            .instance = npu->state[a->op].instance,
        };
        s->observer.op(s->observer.ctx, &record);
    }
    npu_release(npu, op, op->nearly, op->nchildren);
    WEFT_REQUIRE(a->prev ? a->prev->next == a : npu->first_active == a);
    if (a->prev)
        a->prev->next = a->next;
    else
        npu->first_active = a->next;
    if (a->next)
        a->next->prev = a->prev;
    else
        npu->last_active = a->prev;
    weft_npu_drop(a);
}
