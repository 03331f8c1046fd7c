/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Communication whose duration is recorded: it is over so long after it began, whatever others do.
 * Its time counts as network.
 */
#include "system/system_internal.h"

static void over(void *ctx, uint64_t arg)
{
    struct weft_active *a = ctx;
    struct weft_npu *npu = a->npu;
    const int64_t now_ps = weft_now_ps(npu->sys);
    const struct weft_completion done = {
        .post_ps = a->start_ps, .received_ps = now_ps, .acked_ps = now_ps};
    (void)arg;
    if (npu->sys->err.code)
        return;
    weft_npu_acked(a, &done);
    weft_npu_done(a);
    weft_npu_issue(npu);
    weft_causal_path_leave(npu);
}

void weft_recorded_begin(struct weft_active *a)
{
    struct weft_npu *npu = a->npu;
    a->start_ps = weft_now_ps(npu->sys);
    a->causal_path = weft_causal_path_take(npu, a->op);
    weft_system_after(npu->sys, weft_active_op(a)->duration_ps, over, a, 0);
}
