/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NCCL's PAT: all-gather and reduce-scatter by aggregated trees, for nodes of one GPU each.
 *
 * The data of each rank goes down a binomial tree of its own, far ranks first: in the step of
 * distance d, a rank sends on to rank + d all blocks that have come 0, 2d, 4d ... ranks so far.
 * Blocks of a step are aggregated as long as they fit into a slot. A reduce-scatter goes the same
 * ways back, near ranks first, and adds up.
 *
 * The data is cut into channels, those into loops of a chunk of each rank. Lanes of a channel:
 * receives, sends. Both go through the same sequence: loop, step, message.
 *
 * Source: NVIDIA/nccl 2.30.7, src/enqueue.cc; S. Jeaugey, PAT: a new algorithm for all-gather and
 * reduce-scatter operations at scale, arXiv 2506.20252.
 */
#include "collective/nccl.h"

static bool nccl_pat_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds = WEFT_COLL_BIT(ALL_GATHER) | WEFT_COLL_BIT(REDUCE_SCATTER);
    return weft_nccl_supports(c, kinds, "nccl-pat does all-gather and reduce-scatter", why);
}

static bool pat_gathers(const struct weft_coll_call *c)
{
    return c->kind == WEFT_COLL_ALL_GATHER;
}

static uint64_t pat_loops(const struct weft_coll_call *c)
{
    const struct weft_nccl_params *p = weft_nccl_params_of(c);
    const uint64_t parts = p->channels * (pat_gathers(c) && !c->cut ? 1 : c->n);
    const uint64_t bytes = c->bytes / parts + (c->bytes % parts != 0);
    const uint64_t n = bytes / p->chunk_bytes + (bytes % p->chunk_bytes != 0);
    return n ? n : 1;
}

/* Steps, the distance of one, the blocks that a rank sends in it, and its messages. */
static unsigned pat_steps(const struct weft_coll_call *c)
{
    return c->n == 1 ? 0 : weft_coll_log2(c->n - 1) + 1;
}
static uint64_t pat_distance(const struct weft_coll_call *c, unsigned step)
{
    return UINT64_C(1) << (pat_gathers(c) ? pat_steps(c) - 1 - step : step);
}
static uint64_t pat_blocks(const struct weft_coll_call *c, unsigned step)
{
    const uint64_t d = pat_distance(c, step);
    return (c->n - 1 + d) / (2 * d);
}
static uint64_t pat_messages(const struct weft_coll_call *c, unsigned step)
{
    const uint64_t most = weft_nccl_params_of(c)->peers;
    return (pat_blocks(c, step) + most - 1) / most;
}
/* Messages of the steps before @p step in a loop. */
static uint64_t pat_messages_before(const struct weft_coll_call *c, unsigned step)
{
    uint64_t n = 0;
    for (unsigned s = 0; s < step; s++)
        n += pat_messages(c, s);
    return n;
}

static uint64_t nccl_pat_parts(const struct weft_coll_call *c)
{
    return weft_nccl_params_of(c)->channels * pat_loops(c);
}

static uint32_t nccl_pat_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    (void)rank;
    return 2 * (uint32_t)weft_nccl_params_of(c)->channels;
}

static uint64_t nccl_pat_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    (void)rank;
    (void)lane;
    return pat_loops(c) * pat_messages_before(c, pat_steps(c));
}

static void nccl_pat_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                           struct weft_coll_instr *out)
{
    const struct weft_nccl_params *p = weft_nccl_params_of(c);
    const uint64_t in_loop = pat_messages_before(c, pat_steps(c)), loop = i / in_loop,
                   all = pat_loops(c);
    const uint64_t channel = lane / 2;
    uint64_t z = i % in_loop;
    unsigned step = 0;
    for (; z >= pat_messages(c, step); step++)
        z -= pat_messages(c, step);
    const uint64_t d = pat_distance(c, step), first = z * p->peers,
                   left = pat_blocks(c, step) - first;
    const bool sends = lane % 2,
               up = sends == pat_gathers(c); /* to or from the rank d further on */
    /* what the sender of an all-gather has, and the receiver of a reduce-scatter keeps */
    const uint32_t holder = sends == pat_gathers(c) ? rank : weft_coll_minus(rank, d, c->n);
    const uint32_t block = weft_coll_minus(holder, 2 * d * first, c->n);
    const uint32_t peer = up ? (uint32_t)((rank + d) % c->n) : weft_coll_minus(rank, d, c->n);
    out->step = step;
    out->nblocks = left < p->peers ? left : p->peers;
    out->first_block = (block * p->channels + channel) * all + loop;
    out->stride = (uint64_t)weft_coll_minus(0, 2 * d, c->n) * p->channels * all;
    out->granted = rank / weft_nccl_node(c) != peer / weft_nccl_node(c);
    if (sends) {
        out->action = WEFT_COLL_SEND;
        out->peer_lane = lane - 1;
        out->peer_instr = i;
        if (step) {
            out->dep = WEFT_COLL_DEP_UPTO;
            out->dep_lane = lane - 1;
            out->dep_instr = loop * in_loop + pat_messages_before(c, step) - 1;
        }
    } else {
        out->action = pat_gathers(c) ? WEFT_COLL_RECV : WEFT_COLL_RECV_REDUCE;
        if (i >= p->slots) {
            out->dep = WEFT_COLL_DEP_INSTR;
            out->dep_lane = lane;
            out->dep_instr = i - p->slots;
        }
    }
    weft_nccl_message(c, rank, peer, channel,
                      out->nblocks * weft_coll_block_bytes(c, nccl_pat_parts(c), out->first_block),
                      out);
}

static uint64_t nccl_pat_total_bytes(const struct weft_coll_call *c)
{
    return (c->n - 1) * (pat_gathers(c) && !c->cut ? c->n * c->bytes : c->bytes);
}

const struct weft_coll_ops weft_coll_nccl_pat = {
    .name = "nccl-pat",
    .title = "NCCL's PAT: aggregated binomial trees between nodes of one GPU",
    .source = "NVIDIA/nccl, src/enqueue.cc; arXiv 2506.20252",
    .params = WEFT_NCCL_PARAM_TABLE,
    .supports = nccl_pat_supports,
    .parts = nccl_pat_parts,
    .lanes = nccl_pat_lanes,
    .count = nccl_pat_count,
    .instr = nccl_pat_instr,
    .total_bytes = nccl_pat_total_bytes,
    .launch_ps = weft_nccl_launch_ps,
    .grants = true,
};
