/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of in-network operations; internal to in_network*.c, see in_network.c. */
#ifndef WEFT_ENGINE_IN_NETWORK_STATE_H
#define WEFT_ENGINE_IN_NETWORK_STATE_H

#include "core/context.h"
#include "topologies/reduction_tree.h"

/** Part of an operation that a member has posted. */
struct part {
    uint64_t id;
    union weft_token token;
    int64_t post_ps;
    uint32_t qp;
    uint8_t token_type;
    bool posted;
};

/** An operation: the same at every member. */
struct operation {
    uint64_t first, npkts; /**< its packets in the group's stream */
    uint64_t bytes, tag;
    uint32_t from, to;               /**< members, NIL: all */
    uint32_t nposted;                /**< members that have posted their part */
    uint32_t nover;                  /**< members whose part is over */
    struct part *part;               /**< per member */
    int64_t latest_ps;               /**< the first frame of the last member can be at the root */
    int64_t latest_serial_ps;        /**< all other frames of it take that long on its link */
    struct weft_engine_mark since;   /**< when its first part was posted */
    struct weft_engine_mark counted; /**< the two are as of then */
};

/** A member. Positions count packets of the group's stream, operations those of the group. */
struct member {
    uint32_t host, port;
    uint32_t stop;           /**< the switch that it is linked to */
    uint32_t queued;         /**< packets in the NIC's queue */
    uint64_t posted, over;   /**< operations */
    uint64_t sent, received; /**< packets */
    uint64_t sending;        /**< operation that packet `sent` belongs to */
};

/** Destination of a switch: another one, or a member. */
struct branch {
    uint32_t port; /**< of the switch */
    uint32_t stop; /**< index of the switch or of the member */
    bool host;
};

/** A switch in the tree of a group. */
struct stop {
    struct weft_engine *e;
    struct group *g;
    struct branch *branch;
    uint32_t nbranches;
    uint32_t *came;    /**< per slot: frames of the sum in the making that have come */
    int64_t *taken_ps; /**< per slot: when the last of them is taken; 0: none has come */
};

/** A stream of a group: its sums, or its copies. The two go on beside each other. */
struct group {
    uint32_t number; /**< group number x 2, + 1 for copies */
    uint32_t n, prio;
    struct weft_reduction_tree tree; /**< switch i is stop i, leaf i member i */
    /** payload of a full packet: the least of the dimensions that the tree crosses */
    uint64_t mtu;
    struct member *member;
    struct stop *stop;
    struct branch *branches;
    /** packets of a member in flight; of sums, slots in each switch; 0: not known */
    uint64_t window;
    struct operation *ops; /**< operation k at ops[k - first_op]; those before are over */
    uint64_t first_op, nops, ops_cap;
    uint64_t end; /**< packets of all operations */
};

struct in_network {
    struct group **group; /**< the streams, two for each group */
    uint32_t ngroups;     /**< of these */
    uint32_t *groups;     /**< per node: in the trees of how many groups it is */
    int64_t *free_ps;     /**< per port: the adder is through with what came in by it */
    uint64_t rate_q;      /**< of adders: ps per byte, GAP_SHIFT; 0: no limit */
    uint64_t parts;       /**< posted and not over */
    bool begun;           /**< something was posted */
};

/** Whether a switch is in the tree of a group. */
static inline bool in_network_at(const struct weft_engine *e, uint32_t node)
{
    return e->in_network && e->in_network->groups[node];
}

/** Whether a group is a stream of copies: what one member gives goes to others. */
static inline bool in_network_copies(const struct group *g)
{
    return g->number & 1;
}

/** The operation that a packet of the stream belongs to. */
static inline struct operation *operation_at(const struct group *g, uint64_t pos)
{
    uint64_t lo = 0, hi = g->nops;
    while (hi - lo > 1) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (g->ops[mid].first <= pos)
            lo = mid;
        else
            hi = mid;
    }
    return &g->ops[lo];
}

#endif
