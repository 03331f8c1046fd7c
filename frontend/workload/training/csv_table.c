/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads small CSV files. */
#include "workload/training/csv_table.h"

#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES_MAX = 1 << 24 };

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

/* "a,b,c" */
static const char *header_text(const struct weft_csv_table *t, char *buf, size_t size)
{
    size_t len = 0;
    buf[0] = '\0';
    for (int k = 0; k < t->ncolumns && len < size; k++)
        len += (size_t)snprintf(buf + len, size - len, "%s%s", k ? "," : "", t->columns[k]);
    return buf;
}

int weft_csv_table_word(struct weft_csv_table *t, int field, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(t->field[field], words[i]) == 0)
            return (int)i;
    weft_csv_table_err(t, field, "there is no %s '%s'%s", t->columns[field], t->field[field],
                       WEFT_MEANT(t->field[field], words, n, ""));
    return -1;
}

int weft_csv_table_number(struct weft_csv_table *t, int field, double most, double *out)
{
    char *end;
    *out = strtod(t->field[field], &end);
    if (*t->field[field] && !*end && *out >= 0 && *out <= most)
        return 0;
    return weft_csv_table_err(t, field, "%s is '%s', but must be a number from 0 to %g",
                              t->columns[field], t->field[field], most);
}

static int csv_table_cut(struct weft_csv_table *t, char *line)
{
    char *at = line, text[128];
    for (int k = 0; k < t->ncolumns; k++) {
        char *comma = strchr(at, ',');
        t->col[k] = at - line + 1;
        if ((k == t->ncolumns - 1) != (comma == NULL))
            return weft_csv_table_err(t, k, "a line has %d fields: %s", t->ncolumns,
                                      header_text(t, text, sizeof text));
        if (comma)
            *comma = '\0';
        t->field[k] = trim(at, &t->col[k]);
        at = comma ? comma + 1 : at;
    }
    return 0;
}

static int header(struct weft_csv_table *t)
{
    char text[128];
    for (int k = 0; k < t->ncolumns; k++)
        if (strcmp(t->field[k], t->columns[k]) != 0)
            return weft_csv_table_err(t, k, "column '%s' where '%s' must be: the first line is %s",
                                      t->field[k], t->columns[k],
                                      header_text(t, text, sizeof text));
    return 0;
}

int weft_csv_table_read(const char *path, const char *const *columns, int ncolumns,
                        int (*row)(struct weft_csv_table *t, void *ctx), void *ctx,
                        struct weft_err *err)
{
    struct weft_err own = {0};
    struct weft_csv_table t = {
        .path = path, .columns = columns, .ncolumns = ncolumns, .err = err ? err : &own};
    char *text = NULL, head[128];
    size_t size;
    uint64_t lines = 0;
    int rc = weft_file_read(path, FILE_BYTES_MAX, &text, &size, t.err);
    for (char *at = text, *next; !rc && at && *at; at = next) {
        char *end = strchr(at, '\n');
        next = end ? end + 1 : at + strlen(at);
        if (end)
            *end = '\0';
        t.line++;
        int64_t col = 1;
        const char *first = trim(at, &col);
        if (*first == '#' || !*first)
            continue;
        rc = csv_table_cut(&t, at);
        if (!rc)
            rc = lines == 0 ? header(&t) : row(&t, ctx);
        lines++;
    }
    free(text);
    if (!rc && lines == 0)
        rc = weft_err_at(t.err, WEFT_E_INPUT, path, 1, 1, "no header: the first line is %s",
                         header_text(&t, head, sizeof head));
    return rc;
}
