/* SPDX-License-Identifier: GPL-2.0-only */
/* Variates of distributions from uniform ones in [0, 1). */
#ifndef WEFT_BASE_DRAW_H
#define WEFT_BASE_DRAW_H

#include "base/rng.h"
#include "base/units.h"

#include <math.h>

WEFT_C_BEGIN

/** An interval that is longer than any run. */
#define WEFT_DRAW_LONGEST_PS ((double)(WEFT_NEVER / 4))

/** An exponential variate with mean 1. */
static inline double weft_exponential(double u)
{
    return -log1p(-u);
}

/** A log-normal variate with mean 1: the logarithm has the standard deviation @p sigma. The normal
 * one is Box and Muller's; the mean of exp(sigma z) is exp(sigma^2 / 2). */
static inline double weft_log_normal(double u, double v, double sigma)
{
    const double z = sqrt(-2 * log1p(-u)) * cos(6.283185307179586 * v);
    return exp(sigma * z - sigma * sigma / 2);
}

/** The time to the next of events that come @p per_second times a second, each for itself. */
static inline double weft_draw_gap_ps(struct weft_rng *rng, double per_second)
{
    return weft_exponential(weft_rng_f64(rng)) / per_second * (double)WEFT_PS_PER_S;
}

WEFT_C_END
#endif
