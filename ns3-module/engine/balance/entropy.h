/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Load balancing by the sender: each data packet carries an entropy value, which switches hash
 * together with its flow, and what comes back says which values to take again
 * (switch.balance=entropy; UE specification 1.0.3, 3.6.16).
 *
 * A value is one of switch.entropy-values; each fixes one path of a flow, and two may fix the same.
 * ACKs and NACKs bring the value of the packet that they answer back to its sender; they themselves
 * keep to the path of their flow.
 */
#ifndef WEFT_ENGINE_ENTROPY_H
#define WEFT_ENGINE_ENTROPY_H

#include "core/pkt.h"
#include "engine.h"
#include "core/qp_state.h"

#include "base/rng.h"

/** Fate of a packet, as its sender learns it. */
enum entropy_feedback {
    ENTROPY_GOOD,
    ENTROPY_MARKED,
    ENTROPY_TRIMMED,
    ENTROPY_LOST,   /**< its timer expired */
    ENTROPY_TIMEOUT /**< of packets whose values nobody knows */
};

/** Whether switch.entropy-values is a power of two, if it is used. */
int entropy_check(const struct weft_engine_params *p, struct weft_err *err);
/** Starts a QP, if values balance. WEFT_E_LIMIT: out of memory. */
int entropy_open(struct weft_engine *e, struct qp *q, struct weft_err *err);
void entropy_close(struct qp *q);
/** The value of the next packet of a QP. */
uint32_t entropy_next(struct weft_engine *e, struct qp *q);
/** A packet with value @p ev came to its end; TIMEOUT: some did. */
void entropy_feed(struct weft_engine *e, struct qp *q, uint32_t ev, enum entropy_feedback what);
/** The same as ACK or NACK @p k says it. */
void entropy_answered(struct weft_engine *e, struct qp *q, const struct pkt *k);

#endif
