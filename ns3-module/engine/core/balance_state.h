/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Load balancing as the context embeds it: the state that packets spread by, and the tables of
 * functions that room balance fills in (steer.h, path_balancer.h and balance.h say what they do).
 */
#ifndef WEFT_ENGINE_BALANCE_STATE_H
#define WEFT_ENGINE_BALANCE_STATE_H

#include "engine.h"

#include "base/rng.h"
#include "topologies/routes.h"

#include <stdbool.h>
#include <stdint.h>

struct flowlet;
struct pkt;
struct qp;

/** Picks one of the equal-cost ports of a node for a data packet. */
typedef uint32_t (*balance_fn)(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                               const struct pkt *k);

/** Packets that leave the routes: steer.h. */
struct steer {
    /** Virtual channels of class 1; 0: it has none of its own. */
    uint32_t (*upper)(const struct weft_fabric *f);
    /** Sets port, mid, upper and prio of a QP for its next packet. */
    void (*aim)(struct weft_engine *e, struct qp *q);
    /** Calls take(ctx, port) for the ports of its host that packets of a QP may leave by, at least
     * once. */
    void (*exits)(const struct weft_engine *e, const struct qp *q,
                  void (*take)(void *ctx, uint32_t port), void *ctx);
    /** The port by which data packet @p k leaves @p node; NIL: no route. May move it to the other
     * class. */
    uint32_t (*next)(struct weft_engine *e, uint32_t node, struct pkt *k);
    /** Optional. A priority of a port was paused. */
    void (*paused)(struct weft_engine *e, uint32_t port, uint32_t prio);
};

/** Paths that the first switch chooses: path_balancer.h. */
struct path_balancer {
    /** The port by which a packet of a QP (but for warnings, which begin in the middle of a way)
     * that came in through port @p in leaves, one of @p g, of which there is at least one. */
    uint32_t (*choose)(struct weft_engine *e, struct weft_route_group g, uint32_t in,
                       struct pkt *k);
    /** Optional. Whether data packet @p i, about to leave by port @p out, is kept for a while. */
    bool (*keeps)(struct weft_engine *e, uint32_t out, uint32_t i);
    /** With keeps: takes such a packet, which is in the buffer; gives it to port_release later. */
    void (*keep)(struct weft_engine *e, uint32_t out, uint32_t i);
    bool answers; /**< ACKs and CNPs are asked for, too */
    int (*init)(struct weft_engine *e, struct weft_err *err);
    void (*fini)(struct weft_engine *e);
};

/** Packets that a port keeps back (path_balancer.h): in the buffer, but not in its queues. */
struct kept {
    uint64_t bytes, payload;
};

/** How packets spread. */
struct spread {
    balance_fn balance;        /**< NULL: by the hash of the flow */
    const struct steer *steer; /**< NULL: packets keep to the routes */
    struct weft_rng steer_rng;
    uint32_t *turns; /**< spray: per node, packets so far */
    struct flowlet *flowlets;
    uint32_t *drilled;                   /**< drill: per node, the ports that it remembers */
    const struct path_balancer *by_path; /**< NULL: each switch chooses for itself */
    void *path_state;                    /**< of way */
    struct kept *kept;                   /**< per port; NULL: way keeps nothing */
    struct plugged *plugged;             /**< of a plug-in; NULL: none */
};

/** The hash of a flow and a value. */
static inline uint32_t entropy_hash(uint32_t flow_hash, uint32_t ev)
{
    return (uint32_t)(weft_mix64((uint64_t)flow_hash << 32 | ev) >> 32);
}

#endif
