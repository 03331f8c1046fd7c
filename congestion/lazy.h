/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Catching up with periodic timers that nobody watched.
 *
 * A timer whose only effect is on state that the next hook reads needs no events: the hook works
 * out what its n missed expiries would have done. These functions do that for the two recurrences
 * of rate-based algorithms in O(log n), with the result of n single steps.
 */
#ifndef WEFT_CC_LAZY_H
#define WEFT_CC_LAZY_H

#include "base/linkage.h"

#include <stdbool.h>
#include <stdint.h>

WEFT_C_BEGIN

/** @p base to the power @p n by repeated squaring: the same bits on every machine, which libm does
 * not promise. */
double weft_cc_pow(double base, uint64_t n);

/** A rate that climbs halfway to its target at each expiry. rate_bps <= target_bps. */
struct weft_cc_rates {
    uint64_t rate_bps;
    uint64_t target_bps;
};

/**
 * Does @p n times: target = min(cap, target + step); rate = the mean of rate and target, rounded
 * down. With
 * @p halve_each the mean is rate/2 + target/2, each half rounded down. Exactly equal to n steps.
 * Requires rate <= target <= cap.
 */
void weft_cc_climb(struct weft_cc_rates *c, uint64_t cap_bps, uint64_t step_bps, uint64_t n,
                   bool halve_each);

/** Expiries in (start, now] of a timer with period @p period_ps > 0 whose phase starts at @p
 * start_ps. */
static inline uint64_t weft_cc_expiries(int64_t start_ps, int64_t now_ps, int64_t period_ps)
{
    return now_ps > start_ps ? (uint64_t)((now_ps - start_ps) / period_ps) : 0;
}

WEFT_C_END
#endif
