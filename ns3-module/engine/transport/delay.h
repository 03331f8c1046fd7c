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
/** delay_update before the cursor of a QP moves to a packet that is taken for lost. */
void delay_update_loss(const struct weft_engine *e, struct qp *q);
/** The last packet of a message is sent for the first time; the message is complete. */
void delay_sent(const struct weft_engine *e, const struct qp *q, struct msg *m);
void delay_received(struct weft_engine *e, struct qp *q, struct msg *m, const struct completer *c);
/** Fills in the delays of a message that is complete. */
void delay_fill(const struct msg *m, struct weft_completion *d);

/** The QP is to send through another port or priority. */
static inline void delay_aim(const struct weft_engine *e, const struct qp *q)
{
    const struct port *p = &e->ports[q->port];
    q->snd->pause_ps = p->hold ? pause_clock_ps(e, p, q->snd->prio) : 0;
}

/** Brings the clocks of a QP up to now, by its state as it is; before that changes, or its cursor
 * moves. */
static inline void delay_update(const struct weft_engine *e, const struct qp *q)
{
    struct sender *const snd = q->snd;
    const int64_t before = snd->pause_ps, ps = e->now - snd->updated_ps;
    if (ps <= 0)
        return;
    delay_aim(e, q);
    snd->updated_ps = e->now;
    if (snd->nxt_msg != NIL) /* else there was nothing to send */
        delay_add(e, q, ps, snd->pause_ps - before);
}

/** A message is posted. */
static inline void delay_posted(const struct weft_engine *e, const struct qp *q, struct msg *m)
{
    delay_update(e, q);
    memcpy(m->held_ps, q->snd->held_ps, sizeof m->held_ps);
}

#endif
