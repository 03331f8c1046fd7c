/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Aggregation trees: which switches add up and copy for a group of hosts.
 *
 * The tree's leaves are the hosts, its inner nodes are switches, its edges are links of the fabric.
 * The root is a switch whose farthest host is as near as possible, then whose hosts are nearest in
 * sum; among equals @p salt picks one, so that groups spread over a Clos fabric's spines. A host
 * with several links to switches takes part through one of them, the nearest to the root. Paths go
 * through switches only. Source: SHARP builds such trees from the routing of a fat-tree (Graham et
 * al., COM-HPC 2016).
 */
#ifndef WEFT_REDUCTION_TREE_H
#define WEFT_REDUCTION_TREE_H

#include "fabric.h"

WEFT_C_BEGIN

#define WEFT_TREE_NONE UINT32_MAX

/** A switch of the tree. */
struct weft_tree_switch {
    uint32_t node;     /**< in the fabric */
    uint32_t parent;   /**< index of its parent, smaller than its own; WEFT_TREE_NONE: the root */
    uint32_t up;       /**< its port towards the parent; WEFT_TREE_NONE: the root */
    uint32_t children; /**< switches and hosts below it, one level */
    uint32_t members;  /**< hosts below it, all levels */
};

/** A host of the group. */
struct weft_tree_leaf {
    uint32_t parent; /**< index of its switch */
    uint32_t up;     /**< its port towards the switch */
};

/** A tree. switches[0] is the root. */
struct weft_reduction_tree {
    struct weft_tree_switch *switches;
    uint32_t nswitches;
    struct weft_tree_leaf *leaves; /**< in the order of the hosts */
    uint32_t nleaves;
};

/** Whether a fabric has the hosts of a group: WEFT_E_INPUT names the first that it has not. */
int weft_reduction_tree_check_hosts(const struct weft_fabric *f, const uint32_t *hosts, uint32_t n,
                                    struct weft_err *err);
/** Builds the tree of @p n >= 1 hosts of a finished fabric. WEFT_E_INPUT: a host without a link to
 * a switch, or no switch that reaches all of them. */
int weft_reduction_tree_new(const struct weft_fabric *f, const uint32_t *hosts, uint32_t n,
                            uint64_t salt, struct weft_reduction_tree *out, struct weft_err *err);
/** Frees what new made; a zeroed tree is allowed. */
void weft_reduction_tree_release(struct weft_reduction_tree *t);

/* An operation moves the data of leaf `from` (WEFT_TREE_NONE: the sum of all) to leaf `to`
 * (WEFT_TREE_NONE: to all but `from`). */

/** Whether leaf @p leaf lies below switch @p at. */
bool weft_tree_below(const struct weft_reduction_tree *t, uint32_t at, uint32_t leaf);
/** Whether data of an operation goes up from switch @p at. */
bool weft_tree_gives(const struct weft_reduction_tree *t, uint32_t at, uint32_t from);
/** Whether data of an operation goes down to switch @p at. */
bool weft_tree_wants(const struct weft_reduction_tree *t, uint32_t at, uint32_t from, uint32_t to);
/** The same of a leaf. */
static inline bool weft_leaf_gives(uint32_t leaf, uint32_t from)
{
    return from == WEFT_TREE_NONE || from == leaf;
}
static inline bool weft_leaf_wants(uint32_t leaf, uint32_t from, uint32_t to)
{
    return to == WEFT_TREE_NONE ? leaf != from : leaf == to;
}

WEFT_C_END
#endif
