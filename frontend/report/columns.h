/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The columns of every CSV file that a run writes: one table for headers, `weft show output` and
 * the test that compares docs/outputs.md with them.
 */
#ifndef WEFT_REPORT_COLUMNS_H
#define WEFT_REPORT_COLUMNS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One column. */
struct weft_column {
    const char *name;
    const char *help;
};

/** Most columns of a file. */
#define WEFT_COLUMNS_MAX 24

/** One file. */
struct weft_csv_file {
    const char *name; /**< "flows.csv" */
    const char *help; /**< one row per what */
    const struct weft_column *columns;
    size_t n;
};

enum weft_csv_file_id {
    WEFT_CSV_FLOWS,
    WEFT_CSV_OPS,
    WEFT_CSV_LINKS,
    WEFT_CSV_PFC,
    WEFT_CSV_COLLECTIVES,
    WEFT_CSV_RANKS,
    WEFT_CSV_DIMS,
    WEFT_CSV_PATH,
    WEFT_CSV_TROUBLE,
    WEFT_CSV_TCP,
    WEFT_CSV_FILES
};
extern const struct weft_csv_file weft_csv_files[WEFT_CSV_FILES];

#ifdef __cplusplus
}
#endif
#endif
