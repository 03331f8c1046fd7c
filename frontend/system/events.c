/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every file of the system layer may call of the run itself: timers, and the first error,
 * which stops the net.
 */
#include "system/system_internal.h"

void weft_system_fail(struct weft_system *s, const struct weft_err *err)
{
    if (s->err.code == 0)
        s->err = *err;
    s->net->ops->stop(s->net);
}

void weft_system_after(struct weft_system *s, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                       void *ctx, uint64_t arg)
{
    struct weft_err err = {0};
    if (delay_ps > WEFT_LONGEST_PS) {
        weft_err_set(
            &err, WEFT_E_LIMIT,
            "an operation, or a part of one, takes longer than the 26 days that simulated time "
            "has room for: look for a duration, a size, or a rate of memory or computation that is "
            "out of all proportion");
        weft_system_fail(s, &err);
    } else if (s->net->ops->after(s->net, delay_ps, fn, ctx, arg, &err)) {
        weft_system_fail(s, &err);
    }
}
