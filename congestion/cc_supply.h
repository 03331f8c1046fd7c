/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switches that warn senders, and count what their links have left (WEFT_CC_NEEDS_SUPPLY).
 */
#ifndef WEFT_CC_SUPPLY_H
#define WEFT_CC_SUPPLY_H

#include "cc.h"

/** What a data packet says to switches (NEEDS_SUPPLY). */
enum weft_cc_tag {
    WEFT_CC_TAG_GAIN = 1,   /**< the window may grow by a packet, unless a switch takes this away */
    WEFT_CC_TAG_WARNED = 2, /**< a switch has warned its sender */
    WEFT_CC_TAG_LAST = 4,   /**< nothing will be sent because of its ACK: the flow ends */
    WEFT_CC_TAG_FIRST = 8   /**< sent before the first ACK of the flow */
};

/** A data packet that leaves. A flow is what is posted on a QP until nothing is left. */
struct weft_cc_leaving {
    uint64_t una_bytes;   /**< payload bytes acknowledged so far */
    uint64_t from_bytes;  /**< payload bytes before it */
    uint64_t until_bytes; /**< and with it */
    uint64_t end_bytes;   /**< and with all that is posted */
};

/** What a switch tells the sender of a packet that found a queue. */
struct weft_cc_warning {
    int64_t rtt_ps;       /**< now - send time of that packet */
    uint64_t queue_bytes; /**< frame bytes that waited at the port, all priorities, without it */
    uint64_t rate_bps;    /**< rate of the port */
};

/** What switches do about an algorithm's packets. A packet is a full one of the QP. */
struct weft_cc_supply {
    double threshold;     /**< packets: a queue that holds as much has its senders warned */
    uint32_t tokens;      /**< most flows that end which a port remembers; 0: none */
    double burst;         /**< packets: most of what a link has left that is kept; < 1: nothing */
    uint64_t frame_bytes; /**< of a warning */
};

/** What the two ends of a QP and switches say to each other of supply. */
struct weft_cc_supply_ops {
    /** Bits of enum weft_cc_tag for a packet that leaves, after on_send. */
    uint32_t (*tag)(void *state, const void *params, const struct weft_cc_leaving *packet);
    /** A switch warns. */
    void (*warned)(void *state, const void *params, int64_t now_ps,
                   const struct weft_cc_warning *warning, struct weft_cc_out *out);
    /** The rules of switches. */
    void (*rules)(const void *params, struct weft_cc_supply *out);
};

#endif
