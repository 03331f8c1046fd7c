/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HPCC: window and rate from a measured utilisation, for hpcc (INT) and hpcc-pint (PINT). The rules
 * are in hpcc_law.h.
 */
#include "congestion/hpcc_law.h"

unsigned weft_hpcc_knobs_need(const struct weft_hpcc_knobs *k)
{
    if (k->mode == WEFT_HPCC_PAPER)
        return WEFT_CC_NEEDS_BASE_RTT;
    return weft_cc_window_needs(k->window);
}

void weft_hpcc_law_init(struct weft_hpcc_law *law, const struct weft_hpcc_knobs *k,
                        const struct weft_cc_env *env)
{
    uint64_t line = env->line_rate_bps;
    uint64_t min = k->min_rate_bps < line ? k->min_rate_bps : line;
    law->line_bps = line;
    law->bdp_bytes = env->bdp_bytes;
    law->mtu_bytes = env->mtu_bytes;
    if (weft_hpcc_whole(k)) {
        law->ai = (double)k->rate_ai_bps;
        law->lo = (double)min;
        law->hi = (double)line;
    } else {
        law->ai = (double)k->window_ai_bytes;
        law->hi = weft_cc_line_window(env);
        law->lo = law->hi * (double)min / (double)line;
    }
}
