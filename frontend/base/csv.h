/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CSV tables, written row by row as things happen.
 *
 * Quoting follows RFC 4180: a field with a comma, a quote or a line break is quoted, and its quotes
 * are doubled. Rows end in a single LF, which every reader takes. The first row holds the column
 * names, which carry their units ("start_ns"). A missing value is an empty field.
 *
 * Field writers do not return anything: the first failure is kept, and weft_csv_row, weft_csv_flush
 * and weft_csv_close report it. The number of fields is checked against the header.
 */
#ifndef WEFT_BASE_CSV_H
#define WEFT_BASE_CSV_H

#include "base/err.h"
#include "base/rows.h"

WEFT_C_BEGIN

struct weft_csv;

/** Creates the file @p path and writes the header row. NULL with @p err filled when that fails.
 * Rows reach the file whole (base/rows.h). */
struct weft_csv *weft_csv_open(const char *path, const char *const *columns, size_t n_columns,
                               struct weft_err *err);

/**
 * Flushes to the operating system after every @p rows rows. 1, the default, lets a reader follow
 * the file and loses nothing when the process dies; 0 flushes only on weft_csv_flush and close.
 */
void weft_csv_flush_every(struct weft_csv *csv, uint64_t rows);

/** The next field of the current row. */
void weft_csv_u64(struct weft_csv *csv, uint64_t v);
void weft_csv_i64(struct weft_csv *csv, int64_t v);
/** Picoseconds as nanoseconds with exactly 3 decimals. */
void weft_csv_ps_as_ns(struct weft_csv *csv, int64_t ps);
/** A real number with exactly @p decimals decimals (0 to 17); never "-0"; empty when not finite. */
void weft_csv_f64(struct weft_csv *csv, double v, int decimals);
/** Text, quoted when it must be; NULL is an empty field. */
void weft_csv_str(struct weft_csv *csv, const char *s);
/** A missing value. */
void weft_csv_empty(struct weft_csv *csv);

/** Ends the row. WEFT_E_INTERNAL when it has another number of fields than the header; WEFT_E_IO.
 */
int weft_csv_row(struct weft_csv *csv, struct weft_err *err);
/** weft_rows_pack_above() of the table's file. */
void weft_csv_pack_above(struct weft_csv *csv, const struct weft_rows_packer *packer,
                         uint64_t bytes);
/** Hands everything written so far to the operating system. */
int weft_csv_flush(struct weft_csv *csv, struct weft_err *err);
/** Rows written so far, without the header. */
uint64_t weft_csv_rows(const struct weft_csv *csv);
/** Flushes, closes and frees. The last chance to learn of a failed write. NULL is allowed. */
int weft_csv_close(struct weft_csv *csv, struct weft_err *err);

WEFT_C_END
#endif
