/* SPDX-License-Identifier: GPL-2.0-only */
/* Reliable connection: what a host does with a packet that is for it. */
#ifndef WEFT_ENGINE_RC_H
#define WEFT_ENGINE_RC_H

#include "core/msg.h"
#include "core/stable.h"
#include "engine.h"
#include "profile.h"
#include "qp.h"

/** What an ACK tells of packets behind a gap: bit i is first + i. */
struct sack_map {
    uint64_t first, bits;
};

/** How QPs recover from loss. */
struct rc {
    struct profile profile[PROFILES];
    uint8_t of_prio[WEFT_PRIOS + 1]; /**< which of them a priority has, FRAME_PRIO too */
    bool low_rto, sparse, by_bytes;  /**< some profile has it */
    struct stable maps;  /**< struct sack_map, by number of the packet; unused unless by_bytes */
    struct sack_map map; /**< of the ACK that is being received; bits 0: it has none */
    bool last_try;       /**< the next retransmission timeout of some QP is an error */
};

#pragma GCC visibility push(hidden)

/** All about a message. @p acked_ps: 0 before its last ACK. */
void rc_fill_done(const struct qp *q, const struct msg *m, int64_t acked_ps,
                  struct weft_completion *d);
/** The same of one that is being posted. */
void rc_fill_posted(struct weft_engine *e, const struct msg *m, struct weft_completion *d);
/** A packet of a QP has reached the host it was for. Consumes it. */
void rc_receive(struct weft_engine *e, uint32_t pkt);
/** Turns the data packet just taken into the ACK or NACK that answers it, and queues it. */
void rc_answer(struct weft_engine *e, struct qp *q, uint32_t pkt, enum weft_pkt_kind kind);
/** Answers a data packet by a NACK unless one was sent for this gap within nack-interval. */
void rc_nack_sparingly(struct weft_engine *e, struct qp *q, uint32_t pkt);
/** The message q->rcv_msg (@p msg) has arrived completely, with packet @p c. */
void rc_received(struct weft_engine *e, struct qp *q, uint32_t msg, const struct completer *c);
void rc_rto(struct weft_engine *e, uint32_t qp);
void rc_cc_timer(struct weft_engine *e, uint32_t qp);

#pragma GCC visibility pop

#endif
