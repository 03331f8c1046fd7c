/* SPDX-License-Identifier: GPL-2.0-only */
/* The CSV files of a run. */
#include "report/columns.h"

#include "report/rows.h"

const struct weft_csv_file *const weft_csv_files[WEFT_CSV_FILES] = {
    [WEFT_CSV_FLOWS] = &weft_flows_csv,
    [WEFT_CSV_OPS] = &weft_ops_csv,
    [WEFT_CSV_LINKS] = &weft_links_csv,
    [WEFT_CSV_PFC] = &weft_pfc_csv,
    [WEFT_CSV_COLLECTIVES] = &weft_collectives_csv,
    [WEFT_CSV_RANKS] = &weft_ranks_csv,
    [WEFT_CSV_DIMS] = &weft_dims_csv,
    [WEFT_CSV_PATH] = &weft_path_csv,
    [WEFT_CSV_FAULTS] = &weft_faults_csv,
    [WEFT_CSV_TCP] = &weft_tcp_csv,
    [WEFT_CSV_JOBS] = &weft_jobs_csv,
    [WEFT_CSV_CLASSES] = &weft_classes_csv,
    [WEFT_CSV_REQUESTS] = &weft_requests_csv,
};
