/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recorder of a run: listens to net and system, writes the run folder, and sums up.
 *
 * Run folder: flows.csv, ops.csv, collectives.csv, critical_path.csv, pfc.csv and (only if anything
 * goes wrong) faults.csv grow as things happen, ranks.csv, dimensions.csv and links.csv are
 * written at the end, run.json at the start and again at the end, and `finished` last of all: a
 * folder without it was interrupted, or the run failed. The CSV files depend on the scenario alone,
 * never on the wall clock or the host; run.json also describes both.
 */
#ifndef WEFT_REPORT_REPORT_H
#define WEFT_REPORT_REPORT_H

#include "jobs/jobs.h"
#include "base/outcome.h"
#include "report/summary.h"
#include "fault/fault.h"
#include "scenario/output.h"

#include <stdbool.h>

WEFT_C_BEGIN

struct weft_report;

/** What a recorder needs. Everything pointed to must outlive it. */
struct weft_report_config {
    const char *dir; /**< run folder; NULL: write nothing */
    const struct weft_fabric *fabric;
    const struct weft_job_plan
        *jobs; /**< whose operations and flows will be reported; NULL: of none in particular */
    uint32_t njobs;
    int64_t from_ps, to_ps; /**< messages posted from .. before are in statistics; to_ps 0: all */
    const char *transport;  /**< of the run, "roce" or "uet"; NULL: the backend does not tell
                               transports apart */
    /** with transport: the classes of TCP, and of UET beside RoCE; bit 8: messages that ask for
     * none
     */
    uint32_t tcp_classes, uet_classes;
    bool faults;                             /**< whether faults of links will be reported */
    const struct weft_output_params *output; /**< of the tables; NULL: all, none compressed */
};

/** Opens the folder and its files; NULL on failure, also when another run is writing there. An
 * earlier run's files are removed (report/place.h). */
struct weft_report *weft_report_new(const struct weft_report_config *c, struct weft_err *err);
/** Closes all files. */
void weft_report_free(struct weft_report *r);
/** Whether no other run can write into the folder; 0: its file system has no locks. */
int weft_report_locked(const struct weft_report *r);
/** The listener to give to the net. */
struct weft_net_observer weft_report_net_observer(struct weft_report *r);
/** The listener to give to what plays job @p job. */
struct weft_system_observer weft_report_system_observer(struct weft_report *r, uint32_t job);
/** Reports a request of job @p job that is over; @p report is a struct weft_report. */
void weft_report_request(void *report, uint32_t job, const struct weft_request *w);
/** Reports a fault of a link that is over. */
void weft_report_fault(struct weft_report *r, const struct weft_fault_record *w);
/** Hands all rows to the operating system; also reports the first write error. */
int weft_report_flush(struct weft_report *r, struct weft_err *err);

/** Has @p net, which has not run, count how long queues of switches are how long, for the metric
 * mean-queue-bytes. Backends without queues count none. WEFT_E_LIMIT. */
int weft_report_note_queues(struct weft_report *r, struct weft_net *net, struct weft_err *err);

/**
 * Sums up @p net and @p jobs (NULL: none) into *out, which lives as long as @p r; the caller fills
 * in scenario, outcome and the host-dependent numbers. @p reached_ps: the simulated time that an
 * unfinished run came to; 0: it has finished.
 */
void weft_report_summarize(struct weft_report *r, struct weft_net *net,
                           const struct weft_jobs *jobs, int64_t reached_ps,
                           struct weft_summary *out);
/** Writes ranks.csv; before weft_report_write_links. */
int weft_report_write_ranks(struct weft_report *r, const struct weft_jobs *jobs,
                            struct weft_err *err);
/** Writes jobs.csv and classes.csv, unless all there is is one job of graphs. */
int weft_report_write_jobs(struct weft_report *r, const struct weft_summary *s,
                           struct weft_err *err);
/** Writes tcp_connections.csv if @p net has connections; before weft_report_write_links. */
int weft_report_write_connections(struct weft_report *r, struct weft_net *net,
                                  struct weft_err *err);
/** Writes dimensions.csv; before weft_report_write_links. */
int weft_report_write_dims(struct weft_report *r, const struct weft_summary *s,
                           struct weft_err *err);
/** Writes links.csv with utilisation over @p elapsed_ps and closes all CSV files. */
int weft_report_write_links(struct weft_report *r, struct weft_net *net, int64_t elapsed_ps,
                            struct weft_err *err);
/** Adds what a run.json says to its open top-level object. */
typedef void (*weft_run_json_fn)(struct weft_json *j, const void *ctx);
/** The text of a run.json that is to become @p path; the caller frees it. NULL: WEFT_E_LIMIT. */
char *weft_run_json(const char *path, weft_run_json_fn fill, const void *ctx, size_t *size,
                    struct weft_err *err);
/** Replaces the file @p path by it. */
int weft_run_json_write(const char *path, weft_run_json_fn fill, const void *ctx,
                        struct weft_err *err);
/** Replaces the folder's run.json. No folder: does nothing. */
int weft_report_write_run(struct weft_report *r, weft_run_json_fn fill, const void *ctx,
                          struct weft_err *err);
/** Writes `finished` into the folder @p dir, with the outcome as its one line. */
int weft_mark_finished(const char *dir, enum weft_outcome outcome, struct weft_err *err);
/** Writes `finished`. No folder: does nothing. */
int weft_report_mark_finished(struct weft_report *r, enum weft_outcome outcome,
                              struct weft_err *err);

/** Says which of a run's tables are in the folder @p dir, with their sizes: "flows.csv (1.2 MB),
 * run.json (4 KB)". "": none. Returns @p buf. */
const char *weft_report_saved(const char *dir, char *buf, size_t size);

/** Version of the layout of run.json and of --json output; grows when a reader would have to
 * change. */
#define WEFT_JSON_SCHEMA_VERSION 1

/** The word of the column `kind` in ops.csv. */
const char *weft_op_kind_word(const struct weft_op *op);

WEFT_C_END
#endif
