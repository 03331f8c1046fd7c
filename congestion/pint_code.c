/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PINT: the running utilisation of a switch and its code of a few bits. The model is in
 * pint_code.h.
 */
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

#define LOG_ONE 32768.0 /* 15 bits behind the point */

/* The table entry for log2 of @p x > 0. */
static double table_log2(uint64_t x, struct weft_libc_rand *draws)
{
    const int bits = 64 - __builtin_clzll(x);
    if (bits > 16) {
        const uint64_t unit = UINT64_C(1) << (bits - 16), rest = x & (unit - 1);
        x -= rest;
        if (rest > (weft_libc_rand_next(draws) & (unit - 1)))
            x += unit;
    }
    return floor(log2((double)x) * LOG_ONE);
}

double weft_pint_update_tables(double u_prev, int64_t dt_ns, int64_t t_ns, uint64_t qlen_bytes,
                               uint32_t last_size_bytes, uint64_t rate_bps,
                               struct weft_libc_rand *draws)
{
    const uint64_t t = (uint64_t)t_ns, queue = qlen_bytes >> 8;
    const uint64_t dt = dt_ns <= 0 ? 0 : (uint64_t)dt_ns < t ? (uint64_t)dt_ns : t;
    const double log_t = log2((double)t) * LOG_ONE;
    const double log_bytes_per_ns = (log2((double)(rate_bps / 8)) - log2(1e9)) * LOG_ONE;
    double u = 0;
    if (queue && dt) {
        double log_dt = table_log2(dt, draws);
        double sum = log_dt + table_log2(queue, draws) - log_bytes_per_ns - 2 * log_t;
        u += exp2(sum / LOG_ONE) * 256;
    }
    if (last_size_bytes)
        u += exp2((table_log2(last_size_bytes, draws) - log_bytes_per_ns - log_t) / LOG_ONE);
    const uint64_t coded = (uint64_t)llround(u_prev * 8192);
    if (t > dt && coded) {
        double log_rest = table_log2(t - dt, draws);
        u += exp2((log_rest + table_log2(coded, draws) - log_t) / LOG_ONE) / 8192;
    }
    return u;
}
