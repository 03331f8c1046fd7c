/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * none: no congestion control. A QP always sends at line rate without a window; only PFC
 * (or drops) holds it back. The baseline that shows what the others buy.
 */
#include "congestion/cc.h"

#include "base/units.h"

static void none_init(void *state, const void *params, const struct weft_cc_env *env,
                      int64_t now_ps, struct weft_cc_out *out)
{
    *out = (struct weft_cc_out){
        .rate_bps = env->line_rate_bps, .cwnd_bytes = UINT64_MAX, .timer_at_ps = WEFT_NEVER};
}

const struct weft_cc_ops weft_cc_none = {
    .name = "none",
    .title = "line rate, no window: PFC alone",
    .source = "IEEE 802.1Qbb",
    .params = WEFT_PARAM_TABLE_NONE,
    .init = none_init,
};
