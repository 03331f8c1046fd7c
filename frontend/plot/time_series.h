/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampled series of a run: one number of one object over time. */
#ifndef WEFT_PLOT_TIME_SERIES_H
#define WEFT_PLOT_TIME_SERIES_H

#include "plot/figure.h"
#include "plot/runs.h"

/** Points that a curve of a series has at most. */
#define WEFT_TRACK_POINTS 1000

/** How many samples become one point. */
enum weft_time_series_reduce { WEFT_TIME_SERIES_MOST, WEFT_TIME_SERIES_MEAN };

/** A series. */
struct weft_time_series {
    const char *name;
    double *t_ns, *v;
    size_t n, cap;
    double least, most, sum;
};

/** Those of one table and column. */
struct weft_time_series_set {
    struct weft_time_series *list;
    size_t n, cap;
    size_t last;        /**< that of the row before */
    double interval_ns; /**< least time between samples; 0: one or none */
    bool on_change;     /**< a value holds until the next row: sample.on=change */
};

/**
 * Reads a table of `series/`: column @p value by object. @p name makes the name of a row's object;
 * its columns are @p keys, asked for in this order. Rows without a value do not count. Free also
 * after a failure. 0; 1: no such table, column, or no rows.
 */
int weft_time_series_read(const struct weft_runs *runs, const struct weft_run *run,
                          const char *file, const char *const *keys,
                          void (*name)(const struct weft_row *row, char *buf, size_t size),
                          const char *value, struct weft_time_series_set *out,
                          struct weft_err *err);
void weft_time_series_free(struct weft_time_series_set *t);
/** What makes a series one of those that are shown: its largest value, or its sum. */
enum weft_time_series_rank_by { WEFT_TIME_SERIES_BY_MOST, WEFT_TIME_SERIES_BY_SUM };
/** Has the @p shown that come first by @p rank stand first, by name. */
void weft_time_series_rank(struct weft_time_series_set *t, enum weft_time_series_rank_by rank,
                           size_t shown);
/** Gives series the sums of those with the same names in @p of, which it sorts; else 0. */
void weft_time_series_take_sums(struct weft_time_series_set *t, struct weft_time_series_set *of);
/** Adds the points of series @p k; where the table left out that it was idle there are zeros. On
 * change the curve is one of WEFT_MARK_STEPS. */
void weft_time_series_draw(const struct weft_time_series_set *t, size_t k, struct weft_curve *c,
                           enum weft_time_series_reduce reduce, double x_divisor, double y_divisor);

/**
 * Adds Jain's index of fairness (Jain, Chiu, Hawe 1984), (sum x)^2 / (n sum x^2), of the values
 * that the series have at the same moment, where two or more have one. 0 or WEFT_E_LIMIT.
 */
int weft_time_series_jain(const struct weft_time_series_set *t, struct weft_curve *c,
                          double x_divisor, struct weft_err *err);

#endif
