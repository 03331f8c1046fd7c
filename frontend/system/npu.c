/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ops of one NPU from ready to done. What an op does in between is up to its kind (op_table.c).
 *
 * Ready ops are issued in ascending id. Any number of SENDs, RECVs and collectives is in progress
 * at once.
 */
#include "system/internal.h"

#include <stdlib.h>

static void fail_memory(struct weft_npu *npu)
{
    struct weft_err err = {0};
    weft_err_set(&err, WEFT_E_LIMIT, "rank %u: out of memory", npu->rank);
    weft_system_fail(npu->sys, &err);
}

void weft_npu_ready(struct weft_npu *npu, uint32_t op)
{
    if (npu->nready == npu->ready_cap) {
        uint32_t cap = npu->ready_cap ? 2 * npu->ready_cap : 8;
        uint32_t *p = realloc(npu->ready, (size_t)cap * sizeof *p);
        if (!p) {
            fail_memory(npu);
            return;
        }
        npu->ready = p;
        npu->ready_cap = cap;
    }
    uint32_t i = npu->nready++;
    for (; i > 0 && op < npu->ready[(i - 1) / 2]; i = (i - 1) / 2)
        npu->ready[i] = npu->ready[(i - 1) / 2];
    npu->ready[i] = op;
}

static uint32_t first_ready(struct weft_npu *npu)
{
    WEFT_REQUIRE(npu->nready > 0);
    uint32_t first = npu->ready[0], x = npu->ready[--npu->nready];
    uint32_t i = 0;
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= npu->nready)
            break;
        if (c + 1 < npu->nready && npu->ready[c + 1] < npu->ready[c])
            c++;
        if (npu->ready[c] >= x)
            break;
        npu->ready[i] = npu->ready[c];
        i = c;
    }
    npu->ready[i] = x;
    return first;
}

/* Counts a collective that begins (+1) or ends (-1). */
static void count_collective(struct weft_npu *npu, int change)
{
    int before = npu->collectives > 0;
    npu->collectives += (uint32_t)change;
    if (npu->sys->p->comm_share > 0 && before != (npu->collectives > 0))
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

static void begin(struct weft_active *a)
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
    while (npu->nready > 0 && npu->sys->err.code == 0) {
        struct weft_active *a = calloc(1, sizeof *a + (npu->dag->groups ? sizeof a->own[0] : 0));
        if (!a) {
            fail_memory(npu);
            break;
        }
        a->npu = npu;
        a->op = first_ready(npu);
        a->what = weft_dag_op(npu->dag, a->op, a->own);
        a->ready_ps = weft_now_ps(npu->sys);
        a->start_ps = -1;
        a->prev = npu->last_active;
        if (a->prev)
            a->prev->next = a;
        else
            npu->first_active = a;
        npu->last_active = a;
        npu->state[a->op].phase = WEFT_OP_ACTIVE;
        begin(a);
    }
    npu->issuing = 0;
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
    weft_trail_done(npu, a->op);
    count_communication(npu, op, -1);
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
    for (uint32_t i = 0; i < op->nchildren; i++) {
        uint32_t child = npu->dag->children[op->first_child + i];
        if (--npu->state[child].parents_left == 0)
            weft_npu_ready(npu, child);
    }
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
