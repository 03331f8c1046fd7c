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
    NUMBER_MAX = 32, /* bytes of a number, with its sign and the comma before it, and more */
    KEPT_BITS = 5,
    ROW_MAX = 1024,
    /* what a number is written as, beside a real number's decimals */
    AS_NS = 'n',
    AS_COUNT = 'u',
    AS_INTEGER = 'i',
    AS_TEXT = 't' /* no number */
};

/* A number as text. */
struct number_text {
    uint64_t bits;
    uint8_t form; /* AS_NS, or a real number's decimals */
    uint8_t size; /* 0: none yet */
    char text[NUMBER_MAX];
};

/* A field of the row before. */
struct field {
    uint64_t bits; /* of a number */
    uint16_t size; /* bytes, with the comma before it */
    uint8_t form;
};

struct weft_csv {
    struct weft_rows *out;
    char *row;   /* of the current row, what out has not got yet: one of texts */
    size_t used; /* bytes of it */
    bool cut;    /* out has got a part of it already */
    /* The row before is the other one. Numbers that are the same again are copied from there, all
     * that follow each other in one piece. */
    char texts[2][ROW_MAX];
    size_t before;        /* where the current field begins there */
    size_t copied;        /* up to where it is no matter any more */
    size_t began;         /* where the current field begins in this row */
    struct field *fields; /* n_columns, and one that stands for fields too many */
    struct field *at;     /* the current one */
    size_t n_columns;
    uint64_t rows;        /* rows ended */
    uint64_t flush_every; /* rows, 0: never on its own */
    int miscounted;       /* a row had another number of fields than the header */
    struct number_text kept[1u << KEPT_BITS]; /* written last, by a hash: many rows have the same */
    char name[WEFT_ERR_FILE_MAX];
};

static void hand_over(struct weft_csv *csv)
{
    weft_rows_put(csv->out, csv->row, csv->used);
    csv->used = 0;
    csv->cut = true;
}

static void put(struct weft_csv *csv, const char *s, size_t n)
{
    if (n > ROW_MAX - csv->used)
        hand_over(csv);
    if (n > ROW_MAX) {
        weft_rows_put(csv->out, s, n);
        return;
    }
    memcpy(csv->row + csv->used, s, n);
    csv->used += n;
}

/* ---- fields ---- */

/* Whether the current field is a number that the row before has there, too: then that is all. */
static bool same_as_before(struct weft_csv *csv, uint64_t bits, uint8_t form)
{
    const struct field *f = csv->at;
    if (f->bits != bits || f->form != form)
        return false;
    csv->before += f->size;
    csv->at++;
    return true;
}

static void copy_same(struct weft_csv *csv)
{
    if (csv->copied < csv->before)
        put(csv, csv->texts[csv->row == csv->texts[0]] + csv->copied, csv->before - csv->copied);
}

static void begin_field(struct weft_csv *csv)
{
    copy_same(csv);
    csv->copied = csv->before += csv->at->size;
    csv->began = csv->used;
}

static void end_field(struct weft_csv *csv, uint64_t bits, uint8_t form)
{
    struct field *f = csv->at;
    if (f == csv->fields + csv->n_columns) {
        csv->miscounted = 1;
        return;
    }
    f->bits = bits;
    f->size = (uint16_t)(csv->used - csv->began);
    f->form = form;
    csv->at++;
}

static void end_row(struct weft_csv *csv)
{
    copy_same(csv);
    put(csv, "\n", 1);
    if (csv->cut) /* nothing can be copied from it */
        for (size_t i = 0; i < csv->n_columns; i++)
            csv->fields[i].form = AS_TEXT;
    hand_over(csv);
    csv->cut = false;
    csv->row = csv->texts[csv->row == csv->texts[0]];
    csv->before = csv->copied = 0;
    csv->at = csv->fields;
}

static bool is_first(const struct weft_csv *csv)
{
    return csv->at == csv->fields;
}

/* ---- text ---- */

static void separate(struct weft_csv *csv)
{
    if (!is_first(csv))
        put(csv, ",", 1);
}

/* Puts a short text that needs no quotes, as most do, in one piece; false: it is another. */
static bool put_short(struct weft_csv *csv, const char *s)
{
    char text[32];
    size_t n = 0;
    if (!is_first(csv))
        text[n++] = ',';
    for (; s && *s; s++) {
        if (n == sizeof text || *s == ',' || *s == '"' || *s == '\r' || *s == '\n')
            return false;
        text[n++] = *s;
    }
    put(csv, text, n);
    return true;
}

static void put_quoted(struct weft_csv *csv, const char *s)
{
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

void weft_csv_str(struct weft_csv *csv, const char *s)
{
    begin_field(csv);
    if (!put_short(csv, s)) {
        separate(csv);
        if (s[strcspn(s, ",\"\r\n")] == '\0')
            put(csv, s, strlen(s));
        else
            put_quoted(csv, s);
    }
    end_field(csv, 0, AS_TEXT);
}

void weft_csv_empty(struct weft_csv *csv)
{
    begin_field(csv);
    separate(csv);
    end_field(csv, 0, AS_TEXT);
}

/* ---- numbers ---- */

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* Where the next number goes, behind its comma, with room for NUMBER_MAX bytes. */
static char *begin_number(struct weft_csv *csv)
{
    begin_field(csv);
    if (ROW_MAX - csv->used < NUMBER_MAX + 1)
        hand_over(csv);
    char *at = csv->row + csv->used;
    *at = ',';
    return at + !is_first(csv);
}

static void end_number(struct weft_csv *csv, const char *end, uint64_t bits, uint8_t form)
{
    csv->used = (size_t)(end - csv->row);
    end_field(csv, bits, form);
}

/* Writes a number at @p at; where it ends. */
static char *write_u64(char *at, uint64_t v)
{
    if (v < 10) { /* most counts */
        *at = (char)('0' + v);
        return at + 1;
    }
    char *end = at + weft_decimal_length(v);
    weft_decimal_digits(end, v, 1);
    return end;
}

/* The same of a time in ns, with its three decimals. */
static char *write_ns(char *at, uint64_t ps)
{
    char *point = write_u64(at, ps / WEFT_PS_PER_NS), *end = point + 4;
    *point = '.';
    weft_decimal_digits(end, ps % WEFT_PS_PER_NS, 3);
    return end;
}

void weft_csv_u64(struct weft_csv *csv, uint64_t v)
{
    if (!same_as_before(csv, v, AS_COUNT))
        end_number(csv, write_u64(begin_number(csv), v), v, AS_COUNT);
}

void weft_csv_i64(struct weft_csv *csv, int64_t v)
{
    if (same_as_before(csv, (uint64_t)v, AS_INTEGER))
        return;
    char *at = begin_number(csv);
    *at = '-';
    end_number(csv, write_u64(at + (v < 0), magnitude(v)), (uint64_t)v, AS_INTEGER);
}

/* Where a number is kept; size 0: it is not, and is to be written there. */
static struct number_text *find_number(struct weft_csv *csv, uint64_t bits, uint8_t form)
{
    struct number_text *t = &csv->kept[bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - KEPT_BITS)];
    if (bits != t->bits || form != t->form)
        *t = (struct number_text){.bits = bits, .form = form};
    return t;
}

static void put_number(struct weft_csv *csv, const struct number_text *t)
{
    char *at = begin_number(csv);
    memcpy(at, t->text, NUMBER_MAX); /* as many are copied faster than some */
    end_number(csv, at + t->size, t->bits, t->form);
}

void weft_csv_ps_as_ns(struct weft_csv *csv, int64_t ps)
{
    if (same_as_before(csv, (uint64_t)ps, AS_NS))
        return;
    struct number_text *t = find_number(csv, (uint64_t)ps, AS_NS);
    if (t->size == 0) {
        t->text[0] = '-';
        t->size = (uint8_t)(write_ns(t->text + (ps < 0), magnitude(ps)) - t->text);
    }
    put_number(csv, t);
}

/* Writes a real number; false: it is too long. */
static bool write_decimal(struct number_text *t, double v, int decimals)
{
    uint64_t number;
    if (!weft_decimal_scaled(v, decimals, &number))
        return false;
    const int digits = weft_decimal_length(number), least = decimals + 1;
    char *at = t->text, *end;
    *at = '-';
    at += v < 0 && number;
    end = at + (digits > least ? digits : least);
    weft_decimal_digits(end, number, least);
    if (decimals) { /* the decimals make room for the point */
        char *point = end - decimals;
        memmove(point + 1, point, (size_t)decimals);
        *point = '.';
        end++;
    }
    t->size = (uint8_t)(end - t->text);
    return true;
}

void weft_csv_f64(struct weft_csv *csv, double v, int decimals)
{
    char text[400]; /* the largest double has 309 digits before the point */
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    decimals = decimals < 0 ? 0 : decimals > 17 ? 17 : decimals;
    if (same_as_before(csv, bits, (uint8_t)decimals))
        return;
    struct number_text *t = find_number(csv, bits, (uint8_t)decimals);
    if (t->size || write_decimal(t, v, decimals)) {
        put_number(csv, t);
        return;
    }
    begin_field(csv);
    separate(csv);
    if (isfinite(v)) {
        const int n = snprintf(text, sizeof text, "%.*f", decimals, v);
        const int negative_zero = text[0] == '-' && text[strspn(text, "-0.")] == '\0';
        put(csv, text + negative_zero, (size_t)(n - negative_zero));
    }
    end_field(csv, 0, AS_TEXT);
}

/* ---- rows and files ---- */

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
    if (csv->at != csv->fields + csv->n_columns)
        csv->miscounted = 1;
    if (csv->miscounted)
        return report(csv, 0, err);
    end_row(csv);
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
    if (csv)
        csv->fields = (struct field *)calloc(n_columns + 1, sizeof *csv->fields);
    if (!csv || !csv->fields) {
        free(csv);
        weft_err_at(err, WEFT_E_LIMIT, path, 0, 0, "out of memory for a table");
        return NULL;
    }
    csv->out = weft_rows_open(path, err);
    if (!csv->out) {
        free(csv->fields);
        free(csv);
        return NULL;
    }
    csv->n_columns = n_columns;
    csv->row = csv->texts[0];
    csv->at = csv->fields;
    csv->fields[n_columns].form = AS_TEXT;
    snprintf(csv->name, sizeof csv->name, "%s", path);
    for (size_t i = 0; i < n_columns; i++)
        weft_csv_str(csv, columns[i]);
    end_row(csv);
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
    if (!is_first(csv))
        csv->miscounted = 1;
    const int code = report(csv, weft_rows_close(csv->out, err), err);
    free(csv->fields);
    free(csv);
    return code;
}
