/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The run folders that a figure is made from, with the names that tell them apart, and the rows of
 * their tables.
 */
#ifndef WEFT_PLOT_RUNS_H
#define WEFT_PLOT_RUNS_H

#include "base/arena.h"
#include "base/csv_read.h"

#include <jansson.h>

/** One run. */
struct weft_run {
    const char *dir;
    const char *label;  /**< settings in which it differs from the others, or its folder */
    const json_t *json; /**< its run.json */
    const char **value; /**< of the settings that vary, in order of weft_runs.key */
};

/** All of them. */
struct weft_runs {
    struct weft_arena *arena;
    struct weft_run *run;
    size_t n;
    const char *sweep; /**< folder of the one sweep that was given; NULL: none */
    const char **key;  /**< settings in which the runs differ, if they are few */
    size_t nkeys;
    const char *varied;         /**< the same as a text: "a, b"; "": none */
    double from_ns, to_ns;      /**< only this time is of interest; else 0 and infinite */
    const char *job;            /**< only messages of this workload; NULL: of each */
    const char *const *metrics; /**< only these metrics of a sweep; NULL: all */
    size_t nmetrics;
    const char *ports; /**< only these ports: "s16->h3,s17->h4"; NULL: each figure's choice */
};

/**
 * Opens folders. One of a sweep stands for its runs. @p labels: names instead of what would be
 * found, as many as there are runs; NULL: none. WEFT_E_INPUT: no folder of a run.
 */
int weft_runs_open(const char *const *dirs, size_t n, const char *const *labels, size_t nlabels,
                   struct weft_runs *out, struct weft_err *err);
void weft_runs_close(struct weft_runs *r);
/** The label of a run without the setting @p key; the label itself where labels are not made of
 * settings. NULL: no memory. */
const char *weft_run_label_without(const struct weft_runs *r, size_t run, const char *key);

/** The same without its seed: runs of one such label differ in their seed alone. */
const char *weft_run_label_seedless(const struct weft_runs *r, size_t run);

/** Most columns that one reading asks for. */
#define WEFT_ROWS_COLUMNS_MAX 24
/** A table of a run at one of its rows. */
struct weft_row {
    struct weft_csv_reader r;
    int column[WEFT_ROWS_COLUMNS_MAX]; /**< of those asked for; -1: an optional one is absent */
};
/** Text of the k-th column asked for; "" where it is absent. */
const char *weft_row_text(const struct weft_row *row, size_t k);
/** Number of the k-th column asked for; 0 where it is absent or empty. WEFT_E_INPUT: no number. */
int weft_row_number(const struct weft_row *row, size_t k, double *out, struct weft_err *err);
/** What is done with a row. Below 0: an error. */
typedef int (*weft_row_fn)(void *ctx, const struct weft_row *row, struct weft_err *err);
/**
 * Calls @p fn with each row of a table. @p columns: names, those that may be absent with a '?' in
 * front, ends with NULL. A last row without its line end (of a run that was killed) does not count.
 * 0; 1: there is no such table, or nothing of it in the folder of a partial run; WEFT_E_INPUT: no
 * table, or it lacks a column.
 */
int weft_run_rows(const struct weft_run *run, const char *file, const char *const *columns,
                  weft_row_fn fn, void *ctx, struct weft_err *err);
/** Whether the run did not come to its end: killed, out of disk, interrupted, or still running. */
bool weft_run_is_partial(const struct weft_run *run);
/** A number of the run's summary; NAN: it has none. @p path: "dimensions.0.busy". */
double weft_run_figure(const struct weft_run *run, const char *path);
/** A setting as resolved: "congestion-control.name"; NULL: none. */
const char *weft_run_setting(const struct weft_run *run, const char *group, const char *key);

#endif
