/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fabric graph: hosts, switches and the links between them.
 *
 * A generator or reader adds nodes and links, then calls weft_fabric_finish, which numbers the
 * ports. Every later layer (routes, engine, reports) uses those numbers:
 *   node   0 .. nnodes-1   in the order added (readers keep the ids of their file)
 *   host   0 .. nhosts-1   the h-th host node in ascending node id; rank r of a job is host r
 *   port   0 .. 2*nlinks-1 a node's ports are contiguous, in the order its links were added; a port is
 *                          the sending end of one direction of one link
 * Parallel links between a pair are separate links with separate ports.
 */
#ifndef WEFT_FABRIC_H
#define WEFT_FABRIC_H

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weft_node_kind { WEFT_NODE_HOST = 0, WEFT_NODE_SWITCH = 1 };

/** One node. */
struct weft_fabric_node {
    enum weft_node_kind kind;
    uint32_t tier;       /**< 0 host, 1 switch next to hosts (leaf, ToR), 2, 3 upwards; readers that do not know compute it as the hop distance to the nearest host */
    uint32_t host;       /**< host number when kind is HOST, else UINT32_MAX (set by finish) */
    uint32_t first_port; /**< set by finish */
    uint32_t nports;     /**< set by finish */
};

/** One full-duplex link. */
struct weft_fabric_link {
    uint32_t a, b;        /**< node ids */
    uint64_t rate_bps;    /**< of each direction, > 0 */
    int64_t delay_ps;     /**< propagation, >= 0 */
    double error_rate;    /**< probability that a packet is lost on it, 0 .. 1 */
    uint32_t dim;         /**< fabric dimension that the link belongs to, innermost 0 */
};

/** One direction of a link, seen from its sending end (made by finish). */
struct weft_fabric_port {
    uint32_t node;  /**< the node that sends here */
    uint32_t link;  /**< index into links */
    uint32_t peer;  /**< the port at the other end of the link */
};

/** The graph. Read the fields; change them only through the functions below. */
struct weft_fabric {
    struct weft_fabric_node *nodes;
    uint32_t nnodes;
    struct weft_fabric_link *links;
    uint32_t nlinks;
    struct weft_fabric_port *ports; /**< NULL before finish */
    uint32_t nports;
    uint32_t *hosts;                /**< node id of host h; NULL before finish */
    uint32_t nhosts;
    uint32_t nswitches;
    uint32_t nodes_cap, links_cap;
};

/** A new empty fabric, or NULL when out of memory. */
struct weft_fabric *weft_fabric_new(void);
/** Frees a fabric; NULL is allowed. */
void weft_fabric_free(struct weft_fabric *f);
/** Adds a node; its id in *id (may be NULL). */
int weft_fabric_add_node(struct weft_fabric *f, enum weft_node_kind kind, uint32_t tier, uint32_t *id,
                         struct weft_err *err);
/** Adds a link between existing nodes; its index in *id (may be NULL). Checks rate, delay, error rate, a != b. */
int weft_fabric_add_link(struct weft_fabric *f, const struct weft_fabric_link *link, uint32_t *id,
                         struct weft_err *err);
/** Numbers hosts and ports; checks that there is a host, that every host has a link, and that every host reaches every other. */
int weft_fabric_finish(struct weft_fabric *f, struct weft_err *err);
/** Longest name that weft_fabric_node_name writes, with its terminator. */
#define WEFT_NODE_NAME_MAX 24
/** The name used in every output: "h3" for host number 3, "s8" for the switch with node id 8. Returns @p buf. */
const char *weft_fabric_node_name(const struct weft_fabric *f, uint32_t node, char buf[WEFT_NODE_NAME_MAX]);

#ifdef __cplusplus
}
#endif
#endif
