/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A message joins its QP: the FIFO of the sender, and the list of messages that its receiver waits
 * for.
 */
#ifndef WEFT_ENGINE_SEND_H
#define WEFT_ENGINE_SEND_H

#include "core/context.h"

#include "base/message.h"

/** A message that has its numbers. */
struct post {
    struct weft_msg msg; /**< its priority is one of 0..7 */
    uint64_t id;
    int64_t at_ps; /**< if it was posted before its time (parallel/send_timers.c) */
    uint32_t turn; /**< number of the timer that posted it then */
    uint32_t qp, record;
    bool opens; /**< the QP, which is new */
};

static inline struct qp_name post_name(const struct post *p)
{
    return (struct qp_name){p->msg.src, p->msg.dst, p->msg.qp, (uint8_t)p->msg.prio, p->msg.nic};
}

/** Message @p mi of a QP waits for packets, behind @p before if that is still waited for. */
static inline void post_await(struct weft_engine *e, struct qp *q, uint32_t mi, uint32_t before)
{
    if (q->rcv_msg == NIL)
        q->rcv_msg = mi;
    else
        msg_at(e, before)->rcv_next = mi;
}

/** Posts one message, of a QP that is open, but for having its NIC send. */
void post_take(struct weft_engine *e, const struct post *p);
/** Of the first message of a QP: works out what will be asked for when it is received, while what
 * is known of its path is near. */
void post_prepare(struct weft_engine *e, const struct post *p);
/** Posts one whose QP may have to be opened. */
void post_make(struct weft_engine *e, const struct post *p);

#endif
