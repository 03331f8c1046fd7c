/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages of runs, for figures about completion times. */
#ifndef WEFT_PLOT_FLOWS_H
#define WEFT_PLOT_FLOWS_H

#include "plot/runs.h"

/** A message. */
struct weft_flow_point {
    double bytes, start_ns, fct_ns, slowdown;
    double ideal_ns; /**< the least that fct_ns can be; 0: not known */
    uint32_t job;    /**< which of the jobs of its run */
    uint32_t src, dst;
};

/** Those of a run. */
struct weft_flow_points {
    struct weft_arena *arena; /**< of the names */
    struct weft_flow_point *list;
    size_t n, cap;
    const char **job; /**< names; one, "", of a run without jobs */
    size_t njobs, jobs_cap;
};

/** Reads flows.csv: messages that began in the time of interest. Free also after a failure. 0; 1:
 * there are none. */
int weft_flow_points_read(const struct weft_runs *runs, const struct weft_run *run,
                          struct weft_flow_points *out, struct weft_err *err);
/** What messages of the same hosts and size take alone, over several runs: the least of any. Bytes
 * that a congestion control adds to packets then count as its cost. */
struct weft_flow_baseline {
    struct weft_flow_alone {
        uint64_t bytes;
        uint32_t src, dst;
        double ns; /**< 0: free */
    } * list;      /**< by hash */
    size_t n, cap;
};
/** Adds the messages of a run. WEFT_E_LIMIT: no memory. */
int weft_flow_baseline_add(struct weft_flow_baseline *b, const struct weft_flow_points *p,
                           struct weft_err *err);
/** Sets the slow-downs of messages that were added. */
void weft_flow_baseline_apply(const struct weft_flow_baseline *b, struct weft_flow_points *p);
void weft_flow_baseline_free(struct weft_flow_baseline *b);
void weft_flow_points_free(struct weft_flow_points *p);

#endif
