/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CSV tables on a file of rows.
 */
#include "base/csv.h"

#include "base/decimal.h"
#include "base/rows.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER_MAX = 32, /* bytes of a number, with its sign and the comma before it */
    TIME_BITS = 4
};

/* A time as text, without its sign. */
struct time_text {
    int64_t ps;
    size_t size;               /* 0: none yet */
    char text[2 * NUMBER_MAX]; /* ends in the middle */
};

struct weft_csv {
    struct weft_rows *out;
    char row[1024]; /* of the current row, what out has not got yet */
    size_t used;    /* bytes of it */
    size_t n_columns;
    size_t field;                           /* fields of the current row so far */
    uint64_t rows;                          /* rows ended */
    uint64_t flush_every;                   /* rows, 0: never on its own */
    int miscounted;                         /* a row had another number of fields than the header */
    struct time_text time[1u << TIME_BITS]; /* written last, by a hash: many rows have the same */
    char name[WEFT_ERR_FILE_MAX];
};

static void hand_over(struct weft_csv *csv)
{
    weft_rows_put(csv->out, csv->row, csv->used);
    csv->used = 0;
}

static void put(struct weft_csv *csv, const char *s, size_t n)
{
    if (n > sizeof csv->row - csv->used)
        hand_over(csv);
    if (n > sizeof csv->row) {
        weft_rows_put(csv->out, s, n);
        return;
    }
    memcpy(csv->row + csv->used, s, n);
    csv->used += n;
}

static void separate(struct weft_csv *csv)
{
    if (csv->field++ > 0)
        put(csv, ",", 1);
}

/* Puts a short text that needs no quotes, as most do, in one piece; false: it is another. */
static bool put_short(struct weft_csv *csv, const char *s)
{
    char text[32];
    size_t n = 0;
    if (csv->field > 0)
        text[n++] = ',';
    for (; s && *s; s++) {
        if (n == sizeof text || *s == ',' || *s == '"' || *s == '\r' || *s == '\n')
            return false;
        text[n++] = *s;
    }
    csv->field++;
    put(csv, text, n);
    return true;
}

void weft_csv_str(struct weft_csv *csv, const char *s)
{
    if (put_short(csv, s))
        return;
    separate(csv);
    if (!s)
        return;
    if (s[strcspn(s, ",\"\r\n")] == '\0') {
        put(csv, s, strlen(s));
        return;
    }
    put(csv, "\"", 1);
    while (*s) {
        const size_t n = strcspn(s, "\"");
        put(csv, s, n);
        s += n;
        if (*s == '"') {
            put(csv, "\"\"", 2);
            s++;
        }
    }
    put(csv, "\"", 1);
}

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* Puts what lies from @p at to @p end, with its sign. @p at has room for two more, and NUMBER_MAX
 * bytes from there can be read: to copy as many is faster than to copy some. */
static void put_number(struct weft_csv *csv, char *at, const char *end, bool negative)
{
    if (negative)
        *--at = '-';
    if (csv->field++ > 0)
        *--at = ',';
    if (sizeof csv->row - csv->used < NUMBER_MAX)
        hand_over(csv);
    memcpy(csv->row + csv->used, at, NUMBER_MAX);
    csv->used += (size_t)(end - at);
}

void weft_csv_u64(struct weft_csv *csv, uint64_t v)
{
    char text[2 * NUMBER_MAX] = {0}, *end = text + NUMBER_MAX;
    put_number(csv, weft_decimal_digits(end, v, 1), end, false);
}

void weft_csv_i64(struct weft_csv *csv, int64_t v)
{
    char text[2 * NUMBER_MAX] = {0}, *end = text + NUMBER_MAX;
    put_number(csv, weft_decimal_digits(end, magnitude(v), 1), end, v < 0);
}

void weft_csv_ps_as_ns(struct weft_csv *csv, int64_t ps)
{
    struct time_text *t =
        &csv->time[(uint64_t)ps * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TIME_BITS)];
    char *end = t->text + NUMBER_MAX;
    if (t->size == 0 || ps != t->ps) {
        const uint64_t v = magnitude(ps);
        char *at = weft_decimal_digits(end, v % WEFT_PS_PER_NS, 3);
        *--at = '.';
        t->size = (size_t)(end - weft_decimal_digits(at, v / WEFT_PS_PER_NS, 1));
        t->ps = ps;
    }
    put_number(csv, end - t->size, end, ps < 0);
}

static bool put_decimal(struct weft_csv *csv, double v, int decimals)
{
    char text[2 * NUMBER_MAX] = {0}, *end = text + NUMBER_MAX;
    uint64_t number;
    if (!weft_decimal_scaled(v, decimals, &number))
        return false;
    char *at = weft_decimal_digits(end, number, decimals + 1);
    if (decimals) { /* the digits before the point make room for it */
        const size_t before = (size_t)(end - at) - (size_t)decimals;
        memmove(at - 1, at, before);
        at--;
        at[before] = '.';
    }
    put_number(csv, at, end, v < 0 && number);
    return true;
}

void weft_csv_f64(struct weft_csv *csv, double v, int decimals)
{
    char text[400]; /* the largest double has 309 digits before the point */
    decimals = decimals < 0 ? 0 : decimals > 17 ? 17 : decimals;
    if (put_decimal(csv, v, decimals))
        return;
    separate(csv);
    if (!isfinite(v))
        return;
    const int n = snprintf(text, sizeof text, "%.*f", decimals, v);
    const int negative_zero = text[0] == '-' && text[strspn(text, "-0.")] == '\0';
    put(csv, text + negative_zero, (size_t)(n - negative_zero));
}

void weft_csv_empty(struct weft_csv *csv)
{
    separate(csv);
}

/* The failure of @p code, which the file of rows reported, or that of a row. */
static int report(const struct weft_csv *csv, int code, struct weft_err *err)
{
    if (csv->miscounted)
        return weft_err_at(err, WEFT_E_INTERNAL, csv->name, 0, 0,
                           "row %" PRIu64 " has another number of fields than the header's %zu",
                           csv->rows + 1, csv->n_columns);
    return code;
}

int weft_csv_flush(struct weft_csv *csv, struct weft_err *err)
{
    return report(csv, weft_rows_flush(csv->out, err), err);
}

int weft_csv_row(struct weft_csv *csv, struct weft_err *err)
{
    if (csv->field != csv->n_columns)
        csv->miscounted = 1;
    if (csv->miscounted)
        return report(csv, 0, err);
    put(csv, "\n", 1);
    hand_over(csv);
    csv->field = 0;
    const int code = weft_rows_end(csv->out, err);
    if (code)
        return code;
    csv->rows++;
    if (csv->flush_every > 0 && csv->rows % csv->flush_every == 0)
        return weft_csv_flush(csv, err);
    return 0;
}

void weft_csv_pack_above(struct weft_csv *csv, const struct weft_rows_packer *packer,
                         uint64_t bytes)
{
    weft_rows_pack_above(csv->out, packer, bytes);
}

uint64_t weft_csv_rows(const struct weft_csv *csv)
{
    return csv->rows;
}

void weft_csv_flush_every(struct weft_csv *csv, uint64_t rows)
{
    csv->flush_every = rows;
}

struct weft_csv *weft_csv_open(const char *path, const char *const *columns, size_t n_columns,
                               struct weft_err *err)
{
    struct weft_csv *csv = (struct weft_csv *)calloc(1, sizeof *csv);
    if (!csv) {
        weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory for a table");
        return NULL;
    }
    csv->out = weft_rows_open(path, err);
    if (!csv->out) {
        free(csv);
        return NULL;
    }
    csv->n_columns = n_columns;
    snprintf(csv->name, sizeof csv->name, "%s", path);
    for (size_t i = 0; i < n_columns; i++)
        weft_csv_str(csv, columns[i]);
    put(csv, "\n", 1);
    hand_over(csv);
    csv->field = 0;
    if (weft_rows_end(csv->out, err) || weft_csv_flush(csv, err)) {
        weft_csv_close(csv, NULL);
        return NULL;
    }
    csv->flush_every = 1;
    return csv;
}

int weft_csv_close(struct weft_csv *csv, struct weft_err *err)
{
    if (!csv)
        return 0;
    if (csv->field != 0)
        csv->miscounted = 1;
    const int code = report(csv, weft_rows_close(csv->out, err), err);
    free(csv);
    return code;
}
