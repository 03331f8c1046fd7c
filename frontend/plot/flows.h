/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages of runs, for figures about completion times. */
#ifndef WEFT_PLOT_FLOWS_H
#define WEFT_PLOT_FLOWS_H

#include "plot/runs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A message. */
struct weft_flow_point {
    double bytes, start_ns, fct_ns, slowdown;
    uint32_t job; /**< which of the jobs of its run */
};

/** Those of a run. */
struct weft_flow_points {
    struct weft_arena *arena; /**< of the names */
    struct weft_flow_point *list;
    size_t n, cap;
    const char **job; /**< names; one, "", of a run without jobs */
    size_t njobs;
};

/** Reads flows.csv: messages that began in the time of interest. Free also after a failure. 0; 1:
 * there are none. */
int weft_flow_points_read(const struct weft_runs *runs, const struct weft_run *run,
                          struct weft_flow_points *out, struct weft_err *err);
void weft_flow_points_free(struct weft_flow_points *p);

#ifdef __cplusplus
}
#endif
#endif
