/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of columns: the columns of a CSV file as data, with name, unit, meaning, and where the
 * value is found in the record of a row.
 */
#ifndef WEFT_BASE_COLUMNS_H
#define WEFT_BASE_COLUMNS_H

#include "base/csv.h"

#include <stdbool.h>
#include <stddef.h>

WEFT_C_BEGIN

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
    WEFT_CELL_HEX, /**< U64 as "0x" and 16 digits: no program takes it for a rounded number */
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
    bool of_jobs; /**< where there are several jobs, a column before these names the job */
};

/** Creates the file @p path with the header of @p f. It is flushed when asked to be. */
struct weft_csv *weft_columns_open(const struct weft_csv_file *f, const char *path,
                                   struct weft_err *err);
/** Writes the fields of @p row, the record that the columns of @p f are of. */
void weft_columns_fields(const struct weft_csv_file *f, struct weft_csv *csv, const void *row);
/** The same, and ends the row. @p csv NULL: the table is not written. */
int weft_columns_row(const struct weft_csv_file *f, struct weft_csv *csv, const void *row,
                     struct weft_err *err);

/*
 * Columns of a record type T. Plain ones are named after their field; those that are worked out
 * have a function.
 */
#define WEFT_FIELD(T, field, size)                                                                 \
    (offsetof(T, field) + 0 * sizeof(char[sizeof(((T *)0)->field) == (size) ? 1 : -1]))
#define WEFT_COLUMN_U32(T, name, field, help)                                                      \
    {                                                                                              \
        name, WEFT_UNIT_NUMBER, help, WEFT_CELL_U32, WEFT_FIELD(T, field, 4), NULL, 0              \
    }
#define WEFT_COLUMN_U64(T, name, field, help)                                                      \
    {                                                                                              \
        name, WEFT_UNIT_NUMBER, help, WEFT_CELL_U64, WEFT_FIELD(T, field, 8), NULL, 0              \
    }
#define WEFT_COLUMN_HEX(T, name, field, help)                                                      \
    {                                                                                              \
        name, WEFT_UNIT_TEXT, help, WEFT_CELL_HEX, WEFT_FIELD(T, field, 8), NULL, 0                \
    }
#define WEFT_COLUMN_BYTES(T, name, field, help)                                                    \
    {                                                                                              \
        name, WEFT_UNIT_BYTES, help, WEFT_CELL_U64, WEFT_FIELD(T, field, 8), NULL, 0               \
    }
#define WEFT_COLUMN_BPS(T, name, field, help)                                                      \
    {                                                                                              \
        name, WEFT_UNIT_BPS, help, WEFT_CELL_U64, WEFT_FIELD(T, field, 8), NULL, 0                 \
    }
#define WEFT_COLUMN_NS(T, name, field, help)                                                       \
    {                                                                                              \
        name, WEFT_UNIT_NS, help, WEFT_CELL_PS, WEFT_FIELD(T, field, 8), NULL, 0                   \
    }
#define WEFT_COLUMN_PCT(T, name, field, help)                                                      \
    {                                                                                              \
        name, WEFT_UNIT_PCT, help, WEFT_CELL_F64, WEFT_FIELD(T, field, 8), NULL, 4                 \
    }
#define WEFT_COLUMN_NAME(T, name, field, help)                                                     \
    {                                                                                              \
        name, WEFT_UNIT_TEXT, help, WEFT_CELL_TEXT, offsetof(T, field), NULL, 0                    \
    }
#define WEFT_COLUMN_GET(name, unit, type, get, decimals, help)                                     \
    {                                                                                              \
        name, WEFT_UNIT_##unit, help, WEFT_CELL_##type, 0, get, decimals                           \
    }

/** Defines the function @p name of a column: its value is @p value, an expression of the row @p r,
 * a `const T *`, and goes to the @p member of a cell. */
#define WEFT_COLUMN_VALUE(T, name, member, value) WEFT_COLUMN_VALUE_IF(T, name, member, value, true)
/** The same; without @p there, an expression of @p r and the cell @p out, the row has no value. */
#define WEFT_COLUMN_VALUE_IF(T, name, member, value, there)                                        \
    static bool name(const void *row, union weft_cell *out)                                        \
    {                                                                                              \
        const T *r = (const T *)row;                                                               \
        out->member = (value);                                                                     \
        return there;                                                                              \
    }

/** A file of the table @p columns. */
#define WEFT_CSV_FILE(name, help, columns)                                                         \
    {                                                                                              \
        name, help, columns, sizeof(columns) / sizeof((columns)[0]), false                         \
    }
/** The same of one whose rows are a job's each. */
#define WEFT_JOBS_CSV_FILE(name, help, columns)                                                    \
    {                                                                                              \
        name, help, columns, sizeof(columns) / sizeof((columns)[0]), true                          \
    }

WEFT_C_END
#endif
