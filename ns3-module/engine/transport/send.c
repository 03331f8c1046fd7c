/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages are posted: they wait in the FIFO of their QP. A message of n bytes is max(1, ceil(n /
 * MTU)) packets.
 */
#include "core/context.h"
#include "core/extension.h"
#include "core/stable.h"
#include "nic.h"
#include "delay.h"
#include "parallel/host_agendas.h"
#include "parallel/posts.h"
#include "parallel/worker.h"
#include "parallel/worker_posts.h"
#include "qp.h"
#include "rc.h"

/* The extension and the application hear of it. */
static void tell(struct weft_engine *e, const struct post *p)
{
    const struct msg *m = msg_at(e, p->record);
    const bool news = !e->extension || e->extension->ops->posted(e, m);
    if (news && e->hooks.posted) {
        struct weft_completion d;
        rc_fill_posted(e, m, &d);
        e->hooks.posted(e->hooks.ctx, &d);
    }
}

int weft_engine_send(struct weft_engine *e, const struct weft_msg *msg, uint64_t *id,
                     struct weft_err *err)
{
    const uint32_t hosts = e->fabric->nhosts;
    if (__builtin_expect(worker_here != NULL, 0)) {
        if (id)
            *id = UINT64_MAX; /* it has none yet */
        return worker_post(worker_here, msg, err);
    }
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
    if (__builtin_expect(e->peers != NULL, 0) && e->peers->link.user && !e->peers->posting) {
        if (id)
            *id = UINT64_MAX;
        return peers_words_post(e, msg, prio, err);
    }
    if (__builtin_expect(e->extension != NULL, 0) && e->extension->takes_posts)
        return e->extension->ops->post(e, msg, prio, id, err);
    const struct qp_name name = {msg->src, msg->dst, msg->qp, (uint8_t)prio, msg->nic};
    const bool waits = posts_wait(e);
    if (!waits)
        posts_settle(e);
    struct post p = {.msg = *msg};
    p.msg.prio = prio;
    p.qp = qp_number(e, &name, &p.opens, err);
    if (p.qp == NIL)
        return err ? err->code : WEFT_E_LIMIT;
    if (p.opens) {
        e->tot.qps++;
        e->pkts.prefetch_deep |= e->qps.pool.n > CACHED_QPS;
    }
    if (p.opens && !waits && qp_open(e, p.qp, &name, err))
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
        return posts_add(e, &p, err);
    post_take(e, &p);
    if (__builtin_expect(e->peers != NULL, 0)) {
        peers_same_post(e, msg);
        peers_posted(e);
        if (p.opens && ends & PEERS_RECEIVES)
            post_foresee(e, &p);
    }
    if (e->hooks.posted || e->extension)
        tell(e, &p);
    if (ends & PEERS_SENDS)
        nic_wake(e, p.qp);
    return 0;
}
