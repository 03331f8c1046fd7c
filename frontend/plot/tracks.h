/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampled series of a run as tracks: one number of one object over time. */
#ifndef WEFT_PLOT_TRACKS_H
#define WEFT_PLOT_TRACKS_H

#include "plot/figure.h"
#include "plot/runs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Points that a curve of a track has at most. */
#define WEFT_TRACK_POINTS 1000

/** How many samples become one point. */
enum weft_track_reduce { WEFT_TRACK_MOST, WEFT_TRACK_MEAN };

/** A track. */
struct weft_track {
    const char *name;
    double *t_ns, *v;
    size_t n, cap;
    double most, sum;
};

/** Those of one table and column. */
struct weft_tracks {
    struct weft_track *list;
    size_t n, cap;
    size_t last;        /**< that of the row before */
    double interval_ns; /**< least time between samples; 0: one or none */
};

/**
 * Reads a table of `series/`: column @p value by object. @p name makes the name of a row's object;
 * its columns are @p keys, asked for in this order. Rows without a value do not count. Free also
 * after a failure. 0; 1: no such table, column, or no rows.
 */
int weft_tracks_read(const struct weft_runs *runs, const struct weft_run *run, const char *file,
                     const char *const *keys,
                     void (*name)(const struct weft_row *row, char *buf, size_t size),
                     const char *value, struct weft_tracks *out, struct weft_err *err);
void weft_tracks_free(struct weft_tracks *t);
/** Has the @p shown with the largest values come first, by name. */
void weft_tracks_rank(struct weft_tracks *t, size_t shown);
/** Adds the points of a track; where the table left out that it was idle there are zeros. */
void weft_track_draw(const struct weft_track *t, double interval_ns, struct weft_curve *c,
                     enum weft_track_reduce reduce, double x_divisor, double y_divisor);

#ifdef __cplusplus
}
#endif
#endif
