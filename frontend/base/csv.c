/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CSV tables on a stdio stream.
 */
#include "base/csv.h"

#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct weft_csv {
    FILE *f;
    int owns_file;
    size_t n_columns;
    size_t field;         /* fields of the current row so far */
    uint64_t rows;        /* rows ended */
    uint64_t flush_every; /* rows, 0: never on its own */
    int failed;           /* WEFT_E_* of the first failure; nothing is written after it */
    int failed_errno;     /* why, when it is WEFT_E_IO */
    char name[WEFT_ERR_FILE_MAX];
};

static void fail_io(struct weft_csv *csv)
{
    if (!csv->failed) {
        csv->failed = WEFT_E_IO;
        csv->failed_errno = errno;
    }
}

static void put(struct weft_csv *csv, const char *s, size_t n)
{
    if (!csv->failed && n > 0 && fwrite(s, 1, n, csv->f) != n)
        fail_io(csv);
}

static void separate(struct weft_csv *csv)
{
    if (csv->field++ > 0)
        put(csv, ",", 1);
}

void weft_csv_str(struct weft_csv *csv, const char *s)
{
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

void weft_csv_u64(struct weft_csv *csv, uint64_t v)
{
    char text[24];
    const int n = snprintf(text, sizeof text, "%" PRIu64, v);
    separate(csv);
    put(csv, text, (size_t)n);
}

void weft_csv_i64(struct weft_csv *csv, int64_t v)
{
    char text[24];
    const int n = snprintf(text, sizeof text, "%" PRId64, v);
    separate(csv);
    put(csv, text, (size_t)n);
}

void weft_csv_ps_as_ns(struct weft_csv *csv, int64_t ps)
{
    char text[WEFT_UNIT_TEXT_MAX];
    separate(csv);
    weft_ps_as_ns(ps, text);
    put(csv, text, strlen(text));
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

static int report(const struct weft_csv *csv, struct weft_err *err)
{
    if (csv->failed == WEFT_E_IO)
        return weft_err_at(err, WEFT_E_IO, csv->name, 0, 0, "cannot write: %s",
                           csv->failed_errno ? strerror(csv->failed_errno) : "unknown reason");
    if (csv->failed)
        return weft_err_at(err, csv->failed, csv->name, 0, 0,
                           "row %" PRIu64 " has another number of fields than the header's %zu",
                           csv->rows + 1, csv->n_columns);
    return 0;
}

int weft_csv_flush(struct weft_csv *csv, struct weft_err *err)
{
    if (!csv->failed && fflush(csv->f) != 0)
        fail_io(csv);
    return report(csv, err);
}

int weft_csv_row(struct weft_csv *csv, struct weft_err *err)
{
    if (csv->failed)
        return report(csv, err);
    if (csv->field != csv->n_columns) {
        csv->failed = WEFT_E_INTERNAL;
        return report(csv, err);
    }
    put(csv, "\n", 1);
    csv->field = 0;
    csv->rows++;
    if (csv->flush_every > 0 && csv->rows % csv->flush_every == 0)
        return weft_csv_flush(csv, err);
    return report(csv, err);
}

uint64_t weft_csv_rows(const struct weft_csv *csv)
{
    return csv->rows;
}

void weft_csv_flush_every(struct weft_csv *csv, uint64_t rows)
{
    csv->flush_every = rows;
}

/* The stream is closed with the table from here on if @p owns_file, also when this fails. */
static struct weft_csv *start(FILE *f, int owns_file, const char *name, const char *const *columns,
                              size_t n_columns, struct weft_err *err)
{
    struct weft_csv *csv = calloc(1, sizeof *csv);
    if (!csv) {
        weft_err_set(err, WEFT_E_LIMIT, "out of memory");
        if (owns_file)
            fclose(f);
        return NULL;
    }
    csv->f = f;
    csv->owns_file = owns_file;
    csv->n_columns = n_columns;
    snprintf(csv->name, sizeof csv->name, "%s", name);
    for (size_t i = 0; i < n_columns; i++)
        weft_csv_str(csv, columns[i]);
    put(csv, "\n", 1);
    csv->field = 0;
    if (weft_csv_flush(csv, err)) {
        weft_csv_close(csv, NULL);
        return NULL;
    }
    csv->flush_every = 1;
    return csv;
}

struct weft_csv *weft_csv_open(const char *path, const char *const *columns, size_t n_columns,
                               struct weft_err *err)
{
    FILE *f = fopen(path, "we");
    if (!f) {
        weft_err_at(err, WEFT_E_IO, path, 0, 0, "cannot create: %s", strerror(errno));
        return NULL;
    }
    return start(f, 1, path, columns, n_columns, err);
}

struct weft_csv *weft_csv_on(FILE *f, const char *name, const char *const *columns,
                             size_t n_columns, struct weft_err *err)
{
    return start(f, 0, name, columns, n_columns, err);
}

int weft_csv_close(struct weft_csv *csv, struct weft_err *err)
{
    if (!csv)
        return 0;
    if (!csv->failed && csv->field != 0)
        csv->failed = WEFT_E_INTERNAL;
    if (fflush(csv->f) != 0)
        fail_io(csv);
    if (csv->owns_file && fclose(csv->f) != 0)
        fail_io(csv);
    const int rc = report(csv, err);
    free(csv);
    return rc;
}
