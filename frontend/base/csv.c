/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CSV tables on a file of rows.
 */
#include "base/csv.h"

#include "base/rows.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct weft_csv {
    struct weft_rows *out;
    size_t n_columns;
    size_t field;         /* fields of the current row so far */
    uint64_t rows;        /* rows ended */
    uint64_t flush_every; /* rows, 0: never on its own */
    int miscounted;       /* a row had another number of fields than the header */
    /* The time written last, as text: many rows in turn have the same. */
    int64_t ps;
    char ps_text[32];
    size_t ps_size; /* 0: none yet */
    char name[WEFT_ERR_FILE_MAX];
};

static void put(struct weft_csv *csv, const char *s, size_t n)
{
    weft_rows_put(csv->out, s, n);
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

/* Numbers are most of what is written, and printf takes several times as long as this. Writes the
 * decimal digits of @p v, at least @p least, before @p end; returns where they begin. */
static char *digits(char *end, uint64_t v, int least)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    for (; v > 99; v /= 100, least -= 2)
        memcpy(end -= 2, pairs + 2 * (v % 100), 2);
    for (; v || least > 0; v /= 10, least--)
        *--end = (char)('0' + v % 10);
    return end;
}

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* Puts what lies from @p at to @p end, with its sign. @p at has room for two more. */
static void put_number(struct weft_csv *csv, char *at, const char *end, bool negative)
{
    if (negative)
        *--at = '-';
    if (csv->field++ > 0)
        *--at = ',';
    put(csv, at, (size_t)(end - at));
}

void weft_csv_u64(struct weft_csv *csv, uint64_t v)
{
    char text[32], *end = text + sizeof text;
    put_number(csv, digits(end, v, 1), end, false);
}

void weft_csv_i64(struct weft_csv *csv, int64_t v)
{
    char text[32], *end = text + sizeof text;
    put_number(csv, digits(end, magnitude(v), 1), end, v < 0);
}

void weft_csv_ps_as_ns(struct weft_csv *csv, int64_t ps)
{
    char *end = csv->ps_text + sizeof csv->ps_text;
    if (csv->ps_size == 0 || ps != csv->ps) {
        const uint64_t v = magnitude(ps);
        char *at = digits(end, v % WEFT_PS_PER_NS, 3);
        *--at = '.';
        csv->ps_size = (size_t)(end - digits(at, v / WEFT_PS_PER_NS, 1));
        csv->ps = ps;
    }
    put_number(csv, end - csv->ps_size, end, ps < 0);
}

void weft_csv_f64(struct weft_csv *csv, double v, int decimals)
{
    char text[400]; /* the largest double has 309 digits before the point */
    separate(csv);
    if (!isfinite(v))
        return;
    decimals = decimals < 0 ? 0 : decimals > 17 ? 17 : decimals;
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
