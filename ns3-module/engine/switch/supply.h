/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Services of switches for controls with WEFT_CC_NEEDS_SUPPLY: Bolt (Arslan et al., NSDI 2023).
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

#include "core/context.h"
#include "core/pkt.h"
#include "engine.h"

/** Of one port. */
struct supply {
    int64_t at_ps;    /**< of the last packet that joined */
    int64_t spare_ps; /**< supply */
    int64_t most_ps;  /**< that is kept, as the last packet with marks had it */
    uint32_t tokens;  /**< of flows that end */
};

/** The state of the signal. */
struct supplies {
    struct supply *of;   /**< by port */
    struct stable gains; /**< uint32_t by number of the QP: marks that no ACK has told of */
};

/* See switch_signal.h. */
int supply_init(struct weft_engine *e, struct weft_err *err);
void supply_fini(struct weft_engine *e);
uint64_t supply_memory(const struct weft_engine *e);
void supply_tag(struct weft_engine *e, struct qp *q, uint32_t qi, uint32_t i);
uint32_t supply_joins(struct weft_engine *e, uint32_t out, uint32_t i, uint32_t *back);

static inline struct supplies *supplies_of(const struct weft_engine *e)
{
    return (struct supplies *)e->signal_state;
}

#endif
