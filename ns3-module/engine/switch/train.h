/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trains (transport.train): packets of a message that follow each other are made, sent, queued and
 * acknowledged as one packet, which takes as long and as much of links and buffers as they do. That
 * is an approximation, and several times as fast.
 *
 * A train moves through the fabric as its packets would: a switch may send on its first packet
 * while the last is on the link before (forward.c), other QPs have as many turns at the NIC as it
 * has packets (nic_train.c), and each packet has its chance of being marked or lost. At both ends
 * of a message trains get shorter, so that its last packet leaves when it would. There are none
 * among what is sent again, while the rate or the window of the congestion control may hold a QP,
 * and, where the control has a state, before the first ACK of a message.
 *
 * Under DCQCN a slower QP that waits for its turn for much longer than its rate asks for sends
 * trains as well. While one takes its turns, its packets would bring several CNPs: a train has
 * slots, each marked by itself, one per packet if these are as far apart as CNPs of a QP are. The
 * CNP of a train says how many are marked, and the QP hears of them one after the other before its
 * next packet, until its rate is what would have held it: then it would have sent fewer packets.
 */
#ifndef WEFT_ENGINE_SWITCH_TRAIN_H
#define WEFT_ENGINE_SWITCH_TRAIN_H

#include "core/context.h"
#include "core/gap.h"

/** Whether all of a configuration can take several packets as one. @p needs: of its congestion
 * controls, bits of WEFT_CC_NEEDS. */
int train_check(const struct weft_engine_config *c, unsigned needs, struct weft_err *err);
int train_init(struct weft_engine *e, struct weft_err *err);
void train_fini(struct weft_engine *e);

/** Whether packet @p k is a train, or stands for the end of one (forward.c). */
static inline bool train_is(const struct weft_engine *e, const struct pkt *k)
{
    return e->path.rare & RARE_TRAINS && k->kind == WEFT_PKT_DATA && k->train.wire;
}
/** Packets that data packet @p k stands for: more than one are a train. With trains alone. */
static inline uint32_t train_packets(const struct pkt *k)
{
    return k->train.wire ? 1u + k->train.n : 1;
}
/** How long before its end packet @p k has come to the end of the link of egress port @p port far
 * enough to be sent on; 0: not a train, or the link leads to a host. With trains alone. */
static inline int64_t train_ahead_ps(const struct weft_engine *e, uint32_t port,
                                     const struct pkt *k)
{
    const uint32_t more = k->kind == WEFT_PKT_DATA ? k->train.wire : 0;
    return more ? gap_ps(more, e->path.train_q[port]) : 0;
}

#endif
