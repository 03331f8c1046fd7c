/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets without payload that ask for an ACK (transport.probe-frame; UE specification 1.0.3: a
 * control packet; uet-htsim: RTS).
 *
 * Under rud, when the timer of a packet has expired and the window or the credit forbids to send
 * it, nothing of the QP may be under way that makes the receiver answer. A probe does, in the
 * priority of ACKs, at most once per base RTT; under credit it says what the sender wants, too. Its
 * ACK tells of the last 64 packets that were sent. The round trip is that of a short packet that
 * overtook the data: controls are told so (weft_cc_ack.probe).
 */
#ifndef WEFT_ENGINE_PROBE_H
#define WEFT_ENGINE_PROBE_H

#include "core/pkt.h"
#include "qp.h"

/** Sends a probe if a blocked QP may have one now; whether it did. */
bool probe_send(struct weft_engine *e, struct qp *q, uint32_t qi);

/** Whether an ACK answers the latest probe, which names itself by the time at which it was sent. */
static inline bool probe_answered(const struct qp *q, const struct pkt *ack)
{
    return __builtin_expect(q->snd->counted, 0) &&
           ack->sent_ps + q->kind->env.base_rtt_ps == rare_of(q)->probe_ps;
}

#endif
