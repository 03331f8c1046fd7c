/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SEND and RECV ops.
 *
 * A RECV matches the first message of its (source, tag) that no earlier RECV has matched, in the
 * order in which the RECVs were issued; a message that comes first waits. A SEND is done when the
 * net says that the message was delivered, a RECV when its message has arrived, at once if it had
 * arrived before. No endpoint costs (ASTRA-sim has none here either).
 */
#include "system/internal.h"

#include "base/units.h"

#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(elt) ((elt)->failed = 1)
#include <uthash.h>

/* A message that nobody has received yet. */
struct arrival {
    uint64_t bytes;
    struct arrival *next;
};

/* What is unmatched of one (source, tag): either messages or RECVs. */
struct weft_p2p {
    struct {
        uint64_t tag; /* as carried */
        uint32_t src, zero;
    } key;
    struct arrival *head, *tail;
    struct weft_fifo recvs;
    int failed; /* the hash table was out of memory */
    UT_hash_handle hh;
};

int weft_p2p_tag_fits(uint64_t tag)
{
    /* as a signed number in [-2^62, 2^62): then bit 62 repeats the sign, and bit 63 can be dropped
     */
    return (tag + (UINT64_C(1) << 62)) < (UINT64_C(1) << 63);
}

static uint64_t carried(uint64_t tag)
{
    return tag | WEFT_TAG_P2P;
}

static void fail_memory(struct weft_npu *npu)
{
    struct weft_err err = {0};
    weft_err_set(&err, WEFT_E_LIMIT, "rank %u: out of memory for messages", npu->rank);
    weft_system_fail(npu->sys, &err);
}

static struct weft_p2p *entry_of(struct weft_npu *npu, uint32_t src, uint64_t tag)
{
    struct weft_p2p probe, *e;
    memset(&probe, 0, sizeof(probe));
    probe.key.tag = tag;
    probe.key.src = src;
    HASH_FIND(hh, npu->p2p, &probe.key, sizeof(probe.key), e);
    if (e)
        return e;
    e = calloc(1, sizeof(*e));
    if (e) {
        e->key = probe.key;
        HASH_ADD(hh, npu->p2p, key, sizeof(e->key), e);
        if (!e->failed)
            return e;
        free(e);
    }
    fail_memory(npu);
    return NULL;
}

static void drop_if_empty(struct weft_npu *npu, struct weft_p2p *e)
{
    if (!e->head && !e->recvs.head) {
        HASH_DEL(npu->p2p, e);
        free(e);
    }
}

/* The message and the RECV belong together. Returns 0 when their sizes agree. */
static int check_size(struct weft_active *a, uint64_t bytes)
{
    const struct weft_op *op = weft_active_op(a);
    if (op->bytes == bytes)
        return 0;
    char want[WEFT_UNIT_TEXT_MAX], got[WEFT_UNIT_TEXT_MAX];
    struct weft_err err = {0};
    weft_err_set(
        &err, WEFT_E_INPUT,
        "rank %u, node %llu '%s': it receives %s from rank %u with tag %lld, but the message "
        "that was sent has %s",
        a->npu->rank, (unsigned long long)op->id, op->name, weft_format_size(op->bytes, want),
        op->peer, (long long)op->tag, weft_format_size(bytes, got));
    weft_system_fail(a->npu->sys, &err);
    return err.code;
}

void weft_p2p_send(struct weft_active *a)
{
    struct weft_net *net = a->npu->sys->net;
    const struct weft_op *op = weft_active_op(a);
    struct weft_net_msg msg = {
        .src = a->npu->rank,
        .dst = op->peer,
        .bytes = op->bytes,
        .tag = carried(op->tag),
        .prio = WEFT_NET_PRIO_DEFAULT,
    };
    struct weft_err err = {0};
    a->trail = weft_trail_take(a->npu, a->op);
    if (net->ops->send(net, &msg, (uint64_t)(uintptr_t)a, &err)) {
        weft_err_prepend(&err, "rank %u, node %llu '%s'", a->npu->rank, (unsigned long long)op->id,
                         op->name);
        weft_system_fail(a->npu->sys, &err);
    }
}

void weft_p2p_sent(const struct weft_net_done *done)
{
    struct weft_active *a = (struct weft_active *)(uintptr_t)done->send_ref;
    struct weft_npu *npu = a->npu;
    weft_npu_acked(a, done);
    weft_npu_done(a);
    weft_npu_issue(npu);
    weft_trail_leave(npu);
}

void weft_p2p_recv(struct weft_active *a)
{
    struct weft_npu *npu = a->npu;
    const struct weft_op *op = weft_active_op(a);
    struct weft_p2p *e = entry_of(npu, op->peer, carried(op->tag));
    if (!e)
        return;
    struct arrival *m = e->head;
    if (!m) {
        weft_fifo_put(&e->recvs, a);
        return;
    }
    uint64_t bytes = m->bytes;
    e->head = m->next;
    free(m);
    drop_if_empty(npu, e);
    if (check_size(a, bytes) == 0)
        weft_npu_done(a);
}

void weft_p2p_received(struct weft_npu *npu, const struct weft_net_msg *msg,
                       const struct weft_net_done *done)
{
    struct weft_p2p *e = entry_of(npu, msg->src, msg->tag);
    if (!e)
        return;
    struct weft_active *a = weft_fifo_take(&e->recvs);
    if (a) {
        drop_if_empty(npu, e);
        if (check_size(a, msg->bytes) == 0) {
            const struct weft_active *send = (struct weft_active *)(uintptr_t)done->send_ref;
            weft_npu_arrival(a, send->trail, done);
            weft_npu_done(a);
            weft_npu_issue(npu);
            weft_trail_leave(npu);
        }
        return;
    }
    struct arrival *m = calloc(1, sizeof(*m));
    if (!m) {
        fail_memory(npu);
        return;
    }
    m->bytes = msg->bytes;
    if (e->head)
        e->tail->next = m;
    else
        e->head = m;
    e->tail = m;
}

void weft_p2p_free(struct weft_npu *npu)
{
    struct weft_p2p *e, *tmp;
    HASH_ITER(hh, npu->p2p, e, tmp)
    {
        for (struct arrival *m = e->head, *next; m; m = next) {
            next = m->next;
            free(m);
        }
        HASH_DEL(npu->p2p, e);
        free(e);
    }
}
