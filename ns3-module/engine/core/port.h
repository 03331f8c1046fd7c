/* SPDX-License-Identifier: GPL-2.0-only */
/* Ports: links as FIFOs, egress queues, and the accounting of what came in. */
#ifndef WEFT_ENGINE_PORT_H
#define WEFT_ENGINE_PORT_H

#include "base/rng.h"
#include "engine.h"
#include "pkt.h"
#include <stddef.h>

/** How much of what is free in a pool a queue may hold: alpha x free + bytes. One of them is 0. */
struct limit {
    uint32_t alpha_q16, bytes;
};

/** A RED curve. */
struct marking {
    uint32_t kmin, kmax; /**< UINT32_MAX: more than a queue can hold */
    double slope;        /**< pmax / (kmax - kmin) */
};

/** Of a port that never marks. */
static const struct marking marking_none = {UINT32_MAX, UINT32_MAX, 0};

/** What ports of one rate, delay and MTU have in common. */
struct port_kind {
    struct port_kind *next;
    /** NULL; at a port whose link has changed its rate: the kind that it was built as */
    const struct port_kind *built;
    bool scaled;  /**< changed, with thresholds in proportion to the rate */
    bool to_host; /**< of a switch to a host, where that makes a difference */
    uint64_t rate_bps;
    int64_t delay_ps;
    uint32_t mtu_bytes; /**< most payload of a packet */
    uint32_t headroom;  /**< per lossless priority */
    struct {
        struct limit ingress, egress;
        struct marking mark;
    } prio[WEFT_PRIOS];
    uint64_t shared_bytes[2]; /**< ingress pools of the switch; 0: no switch */
    const struct weft_cc_marking *tuned[WEFT_PRIOS]; /**< whose marking is the default */
};

struct hold;

/** In link_end.ends: which nodes run in windows (window.h), at bit EV_ARRIVE that at the end of the
 * link, at bit EV_TX the port's own. */
#define FAR_IN_WINDOWS (1u << EV_ARRIVE)
#define OWN_IN_WINDOWS (1u << EV_TX)
/** Both ends are of one cluster (clusters.h). */
#define TOGETHER 4u
/** The far end is of another process (peers.h). */
#define CROSSES 8u
/** Different threads may run the two ends at the same time (window_crew.c). */
#define APART 16u
/** From a switch in windows to a cluster. */
#define TO_CLUSTER 32u

/** One priority of a port: its egress queue, and what came in through the port with that priority.
 * Three of them lie in a cache line or two. */
struct lane {
    struct list q;
    uint32_t qbytes;   /**< egress occupancy, frame bytes */
    uint32_t in_bytes; /**< ingress occupancy without headroom */
    uint32_t in_hdrm;  /**< ingress occupancy in headroom */
    int32_t deficit;
};

/** In port.nonempty: PFC frames wait. Above the priorities. */
#define CTRL_WAITS (1u << WEFT_PRIOS)

/** The far end of the link of a port, in weft_engine.ends by number of the port: what packets are
 * taken from there. Another thread may do so (worker.h), or another process (peers.h), so nothing
 * is in it that the port itself writes for a packet, nor does an arrival write to the port. One
 * cache line. */
struct link_end {
    struct list fly; /**< packets on the link, in order */
    /** packets that came out of the port's link here, lost ones included */
    uint64_t rx_packets;
    uint32_t peer;
    uint32_t far; /**< where the link leads: a switch's node, or to_host a host's number */
    bool to_host; /**< the link leads to a host */
    bool lossy;   /**< packets may be lost on the link: errors, or it has been down */
    bool lost;    /**< some were */
    uint8_t ends; /**< FAR_IN_WINDOWS and so on; 0 without windows */
    /** of a port of another process: packets that it had sent when asked last, modulo 2^32, */
    uint32_t sent_packets;
    uint64_t sent_payload; /**< and the payload of those */
    struct weft_rng err_rng;
    double byte_log;       /**< log of the probability that a byte has no bit error, <= 0 */
    uint64_t lost_payload; /**< of port.dropped_payload, what the link lost; the rest never left */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct link_end) == 64, "one cache line");

/** One port: the sending end of one direction of a link, and the ingress accounting of the
 * other. Two cache lines and a lane are what every packet touches. */
struct port {
    int64_t busy_until_ps,
        armed_ps; /**< armed: when it looks for the next packet, WEFT_NEVER: not */
    int64_t prop_ps;
    uint64_t ser_q;     /**< ps per wire byte, GAP_SHIFT */
    uint32_t node, nic; /**< nic: index, NIL on switches */
    /** bit mask of priorities; these are not bytes, whose stores may alias all */
    uint32_t nonempty;
    uint16_t paused;
    uint16_t xoff_sent; /**< ingress: priorities that we have paused at the peer */
    uint8_t drr;        /**< priority whose turn it is */
    bool sending;       /**< ns3-event-order: the end of the last packet hasn't been dealt with */
    bool down;          /**< the link is down; busy_until_ps is then WEFT_NEVER */
    bool lazy;          /**< transmissions need no event of their own, see lazy.c */
    bool was_down;      /**< the link has failed once */
    uint8_t told;       /**< events at it that the packet hook is told of */
    uint8_t own_ends;   /**< what ends says, for the port itself */
    uint64_t qtotal;    /**< egress occupancy, all priorities */
    /* second line */
    struct weft_port_counters st; /**< its first five, too */
    struct list ctrl;             /**< PFC frames waiting */
    const struct port_kind *kind; /**< buffer and marking constants */
    struct lane lane[WEFT_PRIOS];
    uint32_t end_order;   /**< ns3-event-order: rank of the end of the packet being sent, */
    uint32_t armed_order; /**< and of the armed entry */
    struct weft_rng ecn_rng;
    uint64_t dropped_payload; /**< payload bytes of the packets in st.drops */
    int64_t paused_since_ps;
    struct hold *hold; /**< clocks of its pauses; NULL: it has never been paused */
} __attribute__((aligned(64)));
_Static_assert(offsetof(struct port, st) == 64 && sizeof(struct port) == 448,
               "what is on which line, and how many there are");

#endif
