/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which collective of an NPU goes first: system.intra-dimension.
 *
 * A phase waits while, in one of its dimensions, active-chunks phases of collectives that go before
 * it are active or ready. The order of two collectives follows from the workload alone (program
 * order, size, priority), so that it is the same on all ranks without a word between them.
 *
 * A collective makes others wait only once it is going: a chunk of it is over, of a kind for which
 * that takes every member. Then all members have issued it, none of them waits for anything that
 * it holds up, and nothing can wait in a circle: the first collective in the order is held by
 * nobody. Until then it shares the network with the others, which costs it no more than a chunk of
 * its own takes; and the chunks of the others that are under way then are not stopped.
 */
#include "system/internal.h"

void weft_coll_enter(struct weft_coll_run *run)
{
    struct weft_coll_rank_of_run *me = weft_coll_standing(run);
    struct weft_npu *npu = weft_coll_active(run)->npu;
    me->next = npu->runs;
    me->prev = NULL;
    if (me->next)
        weft_coll_standing(me->next)->prev = run;
    npu->runs = run;
}

void weft_coll_leave(struct weft_coll_run *run)
{
    struct weft_coll_rank_of_run *me = weft_coll_standing(run);
    struct weft_npu *npu = weft_coll_active(run)->npu;
    if (me->prev)
        weft_coll_standing(me->prev)->next = me->next;
    else if (npu->runs == run)
        npu->runs = me->next;
    if (me->next)
        weft_coll_standing(me->next)->prev = me->prev;
    npu->runs_left++;
}

/* Whether collective a goes before b. */
static int before(enum weft_intra intra, struct weft_coll_run *a, struct weft_coll_run *b)
{
    const struct weft_op *x = weft_active_op(weft_coll_active(a));
    const struct weft_op *y = weft_active_op(weft_coll_active(b));
    uint64_t i = weft_coll_standing(a)->order, j = weft_coll_standing(b)->order;
    if (intra == WEFT_INTRA_PRIORITY && x->priority != y->priority)
        return x->priority > y->priority;
    if (intra == WEFT_INTRA_SMALLEST && x->bytes != y->bytes)
        return x->bytes < y->bytes;
    return intra == WEFT_INTRA_LIFO ? i > j : i < j;
}

const struct weft_coll_run *weft_coll_held_by(struct weft_coll_run *run, uint32_t mask)
{
    struct weft_npu *npu = weft_coll_active(run)->npu;
    const struct weft_system_params *p = npu->sys->p;
    uint64_t ahead[WEFT_DIMS_MAX] = {0};
    if (p->intra_dimension == WEFT_INTRA_CONCURRENT)
        return NULL;
    for (struct weft_coll_run *other = npu->runs; other; other = weft_coll_standing(other)->next) {
        const struct weft_coll_rank_of_run *o = weft_coll_standing(other);
        if (other == run || !o->going || !before((enum weft_intra)p->intra_dimension, other, run))
            continue;
        for (uint32_t d = 0; d < WEFT_DIMS_MAX; d++) {
            ahead[d] += o->wanted[d];
            if ((mask >> d & 1) && ahead[d] >= p->active_chunks)
                return other;
        }
    }
    return NULL;
}

void weft_coll_retry(struct weft_npu *npu)
{
    npu->retry = 1;
    if (npu->retrying)
        return; /* the loop below goes round again */
    npu->retrying = 1;
    while (npu->retry && npu->sys->err.code == 0) {
        npu->retry = 0;
        for (struct weft_coll_run *run = npu->runs; run; run = weft_coll_standing(run)->next) {
            uint64_t left = npu->runs_left;
            weft_coll_fill(run);
            if (npu->runs_left != left) { /* the list is not what it was */
                npu->retry = 1;
                break;
            }
        }
    }
    npu->retrying = 0;
}
