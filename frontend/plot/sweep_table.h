/* SPDX-License-Identifier: GPL-2.0-only */
/* sweep.csv as numbers: what was varied (axes), and what was found (metrics). */
#ifndef WEFT_PLOT_SWEEP_TABLE_H
#define WEFT_PLOT_SWEEP_TABLE_H

#include "plot/figure.h"

/** Axes and metrics of which there are more are left out. */
enum { WEFT_SWEEP_AXES = 8, WEFT_SWEEP_METRICS = 16 };

/** Something that was varied. */
struct weft_sweep_axis {
    const char *key;
    bool numbers;      /**< all values are */
    bool bytes;        /**< they are sizes */
    size_t n;          /**< different values */
    const char **text; /**< of each row, as it was given */
    double *v;         /**< of each row: plain, bytes, microseconds or Gbps; NAN: no number */
};

/** Something that was measured. */
struct weft_sweep_metric {
    const char *key, *axis; /**< axis: its label */
    double divisor;         /**< from the table's unit to that of the label */
    bool left_out;          /**< not among those that the caller wants */
    bool log;               /**< values differ by orders of magnitude */
    double *v;              /**< of each row, in the label's unit; NAN: none */
    double *ci95;           /**< half of its 95 % confidence interval over seeds; NAN: none */
};

/** A sweep. */
struct weft_sweep_table {
    struct weft_arena *arena; /**< of names */
    struct weft_sweep_axis axis[WEFT_SWEEP_AXES];
    struct weft_sweep_metric metric[WEFT_SWEEP_METRICS];
    const char **folder; /**< of each row, of its runs: "4 5 6"; "": it is not said */
    size_t naxes, nmetrics, nrows, cap;
};

/** Reads @p dir/sweep.csv into @p s, which has its arena and else zeros. Free also after a failure.
 */
int weft_sweep_table_read(struct weft_sweep_table *s, const char *dir, struct weft_err *err);
/** The same as it stands there: settings that change together, metrics in their own units. */
int weft_sweep_table_rows(struct weft_sweep_table *s, const char *dir, struct weft_err *err);
void weft_sweep_table_free(struct weft_sweep_table *s);
/** The label of an axis, with the unit of its values. */
const char *weft_sweep_axis_label(struct weft_figure *f, const struct weft_sweep_axis *a);

#endif
