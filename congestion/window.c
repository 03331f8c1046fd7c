/* SPDX-License-Identifier: GPL-2.0-only */
/* What congestion controls share: the window beside a rate, bounds of both, the cost of signals. */
#include "congestion/window.h"
#include "base/int128.h"

uint64_t weft_cc_window_bytes(int window, uint64_t bdp_bytes, uint64_t mtu_bytes, uint64_t rate_bps,
                              uint64_t line_bps)
{
    if (window == WEFT_CC_WINDOW_NONE)
        return UINT64_MAX;
    uint64_t w = bdp_bytes;
    if (window == WEFT_CC_WINDOW_SCALED)
        w = (uint64_t)((weft_u128)w * rate_bps / line_bps);
    return w > mtu_bytes ? w : mtu_bytes;
}

double weft_cc_line_window(const struct weft_cc_env *env)
{
    double wire = (double)env->line_rate_bps * (double)env->base_rtt_ps / 8e12;
    double w = wire * (double)env->mtu_bytes / (double)env->mtu_wire_bytes;
    return weft_cc_clamp(w, (double)env->mtu_bytes, 0x1p62);
}
