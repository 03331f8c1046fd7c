/* SPDX-License-Identifier: GPL-2.0-only */
/* Operations made longer, shorter, larger or smaller by a factor. */
#ifndef WEFT_STRETCH_H
#define WEFT_STRETCH_H

#include "workload/whatif/select.h"
#include "workload/whatif/transform.h"

/**
 * apply of a transform that stretches the operations that @p select chooses, if it chooses @p rank.
 * Of a computation or memory access: duration, num_ops and tensor_size. Of communication: its
 * sizes, where a size that is not 0 stays 1 byte at least unless the factor is 0. Of others
 * nothing. WEFT_E_LIMIT: out of memory, or too large.
 */
int weft_stretch_apply(struct weft_transform *t, const struct weft_select *select, double factor,
                       uint32_t rank, struct weft_et *et, struct weft_arena *arena,
                       struct weft_err *err);

#endif
