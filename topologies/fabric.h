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
#include "base/peers.h"
#include "dim_settings.h"

#include <stdbool.h>

WEFT_C_BEGIN

struct weft_shared;

enum weft_node_kind { WEFT_NODE_HOST = 0, WEFT_NODE_SWITCH = 1 };

/** Which paths packets take; see routes.h. */
enum weft_fabric_routing {
    WEFT_ROUTING_SHORTEST, /**< cheapest paths through switches; hosts do not forward */
    WEFT_ROUTING_TRANSIT,  /**< cheapest paths; hosts forward as switches do */
    WEFT_ROUTING_DIMS      /**< dimension by dimension, hosts forward from one to the next */
};

/** Most dimensions of a fabric. */
#define WEFT_FABRIC_DIMS_MAX 16u
/**
 * One dimension. Hosts have coordinates: host h is at (h / stride) % size of each dimension, where
 * stride is the product of the sizes of the dimensions before it. Dimension 0 is the innermost: its
 * coordinate changes fastest. The product of all sizes is the number of hosts.
 *
 * A dimension that does not span has one network (an "instance") per combination of the other
 * coordinates: the hosts that differ in this coordinate alone. One that spans has one network per
 * combination of the outer coordinates, which joins the hosts of all inner dimensions as well (a
 * Clos over servers with their own NVLink).
 */
struct weft_fabric_dim {
    const char *kind; /**< the generator, "ring"; a string constant */
    uint32_t size;    /**< NPUs along it, >= 1 */
    uint32_t links;   /**< links of one NPU in this dimension (the first of them, at an open end) */
    uint64_t rate_bps; /**< of one of these links, each direction */
    int64_t delay_ps;  /**< of one of these links */
    bool direct;       /**< NPUs are linked to NPUs; else to switches */
    bool relays;  /**< NPUs forward for others: within one instance, and past links that are down */
    bool spans;   /**< one network joins the hosts of all inner dimensions too */
    bool acyclic; /**< no circular waits within it by construction (up the tiers, then down) */
    struct weft_dim_settings set; /**< what it sets for itself; all zero: nothing */
};

/** One node. */
struct weft_fabric_node {
    enum weft_node_kind kind;
    uint32_t tier; /**< 0 host, 1 switch next to hosts (leaf, ToR), 2, 3 upwards; readers that do
                      not know compute it as the hop distance to the nearest host */
    uint32_t host; /**< host number when kind is HOST, else UINT32_MAX (set by finish) */
    uint32_t first_port; /**< set by finish */
    uint32_t nports;     /**< set by finish */
};

/** One full-duplex link. */
struct weft_fabric_link {
    uint32_t a, b;     /**< node ids */
    uint64_t rate_bps; /**< of each direction, > 0 */
    int64_t delay_ps;  /**< propagation, >= 0 */
    double error_rate; /**< probability that a packet is lost on it, 0 .. 1 */
    uint32_t dim;      /**< fabric dimension that the link belongs to, innermost 0 */
    uint32_t cost;     /**< of a path that takes it; 0 counts as 1 */
    uint8_t order;     /**< among next hops of equal cost only those of the lowest order are used */
    bool dateline;     /**< packets that have crossed it go on in virtual channel 1 */
};

/** One direction of a link, seen from its sending end (made by finish). */
struct weft_fabric_port {
    uint32_t node; /**< the node that sends here */
    uint32_t link; /**< index into links */
    uint32_t peer; /**< the port at the other end of the link */
};

/** The graph. Read the fields; change them only through the functions below. */
struct weft_fabric {
    struct weft_fabric_node *nodes; /**< after weft_fabric_share, no array is to be written to */
    uint32_t nnodes;
    struct weft_fabric_link *links;
    uint32_t nlinks;
    struct weft_fabric_port *ports; /**< NULL before finish */
    uint32_t nports;
    uint32_t *hosts; /**< node id of host h; NULL before finish */
    uint32_t nhosts;
    uint32_t nswitches;
    uint32_t nodes_cap, links_cap;
    struct weft_fabric_dim
        dims[WEFT_FABRIC_DIMS_MAX]; /**< set before finish; none: finish makes one */
    uint32_t ndims;
    enum weft_fabric_routing routing; /**< set before finish */
    bool transit; /**< hosts may forward packets for others, now or when links fail (set by finish)
                   */
    char *notes;  /**< what a reader left out, one remark per line; NULL: nothing */
    uint32_t vcs; /**< virtual channels of lossless priorities: 2 with a dateline, else 1 (set by
                     finish) */
    struct weft_shared *shared; /**< where the arrays are since weft_fabric_share; NULL: its own */
};

/** A new empty fabric, or NULL when out of memory. */
struct weft_fabric *weft_fabric_new(void);
/** Frees a fabric; NULL is allowed. */
void weft_fabric_free(struct weft_fabric *f);
/** Adds a node; its id in *id (may be NULL). */
int weft_fabric_add_node(struct weft_fabric *f, enum weft_node_kind kind, uint32_t tier,
                         uint32_t *id, struct weft_err *err);
/** Adds a link between existing nodes; its index in *id (may be NULL). Checks rate, delay, error
 * rate, a != b. */
int weft_fabric_add_link(struct weft_fabric *f, const struct weft_fabric_link *link, uint32_t *id,
                         struct weft_err *err);
/** Adds a remark about something that a reader left out. */
int weft_fabric_note(struct weft_fabric *f, struct weft_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/** Numbers hosts and ports; checks that there is a host, that every host has a link, that every
 * host reaches every other, and that the dimensions fit hosts and links. */
int weft_fabric_finish(struct weft_fabric *f, struct weft_err *err);
/** Lets the hosts of a finished fabric forward for others when links fail. WEFT_E_INPUT: its routes
 * are shortest paths through switches (WEFT_ROUTING_SHORTEST), among which hosts have no part. */
int weft_fabric_let_hosts_forward(struct weft_fabric *f, struct weft_err *err);
/**
 * Has the arrays of a finished fabric lie once on each machine for all processes of a simulation
 * (base/shared.h), which call this together: nothing of what the graph is changes, but pointers
 * into its arrays are void. Not 0: the others can't be reached.
 */
int weft_fabric_share(const struct weft_fabric *f, const struct weft_peers *peers,
                      struct weft_err *err);
/** What is not read from here on is no longer resident memory of this process, if it is shared. */
void weft_fabric_unread(const struct weft_fabric *f);
/** Whether a node may forward packets: a switch, or a host with several links in a fabric with
 * transit. */
static inline bool weft_fabric_forwards(const struct weft_fabric *f, uint32_t node)
{
    return f->nodes[node].kind == WEFT_NODE_SWITCH || (f->transit && f->nodes[node].nports > 1);
}
/** The port at node a of link @p link; that at node b is its peer. */
uint32_t weft_fabric_link_port(const struct weft_fabric *f, uint32_t link);
/** Leaves the links of dimension @p dim that @p share of their rate, above 0 and at most 1. */
void weft_fabric_slow(struct weft_fabric *f, uint32_t dim, double share);
/** The product of the sizes of the dimensions before @p dim. */
uint32_t weft_fabric_stride(const struct weft_fabric *f, uint32_t dim);
/** Longest name that weft_fabric_node_name writes, with its terminator. */
#define WEFT_NODE_NAME_MAX 24
/** The name used in every output: "h3" for host number 3, "s8" for the switch with node id 8.
 * Returns @p buf. */
const char *weft_fabric_node_name(const struct weft_fabric *f, uint32_t node,
                                  char buf[WEFT_NODE_NAME_MAX]);

WEFT_C_END
#endif
