/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The columns of every CSV file that a run writes, as data: name, unit, meaning, and where the
 * value is found in the record of a row. Headers, rows, `weft show output` and the test that
 * compares docs/reference/outputs.md all read these tables, each in the file of its rows
 * (*_columns.c); docs/how-to/adding-a-column.md.
 */
#ifndef WEFT_REPORT_COLUMNS_H
#define WEFT_REPORT_COLUMNS_H

#include "base/columns.h"

WEFT_C_BEGIN

enum weft_csv_file_id {
    WEFT_CSV_FLOWS,
    WEFT_CSV_OPS,
    WEFT_CSV_LINKS,
    WEFT_CSV_PFC,
    WEFT_CSV_COLLECTIVES,
    WEFT_CSV_RANKS,
    WEFT_CSV_DIMS,
    WEFT_CSV_PATH,
    WEFT_CSV_FAULTS,
    WEFT_CSV_TCP,
    WEFT_CSV_JOBS,
    WEFT_CSV_CLASSES,
    WEFT_CSV_REQUESTS,
    WEFT_CSV_FILES
};
/** The first column of files whose rows are of jobs, where there are several: the job's name. */
#define WEFT_JOB_COLUMN "job"
extern const struct weft_csv_file *const weft_csv_files[WEFT_CSV_FILES];

WEFT_C_END
#endif
