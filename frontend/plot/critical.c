/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The critical path over time: a row for each rank that it touches, boxes by what the time went by
 * with, lines where the path goes on at another rank.
 */
#include "plot/causes.h"
#include "plot/lanes.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>

enum { ROWS_MAX = 32, PIXELS = 1600, JUMPS_MAX = 400 };

struct reading {
    const struct weft_runs *runs;
    struct weft_lanes lanes;
    double ns[WEFT_CAUSES];
};

/* Columns of critical_path.csv before the causes. */
enum { JOB, RANK, BEGIN, END, CAUSES };

/* A step, its causes one after the other. */
static int step_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    double at, end, ns[WEFT_CAUSES], sum = 0;
    uint32_t lane;
    if (weft_row_number(row, BEGIN, &at, err) || weft_row_number(row, END, &end, err) ||
        weft_lane_of(&r->lanes, weft_row_text(row, JOB), weft_row_text(row, RANK), &lane, err))
        return err->code;
    for (size_t k = 0; k < WEFT_CAUSES; k++) {
        if (weft_row_number(row, CAUSES + k, &ns[k], err))
            return err->code;
        sum += ns[k];
    }
    for (size_t k = 0; k < WEFT_CAUSES && sum > 0; k++) {
        const double to = at + ns[k] * (end - at) / sum;
        const struct weft_lane_box b = {at, to, lane, (uint32_t)k};
        sum -= ns[k];
        r->ns[k] += to - at;
        at = to;
        if (weft_lane_add(&r->lanes, r->runs, b, err))
            return err->code;
    }
    return 0;
}

/* Where there are more ranks than rows, several become one, "rank 0 .. rank 3": at each moment the
 * path is in one place only. */
static void fold(struct weft_lanes *l, size_t most)
{
    const size_t each = (l->nrows + most - 1) / most;
    size_t rows = 0;
    if (each < 2)
        return;
    for (size_t i = 0; i < l->nrows; i += each) {
        const size_t last = i + each < l->nrows ? i + each - 1 : l->nrows - 1;
        const char *name =
            i < last ? weft_arena_printf(l->arena, "%s .. %s", l->row[i], l->row[last]) : l->row[i];
        l->row[rows++] = name ? name : "";
    }
    l->nrows = rows;
    for (size_t i = 0; i < l->n; i++)
        l->box[i].row /= (uint32_t)each;
}

/* Lines between rows where a box begins as one of another row ends. */
static void draw_jumps(const struct weft_lanes *l, struct weft_panel *p, double divisor)
{
    size_t jumps = 0;
    for (size_t i = 1; i < l->n; i++)
        jumps += l->box[i].row != l->box[i - 1].row;
    if (!jumps || jumps > JUMPS_MAX)
        return;
    struct weft_curve *c = weft_curve_add(p, WEFT_MARK_EDGES, WEFT_FIGURE_INK, "");
    for (size_t i = 1; i < l->n; i++) {
        const struct weft_lane_box *a = &l->box[i - 1], *b = &l->box[i];
        const double x = b->from_ns / divisor;
        if (a->row != b->row && fabs(a->to_ns - b->from_ns) < 0.01)
            weft_curve_point(c, (const double[]){x, (double)a->row, x, (double)b->row});
    }
}

static void critical_draw(struct weft_figure *f, struct reading *r, const char *title)
{
    struct weft_lanes *l = &r->lanes;
    double from, to, divisor, all = 0;
    weft_lanes_span(l, &from, &to);
    struct weft_panel *p = weft_panel_add_rows(f, title, "", from, to, l->nrows, &divisor);
    p->height = f->columns > 1 ? 70 + 16 * (double)l->nrows : 160 + 26 * (double)l->nrows;
    draw_jumps(l, p, divisor);
    weft_lanes_sort(l);
    for (size_t k = 0; k < WEFT_CAUSES; k++)
        all += r->ns[k];
    for (size_t k = 0; k < WEFT_CAUSES; k++) {
        const struct weft_lane_style s = {
            f->columns > 1 /* one legend for all */
                ? weft_causes[k].label
                : weft_figure_printf(f, "%s (%.3g %%)", weft_causes[k].label, 100 * r->ns[k] / all),
            weft_causes[k].colour, -0.36, 0.72};
        weft_lanes_draw(l, p, (uint32_t)k, &s, 1, (to - from) / PIXELS, divisor);
    }
    for (size_t i = 0; i < l->nrows; i++)
        weft_axis_tick(p, &p->y, (double)i, l->row[i]);
}

static int critical_add_run(const struct weft_runs *runs, size_t i, struct weft_figure *f,
                            struct weft_err *err)
{
    const char *columns[CAUSES + WEFT_CAUSES + 1] = {"?job", "rank", "begin_ns", "end_ns"};
    struct reading r = {.runs = runs, .lanes = {.arena = runs->arena}};
    for (size_t k = 0; k < WEFT_CAUSES; k++)
        columns[CAUSES + k] = weft_causes[k].column;
    int rc = weft_run_rows(&runs->run[i], "critical_path.csv", columns, step_row, &r, err);
    if (!rc && r.lanes.n)
        rc = weft_lanes_by_name(&r.lanes, err);
    if (!rc && r.lanes.n) {
        fold(&r.lanes, weft_plot_rows(f, ROWS_MAX));
        critical_draw(f, &r, runs->n > 1 ? runs->run[i].label : "");
    }
    weft_lanes_free(&r.lanes);
    return rc < 0 ? rc : 0;
}

static int critical_derive(const struct weft_runs *runs, struct weft_figure *f,
                           struct weft_err *err)
{
    const size_t n = weft_plot_runs(runs, f);
    for (size_t i = 0; i < n; i++)
        if (critical_add_run(runs, i, f, err))
            return err->code;
    f->title = "Critical path";
    f->caption = weft_figure_printf(
        f,
        "The chain of operations that the end-to-end time consists of: each could not begin before "
        "the one before it ended, so only what makes one of them shorter makes the run faster. A "
        "row for each rank that is on it, colours by what the time went by with (%s"
        "within an operation not in the order in which it happened), lines "
        "where it goes on at another rank.%s",
        f->columns > 1 ? "" : "shares of the path in the legend; ", weft_plot_left_out(runs, f));
    if (!f->panels)
        return weft_plot_nothing(err, "no critical path (critical_path.csv) in %s",
                                 runs->run[0].dir);
    return 0;
}

const struct weft_plot weft_plot_critical = {
    "critical-path", "the chain of operations that the end-to-end time consists of, over time",
    "critical_path.csv", critical_derive};
