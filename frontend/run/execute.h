/* SPDX-License-Identifier: GPL-2.0-only */
/* One run, from a resolved scenario to a summary and a run folder. */
#ifndef WEFT_CLI_EXECUTE_H
#define WEFT_CLI_EXECUTE_H

#include "command/command.h"
#include "run/end.h"
#include "run/memo.h"

#include <stdbool.h>

/** Files that a run writes beside weft's own. */
struct weft_run_files {
    void *ctx;
    const char *const *names; /**< in the run folder */
    size_t n;
    /** Opens them in @p dir; *told is the observer of the network, to be replaced by one that tells
     * it everything. NULL: they are written once the run is over, by whoever asked for it. */
    int (*open)(void *ctx, const char *dir, const struct weft_fabric *fabric,
                struct weft_net_observer *observer, struct weft_err *err);
    int (*flush)(void *ctx, struct weft_err *err);
    int (*close)(void *ctx, struct weft_err *err); /**< the network may still tell it something */
};

/** How to run. */
struct weft_execute_opts {
    const char *out_dir; /**< NULL: write no files */
    FILE *progress;      /**< NULL: none */
    bool progress_is_tty;
    unsigned needs; /**< bits of weft_metric_needs; WEFT_METRIC_NEEDS_ALONE: run each workload
                       alone, too, and say by how much sharing slows it down */
    bool samples_optional; /**< without a folder nothing is sampled; else sample.what is refused */
    struct weft_run_limits limits; /**< of the machine: the run ends in order when it takes more */
    const struct weft_metric_choice *metrics; /**< that run.json is to tell */
    size_t nmetrics;
    void (*ended)(void *ctx, const struct weft_jobs *jobs); /**< told of the jobs when all is
                                                                 written; NULL: nobody asks */
    void *ended_ctx;
    void (*op)(void *ctx, const struct weft_op_record *record); /**< told of each operation of the
                                                                     first job that ends */
    void *op_ctx;
    void (*again)(void *ctx); /**< the run begins again: what op was told so far does not count;
                                 NULL: nobody asks */
    const struct weft_run_files *files; /**< NULL: none */
    bool memo_stays; /**< what the run learns of messages is not written to run.replay-memo */
};

/** What a run left behind. */
struct weft_execution {
    const struct weft_scenario *scenario;
    struct weft_scenario_parts parts;
    struct weft_report *report;
    struct weft_memo memo;
    struct weft_system_observer *observers; /**< per job */
    int64_t started_unix_s;                 /**< wall clock */
    int64_t started_ns;                     /**< the same, of the monotonic clock */
    int summed_up; /**< the summary is there; also of a run that failed on the way */
    struct weft_run_end end;
    const struct weft_metric_choice *metrics; /**< those asked for */
    size_t nmetrics;
    const struct weft_run_files *files; /**< in the folder; NULL: none */
};

/**
 * Runs @p s. Returns 0 when it ran, whatever the outcome (x->end.code), or the error that made it
 * impossible or ended it; what there was of results until then is in the summary (x->summed_up) and
 * in the folder all the same. Free with weft_execution_free in any case. Explanations of an
 * unfinished run go to the log. Signals are deferred (run/interrupt.h) while there are results to
 * save, and once it has returned: the caller sets what comes next.
 */
int weft_execute(const struct weft_cli *cli, struct weft_scenario *s,
                 const struct weft_execute_opts *o, struct weft_execution *x, struct weft_err *err);
void weft_execution_free(struct weft_execution *x);
/**
 * Makes the net of @p config and the jobs of a scenario that was built, ready to start: the last
 * that can be wrong before a run. @p observers, per job, and @p report, which is told of requests,
 * may be NULL. The caller frees *jobs and then *net, also on failure.
 */
int weft_execute_prepare(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                         const struct weft_net_config *config,
                         const struct weft_system_observer *observers, struct weft_report *report,
                         struct weft_net **net, struct weft_jobs **jobs, struct weft_err *err);

#endif
