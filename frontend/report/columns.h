/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The columns of every CSV file that a run writes, as data: name, unit, meaning, and where the
 * value is found in the record of a row. Headers, rows, `weft show output` and the test that
 * compares docs/outputs.md all read these tables, each in the file of its rows (*_columns.c);
 * docs/adding-a-column.md.
 */
#ifndef WEFT_REPORT_COLUMNS_H
#define WEFT_REPORT_COLUMNS_H

#include "base/csv.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a column counts in; the end of its name says so, but for NUMBER and TEXT. */
enum weft_column_unit {
    WEFT_UNIT_NUMBER, /**< counts, numbers of things, ratios */
    WEFT_UNIT_NS,     /**< simulated nanoseconds with three decimals: whole picoseconds */
    WEFT_UNIT_BYTES,
    WEFT_UNIT_BPS,
    WEFT_UNIT_PCT, /**< percent */
    WEFT_UNIT_TEXT,
    WEFT_COLUMN_UNITS
};
/** "ns", "bytes", ...; "" of numbers and text. */
const char *weft_column_unit_name(enum weft_column_unit unit);

/** How a value is kept. */
enum weft_cell_type {
    WEFT_CELL_U32,
    WEFT_CELL_U64,
    WEFT_CELL_PS,  /**< int64_t picoseconds, of WEFT_UNIT_NS */
    WEFT_CELL_F64, /**< double; not finite: no value */
    WEFT_CELL_TEXT /**< char[]: the field itself, not a pointer to it */
};

/** A value, the member of its column's type. */
union weft_cell {
    uint64_t u;
    int64_t ps;
    double f;
    const char *text; /**< valid until the next row; NULL: no value */
};

/** One column. */
struct weft_column {
    const char *name;
    enum weft_column_unit unit;
    const char *help;
    enum weft_cell_type type;
    size_t offset; /**< of the value in the record of a row, without get */
    /** Optional. Finds the value of a record; false: the row has none. */
    bool (*get)(const void *row, union weft_cell *out);
    int decimals; /**< of F64 */
};

/** Most columns of a file. */
#define WEFT_COLUMNS_MAX 40

/** One file. */
struct weft_csv_file {
    const char *name; /**< "flows.csv" */
    const char *help; /**< one row per what */
    const struct weft_column *columns;
    size_t n;
    bool of_jobs; /**< where there are several jobs, its first column is WEFT_JOB_COLUMN: the job's
                     name */
};
#define WEFT_JOB_COLUMN "job"

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
extern const struct weft_csv_file *const weft_csv_files[WEFT_CSV_FILES];

/** Writes the fields of @p row, the record that the columns of @p f are of, and ends the row. */
int weft_columns_row(const struct weft_csv_file *f, struct weft_csv *csv, const void *row,
                     struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
