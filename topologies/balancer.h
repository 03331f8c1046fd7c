/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Load balancers of plug-ins (base/plugin.h): through which of several ports of equal cost a switch
 * sends a data packet. weft's own are listed in balances.def.
 */
#ifndef WEFT_TOPOLOGY_BALANCER_H
#define WEFT_TOPOLOGY_BALANCER_H

#include "base/param.h"

#include <stdbool.h>
#include <stdint.h>

WEFT_C_BEGIN

/** One data packet in one switch. Its functions take the number of a port, 0 to n - 1. */
struct weft_balancer_view {
    int64_t now_ps;
    uint32_t node; /**< number of the switch */
    uint32_t n;    /**< ports of equal cost, at least 2; fewer while links are down */
    uint32_t src_host, dst_host;
    uint32_t qp;        /**< number of the QP, as in qps.csv */
    uint32_t flow_hash; /**< of source, destination, priority, QP and the seed of the run */
    uint64_t psn;       /**< packet sequence number in the QP */
    uint32_t bytes;     /**< of its frame */
    uint32_t prio;      /**< its priority, 0 to 7 */
    uint32_t usual;     /**< the port that transport.ecmp gives its flow */
    /** Bytes of all priorities that wait at a port. */
    uint64_t (*queued)(const struct weft_balancer_view *v, uint32_t port);
    /** Rate of a port in bit/s. */
    uint64_t (*rate_bps)(const struct weft_balancer_view *v, uint32_t port);
    /** Whether PFC stops the packet's priority at a port. */
    bool (*paused)(const struct weft_balancer_view *v, uint32_t port);
    /** A port's number among all ports of the fabric: its number among @p n changes as links fail
     * and return. */
    uint32_t (*name)(const struct weft_balancer_view *v, uint32_t port);
    /** 64 random bits, a stream of each switch from the seed of the run. */
    uint64_t (*draw)(const struct weft_balancer_view *v);
    void *engine;          /**< of these functions */
    const uint32_t *ports; /**< of these functions */
};

/** Settings of a run: NAME of the first is the balancer's, the second lets its packets overtake
 * each other. */
#define WEFT_BALANCER_KEY "switch.balance"
#define WEFT_BALANCER_REORDERS "transport.recovery=out-of-order"

/** A balancer. */
struct weft_balancer_ops {
    const char *name;  /**< small letters, digits and '-' */
    const char *title; /**< one line of help */
    /** `switch.balancer="PARAMETER=VALUE ..."` sets them */
    struct weft_param_table params;
    size_t node_size; /**< bytes of the state of a switch, which begins as zeros */
    /** packets of a QP may overtake each other: go-back-N is refused, and so are controls that
     * follow the switches of one path */
    bool reorders;
    /** The port of a packet, below v->n.
     * @param node state of the switch; what other switches do is not seen.
     * @param params filled struct of `params`. */
    uint32_t (*pick)(const struct weft_balancer_view *v, void *node, const void *params);
};

/** The words of switch.balance, '|' before each: weft's own, then those of plug-ins. */
extern char weft_balance_words[];

/** A balancer as lists show it. */
struct weft_balancer_help {
    const char *name, *title;
    const char *needs; /**< what settings of it need; NULL: it is of a plug-in */
};
/** The balancer by its number among the words; false: there is none. */
bool weft_balancer_help(size_t number, struct weft_balancer_help *out);

/** Adds a balancer for all simulations that begin later. WEFT_E_INPUT: its name is taken or none,
 * or it lacks `pick`. */
int weft_balancer_add(const void *ops, struct weft_err *err);
/** The balancer of a plug-in by its number among the words; NULL: one of weft's own, or no number
 * of a word. */
const struct weft_balancer_ops *weft_balancer_at(size_t number);

WEFT_C_END
#endif
