/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QPs: a record of one has its receiver, and what both ends read; its sender is a record of its
 * own. Of processes that share a fabric out (peers.h) only the one that has the sending host has
 * it. Room transport has the functions.
 */
#ifndef WEFT_ENGINE_QP_STATE_H
#define WEFT_ENGINE_QP_STATE_H

#include "congestion/cc.h"
#include "fields.h"
#include "gap.h"
#include "stable.h"
#include "engine.h"

#include <stddef.h>

struct control;
struct entropy_state;
struct profile;
struct psn_set;
struct repeat;

/** QPs beyond which their records are no longer in the caches. */
#define CACHED_QPS 4096u

/** State of a QP in NIC arbitration. Waking means something to those
 * before QP_READY. QP_PARKED: no path leads to the destination. */
enum qp_state { QP_IDLE, QP_BLOCKED, QP_READY, QP_PACED, QP_PARKED };

/** Switches on a path that a QP remembers; the choices of further ones, and of those with more than
 * 128 ports, are looked up. */
#define QP_PATH 8

/** What data of a QP says to those that it meets, in pkt.sig, beside stamps. */
enum qp_carries { QP_NOTHING, QP_CREDIT, QP_SIGNAL };

/** The priority of the records that stand for flows of frames: they have the path of a QP and
 * nothing else of it. A frame travels as the ACKs of that QP do, so that src_host is where it goes.
 */
#define FRAME_PRIO WEFT_PRIOS

/** What QPs are alike in: their congestion control, and what it may know of their paths. Made when
 * the first of them opens, and constant from then on. */
struct qp_kind {
    const struct weft_cc_ops *cc;  /**< those of control */
    const void *ccp;               /**< its parameters */
    const struct control *control; /**< of the dimension that the QPs belong to */
    const struct profile *profile; /**< their transport */
    struct weft_cc_env env;
    uint32_t full_frame; /**< frame bytes of a full data packet, */
    uint32_t ack_frame;  /**< and of an ACK */
    uint32_t train;      /**< most packets of a train, 1: there are none */
    /** data packets per ACK; 0: bytes are counted, profile.ack_after */
    uint32_t ack_after;
    bool sparse;         /**< not each packet brings an ACK */
    uint64_t line_gap_q; /**< gap_of_rate of the line rate */
    /** most bytes in flight whatever the window, UINT64_MAX: no cap */
    uint64_t cap_bytes;
    uint32_t state_bytes;   /**< of the control's state of each at first, */
    uint32_t stamps;        /**< which has room for so many stamps */
    struct weft_cc_out out; /**< what the control says at first, */
    void *fresh;            /**< and its state then */
    const char *qps;        /**< where all QPs are, */
    struct qp_rare *rares;  /**< and what they rarely need, by number; */
    uint32_t inverse;       /**< 2^32 over the cache lines of a record in qps, rounded up */
    struct qp_kind *next;   /**< of the same hash; last, as threads may add some */
};

/** Hashes of kinds. */
#define QP_KINDS 4096u

/** Clocks of a QP (delay.h) that lie in its sender: WEFT_DELAY_NIC, WEFT_DELAY_CONTROL. */
#define QP_CLOCKS 2

/** What most QPs never touch. */
struct qp_rare {
#define FIELD FIELD_DECLARE
#include "qp_rare.def"
};

/** Fields of the sender of a QP. */
struct sender {
#define FIELD FIELD_DECLARE
#include "sender.def"
} __attribute__((aligned(32)));
_Static_assert(sizeof(struct sender) == 160, "a QP of 65,536 is not to take more");

/** A QP: its receiver, what both ends have, and where its sender is. */
struct qp {
#define FIELD FIELD_DECLARE
#include "qp.def"
} __attribute__((aligned(32)));
_Static_assert(sizeof(struct qp) == 128 && offsetof(struct qp, exp_psn) == 64,
               "what is on which line, and a QP of 65,536 is not to take more");

/** What a QP with a kind rarely needs. */
static inline struct qp_rare *rare_of(const struct qp *q)
{
    const struct qp_kind *const k = q->kind;
    const uint64_t line = (uint64_t)((const char *)q - k->qps) / 64;
    return k->rares + (line * k->inverse >> 32); /* exact, as there are at most MAX_QPS */
}

/** Whether a QP sends under credits (grant.h). */
static inline bool credited(const struct qp *q)
{
    return q->carries == QP_CREDIT;
}

/** Ends of a QP. */
struct qp_name {
    uint32_t src, dst; /**< hosts */
    uint32_t number;   /**< which one between the two */
    uint8_t prio;
    uint8_t nic; /**< as in struct weft_msg */
};

/** All QPs. */
struct qps {
    struct stable pool;    /**< struct qp */
    struct stable senders; /**< struct sender: of several processes each has its own */
    struct stable rare;    /**< struct qp_rare, by number of the QP: memory that few touch */
    /** Of congestion controls, by number of the QP: as much as paths usually need, and none before
     * CNPs; qp_kind.c. */
    struct stable cc_state;
    struct qp_kind **kinds; /**< by hash */
    struct stable rtt_ps;   /**< int64_t by number of the QP: of its last ACK; unused unless
                               weft_engine_note_rtts was called */
    uint32_t *slots;        /**< open addressing table of QP numbers + 1 */
    uint32_t nslots;
    uint32_t opened;          /**< QPs from this number on are yet to be opened (posts.h) */
    struct qp_name *unopened; /**< those */
    uint32_t nunopened, unopened_cap;
};

#endif
