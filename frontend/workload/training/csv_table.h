/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small CSV files with a fixed header: measured efficiencies, kernel times, layers, tables,
 * placements. Blanks around a field do not count, `#` begins a comment line, empty lines are left
 * out; there are no quotes.
 */
#ifndef WEFT_TRAINING_CSV_TABLE_H
#define WEFT_TRAINING_CSV_TABLE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/** Most columns. */
#define WEFT_CSV_TABLE_COLUMNS 8

/** A file being read, at one of its lines. */
struct weft_csv_table {
    const char *path;
    const char *const *columns; /**< their names */
    int ncolumns;
    int64_t line;
    char *field[WEFT_CSV_TABLE_COLUMNS];
    int64_t col[WEFT_CSV_TABLE_COLUMNS];
    struct weft_err *err;
};

/** Reads @p path: its header must be @p columns; @p row is called for each line behind it. */
int weft_csv_table_read(const char *path, const char *const *columns, int ncolumns,
                        int (*row)(struct weft_csv_table *t, void *ctx), void *ctx,
                        struct weft_err *err);
/** Records an error at a field of the line, as printf. Returns WEFT_E_INPUT. */
#define weft_csv_table_err(t, k, ...)                                                              \
    weft_err_at((t)->err, WEFT_E_INPUT, (t)->path, (t)->line, (t)->col[k], __VA_ARGS__)
/** Index of a field's word among @p n words; -1 with an error that names the nearest one. */
int weft_csv_table_word(struct weft_csv_table *t, int field, const char *const *words, size_t n);
/** A number from 0 to @p most. */
int weft_csv_table_number(struct weft_csv_table *t, int field, double most, double *out);

#endif
