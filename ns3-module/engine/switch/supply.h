/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What switches do for controls with WEFT_CC_NEEDS_SUPPLY: Bolt (Arslan et al., NSDI 2023).
 *
 * It happens to each packet that joins a queue of a node that forwards, before it may leave. The
 * port's supply is what its link could have sent since the packet before, less this one, in time of
 * the link: it may become negative, and no more than `burst` packets are kept. A data packet of
 * such a control that finds
 *
 *   a queue of `threshold` packets or more  loses its mark GAIN, and its sender is warned, once per
 *                                           packet: by a packet made here, with the queue, the rate
 *                                           of the port and when the data packet was sent
 *   less, and is of the flow's last window  leaves a token, unless it is of the first window, too
 *   less, and has GAIN                      takes a token, or a packet of supply, or loses GAIN
 *
 * The warning goes to the sender by the routes from here on, in the priority of ACKs, and takes no
 * share of the buffer. Without a route nobody is warned. All packets count for supply, those of
 * other controls, too; a trimmed one does nothing else, one that is dropped nothing. The receiver
 * counts marks in the ACKs that it sends, so that none is lost when one answers several packets.
 */
#ifndef WEFT_ENGINE_SUPPLY_H
#define WEFT_ENGINE_SUPPLY_H

#include "core/qp_state.h"
#include "core/switch_state.h"
#include "core/pkt.h"
#include "engine.h"

#pragma GCC visibility push(hidden)

/** WEFT_E_LIMIT: out of memory. */
int supply_init(struct weft_engine *e, struct weft_err *err);
void supply_fini(struct weft_engine *e);
/** Data packet @p i, which QP @p qi has just made, says what switches need. */
void supply_tag(struct weft_engine *e, struct qp *q, uint32_t qi, uint32_t i);
/** Packet @p i has joined the queue of port @p out of a node that forwards. Returns a warning to be
 * queued at *@p back; NIL: none. */
uint32_t supply_joins(struct weft_engine *e, uint32_t out, uint32_t i, uint32_t *back);
/* supply_host.c */
/** Data packet @p k of QP @p qi has come to its receiver. */
void supply_taken(struct weft_engine *e, const struct qp *q, uint32_t qi, struct pkt *k);
/** A warning has come to the sender. Consumes it. */
void supply_warned(struct weft_engine *e, uint32_t pkt);

#pragma GCC visibility pop

#endif
