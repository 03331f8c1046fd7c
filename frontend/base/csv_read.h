/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads CSV tables row by row, as base/csv.h writes them: RFC 4180, the first row holds the names
 * of the columns.
 */
#ifndef WEFT_BASE_CSV_READ_H
#define WEFT_BASE_CSV_READ_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

WEFT_C_BEGIN

/** Most columns of a table. */
#define WEFT_CSV_READ_COLUMNS 64
/** Most bytes of a row. */
#define WEFT_CSV_READ_ROW_BYTES ((size_t)16 << 20)

/** A table that is being read, at one of its rows. */
struct weft_csv_reader {
    FILE *f;
    const char *path; /**< as given to open, which it must outlive */
    char *chunk;      /**< what was read ahead: from chunk + at to chunk + end */
    size_t at, end;
    char *row, *header;
    size_t row_cap, header_cap;
    char *name[WEFT_CSV_READ_COLUMNS];
    char *field[WEFT_CSV_READ_COLUMNS]; /**< of the current row; valid until the next */
    size_t ncolumns;
    bool ended; /**< before its first line end: it has no row at all */
    int64_t line;
};

/** Opens a table and reads its header. WEFT_E_INPUT: absent, or no table. */
int weft_csv_reader_open(struct weft_csv_reader *r, const char *path, struct weft_err *err);
/** The same of a stream @p f that is open and is closed with the reader; @p path: its name. */
int weft_csv_reader_begin(struct weft_csv_reader *r, FILE *f, const char *path,
                          struct weft_err *err);
/** Also of one that could not be opened. */
void weft_csv_reader_close(struct weft_csv_reader *r);
/** The next row: 1, or 0 at the end; a last row without its line end was cut when its writer was
 * killed, and does not count. WEFT_E_INPUT: it has another number of fields than the header,
 * or a quote is not closed. WEFT_E_LIMIT: it is too long, or the stream says EFBIG: it unpacks to
 * too much. */
int weft_csv_reader_next(struct weft_csv_reader *r, struct weft_err *err);
/** The place of the column called @p name, or by one of its names, "from|src": the first that there
 * is. -1: there is none. */
int weft_csv_reader_column(const struct weft_csv_reader *r, const char *name);
/** The same, where the table must have it: else WEFT_E_INPUT. */
int weft_csv_reader_need(const struct weft_csv_reader *r, const char *name, int *out,
                         struct weft_err *err);
/** The whole number in a column. WEFT_E_INPUT: there is none. */
int weft_csv_reader_u64(const struct weft_csv_reader *r, int column, uint64_t *out,
                        struct weft_err *err);
/** Nanoseconds with up to three decimals as picoseconds; an empty field is 0. WEFT_E_INPUT: it is
 * no such number. */
int weft_csv_reader_ps(const struct weft_csv_reader *r, int column, int64_t *out,
                       struct weft_err *err);

WEFT_C_END
#endif
