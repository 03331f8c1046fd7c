/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remote (disaggregated) memory: what MEM nodes load from and store to.
 *
 * Memory k serves one access after the other, in the order they reach it, each for
 * latency + bytes / bandwidth (floored to the quantum). By arithmetic an access reaches its memory
 * at once. By traffic memory k is host nranks + k of the fabric: a load is a request of 64 bytes
 * there and a message of the data back, a store a message of the data there and an answer of 64
 * bytes. Source: ASTRA-sim 2.0 (ISPASS 2023) for the kinds and the arithmetic; ASTRA-sim makes no
 * traffic.
 */
#include "system/remote.h"

#include <inttypes.h>
#include <stdlib.h>

/* The memory of a rank. */
static uint32_t memory_of(const struct weft_system_params *p, uint32_t rank)
{
    switch ((enum weft_remote)p->remote_memory) {
    case WEFT_REMOTE_PER_NPU:
        return rank;
    case WEFT_REMOTE_PER_NODE:
        return (uint32_t)(rank / p->remote_node);
    default:
        return 0;
    }
}

int weft_remote_resolve(const struct weft_workload *w, const struct weft_dims *dims,
                        struct weft_system_params *p, struct weft_err *err)
{
    int rc = weft_remote_read(w, p, err);
    if (rc || p->remote_memory != WEFT_REMOTE_PER_NODE || p->remote_node)
        return rc;
    if (dims->n == 0)
        return weft_err_set(err, WEFT_E_INPUT,
                            "system.remote-node: the ranks have no dimensions, so say how many of "
                            "them share a memory");
    p->remote_node = dims->size[0];
    return 0;
}

int weft_remote_check(const struct weft_workload *w, const struct weft_system_params *p,
                      const struct weft_fabric *fabric, struct weft_err *err)
{
    if (p->remote_memory == WEFT_REMOTE_NONE || w->nranks == 0)
        return 0;
    uint32_t memories = memory_of(p, w->nranks - 1) + 1;
    if (!p->remote_traffic || !fabric || fabric->nhosts >= (uint64_t)w->nranks + memories)
        return 0;
    return weft_err_set(
        err, WEFT_E_INPUT,
        "system.remote-traffic: %u ranks and their %u memories need %" PRIu64 " hosts, but "
        "the fabric has %u; the workload's parameter ranks leaves hosts for memories",
        w->nranks, memories, (uint64_t)w->nranks + memories, fabric->nhosts);
}

int weft_remote_begin(struct weft_system *s, struct weft_err *err)
{
    if (s->p->remote_memory == WEFT_REMOTE_NONE)
        return 0;
    s->memory_free_ps = calloc((size_t)s->w->nranks + 1, sizeof *s->memory_free_ps);
    return s->memory_free_ps ? 0 : weft_err_no_memory(err, "memories");
}

/* Queues an access at its memory; returns the delay until it has been served. */
static int64_t serve(struct weft_system *s, const struct weft_active *a)
{
    int64_t now_ps = weft_now_ps(s);
    int64_t *free_ps = &s->memory_free_ps[memory_of(s->p, a->npu->rank)];
    *free_ps = weft_sum_ps(*free_ps > now_ps ? *free_ps : now_ps,
                           weft_remote_ps(s->p, weft_active_op(a)->tensor_bytes));
    return *free_ps - now_ps;
}

static void remote_post(struct weft_active *a, int there, uint64_t bytes)
{
    struct weft_system *s = a->npu->sys;
    uint32_t memory = s->w->nranks + memory_of(s->p, a->npu->rank);
    struct weft_err err = {0};
    struct weft_msg msg = {.src = there ? a->npu->rank : memory,
                           .dst = there ? memory : a->npu->rank,
                           .bytes = bytes,
                           .token.object = a,
                           .prio = WEFT_PRIO_DEFAULT,
                           .token_type = WEFT_TOKEN_ACTIVE};
    if (s->net->ops->send(s->net, &msg, &err)) {
        weft_err_prepend(&err, "rank %u, node %" PRIu64 " '%s'", a->npu->rank,
                         weft_active_op(a)->id, weft_active_op(a)->name);
        weft_system_fail(s, &err);
    }
}

/* The memory has done its part of an access that came by message. */
static void answer(void *ctx, uint64_t arg)
{
    struct weft_active *a = ctx;
    (void)arg;
    if (!a->npu->sys->err.code)
        remote_post(a, 0,
                    weft_active_op(a)->store ? WEFT_REMOTE_REQUEST_BYTES
                                             : weft_active_op(a)->tensor_bytes);
}

void weft_remote_access(struct weft_active *a, void (*over)(void *ctx, uint64_t arg))
{
    struct weft_system *s = a->npu->sys;
    if (s->p->remote_traffic)
        remote_post(a, 1,
                    weft_active_op(a)->store ? weft_active_op(a)->tensor_bytes
                                             : WEFT_REMOTE_REQUEST_BYTES);
    else
        weft_system_after(s, serve(s, a), over, a, 0);
}

struct weft_active *weft_remote_received(struct weft_system *s, const struct weft_completion *done)
{
    struct weft_active *a = weft_token_active(done);
    if (done->msg.dst < s->w->nranks)
        return a;
    weft_system_after(s, serve(s, a), answer, a, 0);
    return NULL;
}
