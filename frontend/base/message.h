/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages as all that carry them see them: backends (net/net.h), the packet engine, TCP. What is
 * posted is handed down, and what became of it is handed up, as it is.
 *
 * Hosts are named by host number. Times are absolute simulated picoseconds.
 */
#ifndef WEFT_BASE_MESSAGE_H
#define WEFT_BASE_MESSAGE_H

#include "base/delay.h"

#include <stdbool.h>
#include <stdint.h>

/** Priority of a message that asks for none: the carrier's own for data. */
#define WEFT_PRIO_DEFAULT UINT32_MAX

/** Bits of the number of a QP within its job. */
#define WEFT_QP_BITS 20

/** What a message is. */
enum weft_msg_kind {
    WEFT_MSG_POINT_TO_POINT, /**< from one host to another */
    /** a host's part of an in-network operation (struct weft_part): src and dst are that host */
    WEFT_MSG_PART
};

/**
 * What the sender attaches to a message to know it by, given back with its completion. Carriers
 * neither look at it nor own what it names. Which member holds, and the type of the object, the
 * sender says in `token_type` beside it.
 */
union weft_token {
    uint64_t number;
    void *object;
};

/** One message. */
struct weft_msg {
    uint32_t src;   /**< sending host number */
    uint32_t dst;   /**< receiving host number, != src */
    uint64_t bytes; /**< payload; 0 allowed: still costs one packet */
    uint64_t tag;   /**< carried to the receiver unchanged, who may match on it */
    union weft_token token;
    uint32_t prio; /**< traffic class 0..7, or WEFT_PRIO_DEFAULT */
    /** which QP between the two at this priority: 0, 1, 2 ...; messages of one QP stay in order.
     * The bits from WEFT_QP_BITS on are the number of the job whose QP it is: QPs that differ there
     * alone take the same path, as they would if each job ran alone */
    uint32_t qp;
    uint8_t token_type; /**< a number of the sender's own */
    uint8_t kind;       /**< enum weft_msg_kind; whoever posts one leaves it 0 */
    /** port of its host that it leaves by, of those that lead to dst: 1 for the first, and around
     * again; 0: as its QP is hashed. All messages of a QP name the same. Only QPs have it */
    uint8_t nic;
    /** nothing follows from its having been sent (weft_net_sink.sent): no message, and no timer. So
     * that may be told a little later, in the same order, with the clock at what it was */
    bool deferrable;
    /** a part whose member gives no data to the operation: it has posted no bytes */
    bool gives_nothing;
};

/** The messages that a user posts, if any, when he is told of one: at most so many. */
#define WEFT_FOLLOWS_MAX 8
struct weft_follows {
    uint32_t n;
    struct weft_msg msg[WEFT_FOLLOWS_MAX]; /**< but for their tokens */
};

/** What a member gives to, and wants from, an operation of its group in which switches add up and
 * copy. */
struct weft_part {
    uint32_t group;  /**< number that opening the group gave */
    uint32_t member; /**< who posts it: its place in the group */
    uint64_t bytes;
    uint64_t tag;
    union weft_token token;
    uint32_t from;      /**< member whose data it is, or WEFT_PART_ALL: the sum of all */
    uint32_t to;        /**< member that receives, or WEFT_PART_ALL: all but @p from */
    uint8_t token_type; /**< as in struct weft_msg */
    uint32_t qp;        /**< for its completion: of struct weft_msg, the number of its job alone */
};
#define WEFT_PART_ALL UINT32_MAX

/** A message, and how it got on. What a carrier does not have is 0. */
struct weft_completion {
    uint64_t id; /**< 0, 1, 2 ... in the order posted */
    struct weft_msg msg;
    int64_t post_ps;     /**< it was posted */
    int64_t received_ps; /**< last byte at the receiver; 0: not yet */
    /** the sender knows; received_ps where the carrier has no ACKs; 0: not yet */
    int64_t acked_ps;
    /** the least that post -> received can take: alone on the fabric, over the ways that its
     * packets may go, each link at the best rate that it had meanwhile; a part of an in-network
     * operation waits for the last to post there, too. At most received - post */
    int64_t ideal_ps;
    /** what delayed it beyond that, by cause, once it is received; in sum received_ps - post_ps -
     * ideal_ps */
    int64_t delay_ps[WEFT_DELAYS];
    /* of RoCE, 0 until the sender knows: */
    uint64_t retx_bytes; /**< payload bytes sent more than once */
    uint64_t cnps; /**< congestion notifications that the sender's QP received while the message was
                      its oldest */
    uint32_t
        qpn; /**< number of the queue pair that carried it, as captures show it; 0: it had none */
    uint64_t first_byte; /**< payload of its QP before it */
    uint64_t first_psn;  /**< PSN of its first packet */
    uint64_t packets;    /**< its packets are first_psn .. first_psn + packets - 1 */
};

#endif
