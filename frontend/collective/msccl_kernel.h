/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the threadblocks of a GPU run an MSCCL program: constants by protocol; internal to msccl*.c
 * and to the list of constants.
 *
 * A threadblock goes through all its steps for what a slot holds, then for the next loop. A step is
 * sent or taken in by halves, each at the rate of the threadblock: by Simple a slot has two slices;
 * by LL and LL128 a receive that waits for lines on the way polls for each one and a half times.
 */
#ifndef WEFT_COLLECTIVE_MSCCL_KERNEL_H
#define WEFT_COLLECTIVE_MSCCL_KERNEL_H

#include "collective/collective.h"

/** GPUs whose threadblocks are known. */
enum weft_msccl_gpu_kind { WEFT_MSCCL_GPU_NONE, WEFT_MSCCL_GPU_MI300X };
#define WEFT_MSCCL_GPU_WORDS "none|mi300x"

struct weft_msccl_kernel {
    uint64_t slot_bytes;  /**< payload of a loop */
    uint64_t slice_bytes; /**< the least that is sent apart */
    uint64_t rate_bps;    /**< at which a threadblock sends, or takes in */
    int64_t launch_ps;    /**< before the first step */
    int64_t step_ps;      /**< what a send and its receive take at least */
    uint32_t line, payload;
};
/** MI300X, by protocol. */
extern const struct weft_msccl_kernel weft_msccl_kernels[3];

/** Instructions for each of the file. */
#define WEFT_MSCCL_PARTS 4u

/** Loops of a call. */
uint64_t weft_msccl_loops(const struct weft_coll_call *c, const struct weft_msccl_kernel *k);
/** Instruction @p i of a lane, of those that all loops have. */
void weft_msccl_kernel_instr(const struct weft_coll_call *c, const struct weft_msccl_kernel *k,
                             uint32_t rank, uint32_t lane, uint64_t i, struct weft_coll_instr *out);
/** Bytes that it moves. */
uint64_t weft_msccl_kernel_bytes(const struct weft_coll_call *c, const struct weft_msccl_kernel *k,
                                 uint32_t rank, uint32_t lane, uint64_t i);

#endif
