/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delays of messages (base/delay.h), measured where they happen.
 *
 * At the sender each QP has a clock per cause that runs while the QP has something to send and its
 * NIC isn't sending for it:
 *
 *   loss      its cursor is behind what it has sent before, or no path is left; also while it sends again, and
 *             what it was blocked for when it turns out that packets were lost
 *   control   its pacing time lies ahead, or its window is full
 *   pause     it waits for its turn while its priority is paused
 *   own NIC   it waits for its turn otherwise
 *
 * The clocks are brought up to date when the QP's state changes: a QP that sends packet after
 * packet costs nothing. A message notes them when it is posted and when its last packet is sent for
 * the first time. What they don't count of the time in between is serialisation: of its own
 * packets, which is ideal time, and of earlier messages of the QP, which is own NIC.
 *
 * It notes them in its log, a record that it has once there is something to note: while it waits at
 * an idle QP it has none.
 *
 * After that the message is on its way. If the packet that completes it is sent later, until then
 * it waits for loss recovery. The rest beyond what an empty fabric takes from the NIC to the
 * receiver is waiting in queues, some of it paused: each (port, priority) has a clock of its
 * pauses, and a packet that leaves a queue knows what it said when it came.
 *
 * Clocks of ports: pause_clock.c.
 */
#include "delay.h"
#include "switch/pause_clock.h"
#include "core/context.h"
#include "core/executor.h"
#include "core/fail.h"
#include "core/gap.h"
#include "core/frame_size.h"
#include "qp.h"

#include <string.h>

/* ---- QPs ---- */

void delay_charge(const struct qp *q, enum weft_delay why, int64_t ps)
{
    if (why < QP_CLOCKS) {
        q->snd->held_ps[why] += ps;
    } else if (ps) {
        q->snd->delayed = true;
        rare_of(q)->held_ps[why - QP_CLOCKS] += ps;
    }
}

int64_t delay_paused(const struct weft_engine *e, const struct qp *q)
{
    const struct port *p = &e->ports[q->port];
    struct qp_rare *const rare = rare_of(q);
    const int64_t before = rare->pause_ps;
    rare->pause_ps = p->hold ? pause_clock_ps(e, p, q->snd->prio) : 0;
    q->snd->delayed = true;
    return rare->pause_ps - before;
}

void delay_add(const struct weft_engine *e, const struct qp *q, int64_t ps, int64_t paused)
{
    struct sender *const snd = q->snd;
    if (snd->state == QP_PARKED || snd->nxt_psn < snd->top_psn) {
        delay_charge(q, WEFT_DELAY_LOSS, ps);
    } else if (snd->state == QP_BLOCKED) {
        delay_charge(q, snd->recovering ? WEFT_DELAY_LOSS : WEFT_DELAY_CONTROL, ps);
    } else if (snd->state == QP_PACED) {
        /* its port looks for it at its time, unless it is sending */
        const int64_t from = e->now - ps;
        const int64_t due = (snd->next_avail_ps < e->now ? snd->next_avail_ps : e->now) - from;
        snd->held_ps[WEFT_DELAY_CONTROL] += due > 0 ? due : 0;
        snd->held_ps[WEFT_DELAY_NIC] += due > 0 ? ps - due : ps;
    } else {
        paused = paused < ps ? paused : ps;
        delay_charge(q, WEFT_DELAY_PAUSE, paused);
        snd->held_ps[WEFT_DELAY_NIC] += ps - paused;
    }
}

void delay_update_loss(const struct weft_engine *e, struct qp *q)
{
    struct sender *const snd = q->snd;
    if (snd->state == QP_BLOCKED && snd->nxt_msg != NIL && snd->updated_ps < e->now) {
        delay_charge(q, WEFT_DELAY_LOSS, e->now - snd->updated_ps);
        snd->updated_ps = e->now;
    }
    delay_update(e, q);
}

/* ---- messages ---- */

uint32_t delay_more_logs(struct weft_engine *e)
{
    struct stable *const all = &e->logs.pool;
    const uint32_t i = e->worker ? e->executor->alloc(e, all) : stable_grow(all);
    if (i == NIL)
        engine_full(e, all, "messages in flight");
    return i;
}

void delay_log_release(struct weft_engine *e, struct msg *m)
{
    if (m->log != NIL)
        stable_release(&e->logs.pool, m->log);
    m->log = NIL;
}

void delay_sent_again(struct weft_engine *e, const struct qp *q, struct msg *m, const struct pkt *k)
{
    delay_log(e, m)->retx_bytes += k->payload;
    delay_charge(q, WEFT_DELAY_LOSS,
                 gap_quantised(e->p.transport.quantum_ps, k->frame + e->p.transport.gap_bytes,
                               e->ports[q->port].ser_q));
}

void delay_sent(struct weft_engine *e, const struct qp *q, struct msg *m)
{
    struct msg_log *const log = delay_log(e, m);
    const struct port *p = &e->ports[q->port];
    const uint64_t full = data_frame(q, q->kind->env.mtu_bytes) + e->p.transport.gap_bytes;
    int64_t own_ps =
        (int64_t)(m->npkts - 1) * gap_quantised(e->p.transport.quantum_ps, full, p->ser_q);
    log->sent_ps = e->now;
    for (int k = 0; k < WEFT_DELAY_QUEUE; k++) {
        log->held_ps[k] = delay_clock(q, k) - log->held_ps[k];
        own_ps += log->held_ps[k];
    }
    const int64_t behind_ps = e->now - m->post_ps - own_ps;
    log->held_ps[WEFT_DELAY_NIC] += behind_ps > 0 ? behind_ps : 0;
}

/* By how much longer a packet from the middle of a message takes than its last one. */
static int64_t longer_ps(struct weft_engine *e, struct qp *q, const struct msg *m, uint64_t psn)
{
    const uint64_t mtu = q->kind->env.mtu_bytes, before = (m->npkts - 1) * mtu;
    if (psn + 1 >= m->first_psn + m->npkts || psn < m->first_psn)
        return 0;
    return qp_ideal_ps(e, q, mtu, m->since) - qp_ideal_ps(e, q, m->bytes - before, m->since);
}

void delay_received(struct weft_engine *e, struct qp *q, struct msg *m, const struct completer *c)
{
    struct msg_log *const log = delay_log(e, m);
    int64_t from_ps = log->sent_ps;
    if (c->sent_ps > from_ps) {
        from_ps = c->sent_ps;
        log->held_ps[WEFT_DELAY_LOSS] += from_ps - log->sent_ps + longer_ps(e, q, m, c->psn);
    }
    const int64_t paused = pause_clock_waited_ps(e, c->pkt, c->sent_ps), path_ps = e->now - from_ps;
    log->held_ps[WEFT_DELAY_PAUSE] += paused < path_ps ? paused : path_ps;
}

void delay_fill(const struct msg_log *log, struct weft_completion *d)
{
    memcpy(d->delay_ps, log->held_ps, sizeof log->held_ps);
    const int64_t beyond_ps = d->received_ps - d->post_ps - d->ideal_ps;
    weft_delays_resolve(d->delay_ps, beyond_ps, WEFT_DELAY_QUEUE);
}
