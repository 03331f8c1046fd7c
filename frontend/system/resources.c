/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * COMP and MEM ops: the accelerator, the CPU and the memory of an NPU each do one op at a time, in
 * the order in which ops became ready, or the lowest id first (system.compute-order).
 */
#include "system/remote.h"

static struct weft_resource *resource_of(struct weft_npu *npu, const struct weft_op *op)
{
    if (op->kind == WEFT_OP_MEM)
        return &npu->memory;
    return op->cpu ? &npu->cpus[op->unit] : &npu->accelerator;
}

static uint32_t is_cpu(const struct weft_npu *npu, const struct weft_resource *r)
{
    return r != &npu->accelerator && r != &npu->memory;
}

static void resource_done(void *ctx, uint64_t arg);

static void computed(struct weft_npu *npu)
{
    resource_done(npu->accelerator.running, 0);
}

static int goes_by_id(const struct weft_npu *npu)
{
    return npu->sys->p->compute_order == WEFT_COMPUTE_BY_ID;
}

/* Puts an op among those that wait, before those of higher id: mostly there are none. */
static void wait_by_id(struct weft_fifo *q, struct weft_active *a)
{
    struct weft_active **at = &q->head;
    if (!q->tail || q->tail->op < a->op) {
        weft_fifo_put(q, a);
        return;
    }
    while ((*at)->op < a->op)
        at = &(*at)->queued;
    a->queued = *at;
    *at = a;
}

/* Begins the next waiting op of a resource that is free. */
static void resource_next(struct weft_npu *npu, struct weft_resource *r)
{
    struct weft_active *a = r->running ? NULL : weft_fifo_take(&r->waiting);
    if (!a)
        return;
    struct weft_system *s = npu->sys;
    a->start_ps = weft_now_ps(npu->sys);
    weft_npu_account(npu, a->start_ps);
    a->causal_path = weft_causal_path_take(npu, a->op);
    r->running = a;
    npu->cpus_busy += is_cpu(npu, r);
    weft_npu_begun(a);
    if (weft_is_remote(s->p, weft_active_op(a))) {
        weft_remote_access(a, resource_done);
        return;
    }
    int64_t ps = weft_npu_duration_ps(npu, a->op);
    if ((s->p->comm_share > 0 || s->p->comm_channels > 0) && r == &npu->accelerator)
        weft_share_begin(npu, ps, computed);
    else
        weft_system_after(s, ps, resource_done, a, 0);
}

static void resource_done(void *ctx, uint64_t arg)
{
    struct weft_active *a = ctx;
    struct weft_npu *npu = a->npu;
    struct weft_resource *r = resource_of(npu, weft_active_op(a));
    (void)arg;
    if (npu->sys->err.code)
        return;
    weft_npu_account(npu, weft_now_ps(npu->sys));
    weft_causal_path_enter(npu, a->causal_path, a->op);
    r->running = NULL;
    npu->cpus_busy -= is_cpu(npu, r);
    weft_npu_done(a);
    if (goes_by_id(npu))
        weft_npu_issue(npu);
    resource_next(npu, r); /* ops that were waiting go before those that just became ready */
    weft_npu_issue(npu);
    weft_causal_path_leave(npu);
}

void weft_resource_begin(struct weft_active *a)
{
    struct weft_resource *r = resource_of(a->npu, weft_active_op(a));
    if (goes_by_id(a->npu))
        wait_by_id(&r->waiting, a);
    else
        weft_fifo_put(&r->waiting, a);
    resource_next(a->npu, r);
}

void weft_resource_done(struct weft_active *a)
{
    resource_done(a, 0);
}
