/* SPDX-License-Identifier: GPL-2.0-only */
/* See csv_read.h. */
#include "base/csv_read.h"

#include "base/file.h"
#include "base/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const struct weft_csv_reader *r, const char *what, struct weft_err *err)
{
    return weft_err_at(err, WEFT_E_INPUT, r->path, r->line, 0, "%s", what);
}

static bool has_open_quote(const char *text)
{
    bool open = false;
    for (; *text; text++)
        open ^= *text == '"';
    return open;
}

/* Reads one row into *buf: a line, or several where a quoted field goes on. 1, 0 at the end, which
 * is where a row has no line end, too: its writer was killed. */
static int read_row(struct weft_csv_reader *r, char **buf, size_t *cap, struct weft_err *err)
{
    char *more = NULL;
    size_t more_cap = 0;
    errno = 0;
    ssize_t n = getline(buf, cap, r->f);
    int rc = n < 0 ? 0 : 1;
    r->line += rc;
    while (rc == 1 && has_open_quote(*buf)) {
        const ssize_t k = getline(&more, &more_cap, r->f);
        if (k < 0) {
            rc = (*buf)[n - 1] == '\n' ? refuse(r, "a quote is not closed", err) : 0;
            break;
        }
        char *both = realloc(*buf, (size_t)(n + k) + 1);
        if (!both) {
            rc = weft_err_set(err, WEFT_E_LIMIT, "out of memory for %s", r->path);
            break;
        }
        memcpy(both + n, more, (size_t)k + 1);
        *buf = both;
        *cap = (size_t)(n += k) + 1;
        r->line++;
    }
    free(more);
    if (rc == 1 && (*buf)[n - 1] != '\n')
        rc = 0;
    if (rc == 0 && ferror(r->f))
        return weft_file_error(err, r->path, "read", errno);
    return rc;
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
            return refuse(r, "too many columns for a table", err);
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
    return rc ? split(r, r->header, r->name, &r->ncolumns, err)
              : refuse(r, "it has no row of column names", err);
}

void weft_csv_reader_close(struct weft_csv_reader *r)
{
    if (r->f)
        fclose(r->f);
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
    for (size_t i = 0; i < r->ncolumns; i++)
        if (strcmp(r->name[i], name) == 0)
            return (int)i;
    return -1;
}

int weft_csv_reader_need(const struct weft_csv_reader *r, const char *name, int *out,
                         struct weft_err *err)
{
    *out = weft_csv_reader_column(r, name);
    return *out >= 0 ? 0 : weft_err_set(err, WEFT_E_INPUT, "%s has no column '%s'", r->path, name);
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
