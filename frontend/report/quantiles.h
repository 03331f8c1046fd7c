/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Percentiles of values that come one by one, in bounded memory.
 *
 * They are nearest-rank: the p-th of n sorted values is number ceil(p * n / 100), counted from 1.
 * Up to WEFT_QUANTILES_EXACT values all are kept, so that each percentile is a value that occurred.
 * Beyond, values are counted in bins 2^-12 as wide as they are large, and a percentile is the
 * middle of its bin: off by at most 0.013 %. The largest value is always exact.
 */
#ifndef WEFT_REPORT_QUANTILES_H
#define WEFT_REPORT_QUANTILES_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

/** Most values of which all are kept. */
#define WEFT_QUANTILES_EXACT (UINT32_C(1) << 22)

/** Values so far; zero-initialise. */
struct weft_quantiles {
    double *values; /**< all of them, until there are too many */
    size_t n, cap;
    uint64_t *bins; /**< then; NULL before */
    double max;
};

/** Adds a value, which must not be negative or NaN. WEFT_E_LIMIT: out of memory. */
int weft_quantiles_add(struct weft_quantiles *q, double value, struct weft_err *err);
/** Copies those of @p from into *to, which has none. WEFT_E_LIMIT: out of memory. */
int weft_quantiles_copy(struct weft_quantiles *to, const struct weft_quantiles *from,
                        struct weft_err *err);
/** Sorts what is kept; to be called before weft_quantile, after the last value. */
void weft_quantiles_sort(struct weft_quantiles *q);
/** The @p percent-th percentile, 0 to 100; there must be a value. */
double weft_quantile(const struct weft_quantiles *q, double percent);
/** Half of the 95 % confidence interval of the mean of @p n values (Student's t); NaN for fewer
 * than 2. *mean receives the mean, NaN for none. */
double weft_mean_ci95(const double *v, size_t n, double *mean);
/** Frees the memory; there are no values then. */
void weft_quantiles_free(struct weft_quantiles *q);

WEFT_C_END
#endif
