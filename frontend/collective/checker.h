/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The symbolic checker of collective programs: proves that an algorithm does what its kind says.
 */
#ifndef WEFT_COLLECTIVE_CHECKER_H
#define WEFT_COLLECTIVE_CHECKER_H

#include "collective/collective.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What was counted on the way. */
struct weft_coll_proof {
    uint64_t instrs;   /**< over all ranks */
    uint64_t messages; /**< sends over all ranks */
    uint64_t bytes;    /**< sent over all ranks */
};

/**
 * Runs the programs of all @p n ranks with sets of contributions instead of numbers and checks that
 * - every send has exactly one receive at its peer, of the same blocks, and the k-th send of a pair
 * meets the k-th receive (first in, first out);
 * - the programs end: no rank waits for ever;
 * - no result depends on timing: every receive is taken in as late as the dependencies allow, and
 *   nothing may touch its blocks in between;
 * - no contribution is added twice, no block that is already there is sent again (all-gather,
 * all-to-all);
 * - each rank ends with exactly the data of @p kind;
 * - the bytes sent are those of ops->total_bytes.
 * Returns 0, or WEFT_E_INTERNAL with the first thing that is wrong. Memory grows with n^3.
 */
int weft_coll_prove(const struct weft_coll_ops *ops, enum weft_coll_kind kind, uint32_t n,
                    uint64_t bytes, struct weft_coll_proof *proof, struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
