/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of weft sweep, and how they are shown. */
#ifndef WEFT_CLI_SWEEP_H
#define WEFT_CLI_SWEEP_H

#include "base/csv.h"
#include "report/report.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_SWEEP_KEYS = 8, WEFT_SWEEP_METRICS = 16, WEFT_SWEEP_VALUES = 64 };

/** One --vary. */
struct weft_sweep_axis {
    char *text; /**< "KEY\0A\0B" */
    const char *key;
    const char *value[WEFT_SWEEP_VALUES];
    size_t n;
};

/** One combination of values. */
struct weft_sweep_row {
    const char *outcome; /**< as in struct weft_summary; "failed" also when it could not begin */
    char *reason;        /**< why it failed; NULL: it did not */
    bool summed_up;      /**< it came to a summary; else it could not begin */
    double metric[WEFT_SWEEP_METRICS], end_ps; /**< NaN and 0 when it could not begin */
    double speed_up; /**< over the first value of the last axis; NaN: one of them did not finish */
};

/** All of them, the last axis fastest. */
struct weft_sweep {
    struct weft_sweep_axis axis[WEFT_SWEEP_KEYS];
    size_t naxes;
    struct weft_metric_choice metric[WEFT_SWEEP_METRICS];
    size_t nmetrics;
    struct weft_sweep_row *rows;
    size_t nrows;
    size_t ndone;        /**< rows that were run or failed; the others are not there yet */
    const char *outcome; /**< of the sweep: "running", "finished", "interrupted" or "failed" */
    const char *reason;  /**< why it is not "finished"; "": it is, or runs */
};

/** Reads the text of a --vary, "KEY=VALUE|VALUE...". a->text is to be freed, also on failure. */
int weft_sweep_read_axis(const char *text, struct weft_sweep_axis *a, struct weft_err *err);
/** Value of an axis in a row. */
const char *weft_sweep_value(const struct weft_sweep *s, size_t axis, size_t row);
/** Prints the table of the rows that are there, for people, and for programs. */
void weft_sweep_text(FILE *out, const struct weft_sweep *s);
void weft_sweep_json(FILE *out, const struct weft_sweep *s);
/** Creates sweep.csv in a folder. NULL on failure. */
struct weft_csv *weft_sweep_csv_open(const char *dir, const struct weft_sweep *s,
                                     struct weft_err *err);
/** Adds a row to it, which is in the file from then on. */
int weft_sweep_csv_row(struct weft_csv *csv, const struct weft_sweep *s, size_t row,
                       struct weft_err *err);
/** What the sweep's run.json says; a weft_run_json_fn. @p ctx: the struct weft_sweep. */
void weft_sweep_run_json(struct weft_json *j, const void *ctx);

#ifdef __cplusplus
}
#endif
#endif
