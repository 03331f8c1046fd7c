/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the time of ranks went: computing, exposed communication by cause, idle. One run: a bar for
 * each rank; several: one for the mean rank of each.
 */
#include "plot/causes.h"
#include "plot/plot.h"

#include "base/grow.h"

#include <math.h>
#include <stdlib.h>

enum { BARS_MAX = 64, NAMED_BARS = 32, OTHERS_COLOUR = 13 };
/* Of the time of a bar: what is less cannot be seen. */
#define LEAST_SHARE 0.005

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
    if (!WEFT_GROW(r->bars, r->n, &r->cap))
        return weft_err_no_memory(err, "ranks");
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

/* Whether a part is too small to be seen in any bar. */
static bool is_folded(const struct bar *bars, size_t n, size_t part)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        any |= bars[i].ns[part] > 0;
        if (bars[i].ns[part] > LEAST_SHARE * bars[i].end_ns)
            return false;
    }
    return any;
}

static void draw_part(struct weft_curve *c, const struct bar *bars, size_t n, size_t part,
                      double divisor, double *top)
{
    for (size_t i = 0; i < n; i++) {
        if (!(bars[i].ns[part] > 0))
            continue;
        const double to = top[i] + bars[i].ns[part] / divisor, x = (double)i;
        weft_curve_point(c, (const double[]){x - 0.4, x + 0.4, top[i], to});
        top[i] = to;
    }
}

static bool has_part(const struct bar *bars, size_t n, size_t part)
{
    for (size_t i = 0; i < n; i++)
        if (bars[i].ns[part] > 0)
            return true;
    return false;
}

/* The ends of the axis below @p n bars, of which a few are no wider than of many. */
static void exposed_room(struct weft_panel *p, size_t n)
{
    const double middle = ((double)n - 1) / 2, half = fmax((double)n / 2 + 0.1, 2.5);
    p->x.from = middle - half;
    p->x.to = middle + half;
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
    exposed_room(p, n);
    struct weft_curve *others = NULL;
    for (size_t k = 0; k < PARTS && top; k++)
        if (has_part(bars, n, k) && !is_folded(bars, n, k))
            draw_part(
                weft_curve_add(p, WEFT_MARK_BOXES, weft_causes[k].colour, weft_causes[k].label),
                bars, n, k, u.divisor, top);
    for (size_t k = 0; k < PARTS && top; k++) {
        if (!is_folded(bars, n, k))
            continue;
        others =
            others ? others
                   : weft_curve_add(p, WEFT_MARK_BOXES, OTHERS_COLOUR, "others, below 0.5 % each");
        draw_part(others, bars, n, k, u.divisor, top);
    }
    for (size_t i = 0; i < n; i += 1 + n / (NAMED_BARS + 1))
        weft_axis_tick(p, &p->x, (double)i, bars[i].label);
    free(top);
}

/* What exposed communication was for: kinds of parallelism of training jobs, mean of all ranks. */
static const struct {
    const char *figure, *label;
    int colour;
} kinds[] = {
    {"exposed_tp_mean_ns", "tensor parallelism (tp)", 0},
    {"exposed_cp_mean_ns", "context parallelism (cp)", 5},
    {"exposed_ep_mean_ns", "expert parallelism (ep)", 3},
    {"exposed_dp_mean_ns", "data parallelism (dp)", 2},
    {"exposed_pp_mean_ns", "pipeline (pp) and its bubble", 4},
    {"exposed_other_mean_ns", "anything else", 13},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void draw_kinds(const struct weft_runs *runs, struct weft_figure *f)
{
    double most = 0, *top = calloc(runs->n + 1, sizeof *top);
    bool known = false;
    f->lost |= !top;
    for (size_t i = 0; i < runs->n; i++) {
        double sum = 0;
        for (size_t k = 0; k < KINDS; k++) {
            const double ns = weft_run_figure(&runs->run[i], kinds[k].figure);
            sum += ns > 0 ? ns : 0;
            known |= ns > 0 && k + 1 < KINDS;
        }
        most = fmax(most, sum);
    }
    if (known && top) {
        const struct weft_figure_unit u = weft_figure_time_unit(most);
        struct weft_panel *p =
            weft_panel_add(f, "what exposed communication was for, mean of all ranks",
                           runs->n > 1 ? "run" : "", weft_figure_printf(f, "time (%s)", u.name));
        p->y.from = 0;
        exposed_room(p, runs->n);
        for (size_t k = 0; k < KINDS; k++) {
            struct weft_curve *c = NULL;
            for (size_t i = 0; i < runs->n; i++) {
                const double ns = weft_run_figure(&runs->run[i], kinds[k].figure), x = (double)i;
                if (!(ns > 0))
                    continue;
                c = c ? c : weft_curve_add(p, WEFT_MARK_BOXES, kinds[k].colour, kinds[k].label);
                weft_curve_point(
                    c, (const double[]){x - 0.4, x + 0.4, top[i], top[i] + ns / u.divisor});
                top[i] += ns / u.divisor;
            }
        }
        for (size_t i = 0; i < runs->n; i += 1 + runs->n / (NAMED_BARS + 1))
            weft_axis_tick(p, &p->x, (double)i, runs->n > 1 ? runs->run[i].label : "mean");
    }
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
        if (!code && r.n && !WEFT_GROW(all.bars, all.n, &all.cap))
            code = weft_err_no_memory(err, "ranks");
        if (!code && r.n)
            all.bars[all.n++] = r.bars[0];
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
    if (!code && all.n) {
        exposed_draw(f, all.bars, all.n, runs->n > 1 ? "run" : "rank");
        draw_kinds(runs, f);
    } else if (!code)
        code = weft_plot_nothing(err, "no ranks (ranks.csv) in %s", runs->run[0].dir);
    free(all.bars);
    return code;
}

const struct weft_plot weft_plot_exposed = {
    "exposed", "where the time of ranks went: computing, exposed communication by cause, idle",
    "ranks.csv", exposed_derive};
