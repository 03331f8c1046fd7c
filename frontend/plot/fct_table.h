/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table that papers print of completion times: percentiles of the slowdown by message size, for
 * each run and workload, over the messages of all seeds.
 */
#ifndef WEFT_PLOT_FCT_TABLE_H
#define WEFT_PLOT_FCT_TABLE_H

#include "plot/runs.h"

/** Percentiles of the table: 50, 95, 99. */
enum { WEFT_FCT_PERCENTILES = 3, WEFT_FCT_BUCKETS_MAX = 16 };
extern const unsigned weft_fct_percentiles[WEFT_FCT_PERCENTILES];

/** One bucket of sizes of one workload. */
struct weft_fct_cell {
    size_t n;                           /**< messages of all seeds; 0: there are none */
    double value[WEFT_FCT_PERCENTILES]; /**< over all of them */
    double ci95[WEFT_FCT_PERCENTILES];  /**< half of the 95 % confidence interval of the seeds'
                                           percentiles; NaN for one seed */
    double least[WEFT_FCT_PERCENTILES]; /**< of the seeds' percentiles */
    double most[WEFT_FCT_PERCENTILES];  /**< likewise */
};

/** One workload of runs that differ in their seed only. */
struct weft_fct_row {
    const char *run; /**< label of the runs */
    const char *job; /**< workload; "": the run has one, without a name */
    size_t seeds;
    /** By bucket; the last is all messages. */
    struct weft_fct_cell cell[WEFT_FCT_BUCKETS_MAX + 1];
};

/** The table. */
struct weft_fct_table {
    struct weft_arena *arena;          /**< owns rows and texts */
    double edge[WEFT_FCT_BUCKETS_MAX]; /**< bytes: the largest of each bucket but the last, which
                                          has no end */
    size_t nbuckets;
    const char *bucket[WEFT_FCT_BUCKETS_MAX + 1]; /**< names: "<= 10KB", "all" */
    struct weft_fct_row *row;
    size_t nrows, rows_cap;
    bool one_baseline; /**< slow-downs are by the least ideal time of any of the runs */
};

/**
 * Makes it of runs. @p edges: nedges ascending sizes, at most WEFT_FCT_BUCKETS_MAX - 1; @p job:
 * that workload alone, NULL: each. WEFT_E_INPUT: there are no messages, or no such workload. Free
 * also after a failure.
 */
int weft_fct_table_make(const struct weft_runs *runs, const double *edges, size_t nedges,
                        const char *job, struct weft_fct_table *out, struct weft_err *err);
void weft_fct_table_free(struct weft_fct_table *t);
/** "10KB,100KB" as sizes; WEFT_E_USAGE. NULL @p text: 10KB, 100KB, 1MB. */
int weft_fct_edges(const char *text, double edges[WEFT_FCT_BUCKETS_MAX], size_t *n,
                   struct weft_err *err);

#endif
