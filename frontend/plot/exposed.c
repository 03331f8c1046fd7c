/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the time of ranks went: computing, exposed communication by cause, idle. One run: a bar for
 * each rank; several: one for the mean rank of each.
 */
#include "plot/causes.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

enum { BARS_MAX = 64 };

enum { PARTS = WEFT_CAUSES }; /* of a bar, from bottom to top */

struct bar {
    const char *label;
    double ns[PARTS], end_ns, exposed_ns;
};

struct reading {
    struct weft_arena *arena;
    struct bar *bars;
    size_t n, cap;
};

static int rank_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    struct bar b;
    const char *job = weft_row_text(row, PARTS + 2);
    if (r->n == r->cap) {
        const size_t cap = r->cap ? 2 * r->cap : 64;
        struct bar *more = realloc(r->bars, cap * sizeof *more);
        if (!more)
            return weft_err_no_memory(err, "ranks");
        r->bars = more;
        r->cap = cap;
    }
    for (size_t k = 0; k < PARTS; k++)
        if (weft_row_number(row, k, &b.ns[k], err))
            return err->code;
    if (weft_row_number(row, PARTS, &b.end_ns, err) ||
        weft_row_number(row, PARTS + 3, &b.exposed_ns, err))
        return err->code;
    b.label =
        weft_arena_printf(r->arena, "%s%s%s", job, *job ? " " : "", weft_row_text(row, PARTS + 1));
    if (!b.label)
        return weft_err_no_memory(err, "ranks");
    r->bars[r->n++] = b;
    return 0;
}

static int read_ranks(const struct weft_run *run, struct reading *r, struct weft_err *err)
{
    const char *columns[PARTS + 5] = {0};
    for (size_t k = 0; k < PARTS; k++)
        columns[k] = weft_causes[k].column;
    columns[PARTS] = "end_ns";
    columns[PARTS + 1] = "rank";
    columns[PARTS + 2] = "?job";
    columns[PARTS + 3] = "exposed_ns";
    const int rc = weft_run_rows(run, "ranks.csv", columns, rank_row, r, err);
    return rc < 0 ? rc : 0;
}

/* Of many ranks, as many groups side by side: from each the one that waited longest. */
static void thin_out(struct reading *r)
{
    const size_t of = (r->n + BARS_MAX - 1) / BARS_MAX;
    size_t n = 0;
    for (size_t from = 0; of > 1 && from < r->n; from += of) {
        size_t most = from;
        for (size_t i = from; i < from + of && i < r->n; i++)
            if (r->bars[i].exposed_ns > r->bars[most].exposed_ns)
                most = i;
        r->bars[n++] = r->bars[most];
    }
    r->n = of > 1 ? n : r->n;
}

/* The mean of all ranks as the only bar. */
static void average(struct reading *r, const char *label)
{
    struct bar mean = {.label = label};
    for (size_t i = 0; i < r->n; i++) {
        for (size_t k = 0; k < PARTS; k++)
            mean.ns[k] += r->bars[i].ns[k] / (double)r->n;
        mean.end_ns += r->bars[i].end_ns / (double)r->n;
    }
    if (r->n)
        r->bars[0] = mean;
    r->n = r->n > 0;
}

static void exposed_draw(struct weft_figure *f, const struct bar *bars, size_t n,
                         const char *x_label)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, bars[i].end_ns);
    const struct weft_figure_unit u = weft_figure_time_unit(most);
    struct weft_panel *p =
        weft_panel_add(f, "", x_label, weft_figure_printf(f, "time (%s)", u.name));
    double *top = calloc(n + 1, sizeof *top);
    f->lost |= !top;
    p->y.from = 0;
    p->x.from = -0.6;
    p->x.to = (double)n - 0.4;
    for (size_t k = 0; k < PARTS && top; k++) {
        struct weft_curve *c = NULL;
        for (size_t i = 0; i < n; i++) {
            if (!(bars[i].ns[k] > 0))
                continue;
            c = c ? c
                  : weft_curve_add(p, WEFT_MARK_BOXES, weft_causes[k].colour, weft_causes[k].label);
            const double to = top[i] + bars[i].ns[k] / u.divisor, x = (double)i;
            weft_curve_point(c, (const double[]){x - 0.4, x + 0.4, top[i], to});
            top[i] = to;
        }
    }
    for (size_t i = 0; i < n; i++)
        weft_axis_tick(p, &p->x, (double)i, bars[i].label);
    free(top);
}

static int exposed_derive(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    struct reading all = {.arena = runs->arena};
    int code = 0;
    for (size_t i = 0; i < runs->n && !code; i++) {
        struct reading r = {.arena = runs->arena};
        code = read_ranks(&runs->run[i], &r, err);
        if (!code && runs->n == 1) {
            all = r;
            break;
        }
        average(&r, runs->run[i].label);
        struct bar *more = code || !r.n ? all.bars : realloc(all.bars, (all.n + 1) * sizeof *more);
        if (!code && r.n && !more)
            code = weft_err_no_memory(err, "ranks");
        if (!code && r.n) {
            all.bars = more;
            all.bars[all.n++] = r.bars[0];
        }
        free(r.bars);
    }
    const size_t ranks = all.n;
    thin_out(&all);
    f->title =
        runs->n > 1 ? "Where the time went, mean of all ranks" : "Where the time of ranks went";
    f->caption = weft_figure_printf(
        f,
        "Compute is the accelerator at work; the parts above it are exposed communication: time in "
        "which a rank communicated and nothing else ran, by what it waited for. Communication that "
        "computation hides is not shown.%s",
        all.n < ranks ? " Of ranks side by side the one that waited longest is shown." : "");
    if (!code && all.n)
        exposed_draw(f, all.bars, all.n, runs->n > 1 ? "run" : "rank");
    else if (!code)
        code = weft_plot_nothing(err, "no ranks (ranks.csv) in %s", runs->run[0].dir);
    free(all.bars);
    return code;
}

const struct weft_plot weft_plot_exposed = {
    "exposed", "where the time of ranks went: computing, exposed communication by cause, idle",
    "ranks.csv", exposed_derive};
