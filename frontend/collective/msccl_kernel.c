/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MSCCL programs as a GPU's threadblocks run them; msccl_kernel.h.
 *
 * Each instruction of the file becomes four in each loop. A send: work, first half, work, second
 * half. A receive: nothing, first half, nothing, second half. Anything else: the last of four.
 *
 * Sources: ROCm/rccl 2.21.5 (0cbce2a), src/include/device.h (slots), src/device/msccl_kernel_impl.h
 * (loops), src/graph/tuning.cc (launch: baseLat; step: hwLat of tuning model 5, LL128 of model 0).
 * Fitted: the rates, and the launch of LL128, on all-gathers in which each pair of eight MI300X has
 * a threadblock (rouge3877/ns3-msccl-data, 1x8-allgather-allpair, ag_allpair_*_x_1): a send and its
 * receive go on at 1.54, 2.20 and 10.56 GB/s.
 */
#include "collective/msccl_kernel.h"

#include "base/int128.h"
#include "base/units.h"
#include "collective/msccl.h"
#include "collective/nccl.h"

#define US INT64_C(1000000)

const struct weft_msccl_kernel weft_msccl_kernels[3] = {
    [WEFT_NCCL_LL] = {16384, 2048, 24640000000, 12 * US, 8 * US / 10, 16, 8},
    [WEFT_NCCL_LL128] = {50176, 7168, 35200000000, 212 * US, 22 * US / 10, 64, 56},
    [WEFT_NCCL_SIMPLE] = {2097152, 32768, 168960000000, 17 * US, 21 * US / 10, 0, 0}};

static const struct weft_msccl_lane *lane_at(const struct weft_coll_call *c, uint32_t rank,
                                             uint32_t lane)
{
    return &((const struct weft_msccl *)c->program)->gpus[rank].lanes[lane];
}

static uint64_t parts_of(const struct weft_coll_call *c)
{
    return ((const struct weft_msccl *)c->program)->parts;
}

uint64_t weft_msccl_loops(const struct weft_coll_call *c, const struct weft_msccl_kernel *k)
{
    const uint64_t most = weft_coll_block_bytes(c, parts_of(c), 0); /* none is larger */
    return most ? most / k->slot_bytes + (most % k->slot_bytes != 0) : 1;
}

/* Bytes of the halves @p half of an instruction of the file in a loop. */
static uint64_t half_bytes(const struct weft_coll_call *c, const struct weft_msccl_kernel *k,
                           const struct weft_msccl_instr *in, uint64_t loop, unsigned half)
{
    const uint64_t from = loop * k->slot_bytes;
    uint64_t sum = 0;
    for (uint64_t j = 0; in->blocks && j < in->in.nblocks; j++) {
        const uint64_t all = weft_coll_block_bytes(c, parts_of(c), in->blocks[j]);
        const uint64_t left = all > from ? all - from : 0;
        sum += left < k->slot_bytes ? left : k->slot_bytes;
    }
    uint64_t first = sum - sum / 2;
    first = first < k->slice_bytes ? k->slice_bytes : first;
    first = first < sum ? first : sum;
    return half ? sum - first : first;
}

static int64_t work_ps(const struct weft_msccl_kernel *k, uint64_t bytes)
{
    return (int64_t)((weft_u128)bytes * 8 * WEFT_PS_PER_S / k->rate_bps);
}

static bool receives(const struct weft_coll_instr *in)
{
    return in->action == WEFT_COLL_RECV || in->action == WEFT_COLL_RECV_REDUCE;
}

/* Half @p half of a message; the work of a send comes before it, that of a receive after. */
static void message(const struct weft_msccl_kernel *k, const struct weft_msccl_lane *l,
                    uint64_t bytes, bool alone, struct weft_coll_instr *out)
{
    out->channel = (uint32_t)l->channel + 1;
    out->line = k->line;
    out->payload = k->payload;
    if (!receives(out))
        return;
    out->busy_ps = work_ps(k, bytes);
    if (alone && 2 * out->busy_ps < k->step_ps)
        out->after_ps = k->step_ps - 2 * out->busy_ps;
}

void weft_msccl_kernel_instr(const struct weft_coll_call *c, const struct weft_msccl_kernel *k,
                             uint32_t rank, uint32_t lane, uint64_t i, struct weft_coll_instr *out)
{
    const struct weft_msccl_lane *l = lane_at(c, rank, lane);
    const unsigned part = i % WEFT_MSCCL_PARTS, half = part / 2;
    const uint64_t at = i / WEFT_MSCCL_PARTS % l->n, loop = i / WEFT_MSCCL_PARTS / l->n;
    const struct weft_msccl_instr *in = &l->instrs[at];
    const bool sends = in->in.action == WEFT_COLL_SEND, moves = sends || receives(&in->in);
    const uint64_t bytes = moves ? half_bytes(c, k, in, loop, half) : 0;
    *out = in->in;
    if (part == 0 && in->in.dep != WEFT_COLL_DEP_NONE) {
        const uint64_t n = lane_at(c, rank, in->in.dep_lane)->n;
        out->dep_instr = (loop * n + in->in.dep_instr + 1) * WEFT_MSCCL_PARTS - 1;
    } else if (i && (part == 0 || (sends && part % 2))) {
        out->dep = WEFT_COLL_DEP_INSTR; /* a loop after the one before, a message after its work */
        out->dep_lane = lane;
        out->dep_instr = i - 1;
    } else {
        out->dep = WEFT_COLL_DEP_NONE;
    }
    if (moves && part % 2 && bytes) {
        out->peer_instr =
            (loop * lane_at(c, in->in.peer, in->in.peer_lane)->n + in->in.peer_instr) *
                WEFT_MSCCL_PARTS +
            part;
        message(k, l, bytes, !half && !half_bytes(c, k, in, loop, 1), out);
    } else if (sends && part % 2 == 0 && bytes) {
        out->action = WEFT_COLL_COMPUTE;
        out->peer_lane = lane;
        out->busy_ps = work_ps(k, bytes);
    } else if (moves || part + 1 < WEFT_MSCCL_PARTS) {
        out->action = WEFT_COLL_NOP;
        if (half && part % 2) { /* one that ends the instruction in place of its second half */
            out->dep = WEFT_COLL_DEP_INSTR;
            out->dep_lane = lane;
            out->dep_instr = i - 2;
        }
    }
}

uint64_t weft_msccl_kernel_bytes(const struct weft_coll_call *c, const struct weft_msccl_kernel *k,
                                 uint32_t rank, uint32_t lane, uint64_t i)
{
    const struct weft_msccl_lane *l = lane_at(c, rank, lane);
    const struct weft_msccl_instr *in = &l->instrs[i / WEFT_MSCCL_PARTS % l->n];
    const uint64_t loop = i / WEFT_MSCCL_PARTS / l->n;
    const bool message = in->in.action == WEFT_COLL_SEND || receives(&in->in);
    if (message)
        return half_bytes(c, k, in, loop, i % WEFT_MSCCL_PARTS / 2);
    return half_bytes(c, k, in, loop, 0) + half_bytes(c, k, in, loop, 1);
}
