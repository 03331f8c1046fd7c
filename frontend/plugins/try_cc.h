/* SPDX-License-Identifier: GPL-2.0-only */
/* Random sequences of hooks of a congestion control. */
#ifndef WEFT_PLUGINS_TRY_CC_H
#define WEFT_PLUGINS_TRY_CC_H

#include "congestion/cc.h"
#include "congestion/cc_replay.h"

WEFT_C_BEGIN

/** Whether its hooks stay in bounds, write all of their output and only their own state, and do the
 * same for the same input. WEFT_E_OUTCOME. */
int weft_try_cc_hooks(const struct weft_cc_ops *o, struct weft_err *err);

/** Whether what it says of how its state moves (cc_replay.h) is true: random traffic that begins at
 * another time, from other packet numbers and counters of switches on, must have the same
 * decisions. WEFT_E_OUTCOME.
 * @param sequences how many were played: WEFT_TRY_CC_MOVES, or none where it says nothing, or goes
 * by credits, which count from the start. */
int weft_try_cc_moving(const struct weft_cc_ops *o, unsigned *sequences, struct weft_err *err);
#define WEFT_TRY_CC_MOVES 40u
/** One such sequence.
 * @param params settled for 100 Gbps and 8 us.
 * @param moving the fields that are moved, where the sequence begins anew.
 * @param part whether decisions, or the state that moves as the algorithm says, part. */
int weft_try_cc_moves(const struct weft_cc_ops *o, const void *params,
                      const struct weft_cc_moving *moving, uint64_t seed, bool *part,
                      struct weft_err *err);

WEFT_C_END
#endif
