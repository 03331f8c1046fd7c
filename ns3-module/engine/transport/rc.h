/* SPDX-License-Identifier: GPL-2.0-only */
/* Reliable connection: what a host does with a packet that is for it. */
#ifndef WEFT_ENGINE_RC_H
#define WEFT_ENGINE_RC_H

#include "core/msg.h"
#include "core/transport_state.h"
#include "engine.h"

/** A message as it was posted. */
void rc_fill(const struct qp *q, const struct msg *m, struct weft_completion *d);
/** All about one that was received. @p acked_ps: 0 before its last ACK. */
void rc_fill_done(const struct weft_engine *e, const struct msg *m, int64_t acked_ps,
                  struct weft_completion *d);
/** One that is being posted, with its ideal duration. */
void rc_fill_posted(struct weft_engine *e, const struct msg *m, struct weft_completion *d);
/** The message q->rcv_msg (@p msg) has arrived completely, with packet @p c. */
void rc_received(struct weft_engine *e, struct qp *q, uint32_t msg, const struct completer *c);
/** QP @p qp knows that its packets before @p psn have arrived, without an ACK. */
void rc_acknowledge(struct weft_engine *e, uint32_t qp, uint64_t psn);
/** port_ops.host_receive: of a QP, or a frame. */
void rc_receive(struct weft_engine *e, uint32_t pkt, uint32_t port);
/** Turns the data packet just taken into the ACK or NACK that answers it, and queues it. */
void rc_answer(struct weft_engine *e, struct qp *q, uint32_t pkt, enum weft_pkt_kind kind);
/** Answers a data packet by a NACK unless one was sent for this gap within nack-interval. */
void rc_nack_sparingly(struct weft_engine *e, struct qp *q, uint32_t pkt);
/** timer_ops of EV_RTO and EV_CC, whose number is that of the QP. */
void rc_rto(struct weft_engine *e, uint64_t qp);
int64_t *rc_rto_deadline(const struct weft_engine *e, uint64_t qp, int64_t *at_ps);
void rc_cc_timer(struct weft_engine *e, uint64_t qp);
int64_t *rc_cc_deadline(const struct weft_engine *e, uint64_t qp, int64_t *at_ps);

/** frame.c: a frame of another transport has reached port @p port of the host it was for. Consumes
 * it. */
void frame_receive(struct weft_engine *e, uint32_t pkt, uint32_t port);

#endif
