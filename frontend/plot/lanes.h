/* SPDX-License-Identifier: GPL-2.0-only */
/* Boxes over time in rows that have names, as Gantt charts have them. */
#ifndef WEFT_PLOT_LANES_H
#define WEFT_PLOT_LANES_H

#include "plot/figure.h"
#include "plot/runs.h"

#include <stdint.h>

/** A box: from when to when, in which row, of what kind (the caller's numbers). */
struct weft_lane_box {
    double from_ns, to_ns;
    uint32_t row, kind;
};

/** Rows and their boxes, in the order in which they were added. */
struct weft_lanes {
    struct weft_arena *arena; /**< of names */
    const char **row;
    size_t nrows, cap_rows;
    struct weft_lane_box *box;
    size_t n, cap;
    size_t last; /**< the row of the box before */
};

/** The row of a rank of a job ("": the only one), new when it is its first. */
int weft_lane_of(struct weft_lanes *l, const char *job, const char *rank, uint32_t *row,
                 struct weft_err *err);
/** Adds a box, cut to what the runs are shown of; none when nothing is left of it. */
int weft_lane_add(struct weft_lanes *l, const struct weft_runs *runs, struct weft_lane_box b,
                  struct weft_err *err);
/** Numbers the rows anew, in the order of their names. Boxes stay in their order. */
int weft_lanes_by_name(struct weft_lanes *l, struct weft_err *err);
/** Sorts the boxes by row, kind, time, which weft_lanes_draw wants. */
void weft_lanes_sort(struct weft_lanes *l);
/** From the first box's begin to the last one's end; false: there is none. */
bool weft_lanes_span(const struct weft_lanes *l, double *from_ns, double *to_ns);
void weft_lanes_free(struct weft_lanes *l);

/** How boxes of a kind are drawn. */
struct weft_lane_style {
    const char *label;
    int colour;
    double top, height; /**< of a box, in rows, from the middle of its row, downwards */
};
/** Adds the boxes of @p kind of every @p every-th row to the panel; those that are narrower than
 * @p least_ns become one with their neighbours of the same kind. */
void weft_lanes_draw(const struct weft_lanes *l, struct weft_panel *p, uint32_t kind,
                     const struct weft_lane_style *style, size_t every, double least_ns,
                     double divisor);

#endif
