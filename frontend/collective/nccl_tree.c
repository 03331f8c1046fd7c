/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NCCL's trees: per channel a binary tree over the nodes, in each node a chain from the rank of the
 * channel's NIC.
 *
 * Trees over the nodes are those of double_binary_tree.c: the first half of the channels takes tree
 * 0, the second tree 1. A chunk is one message; it goes up as soon as it has come from all children
 * and down as soon as it has come from the parent.
 *
 * Lanes of a channel: receives from children, sends to the parent, receives from the parent, sends
 * to children.
 *
 * Source: NVIDIA/nccl 2.30.7, src/graph/trees.cc, src/device/all_reduce.h.
 */
#include "collective/nccl.h"
#include "collective/two_trees.h"

enum { UP_RECV, UP_SEND, DOWN_RECV, DOWN_SEND, LANES_OF_CHANNEL };
#define CHILDREN_MAX 3u

/* A rank's neighbours in the tree of a channel. */
struct place {
    uint32_t parent, nchildren, child[CHILDREN_MAX];
};

static uint32_t tree_of(const struct weft_coll_call *c, uint64_t channel)
{
    const uint64_t channels = weft_nccl_params_of(c)->channels;
    return channel >= (channels + 1) / 2;
}

static struct place nccl_tree_place(const struct weft_coll_call *c, uint64_t channel, uint32_t rank)
{
    const uint32_t node = weft_nccl_node(c), nodes = weft_nccl_nodes(c);
    const uint32_t tree = tree_of(c, channel), head = weft_nccl_head(c, channel);
    const uint32_t first = rank - rank % node, at = weft_coll_minus(rank % node, head, node);
    struct place p = {.parent = WEFT_TWO_TREES_NOBODY};
    if (at + 1 < node)
        p.child[p.nchildren++] = first + (rank % node + 1) % node;
    if (at) {
        p.parent = first + weft_coll_minus(rank % node, 1, node);
        return p;
    }
    const uint32_t v = weft_two_trees_number(nodes, tree, first / node);
    uint32_t child[2];
    const uint32_t up = weft_two_trees_parent(nodes, v),
                   n = weft_two_trees_children(nodes, v, child);
    for (uint32_t k = 0; k < n; k++)
        p.child[p.nchildren++] = weft_two_trees_rank(nodes, tree, child[k]) * node + head;
    if (up != WEFT_TWO_TREES_NOBODY)
        p.parent = weft_two_trees_rank(nodes, tree, up) * node + head;
    return p;
}

static uint64_t chunks(const struct weft_coll_call *c)
{
    const struct weft_nccl_params *p = weft_nccl_params_of(c);
    const uint64_t bytes = c->bytes / p->channels + (c->bytes % p->channels != 0);
    const uint64_t n = bytes / p->chunk_bytes + (bytes % p->chunk_bytes != 0);
    return n ? n : 1;
}

static bool nccl_tree_supports(const struct weft_coll_call *c, const char **why)
{
    return weft_nccl_supports(c, WEFT_COLL_BIT(ALL_REDUCE), "nccl-tree does all-reduce", why);
}

static uint64_t nccl_tree_parts(const struct weft_coll_call *c)
{
    return weft_nccl_params_of(c)->channels * chunks(c);
}

static uint32_t nccl_tree_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    return LANES_OF_CHANNEL * (uint32_t)weft_nccl_params_of(c)->channels;
}

static uint64_t nccl_tree_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    const struct place p = nccl_tree_place(c, lane / LANES_OF_CHANNEL, rank);
    const uint32_t role = lane % LANES_OF_CHANNEL;
    if (role == UP_RECV || role == DOWN_SEND)
        return chunks(c) * p.nchildren;
    return p.parent == WEFT_TWO_TREES_NOBODY ? 0 : chunks(c);
}

/* Which child of @p parent a rank is. */
static uint32_t child_number(const struct place *parent, uint32_t rank)
{
    uint32_t k = 0;
    while (parent->child[k] != rank)
        k++;
    return k;
}

static void nccl_tree_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                            uint64_t i, struct weft_coll_instr *out)
{
    const uint64_t channel = lane / LANES_OF_CHANNEL;
    const uint32_t base = lane - lane % LANES_OF_CHANNEL, role = lane - base;
    const struct place p = nccl_tree_place(c, channel, rank);
    const bool with_children = role == UP_RECV || role == DOWN_SEND;
    const uint64_t k = with_children ? i / p.nchildren : i;
    const uint32_t peer = with_children ? p.child[i % p.nchildren] : p.parent;
    uint64_t bytes = 0;
    out->nblocks = 1;
    out->first_block = channel * chunks(c) + k;
    out->step = k;
    switch (role) {
    case UP_RECV:
        out->action = WEFT_COLL_RECV_REDUCE;
        /* what comes from several children is added up in one pass */
        bytes = weft_coll_block_bytes(c, nccl_tree_parts(c), out->first_block) / p.nchildren;
        break;
    case UP_SEND: {
        const struct place up = nccl_tree_place(c, channel, peer);
        out->action = WEFT_COLL_SEND;
        out->peer_lane = base + UP_RECV;
        out->peer_instr = k * up.nchildren + child_number(&up, rank);
        if (p.nchildren) {
            out->dep = WEFT_COLL_DEP_UPTO;
            out->dep_lane = base + UP_RECV;
            out->dep_instr = (k + 1) * p.nchildren - 1;
        }
        break;
    }
    case DOWN_RECV: /* replaces what was sent up */
        out->action = WEFT_COLL_RECV;
        bytes = weft_coll_block_bytes(c, nccl_tree_parts(c), out->first_block);
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_lane = base + UP_SEND;
        out->dep_instr = k;
        break;
    default:
        out->action = WEFT_COLL_SEND;
        out->peer_lane = base + DOWN_RECV;
        out->peer_instr = k;
        out->dep = p.parent == WEFT_TWO_TREES_NOBODY ? WEFT_COLL_DEP_UPTO : WEFT_COLL_DEP_INSTR;
        out->dep_lane = base + (p.parent == WEFT_TWO_TREES_NOBODY ? UP_RECV : DOWN_RECV);
        out->dep_instr = p.parent == WEFT_TWO_TREES_NOBODY ? (k + 1) * p.nchildren - 1 : k;
        break;
    }
    weft_nccl_message(c, rank, peer, channel, bytes, out);
}

const struct weft_coll_ops weft_coll_nccl_tree = {
    .name = "nccl-tree",
    .title = "NCCL's trees over nodes, chains within, per channel",
    .source = "NVIDIA/nccl, src/graph/trees.cc",
    .params = WEFT_NCCL_PARAM_TABLE,
    .supports = nccl_tree_supports,
    .parts = nccl_tree_parts,
    .lanes = nccl_tree_lanes,
    .count = nccl_tree_count,
    .instr = nccl_tree_instr,
    .total_bytes = weft_coll_bytes_up_and_down,
    .launch_ps = weft_nccl_launch_ps,
};
