/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions of flow sizes: lines `size percent`, percent from 0 to 100, or from 0 to 1
 * (probabilities). Neither decreases; a size of several percentiles is as frequent as they are
 * wide, no flow is between two sizes of one percentile. Between two points the size is linear in
 * the percentile, as HPCC's traffic generator does.
 */
#ifndef WEFT_BASE_CDF_H
#define WEFT_BASE_CDF_H

#include "base/err.h"

WEFT_C_BEGIN

/** One distribution. */
struct weft_cdf {
    double *bytes, *percent; /**< the points */
    size_t n;                /**< at least 2 */
};

/** Reads @p path. NULL on failure, *err says where and why. */
struct weft_cdf *weft_cdf_read(const char *path, struct weft_err *err);
/** A copy; NULL: WEFT_E_LIMIT. */
struct weft_cdf *weft_cdf_copy(const struct weft_cdf *c, struct weft_err *err);
void weft_cdf_free(struct weft_cdf *c);
/** Mean of the interpolated distribution. */
double weft_cdf_mean_bytes(const struct weft_cdf *c);
/** The size at percentile @p percent (0 to 100). */
double weft_cdf_quantile_bytes(const struct weft_cdf *c, double percent);

WEFT_C_END
#endif
