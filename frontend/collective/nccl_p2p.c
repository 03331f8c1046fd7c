/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NCCL's all-to-all: a send and a receive for every peer, round by round.
 *
 * In a round all ranks of a node send to the same node, so that no rank receives from two. Nodes
 * follow each other at the distances 0, 1, 3, 6, 10 ..., within a node ranks at the distances 0, 1,
 * 2 ... A rank serves a number of peers at once; the next peer takes the place of one whose data
 * has come. What goes to a peer is shared by its channels and cut into chunks, which are messages.
 * Between nodes a chunk waits for the word that the receiver has a buffer free.
 *
 * Lanes: receives and sends of each channel of each place. Source: NVIDIA/nccl 2.30.7,
 * src/init.cc (p2pSchedule), src/enqueue.cc.
 */
#include "collective/nccl.h"

static bool nccl_p2p_supports(const struct weft_coll_call *c, const char **why)
{
    return weft_nccl_supports(c, WEFT_COLL_BIT(ALL_TO_ALL), "nccl-p2p does all-to-all", why);
}

/* Node distance number @p i < nodes: triangular numbers modulo a power of two, without those that
 * there is no node at. */
static uint32_t distance_of(uint32_t nodes, uint32_t i)
{
    uint32_t pow2 = 1, delta = 0, found = 0;
    while (pow2 < nodes)
        pow2 *= 2;
    for (uint32_t x = 0;; x++) {
        delta = (delta + x) & (pow2 - 1);
        if (delta < nodes && found++ == i)
            return delta;
    }
}

/* Peers that a rank sends to (from = false) or receives from in round @p t. */
static uint32_t p2p_peer(const struct weft_coll_call *c, uint32_t rank, uint32_t t, bool from)
{
    const uint32_t node = weft_nccl_node(c), nodes = weft_nccl_nodes(c);
    const uint32_t far = distance_of(nodes, t / node), near = t % node;
    const uint32_t at = rank / node, place = rank % node;
    return from ? weft_coll_minus(at, far, nodes) * node + weft_coll_minus(place, near, node)
                : (at + far) % nodes * node + (place + near) % node;
}

static uint32_t served(const struct weft_coll_call *c)
{
    const uint64_t peers = weft_nccl_params_of(c)->peers;
    return peers < c->n - 1 ? (uint32_t)peers : c->n > 1 ? c->n - 1 : 1;
}

static uint64_t chunks(const struct weft_coll_call *c)
{
    const struct weft_nccl_params *p = weft_nccl_params_of(c);
    if (c->pairs)
        return 1;
    const uint64_t all = p->channels * c->n;
    const uint64_t bytes = c->bytes / all + (c->bytes % all != 0);
    const uint64_t n = bytes / p->chunk_bytes + (bytes % p->chunk_bytes != 0);
    return n ? n : 1;
}

static uint64_t nccl_p2p_parts(const struct weft_coll_call *c)
{
    return weft_nccl_params_of(c)->channels * chunks(c);
}

static uint32_t nccl_p2p_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    return 2 * served(c) * (uint32_t)weft_nccl_params_of(c)->channels;
}

static uint64_t nccl_p2p_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    const uint32_t place = lane / 2 % served(c), rounds = c->n - 1;
    return rounds > place ? (rounds - place - 1) / served(c) * chunks(c) + chunks(c) : 0;
}

static void nccl_p2p_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane, uint64_t i,
                           struct weft_coll_instr *out)
{
    const uint64_t n = chunks(c), channel = lane / 2 / served(c);
    const uint64_t slots = weft_nccl_params_of(c)->slots;
    const uint32_t round = 1 + (uint32_t)(i / n) * served(c) + lane / 2 % served(c);
    const bool sends = lane % 2;
    const uint32_t peer = p2p_peer(c, rank, round, !sends);
    const uint64_t unit = sends ? (uint64_t)rank * c->n + peer : (uint64_t)peer * c->n + rank;
    out->nblocks = 1;
    out->first_block = unit * nccl_p2p_parts(c) + channel * n + i % n;
    out->step = round;
    out->granted = !c->pairs && rank / weft_nccl_node(c) != peer / weft_nccl_node(c);
    out->action = sends ? WEFT_COLL_SEND : WEFT_COLL_RECV;
    const uint64_t waits = sends ? n : slots; /* for the peer before, for a buffer */
    if (i >= waits && (sends ? i % n == 0 : true)) {
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_lane = lane - sends;
        out->dep_instr = sends ? i - 1 : i - slots;
    }
    if (sends) {
        out->peer_lane = lane - 1;
        out->peer_instr = i;
    }
    weft_nccl_message(c, rank, peer, channel,
                      sends ? 0 : weft_coll_block_bytes(c, nccl_p2p_parts(c), out->first_block),
                      out);
}

static uint64_t nccl_p2p_total_bytes(const struct weft_coll_call *c)
{
    uint64_t sum = 0;
    if (!c->pairs && c->bytes % c->n == 0)
        return c->bytes * (c->n - 1);
    for (uint64_t s = 0; s < c->n; s++)
        for (uint64_t d = 0; d < c->n; d++)
            sum += s == d ? 0 : weft_coll_unit_bytes(c, s * c->n + d);
    return sum;
}

const struct weft_coll_ops weft_coll_nccl_p2p = {
    .name = "nccl-p2p",
    .title = "NCCL's sends and receives, round by round",
    .source = "NVIDIA/nccl, src/init.cc",
    .params = WEFT_NCCL_PARAM_TABLE,
    .supports = nccl_p2p_supports,
    .parts = nccl_p2p_parts,
    .lanes = nccl_p2p_lanes,
    .count = nccl_p2p_count,
    .instr = nccl_p2p_instr,
    .total_bytes = nccl_p2p_total_bytes,
    .launch_ps = weft_nccl_launch_ps,
    .grants = true,
};
