/* SPDX-License-Identifier: GPL-2.0-only */
/* The NIC of a host port: which QP sends next, and when. */
#ifndef WEFT_ENGINE_NIC_H
#define WEFT_ENGINE_NIC_H

#include "core/port.h"
#include "core/transport_state.h"

/** A timeout after @p backoff doublings. */
static inline int64_t backed_off(int64_t rto_ps, uint32_t backoff)
{
    return rto_ps > FOREVER_PS >> backoff ? FOREVER_PS : rto_ps << backoff;
}

#pragma GCC visibility push(hidden)

/** Frees all NICs. */
void nics_fini(struct weft_engine *e);
/** Bytes of their heaps of QPs that wait for their pacing time. */
uint64_t nics_paced_bytes(const struct weft_engine *e);
/** The next data packet of priority @p prio at a host port, NIL when every QP turned out
 * blocked. */
uint32_t nic_next(struct weft_engine *e, uint32_t port, uint32_t prio);
/** Whether a QP waits for its pacing time; the first of them heads the heap. */
bool nic_paced(struct weft_engine *e, struct nic *n);
/** Moves the QPs whose pacing time has come to the ready rings. */
void nic_release_paced(struct weft_engine *e, uint32_t port);
/** port_ops.host_send. */
void nic_send(struct weft_engine *e, struct port *p, uint32_t port);
/** A QP that is idle or blocked may have become sendable. */
void nic_wake(struct weft_engine *e, uint32_t qp);
/** After a hook of the congestion control: clamps its output, queues its timer. */
void nic_cc_changed(struct weft_engine *e, uint32_t qp);
/** Restarts sending from the oldest unacknowledged packet. */
void nic_go_back(struct weft_engine *e, uint32_t qp);
/** Moves the sending cursor to packet @p psn, una_psn <= psn <= end_psn. */
void nic_seek(struct weft_engine *e, struct qp *q, uint64_t psn);
void nic_rto_arm(struct weft_engine *e, uint32_t qp);
/** The timer was set to rto-low but more is in flight by now: sets it to the full timeout. False
 * when it has really expired. */
bool nic_rto_extend(struct weft_engine *e, uint32_t qp);

#pragma GCC visibility pop

#endif
