/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of the recorder. Private to frontend/report. */
#ifndef WEFT_REPORT_INTERNAL_H
#define WEFT_REPORT_INTERNAL_H

#include "base/csv.h"
#include "report/rows.h"
#include "report/place.h"
#include "report/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Growing arrays of what percentiles are taken of. */
struct weft_samples {
    int64_t *fct_ps;
    double *slowdown;
    size_t n, cap;     /**< messages */
    size_t n_slowdown; /**< those with an ideal time */
};

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
    const struct weft_workload *workload;
    struct weft_csv *csv[WEFT_CSV_FILES];
    struct weft_samples samples;
    uint64_t message_bytes;
    int64_t last_ps; /**< latest moment reported so far */
    struct weft_coll_summary coll[WEFT_COLL_KINDS];
    uint64_t faults, fault_losses;
    struct weft_path_summary path;
    struct weft_coll_span *spans; /**< by number of the collective */
    size_t nspans;
    uint64_t dim_bytes[WEFT_DIMS_MAX]; /**< sent in phases of collectives */
    struct weft_err err;               /**< first failure inside a callback */
};

/** Fills in the dimensions of @p s, which has the ranks. @p system may be NULL: none. */
void weft_report_sum_dims(const struct weft_report *r, const struct weft_net *net,
                          const struct weft_system *system, struct weft_summary *s);

/** Opens one CSV file of the folder with its header. */
int weft_report_open_csv(struct weft_report *r, enum weft_csv_file_id id, struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
