/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of room transport as the context embeds it, beside QPs: NICs, profiles of transports,
 * congestion controls of dimensions, loss recoveries as tables of functions, receiver credit.
 */
#ifndef WEFT_ENGINE_TRANSPORT_STATE_H
#define WEFT_ENGINE_TRANSPORT_STATE_H

#include "balance_state.h"
#include "fields.h"
#include "engine.h"
#include "heap.h"
#include "pkt.h"
#include "qp_state.h"
#include "stable.h"
#include "switch_signal.h"

#include "base/rng.h"
#include "congestion/choice.h"
#include "congestion/core_credit.h"
#include "congestion/cc_switch.h"

struct recovery;
struct weft_engine;

/** Profiles of a run: section transport, section uet. */
enum { PROFILE_RUN, PROFILE_UET, PROFILES };

/** A transport as the QPs of its classes use it. */
struct profile {
    struct weft_transport_params t;
    const struct recovery *recovery;
    balance_fn pick;    /**< what spreads its data (balance.c); NULL: the hash of the flow */
    uint32_t ack_after; /**< data packets, or bytes of them, per ACK */
    bool low_rto;       /**< transport.rto-low is in force */
    bool sparse;        /**< not every data packet is acknowledged */
    bool by_bytes;      /**< receivers count bytes */
    bool sprays;        /**< senders choose entropy values: pick goes by them */
};

/** Payload bytes that an ACK or NACK reports newly. */
struct ack_report {
    uint64_t received;
    uint64_t landed;  /**< of them, those that were in flight */
    uint64_t trimmed; /**< of the packet that it names as trimmed; 0: none, or it is known */
};

/** Operations of a loss recovery with a retransmission timer for each packet. */
struct packet_timers {
    /** Packet @p psn was made, with entropy value @p ev. */
    void (*sent)(struct weft_engine *e, uint32_t qi, uint64_t psn, uint32_t ev);
    /** When the first of them comes due; WEFT_NEVER: no packet is in flight. */
    int64_t (*due)(struct weft_engine *e, const struct qp *q);
    /** Takes the packet that is due first for lost: how often its timer has expired now, and its
     * entropy value. The QP has to be woken. */
    uint32_t (*expire)(struct weft_engine *e, uint32_t qi, uint32_t *ev);
    /** Whether the packet that was sent at @p sent_ps is still in flight, and was sent twice at
     * most: the round trip of its answer is a sample (UE specification 1.0.3, 3.6.13). */
    bool (*sampled)(const struct qp *q, int64_t sent_ps);
};

struct recovery {
    const char *name;          /**< as in transport.recovery */
    bool low_rto;              /**< transport.rto-low holds while few packets are in flight */
    bool bdp_fc;               /**< transport.bdp-fc caps what is in flight */
    bool one_entropy;          /**< senders keep to one entropy value per QP */
    bool tolerates_reordering; /**< a packet that overtakes others is no sign that they are lost */
    /** In flight, for the window, is rare_of(q)->flight_bytes, which `flight` counts anew. */
    bool counts;
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
    /** Frees what rare_of(q) points to of it. Optional. */
    void (*fini)(struct qp *q);
};

/** Whether @p k names a trimmed packet, sack, as missing. */
static inline bool names_trimmed(const struct recovery *r, const struct pkt *k)
{
    return k->kind == WEFT_PKT_NACK && k->flags & PKT_SACK && r->trimmed;
}

/** A congestion control as the QPs of one transport and dimension use it. */
struct control {
    const struct profile *profile;
    uint64_t line_rate_bps; /**< settled: of those QPs */
    int64_t base_rtt_ps;    /**< settled: of those QPs; 0: of any, nothing follows from it */
    const struct weft_cc_ops *ops;
    const void *params;
    struct weft_cc_cnp cnp;
    struct weft_cc_signals signals;
    bool ecn_on, cnp_on, echo_on, int_on, pint_on, credit_on;
    const struct switch_signal *signal; /**< that it needs; NULL: none */
    struct weft_cc_choice own;          /**< the dimension's, when it has one of its own */
    /** the same with its parameters settled for QPs of a line rate and base RTT; NULL: no more.
     * Last, as threads may add to the list while others copy what is before */
    struct control *resolved;
};

/** The transport of a QP. */
static inline const struct profile *profile_of(const struct qp *q)
{
    return q->kind->profile;
}

/** Bitmap of an ACK for packets behind a gap: bit i is first + i. */
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
    /** of the data packet that a host has taken, if that is a train: packets besides the first, and
     * what its marks are worth besides that one */
    uint32_t more, more_cnps;
    bool last_try; /**< the next retransmission timeout of some QP is an error */
};

/** NIC arbitration state of one host port. */
struct nic {
#define FIELD FIELD_DECLARE
#include "nic.def"
};

#define TRAIN_TURNS 16u /**< more than a QP lets others have */

/** All NICs. */
struct nics {
    struct nic *of; /**< by port.nic */
    /** with trains, by port.nic, priority and turn: the last QP of the ready ring whose turn that
     * is, plus 1; 0: there is none */
    uint32_t (*last)[WEFT_PRIOS][TRAIN_TURNS];
    uint32_t n;
    bool turns; /**< their queues hold packets that take turns with QPs: in transit, frames, sums */
};

/** Both ends of a QP, as far as credit goes; amounts in quanta of 256 bytes. */
struct grantee {
    uint32_t next, prev;      /**< in a list of its pacer */
    uint8_t list;             /**< receiver: enum grant_list */
    bool answer;              /**< receiver: the next grant is sent even if it grants nothing */
    uint8_t patience;         /**< sender: doublings of the time until it asks again */
    uint64_t wanted, granted; /**< receiver: in all */
    uint64_t requested;       /**< sender: what it has asked for, in all */
    uint64_t landed_bytes;    /**< sender: payload known to have arrived, in order or not */
};

/** Where a grantee is. */
enum grant_list { GRANT_NONE, GRANT_ACTIVE, GRANT_IDLE, GRANT_LISTS };

/** Of one host port. */
struct pacer {
    struct list list[GRANT_LISTS]; /**< of QPs */
    int64_t next_ps;               /**< not before */
    bool armed;
    int64_t look_ps; /**< next look at what came marked or trimmed; 0: none was looked for yet */
    struct weft_cc_core_state core;
    struct weft_rng rng; /**< of the times of looks */
};

struct grants {
    struct stable of; /**< struct grantee, by number of the QP; elem 0: no control has credits */
    struct pacer *pacers;
};

#endif
