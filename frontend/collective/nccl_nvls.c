/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NCCL's NVLS and NVLSTree: NVSwitches add up and copy within a node, heads join the nodes.
 *
 * A chunk of a channel has a piece for each rank of a node, its head. Every rank copies its chunk
 * into the buffers that the switches read, the switches bring the sum of a piece to its head, heads
 * of the same place add up over the nodes along a binary tree (as nccl_tree.c), and the switches
 * copy the result to all ranks, which copy it out. Within one node a piece is added up and copied
 * in one operation of the switches.
 *
 * Lanes of a channel: copies in; sums; what the switches copy and bring; copies out, which share
 * the worker of the copies in; with several nodes also what goes up the tree and down. Copies in
 * are at most BUFFERS chunks ahead of sums.
 *
 * Source: NVIDIA/nccl 2.30.7, src/device/all_reduce.h (NVLS, NVLS_TREE), src/transport/nvls.cc.
 */
#include "collective/nccl.h"
#include "collective/two_trees.h"

enum { COPY_IN, SUMS, COPIES, COPY_OUT, UP_SEND, UP_RECV, DOWN_RECV, DOWN_SEND, LANES_OF_CHANNEL };
#define LANES_OF_NODE 4u /* with one node */
#define BUFFERS 4u

static bool one_node(const struct weft_coll_call *c)
{
    return weft_nccl_nodes(c) == 1;
}

static uint64_t chunks(const struct weft_coll_call *c)
{
    const struct weft_nccl_params *p = weft_nccl_params_of(c);
    const uint64_t at_once = p->channels * weft_nccl_node(c);
    const uint64_t bytes = c->bytes / at_once + (c->bytes % at_once != 0);
    const uint64_t n = bytes / p->chunk_bytes + (bytes % p->chunk_bytes != 0);
    return n ? n : 1;
}

/* Nodes above and below that of a rank, as ranks of its place. */
static struct weft_tree_place nccl_nvls_place(const struct weft_coll_call *c, uint64_t channel,
                                              uint32_t rank)
{
    const uint32_t node = weft_nccl_node(c);
    const bool tree = channel >= (weft_nccl_params_of(c)->channels + 1) / 2;
    return weft_two_trees_place(weft_nccl_nodes(c), node, rank % node, tree, rank);
}

static bool nccl_nvls_supports(const struct weft_coll_call *c, const char **why)
{
    return weft_nccl_supports(c, WEFT_COLL_BIT(ALL_REDUCE), "nccl-nvls does all-reduce", why);
}

/* A block per channel, chunk and head. */
static uint64_t nccl_nvls_parts(const struct weft_coll_call *c)
{
    return weft_nccl_params_of(c)->channels * chunks(c) * weft_nccl_node(c);
}

static uint32_t lanes_of_channel(const struct weft_coll_call *c)
{
    return one_node(c) ? LANES_OF_NODE : LANES_OF_CHANNEL;
}

static uint32_t nccl_nvls_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    return lanes_of_channel(c) * (uint32_t)weft_nccl_params_of(c)->channels;
}

/* Instructions of a lane for one chunk. */
static uint64_t per_chunk(const struct weft_coll_call *c, const struct weft_tree_place *p,
                          uint32_t role)
{
    const uint32_t node = weft_nccl_node(c);
    const bool root = p->parent == WEFT_TWO_TREES_NOBODY;
    switch (role) {
    case COPY_IN:
    case COPY_OUT:
        return 1;
    case SUMS:
        return one_node(c) ? 1 : 2 * (uint64_t)node;
    case COPIES:
        return one_node(c) ? 1 : 2 * (uint64_t)node;
    case UP_RECV:
    case DOWN_SEND:
        return p->nchildren;
    default: /* UP_SEND, DOWN_RECV */
        return !root;
    }
}

static uint64_t nccl_nvls_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    const uint32_t lanes = lanes_of_channel(c);
    const struct weft_tree_place p = nccl_nvls_place(c, lane / lanes, rank);
    return c->n == 1 ? 0 : chunks(c) * per_chunk(c, &p, lane % lanes);
}

static int64_t copy_ps(const struct weft_coll_call *c, uint64_t blocks, uint64_t first)
{
    const uint64_t rate = weft_nccl_params_of(c)->copy_bps;
    const uint64_t bytes = weft_coll_block_bytes(c, nccl_nvls_parts(c), first) * blocks;
    return rate ? (int64_t)((double)bytes * 8e12 / (double)rate) : 0;
}

static void depends(struct weft_coll_instr *out, enum weft_coll_dep dep, uint32_t lane, uint64_t i)
{
    out->dep = dep;
    out->dep_lane = lane;
    out->dep_instr = i;
}

/* A copy of a chunk, by the worker of the channel. */
static void copy(const struct weft_coll_call *c, uint32_t base, uint64_t k, uint64_t first,
                 struct weft_coll_instr *out)
{
    const uint32_t node = weft_nccl_node(c);
    out->action = WEFT_COLL_COMPUTE;
    out->peer_lane = base + COPY_IN;
    out->busy_ps = copy_ps(c, node, first + k * node) + weft_nccl_params_of(c)->step_ps;
}

/* Where what chunk @p k brings has come is known: the last instruction of a lane for it. */
static uint64_t last_of(const struct weft_coll_call *c, uint64_t k)
{
    return one_node(c) ? k : (k + 1) * 2 * weft_nccl_node(c) - 1;
}

/* What the switches do, and what they bring: within one node. */
static void in_one_node(const struct weft_coll_call *c, uint32_t base, uint32_t role, uint64_t i,
                        uint64_t first, struct weft_coll_instr *out)
{
    const uint32_t node = weft_nccl_node(c);
    out->first_block = first + i * node;
    out->nblocks = node;
    out->from = out->to = WEFT_COLL_ALL;
    out->peer = WEFT_COLL_SWITCHES;
    if (role == COPIES) {
        out->action = WEFT_COLL_RECV;
        depends(out, WEFT_COLL_DEP_INSTR, base + SUMS, i);
        return;
    }
    out->action = WEFT_COLL_SWITCH;
    out->peer_lane = base + COPIES;
    out->peer_instr = i;
    depends(out, WEFT_COLL_DEP_INSTR, base + COPY_IN, i);
}

/* Sums and copies of the switches, with several nodes: per head an operation and what it brings. */
static void in_a_node(const struct weft_coll_call *c, const struct weft_tree_place *p,
                      uint32_t rank, uint32_t base, uint32_t role, uint64_t i, uint64_t first,
                      struct weft_coll_instr *out)
{
    const uint32_t node = weft_nccl_node(c), head = (uint32_t)(i / 2 % node);
    const bool sums = role == SUMS, root = p->parent == WEFT_TWO_TREES_NOBODY;
    const bool own = head == rank % node;
    const uint64_t k = i / (2 * (uint64_t)node), n = p->nchildren;
    out->first_block = first + k * node + head;
    out->nblocks = 1;
    out->peer = WEFT_COLL_SWITCHES;
    out->peer_lane = base + role;
    out->peer_instr = i + 1;
    out->from = sums ? WEFT_COLL_ALL : head;
    out->to = sums ? head : WEFT_COLL_ALL;
    if (i % 2) {
        out->action = weft_coll_receives(out, rank % node) ? WEFT_COLL_RECV : WEFT_COLL_NOP;
        return;
    }
    out->action = WEFT_COLL_SWITCH;
    if (sums)
        depends(out, WEFT_COLL_DEP_INSTR, base + COPY_IN, k);
    else if (own && root && n)
        depends(out, WEFT_COLL_DEP_UPTO, base + UP_RECV, (k + 1) * n - 1);
    else if (own && !root)
        depends(out, WEFT_COLL_DEP_INSTR, base + DOWN_RECV, k);
    else /* what a rank does not give itself takes the place of what it gave to the sum */
        depends(out, WEFT_COLL_DEP_INSTR, base + SUMS, i);
}

/* Between the nodes: heads of one place. */
static void over_nodes(const struct weft_coll_call *c, const struct weft_tree_place *p,
                       uint32_t rank, uint32_t lane, uint64_t i, uint64_t first,
                       struct weft_coll_instr *out)
{
    const uint64_t channel = lane / LANES_OF_CHANNEL;
    const uint32_t role = lane % LANES_OF_CHANNEL, base = lane - role, node = weft_nccl_node(c);
    const bool with_children = role == UP_RECV || role == DOWN_SEND;
    const uint64_t n = p->nchildren, k = with_children ? i / n : i;
    const uint64_t sum = 2 * (k * node + rank % node) + 1; /* what the switches brought */
    const uint32_t peer = with_children ? p->child[i % n] : p->parent;
    struct weft_tree_place up;
    uint64_t bytes = 0;
    out->first_block = first + k * node + rank % node;
    out->nblocks = 1;
    switch (role) {
    case UP_SEND:
        out->action = WEFT_COLL_SEND;
        out->peer_lane = base + UP_RECV;
        up = nccl_nvls_place(c, channel, peer);
        out->peer_instr = k * up.nchildren + weft_tree_child_number(&up, rank);
        if (n)
            depends(out, WEFT_COLL_DEP_UPTO, base + UP_RECV, (k + 1) * n - 1);
        else
            depends(out, WEFT_COLL_DEP_INSTR, base + SUMS, sum);
        break;
    case UP_RECV:
        out->action = WEFT_COLL_RECV_REDUCE;
        bytes = weft_coll_block_bytes(c, nccl_nvls_parts(c), out->first_block);
        depends(out, WEFT_COLL_DEP_INSTR, base + SUMS, sum);
        break;
    case DOWN_RECV:
        out->action = WEFT_COLL_RECV;
        bytes = weft_coll_block_bytes(c, nccl_nvls_parts(c), out->first_block);
        depends(out, WEFT_COLL_DEP_INSTR, base + UP_SEND, k);
        break;
    default:
        out->action = WEFT_COLL_SEND;
        out->peer_lane = base + DOWN_RECV;
        out->peer_instr = k;
        if (p->parent == WEFT_TWO_TREES_NOBODY)
            depends(out, WEFT_COLL_DEP_UPTO, base + UP_RECV, (k + 1) * n - 1);
        else
            depends(out, WEFT_COLL_DEP_INSTR, base + DOWN_RECV, k);
        break;
    }
    weft_nccl_message(c, rank, peer, channel, bytes, out);
}

static void nccl_nvls_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                            uint64_t i, struct weft_coll_instr *out)
{
    const uint32_t lanes = lanes_of_channel(c), role = lane % lanes, base = lane - role;
    const uint32_t node = weft_nccl_node(c);
    const uint64_t channel = lane / lanes, first = channel * chunks(c) * node;
    const struct weft_tree_place p = nccl_nvls_place(c, channel, rank);
    out->step = i / per_chunk(c, &p, role);
    if (role == COPY_IN || role == COPY_OUT) {
        copy(c, base, i, first, out);
        if (role == COPY_OUT)
            depends(out, WEFT_COLL_DEP_UPTO, base + COPIES, last_of(c, i));
        else if (i >= BUFFERS) /* not copies, which may wait for sums of other ranks */
            depends(out, WEFT_COLL_DEP_UPTO, base + (one_node(c) ? COPIES : SUMS),
                    last_of(c, i - BUFFERS));
    } else if (one_node(c)) {
        in_one_node(c, base, role, i, first, out);
    } else if (role == SUMS || role == COPIES) {
        in_a_node(c, &p, rank, base, role, i, first, out);
    } else {
        over_nodes(c, &p, rank, lane, i, first, out);
    }
}

static uint64_t nccl_nvls_total_bytes(const struct weft_coll_call *c)
{
    const uint64_t nodes = weft_nccl_nodes(c);
    if (one_node(c))
        return c->n == 1 ? 0 : c->bytes * c->n;
    return c->bytes * c->n + c->bytes * nodes + 2 * (nodes - 1) * c->bytes;
}

static uint32_t nccl_nvls_island(const struct weft_coll_call *c)
{
    return weft_nccl_node(c);
}

const struct weft_coll_ops weft_coll_nccl_nvls = {
    .name = "nccl-nvls",
    .title = "NCCL's NVLS and NVLSTree: NVSwitches add up within a node, trees join the nodes",
    .source = "NVIDIA/nccl, src/transport/nvls.cc",
    .in_network = true,
    .params = WEFT_NCCL_PARAM_TABLE,
    .supports = nccl_nvls_supports,
    .parts = nccl_nvls_parts,
    .lanes = nccl_nvls_lanes,
    .count = nccl_nvls_count,
    .instr = nccl_nvls_instr,
    .total_bytes = nccl_nvls_total_bytes,
    .launch_ps = weft_nccl_launch_ps,
    .island = nccl_nvls_island,
};
