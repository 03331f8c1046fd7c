/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads sweep.csv as numbers: axes and metrics. */
#include "plot/sweep_table.h"

#include "base/grow.h"
#include "base/units.h"
#include "plot/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_FROM = 20 };

/* A value as a number, in base units; NAN: it is none. */
static double number_of(const char *text, bool *bytes)
{
    struct weft_err ignored = {0};
    uint64_t u;
    int64_t ps;
    double f;
    *bytes = false;
    if (!weft_parse_f64(text, &f, &ignored))
        return f;
    if (!weft_parse_size_bytes(text, &u, &ignored)) {
        *bytes = true;
        return (double)u;
    }
    if (!weft_parse_time_ps(text, &ps, &ignored))
        return (double)ps / 1e6;
    return weft_parse_rate_bps(text, &u, &ignored) ? NAN : (double)u / 1e9;
}

/* The unit is what number_of gives its values. */
const char *weft_sweep_axis_label(struct weft_figure *f, const struct weft_sweep_axis *a)
{
    struct weft_err ignored = {0};
    int64_t ps;
    uint64_t bps;
    double plain;
    const char *x = a->text[0];
    const char *unit = a->bytes || !a->numbers || !weft_parse_f64(x, &plain, &ignored) ? NULL
                       : !weft_parse_time_ps(x, &ps, &ignored)                         ? "\u00b5s"
                       : !weft_parse_rate_bps(x, &bps, &ignored)                       ? "Gbps"
                                                                                       : NULL;
    return a->bytes ? weft_figure_printf(f, "%s (bytes, log scale)", a->key)
           : unit   ? weft_figure_printf(f, "%s (%s)", a->key, unit)
                    : a->key;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

/* What the column ends with that says how far from the reference a metric is. */
#define OFF "_off_pct"

/* "job.web.fct p50": "web: fct p50". */
static void name_workload(char *words, size_t size)
{
    char name[96], rest[96];
    if (sscanf(words, "job.%95[^.].%95[^\n]", name, rest) == 2)
        snprintf(words, size, "%.40s: %.50s", name, rest);
}

/* What a metric is called on an axis; *divisor: what values up to @p most are divided by. */
static const char *metric_label(struct weft_arena *arena, const char *key, double most,
                                double *divisor)
{
    char words[96];
    const bool off = ends_with(key, OFF);
    const char *of = off ? weft_arena_strndup(arena, key, strlen(key) - strlen(OFF)) : key;
    if (!of)
        return NULL;
    const struct weft_figure_unit unit = weft_figure_column_unit(of, most, words);
    name_workload(words, sizeof words);
    *divisor = off ? 1 : unit.divisor;
    if (off)
        return weft_arena_printf(arena, "%s, off by (%%)", words);
    return *unit.name ? weft_arena_printf(arena, "%s (%s)", words, unit.name)
                      : weft_arena_strdup(arena, words);
}

/* Places of the columns; ci95: -1 where a metric has none. */
struct columns {
    int folder, axis[WEFT_SWEEP_AXES], metric[WEFT_SWEEP_METRICS], ci95[WEFT_SWEEP_METRICS];
};

/* What columns begin with that are no axes, but what other sources have for a metric. */
#define REFERENCE "reference."

/* Which columns are axes and which metrics. */
static int sweep_table_read_header(struct weft_sweep_table *s, const struct weft_csv_reader *r,
                                   struct columns *of, struct weft_err *err)
{
    const int outcome = weft_csv_reader_column(r, "outcome");
    of->folder = weft_csv_reader_column(r, "folder");
    if (outcome < 0)
        return weft_err_set(err, WEFT_E_INPUT, "%s has no column 'outcome'", r->path);
    for (int i = 0; i < (int)r->ncolumns; i++) {
        const char *name = weft_arena_strdup(s->arena, r->name[i]);
        if (!name)
            return weft_err_no_memory(err, "a sweep");
        if (i < outcome && strncmp(name, REFERENCE, strlen(REFERENCE)) == 0)
            continue;
        if (i < outcome && s->naxes < WEFT_SWEEP_AXES) {
            of->axis[s->naxes] = i;
            s->axis[s->naxes++] = (struct weft_sweep_axis){.key = name, .numbers = true};
        } else if (i > outcome && s->nmetrics < WEFT_SWEEP_METRICS && strcmp(name, "seeds") != 0 &&
                   strcmp(name, "speed_up") != 0 && strcmp(name, "folder") != 0 &&
                   !ends_with(name, "_ci95")) {
            struct weft_sweep_metric *m = &s->metric[s->nmetrics];
            char ci95[128];
            snprintf(ci95, sizeof ci95, "%s_ci95", name);
            of->ci95[s->nmetrics] = weft_csv_reader_column(r, ci95);
            of->metric[s->nmetrics++] = i;
            *m = (struct weft_sweep_metric){.key = name};
        }
    }
    return 0;
}

static int sweep_table_grow(struct weft_sweep_table *s, struct weft_err *err)
{
    const size_t n = s->nrows, was = s->cap;
    size_t folders = was;
    if (!WEFT_GROW(s->folder, n, &folders))
        return weft_err_no_memory(err, "a sweep");
    for (size_t k = 0; k < s->naxes; k++) {
        size_t same = s->cap = was;
        if (!WEFT_GROW(s->axis[k].text, n, &same) || !WEFT_GROW(s->axis[k].v, n, &s->cap))
            return weft_err_no_memory(err, "a sweep");
    }
    for (size_t k = 0; k < s->nmetrics; k++) {
        size_t same = s->cap = was;
        if (!WEFT_GROW(s->metric[k].v, n, &same) || !WEFT_GROW(s->metric[k].ci95, n, &s->cap))
            return weft_err_no_memory(err, "a sweep");
    }
    return 0;
}

/* NAN: it says what else happened. */
static double value_of(const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    return *text && !*end ? v : NAN;
}

static int read_row(struct weft_sweep_table *s, const struct weft_csv_reader *r,
                    const struct columns *of, struct weft_err *err)
{
    if (sweep_table_grow(s, err))
        return err->code;
    s->folder[s->nrows] = weft_arena_strdup(s->arena, of->folder < 0 ? "" : r->field[of->folder]);
    if (!s->folder[s->nrows])
        return weft_err_no_memory(err, "a sweep");
    for (size_t k = 0; k < s->naxes; k++) {
        struct weft_sweep_axis *a = &s->axis[k];
        bool bytes, is_new = true;
        const char *text = weft_arena_strdup(s->arena, r->field[of->axis[k]]);
        if (!text)
            return weft_err_no_memory(err, "a sweep");
        a->text[s->nrows] = text;
        a->v[s->nrows] = number_of(text, &bytes);
        a->numbers &= !isnan(a->v[s->nrows]);
        a->bytes |= bytes;
        for (size_t i = 0; i < s->nrows; i++)
            is_new &= strcmp(a->text[i], text) != 0;
        a->n += is_new;
    }
    for (size_t k = 0; k < s->nmetrics; k++) {
        struct weft_sweep_metric *m = &s->metric[k];
        m->v[s->nrows] = value_of(r->field[of->metric[k]]);
        m->ci95[s->nrows] = of->ci95[k] < 0 ? NAN : value_of(r->field[of->ci95[k]]);
    }
    s->nrows++;
    return 0;
}

int weft_sweep_table_rows(struct weft_sweep_table *s, const char *dir, struct weft_err *err)
{
    struct weft_csv_reader r;
    struct columns of = {0};
    const char *path = weft_arena_printf(s->arena, "%s/sweep.csv", dir);
    if (!path)
        return weft_err_no_memory(err, "a sweep");
    int rc = weft_csv_reader_open(&r, path, err);
    rc = rc ? rc : sweep_table_read_header(s, &r, &of, err);
    while (!rc && (rc = weft_csv_reader_next(&r, err)) == 1)
        rc = read_row(s, &r, &of, err);
    weft_csv_reader_close(&r);
    return rc;
}

/* Chooses the units of metrics. */
static int scale_metrics(struct weft_sweep_table *s, struct weft_err *err)
{
    for (size_t k = 0; k < s->nmetrics; k++) {
        struct weft_sweep_metric *m = &s->metric[k];
        double most = 0, least = INFINITY;
        for (size_t i = 0; i < s->nrows; i++)
            if (!isnan(m->v[i])) {
                most = fmax(most, m->v[i]);
                least = fmin(least, m->v[i]);
            }
        m->axis = metric_label(s->arena, m->key, most, &m->divisor);
        m->log = least > 0 && most > LOG_FROM * least;
        if (m->log && least < 1e-3 * m->divisor) /* a unit between, not 1e-06 of the largest */
            m->axis = metric_label(s->arena, m->key, sqrt(least * most), &m->divisor);
        if (!m->axis)
            return weft_err_no_memory(err, "a sweep");
        for (size_t i = 0; i < s->nrows; i++) {
            m->v[i] /= m->divisor;
            m->ci95[i] /= m->divisor;
        }
    }
    return 0;
}

/* Whether two axes have as many values, and a value of the one goes with one of the other. */
static bool go_together(const struct weft_sweep_table *s, const struct weft_sweep_axis *a,
                        const struct weft_sweep_axis *b)
{
    for (size_t i = 0; i < s->nrows; i++)
        for (size_t k = 0; k < i; k++)
            if ((strcmp(a->text[i], a->text[k]) == 0) != (strcmp(b->text[i], b->text[k]) == 0))
                return false;
    return true;
}

/* Of settings that change together the first is drawn. */
static void forget_followers(struct weft_sweep_table *s)
{
    for (size_t k = s->naxes; k-- > 1;)
        for (size_t j = 0; j < k; j++)
            if (s->axis[j].n > 1 && go_together(s, &s->axis[j], &s->axis[k])) {
                free(s->axis[k].text);
                free(s->axis[k].v);
                memmove(&s->axis[k], &s->axis[k + 1], (s->naxes - k - 1) * sizeof s->axis[k]);
                s->naxes--;
                break;
            }
}

int weft_sweep_table_read(struct weft_sweep_table *s, const char *dir, struct weft_err *err)
{
    const int code = weft_sweep_table_rows(s, dir, err);
    if (!code)
        forget_followers(s);
    return code ? code : scale_metrics(s, err);
}

void weft_sweep_table_free(struct weft_sweep_table *s)
{
    free(s->folder);
    for (size_t k = 0; k < s->naxes; k++) {
        free(s->axis[k].text);
        free(s->axis[k].v);
    }
    for (size_t k = 0; k < s->nmetrics; k++) {
        free(s->metric[k].v);
        free(s->metric[k].ci95);
    }
}
