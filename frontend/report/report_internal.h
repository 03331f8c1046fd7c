/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of the recorder. Private to frontend/report. */
#ifndef WEFT_REPORT_INTERNAL_H
#define WEFT_REPORT_INTERNAL_H

#include "base/csv.h"
#include "base/int128.h"
#include "report/rows.h"
#include "report/place.h"
#include "report/quantiles.h"
#include "report/report.h"

/** Completion times and slow-downs of messages. */
struct weft_samples {
    struct weft_quantiles fct_ps;
    struct weft_quantiles slowdown;                   /**< of those with an ideal time */
    struct weft_quantiles by_size[WEFT_SIZE_CLASSES]; /**< the same, by size of the message */
    uint64_t bytes;
    weft_i128 fct_sum_ps;
};

/** What is kept of one job. */
struct weft_report_job {
    struct weft_report *report;
    uint32_t number;
    struct weft_path_summary path;
    struct weft_samples samples;
    struct weft_samples requests, transfers; /**< requests, and the network's part of them */
    uint32_t classes;            /**< bits of those in which messages of it have ended */
    uint64_t ended, ended_bytes; /**< messages, those that are in no statistics too */
};

/** Places of classes: the eight, and that of messages that ask for none. */
#define WEFT_CLASSES (WEFT_NET_PRIOS + 1)

/** One collective, over its ranks. */
struct weft_coll_span {
    enum weft_coll_kind kind;
    double bus_bytes;
    int64_t longest_ps; /**< longest time that it took a rank; some only hand over what they send */
};

struct weft_report {
    char *dir;                /**< NULL: no folder */
    struct weft_place *place; /**< the folder, locked; NULL: none */
    const struct weft_fabric *fabric;
    const struct weft_job_plan *plans; /**< NULL: none */
    uint32_t njobs;                    /**< of them */
    struct weft_report_job *jobs;      /**< at least one */
    struct weft_job_summary *summaries;
    struct weft_samples classes[WEFT_CLASSES]; /**< where there is more than one job, or flows */
    const struct weft_output_params *output;   /**< as in struct weft_report_config */
    struct weft_csv *csv[WEFT_CSV_FILES];      /**< NULL: the table is not written */
    struct weft_samples samples;
    int64_t from_ps, to_ps;            /**< as in struct weft_report_config */
    const char *transport;             /**< as there */
    uint32_t tcp_classes, uet_classes; /**< as there */
    int64_t last_ps;                   /**< latest moment reported so far */
    struct weft_coll_summary coll[WEFT_COLL_KINDS];
    weft_i128 exposed_for_ps[WEFT_PARALLELISMS]; /**< of training jobs, by what the communication
                                                    is for, sum over ranks */
    uint64_t faults, fault_losses;
    bool queues;                  /**< the net counts times of queues */
    struct weft_coll_span *spans; /**< by number of the collective */
    size_t nspans;
    uint64_t dim_bytes[WEFT_DIMS_MAX]; /**< sent in phases of collectives */
    struct weft_err err;               /**< first failure inside a callback */
};

/** Fills in the dimensions of @p s, which has the ranks and the time elapsed. @p jobs may be NULL:
 * none. */
void weft_report_sum_dims(const struct weft_report *r, struct weft_net *net,
                          const struct weft_jobs *jobs, struct weft_summary *s);

/** Adds a message. WEFT_E_LIMIT: out of memory. */
int weft_samples_add(struct weft_samples *s, const struct weft_completion *w, struct weft_err *err);
/** Copies those of @p from into *to, which has none. WEFT_E_LIMIT: out of memory. */
int weft_samples_copy(struct weft_samples *to, const struct weft_samples *from,
                      struct weft_err *err);
/** Sums up, sorting what there is. */
void weft_samples_sum(struct weft_samples *s, struct weft_flow_summary *out);
void weft_samples_free(struct weft_samples *s);
/** Whether jobs and classes are told apart: several jobs, or one of flows. */
bool weft_report_has_jobs(const struct weft_report *r);
/** Notes a finished message of a job. */
void weft_report_sample_job(struct weft_report *r, const struct weft_completion *w);
/** Fills in jobs and classes of @p s. */
void weft_report_sum_jobs(struct weft_report *r, const struct weft_jobs *jobs,
                          struct weft_summary *s);
/** Writes a row of job number @p job (of files that tell jobs apart), if its file is open. */
void weft_report_row(struct weft_report *r, enum weft_csv_file_id id, uint32_t job,
                     const void *record, struct weft_err *err);

/** Opens one CSV file of the folder with its header. */
int weft_report_open_csv(struct weft_report *r, enum weft_csv_file_id id, struct weft_err *err);

#endif
