/* SPDX-License-Identifier: GPL-2.0-only */
/* See window.h. */
#include "congestion/window.h"

#include <stddef.h>
#include <string.h>

uint64_t weft_cc_window_bytes(int window, uint64_t bdp_bytes, uint64_t mtu_bytes, uint64_t rate_bps,
                              uint64_t line_bps)
{
    if (window == WEFT_CC_WINDOW_NONE)
        return UINT64_MAX;
    uint64_t w = bdp_bytes;
    if (window == WEFT_CC_WINDOW_SCALED)
        w = (uint64_t)((unsigned __int128)w * rate_bps / line_bps);
    return w > mtu_bytes ? w : mtu_bytes;
}

double weft_cc_line_window(const struct weft_cc_env *env)
{
    double wire = (double)env->line_rate_bps * (double)env->base_rtt_ps / 8e12;
    double w = wire * (double)env->mtu_bytes / (double)env->mtu_wire_bytes;
    return weft_cc_clamp(w, (double)env->mtu_bytes, 0x1p62);
}

/* The largest parameter struct of an algorithm. */
#define MAX_PARAMS_SIZE 512

int weft_cc_refuse_idle(const struct weft_param_table *table, const void *params, const char *algo,
                        const char *setting, const char *instead, const char *const *names,
                        struct weft_err *err)
{
    _Alignas(max_align_t) unsigned char def[MAX_PARAMS_SIZE];
    if (table->struct_size > sizeof(def))
        return weft_err_set(err, WEFT_E_INTERNAL, "%s: more than %d bytes of parameters", algo,
                            MAX_PARAMS_SIZE);
    int rc = weft_params_defaults(table, def, err);
    for (; !rc && *names; names++) {
        const struct weft_param *p = weft_params_find(table, *names);
        char was[WEFT_PARAM_TEXT_MAX], is[WEFT_PARAM_TEXT_MAX];
        weft_params_format(p, def, was, sizeof(was));
        weft_params_format(p, params, is, sizeof(is));
        if (strcmp(was, is) != 0)
            rc = weft_err_set(err, WEFT_E_INPUT,
                              "%s: %s has no effect with %s; leave it out or set %s", algo, *names,
                              setting, instead);
    }
    return rc;
}
