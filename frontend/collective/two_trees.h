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

#endif
