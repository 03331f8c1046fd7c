/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Defaults that follow from the path.
 *
 * A step of 40 Mbps is right for a NIC of 40 Gbps and far too small for one of 800 Gbps. A
 * parameter with a scale (struct weft_scale) says for which line rate or base RTT its default is
 * meant; its field holds WEFT_PARAM_AUTO until weft_params_resolve is told the path. Values that
 * somebody gave are never touched.
 */
#ifndef WEFT_BASE_SCALE_H
#define WEFT_BASE_SCALE_H

#include "base/param.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** Scales, for tables: @p at as in struct weft_scale, then the least and the most, NULL: none. */
#define WEFT_PER_LINE_RATE(at, least, most)                                                        \
    &(const struct weft_scale)                                                                     \
    {                                                                                              \
        WEFT_BASIS_LINE_RATE, at, least, most                                                      \
    }
#define WEFT_PER_LINE_TIME(at, least, most)                                                        \
    &(const struct weft_scale)                                                                     \
    {                                                                                              \
        WEFT_BASIS_LINE_TIME, at, least, most                                                      \
    }
#define WEFT_PER_BASE_RTT(at)                                                                      \
    &(const struct weft_scale)                                                                     \
    {                                                                                              \
        WEFT_BASIS_BASE_RTT, at, NULL, NULL                                                        \
    }
/** The default is the congestion control's. */
#define WEFT_OF_CONTROL                                                                            \
    &(const struct weft_scale)                                                                     \
    {                                                                                              \
        WEFT_BASIS_CONTROL, NULL, NULL, NULL                                                       \
    }

/** What scales take from a path. */
struct weft_scale_path {
    uint64_t line_rate_bps; /**< of the sending NIC's port, > 0 */
    int64_t base_rtt_ps;    /**< unloaded round trip, > 0; 0: unknown, what is scaled by it stays
                               WEFT_PARAM_AUTO */
};

/** Whether the field of @p p in @p values holds WEFT_PARAM_AUTO. */
bool weft_param_is_auto(const struct weft_param *p, const void *values);
/** Makes it so. Requires p->scale. */
void weft_param_set_auto(const struct weft_param *p, void *values);
/**
 * Gives every field of @p values that holds WEFT_PARAM_AUTO the default for @p path. Those of basis
 * CONTROL stay. Results are rounded down to whole units and saturate.
 */
void weft_params_resolve(const struct weft_param_table *table, void *values,
                         const struct weft_scale_path *path);
/** Whether any field of @p values holds WEFT_PARAM_AUTO and is scaled by @p basis. */
bool weft_params_scaled_by(const struct weft_param_table *table, const void *values,
                           enum weft_basis basis);

/** Longest text of weft_param_default_text. */
#define WEFT_DEFAULT_TEXT_MAX 256
/** The default as people read it: "100Mbps per 40Gbps of line rate", "empty", "must be given".
 * Returns @p buf or a constant. */
const char *weft_param_default_text(const struct weft_param *p, char *buf, size_t size);

WEFT_C_END
#endif
