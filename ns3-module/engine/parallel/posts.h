/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages that are posted, and those that several threads post.
 *
 * Posting opens a QP, if it is the first between two hosts, and lets its NIC send. Nothing of that
 * is seen by anybody but the sending host until the packet has crossed a link. So where hosts are
 * run by several threads (host_parts.h) a message that is posted while no event is being executed,
 * but for a timer of the user's, gets its numbers only (its own, its QP's, that of its record) and
 * waits. All that wait are posted together before anything else happens, or is looked at: each
 * thread posts those of its own hosts, in the order in which they came, in a context of its own
 * (worker.h). Numbers are dealt in the order of all, so nothing depends on how many threads there
 * are. Memory is touched first by the thread that uses it.
 *
 * A post from a callback of another event does not wait: the rest of that event, at the same host,
 * comes after it.
 */
#ifndef WEFT_ENGINE_POSTS_H
#define WEFT_ENGINE_POSTS_H

#include "core/context.h"

#include "base/message.h"

/** A message that has its numbers. */
struct post {
    struct weft_msg msg; /**< its priority is one of 0..7 */
    uint64_t id;
    int64_t at_ps; /**< if it was posted before its time (plans.h) */
    uint32_t turn; /**< number of the timer that posted it then */
    uint32_t qp, record;
    bool opens; /**< the QP, which is new */
};

static inline struct qp_name post_name(const struct post *p)
{
    return (struct qp_name){p->msg.src, p->msg.dst, p->msg.qp, (uint8_t)p->msg.prio, p->msg.nic};
}

#pragma GCC visibility push(hidden)

/** Whether a message that is posted now waits. */
bool posts_wait(const struct weft_engine *e);
/** Whether any does, as things are, that is posted while no event is being executed. */
bool posts_may_wait(const struct weft_engine *e);
/** Has a message wait. WEFT_E_LIMIT: out of memory. */
int posts_add(struct weft_engine *e, const struct post *p, struct weft_err *err);
/** Posts one message, of a QP that is open, but for having its NIC send. */
void post_take(struct weft_engine *e, const struct post *p);
/** Of the first message of a QP: works out what will be asked for when it is received, while what
 * is known of its path is near. */
void post_foresee(struct weft_engine *e, const struct post *p);
/** Posts one that waits, in the context of the thread of its host. */
void post_make(struct weft_engine *e, const struct post *p);
/** All that waited have been posted. */
void posts_made(struct weft_engine *e);

/** What those who look ask for, and whom posting leads to: a table, which nobody calls. */
struct posts_ops {
    void (*make)(struct weft_engine *e); /**< posts all that wait */
};
extern const struct posts_ops posts_ops;

#pragma GCC visibility pop

/** Message @p mi of a QP waits for packets, behind @p before if that is still waited for. */
static inline void posts_await(struct weft_engine *e, struct qp *q, uint32_t mi, uint32_t before)
{
    if (q->rcv_msg == NIL)
        q->rcv_msg = mi;
    else
        msg_at(e, before)->rcv_next = mi;
}

/** Posts what waits before somebody looks, or something happens. */
static inline void posts_settle(struct weft_engine *e)
{
    if (__builtin_expect(e->loop.posts != 0, 0))
        posts_ops.make(e);
}

#endif
