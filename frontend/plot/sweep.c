/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a sweep found, from its sweep.csv: a panel for each metric. The axis whose values are
 * numbers (the one with most) is x; each combination of the others is a curve, or, with one other
 * of many numbers, a row of a heat map. Without an axis of numbers there is a bar for each row.
 */
#include "plot/plot.h"
#include "plot/sweep_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAT_LEAST = 4, HEAT_CURVES = 7, HEAT_SAYS = 12, NAMED_VALUES = 10 };

/* The axis of numbers with most values; naxes: none. */
static size_t main_axis(const struct weft_sweep_table *s, size_t without)
{
    size_t best = s->naxes;
    for (size_t k = 0; k < s->naxes; k++)
        if (k != without && s->axis[k].numbers && s->axis[k].n > 1 &&
            (best == s->naxes || s->axis[k].n > s->axis[best].n))
            best = k;
    return best;
}

/* Whether a value of an axis is clear with the axis's key alone. */
static bool needs_key(const struct weft_sweep_axis *a, const char *text)
{
    return a->numbers || strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

/* The values of a row on all axes but @p without, which its curve is called by. */
static const char *row_name(struct weft_figure *f, const struct weft_sweep_table *s, size_t row,
                            size_t without)
{
    const char *name = "";
    for (size_t k = 0; k < s->naxes; k++) {
        const struct weft_sweep_axis *a = &s->axis[k];
        if (k == without || (a->n == 1 && s->naxes > 1))
            continue;
        const char *part = needs_key(a, a->text[row])
                               ? weft_figure_printf(f, "%s %s", a->key, a->text[row])
                               : a->text[row];
        name = *name ? weft_figure_printf(f, "%s, %s", name, part) : part;
    }
    return name;
}

/* The confidence interval of a mean over seeds, where it has one, from where the axis begins: of a
 * line that begins below, gnuplot does not see how high it goes. On a log scale it ends above 0. */
static void draw_interval(struct weft_panel *p, struct weft_curve **c, int colour, double x,
                          double y, double ci95)
{
    if (!(ci95 > 0))
        return;
    const double low = fmax(y - ci95, p->y.log ? y / 10 : p->y.from);
    *c = *c ? *c : weft_curve_add(p, WEFT_MARK_EDGES, colour, "");
    weft_curve_point(*c, (const double[]){x, low, x, y + ci95});
}

/* A metric over an axis of numbers, a curve for each combination of the others. Rows come with
 * equal values of the others in any order. */
static void draw_curves(struct weft_panel *p, const struct weft_sweep_table *s,
                        const struct weft_sweep_metric *m, size_t x)
{
    struct weft_figure *f = p->figure;
    int colour = 0;
    bool *done = calloc(s->nrows, sizeof *done);
    f->lost |= !done;
    for (size_t i = 0; i < s->nrows && done; i++) {
        if (done[i])
            continue;
        const char *name = row_name(f, s, i, x);
        struct weft_curve *c = weft_curve_add(p, WEFT_MARK_POINTS, colour, name);
        struct weft_curve *bars = NULL;
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
            if (isnan(m->v[next]))
                continue;
            weft_curve_xy(c, last, m->v[next]);
            draw_interval(p, &bars, colour, last, m->v[next], m->ci95[next]);
        }
        colour++;
    }
    free(done);
}

/* The place of a value among those of its axis, from 0, in their order. */
static size_t plot_sweep_rank_of(const struct weft_sweep_axis *a, size_t nrows, double v)
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

static void draw_heat(struct weft_panel *p, const struct weft_sweep_table *s,
                      const struct weft_sweep_metric *m, size_t x, size_t y)
{
    struct weft_curve *c = weft_curve_add(p, WEFT_MARK_HEAT, 0, "");
    p->x.bytes = p->x.log = false;
    p->value.label = m->axis;
    p->says_values = s->axis[x].n <= HEAT_SAYS && s->axis[y].n <= HEAT_SAYS;
    for (size_t i = 0; i < s->nrows; i++) {
        const double at_x = (double)plot_sweep_rank_of(&s->axis[x], s->nrows, s->axis[x].v[i]);
        const double at_y = (double)plot_sweep_rank_of(&s->axis[y], s->nrows, s->axis[y].v[i]);
        if (at_y == 0)
            weft_axis_tick(p, &p->x, at_x, s->axis[x].text[i]);
        if (at_x == 0)
            weft_axis_tick(p, &p->y, at_y, s->axis[y].text[i]);
        if (!isnan(m->v[i]))
            weft_curve_point(
                c, (const double[]){at_x - 0.5, at_x + 0.5, at_y - 0.5, at_y + 0.5, m->v[i]});
    }
}

static void draw_bars(struct weft_panel *p, const struct weft_sweep_table *s,
                      const struct weft_sweep_metric *m)
{
    struct weft_curve *intervals = NULL;
    struct weft_curve *c = weft_curve_add(p, WEFT_MARK_BOXES, 0, "");
    p->x.from = -0.6;
    p->x.to = (double)s->nrows - 0.4;
    for (size_t i = 0; i < s->nrows; i++) {
        const double at = (double)i;
        weft_axis_tick(p, &p->x, at, row_name(p->figure, s, i, s->naxes));
        if (!isnan(m->v[i]))
            weft_curve_point(c, (const double[]){at - 0.35, at + 0.35, 0, m->v[i]});
    }
    for (size_t i = 0; i < s->nrows; i++)
        if (!isnan(m->v[i]))
            draw_interval(p, &intervals, WEFT_FIGURE_INK, (double)i, m->v[i], m->ci95[i]);
}

/* The axis whose values stand side by side in groups of bars: the last one of a few values;
 * naxes: there are no groups. */
static size_t group_axis(const struct weft_sweep_table *s)
{
    size_t varied = 0, last = s->naxes;
    for (size_t k = 0; k < s->naxes; k++)
        if (s->axis[k].n > 1) {
            varied++;
            last = s->axis[k].n <= HEAT_CURVES ? k : last;
        }
    return varied > 1 ? last : s->naxes;
}

/* The first row that is alike; *rank: how many others are not, each counted once. */
static size_t first_alike(const struct weft_sweep_table *s, size_t row, size_t *rank,
                          bool (*alike)(const struct weft_sweep_table *s, size_t a, size_t b))
{
    *rank = 0;
    for (size_t i = 0; i < s->nrows; i++) {
        bool known = false;
        if (alike(s, i, row))
            return i;
        for (size_t k = 0; k < i; k++)
            known |= alike(s, k, i);
        *rank += !known;
    }
    return row;
}

static bool same_bar(const struct weft_sweep_table *s, size_t a, size_t b)
{
    const struct weft_sweep_axis *by = &s->axis[group_axis(s)];
    return strcmp(by->text[a], by->text[b]) == 0;
}

static bool same_group(const struct weft_sweep_table *s, size_t a, size_t b)
{
    const size_t by = group_axis(s);
    for (size_t k = 0; k < s->naxes; k++)
        if (k != by && strcmp(s->axis[k].text[a], s->axis[k].text[b]) != 0)
            return false;
    return true;
}

/* Groups of bars, one for each combination of all axes but @p by. */
static void draw_groups(struct weft_panel *p, const struct weft_sweep_table *s,
                        const struct weft_sweep_metric *m, size_t by)
{
    const double width = 0.8 / (double)s->axis[by].n;
    struct weft_curve *bars[HEAT_CURVES] = {NULL}, *intervals = NULL;
    size_t groups = 0;
    for (size_t i = 0; i < s->nrows; i++) {
        size_t group, bar;
        if (first_alike(s, i, &group, same_group) == i)
            weft_axis_tick(p, &p->x, (double)group, row_name(p->figure, s, i, by));
        if (first_alike(s, i, &bar, same_bar) == i)
            bars[bar] = weft_curve_add(p, WEFT_MARK_BOXES, (int)bar, s->axis[by].text[i]);
        groups = group + 1 > groups ? group + 1 : groups;
        const double left = (double)group - 0.4 + (double)bar * width;
        if (!isnan(m->v[i]))
            weft_curve_point(bars[bar], (const double[]){left, left + width, 0, m->v[i]});
    }
    for (size_t i = 0; i < s->nrows; i++) {
        size_t group, bar;
        first_alike(s, i, &group, same_group);
        first_alike(s, i, &bar, same_bar);
        if (!isnan(m->v[i]))
            draw_interval(p, &intervals, WEFT_FIGURE_INK,
                          (double)group - 0.4 + ((double)bar + 0.5) * width, m->v[i], m->ci95[i]);
    }
    p->x.from = -0.6;
    p->x.to = (double)groups - 0.4;
}

/* Two axes of so many numbers that curves would be too many. */
static size_t heat_axis(const struct weft_sweep_table *s, size_t x)
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

/* Whether there is something to see: a value that is not 0. */
static bool has_values(const struct weft_sweep_table *s, const struct weft_sweep_metric *m)
{
    for (size_t i = 0; i < s->nrows; i++)
        if (!isnan(m->v[i]) && m->v[i] != 0)
            return true;
    return false;
}

/* "; 0 throughout: drops, ecn marks": metrics that have no panel; "" if all have one. */
static const char *all_zero(const struct weft_sweep_table *s, struct weft_figure *f)
{
    const char *text = "";
    for (size_t k = 0; k < s->nmetrics; k++) {
        bool any = false;
        for (size_t i = 0; i < s->nrows; i++)
            any |= !isnan(s->metric[k].v[i]);
        if (any && !s->metric[k].left_out && !has_values(s, &s->metric[k]))
            text = weft_figure_printf(
                f, "%s%s%s", text,
                *text ? ", " : " Without a panel, 0 in all rows: ", s->metric[k].key);
    }
    return *text ? weft_figure_printf(f, "%s.", text) : "";
}

/* The name of a metric, from its column: max_queue_bytes is max-queue. */
static const char *metric_name(struct weft_arena *arena, const char *key)
{
    static const char *const units[] = {"_ns", "_bytes", "_bps"};
    size_t n = strlen(key);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (n > strlen(units[i]) && strcmp(key + n - strlen(units[i]), units[i]) == 0)
            n -= strlen(units[i]);
    char *name = weft_arena_strndup(arena, key, n);
    for (char *at = name; at && *at; at++)
        *at = (char)(*at == '_' ? '-' : *at);
    return name ? name : "";
}

/* Leaves out all metrics but those of @p runs. */
static int plot_sweep_choose(struct weft_sweep_table *s, const struct weft_runs *runs,
                             struct weft_err *err)
{
    const char *names[WEFT_SWEEP_METRICS];
    for (size_t k = 0; k < s->nmetrics; k++) {
        names[k] = metric_name(s->arena, s->metric[k].key);
        s->metric[k].left_out = runs->nmetrics > 0;
    }
    for (size_t i = 0; i < runs->nmetrics; i++) {
        const char *name = runs->metrics[i];
        size_t k = 0;
        while (k < s->nmetrics && strcmp(names[k], name) != 0)
            k++;
        if (k == s->nmetrics)
            return weft_err_set(err, WEFT_E_INPUT, "%s has no metric '%s'%s", runs->sweep, name,
                                WEFT_MEANT(name, names, s->nmetrics, ""));
        s->metric[k].left_out = false;
    }
    return 0;
}

/* Whether some row has less than nothing: less than a reference. */
static bool goes_below(const struct weft_sweep_table *s, const struct weft_sweep_metric *m)
{
    for (size_t i = 0; i < s->nrows; i++)
        if (m->v[i] < 0)
            return true;
    return false;
}

/* Few values stand on the axis as they were given. */
static void name_values(struct weft_panel *p, const struct weft_sweep_table *s, size_t x)
{
    const struct weft_sweep_axis *a = &s->axis[x];
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

static void plot_sweep_draw(const struct weft_sweep_table *s, struct weft_figure *f)
{
    const size_t x = main_axis(s, s->naxes), y = heat_axis(s, x);
    const char *x_label = y < s->naxes   ? s->axis[x].key
                          : x < s->naxes ? weft_sweep_axis_label(f, &s->axis[x])
                                         : "";
    for (size_t k = 0; k < s->nmetrics; k++) {
        const struct weft_sweep_metric *m = &s->metric[k];
        if (m->left_out || !has_values(s, m))
            continue;
        const bool log = m->log && x < s->naxes && y == s->naxes;
        const char *y_label = y < s->naxes ? s->axis[y].key
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
        p->y.from = log || goes_below(s, m)                      ? NAN
                    : x < s->naxes && strstr(m->key, "slowdown") ? 1
                                                                 : 0;
        if (x < s->naxes) {
            name_values(p, s, x);
            draw_curves(p, s, m, x);
        } else if (group_axis(s) < s->naxes) {
            draw_groups(p, s, m, group_axis(s));
        } else {
            draw_bars(p, s, m);
        }
    }
}

/* "slowdown p99 over switch.buffer"; of several metrics what they are over. */
static const char *sweep_title(const struct weft_sweep_table *s, struct weft_figure *f)
{
    const char *over = "";
    for (size_t k = 0; k < s->naxes; k++)
        if (s->axis[k].n > 1)
            over = weft_figure_printf(f, "%s%s%s", over, *over ? ", " : "", s->axis[k].key);
    return *over ? weft_figure_printf(f, "Sweep over %s", over) : "What the sweep found";
}

static bool has_intervals(const struct weft_sweep_table *s)
{
    for (size_t k = 0; k < s->nmetrics; k++)
        for (size_t i = 0; i < s->nrows; i++)
            if (s->metric[k].ci95[i] > 0)
                return true;
    return false;
}

static int plot_sweep_derive(const struct weft_runs *runs, struct weft_figure *f,
                             struct weft_err *err)
{
    struct weft_sweep_table s = {.arena = runs->arena};
    if (!runs->sweep)
        return weft_plot_nothing(err, "%s is no folder of a sweep (sweep.csv)",
                                 runs->n ? runs->run[0].dir : "this");
    int code = weft_sweep_table_read(&s, runs->sweep, err);
    code = code ? code : plot_sweep_choose(&s, runs, err);
    if (!code)
        plot_sweep_draw(&s, f);
    f->title = sweep_title(&s, f);
    f->caption = weft_figure_printf(
        f,
        "A panel for each metric ('weft show output' explains them). Rows that did not come to "
        "a value have no point.%s%s",
        has_intervals(&s) ? " Values are means of the seeds, bars their 95 % confidence intervals."
                          : "",
        all_zero(&s, f));
    weft_sweep_table_free(&s);
    if (!code && !f->panels)
        code = weft_plot_nothing(err, "no row of %s has a value other than 0", runs->sweep);
    return code;
}

const struct weft_plot weft_plot_sweep = {
    "sweep", "what a sweep found: metrics over what was varied, as lines, bars or heat map",
    "sweep.csv", plot_sweep_derive};
