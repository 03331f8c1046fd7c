/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packing spanning trees into the links among ranks.
 *
 * From a root to everybody, as many trees run side by side, each at the rate of one unit of link
 * capacity, as the narrowest cut between the root and any rank has units: Edmonds' theorem of
 * disjoint branchings (1973). They are found one arc at a time: an arc may join the tree being
 * grown when the links that are left still carry all trees to come (Lovasz's proof, 1976), which
 * one maximum flow decides. Trees grow breadth first, to be shallow. Equal trees are one tree of a
 * larger weight.
 */
#ifndef WEFT_COLLECTIVE_TREE_PACKING_H
#define WEFT_COLLECTIVE_TREE_PACKING_H

#include "collective/collective.h"

WEFT_C_BEGIN

#define WEFT_PACKING_RANKS_MAX 256u
/** Most trees: of rates that would give more, the unit is made coarser. */
#define WEFT_PACKING_TREES_MAX 64u

/** One tree. */
struct weft_packed_tree {
    uint64_t weight;  /**< units of capacity */
    uint64_t before;  /**< weights of the trees before it */
    uint32_t *parent; /**< per rank; the root's own number for the root */
    uint32_t *place;  /**< per rank: which child of its parent it is */
    uint32_t *first;  /**< children of rank v: child[first[v] .. first[v + 1] - 1] */
    uint32_t *child;
};

/** A packing. */
struct weft_packing {
    uint32_t n, root, ntrees;
    uint64_t weight;   /**< of all trees */
    uint64_t unit_bps; /**< rate of one unit */
    struct weft_packed_tree *tree;
    uint32_t *numbers; /**< what the trees' arrays lie in */
};

/** Packs trees from @p root into @p g. WEFT_E_INPUT: a rank that no link reaches, or too many
 * ranks. */
int weft_packing_new(const struct weft_coll_graph *g, uint32_t root, struct weft_packing **out,
                     struct weft_err *err);
void weft_packing_free(struct weft_packing *p);

WEFT_C_END
#endif
