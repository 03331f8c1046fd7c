/* SPDX-License-Identifier: GPL-2.0-only */
/* One run, from a resolved scenario to a summary and a run folder. */
#ifndef WEFT_CLI_EXECUTE_H
#define WEFT_CLI_EXECUTE_H

#include "cli/cli.h"
#include "net/watch.h"
#include "report/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How to run. */
struct weft_execute_opts {
    const char *out_dir; /**< NULL: write no files */
    FILE *progress;      /**< NULL: none */
    int progress_is_tty;
};

/** What a run left behind. */
struct weft_execution {
    const struct weft_scenario *scenario;
    struct weft_scenario_parts parts;
    struct weft_report *report;
    struct weft_summary summary;
    int64_t started_unix_s; /**< wall clock */
    int summed_up;          /**< the summary is there; also of a run that failed on the way */
    char reason[WEFT_ERR_MSG_MAX +
                WEFT_ERR_FILE_MAX]; /**< why the outcome is not "finished"; "": it is */
    int code; /**< 0, WEFT_E_OUTCOME or WEFT_E_INTERRUPTED: what the simulated outcome means for the exit code */
};

/**
 * Runs @p s. Returns 0 when it ran, whatever the outcome (x->code), or the error that made it impossible or ended
 * it; what there was of results until then is in the summary (x->summed_up) and in the folder all the same. Free with
 * weft_execution_free in any case. Explanations of an unfinished run go to the log. Signals are deferred
 * (cli/interrupt.h) while there are results to save, and once it has returned: the caller sets what comes next.
 */
int weft_execute(const struct weft_cli *cli, struct weft_scenario *s,
                 const struct weft_execute_opts *o, struct weft_execution *x, struct weft_err *err);
void weft_execution_free(struct weft_execution *x);
/**
 * Makes the net of @p config and the system of a scenario that was built, ready to start: the last that can be
 * wrong before a run. @p observer may be NULL. The caller frees *system and then *net, also on failure.
 */
int weft_execute_prepare(const struct weft_scenario *s, const struct weft_scenario_parts *parts,
                         const struct weft_net_config *config,
                         const struct weft_system_observer *observer, struct weft_net **net,
                         struct weft_system **system, struct weft_err *err);
/** The members outcome, reason ("": null) and partial of a run.json. */
void weft_outcome_json(struct weft_json *j, const char *outcome, const char *reason);
/** Warns when the file system of the run folder cannot keep other runs out. */
void weft_warn_unlocked(const struct weft_cli *cli, const struct weft_report *report,
                        const char *dir);
/** Warns when a look at @p watch has found more messages than before that do not get on while others do. */
void weft_warn_left_behind(const struct weft_cli *cli, struct weft_watch *watch);
/** Peak resident memory of this process in bytes. */
uint64_t weft_peak_rss_bytes(void);
/** CPU seconds of this process. */
double weft_cpu_s(void);

#ifdef __cplusplus
}
#endif
/** What is said of a run in which messages no longer get on (net/watch.h); takes the formatted run.stall-after. */
#define WEFT_STUCK_TEXT                                                                            \
    "packets go round, but no message has got any further for %s (run.stall-after)"

#endif
