/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads CSV tables (RFC 4180) row by row; the first row names the columns. */
#include "base/csv_read.h"

#include "base/file.h"
#include "base/grow.h"
#include "base/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * 1024 };

static int csv_read_refuse(const struct weft_csv_reader *r, const char *what, struct weft_err *err)
{
    return weft_err_at(err, WEFT_E_INPUT, r->path, r->line, 0, "%s", what);
}

/* Whether there is more to read; false with errno of a failure. */
static bool csv_read_fill(struct weft_csv_reader *r)
{
    if (r->at < r->end)
        return true;
    if (!r->chunk && !(r->chunk = malloc(CHUNK)))
        return false;
    r->at = 0;
    errno = 0;
    r->end = fread(r->chunk, 1, CHUNK, r->f);
    return r->end > 0;
}

/* Why no more can be read: 0 at the end. */
static int read_error(const struct weft_csv_reader *r, struct weft_err *err)
{
    if (!r->chunk)
        return weft_err_no_memory(err, r->path);
    if (!ferror(r->f))
        return 0;
    if (errno == EFBIG)
        return weft_err_at(err, WEFT_E_LIMIT, r->path, 0, 0,
                           "it unpacks to far more than its size: damaged, or else unpack it first "
                           "(zstd -d)");
    return weft_file_error(err, r->path, "read", errno);
}

/* Appends bytes of the chunk to a row of @p *n bytes. */
static int csv_read_append(struct weft_csv_reader *r, char **buf, size_t *cap, size_t *n,
                           size_t bytes, struct weft_err *err)
{
    if (bytes > WEFT_CSV_READ_ROW_BYTES - *n)
        return weft_err_at(err, WEFT_E_LIMIT, r->path, r->line + 1, 0,
                           "a row is longer than %zu MiB", WEFT_CSV_READ_ROW_BYTES >> 20);
    if (!WEFT_GROW_TO(*buf, *n + bytes + 1, cap))
        return weft_err_no_memory(err, r->path);
    memcpy(*buf + *n, r->chunk + r->at, bytes);
    *n += bytes;
    (*buf)[*n] = '\0';
    r->at += bytes;
    return 0;
}

/* Reads one row into *buf: a line, or several where a quoted field goes on. 1, 0 at the end, which
 * is where a row has no line end, too: its writer was killed. */
static int read_row(struct weft_csv_reader *r, char **buf, size_t *cap, struct weft_err *err)
{
    size_t n = 0;
    bool open = false, ended = false;
    while (csv_read_fill(r)) {
        const char *from = r->chunk + r->at, *quote = from;
        const char *end = (const char *)memchr(from, '\n', r->end - r->at);
        const size_t bytes = end ? (size_t)(end - from) + 1 : r->end - r->at;
        while ((quote = (const char *)memchr(quote, '"', (size_t)(from + bytes - quote)))) {
            open = !open;
            quote++;
        }
        const int rc = csv_read_append(r, buf, cap, &n, bytes, err);
        if (rc)
            return rc;
        ended = end != NULL;
        r->line += ended;
        if (ended && !open)
            return 1;
    }
    const int rc = read_error(r, err);
    r->line += !ended && n > 0;
    return rc || !ended ? rc : csv_read_refuse(r, "a quote is not closed", err);
}

/* Takes the field at *at and steps behind it; quotes are taken off in place. */
static char *take_field(char **at, bool *last)
{
    char *from = *at, *to = *at, *p = *at;
    bool quoted = false;
    for (; *p && (quoted || (*p != ',' && *p != '\n' && *p != '\r')); p++) {
        if (*p == '"' && (!quoted || p[1] != '"')) {
            quoted = !quoted;
            continue;
        }
        p += *p == '"';
        *to++ = *p;
    }
    *last = *p != ',';
    *at = p + !*last;
    *to = '\0';
    return from;
}

static int split(const struct weft_csv_reader *r, char *row, char *out[WEFT_CSV_READ_COLUMNS],
                 size_t *n, struct weft_err *err)
{
    bool last = false;
    for (*n = 0; !last; (*n)++) {
        if (*n == WEFT_CSV_READ_COLUMNS)
            return csv_read_refuse(r, "too many columns for a table", err);
        out[*n] = take_field(&row, &last);
    }
    return 0;
}

int weft_csv_reader_open(struct weft_csv_reader *r, const char *path, struct weft_err *err)
{
    FILE *f = fopen(path, "r");
    if (f)
        return weft_csv_reader_begin(r, f, path, err);
    *r = (struct weft_csv_reader){.path = path};
    return weft_input_error(err, path, "open", errno);
}

int weft_csv_reader_begin(struct weft_csv_reader *r, FILE *f, const char *path,
                          struct weft_err *err)
{
    *r = (struct weft_csv_reader){.f = f, .path = path};
    const int rc = read_row(r, &r->header, &r->header_cap, err);
    if (rc < 0)
        return rc;
    r->ended = !rc;
    return rc ? split(r, r->header, r->name, &r->ncolumns, err)
              : csv_read_refuse(r, "it has no row of column names", err);
}

void weft_csv_reader_close(struct weft_csv_reader *r)
{
    if (r->f)
        fclose(r->f);
    free(r->chunk);
    free(r->row);
    free(r->header);
    *r = (struct weft_csv_reader){0};
}

int weft_csv_reader_next(struct weft_csv_reader *r, struct weft_err *err)
{
    size_t n;
    int rc = read_row(r, &r->row, &r->row_cap, err);
    if (rc <= 0)
        return rc;
    rc = split(r, r->row, r->field, &n, err);
    if (!rc && n != r->ncolumns)
        return weft_err_at(err, WEFT_E_INPUT, r->path, r->line, 0,
                           "%zu fields, but the header has %zu", n, r->ncolumns);
    return rc ? rc : 1;
}

int weft_csv_reader_column(const struct weft_csv_reader *r, const char *name)
{
    for (const char *at = name; *at;) {
        const size_t len = strcspn(at, "|");
        for (size_t i = 0; i < r->ncolumns; i++)
            if (strncmp(r->name[i], at, len) == 0 && !r->name[i][len])
                return (int)i;
        at += len + (at[len] == '|');
    }
    return -1;
}

int weft_csv_reader_need(const struct weft_csv_reader *r, const char *name, int *out,
                         struct weft_err *err)
{
    *out = weft_csv_reader_column(r, name);
    return *out >= 0 ? 0
                     : weft_err_set(err, WEFT_E_INPUT, "%s has no column '%.*s'", r->path,
                                    (int)strcspn(name, "|"), name);
}

static int wrong_number(const struct weft_csv_reader *r, int column, struct weft_err *err)
{
    return weft_err_at(err, WEFT_E_INPUT, r->path, r->line, 0,
                       "%s: '%.40s' is no number that belongs there", r->name[column],
                       r->field[column]);
}

int weft_csv_reader_u64(const struct weft_csv_reader *r, int column, uint64_t *out,
                        struct weft_err *err)
{
    struct weft_err why = {0};
    return weft_parse_u64(r->field[column], out, &why) ? wrong_number(r, column, err) : 0;
}

int weft_csv_reader_ps(const struct weft_csv_reader *r, int column, int64_t *out,
                       struct weft_err *err)
{
    const char *p = r->field[column];
    int decimals = -1;
    *out = 0;
    for (; *p; p++) {
        if (*p == '.' && decimals < 0 && p > r->field[column])
            decimals = 0;
        else if (*p < '0' || *p > '9' || decimals == 3 || *out > (INT64_MAX - 9) / 10)
            return wrong_number(r, column, err);
        else {
            *out = *out * 10 + (*p - '0');
            decimals += decimals >= 0;
        }
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++) {
        if (*out > INT64_MAX / 10)
            return wrong_number(r, column, err);
        *out *= 10;
    }
    return 0;
}
