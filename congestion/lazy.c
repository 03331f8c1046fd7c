/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Closed forms for missed timer expiries; see lazy.h.
 *
 * Why the climb may jump: with gap = target - rate, one step makes gap' = ceil((gap + step) / 2),
 * or with halves rounded apart a value that depends on the parity of target besides. The gap
 * shrinks to its fixed value within about 64 steps; from then on it repeats with period 2 (parity),
 * so that rate and target both grow by exactly step per expiry until the cap.
 */
#include "congestion/lazy.h"

double weft_cc_pow(double base, uint64_t n)
{
    double r = 1.0;
    for (; n; n >>= 1) {
        if (n & 1)
            r *= base;
        base *= base;
    }
    return r;
}

void weft_cc_climb(struct weft_cc_rates *c, uint64_t cap, uint64_t step, uint64_t n,
                   bool halve_each)
{
    uint64_t gap1 = UINT64_MAX, gap2 = UINT64_MAX; /* one and two steps ago */
    while (n > 0) {
        uint64_t rate = c->rate_bps, target = c->target_bps;
        c->target_bps = cap - target > step ? target + step : cap;
        uint64_t odd = (rate & 1) + (c->target_bps & 1);
        c->rate_bps = rate / 2 + c->target_bps / 2 + (odd == 2 && !halve_each);
        n--;
        if (c->target_bps == target && c->rate_bps == rate)
            return; /* at rest: further steps change nothing */
        uint64_t gap = c->target_bps - c->rate_bps;
        if (gap == gap2 && step > 0 && c->target_bps < cap) {
            uint64_t left = (cap - c->target_bps) / step;
            uint64_t jump = (n < left ? n : left) & ~UINT64_C(1);
            c->target_bps += jump * step;
            c->rate_bps += jump * step;
            n -= jump;
        }
        gap2 = gap1;
        gap1 = gap;
    }
}
