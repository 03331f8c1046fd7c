/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ACKs for several packets: after so many of them (transport.ack-every), or, of packets that come
 * in any order, after so many bytes (ack-every-bytes; UE specification 1.0.3, 3.5.12). Such an ACK
 * carries a bitmap of the packets behind a gap: of the 64 up to the one that caused it, as
 * uet-htsim has it (which tells of the 64 from it on where that was marked or asked for an ACK).
 */
#ifndef WEFT_ENGINE_SPARSE_ACK_H
#define WEFT_ENGINE_SPARSE_ACK_H

#include "core/context.h"
#include "core/pkt.h"
#include "qp.h"

/** Room for the bitmaps, where there are any. */
bool sparse_ack_init(struct weft_engine *e);
/** ack_due with ack-every-bytes: the packet has been taken, in order or behind a gap. */
bool sparse_ack_due(struct qp *q, const struct pkt *k);
/** Gives the ACK that data packet @p i is about to become its bitmap, if it has anything to tell;
 * its flags. */
uint8_t sparse_ack_map(struct weft_engine *e, const struct qp *q, uint32_t i);

/** Receiver: counts data packet @p k, which came in order, and the @p more of its train; whether it
 * is to be answered now. */
static inline bool ack_due(struct qp *q, const struct pkt *k, uint32_t more)
{
    const uint32_t after = q->kind->ack_after;
    if (__builtin_expect(!after, 0))
        return sparse_ack_due(q, k);
    q->unacked += 1 + more;
    return k->flags & (PKT_LAST | PKT_ASK) || q->unacked >= after;
}

#endif
