/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages are posted: they get their numbers, and wait in the FIFO of their QP. A message of n
 * bytes is max(1, ceil(n / MTU)) packets.
 */
#include "send.h"
#include "core/context.h"
#include "core/executor.h"
#include "core/extension.h"
#include "core/stable.h"
#include "nic.h"
#include "delay.h"
#include "qp.h"
#include "rc.h"

void post_take(struct weft_engine *e, const struct post *p)
{
    const struct weft_msg *msg = &p->msg;
    const unsigned ends = part_ends(e, msg->src, msg->dst);
    struct qp *q = qp_at(e, p->qp);
    struct msg *m = msg_at(e, p->record);
    *m = (struct msg){.next = NIL,
                      .rcv_next = NIL,
                      .qp = p->qp,
                      .id = p->id,
                      .bytes = msg->bytes,
                      .tag = msg->tag,
                      .token = msg->token,
                      .token_type = msg->token_type,
                      .deferrable = msg->deferrable,
                      .first_psn = qp_end_psn(e, q),
                      .npkts =
                          msg->bytes && ends ? (msg->bytes - 1) / q->kind->env.mtu_bytes + 1 : 1,
                      .start_byte = q->end_byte,
                      .post_ps = e->now,
                      .since = e->ideal.now,
                      .log = NIL};
    if (ends & PART_SENDS)
        delay_posted(e, q, m);
    if (!ends)
        return;
    const uint32_t before = q->tail_msg;
    q->end_byte += m->bytes;
    if (q->head_msg == NIL)
        q->head_msg = p->record;
    else
        msg_at(e, before)->next = p->record;
    q->tail_msg = p->record;
    if (ends & PART_SENDS && q->snd->nxt_msg == NIL)
        q->snd->nxt_msg = p->record;
    if (engine_here != e || !e->executor->receives_later(e, q, p->record, before))
        post_await(e, q, p->record, before);
}

void post_prepare(struct weft_engine *e, const struct post *p)
{
    struct qp *q = qp_at(e, p->qp);
    if (!profile_of(q)->pick)
        qp_ideal_ps(e, q, p->msg.bytes, e->ideal.now);
}

void post_make(struct weft_engine *e, const struct post *p)
{
    const struct qp_name name = post_name(p);
    struct weft_err err = {0};
    if (p->opens && qp_open(e, p->qp, &name, &err)) {
        engine_fail(e, err.code, "%s", err.msg);
        return;
    }
    post_take(e, p);
    if (p->opens)
        post_prepare(e, p);
    nic_wake(e, p->qp);
}

/* The extension and the application hear of it. */
static void post_report(struct weft_engine *e, const struct post *p)
{
    const struct msg *m = msg_at(e, p->record);
    const bool reported = !e->extension || e->extension->ops->posted(e, m);
    if (reported && e->hooks.posted) {
        struct weft_completion d;
        rc_fill_posted(e, m, &d);
        e->hooks.posted(e->hooks.ctx, &d);
    }
}

/* The first message of a QP: opens it, unless that @p waits. */
static int post_opens(struct weft_engine *e, struct post *p, const struct qp_name *name, bool waits,
                      struct weft_err *err)
{
    p->opens = true;
    p->qp = qp_new(e, name, err);
    if (p->qp == NIL)
        return WEFT_E_LIMIT;
    e->tot.qps++;
    e->pkts.prefetch_qps |= e->qps.pool.n > CACHED_QPS;
    return waits ? 0 : qp_open(e, p->qp, name, err);
}

int weft_engine_send(struct weft_engine *e, const struct weft_msg *msg, uint64_t *id,
                     struct weft_err *err)
{
    const uint32_t hosts = e->fabric->nhosts;
    uint32_t prio = msg->prio == UINT32_MAX ? (uint32_t)e->p.transport.data_prio : msg->prio;
    if (msg->src >= hosts || msg->dst >= hosts)
        return weft_err_set(err, WEFT_E_INPUT,
                            "message from host %u to host %u, but the fabric has hosts 0 to %u",
                            msg->src, msg->dst, hosts - 1);
    const unsigned ends = part_ends(e, msg->src, msg->dst);
    if (msg->src == msg->dst)
        return weft_err_set(err, WEFT_E_INPUT, "message from host %u to itself", msg->src);
    if (prio >= WEFT_PRIOS)
        return weft_err_set(err, WEFT_E_INPUT, "message priority %u; priorities are 0 to 7", prio);
    bool waits = false;
    if (__builtin_expect(e->peers || e->parts || engine_here, 0)) {
        const int place = e->executor->intercept(e, msg, prio, err);
        waits = place == POST_WAITS;
        if (place != POST_HERE && !waits) {
            if (id)
                *id = UINT64_MAX;
            return place < 0 ? place : 0;
        }
    }
    if (__builtin_expect(e->extension != NULL, 0) && e->extension->takes_posts)
        return e->extension->ops->post(e, msg, prio, id, err);
    const struct qp_name name = {msg->src, msg->dst, msg->qp, (uint8_t)prio, msg->nic};
    if (!waits)
        posts_flush(e);
    struct post p = {.msg = *msg};
    p.msg.prio = prio;
    p.qp = qp_find(e, &name);
    if (p.qp == NIL && post_opens(e, &p, &name, waits, err))
        return err ? err->code : WEFT_E_LIMIT;
    if (__builtin_expect(e->extension != NULL, 0))
        e->extension->ops->disturb(e, p.qp);
    p.record = stable_alloc(&e->msgs);
    if (p.record == NIL)
        return stable_full(&e->msgs, "messages in flight", err);
    p.id = e->tot.msgs_posted++;
    e->tot.bytes_posted += msg->bytes;
    if (id)
        *id = p.id;
    if (waits)
        return e->executor->wait(e, &p, err);
    post_take(e, &p);
    if (__builtin_expect(e->peers != NULL, 0)) {
        e->executor->posted(e, msg);
        if (p.opens && ends & PART_RECEIVES)
            post_prepare(e, &p);
    }
    if (e->hooks.posted || e->extension)
        post_report(e, &p);
    if (ends & PART_SENDS)
        nic_wake(e, p.qp);
    return 0;
}
