/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CSV tables on a file of rows.
 */
#include "base/csv.h"

#include "base/csv_internal.h"
#include "base/decimal.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void hand_over(struct weft_csv *csv)
{
    weft_rows_put(csv->out, csv->row, csv->used);
    csv->used = 0;
    csv->cut = true;
}

static void csv_put(struct weft_csv *csv, const char *s, size_t n)
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

/* Copies what is the same from the row before. */
static void copy_same(struct weft_csv *csv)
{
    if (csv->copied == csv->at.before)
        return;
    const char *from = csv->texts[csv->row == csv->texts[0]] + csv->copied;
    const size_t n = csv->at.before - csv->copied;
    if (n > ROW_MAX - csv->used)
        hand_over(csv);
    char *to = csv->row + csv->used;
    for (size_t i = 0; i < n; i += BLOCK) /* as many are copied faster than some */
        memcpy(to + i, from + i, BLOCK);
    csv->used += n;
}

/* Whether the current field is a number that the row before has there, too: then that is all. */
static bool same_as_before(struct weft_csv *csv, uint64_t bits, uint8_t form)
{
    return csv->at.field->form == form && csv_again(&csv->at, bits);
}

static void begin_field(struct weft_csv *csv)
{
    copy_same(csv);
    csv->copied = csv->at.before += csv->at.field->size;
    csv->began = csv->used;
}

static void end_field(struct weft_csv *csv, uint64_t bits, uint8_t form)
{
    struct field *f = csv->at.field;
    if (f == csv->fields + csv->n_columns) {
        csv->miscounted = 1;
        return;
    }
    f->bits = bits;
    f->size = (uint16_t)(csv->used - csv->began);
    f->form = form;
    csv->at.field++;
}

static void end_row(struct weft_csv *csv)
{
    copy_same(csv);
    csv_put(csv, "\n", 1);
    if (csv->cut) /* nothing can be copied from it */
        for (size_t i = 0; i < csv->n_columns; i++)
            csv->fields[i].form = AS_TEXT;
    hand_over(csv);
    csv->cut = false;
    csv->row = csv->texts[csv->row == csv->texts[0]];
    csv->at.before = csv->copied = 0;
    csv->at.field = csv->fields;
}

static bool is_first(const struct weft_csv *csv)
{
    return csv->at.field == csv->fields;
}

/* ---- text ---- */

static void separate(struct weft_csv *csv)
{
    if (!is_first(csv))
        csv_put(csv, ",", 1);
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
    csv_put(csv, text, n);
    return true;
}

static void put_quoted(struct weft_csv *csv, const char *s)
{
    csv_put(csv, "\"", 1);
    while (*s) {
        const size_t n = strcspn(s, "\"");
        csv_put(csv, s, n);
        s += n;
        if (*s == '"') {
            csv_put(csv, "\"\"", 2);
            s++;
        }
    }
    csv_put(csv, "\"", 1);
}

void weft_csv_str(struct weft_csv *csv, const char *s)
{
    begin_field(csv);
    if (!put_short(csv, s)) {
        separate(csv);
        if (s[strcspn(s, ",\"\r\n")] == '\0')
            csv_put(csv, s, strlen(s));
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

/* Writes a time in ns, with its three decimals, at @p at; where it ends. */
static char *write_ns(char *at, uint64_t ps)
{
    char *point = weft_decimal_write(at, ps / WEFT_PS_PER_NS), *end = point + 4;
    *point = '.';
    weft_decimal_digits(end, ps % WEFT_PS_PER_NS, 3);
    return end;
}

void weft_csv_u64(struct weft_csv *csv, uint64_t v)
{
    if (!same_as_before(csv, v, AS_COUNT))
        end_number(csv, weft_decimal_write(begin_number(csv), v), v, AS_COUNT);
}

void weft_csv_i64(struct weft_csv *csv, int64_t v)
{
    if (same_as_before(csv, (uint64_t)v, AS_INTEGER))
        return;
    char *at = begin_number(csv);
    *at = '-';
    end_number(csv, weft_decimal_write(at + (v < 0), magnitude(v)), (uint64_t)v, AS_INTEGER);
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
        csv_put(csv, text + negative_zero, (size_t)(n - negative_zero));
    }
    end_field(csv, 0, AS_TEXT);
}

/* ---- rows and files ---- */

/* The failure of @p code, which the file of rows reported, or that of a row. */
static int csv_report(const struct weft_csv *csv, int code, struct weft_err *err)
{
    if (csv->miscounted)
        return weft_err_at(err, WEFT_E_INTERNAL, csv->name, 0, 0,
                           "row %" PRIu64 " has another number of fields than the header's %zu",
                           csv->rows + 1, csv->n_columns);
    return code;
}

int weft_csv_flush(struct weft_csv *csv, struct weft_err *err)
{
    return csv_report(csv, weft_rows_flush(csv->out, err), err);
}

int weft_csv_row(struct weft_csv *csv, struct weft_err *err)
{
    if (csv->at.field != csv->fields + csv->n_columns)
        csv->miscounted = 1;
    if (csv->miscounted)
        return csv_report(csv, 0, err);
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
    csv->at.field = csv->fields;
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
    const int code = csv_report(csv, weft_rows_close(csv->out, err), err);
    free(csv->fields);
    free(csv);
    return code;
}
