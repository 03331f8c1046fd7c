/* SPDX-License-Identifier: GPL-2.0-only */
/* What a search found: for people, as JSON, and as find.csv. */
#include "base/file.h"
#include "sweep/find.h"

#include <math.h>
#include <string.h>

/* The column of the axis that is searched. */
static size_t column_of(const struct weft_sweep_find *f, const struct weft_sweep *s)
{
    size_t c = 0;
    while (s->column[c].axis != f->axis)
        c++;
    return c;
}

/* A row with the settings of the other axes, and the answer: the value, NULL where there is none.
 */
static const char *answer(const struct weft_sweep_find *f, const struct weft_sweep *s,
                          size_t search, size_t *row)
{
    const struct weft_find_search *b = &f->search[search];
    const bool found = b->over && !b->none && !b->unknown;
    *row = weft_sweep_find_row(f, s, search, found ? b->holds - 1 : 0);
    return found ? weft_sweep_value(s, column_of(f, s), *row) : NULL;
}

double weft_sweep_found(const struct weft_sweep_find *f, const struct weft_sweep *s, size_t row)
{
    const size_t n = s->axis[f->axis].n;
    size_t stride = 1, ignored;
    for (size_t k = f->axis + 1; k < s->naxes; k++)
        stride *= s->axis[k].n;
    const char *value = answer(f, s, row / stride / n * stride + row % stride, &ignored);
    double number = NAN;
    return value && weft_sweep_number(value, -1, &number) ? number : NAN;
}

const char *weft_sweep_found_text(const struct weft_sweep_find *f, const struct weft_sweep *s,
                                  double number)
{
    const struct weft_sweep_values *v = &s->axis[f->axis].value[s->column[column_of(f, s)].key];
    double other;
    for (size_t i = 0; i < v->n; i++)
        if (weft_sweep_number(v->list[i], -1, &other) && other == number)
            return v->list[i];
    return "none";
}

static const char *found_state(const struct weft_sweep *s, const struct weft_find_search *b)
{
    struct weft_sweep_row r;
    if (b->over && b->none)
        weft_sweep_row(s, b->row, &r);
    return !b->over     ? "not searched to the end"
           : b->unknown ? "not known: a row exceeded its limit"
           : !b->none   ? ""
           : r.outcome == WEFT_OUTCOME_STOPPED_AT_LIMIT
               ? "none: with the last value, the run was not over at run.until"
               : "none";
}

/* A line for each combination of the other axes. */
static void lines(FILE *out, const struct weft_sweep_find *f, const struct weft_sweep *s)
{
    for (size_t i = 0; i < f->nsearches; i++) {
        size_t row;
        const char *value = answer(f, s, i, &row);
        fputs("  ", out);
        for (size_t c = 0; c < s->ncolumns; c++)
            if (s->column[c].axis != f->axis)
                fprintf(out, "%s=%s ", weft_sweep_key(s, c), weft_sweep_value(s, c, row));
        fprintf(out, "%s=%s%s\n", s->axis[f->axis].key[0],
                value ? value : found_state(s, &f->search[i]),
                value && f->search[i].holds == 1
                    ? " (the end of its values: what lies beyond may do, too)"
                    : "");
    }
}

/* Answers side by side, a column for each value of the last of the other axes. */
struct grid {
    const struct weft_sweep_find *f;
    const struct weft_sweep *s;
    size_t wide, top;                  /* values of that axis, and a column of it */
    size_t column[WEFT_SWEEP_KEYS], n; /* of the axes before it */
};

static struct grid make_grid(const struct weft_sweep_find *f, const struct weft_sweep *s)
{
    struct grid g = {.f = f, .s = s};
    const size_t last = s->naxes - 1 - (f->axis + 1 == s->naxes);
    g.wide = s->axis[last].n;
    for (size_t c = s->ncolumns; c-- > 0;)
        g.top = s->column[c].axis == last ? c : g.top;
    for (size_t c = 0; c < s->ncolumns; c++) {
        if (s->column[c].axis == last)
            continue;
        if (s->column[c].axis != f->axis)
            g.column[g.n++] = c;
    }
    return g;
}

/* Line 0 has the names. */
static const char *cell(const struct grid *g, size_t line, size_t col)
{
    const size_t begin = line ? (line - 1) * g->wide : 0;
    const size_t search = begin + (col < g->n ? 0 : col - g->n);
    size_t row;
    const char *value = answer(g->f, g->s, search, &row);
    if (col < g->n)
        return line ? weft_sweep_value(g->s, g->column[col], row)
                    : weft_sweep_key(g->s, g->column[col]);
    if (!line)
        return weft_sweep_value(g->s, g->top, row);
    return value ? value : found_state(g->s, &g->f->search[search]);
}

static void print_grid(FILE *out, const struct grid *g)
{
    const size_t lines = 1 + g->f->nsearches / g->wide, cols = g->n + g->wide;
    for (size_t line = 0; line < lines; line++)
        for (size_t col = 0; col < cols; col++) {
            size_t width = 0;
            for (size_t other = 0; other < lines; other++)
                width = strlen(cell(g, other, col)) > width ? strlen(cell(g, other, col)) : width;
            if (col + 1 == cols)
                fprintf(out, "  %s\n", cell(g, line, col));
            else
                fprintf(out, "  %-*s", (int)width, cell(g, line, col));
        }
}

void weft_sweep_find_text(FILE *out, const struct weft_sweep_find *f, const struct weft_sweep *s)
{
    fprintf(out, "\n%s\n", f->text);
    if (s->naxes > 2) {
        const struct grid g = make_grid(f, s);
        print_grid(out, &g);
    } else {
        lines(out, f, s);
    }
}

void weft_sweep_find_json(struct weft_json *j, const struct weft_sweep_find *f,
                          const struct weft_sweep *s)
{
    weft_json_kv_object(j, "find");
    weft_json_kv_str(j, "expression", f->text);
    weft_json_kv_array(j, "answers");
    for (size_t i = 0; i < f->nsearches; i++) {
        size_t row;
        const char *value = answer(f, s, i, &row);
        weft_json_object(j);
        weft_json_kv_object(j, "settings");
        for (size_t c = 0; c < s->ncolumns; c++)
            if (s->column[c].axis != f->axis)
                weft_json_kv_str(j, weft_sweep_key(s, c), weft_sweep_value(s, c, row));
        weft_json_end_object(j);
        weft_json_kv_str(j, "value", value);
        weft_json_kv_bool(j, "searched", f->search[i].over && !f->search[i].unknown);
        weft_json_end_object(j);
    }
    weft_json_end_array(j);
    weft_json_end_object(j);
}

int weft_sweep_find_csv(const char *dir, const struct weft_sweep_find *f,
                        const struct weft_sweep *s, struct weft_err *err)
{
    const char *names[WEFT_SWEEP_KEYS];
    char path[WEFT_PATH_MAX];
    size_t n = 0;
    for (size_t c = 0; c < s->ncolumns; c++)
        if (s->column[c].axis != f->axis)
            names[n++] = weft_sweep_key(s, c);
    names[n++] = s->axis[f->axis].key[0];
    if (weft_path_join(path, dir, "find.csv", err))
        return err->code;
    struct weft_csv *csv = weft_csv_open(path, names, n, err);
    for (size_t i = 0; csv && i < f->nsearches; i++) {
        size_t row;
        const char *value = answer(f, s, i, &row);
        for (size_t c = 0; c < s->ncolumns; c++)
            if (s->column[c].axis != f->axis)
                weft_csv_str(csv, weft_sweep_value(s, c, row));
        weft_csv_str(csv, value); /* empty: none */
        if (weft_csv_row(csv, err))
            break;
    }
    struct weft_err unclosed = {0};
    if (weft_csv_close(csv, &unclosed) && !err->code)
        *err = unclosed;
    return err->code;
}
