/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * static-window: line rate under a window that never changes.
 *
 * The window is `window` bytes, or `window-bdp` times the bandwidth-delay product of the path, and
 * never below one MTU. Bounding the bytes in flight bounds each queue by senders x window: the
 * cheapest control that keeps an incast finite.
 */
#include "congestion/cc.h"

#include "base/units.h"

struct params {
    double window_bdp;
    uint64_t window_bytes;
};

static const struct weft_param params[] = {
    {WEFT_ROW_F64(struct params, window_bdp, "window-bdp", "1.0", "0.001", "1000"),
     .help = "window as a multiple of the path's bandwidth-delay product; used when window is 0",
     .needs = "window=0"},
    {WEFT_ROW_SIZE(struct params, window_bytes, "window", "0B", "0B", NULL),
     .help = "window in payload bytes; 0: window-bdp decides; at least one MTU"},
};

static unsigned needs_now(const void *raw)
{
    const struct params *p = raw;
    return p->window_bytes == 0 ? WEFT_CC_NEEDS_BDP : 0;
}

static void static_window_init(void *state, const void *raw, const struct weft_cc_env *env,
                               int64_t now_ps, struct weft_cc_out *out)
{
    const struct params *p = raw;
    uint64_t window = p->window_bytes;
    if (window == 0) {
        double w = (double)env->bdp_bytes * p->window_bdp;
        window = w < 0x1p63 ? (uint64_t)w : UINT64_C(1) << 63;
    }
    if (window < env->mtu_bytes)
        window = env->mtu_bytes;
    *out = (struct weft_cc_out){
        .rate_bps = env->line_rate_bps, .cwnd_bytes = window, .timer_at_ps = WEFT_NEVER};
}

const struct weft_cc_ops weft_cc_static_window = {
    .name = "static-window",
    .title = "line rate under a fixed window, by default one bandwidth-delay product",
    .source = "the HPCC simulator with HAS_WIN=1 and no algorithm (its CC_MODE 12)",
    .needs = WEFT_CC_NEEDS_BDP,
    .needs_now = needs_now,
    .params = WEFT_PARAM_TABLE(params, struct params),
    .init = static_window_init,
};
