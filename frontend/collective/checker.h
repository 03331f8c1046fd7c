/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The symbolic checker of collective programs: proves that an algorithm does what its kind says.
 */
#ifndef WEFT_COLLECTIVE_CHECKER_H
#define WEFT_COLLECTIVE_CHECKER_H

#include "collective/collective.h"

WEFT_C_BEGIN

/** What was counted on the way. */
struct weft_coll_proof {
    uint64_t instrs;   /**< over all ranks */
    uint64_t messages; /**< sends over all ranks */
    uint64_t bytes;    /**< sent over all ranks */
};

/**
 * Runs the programs of all ranks with sets of contributions instead of numbers and checks that
 * - every send has exactly one receive at its peer, of the same blocks, and sends of a pair into
 * one lane meet its receives first in, first out;
 * - the programs end: no rank waits for ever;
 * - no result depends on timing: every receive is taken in as late as the dependencies allow, and
 *   nothing may touch its blocks in between; with several lanes, in both orders of the lanes;
 * - no contribution is added twice, no block that is already there is sent again (kinds without a
 *   sum);
 * - each rank ends with exactly the data of the kind;
 * - the bytes sent are those of ops->total_bytes, and those of each instruction are its blocks'.
 * Of a program from a file (slots of its own) everything that touches a slot is put in the order
 * that dependencies and messages give: two that touch the same slot, one of them writing, must have
 * one. Then every order that can happen ends alike, and one has been played. A block may come
 * twice. What lanes that serve other ranks (ops->serves) receive, the other lanes of the rank have
 * waited for when they end.
 *
 * Returns 0, or WEFT_E_INTERNAL with the first thing that is wrong. Memory grows with n times the
 * blocks: n^3 for an all-to-all.
 */
int weft_coll_prove(const struct weft_coll_ops *ops, const struct weft_coll_call *call,
                    struct weft_coll_proof *proof, struct weft_err *err);

/** Told for entry j of instruction (rank, lane, i) which block's data it moves. */
typedef void (*weft_coll_data_fn)(void *ctx, uint32_t rank, uint32_t lane, uint64_t i, uint64_t j,
                                  uint64_t block);
/** An instruction. */
struct weft_coll_place {
    uint32_t rank, lane;
    uint64_t instr;
    bool known; /**< false: there is none to name */
};
/** The same of a program from a file, without the checks of bytes: to learn which data its
 * instructions move. @p where (may be NULL) becomes the instruction that is wrong. WEFT_E_LIMIT
 * when noting what comes before what takes more than @p most_bytes, 0 for no limit. */
int weft_coll_trace_data(const struct weft_coll_ops *ops, const struct weft_coll_call *call,
                         uint64_t most_bytes, weft_coll_data_fn data, void *ctx,
                         struct weft_coll_place *where, struct weft_err *err);
/** Bytes of memory that weft_coll_trace_data takes at most, with those that noting every block
 * takes, but without what most_bytes is for. */
uint64_t weft_coll_trace_memory(const struct weft_coll_ops *ops, const struct weft_coll_call *call);

WEFT_C_END
#endif
