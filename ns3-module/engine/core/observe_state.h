/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measurements of every run, as the context embeds it: payload by node, clocks of pauses,
 * queues over time, rates and routes of the past, the progress of QPs, victims of pauses.
 */
#ifndef WEFT_ENGINE_OBSERVE_STATE_H
#define WEFT_ENGINE_OBSERVE_STATE_H

#include "engine.h"
#include "fields.h"
#include "stable.h"

#include "base/queue_bins.h"

#include <stdbool.h>

/** Payload bytes of the packets that a node itself makes and takes, other than data of QPs: frames
 * of other transports, and sums. */
struct node_payload {
    uint64_t made, taken;
};

/** How long pauses have held each priority of a port, and since when they do. */
struct hold {
#define FIELD FIELD_DECLARE
#include "hold.def"
};

/** How long a packet has waited in paused queues; of the packet of that number that was sent then.
 */
struct wait {
    int64_t sent_ps, paused_ps;
};

/** Clocks of pauses. */
struct delays {
    struct stable waits; /**< struct wait, by number of the packet; unused until a port is paused */
    uint64_t nholds;
};

/** A priority of a port. */
struct histogram {
#define FIELD FIELD_DECLARE
#include "histogram.def"
};

/** Histograms of all ports. */
struct histograms {
    uint8_t *wanted;       /**< per port: bits of priorities; NULL: nobody asked */
    struct histogram **of; /**< by port and priority; NULL: nothing has waited there */
};

/** The rate of a port changed. */
struct rate_change {
    uint64_t before_q; /**< ps per byte until then, GAP_SHIFT */
    uint32_t port;
};

/** Past states of links, and room for an inspection. */
struct ideal {
    struct rate_change *rates; /**< in the order of time */
    uint32_t rates_cap;
    struct weft_engine_mark now; /**< changes so far */
    int fewest_hops; /**< routes over all links take the fewest hops that the fabric has */
    /* per node, with packets that are balanced one by one: */
    uint32_t *front, *next; /**< the nodes that they can be at, and go on to */
    uint32_t *seen;         /**< the last round in which it was among them */
    uint32_t round;
};

/** How far a QP has come. */
struct stall_mark {
    uint64_t taken_psn, acked_psn; /**< the largest numbers so far */
    uint64_t reported_psn; /**< between two processes: what its receiver expects, as last said */
    uint64_t message;      /**< its oldest then; UINT64_MAX: none */
    int64_t since_ps;      /**< when the last progress was seen at the latest */
    bool stuck;            /**< the last look found that it has lasted too long */
};

/** Memory of the inspections of progress. */
struct stall {
    struct stall_mark *marks; /**< per QP, of the first n */
    uint32_t n, cap;
    uint64_t
        *reported_queues; /**< per port, the longest so far as its process last said, or NULL */
    int64_t changed_ps;   /**< when a link changed last */
    bool stuck;           /**< at the last look nothing got on */
};

/** Memory of the inspections for victims. */
struct victims {
    uint8_t *known; /**< per QP of the first n: a look has found it waiting without need */
    uint32_t n;
};

#endif
