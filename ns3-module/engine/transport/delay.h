/* SPDX-License-Identifier: GPL-2.0-only */
/* Why messages take longer than alone on the fabric. */
#ifndef WEFT_ENGINE_DELAY_H
#define WEFT_ENGINE_DELAY_H

#include "core/context.h"
#include "switch/pause_clock.h"

#include <string.h>

/** Cause of the waiting of a QP that has something to send, for the last @p ps, @p paused of it
 * with its priority held by a pause. */
void delay_add(const struct weft_engine *e, const struct qp *q, int64_t ps, int64_t paused);
/** A cause of WEFT_DELAY_NIC to WEFT_DELAY_PAUSE has kept a QP from sending for @p ps. */
void delay_charge(const struct qp *q, enum weft_delay why, int64_t ps);
/** How long the priority of a QP was paused since it was last noted, which is now. */
int64_t delay_paused(const struct weft_engine *e, const struct qp *q);
/** delay_update before the cursor of a QP moves to a packet that is taken for lost. */
void delay_update_loss(const struct weft_engine *e, struct qp *q);
/** Packet @p k of a message is sent again. */
void delay_sent_again(struct weft_engine *e, const struct qp *q, struct msg *m,
                      const struct pkt *k);
/** The last packet of a message is sent for the first time; the message is complete. */
void delay_sent(struct weft_engine *e, const struct qp *q, struct msg *m);
void delay_received(struct weft_engine *e, struct qp *q, struct msg *m, const struct completer *c);
/** A log where none is free; NIL: there is no room, and the engine has failed. */
uint32_t delay_more_logs(struct weft_engine *e) __attribute__((cold));
/** It is complete, and nothing needs its log any more. */
void delay_log_release(struct weft_engine *e, struct msg *m);
/** Fills in the delays of a message that is complete. */
void delay_fill(const struct msg_log *log, struct weft_completion *d);

/** What became of a message, to be written. */
static inline __attribute__((always_inline)) struct msg_log *delay_log(struct weft_engine *e,
                                                                       struct msg *m)
{
    if (m->log == NIL) {
        m->log = stable_free(&e->logs.pool);
        if (__builtin_expect(m->log == NIL, 0))
            m->log = delay_more_logs(e);
        if (__builtin_expect(m->log == NIL, 0))
            return &e->logs.lost;
        *msg_log_at(e, m->log) = msg_log_none;
    }
    return msg_log_at(e, m->log);
}

/** A clock of a QP. */
static inline int64_t delay_clock(const struct qp *q, int k)
{
    if (k < QP_CLOCKS)
        return q->snd->held_ps[k];
    return q->snd->delayed ? rare_of(q)->held_ps[k - QP_CLOCKS] : 0;
}

/** The QP is to send through another port or priority. Returns for how long it was paused. */
static inline int64_t delay_aim(const struct weft_engine *e, const struct qp *q)
{
    return __builtin_expect(e->ports[q->port].hold || q->snd->delayed, 0) ? delay_paused(e, q) : 0;
}

/** Brings the clocks of a QP up to now, by its state as it is; before that changes, or its cursor
 * moves. */
static inline void delay_update(const struct weft_engine *e, const struct qp *q)
{
    struct sender *const snd = q->snd;
    const int64_t ps = e->now - snd->updated_ps;
    if (ps <= 0)
        return;
    const int64_t paused = delay_aim(e, q);
    snd->updated_ps = e->now;
    if (snd->nxt_msg != NIL) /* else there was nothing to send */
        delay_add(e, q, ps, paused);
}

/** A message is posted. */
static inline __attribute__((always_inline)) void delay_posted(struct weft_engine *e,
                                                               const struct qp *q, struct msg *m)
{
    delay_update(e, q);
    if (q->snd->held_ps[0] || q->snd->held_ps[1] || q->snd->delayed)
        for (int k = 0; k < WEFT_DELAY_QUEUE; k++)
            delay_log(e, m)->held_ps[k] = delay_clock(q, k);
}

#endif
