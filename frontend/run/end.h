/* SPDX-License-Identifier: GPL-2.0-only */
/* How a run ended: its outcome, why, and what is said of it. */
#ifndef WEFT_CLI_RUN_END_H
#define WEFT_CLI_RUN_END_H

#include "base/json.h"
#include "base/outcome.h"
#include "command/command.h"
#include "report/report.h"
#include "run/slices.h"

#include <stdbool.h>

/** How a run ended. */
struct weft_run_end {
    struct weft_summary summary; /**< its outcome among the rest */
    char reason[WEFT_ERR_MSG_MAX +
                WEFT_ERR_FILE_MAX]; /**< why the outcome is not "finished"; "": it is */
    int code; /**< 0, WEFT_E_OUTCOME, WEFT_E_LIMIT or WEFT_E_INTERRUPTED: what the simulated outcome
                 means for the exit code */
};

/** What a run takes of the machine. */
struct weft_run_clock {
    int64_t start_ns;   /**< wall clock */
    double start_cpu_s; /**< CPU time of the process */
    double wall_s, cpu_s;
};

/** Starts now. */
struct weft_run_clock weft_run_clock_start(void);
/** Sets wall_s and cpu_s to what has passed since. */
void weft_run_clock_stop(struct weft_run_clock *c);
/** Fills in the figures on the machine of @p m, whose totals of the net are there. */
void weft_run_clock_summarize(const struct weft_run_clock *c, struct weft_summary *m);

/** Makes the outcome "interrupted", says so in the log, and returns WEFT_E_INTERRUPTED. */
int weft_run_end_interrupted(struct weft_run_end *x, const struct weft_cli *cli);
/** Makes the outcome "over-limit" of a run that took more of the machine than @p s allows, says so
 * in the log, and returns WEFT_E_LIMIT. */
int weft_run_end_over_limit(struct weft_run_end *x, const struct weft_cli *cli,
                            const struct weft_slices *s);
/** "stalled at TIME: ..." of a run that ended so (s->stalled_ps). */
void weft_run_end_stall_text(const struct weft_slices *s, char *text, size_t size);
/** Explains in the log which messages are not complete, but for what @p reason has said, and how
 * many there are; @p what names them: "messages". */
void weft_run_end_explain(const struct weft_cli *cli, struct weft_net *net, const char *reason,
                          const char *what);
/**
 * Whether what was simulated ended the run (WEFT_E_OUTCOME: a deadlock, a QP that gave up), and not
 * a failure of weft or of the machine. If so, the log has its reason, which an explanation of what
 * stands is to follow, and the code of *x is that of the outcome.
 */
bool weft_run_end_broken(struct weft_run_end *x, const struct weft_cli *cli,
                         const struct weft_err *failed);
/** A sentence of an explanation, for the log @p ctx. */
void weft_run_end_sentence(void *ctx, const char *text);
/**
 * A failure while results are written: the first one counts, and what can be written is. Moves *e,
 * unless its code is 0, to *failed unless that has one, and makes the outcome "failed" if it has.
 */
void weft_run_end_add_failure(struct weft_run_end *x, struct weft_err *failed, struct weft_err *e);

/** After a write that failed: says in the log what the folder @p dir (NULL: none) holds. */
void weft_run_end_saved(const struct weft_cli *cli, const char *dir, const struct weft_err *failed);
/** The members outcome, reason ("": null) and partial of a run.json. */
void weft_outcome_json(struct weft_json *j, enum weft_outcome outcome, const char *reason);
/** Warns when the file system of the run folder cannot keep other runs out. */
void weft_warn_unlocked(const struct weft_cli *cli, const struct weft_report *report,
                        const char *dir);
/** Peak resident memory of this process in bytes. */
uint64_t weft_peak_rss_bytes(void);
/** CPU seconds of this process. */
double weft_cpu_s(void);

/** Most sentences that explain an unfinished run, from the net and from the system. */
#define WEFT_EXPLAIN_MAX 10

#endif
