/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common parts of the loss recoveries with bitmaps: selective_repeat.c has the code, out_of_order.c
 * is the variant whose receiver does not take a later packet for the loss of earlier ones.
 */
#ifndef WEFT_ENGINE_REPEAT_H
#define WEFT_ENGINE_REPEAT_H

#include "recovery.h"

/** struct recovery.gap: holds packets behind a gap; fills it. */
void repeat_gap(struct weft_engine *e, uint32_t qi, uint32_t i);
/** struct recovery.acked: notes what the receiver holds, sends again what counts as lost. */
void repeat_acked(struct weft_engine *e, uint32_t qi, const struct pkt *k);
/** struct recovery.received: without those that the receiver was known to hold. */
struct ack_report repeat_received(const struct weft_engine *e, const struct qp *q,
                                  const struct pkt *k);
/** struct recovery.trimmed: answers by a NACK that names it, unless the receiver holds it. */
void repeat_trimmed(struct weft_engine *e, uint32_t qi, uint32_t i);
/** struct recovery.flight */
uint64_t repeat_flight(const struct weft_engine *e, const struct qp *q);
/** struct recovery.timeout: all that is neither acknowledged nor held counts as lost. */
void repeat_timeout(struct weft_engine *e, uint32_t qi);
/** struct recovery.sent: on to the next lost packet. */
void repeat_sent(struct weft_engine *e, uint32_t qi);
/** struct recovery.timers */
extern const struct packet_timers repeat_timers;
/** struct recovery.fini */
void repeat_fini(struct qp *q);

#endif
