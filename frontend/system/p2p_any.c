/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RECVs from any rank or with any tag. A rank that has one keeps two lists, as MPI describes it and
 * LogGOPSim has it: RECVs that wait, in the order in which they were posted, and messages that
 * nobody has taken, in the order in which they came. A message goes to the first RECV that takes
 * it, a RECV takes the first message that it can.
 */
#include "system/p2p.h"

#include <stdlib.h>

/* A message that nobody has taken. */
struct came {
    uint64_t bytes, tag;
    uint32_t src;
    struct came *next;
};

struct weft_any {
    struct weft_fifo waiting;
    struct came *head, **tail;
};

static bool takes(const struct weft_active *a, uint32_t src, uint64_t tag)
{
    const struct weft_op *op = weft_active_op(a);
    return ((op->any & WEFT_ANY_PEER) || op->peer == src) &&
           ((op->any & WEFT_ANY_TAG) || weft_p2p_carried(op->tag) == tag);
}

int weft_any_new(struct weft_npu *npu, struct weft_err *err)
{
    if (npu->any)
        return 0;
    npu->any = calloc(1, sizeof *npu->any);
    if (!npu->any)
        return weft_err_no_memory(err, "messages");
    npu->any->tail = &npu->any->head;
    return 0;
}

void weft_any_free(struct weft_npu *npu)
{
    for (struct came *m = npu->any ? npu->any->head : NULL, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    free(npu->any);
}

bool weft_any_recv(struct weft_active *a, uint64_t *bytes)
{
    struct weft_any *any = a->npu->any;
    struct came **at = &any->head;
    while (*at && !takes(a, (*at)->src, (*at)->tag))
        at = &(*at)->next;
    struct came *m = *at;
    if (!m) {
        weft_fifo_put(&any->waiting, a);
        return false;
    }
    *at = m->next;
    if (any->tail == &m->next)
        any->tail = at;
    *bytes = m->bytes;
    free(m);
    return true;
}

struct weft_active *weft_any_arrival(struct weft_npu *npu, const struct weft_msg *msg)
{
    struct weft_any *any = npu->any;
    struct weft_active *a = any->waiting.head, *before = NULL;
    while (a && !takes(a, msg->src, msg->tag)) {
        before = a;
        a = a->queued;
    }
    if (a) {
        *(before ? &before->queued : &any->waiting.head) = a->queued;
        if (any->waiting.tail == a)
            any->waiting.tail = before;
        a->queued = NULL;
        return a;
    }
    struct came *m = calloc(1, sizeof *m);
    if (!m) {
        weft_npu_no_memory(npu, "messages");
        return NULL;
    }
    *m = (struct came){.bytes = msg->bytes, .tag = msg->tag, .src = msg->src};
    *any->tail = m;
    any->tail = &m->next;
    return NULL;
}
