/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs: a record of one has its receiver, and what both ends read; its sender is a record of its
 * own. Of processes that share a fabric out (peers.h) only the one that has the sending host has
 * it. Room transport has the functions.
 */
#ifndef WEFT_ENGINE_QP_STATE_H
#define WEFT_ENGINE_QP_STATE_H

#include "congestion/cc.h"
#include "gap.h"
#include "stable.h"
#include "engine.h"

struct control;
struct entropy_state;
struct psn_set;
struct repeat;

/** QPs beyond which their records are no longer in the caches. */
#define CACHED_QPS 4096u

/** What a QP is doing as far as NIC arbitration is concerned. Waking means something to those
 * before QP_READY. QP_PARKED: no path leads to the destination. */
enum qp_state { QP_IDLE, QP_BLOCKED, QP_READY, QP_PACED, QP_PARKED };

/** Switches on a path that a QP remembers; the choices of further ones are looked up. */
#define QP_PATH 8

/** What data of a QP says to those that it meets, in pkt.sig, beside stamps. */
enum qp_carries { QP_NOTHING, QP_CREDIT, QP_SUPPLY };

/** The priority of the records that stand for flows of frames: they have the path of a QP and
 * nothing else of it. A frame travels as the ACKs of that QP do, so that src_host is where it goes.
 */
#define FRAME_PRIO WEFT_PRIOS

/** What only the sender of a QP has: four cache lines. */
struct sender {
    uint32_t next;    /**< ready ring link */
    uint32_t nxt_msg; /**< message that nxt_psn belongs to, NIL when all is sent */
    uint64_t nxt_psn, una_psn;
    uint64_t nxt_bytes, una_bytes; /**< payload stream offsets of nxt_psn and una_psn */
    uint64_t top_psn;              /**< first number never sent */
    uint64_t flight_bytes; /**< counted: payload that is neither known to be received nor lost */
    int64_t next_avail_ps;
    struct weft_cc_out out;
    uint64_t last_wire;    /**< wire bytes of the last packet sent, 0: none yet */
    int64_t last_tx_ps;    /**< when it started */
    uint64_t gap_rate_bps; /**< the rate that gap_q was computed for */
    uint64_t gap_q;        /**< ps per wire byte at that rate, GAP_SHIFT */
    uint8_t state;         /**< enum qp_state */
    uint8_t prio;          /**< of the next packet: own_prio, or one of its channels */
    uint8_t backoff;       /**< doublings of the retransmission timeout */
    uint8_t recovering;    /**< each ACK and each packet made is told to the loss recovery */
    uint8_t counted;       /**< flight_bytes is what the window goes by (recovery.counts) */
    uint32_t retries;      /**< expiries since the last progress */
    int64_t rto_at_ps;     /**< real deadline, WEFT_NEVER: nothing outstanding */
    int64_t rto_entry_ps;  /**< time of the valid EV_RTO entry, WEFT_NEVER: none */
    int64_t cc_timer_ps;   /**< time of the queued EV_CC entry, WEFT_NEVER: none */
    uint64_t made_bytes;   /**< payload of the packets made, those sent again included */
    uint64_t cap_bytes;    /**< most bytes in flight whatever the window, UINT64_MAX: no cap */
    int64_t told_ps;  /**< its clocks are right up to here, see delay.c; it is sending until then if
                         that lies ahead */
    int64_t pause_ps; /**< the pause clock of its port and priority at told_ps */
    int64_t held_ps[WEFT_DELAY_QUEUE]; /**< its clocks: what has kept it from sending */
    struct entropy_state *entropy;     /**< with switch.balance=entropy, else NULL */
    struct repeat *repeat; /**< what selective repeat knows of its packets, NULL: nothing so far */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct sender) == 256, "a QP of 65,536 is not to take more");

/** One QP: its receiver, what both ends have, and where its sender is. */
struct qp {
    /** egress ports of the switches that its data, and its ACKs and CNPs, pass; NIL: look it up */
    uint32_t path[2][QP_PATH];
    /* what both ends read, on a line that is hardly ever written */
    const struct weft_cc_ops *cc; /**< those of control */
    const void *ccp;
    const struct control *control; /**< of the dimension that the QP belongs to */
    struct sender *snd;            /**< never NULL: nobody, where another process has the sender */
    uint32_t mtu_bytes;            /**< payload bytes of a full packet */
    uint32_t src_host, dst_host;
    uint32_t port; /**< host port it sends through */
    uint32_t flow_hash, ack_hash;
    uint8_t own_prio;
    uint8_t nic;     /**< port of its host that it is bound to, as in struct weft_msg; 0: none */
    uint8_t carries; /**< enum qp_carries: for grant.h, for supply.h */
    /* receiver: another thread may run it */
    uint64_t exp_psn __attribute__((aligned(64)));
    uint64_t taken_bytes; /**< payload of the packets that came to the receiver, in order or not */
    uint64_t nack_psn;    /**< gap that the last NACK was for, UINT64_MAX: none */
    int64_t nack_at_ps, cnp_at_ps;
    uint32_t ack_port;    /**< receiving host's port for ACKs */
    uint32_t unacked;     /**< data packets, or bytes of them, since the last ACK */
    uint8_t answer;       /**< flags of the next ACK or NACK: PKT_ECHO: a packet since the last one
                             was marked; PKT_CNP; PKT_NEAR */
    uint8_t holding;      /**< packets behind a gap are kept (selective repeat) */
    uint8_t asked;        /**< ack-every-bytes: an ACK was asked for behind a gap */
    uint32_t rcv_msg;     /**< message that exp_psn belongs to, NIL when all is received */
    struct psn_set *held; /**< packets behind a gap, NULL: never had one */
    /* what was posted, and the path: of both ends */
    uint32_t head_msg __attribute__((aligned(64)));
    uint32_t tail_msg; /**< unacknowledged messages */
    uint64_t end_psn;  /**< first number after the last posted message */
    uint64_t end_byte;
    struct weft_cc_env env;
    uint64_t ideal_bytes; /**< the message size that ideal_ps was computed for */
    int64_t ideal_ps;     /**< 0: not computed yet */
    /* what is hardly ever wanted, mostly by its sender */
    uint32_t number;     /**< which QP between the two hosts */
    uint32_t mid;        /**< with steer.h, of the next packet: the host on the way */
    int64_t rto_from_ps; /**< when rto_at was set, with transport.rto-low only */
    int64_t probe_ps;    /**< no probe before that time (probe.h) */
    uint64_t asked_psn;  /**< transport.ack-every > 1: packets below it get an ACK without others */
    uint64_t retx_packets;
    bool upper; /**< with steer.h, of the next packet: it starts in class 1 of the virtual channels
                 */
};
_Static_assert(sizeof(struct qp) == 320, "a QP of 65,536 is not to take more");

/** Whether a QP sends under credits (grant.h). */
static inline bool credited(const struct qp *q)
{
    return q->carries == QP_CREDIT;
}

/** Who a QP is between. */
struct qp_name {
    uint32_t src, dst; /**< hosts */
    uint32_t number;   /**< which one between the two */
    uint8_t prio;
    uint8_t nic; /**< as in struct weft_msg */
};

/** All QPs. */
struct qps {
    struct stable pool;     /**< struct qp, each followed by its sender, or */
    struct stable senders;  /**< struct sender, where there are several processes */
    struct stable cc_state; /**< of the congestion control, by number of the QP */
    struct stable rtt_ps;   /**< int64_t by number of the QP: of its last ACK; unused unless
                               weft_engine_note_rtts was called */
    uint32_t *slots;        /**< open addressing table of QP numbers + 1 */
    uint32_t nslots;
    uint32_t opened;          /**< QPs from this number on are yet to be opened (posts.h) */
    struct qp_name *unopened; /**< those */
    uint32_t nunopened, unopened_cap;
};

#endif
