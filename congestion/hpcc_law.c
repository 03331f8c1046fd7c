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
    law->eta = k->target_util;
    law->max_stage = k->max_stage;
    law->line_bps = line;
    law->bdp_bytes = env->bdp_bytes;
    law->mtu_bytes = env->mtu_bytes;
    law->whole = k->mode == WEFT_HPCC_SIM;
    law->window = k->window;
    if (law->whole) {
        law->ai = (double)k->rate_ai_bps;
        law->lo = (double)min;
        law->hi = (double)line;
    } else {
        law->ai = (double)k->window_ai_bytes;
        law->hi = weft_cc_line_window(env);
        law->lo = law->hi * (double)min / (double)line;
    }
}

double weft_hpcc_react(const struct weft_hpcc_law *law, const struct weft_hpcc_ref *ref,
                       double util, struct weft_hpcc_ref *next)
{
    double c = util / law->eta;
    double x = ref->x;
    next->stage = ref->stage + 1;
    if (c >= 1 || ref->stage >= law->max_stage) {
        next->stage = 0;
        x = weft_cc_clamp(x / c, 0, law->hi);
        if (law->whole)
            x = (double)(int64_t)x;
    }
    next->x = weft_cc_clamp(x + law->ai, law->lo, law->hi);
    return next->x;
}

double weft_hpcc_rate(const struct weft_hpcc_law *law, double x)
{
    return law->whole ? x : x / law->hi * (double)(int64_t)law->line_bps;
}

void weft_hpcc_publish(const struct weft_hpcc_law *law, double x, struct weft_cc_out *out)
{
    out->rate_bps = weft_cc_clamp_u64(weft_hpcc_rate(law, x), 1, law->line_bps);
    out->cwnd_bytes = law->whole ? weft_cc_window_bytes(law->window, law->bdp_bytes, law->mtu_bytes,
                                                        out->rate_bps, law->line_bps)
                                 : weft_cc_clamp_u64(x, law->mtu_bytes, UINT64_MAX);
}
