/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * While collectives are in progress they take a share of the accelerator (communication-share: the
 * SMs that communication kernels occupy), and a computation goes on at the speed that is left.
 */
#include "system/system_internal.h"

static void share_timer(void *ctx, uint64_t number)
{
    struct weft_npu *npu = ctx;
    if (number == npu->share.timer && npu->sys->err.code == 0)
        npu->share.over(npu);
}

/* Sets the timer for what is left at the present speed. */
static void share_arm(struct weft_npu *npu)
{
    struct weft_system *s = npu->sys;
    struct weft_share *h = &npu->share;
    int64_t delay_ps = h->left_ps;
    if (h->slowed) {
        double ps = (double)h->left_ps / (1 - s->p->comm_share);
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
    npu->share.slowed = npu->collectives > 0;
    share_arm(npu);
}

void weft_share_changed(struct weft_npu *npu)
{
    struct weft_share *h = &npu->share;
    int64_t now_ps = weft_now_ps(npu->sys), past_ps = now_ps - h->at_ps;
    if (!npu->accelerator.running)
        return;
    if (h->slowed)
        past_ps = (int64_t)((double)past_ps * (1 - npu->sys->p->comm_share));
    h->left_ps = past_ps < h->left_ps ? h->left_ps - past_ps : 0;
    h->at_ps = now_ps;
    h->slowed = npu->collectives > 0;
    share_arm(npu);
}
