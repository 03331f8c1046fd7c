/* SPDX-License-Identifier: GPL-2.0-only */
/* Routes, links that are down, and what few runs need of the path of packets. */
#ifndef WEFT_ENGINE_PATH_H
#define WEFT_ENGINE_PATH_H

#include "topologies/routes.h"

#include <stdbool.h>
#include <stdint.h>

/** Parts of the packet path that few runs need, tested together. */
enum rare {
    RARE_ORDER = 1,    /**< transport.ns3-event-order */
    RARE_QUANTUM = 2,  /**< transport.time-quantum */
    RARE_PINT = 4,     /**< transmissions are noted for PINT */
    RARE_TURNS = 8,    /**< switch.scheduler=packet-rr */
    RARE_CREDIT = 16,  /**< some links are under credit */
    RARE_PACKET = 32,  /**< packet hook */
    RARE_RATE = 64,    /**< QP hook, for rates */
    RARE_ACK = 128,    /**< QP hook, for ACKs, or round-trip times */
    RARE_WORKER = 256, /**< one of several threads runs switches: worker.h */
    RARE_PEERS = 512,  /**< some links lead to nodes of other processes: peers.h */
    RARE_TRAINS = 1024 /**< transport.train */
};
/** Of it, what is looked for when a packet starts. */
#define RARE_SENDING                                                                               \
    (RARE_ORDER | RARE_PINT | RARE_CREDIT | RARE_PACKET | RARE_WORKER | RARE_PEERS | RARE_TRAINS)

/** Actions on packets that enter or leave a switch queue. */
enum queue_work {
    QUEUE_MARK = 1,         /**< data may be marked */
    QUEUE_STAMP = 2,        /**< data is stamped with INT or PINT */
    QUEUE_HOOK = 4,         /**< queue hook */
    QUEUE_MARK_FRAMES = 8,  /**< ECN-capable frames may be marked */
    QUEUE_PACKET_HOOK = 16, /**< packet hook */
    QUEUE_PAUSE_CLOCK = 32, /**< pauses are measured: there has been one */
    QUEUE_SIGNAL = 128,     /**< see switch_signal.h */
    QUEUE_HISTOGRAM = 64    /**< times are counted by what queues hold (histogram.c) */
};

/** Duties of the packet path beside forwarding. */
struct path {
    uint32_t rare;                   /**< enum rare */
    uint32_t on_enqueue, on_dequeue; /**< enum queue_work */
    uint32_t apart; /**< bits of link_end.ends: another thread may be at the far end (worker.h),
                       or another process */
    /** with RARE_TRAINS, per egress port: gap_of_rate of the fastest link from the node at its far
     * end, or of its own if that is faster; 0: a host */
    uint64_t *train_q;
    bool no_cut_through; /**< every packet goes through its queue, as something shows or counts that
                          */
    bool lazy;           /**< switch ports may be lazy (lazy.c) */
    bool frames;         /**< frames of other transports were sent */
};

#define MAX_PATH 64 /**< hops on a path; longer ones are cut from estimates only */

/** Routes of the fabric. */
struct routing {
    struct weft_routes *routes; /**< over the links that are up */
    struct weft_routes *intact; /**< over all links; NULL until a link changes */
    bool transit;               /**< hosts may forward packets for others */
    bool vcs;                   /**< lossless priorities have several virtual channels */
    uint32_t channels;          /**< how many: those of the routes, and those of steer.h */
};

/** Which links are down. */
struct link_state {
    uint8_t *down;     /**< per link; NULL until a link changes */
    int64_t *since_ps; /**< per link: when that was set */
    /** per port: when what it was sending as its link went down would have ended */
    int64_t *ends_ps;
    uint32_t ndown;
};

#endif
