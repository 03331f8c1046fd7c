/* SPDX-License-Identifier: GPL-2.0-only */
/* See pint_code.h. */
#include "congestion/pint_code.h"

#include "congestion/lazy.h"
#include "congestion/window.h"

#include <math.h>

#define SCALE 512.0

uint16_t weft_pint_encode(double u, double log_base, double uniform01)
{
    double v = ceil(weft_cc_clamp(u * SCALE, 1.0, SCALE * SCALE));
    uint64_t code = weft_cc_clamp_u64(log(v) / log(log_base), 0, UINT16_MAX - 1);
    while (code > 0 && weft_cc_pow(log_base, code) > v)
        code--;
    while (code < UINT16_MAX - 1 && weft_cc_pow(log_base, code + 1) <= v)
        code++;
    double lo = weft_cc_pow(log_base, code);
    double hi = weft_cc_pow(log_base, code + 1);
    return (uint16_t)(uniform01 < (v - lo) / (hi - lo) ? code + 1 : code);
}

double weft_pint_decode(uint16_t code, double log_base)
{
    return weft_cc_clamp(weft_cc_pow(log_base, code) / SCALE, 0, SCALE);
}

double weft_pint_update(double u_prev, int64_t dt_ps, int64_t t_ps, uint64_t qlen_bytes,
                        uint32_t last_size_bytes, uint64_t rate_bps)
{
    double t = (double)t_ps;
    double dt = weft_cc_clamp((double)dt_ps, 0, t);
    double bt_bytes = (double)rate_bps * t / 8e12;
    return dt / t * ((double)qlen_bytes / bt_bytes) + (double)last_size_bytes / bt_bytes +
           (t - dt) / t * u_prev;
}
