/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scale: durations, or sizes, times a factor.
 *
 * Durations are whole microseconds: what rounding takes from one operation is added to the rank's
 * next, so that the sum of a rank is right to a microsecond. Sizes are rounded each on its own, as
 * all members of a collective round alike.
 */
#include "workload/whatif/stretch.h"

struct scale {
    struct weft_select select;
    double factor;
};

static const struct weft_param params[] = {
    {WEFT_ROW_F64(struct scale, factor, "factor", NULL, "0", "1e9"),
     .help = "factor of durations and work of computations and memory accesses, and of sizes of "
             "communication"},
    WEFT_SELECT_OP(struct scale),
    WEFT_SELECT_KIND(struct scale, "compute"),
    WEFT_SELECT_COLLECTIVE_PARAMS(struct scale),
    WEFT_SELECT_RANKS(struct scale),
};

static int apply(struct weft_transform *t, uint32_t rank, struct weft_et *et,
                 struct weft_arena *arena, struct weft_err *err)
{
    const struct scale *p = t->params;
    return weft_stretch_apply(t, &p->select, p->factor, rank, et, arena, err);
}

const struct weft_transform_ops weft_transform_scale = {
    .name = "scale",
    .title = "faster or slower computations, larger or smaller communication",
    .source = "Zhu et al., Daydream, USENIX ATC 2020, section 4",
    .params = WEFT_PARAM_TABLE(params, struct scale),
    .start = weft_select_start,
    .apply = apply,
};
