/* SPDX-License-Identifier: GPL-2.0-only */
/* The NIC of a host port: which QP sends next, and when. */
#ifndef WEFT_ENGINE_NIC_H
#define WEFT_ENGINE_NIC_H

#include "core/context.h"
#include "core/events.h"
#include "core/port.h"
#include "core/transport_state.h"

/** A timeout after @p backoff doublings. */
static inline int64_t backed_off(int64_t rto_ps, uint32_t backoff)
{
    return rto_ps > FOREVER_PS >> backoff ? FOREVER_PS : rto_ps << backoff;
}

/** Frees all NICs. */
void nics_fini(struct weft_engine *e);
/** Bytes of their heaps of QPs that wait for their pacing time. */
uint64_t nics_paced_bytes(const struct weft_engine *e);
/** port_ops.host_send. */
void nic_send(struct weft_engine *e, struct port *p, uint32_t port);
/** A QP that is idle or blocked may have become sendable. */
void nic_wake(struct weft_engine *e, uint32_t qp);
/** nic_cc_changed where there is something to do. */
void nic_cc_apply(struct weft_engine *e, struct qp *q, uint32_t qp);
/** Restarts sending from the oldest unacknowledged packet. */
void nic_go_back(struct weft_engine *e, uint32_t qp);
/** Moves the sending cursor to packet @p psn, una_psn <= psn <= end_psn. */
void nic_seek(struct weft_engine *e, struct qp *q, uint64_t psn);
void nic_rto_arm(struct weft_engine *e, uint32_t qp);
/** The timer was set to rto-low but more is in flight by now: sets it to the full timeout. False
 * when it has really expired. */
bool nic_rto_extend(struct weft_engine *e, uint32_t qp);

/** How many packets of QPs of a kind whose trains nobody waits for bring one ACK. */
void nic_train_acks(struct qp_kind *k);
/** Packet @p index of message @p m, @p k, becomes a train if it may (switch/train.h); how many
 * packets it has more. */
uint64_t nic_train_couple(const struct weft_engine *e, struct nic *n, struct qp *q, struct pkt *k,
                          const struct msg *m, uint64_t index);
/** With trains: puts a QP into the ready ring of its priority. */
void nic_train_turn(struct weft_engine *e, struct nic *n, uint32_t qp);
/** With trains: a QP has been taken from the head of its ready ring. Its congestion control hears
 * of CNPs that it has not been told of. */
void nic_train_turn_over(struct weft_engine *e, struct nic *n, uint32_t qp);
/** A CNP for a train stands for @p n more, of which QP @p q is told before its next packet. */
void nic_train_cnps(struct qp *q, uint32_t n);
/** With trains: QPs of a ready ring are others. */
void nic_train_turns_again(struct weft_engine *e, struct nic *n, uint32_t prio);

/** Places a QP in the heap until its pacing time. An entry that it has already becomes out of date,
 * see nic_paced. */
static inline void nic_pace(struct weft_engine *e, struct nic *n, const struct qp *q, uint32_t qi)
{
    q->snd->state = QP_PACED;
    engine_push(e, &n->paced, q->snd->next_avail_ps, qi);
}

/** The rate at which packets of a QP follow one another. */
static inline uint64_t nic_pacing_rate(const struct weft_engine *e, const struct qp *q)
{
    return __builtin_expect(e->p.transport.pacing, 1) ? q->snd->out.rate_bps
                                                      : q->kind->env.line_rate_bps;
}

/** ps per wire byte of a QP at @p rate_bps. */
static inline uint64_t nic_gap_q(const struct qp *q, uint64_t rate_bps)
{
    return __builtin_expect(rate_bps == q->kind->env.line_rate_bps, 1) ? q->kind->line_gap_q
                                                                       : gap_of_rate(rate_bps);
}

/** After a hook of the congestion control: clamps its output, queues its timer. Inline, as most
 * hooks leave nothing to do. */
static inline void nic_cc_changed(struct weft_engine *e, struct qp *q, uint32_t qi)
{
    const struct sender *const snd = q->snd;
    const uint64_t rate_bps = snd->out.rate_bps;
    if (__builtin_expect(rate_bps - 1 >= q->kind->env.line_rate_bps, 0) ||
        __builtin_expect(e->path.rare & RARE_RATE, 0) ||
        (snd->out.repace && nic_pacing_rate(e, q) != snd->gap_rate_bps) ||
        __builtin_expect(snd->out.timer_at_ps != WEFT_NEVER, 0))
        nic_cc_apply(e, q, qi);
}

#endif
