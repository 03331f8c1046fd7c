/* SPDX-License-Identifier: GPL-2.0-only */
/* Distributions of flow sizes that come with weft, by name. */
#ifndef WEFT_CDF_TABLE_H
#define WEFT_CDF_TABLE_H

#include "base/cdf.h"

WEFT_C_BEGIN

/** One distribution. */
struct weft_cdf_entry {
    const char *name;          /**< what users type: "websearch" */
    const char *title;         /**< one line for lists */
    const char *source;        /**< the study that it is from */
    const double (*points)[2]; /**< bytes and percent, as in struct weft_cdf */
    size_t n;
};

/** All of them, in the order of cdfs.def; *n receives their number. */
const struct weft_cdf_entry *weft_cdf_table(size_t *n);
/** The distribution called @p name; on an unknown name NULL, and *err names the nearest. */
struct weft_cdf *weft_cdf_named(const char *name, struct weft_err *err);
/** The distribution of the file @p name or, where there is none, the one called so. NULL on
 * failure. */
struct weft_cdf *weft_cdf_open(const char *name, struct weft_err *err);

WEFT_C_END
#endif
