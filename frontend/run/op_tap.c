/* SPDX-License-Identifier: GPL-2.0-only */
/* Passes the operations of a job to a second observer. */
#include "run/op_tap.h"

static void op(void *ctx, const struct weft_op_record *record)
{
    const struct weft_op_tap *t = (const struct weft_op_tap *)ctx;
    if (t->inner.op)
        t->inner.op(t->inner.ctx, record);
    t->op(t->ctx, record);
}

static void phase(void *ctx, const struct weft_phase_record *record)
{
    const struct weft_op_tap *t = (const struct weft_op_tap *)ctx;
    if (t->inner.phase)
        t->inner.phase(t->inner.ctx, record);
}

static void path(void *ctx, const struct weft_path_record *record)
{
    const struct weft_op_tap *t = (const struct weft_op_tap *)ctx;
    if (t->inner.path)
        t->inner.path(t->inner.ctx, record);
}

struct weft_system_observer weft_op_tap_observer(struct weft_op_tap *t)
{
    return (struct weft_system_observer){t, op, phase, path};
}
