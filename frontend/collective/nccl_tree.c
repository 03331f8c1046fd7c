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

static uint32_t tree_of(const struct weft_coll_call *c, uint64_t channel)
{
    const uint64_t channels = weft_nccl_params_of(c)->channels;
    return channel >= (channels + 1) / 2;
}

/* A rank's neighbours in the tree of a channel. */
static struct weft_tree_place nccl_tree_place(const struct weft_coll_call *c, uint64_t channel,
                                              uint32_t rank)
{
    const uint32_t node = weft_nccl_node(c), head = weft_nccl_head(c, channel);
    const uint32_t first = rank - rank % node, at = weft_coll_minus(rank % node, head, node);
    struct weft_tree_place p = {.parent = WEFT_TWO_TREES_NOBODY};
    if (at + 1 < node)
        p.child[p.nchildren++] = first + (rank % node + 1) % node;
    if (at) {
        p.parent = first + weft_coll_minus(rank % node, 1, node);
        return p;
    }
    const struct weft_tree_place nodes =
        weft_two_trees_place(weft_nccl_nodes(c), node, head, tree_of(c, channel), rank);
    for (uint32_t k = 0; k < nodes.nchildren; k++)
        p.child[p.nchildren++] = nodes.child[k];
    p.parent = nodes.parent;
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
    return WEFT_TREE_LANES * (uint32_t)weft_nccl_params_of(c)->channels;
}

static uint64_t nccl_tree_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    const struct weft_tree_place p = nccl_tree_place(c, lane / WEFT_TREE_LANES, rank);
    return weft_tree_count(&p, lane, chunks(c));
}

static void nccl_tree_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                            uint64_t i, struct weft_coll_instr *out)
{
    const uint64_t channel = lane / WEFT_TREE_LANES;
    const struct weft_tree_place p = nccl_tree_place(c, channel, rank),
                                 up = lane % WEFT_TREE_LANES == WEFT_TREE_UP_SEND
                                          ? nccl_tree_place(c, channel, p.parent)
                                          : p;
    weft_tree_instr(&p, &up, rank, lane, i, out);
    out->nblocks = 1;
    out->first_block = channel * chunks(c) + out->step;
    /* what comes from several children is added up in one pass */
    const uint64_t bytes = weft_coll_block_bytes(c, nccl_tree_parts(c), out->first_block),
                   passes = out->action == WEFT_COLL_RECV_REDUCE ? p.nchildren : 1;
    weft_nccl_message(c, rank, out->peer, channel, bytes / passes, out);
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
