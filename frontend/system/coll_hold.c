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
#include "system/coll.h"

void weft_coll_enter(struct weft_coll_claim *me, struct weft_active *a)
{
    struct weft_npu *npu = a->npu;
    me->a = a;
    me->next = npu->claims;
    me->prev = NULL;
    if (me->next)
        me->next->prev = me;
    npu->claims = me;
}

void weft_coll_leave(struct weft_coll_claim *me)
{
    struct weft_npu *npu = me->a->npu;
    WEFT_REQUIRE(me->prev ? me->prev->next == me : npu->claims == me);
    if (me->prev)
        me->prev->next = me->next;
    else if (npu->claims == me)
        npu->claims = me->next;
    if (me->next)
        me->next->prev = me->prev;
    npu->claims_left++;
}

/* Whether collective a goes before b. */
static int coll_hold_before(enum weft_intra intra, const struct weft_coll_claim *a,
                            const struct weft_coll_claim *b)
{
    const struct weft_op *x = weft_active_op(a->a), *y = weft_active_op(b->a);
    if (intra == WEFT_INTRA_PRIORITY && x->priority != y->priority)
        return x->priority > y->priority;
    if (intra == WEFT_INTRA_SMALLEST && x->bytes != y->bytes)
        return x->bytes < y->bytes;
    return intra == WEFT_INTRA_LIFO ? a->order > b->order : a->order < b->order;
}

const struct weft_coll_claim *weft_coll_held_by(const struct weft_coll_claim *me, uint32_t mask)
{
    const struct weft_npu *npu = me->a->npu;
    const struct weft_system_params *p = npu->sys->p;
    uint64_t ahead[WEFT_DIMS_MAX] = {0};
    if (p->intra_dimension == WEFT_INTRA_CONCURRENT)
        return NULL;
    for (const struct weft_coll_claim *o = npu->claims; o; o = o->next) {
        if (o == me || !o->going || !coll_hold_before((enum weft_intra)p->intra_dimension, o, me))
            continue;
        for (uint32_t d = 0; d < WEFT_DIMS_MAX; d++) {
            ahead[d] += o->wanted[d];
            if ((mask >> d & 1) && ahead[d] >= p->active_chunks)
                return o;
        }
    }
    return NULL;
}
