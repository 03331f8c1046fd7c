/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All-reduce over two binary trees, each for half of the data, pipelined in pieces (Sanders, Speck
 * and Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel
 * Computing 2009; NCCL's tree).
 *
 * A piece goes up as soon as it has come from all children, and down as soon as it has come from
 * the parent. Lanes per tree: receives from children, sends to the parent, receive from the parent,
 * sends to children.
 */
#include "collective/cost.h"
#include "collective/two_trees.h"

struct params {
    uint64_t pieces;
};

static const struct weft_param params[] = {
    {WEFT_ROW_U64(struct params, pieces, "pieces", "4", "1", "65536"),
     .help = "pieces that each tree's half is pipelined in"},
};

#define NOBODY WEFT_TWO_TREES_NOBODY

static bool double_binary_tree_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds = WEFT_COLL_BIT(ALL_REDUCE);
    return weft_coll_one_of(c, kinds, "double-binary-tree does all-reduce", why);
}

static uint64_t pieces(const struct weft_coll_call *c)
{
    return ((const struct params *)c->params)->pieces;
}

static uint64_t double_binary_tree_parts(const struct weft_coll_call *c)
{
    return 2 * pieces(c);
}

static uint32_t double_binary_tree_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    return 2 * WEFT_TREE_LANES;
}

static struct weft_tree_place place_of(const struct weft_coll_call *c, uint32_t rank, uint32_t tree)
{
    return weft_two_trees_place(c->n, 1, 0, tree, rank);
}

static uint64_t double_binary_tree_count(const struct weft_coll_call *c, uint32_t rank,
                                         uint32_t lane)
{
    const struct weft_tree_place p = place_of(c, rank, lane / WEFT_TREE_LANES);
    return weft_tree_count(&p, lane, pieces(c));
}

static void double_binary_tree_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                                     uint64_t i, struct weft_coll_instr *out)
{
    const uint32_t tree = lane / WEFT_TREE_LANES;
    const struct weft_tree_place p = place_of(c, rank, tree),
                                 up = lane % WEFT_TREE_LANES == WEFT_TREE_UP_SEND
                                          ? place_of(c, p.parent, tree)
                                          : p;
    weft_tree_instr(&p, &up, rank, lane, i, out);
    out->nblocks = 1;
    out->first_block = tree * pieces(c) + out->step;
}

/* Message j: in tree j to the parent, of ranks `arg` levels above the leaves. */
static uint32_t level_up(const struct weft_coll_call *c, uint32_t arg, uint32_t rank, uint32_t j)
{
    const uint32_t v = weft_two_trees_number(c->n, j, rank),
                   parent = weft_two_trees_parent(c->n, v);
    return parent == NOBODY || !(v & UINT32_C(1) << arg) || v & ((UINT32_C(1) << arg) - 1)
               ? rank
               : weft_two_trees_rank(c->n, j, parent);
}

/* Message j: in tree j / 2 to child j % 2, where that is `arg` levels above the leaves. */
static uint32_t level_down(const struct weft_coll_call *c, uint32_t arg, uint32_t rank, uint32_t j)
{
    const struct weft_tree_place p = place_of(c, rank, j / 2);
    if (j % 2 >= p.nchildren)
        return rank;
    const uint32_t v = weft_two_trees_number(c->n, j / 2, p.child[j % 2]);
    return v & UINT32_C(1) << arg && !(v & ((UINT32_C(1) << arg) - 1)) ? p.child[j % 2] : rank;
}

/* Message j: in tree j to the parent. */
static uint32_t all_up(const struct weft_coll_call *c, uint32_t arg, uint32_t rank, uint32_t j)
{
    const struct weft_tree_place p = place_of(c, rank, j);
    return p.parent == NOBODY ? rank : p.parent;
}

/* Every edge of both trees, both ways. */
static uint32_t all_levels(const struct weft_coll_call *c, uint32_t arg, uint32_t rank, uint32_t j)
{
    const struct weft_tree_place p = place_of(c, rank, j / 3);
    if (j % 3 == 2)
        return p.parent == NOBODY ? rank : p.parent;
    return j % 3 < p.nchildren ? p.child[j % 3] : rank;
}

/* The first piece goes up and down all levels, the others follow it: up while it is on its way, and
 * once it comes down both ways at once. */
static void double_binary_tree_cost(const struct weft_coll_call *c,
                                    const struct weft_coll_cost_sink *sink)
{
    const unsigned levels = weft_coll_log2(c->n) + (c->n & (c->n - 1) ? 1 : 0);
    struct weft_coll_round up = {.to = level_up, .fanout = 2, .times = 1, .adds = true};
    struct weft_coll_round down = {.to = level_down, .fanout = 4, .times = 1};
    struct weft_coll_round both = {.to = all_levels, .fanout = 6, .streamed = true, .adds = true};
    up.bytes = down.bytes = both.bytes = weft_coll_cut(c->bytes, 2 * pieces(c), 0);
    for (up.arg = 0; up.arg < levels; up.arg++)
        weft_coll_cost_round(sink, c, up);
    up.to = all_up;
    up.arg = 0;
    up.times = both.times = pieces(c) - 1;
    up.meanwhile = true;
    weft_coll_cost_round(sink, c, up);
    for (down.arg = 0; down.arg < levels; down.arg++)
        weft_coll_cost_round(sink, c, down);
    weft_coll_cost_round(sink, c, both);
}

static const char *const tries[] = {"double-binary-tree", "double-binary-tree:pieces=32", NULL};

const struct weft_coll_ops weft_coll_double_binary_tree = {
    .name = "double-binary-tree",
    .title = "two pipelined trees, half of the data each; few steps at full bandwidth",
    .source = "Sanders, Speck and Traeff, Parallel Computing 2009",
    .params = WEFT_PARAM_TABLE(params, struct params),
    .supports = double_binary_tree_supports,
    .parts = double_binary_tree_parts,
    .lanes = double_binary_tree_lanes,
    .count = double_binary_tree_count,
    .instr = double_binary_tree_instr,
    .total_bytes = weft_coll_bytes_up_and_down,
    .cost = double_binary_tree_cost,
    .tries = tries,
};
