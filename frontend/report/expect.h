/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expectations: bounds on metrics of a run, kept beside a scenario in expect.xml.
 *
 *   <expect>
 *     <bound metric="end-to-end" min="900us" max="1.1ms"/>
 *     <bound metric="drops" max="0" why="PFC keeps the class lossless"/>
 *   </expect>
 */
#ifndef WEFT_REPORT_EXPECT_H
#define WEFT_REPORT_EXPECT_H

#include "base/arena.h"
#include "report/summary.h"

WEFT_C_BEGIN

/** One bound. Values are in base units (ps, bytes, bit/s, 1). */
struct weft_bound {
    struct weft_metric_choice metric;
    double min, max;                 /**< -inf, +inf: not bounded on this side */
    const char *min_text, *max_text; /**< as written, NULL: not bounded */
    const char *why;                 /**< "" when not given */
    int64_t line;
};

/** All bounds of a file. */
struct weft_expect {
    struct weft_arena *arena;
    const char *file;
    struct weft_bound *bounds;
    size_t n;
};

/** Reads a file of bounds; NULL on failure. */
struct weft_expect *weft_expect_load(const char *file, struct weft_err *err);
/** As weft_expect_load, from memory. */
struct weft_expect *weft_expect_parse(const char *text, size_t len, const char *file,
                                      struct weft_err *err);
/** WEFT_E_INPUT: a bound is on a workload that is none of @p jobs. */
int weft_expect_check(const struct weft_expect *e, const char *const *jobs, size_t n,
                      struct weft_err *err);
/** Bits of what its bounds need (weft_metric_needs). @p e NULL: none. */
unsigned weft_expect_needs(const struct weft_expect *e);
void weft_expect_free(struct weft_expect *e);
/** 1 when the value of @p b in @p s lies within it; a value that does not exist is outside. *value
 * receives it (may be NULL). */
int weft_bound_holds(const struct weft_bound *b, const struct weft_summary *s, double *value);

WEFT_C_END
#endif
