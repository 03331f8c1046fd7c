/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of weft sweep, and how they are shown. */
#ifndef WEFT_CLI_SWEEP_H
#define WEFT_CLI_SWEEP_H

#include "report/summary.h"

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
    const char *outcome; /**< as in struct weft_summary; NULL: not run */
    double metric[WEFT_SWEEP_METRICS], end_ps;
    double speed_up; /**< over the first value of the last axis; NaN: one of them did not finish */
};

/** All of them, the last axis fastest. */
struct weft_sweep {
    struct weft_sweep_axis axis[WEFT_SWEEP_KEYS];
    size_t naxes;
    const struct weft_metric *metric[WEFT_SWEEP_METRICS];
    size_t nmetrics;
    struct weft_sweep_row *rows;
    size_t nrows;
};

/** Reads the text of a --vary, "KEY=VALUE|VALUE...". a->text is to be freed, also on failure. */
int weft_sweep_read_axis(const char *text, struct weft_sweep_axis *a, struct weft_err *err);
/** Value of an axis in a row. */
const char *weft_sweep_value(const struct weft_sweep *s, size_t axis, size_t row);
/** Prints the table for people, and for programs. */
void weft_sweep_text(FILE *out, const struct weft_sweep *s);
void weft_sweep_json(FILE *out, const struct weft_sweep *s);
/** Writes sweep.csv into a folder. */
int weft_sweep_csv(const char *dir, const struct weft_sweep *s, struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
