/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The figures that weft draws of runs: plots.def lists them, each is one struct weft_plot.
 */
#ifndef WEFT_PLOT_PLOT_H
#define WEFT_PLOT_PLOT_H

#include "base/compare.h"
#include "plot/figure.h"
#include "plot/runs.h"

/** The runs have nothing that this figure could show; the error says what is missing. No failure.
 */
#define WEFT_PLOT_NOTHING 1

/** One kind of figure. */
struct weft_plot {
    const char *name;  /**< what users write: "slowdown" */
    const char *title; /**< what it shows, for lists */
    const char *files; /**< of the run folder, that it is made from, for lists */
    /** Fills in the figure: 0, WEFT_PLOT_NOTHING, or a WEFT_E_* code. */
    int (*derive)(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err);
};

/** All kinds, in the order of plots.def; *n receives their number. */
const struct weft_plot *const *weft_plots(size_t *n);
/** The kind called @p name; on an unknown name NULL, and *err (WEFT_E_USAGE) names the nearest. */
const struct weft_plot *weft_plot_find(const char *name, struct weft_err *err);
/** Derives a figure. NULL on failure, and when there is nothing to show; *code says which. */
struct weft_figure *weft_plot_derive(const struct weft_plot *p, const struct weft_runs *runs,
                                     int *code, struct weft_err *err);

/**
 * Lays out a figure that has panels for each run: more than two runs stand side by side, with one
 * legend and scale. Returns how many runs have room, the first ones.
 */
size_t weft_plot_runs(const struct weft_runs *runs, struct weft_figure *f);
/** Rows of a panel of it: @p most, or less side by side. */
size_t weft_plot_rows(const struct weft_figure *f, size_t most);
/** For its caption: " The first 12 of 20 runs are shown."; "" where all are. */
const char *weft_plot_left_out(const struct weft_runs *runs, struct weft_figure *f);
/** For derive: nothing to show, because ..., as printf. */
#define weft_plot_nothing(err, ...)                                                                \
    (weft_err_set(err, WEFT_E_INPUT, __VA_ARGS__), WEFT_PLOT_NOTHING)
/** The percentile @p p of @p n > 0 sorted values: number ceil(p n / 100) from 1 (nearest rank), as
 * in the summary. */
double weft_percentile(const double *sorted, size_t n, unsigned p);
/** Equal parts of the time. */
struct weft_bins {
    double from, width;
    size_t n;
};
/** The bins that have a part of the time from @p begin to @p end, both included: *last, below the
 * one that is returned where there is none. */
size_t weft_bins_touched(const struct weft_bins *b, double begin, double end, size_t *last);
/** How much of that time lies in a bin. */
double weft_bins_part(const struct weft_bins *b, size_t bin, double begin, double end);
/** Compares names with numbers in them: "2" is before "10". */
int weft_compare_names(const char *a, const char *b);

#endif
