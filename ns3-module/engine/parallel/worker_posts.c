/* SPDX-License-Identifier: GPL-2.0-only */
/* Posts messages from the worker thread of a host, on open QPs. */
#include "worker_posts.h"
#include "core/context.h"
#include "posts.h"
#include "transport/nic.h"
#include "transport/qp.h"
#include "worker.h"

/* The QP of a message, if there is one and it is open; else NIL. */
static uint32_t qp_of(const struct weft_engine *e, const struct weft_msg *msg)
{
    const uint32_t prio =
        msg->prio == WEFT_PRIO_DEFAULT ? (uint32_t)e->p.transport.data_prio : msg->prio;
    const struct qp_name name = {msg->src, msg->dst, msg->qp, (uint8_t)prio, msg->nic};
    const uint32_t qi = prio < WEFT_PRIOS ? qp_find(e, &name) : NIL;
    return qi < e->qps.opened ? qi : NIL;
}

bool worker_may_post(const struct weft_engine *e, const struct weft_follows *follows)
{
    bool may = true;
    for (uint32_t i = 0; i < follows->n && may; i++)
        may = qp_of(e, &follows->msg[i]) != NIL;
    return may;
}

int worker_post(struct weft_engine *e, const struct weft_msg *msg, struct weft_err *err)
{
    struct post p = {.msg = *msg, .id = UINT64_MAX, .qp = qp_of(e, msg)};
    if (p.qp == NIL)
        return weft_err_set(err, WEFT_E_INTERNAL,
                            "host %u posts a message in its thread that it did not foresee",
                            msg->src);
    p.record = stable_alloc(&e->msgs);
    if (p.record == NIL)
        p.record = worker_alloc(e, &e->msgs);
    if (p.record == NIL)
        return stable_full(&e->msgs, "messages in flight", err);
    post_take(e, &p);
    worker_tell(e, p.record, TELL_POSTED, NULL);
    nic_wake(e, p.qp);
    return 0;
}
