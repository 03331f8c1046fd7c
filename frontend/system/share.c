/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * While collectives are in progress they take a share of the accelerator, and a computation goes on
 * at the speed that is left. The share is that of communication-share, or with
 * communication-channels the SMs that the channels of all collectives under way occupy (one each).
 * A computation that is bound by memory (bytes, but no operations) needs fewer SMs than there are:
 * channels do not slow it down.
 */
#include "system/system_internal.h"

#define WEFT_COMM_SHARE_MAX 0.95 /* as communication-share: computations never stand still */

static void share_timer(void *ctx, uint64_t number)
{
    struct weft_npu *npu = ctx;
    if (number == npu->share.timer && npu->sys->err.code == 0)
        npu->share.over(npu);
}

/* The share that is taken from computation @p a now. */
static double share_taken(const struct weft_npu *npu, const struct weft_active *a)
{
    const struct weft_system_params *p = npu->sys->p;
    if (p->comm_channels == 0)
        return npu->collectives > 0 ? p->comm_share : 0;
    const struct weft_op *op = weft_active_op(a);
    if (op->tensor_bytes > 0 && !op->has_flops)
        return 0;
    const double share = (double)(p->comm_channels * npu->collectives) / (double)p->sms;
    return share < WEFT_COMM_SHARE_MAX ? share : WEFT_COMM_SHARE_MAX;
}

/* Sets the timer for what is left at the present speed. */
static void share_arm(struct weft_npu *npu)
{
    struct weft_system *s = npu->sys;
    struct weft_share *h = &npu->share;
    int64_t delay_ps = h->left_ps;
    if (h->taken > 0) {
        double ps = (double)h->left_ps / (1 - h->taken);
        delay_ps = ps < (double)WEFT_TOO_LONG_PS ? (int64_t)ps : WEFT_TOO_LONG_PS;
    }
    h->timer++;
    weft_system_after(s, delay_ps, share_timer, npu, h->timer);
}

void weft_share_begin(struct weft_npu *npu, int64_t ps, void (*over)(struct weft_npu *npu))
{
    npu->share.over = over;
    npu->share.left_ps = ps;
    npu->share.at_ps = weft_now_ps(npu->sys);
    npu->share.taken = share_taken(npu, npu->accelerator.running);
    share_arm(npu);
}

void weft_share_changed(struct weft_npu *npu)
{
    struct weft_share *h = &npu->share;
    int64_t now_ps = weft_now_ps(npu->sys), past_ps = now_ps - h->at_ps;
    if (!npu->accelerator.running)
        return;
    if (h->taken > 0)
        past_ps = (int64_t)((double)past_ps * (1 - h->taken));
    h->left_ps = past_ps < h->left_ps ? h->left_ps - past_ps : 0;
    h->at_ps = now_ps;
    h->taken = share_taken(npu, npu->accelerator.running);
    share_arm(npu);
}
