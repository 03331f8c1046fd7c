/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rendezvous of the messages of collectives (system.rendezvous-for=all), as p2p.c has it for SEND
 * and RECV: a message of system.rendezvous bytes or more is posted when the receive instruction
 * that takes it has been issued and its grant has come; with a round trip, the grant answers a
 * request.
 *
 * A send instruction counts as done when it is issued, as without rendezvous, so that programs
 * depend on the same things and can't deadlock; but a program ends only when all of its messages
 * are posted.
 */
#include "system/coll.h"
#include "system/p2p.h"

static void post_control(struct weft_prog *p, uint32_t peer, uint64_t tag)
{
    struct weft_system *s = p->sys;
    const struct weft_active *a = p->active;
    struct weft_err err = {0};
    struct weft_msg msg = {
        .src = p->npu->rank,
        .dst = peer,
        .bytes = s->p->rendezvous_control_bytes,
        .tag = tag,
        .token_type = WEFT_TOKEN_CAUSAL_PATH,
        .deferrable = true,
    };
    weft_classify(&s->classes, weft_active_op(a), 0, &msg);
    msg.token.object = weft_causal_path_take(p->npu, a->op);
    if (s->net->ops->send(s->net, &msg, &err))
        weft_system_fail(s, &err);
}

static bool asks(const struct weft_prog *p, bool unasked)
{
    return !unasked && p->sys->p->rendezvous_handshake == WEFT_HANDSHAKE_ROUND_TRIP;
}

int weft_coll_rendezvous_send(struct weft_prog *p, bool unasked, uint64_t instr, uint32_t peer,
                              uint64_t tag)
{
    struct weft_p2p *e = weft_p2p_entry(p->npu, peer, tag | WEFT_TAG_CONTROL | WEFT_TAG_GRANT);
    if (!e)
        return 0;
    if (asks(p, unasked))
        post_control(p, peer, tag | WEFT_TAG_CONTROL);
    if (e->controls) {
        e->controls--;
        weft_p2p_tidy(p->npu, e);
        return 1;
    }
    e->prog = p;
    e->instr = instr;
    return 0;
}

void weft_coll_rendezvous_recv(struct weft_prog *p, bool unasked, uint32_t peer, uint64_t tag)
{
    if (asks(p, unasked)) {
        struct weft_p2p *e = weft_p2p_entry(p->npu, peer, tag | WEFT_TAG_CONTROL);
        if (!e)
            return;
        if (!e->controls) {
            e->prog = p;
            return;
        }
        e->controls--;
        weft_p2p_tidy(p->npu, e);
    }
    post_control(p, peer, tag | WEFT_TAG_CONTROL | WEFT_TAG_GRANT);
}

struct weft_prog *weft_coll_rendezvous_control(struct weft_npu *npu,
                                               const struct weft_completion *done, uint64_t *instr)
{
    const struct weft_msg *msg = &done->msg;
    struct weft_causal_path *t = weft_token_causal_path(done);
    struct weft_p2p *e = weft_p2p_entry(npu, msg->src, msg->tag);
    if (!e)
        return NULL;
    struct weft_prog *p = e->prog, *granted = NULL;
    if (p) {
        *instr = e->instr;
        e->prog = NULL;
        weft_p2p_tidy(npu, e);
        weft_npu_arrival(p->active, t, done);
        if (msg->tag & WEFT_TAG_GRANT)
            granted = p;
        else
            post_control(p, msg->src, msg->tag | WEFT_TAG_GRANT);
    } else {
        e->controls++;
    }
    weft_causal_path_drop(npu->sys, t);
    return granted;
}

int weft_coll_rendezvous_pending(const struct weft_prog *p, uint64_t *instr, uint32_t *rank)
{
    for (const struct weft_p2p *e = p->npu->p2p; e; e = e->hh.next)
        if (e->prog == p && (e->key.tag & WEFT_TAG_GRANT)) {
            *instr = e->instr;
            *rank = e->key.peer;
            return 1;
        }
    return 0;
}
