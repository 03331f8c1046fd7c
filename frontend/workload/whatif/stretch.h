/* SPDX-License-Identifier: GPL-2.0-only */
/* Operations made longer, shorter, larger or smaller by a factor. */
#ifndef WEFT_STRETCH_H
#define WEFT_STRETCH_H

#include "workload/et.h"

/** One rank's operations, one after the other. */
struct weft_stretch {
    double factor;
    double carry_us;  /**< what rounding to microseconds left over so far */
    uint64_t touched; /**< operations changed */
};

/**
 * Of a computation or memory access: duration, num_ops and tensor_size. Of communication: its
 * sizes, where a size that is not 0 stays 1 byte at least unless the factor is 0. Of others
 * nothing. WEFT_E_LIMIT: out of memory, or too large.
 */
int weft_stretch_node(struct weft_stretch *s, const struct weft_et *et, struct weft_et_node *node,
                      struct weft_arena *arena, struct weft_err *err);

#endif
