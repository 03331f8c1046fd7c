/* SPDX-License-Identifier: GPL-2.0-only */
/* Ports: links as FIFOs, egress queues, and the accounting of what came in. */
#ifndef WEFT_ENGINE_PORT_H
#define WEFT_ENGINE_PORT_H

#include "base/rng.h"
#include "fields.h"
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

/** Constants of ports of one rate, delay and MTU. */
struct port_kind {
    struct port_kind *next;
    /** NULL; at a port whose link has changed its rate: the kind that it was built as */
    const struct port_kind *built;
    bool scaled;          /**< changed, with thresholds in proportion to the rate */
    bool to_host;         /**< of a switch to a host, where that makes a difference */
    uint32_t rate_number; /**< of rate_bps, in mmus.rates_bps */
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
/** Different threads may run the two ends at the same time (window_threads.c). */
#define APART 16u
/** From a switch in windows to a cluster. */
#define TO_CLUSTER 32u

/** A priority of a port: its egress queue, and what came in through the port with that priority.
 * Three of them lie in a cache line or two. */
struct lane {
#define FIELD FIELD_DECLARE
#include "lane.def"
};

/** In port.nonempty: PFC frames wait. Above the priorities. */
#define CTRL_WAITS (1u << WEFT_PRIOS)

/** What has to be looked at when a packet has come to the end of a link. */
enum link_rare {
    LINK_LOSES = 1, /**< it may be lost: errors, hooks, or the link has been down */
    LINK_TRAINS = 2 /**< it may be a train (switch/train.h) */
};

/** The far end of the link of a port, in weft_engine.ends by number of the port: what packets are
 * taken from there. Another thread may do so (worker.h), or another process (peers.h), so nothing
 * is in it that the port itself writes for a packet, nor does an arrival write to the port. A cache
 * line. */
struct link_end {
#define FIELD FIELD_DECLARE
#include "link_end.def"
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct link_end) == 64, "one cache line");

/** A port: the sending end of one direction of a link, and the ingress accounting of the
 * other. Two cache lines and a lane are what every packet touches. */
struct port {
#define FIELD FIELD_DECLARE
#include "port.def"
} __attribute__((aligned(64)));
_Static_assert(offsetof(struct port, st) == 64 && sizeof(struct port) == 448,
               "what is on which line, and how many there are");

#endif
