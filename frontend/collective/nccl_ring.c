/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NCCL's rings: one per channel, each through all ranks.
 *
 * The ring of a channel enters every node at the rank of the channel's NIC and leaves it at the
 * rank before that one. The data is cut into channels, those into loops of at most n chunks (a
 * chunk for reduce-scatter and all-gather), chunks into slices, which are messages. A rank passes
 * on a slice as soon as it has it. From another node it takes as many slices ahead as there are
 * slots; the sender waits for the word that a slot is free.
 *
 * Lanes of a channel: receives, sends. Both go through the same sequence: loop, step, slice.
 *
 * Source: NVIDIA/nccl 2.30.7, src/device/all_reduce.h, src/enqueue.cc, src/transport/net.cc.
 */
#include "collective/nccl.h"

#define SLICE_MIN 32768u /* NCCL_MIN_SLICE: smaller chunks are one message */

/* How the data is cut. */
struct cut {
    uint64_t loops, slices, steps;
};

static struct cut cut_of(const struct weft_coll_call *c)
{
    const struct weft_nccl_params *p = weft_nccl_params_of(c);
    const bool sum = c->kind == WEFT_COLL_ALL_REDUCE;
    const bool whole = sum || c->kind == WEFT_COLL_REDUCE_SCATTER || c->cut;
    const uint64_t chunks = whole ? p->channels * c->n : p->channels;
    const uint64_t bytes = c->bytes / chunks + (c->bytes % chunks != 0);
    struct cut cut = {.loops = bytes / p->chunk_bytes + (bytes % p->chunk_bytes != 0),
                      .steps = (sum ? 2 : 1) * ((uint64_t)c->n - 1)};
    cut.loops = cut.loops ? cut.loops : 1;
    const uint64_t most = bytes / cut.loops / SLICE_MIN;
    cut.slices = most < 1 ? 1 : most < p->slices ? most : p->slices;
    return cut;
}

static bool nccl_ring_supports(const struct weft_coll_call *c, const char **why)
{
    const unsigned kinds =
        WEFT_COLL_BIT(ALL_REDUCE) | WEFT_COLL_BIT(ALL_GATHER) | WEFT_COLL_BIT(REDUCE_SCATTER);
    return weft_nccl_supports(c, kinds, "nccl-ring does all-reduce, all-gather and reduce-scatter",
                              why);
}

static uint64_t nccl_ring_parts(const struct weft_coll_call *c)
{
    const struct cut cut = cut_of(c);
    return weft_nccl_params_of(c)->channels * cut.loops * cut.slices *
           (c->kind == WEFT_COLL_ALL_REDUCE ? c->n : 1);
}

static uint32_t nccl_ring_lanes(const struct weft_coll_call *c, uint32_t rank)
{
    return 2 * (uint32_t)weft_nccl_params_of(c)->channels;
}

static uint64_t nccl_ring_count(const struct weft_coll_call *c, uint32_t rank, uint32_t lane)
{
    const struct cut cut = cut_of(c);
    return cut.loops * cut.steps * cut.slices;
}

/* RCCL's rings over eight GPUs: rome_model_79 of ROCm/rccl 2.21.5, src/graph/rome_models.cc, which
 * has the same in the other direction besides. Between nodes those of rome_model_81: each begins at
 * the GPU of another NIC, and ends at that of another. */
#define MESH 8u
#define MESH_RINGS 14u
static const uint8_t mesh8[MESH_RINGS / 2][MESH] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 7, 6}, {0, 2, 4, 1, 3, 6, 5, 7},
    {0, 2, 4, 6, 1, 7, 3, 5}, {0, 3, 1, 5, 2, 7, 4, 6}, {0, 3, 5, 1, 6, 2, 7, 4},
    {0, 4, 1, 7, 3, 6, 2, 5}};
static const uint8_t mesh8_nics[MESH][MESH] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 2, 4, 3, 5, 7, 6},
                                               {2, 5, 0, 3, 7, 1, 6, 4}, {3, 6, 1, 5, 2, 7, 4, 0},
                                               {4, 7, 0, 6, 5, 1, 3, 2}, {5, 4, 6, 3, 0, 7, 2, 1},
                                               {6, 2, 0, 4, 1, 7, 5, 3}, {7, 3, 1, 4, 2, 6, 0, 5}};

static uint32_t mesh_rank(const struct weft_coll_call *c, uint64_t channel, uint32_t place)
{
    const uint64_t ring = channel % MESH_RINGS;
    if (c->n > MESH)
        return mesh8_nics[channel % MESH][place];
    return mesh8[ring % (MESH_RINGS / 2)][ring < MESH_RINGS / 2 ? place : MESH - 1 - place];
}

static bool is_mesh(const struct weft_coll_call *c)
{
    return weft_nccl_params_of(c)->order == WEFT_NCCL_ORDER_MESH8 && weft_nccl_node(c) == MESH;
}

/* The rank at a place of the ring of a channel, and back. */
static uint32_t rank_at(const struct weft_coll_call *c, uint64_t channel, uint32_t place)
{
    const uint32_t node = weft_nccl_node(c);
    if (is_mesh(c))
        return place - place % node + mesh_rank(c, channel, place % node);
    return place - place % node + (weft_nccl_head(c, channel) + place % node) % node;
}
static uint32_t ring_place(const struct weft_coll_call *c, uint64_t channel, uint32_t rank)
{
    const uint32_t node = weft_nccl_node(c);
    uint32_t at = 0;
    if (is_mesh(c)) {
        while (mesh_rank(c, channel, at) != rank % node)
            at++;
        return rank - rank % node + at;
    }
    return rank - rank % node + weft_coll_minus(rank % node, weft_nccl_head(c, channel), node);
}

/* The block of slice @p z that a place sends in step @p k of a loop. */
static uint64_t sent(const struct weft_coll_call *c, const struct cut *cut, uint64_t channel,
                     uint32_t place, uint64_t loop, uint64_t k, uint64_t z)
{
    const uint64_t channels = weft_nccl_params_of(c)->channels;
    const bool scatter = c->kind == WEFT_COLL_REDUCE_SCATTER;
    const uint32_t chunk = weft_coll_minus(place, scatter ? k + 1 : k, c->n);
    if (c->kind == WEFT_COLL_ALL_REDUCE)
        return ((channel * cut->loops + loop) * c->n + chunk) * cut->slices + z;
    const uint64_t unit = rank_at(c, channel, chunk);
    return (unit * channels + channel) * cut->loops * cut->slices + loop * cut->slices + z;
}

/* Slices that a rank takes ahead: not so many that a block would come for the second time. */
static uint64_t slots_of(const struct weft_coll_call *c, const struct cut *cut)
{
    const uint64_t own = weft_nccl_params_of(c)->slots, most = (c->n - 1) * cut->slices;
    const uint64_t slots = own < most ? own : most;
    return slots > cut->slices ? slots : cut->slices;
}

static void nccl_ring_instr(const struct weft_coll_call *c, uint32_t rank, uint32_t lane,
                            uint64_t i, struct weft_coll_instr *out)
{
    const struct cut cut = cut_of(c);
    const uint64_t channel = lane / 2, slots = slots_of(c, &cut);
    const uint64_t z = i % cut.slices, k = i / cut.slices % cut.steps;
    const uint64_t loop = i / cut.slices / cut.steps;
    const uint32_t place = ring_place(c, channel, rank);
    const uint32_t before = place ? place - 1 : c->n - 1, node = weft_nccl_node(c);
    out->nblocks = 1;
    out->step = k;
    if (lane % 2) {
        const uint32_t next = place + 1 == c->n ? 0 : place + 1;
        out->action = WEFT_COLL_SEND;
        out->peer_lane = lane - 1;
        out->peer_instr = i;
        out->first_block = sent(c, &cut, channel, place, loop, k, z);
        if (i >= cut.slices) {
            out->dep = WEFT_COLL_DEP_INSTR;
            out->dep_lane = lane - 1;
            out->dep_instr = i - cut.slices;
        }
        weft_nccl_message(c, rank, rank_at(c, channel, next), channel, 0, out);
        out->granted = place / node != next / node;
        return;
    }
    const bool adds =
        c->kind == WEFT_COLL_REDUCE_SCATTER || (c->kind == WEFT_COLL_ALL_REDUCE && k < c->n - 1);
    const uint64_t first = sent(c, &cut, channel, before, loop, k, z);
    out->action = adds ? WEFT_COLL_RECV_REDUCE : WEFT_COLL_RECV;
    out->first_block = first;
    out->granted = place / node != before / node;
    if (i >= slots) { /* a slot is free once its slice is passed on */
        out->dep = WEFT_COLL_DEP_INSTR;
        out->dep_lane = lane + 1;
        out->dep_instr = i - slots + cut.slices;
    }
    weft_nccl_message(c, rank, rank_at(c, channel, before), channel,
                      weft_coll_block_bytes(c, nccl_ring_parts(c), first), out);
}

static uint64_t nccl_ring_total_bytes(const struct weft_coll_call *c)
{
    const uint64_t whole = c->kind == WEFT_COLL_ALL_GATHER && !c->cut ? c->n * c->bytes : c->bytes;
    return cut_of(c).steps * whole;
}

const struct weft_coll_ops weft_coll_nccl_ring = {
    .name = "nccl-ring",
    .title = "NCCL's rings, one per channel, from NIC to NIC of one rail",
    .source = "NVIDIA/nccl, src/device/all_reduce.h",
    .params = WEFT_NCCL_PARAM_TABLE,
    .supports = nccl_ring_supports,
    .parts = nccl_ring_parts,
    .lanes = nccl_ring_lanes,
    .count = nccl_ring_count,
    .instr = nccl_ring_instr,
    .total_bytes = nccl_ring_total_bytes,
    .launch_ps = weft_nccl_launch_ps,
    .grants = true,
};
