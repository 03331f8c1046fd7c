/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loss recovery: what the two ends of a QP do about a gap in the packet numbers.
 *
 * One way of recovering is one struct recovery in one file, listed in recoveries.def. rc.c and
 * nic.c handle what all share (the packet expected next, cumulative ACKs, the timer) and call these
 * functions only when something was lost, so a loss-free run costs the same under each.
 *
 * The sender has one cursor, nxt_psn. Going back moves it down; what is sent below top_psn is a
 * retransmission.
 */
#ifndef WEFT_ENGINE_RECOVERY_H
#define WEFT_ENGINE_RECOVERY_H

#include "core/pkt.h"
#include "qp.h"

/** Payload bytes that an ACK or NACK reports newly. */
struct ack_report {
    uint64_t received;
    uint64_t landed;  /**< of them, those that were in flight */
    uint64_t trimmed; /**< of the packet that it names as trimmed; 0: none, or it is known */
};

/** What a loss recovery does that has a retransmission timer for each packet. */
struct packet_timers {
    /** Packet @p psn was made, with entropy value @p ev. */
    void (*sent)(struct weft_engine *e, uint32_t qi, uint64_t psn, uint32_t ev);
    /** When the first of them comes due; WEFT_NEVER: no packet is in flight. */
    int64_t (*due)(struct weft_engine *e, const struct qp *q);
    /** Takes the packet that is due first for lost: how often its timer has expired now, and its
     * entropy value. The QP has to be woken. */
    uint32_t (*expire)(struct weft_engine *e, uint32_t qi, uint32_t *ev);
};

struct recovery {
    const char *name;          /**< as in transport.recovery */
    bool low_rto;              /**< transport.rto-low holds while few packets are in flight */
    bool bdp_fc;               /**< transport.bdp-fc caps what is in flight */
    bool one_entropy;          /**< senders keep to one entropy value per QP */
    bool tolerates_reordering; /**< a packet that overtakes others is no sign that they are lost */
    bool counts; /**< in flight, for the window, is q->snd->flight_bytes, which `flight` counts anew
                  */
    /** Receiver: data packet @p i is not the one expected next, or it is and later ones are held.
     * Consumes it. */
    void (*gap)(struct weft_engine *e, uint32_t qi, uint32_t i);
    /** Sender: ACK or NACK @p k has been counted; it is a NACK, or has a SACK, or the QP is
     * recovering. Must wake the QP. */
    void (*acked)(struct weft_engine *e, uint32_t qi, const struct pkt *k);
    /** Sender: the retransmission timer has expired. Must wake the QP. */
    void (*timeout)(struct weft_engine *e, uint32_t qi);
    /** Sender, while recovering: a packet was made and the cursor stands behind it. Moves the
     * cursor on. Optional. */
    void (*sent)(struct weft_engine *e, uint32_t qi);
    /** Receiver: what is left of the trimmed data packet @p i, which was not acknowledged.
     * Consumes it. Optional: it is answered as a gap is by go-back-N. With it a NACK that has a
     * SACK names a trimmed packet. */
    void (*trimmed)(struct weft_engine *e, uint32_t qi, uint32_t i);
    /** Sender: what ACK or NACK @p k reports newly, before it is counted. Optional: what it newly
     * acknowledges is received. */
    struct ack_report (*received)(const struct weft_engine *e, const struct qp *q,
                                  const struct pkt *k);
    /** With counts: payload of the packets that are neither known to be received nor known to be
     * lost and not sent again. */
    uint64_t (*flight)(const struct weft_engine *e, const struct qp *q);
    /** Optional, with counts: a timer per packet. Without it the QP has one, see timeout. */
    const struct packet_timers *timers;
    /** The lowest packet number that the receiver may still ask for when @p una_psn is
     * acknowledged. Optional: una_psn itself. */
    uint64_t (*floor)(const struct weft_engine *e, const struct qp *q, uint64_t una_psn);
    /** Frees what the QP's q->snd->repeat and q->held point to. Optional. */
    void (*fini)(struct qp *q);
};

#pragma GCC visibility push(hidden)

#define RECOVERY(number, symbol, word) extern const struct recovery recovery_##symbol;
#include "recoveries.def"
#undef RECOVERY

/** The member for transport.recovery. */
const struct recovery *recovery_of(int which);
/** WEFT_E_INTERNAL: a function that is not optional is missing. */
int recovery_check(const struct recovery *r, struct weft_err *err);

#pragma GCC visibility pop

/** Whether @p k names a trimmed packet, sack, as missing. */
static inline bool names_trimmed(const struct recovery *r, const struct pkt *k)
{
    return k->kind == WEFT_PKT_NACK && k->flags & PKT_SACK && r->trimmed;
}

#endif
