/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SEND and RECV ops.
 *
 * A RECV matches the first message of its (source, tag) that no earlier RECV has matched, in the
 * order in which the RECVs were issued; a message that comes first waits. A SEND is done when the
 * net says that the message was delivered, a RECV when its message has arrived, at once if it had
 * arrived before. No endpoint costs (ASTRA-sim has none here either). A message to its own rank
 * takes no time and never waits for its RECV.
 *
 * Rendezvous (system.rendezvous): a SEND of that size or more posts its message only when the
 * receiver has granted it. A RECV grants one message of its (source, tag) when it is posted; with a
 * round trip, when besides a request has come, of which each SEND posts one when it is issued. A
 * smaller message goes at once, but not before an earlier one of its tag.
 */
#include "system/p2p.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>

int weft_p2p_tag_fits(uint64_t tag)
{
    /* as a signed number in [-2^60, 2^60): then bit 60 repeats the sign, and those above can be
     * dropped */
    return (tag + (UINT64_C(1) << 60)) < (UINT64_C(1) << 61);
}

/* The message and the RECV belong together. Returns 0 when their sizes agree. */
static int check_size(struct weft_active *a, uint64_t bytes)
{
    const struct weft_op *op = weft_active_op(a);
    if (op->bytes == bytes || op->any)
        return 0;
    char want[WEFT_UNIT_TEXT_MAX], got[WEFT_UNIT_TEXT_MAX];
    struct weft_err err = {0};
    weft_err_set(&err, WEFT_E_INPUT,
                 "rank %u, node %" PRIu64 " '%s': it receives %s from rank %u with tag %" PRId64
                 ", but the message "
                 "that was sent has %s",
                 a->npu->rank, op->id, op->name, weft_format_size(op->bytes, want), op->peer,
                 op->tag, weft_format_size(bytes, got));
    weft_system_fail(a->npu->sys, &err);
    return err.code;
}

static void p2p_post(const struct weft_active *a, uint64_t bits, uint64_t bytes,
                     enum weft_token_type type, void *object)
{
    struct weft_system *s = a->npu->sys;
    const struct weft_op *op = weft_active_op(a);
    struct weft_err err = {0};
    struct weft_msg msg = {
        .src = a->npu->rank,
        .dst = op->peer,
        .bytes = bytes,
        .tag = weft_p2p_carried(op->tag) | bits,
        .token.object = object,
        .token_type = type,
        .deferrable = bits != 0,
    };
    weft_classify(&s->classes, op, op->tag, &msg);
    if (s->net->ops->send(s->net, &msg, &err)) {
        weft_err_prepend(&err, "rank %u, node %" PRIu64 " '%s'", a->npu->rank, op->id, op->name);
        weft_system_fail(s, &err);
    }
}

/* A message of a rank to itself has come. */
static void came_to_self(void *ctx, uint64_t arg)
{
    struct weft_active *a = ctx;
    const int64_t now_ps = weft_now_ps(a->npu->sys);
    const struct weft_completion done = {
        .msg = {.src = a->npu->rank,
                .dst = a->npu->rank,
                .bytes = weft_active_op(a)->bytes,
                .tag = weft_p2p_carried(weft_active_op(a)->tag),
                .token.object = a,
                .token_type = WEFT_TOKEN_ACTIVE},
        .post_ps = now_ps,
        .received_ps = now_ps,
        .acked_ps = now_ps,
    };
    struct weft_system *s = a->npu->sys;
    (void)arg;
    if (!s->err.code)
        weft_p2p_received(a->npu, &done);
    if (!s->err.code)
        weft_p2p_sent(&done);
}

static int to_self(const struct weft_active *a)
{
    return weft_active_op(a)->peer == a->npu->rank;
}

static void post_data(struct weft_active *a)
{
    a->start_ps = weft_now_ps(a->npu->sys);
    a->causal_path = weft_causal_path_take(a->npu, a->op);
    if (to_self(a))
        weft_system_after(a->npu->sys, 0, came_to_self, a, 0);
    else
        p2p_post(a, 0, weft_active_op(a)->bytes, WEFT_TOKEN_ACTIVE, a);
}

static void post_control(const struct weft_active *a, uint64_t bits)
{
    p2p_post(a, WEFT_TAG_CONTROL | bits, a->npu->sys->p->rendezvous_control_bytes,
             WEFT_TOKEN_CAUSAL_PATH, weft_causal_path_take(a->npu, a->op));
}

static int meets(const struct weft_active *a)
{
    const struct weft_system_params *p = a->npu->sys->p;
    return p->rendezvous_bytes && weft_active_op(a)->bytes >= p->rendezvous_bytes && !to_self(a);
}

static int asks(const struct weft_npu *npu)
{
    return npu->sys->p->rendezvous_handshake == WEFT_HANDSHAKE_ROUND_TRIP;
}

void weft_p2p_send(struct weft_active *a)
{
    const struct weft_op *op = weft_active_op(a);
    const uint64_t tag = weft_p2p_carried(op->tag) | WEFT_TAG_CONTROL | WEFT_TAG_GRANT;
    struct weft_p2p *e;
    if (!meets(a)) {
        e = a->npu->sys->p->rendezvous_bytes ? weft_p2p_find(a->npu, op->peer, tag) : NULL;
        if (e && e->waiting.head)
            weft_fifo_put(&e->waiting, a); /* messages of one tag stay in order */
        else
            post_data(a);
        return;
    }
    e = weft_p2p_entry(a->npu, op->peer, tag);
    if (!e)
        return;
    if (asks(a->npu))
        post_control(a, 0);
    if (e->controls == 0) {
        weft_fifo_put(&e->waiting, a);
        return;
    }
    e->controls--;
    weft_p2p_tidy(a->npu, e);
    post_data(a);
}

/* A RECV that has been posted grants a message, or waits for a request of one. */
static void grant(struct weft_active *a)
{
    const struct weft_op *op = weft_active_op(a);
    if (asks(a->npu)) {
        struct weft_p2p *e =
            weft_p2p_entry(a->npu, op->peer, weft_p2p_carried(op->tag) | WEFT_TAG_CONTROL);
        if (!e)
            return;
        if (e->controls == 0) {
            e->wanting++;
            return;
        }
        e->controls--;
        weft_p2p_tidy(a->npu, e);
    }
    post_control(a, WEFT_TAG_GRANT);
}

void weft_p2p_control(struct weft_npu *npu, const struct weft_completion *done)
{
    const struct weft_msg *msg = &done->msg;
    struct weft_causal_path *t = weft_token_causal_path(done);
    struct weft_p2p *e = weft_p2p_entry(npu, msg->src, msg->tag), *data;
    struct weft_active *a = NULL;
    if (!e)
        return;
    if (msg->tag & WEFT_TAG_GRANT) {
        a = weft_fifo_take(&e->waiting);
    } else if (e->wanting && (data = weft_p2p_entry(npu, msg->src, msg->tag & ~WEFT_TAG_CONTROL))) {
        e->wanting--;
        a = data->waiting.head;
    }
    if (a) {
        weft_npu_arrival(a, t, done);
        if (msg->tag & WEFT_TAG_GRANT)
            post_data(a);
        else
            post_control(a, WEFT_TAG_GRANT);
        while (e->waiting.head && !meets(e->waiting.head)) /* those behind a SEND */
            post_data(weft_fifo_take(&e->waiting));
        weft_p2p_tidy(npu, e);
        weft_causal_path_leave(npu);
    } else {
        e->controls++;
    }
    weft_causal_path_drop(npu->sys, t);
}

void weft_p2p_sent(const struct weft_completion *done)
{
    struct weft_active *a = weft_token_active(done);
    struct weft_npu *npu = a->npu;
    weft_npu_acked(a, done);
    weft_npu_done(a);
    weft_npu_issue(npu);
    weft_causal_path_leave(npu);
}

void weft_p2p_recv(struct weft_active *a)
{
    struct weft_npu *npu = a->npu;
    const struct weft_op *op = weft_active_op(a);
    if (npu->any) {
        uint64_t came;
        if (weft_any_recv(a, &came) && check_size(a, came) == 0)
            weft_npu_done(a);
        return;
    }
    struct weft_p2p *e = weft_p2p_entry(npu, op->peer, weft_p2p_carried(op->tag));
    if (!e)
        return;
    struct weft_arrival *m = e->head;
    if (!m) {
        weft_fifo_put(&e->waiting, a);
        if (meets(a))
            grant(a);
        return;
    }
    uint64_t bytes = m->bytes;
    e->head = m->next;
    free(m);
    weft_p2p_tidy(npu, e);
    if (check_size(a, bytes) == 0)
        weft_npu_done(a);
}

/* The RECV has its message. */
static void received(struct weft_active *a, const struct weft_completion *done)
{
    const struct weft_active *send = weft_token_active(done);
    struct weft_npu *npu = a->npu;
    if (check_size(a, done->msg.bytes))
        return;
    weft_npu_arrival(a, send->causal_path, done);
    weft_npu_done(a);
    weft_npu_issue(npu);
    weft_causal_path_leave(npu);
}

void weft_p2p_received(struct weft_npu *npu, const struct weft_completion *done)
{
    const struct weft_msg *msg = &done->msg;
    struct weft_active *a;
    if (npu->any) {
        a = weft_any_arrival(npu, msg);
        if (a)
            received(a, done);
        return;
    }
    struct weft_p2p *e = weft_p2p_entry(npu, msg->src, msg->tag);
    if (!e)
        return;
    a = weft_fifo_take(&e->waiting);
    if (a) {
        weft_p2p_tidy(npu, e);
        received(a, done);
        return;
    }
    struct weft_arrival *m = calloc(1, sizeof *m);
    if (!m) {
        weft_npu_no_memory(npu, "messages");
        return;
    }
    m->bytes = msg->bytes;
    if (e->head)
        e->tail->next = m;
    else
        e->head = m;
    e->tail = m;
}
