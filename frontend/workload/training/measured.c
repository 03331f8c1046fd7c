/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads measured efficiencies. */
#include "workload/training/measured.h"

#include "base/file.h"
#include "base/units.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, FILE_BYTES_MAX = 1 << 24 };

static const char *const kernels[] = {
#define WEFT_KERNEL(symbol, name) name,
#include "workload/training/kernels.def"
#undef WEFT_KERNEL
};
static const char *const passes[] = {"forward", "inputs", "weights", "all"};
static const char *const columns[COLUMNS] = {"operation", "pass", "rows", "efficiency"};

struct reader {
    const char *path;
    int64_t line;
    char *field[COLUMNS];
    int64_t col[COLUMNS];
    struct weft_measured *out;
    struct weft_err *err;
};

static char *trim(char *s, int64_t *col)
{
    while (*s == ' ' || *s == '\t') {
        s++;
        ++*col;
    }
    size_t n = strlen(s);
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r'))
        s[--n] = '\0';
    return s;
}

/* Cuts a line into its fields. */
static int cut(struct reader *r, char *line)
{
    char *at = line;
    for (int k = 0; k < COLUMNS; k++) {
        char *comma = strchr(at, ',');
        if ((k == COLUMNS - 1) != (comma == NULL))
            return weft_err_at(r->err, WEFT_E_INPUT, r->path, r->line, at - line + 1,
                               "a line has %d fields: operation,pass,rows,efficiency",
                               (int)COLUMNS);
        if (comma)
            *comma = '\0';
        r->col[k] = at - line + 1;
        r->field[k] = trim(at, &r->col[k]);
        at = comma ? comma + 1 : at;
    }
    return 0;
}

/* Index of a field's word, or -1. */
static int word(struct reader *r, int field, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(r->field[field], words[i]) == 0)
            return (int)i;
    const char *near = weft_nearest(r->field[field], words, n);
    weft_err_at(r->err, WEFT_E_INPUT, r->path, r->line, r->col[field], "there is no %s '%s'%s%s%s",
                columns[field], r->field[field], near ? "; did you mean '" : "", near ? near : "",
                near ? "'?" : "");
    return -1;
}

static int real(struct reader *r, int field, double most, double *out)
{
    char *end;
    *out = strtod(r->field[field], &end);
    if (*r->field[field] && !*end && *out > 0 && *out <= most)
        return 0;
    return weft_err_at(r->err, WEFT_E_INPUT, r->path, r->line, r->col[field],
                       "%s is '%s', but must be a number above 0, up to %g", columns[field],
                       r->field[field], most);
}

static int add(struct reader *r, struct weft_measured_curve *c, double rows, double efficiency)
{
    uint32_t at = 0;
    while (at < c->n && c->rows[at] < rows)
        at++;
    if (at < c->n && c->rows[at] <= rows)
        return weft_err_at(r->err, WEFT_E_INPUT, r->path, r->line, r->col[2],
                           "%s, %s has an efficiency at these rows already", r->field[0],
                           r->field[1]);
    if (c->n == WEFT_MEASURED_MAX)
        return weft_err_at(r->err, WEFT_E_LIMIT, r->path, r->line, 1,
                           "%s, %s has more than %d lines", r->field[0], r->field[1],
                           WEFT_MEASURED_MAX);
    for (uint32_t i = c->n++; i > at; i--) {
        c->rows[i] = c->rows[i - 1];
        c->efficiency[i] = c->efficiency[i - 1];
    }
    c->rows[at] = rows;
    c->efficiency[at] = efficiency;
    return 0;
}

static int read_line(struct reader *r, char *line)
{
    double rows = 0, efficiency;
    int rc = cut(r, line);
    if (rc)
        return rc;
    const int kernel = word(r, 0, kernels, WEFT_KERNELS);
    const int pass = kernel < 0 ? -1 : word(r, 1, passes, WEFT_KERNEL_PASSES);
    if (pass < 0)
        return r->err->code;
    if (*r->field[2])
        rc = real(r, 2, 1e12, &rows);
    rc = rc ? rc : real(r, 3, 1, &efficiency);
    return rc ? rc : add(r, &r->out->curve[kernel][pass], rows, efficiency);
}

static int read_header(struct reader *r, char *line)
{
    int rc = cut(r, line);
    for (int k = 0; !rc && k < COLUMNS; k++)
        if (strcmp(r->field[k], columns[k]) != 0)
            rc = weft_err_at(r->err, WEFT_E_INPUT, r->path, r->line, r->col[k],
                             "column '%s' where '%s' must be: the first line is "
                             "operation,pass,rows,efficiency",
                             r->field[k], columns[k]);
    return rc;
}

int weft_measured_read(const char *path, struct weft_measured *out, struct weft_err *err)
{
    struct weft_err own = {0};
    struct reader r = {.path = path, .out = out, .err = err ? err : &own};
    char *text = NULL;
    size_t size;
    bool headed = false;
    int rc = weft_file_read(path, FILE_BYTES_MAX, &text, &size, r.err);
    *out = (struct weft_measured){0};
    for (char *at = text, *next; !rc && at && *at; at = next) {
        char *end = strchr(at, '\n');
        next = end ? end + 1 : at + strlen(at);
        if (end)
            *end = '\0';
        r.line++;
        int64_t col = 1;
        const char *first = trim(at, &col);
        if (*first == '#' || !*first)
            continue;
        rc = headed ? read_line(&r, at) : read_header(&r, at);
        headed = true;
    }
    if (!rc && !headed)
        rc = weft_err_at(r.err, WEFT_E_INPUT, path, 1, 1,
                         "no header: the first line is operation,pass,rows,efficiency");
    free(text);
    return rc;
}

double weft_measured_at(const struct weft_measured *m, enum weft_kernel kernel,
                        enum weft_kernel_pass pass, double rows)
{
    const struct weft_measured_curve *c = &m->curve[kernel][pass];
    if (c->n == 0)
        c = &m->curve[kernel][WEFT_KERNEL_ALL];
    if (c->n == 0)
        return 0;
    uint32_t above = 0;
    while (above < c->n && c->rows[above] < rows)
        above++;
    if (above == 0)
        return c->efficiency[0];
    if (above == c->n)
        return c->efficiency[c->n - 1];
    const double share = (rows - c->rows[above - 1]) / (c->rows[above] - c->rows[above - 1]);
    return c->efficiency[above - 1] + share * (c->efficiency[above] - c->efficiency[above - 1]);
}
