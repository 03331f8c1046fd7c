/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages are posted: they wait in the FIFO of their QP. A message of n bytes is max(1, ceil(n /
 * MTU)) packets.
 */
#include "context.h"
#include "delay.h"
#include "host_agendas.h"
#include "nic.h"
#include "qp.h"
#include "rc.h"
#include "replay.h"
#include "stable.h"

/* Message @p mi waits in the FIFO of its QP. */
static void append(struct weft_engine *e, struct qp *q, uint32_t mi)
{
    const struct msg *m = msg_at(e, mi);
    q->end_psn += m->npkts;
    q->end_byte += m->bytes;
    if (q->head_msg == NIL)
        q->head_msg = mi;
    else
        msg_at(e, q->tail_msg)->next = mi;
    q->tail_msg = mi;
    if (q->nxt_msg == NIL)
        q->nxt_msg = mi;
    if (q->rcv_msg == NIL)
        q->rcv_msg = mi;
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
    const unsigned ends = peers_ends(e, msg->src, msg->dst);
    if (ends & PEERS_SENDS && host_agendas_beyond(e, msg->src))
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "host %u has been run beyond the moment at which it is to post a "
                            "message: the workload can't be played by several threads",
                            msg->src);
    if (msg->src == msg->dst)
        return weft_err_set(err, WEFT_E_INPUT, "message from host %u to itself", msg->src);
    if (prio >= WEFT_PRIOS)
        return weft_err_set(err, WEFT_E_INPUT, "message priority %u; priorities are 0 to 7", prio);
    if (__builtin_expect(e->replay != NULL, 0) && replay_ops.plays(e))
        return replay_ops.post(e, msg, prio, id, err);
    uint32_t qi = qp_get(e, msg, prio, err);
    if (qi == NIL)
        return err ? err->code : WEFT_E_LIMIT;
    if (__builtin_expect(e->replay != NULL, 0))
        replay_ops.touch(e, qi);
    uint32_t mi = stable_alloc(&e->msgs);
    if (mi == NIL)
        return weft_err_set(err, WEFT_E_LIMIT, "more than %u messages in flight", e->msgs.max);
    struct msg *m = msg_at(e, mi);
    struct qp *q = qp_at(e, qi);
    const uint64_t mtu = q->mtu_bytes;
    *m = (struct msg){.next = NIL,
                      .qp = qi,
                      .id = e->tot.msgs_posted++,
                      .bytes = msg->bytes,
                      .tag = msg->tag,
                      .token = msg->token,
                      .token_type = msg->token_type,
                      .first_psn = q->end_psn,
                      .npkts = msg->bytes && ends ? (msg->bytes - 1) / mtu + 1 : 1,
                      .start_byte = q->end_byte,
                      .post_ps = e->now,
                      .since = e->ideal.now,
                      .sent_ps = -1};
    if (__builtin_expect(e->peers != NULL, 0))
        peers_posted(e);
    if (ends & PEERS_SENDS)
        delay_posted(e, q, m);
    e->tot.bytes_posted += msg->bytes;
    if (ends)
        append(e, q, mi);
    if (id)
        *id = m->id;
    const bool news = __builtin_expect(!e->replay, 1) || replay_ops.posted(e, m);
    if (news && e->hooks.posted) {
        struct weft_completion d;
        rc_fill_posted(e, m, &d);
        e->hooks.posted(e->hooks.ctx, &d);
    }
    if (ends & PEERS_SENDS)
        nic_wake(e, qi);
    return 0;
}
