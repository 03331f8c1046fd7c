/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a sweep found, from its sweep.csv: a panel for each metric. The axis whose values are
 * numbers (the one with most) is x; each combination of the others is a curve, or, with one other
 * of many numbers, a row of a heat map. Without an axis of numbers there is a bar for each row.
 */
#include "base/units.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    AXES_MAX = 8,
    METRICS_MAX = 16,
    HEAT_LEAST = 4,
    HEAT_CURVES = 7,
    NAMED_VALUES = 10,
    LOG_FROM = 20
};

struct axis {
    const char *key;
    bool numbers;      /* all values are */
    bool bytes;        /* they are sizes */
    size_t n;          /* different values */
    const char **text; /* of each row */
    double *v;
};

struct metric {
    const char *key, *axis; /* axis: its label */
    double divisor;
    bool log;  /* values differ by orders of magnitude */
    double *v; /* of each row; NAN: none */
};

struct sweep {
    struct weft_arena *arena;
    struct axis axis[AXES_MAX];
    struct metric metric[METRICS_MAX];
    size_t naxes, nmetrics, nrows, cap;
};

static int no_memory(struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for a sweep");
}

/* ---- reading ---- */

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

/* The label of an axis with the unit that number_of gives its values. */
static const char *axis_label(struct weft_figure *f, const struct axis *a)
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

/* What a metric is called on an axis; *divisor: what values up to @p most are divided by. */
static const char *metric_label(struct weft_arena *arena, const char *key, double most,
                                double *divisor)
{
    const struct weft_figure_unit time = weft_figure_time_unit(most),
                                  size = weft_figure_size_unit(most);
    const struct {
        const char *end, *unit;
        double divisor;
    } units[] = {{"_ns", time.name, time.divisor},
                 {"_bytes", size.name, size.divisor},
                 {"_bps", "Gbps", 1e9}};
    char words[96];
    const char *unit = NULL;
    size_t len = strlen(key);
    *divisor = 1;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (ends_with(key, units[i].end)) {
            unit = units[i].unit;
            *divisor = units[i].divisor;
            len -= strlen(units[i].end);
        }
    snprintf(words, sizeof words, "%.*s", (int)(len < 90 ? len : 90), key);
    for (char *p = words; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    return unit ? weft_arena_printf(arena, "%s (%s)", words, unit)
                : weft_arena_strdup(arena, words);
}

/* Which columns are axes and which metrics. */
static int read_header(struct sweep *s, const struct weft_csv_reader *r, int of_axis[AXES_MAX],
                       int of_metric[METRICS_MAX], struct weft_err *err)
{
    const int outcome = weft_csv_reader_column(r, "outcome");
    if (outcome < 0)
        return weft_err_set(err, WEFT_E_INPUT, "%s has no column 'outcome'", r->path);
    for (int i = 0; i < (int)r->ncolumns; i++) {
        const char *name = weft_arena_strdup(s->arena, r->name[i]);
        if (!name)
            return no_memory(err);
        if (i < outcome && s->naxes < AXES_MAX) {
            of_axis[s->naxes] = i;
            s->axis[s->naxes++] = (struct axis){.key = name, .numbers = true};
        } else if (i > outcome && s->nmetrics < METRICS_MAX && strcmp(name, "seeds") != 0 &&
                   strcmp(name, "speed_up") != 0 && !ends_with(name, "_ci95")) {
            struct metric *m = &s->metric[s->nmetrics];
            of_metric[s->nmetrics++] = i;
            *m = (struct metric){.key = name};
        }
    }
    return 0;
}

static int grow(struct sweep *s, struct weft_err *err)
{
    if (s->nrows < s->cap)
        return 0;
    const size_t cap = s->cap ? 2 * s->cap : 64;
    for (size_t k = 0; k < s->naxes; k++) {
        const char **text = realloc(s->axis[k].text, cap * sizeof *text);
        s->axis[k].text = text ? text : s->axis[k].text;
        double *v = realloc(s->axis[k].v, cap * sizeof *v);
        s->axis[k].v = v ? v : s->axis[k].v;
        if (!text || !v)
            return no_memory(err);
    }
    for (size_t k = 0; k < s->nmetrics; k++) {
        double *v = realloc(s->metric[k].v, cap * sizeof *v);
        if (!v)
            return no_memory(err);
        s->metric[k].v = v;
    }
    s->cap = cap;
    return 0;
}

static int read_row(struct sweep *s, const struct weft_csv_reader *r, const int *of_axis,
                    const int *of_metric, struct weft_err *err)
{
    if (grow(s, err))
        return err->code;
    for (size_t k = 0; k < s->naxes; k++) {
        struct axis *a = &s->axis[k];
        bool bytes, is_new = true;
        const char *text = weft_arena_strdup(s->arena, r->field[of_axis[k]]);
        if (!text)
            return no_memory(err);
        a->text[s->nrows] = text;
        a->v[s->nrows] = number_of(text, &bytes);
        a->numbers &= !isnan(a->v[s->nrows]);
        a->bytes |= bytes;
        for (size_t i = 0; i < s->nrows; i++)
            is_new &= strcmp(a->text[i], text) != 0;
        a->n += is_new;
    }
    for (size_t k = 0; k < s->nmetrics; k++) {
        char *end;
        const char *text = r->field[of_metric[k]];
        const double v = strtod(text, &end);
        s->metric[k].v[s->nrows] = *text && !*end ? v : NAN;
    }
    s->nrows++;
    return 0;
}

static int read_sweep(struct sweep *s, const char *dir, struct weft_err *err)
{
    struct weft_csv_reader r;
    int of_axis[AXES_MAX], of_metric[METRICS_MAX];
    const char *path = weft_arena_printf(s->arena, "%s/sweep.csv", dir);
    if (!path)
        return no_memory(err);
    int rc = weft_csv_reader_open(&r, path, err);
    rc = rc ? rc : read_header(s, &r, of_axis, of_metric, err);
    while (!rc && (rc = weft_csv_reader_next(&r, err)) == 1)
        rc = read_row(s, &r, of_axis, of_metric, err);
    weft_csv_reader_close(&r);
    return rc;
}

/* Chooses the units of metrics. */
static int scale_metrics(struct sweep *s, struct weft_err *err)
{
    for (size_t k = 0; k < s->nmetrics; k++) {
        struct metric *m = &s->metric[k];
        double most = 0, least = INFINITY;
        for (size_t i = 0; i < s->nrows; i++)
            if (!isnan(m->v[i])) {
                most = fmax(most, m->v[i]);
                least = fmin(least, m->v[i]);
            }
        m->axis = metric_label(s->arena, m->key, most, &m->divisor);
        m->log = least > 0 && most > LOG_FROM * least;
        if (!m->axis)
            return no_memory(err);
        for (size_t i = 0; i < s->nrows; i++)
            m->v[i] /= m->divisor;
    }
    return 0;
}

/* ---- drawing ---- */

/* The axis of numbers with most values; naxes: none. */
static size_t main_axis(const struct sweep *s, size_t without)
{
    size_t best = s->naxes;
    for (size_t k = 0; k < s->naxes; k++)
        if (k != without && s->axis[k].numbers && s->axis[k].n > 1 &&
            (best == s->naxes || s->axis[k].n > s->axis[best].n))
            best = k;
    return best;
}

/* The values of a row on all axes but @p without, which its curve is called by. */
static const char *row_name(struct weft_figure *f, const struct sweep *s, size_t row,
                            size_t without)
{
    const char *name = "";
    for (size_t k = 0; k < s->naxes; k++) {
        const struct axis *a = &s->axis[k];
        if (k == without || (a->n == 1 && s->naxes > 1))
            continue;
        const char *part =
            a->numbers ? weft_figure_printf(f, "%s %s", a->key, a->text[row]) : a->text[row];
        name = *name ? weft_figure_printf(f, "%s, %s", name, part) : part;
    }
    return name;
}

/* A metric over an axis of numbers, a curve for each combination of the others. Rows come with
 * equal values of the others in any order. */
static void draw_curves(struct weft_panel *p, const struct sweep *s, const struct metric *m,
                        size_t x)
{
    struct weft_figure *f = p->figure;
    int colour = 0;
    bool *done = calloc(s->nrows, sizeof *done);
    f->lost |= !done;
    for (size_t i = 0; i < s->nrows && done; i++) {
        if (done[i])
            continue;
        const char *name = row_name(f, s, i, x);
        struct weft_curve *c = weft_curve_add(p, WEFT_MARK_POINTS, colour++, name);
        for (double last = -INFINITY;;) { /* in the order of x */
            size_t next = s->nrows;
            for (size_t k = i; k < s->nrows; k++)
                if (!done[k] && strcmp(row_name(f, s, k, x), name) == 0 &&
                    s->axis[x].v[k] >= last &&
                    (next == s->nrows || s->axis[x].v[k] < s->axis[x].v[next]))
                    next = k;
            if (next == s->nrows)
                break;
            done[next] = true;
            last = s->axis[x].v[next];
            if (!isnan(m->v[next]))
                weft_curve_xy(c, last, m->v[next]);
        }
    }
    free(done);
}

/* The place of a value among those of its axis, from 0, in their order. */
static size_t rank_of(const struct axis *a, size_t nrows, double v)
{
    size_t rank = 0;
    for (size_t i = 0; i < nrows; i++) {
        bool first = a->v[i] < v;
        for (size_t k = 0; k < i && first; k++)
            first = a->v[k] != a->v[i];
        rank += first;
    }
    return rank;
}

static void draw_heat(struct weft_panel *p, const struct sweep *s, const struct metric *m, size_t x,
                      size_t y)
{
    struct weft_curve *c = weft_curve_add(p, WEFT_MARK_HEAT, 0, "");
    p->x.bytes = p->x.log = false;
    p->value.label = m->axis;
    for (size_t i = 0; i < s->nrows; i++) {
        const double at_x = (double)rank_of(&s->axis[x], s->nrows, s->axis[x].v[i]);
        const double at_y = (double)rank_of(&s->axis[y], s->nrows, s->axis[y].v[i]);
        if (at_y == 0)
            weft_axis_tick(p, &p->x, at_x, s->axis[x].text[i]);
        if (at_x == 0)
            weft_axis_tick(p, &p->y, at_y, s->axis[y].text[i]);
        if (!isnan(m->v[i]))
            weft_curve_point(
                c, (const double[]){at_x - 0.5, at_x + 0.5, at_y - 0.5, at_y + 0.5, m->v[i]});
    }
}

static void draw_bars(struct weft_panel *p, const struct sweep *s, const struct metric *m)
{
    struct weft_curve *c = weft_curve_add(p, WEFT_MARK_BOXES, 0, "");
    p->x.from = -0.6;
    p->x.to = (double)s->nrows - 0.4;
    for (size_t i = 0; i < s->nrows; i++) {
        const double at = (double)i;
        weft_axis_tick(p, &p->x, at, row_name(p->figure, s, i, s->naxes));
        if (!isnan(m->v[i]))
            weft_curve_point(c, (const double[]){at - 0.35, at + 0.35, 0, m->v[i]});
    }
}

/* Two axes of so many numbers that curves would be too many. */
static size_t heat_axis(const struct sweep *s, size_t x)
{
    const size_t y = x < s->naxes ? main_axis(s, x) : s->naxes;
    for (size_t k = 0; k < s->naxes; k++)
        if (k != x && k != y && s->axis[k].n > 1)
            return s->naxes;
    return y < s->naxes && s->axis[y].n >= HEAT_LEAST && s->axis[x].n >= HEAT_LEAST &&
                   s->axis[y].n > HEAT_CURVES / 2
               ? y
               : s->naxes;
}

static bool has_values(const struct sweep *s, const struct metric *m)
{
    for (size_t i = 0; i < s->nrows; i++)
        if (!isnan(m->v[i]))
            return true;
    return false;
}

/* Few values stand on the axis as they were given. */
static void name_values(struct weft_panel *p, const struct sweep *s, size_t x)
{
    const struct axis *a = &s->axis[x];
    for (size_t i = 0; i < s->nrows && a->n <= NAMED_VALUES; i++) {
        bool before = false;
        for (size_t k = 0; k < i; k++)
            before |= a->v[k] == a->v[i];
        if (!before)
            weft_axis_tick(p, &p->x, a->v[i], a->text[i]);
        if (p->x.log && a->v[i] > 0) { /* not on to the next power of ten */
            p->x.from = fmin(isnan(p->x.from) ? INFINITY : p->x.from, a->v[i] / 1.1);
            p->x.to = fmax(isnan(p->x.to) ? 0 : p->x.to, a->v[i] * 1.1);
        }
    }
}

static void draw(const struct sweep *s, struct weft_figure *f)
{
    const size_t x = main_axis(s, s->naxes), y = heat_axis(s, x);
    const char *x_label = x < s->naxes ? axis_label(f, &s->axis[x]) : "";
    for (size_t k = 0; k < s->nmetrics; k++) {
        const struct metric *m = &s->metric[k];
        if (!has_values(s, m))
            continue;
        const bool log = m->log && x < s->naxes && y == s->naxes;
        const char *y_label = y < s->naxes ? axis_label(f, &s->axis[y])
                              : log        ? weft_figure_printf(f, "%s, log scale", m->axis)
                                           : m->axis;
        struct weft_panel *p = weft_panel_add(f, y < s->naxes ? m->axis : "", x_label, y_label);
        p->height = 310;
        p->x.log = p->x.bytes = x < s->naxes && s->axis[x].bytes;
        if (y < s->naxes) {
            draw_heat(p, s, m, x, y);
            continue;
        }
        p->y.log = log;
        p->y.from = log ? NAN : x < s->naxes && strstr(m->key, "slowdown") ? 1 : 0;
        if (x < s->naxes) {
            name_values(p, s, x);
            draw_curves(p, s, m, x);
        } else
            draw_bars(p, s, m);
    }
}

static void free_sweep(struct sweep *s)
{
    for (size_t k = 0; k < s->naxes; k++) {
        free(s->axis[k].text);
        free(s->axis[k].v);
    }
    for (size_t k = 0; k < s->nmetrics; k++)
        free(s->metric[k].v);
}

static int derive(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    struct sweep s = {.arena = runs->arena};
    if (!runs->sweep)
        return weft_plot_nothing(err, "%s is no folder of a sweep (sweep.csv)",
                                 runs->n ? runs->run[0].dir : "this");
    int code = read_sweep(&s, runs->sweep, err);
    code = code ? code : scale_metrics(&s, err);
    if (!code)
        draw(&s, f);
    f->title = "What the sweep found";
    f->caption =
        "A panel for each metric ('weft show output' explains them). Rows that did not come "
        "to a value have no point.";
    free_sweep(&s);
    if (!code && !f->panels)
        code = weft_plot_nothing(err, "no row of %s has a value", runs->sweep);
    return code;
}

const struct weft_plot weft_plot_sweep = {
    "sweep", "what a sweep found: metrics over what was varied, as lines, bars or heat map",
    "sweep.csv", derive};
