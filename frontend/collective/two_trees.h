/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two binary trees over n members (Sanders, Speck and Traeff, Parallel Computing 2009; NCCL's).
 *
 * Tree 0: member 0 is the root and its one child is the largest power of two below n; a member with
 * lowest set bit b has the children member - b/2 and member + b/2 (or, beyond n, the nearest b/4,
 * b/8 ... that exists). So odd members are leaves. Tree 1 is tree 0 of the members counted
 * backwards (n even) or shifted by one (n odd), so that for even n no member is inside both.
 */
#ifndef WEFT_COLLECTIVE_TWO_TREES_H
#define WEFT_COLLECTIVE_TWO_TREES_H

#include "collective/collective.h"

#define WEFT_TWO_TREES_NOBODY UINT32_MAX

/** Children of @p v in tree 0, in ascending order; returns how many. */
static inline uint32_t weft_two_trees_children(uint32_t n, uint32_t v, uint32_t child[2])
{
    uint32_t k = 0;
    if (v == 0) {
        if (n > 1)
            child[k++] = UINT32_C(1) << weft_coll_log2(n - 1);
        return k;
    }
    uint32_t half = (v & -v) / 2;
    if (half == 0)
        return 0;
    child[k++] = v - half;
    while (half && v + half >= n)
        half /= 2;
    if (half)
        child[k++] = v + half;
    return k;
}

/** Parent of @p v in tree 0. */
static inline uint32_t weft_two_trees_parent(uint32_t n, uint32_t v)
{
    if (v == 0)
        return WEFT_TWO_TREES_NOBODY;
    const uint32_t bit = v & -v, up = (v ^ bit) | bit << 1;
    return up < n ? up : v ^ bit;
}

/** A member's number in tree 0: tree 1 is another numbering. */
static inline uint32_t weft_two_trees_number(uint32_t n, uint32_t tree, uint32_t member)
{
    if (tree == 0)
        return member;
    return n % 2 == 0 ? n - 1 - member : (member + n - 1) % n;
}

/** The member that has number @p v. */
static inline uint32_t weft_two_trees_rank(uint32_t n, uint32_t tree, uint32_t v)
{
    if (tree == 0)
        return v;
    return n % 2 == 0 ? n - 1 - v : (v + 1) % n;
}

/** A rank's neighbours in a tree, as ranks. */
struct weft_tree_place {
    uint32_t parent; /**< WEFT_TWO_TREES_NOBODY: it is the root */
    uint32_t nchildren, child[3];
};

/** Those in a tree over @p nodes of @p size ranks each, of which number @p head is in it. */
static inline struct weft_tree_place
weft_two_trees_place(uint32_t nodes, uint32_t size, uint32_t head, uint32_t tree, uint32_t rank)
{
    const uint32_t v = weft_two_trees_number(nodes, tree, rank / size);
    struct weft_tree_place p = {.parent = weft_two_trees_parent(nodes, v)};
    if (p.parent != WEFT_TWO_TREES_NOBODY)
        p.parent = weft_two_trees_rank(nodes, tree, p.parent) * size + head;
    p.nchildren = weft_two_trees_children(nodes, v, p.child);
    for (uint32_t k = 0; k < p.nchildren; k++)
        p.child[k] = weft_two_trees_rank(nodes, tree, p.child[k]) * size + head;
    return p;
}

/** Which child of @p parent a rank is. */
static inline uint32_t weft_tree_child_number(const struct weft_tree_place *parent, uint32_t rank)
{
    uint32_t k = 0;
    while (parent->child[k] != rank)
        k++;
    return k;
}

/** Lanes of an all-reduce over a tree: a piece goes up as soon as it has come from all children,
 * and down as soon as it has come from the parent. */
enum weft_tree_lane {
    WEFT_TREE_UP_RECV,
    WEFT_TREE_UP_SEND,
    WEFT_TREE_DOWN_RECV,
    WEFT_TREE_DOWN_SEND,
    WEFT_TREE_LANES
};

/** Instructions of a lane for @p pieces. */
static inline uint64_t weft_tree_count(const struct weft_tree_place *p, uint32_t lane,
                                       uint64_t pieces)
{
    const uint32_t role = lane % WEFT_TREE_LANES;
    if (role == WEFT_TREE_UP_RECV || role == WEFT_TREE_DOWN_SEND)
        return pieces * p->nchildren;
    return p->parent == WEFT_TWO_TREES_NOBODY ? 0 : pieces;
}

/** Instruction @p i of a lane, but for its blocks: out->step is the piece. @p up: for the lane
 * that sends up, the neighbours of the parent. */
static inline void weft_tree_instr(const struct weft_tree_place *p,
                                   const struct weft_tree_place *up, uint32_t rank, uint32_t lane,
                                   uint64_t i, struct weft_coll_instr *out)
{
    const uint32_t role = lane % WEFT_TREE_LANES, base = lane - role;
    const bool root = p->parent == WEFT_TWO_TREES_NOBODY,
               with_children = role == WEFT_TREE_UP_RECV || role == WEFT_TREE_DOWN_SEND;
    const uint64_t k = with_children ? i / p->nchildren : i;
    const bool after_children = role == WEFT_TREE_UP_SEND || (role == WEFT_TREE_DOWN_SEND && root);
    out->peer = with_children ? p->child[i % p->nchildren] : p->parent;
    out->step = k;
    out->action = role == WEFT_TREE_UP_RECV     ? WEFT_COLL_RECV_REDUCE
                  : role == WEFT_TREE_DOWN_RECV ? WEFT_COLL_RECV
                                                : WEFT_COLL_SEND;
    if (role == WEFT_TREE_UP_SEND) {
        out->peer_lane = base + WEFT_TREE_UP_RECV;
        out->peer_instr = k * up->nchildren + weft_tree_child_number(up, rank);
    } else if (role == WEFT_TREE_DOWN_SEND) {
        out->peer_lane = base + WEFT_TREE_DOWN_RECV;
        out->peer_instr = k;
    }
    if (after_children && p->nchildren) {
        out->dep = WEFT_COLL_DEP_UPTO;
        out->dep_lane = base + WEFT_TREE_UP_RECV;
        out->dep_instr = (k + 1) * p->nchildren - 1;
    } else if (role == WEFT_TREE_DOWN_RECV || role == WEFT_TREE_DOWN_SEND) {
        /* the former replaces what was sent up */
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_lane = base + role - 1;
        out->dep_instr = k;
    }
}

#endif
