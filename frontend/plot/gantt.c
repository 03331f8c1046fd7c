/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ranks did over time: a row for each, above computation, below communication. Boxes too
 * narrow to be seen are drawn together with their neighbours of the same kind.
 */
#include "plot/lanes.h"
#include "plot/plot.h"

#include <string.h>

enum { ROWS_MAX = 32, PIXELS = 1600 };

/* Kinds of operations, what the legend calls them. The upper half of a row is computation. What is
 * known to be for one kind of parallelism has its colour, whatever collective it is. */
static const struct {
    const char *kind, *label;
    int colour;
    bool upper, thin; /* thin: a line behind the others */
} kinds[] = {
    {"recv", "receive posted", 10, false, true},
    {"tp", "tensor parallelism (tp)", 0, false, false},
    {"cp", "context parallelism (cp)", 5, false, false},
    {"ep", "expert parallelism (ep)", 3, false, false},
    {"dp", "data parallelism (dp)", 2, false, false},
    {"pp", "pipeline (pp)", 4, false, false},
    {"compute", "compute", 6, true, false},
    {"cpu", "CPU", 12, true, false},
    {"memory", "memory", 13, true, false},
    {"all-reduce", "all-reduce", 0, false, false},
    {"all-gather", "all-gather", 2, false, false},
    {"reduce-scatter", "reduce-scatter", 4, false, false},
    {"all-to-all", "all-to-all", 1, false, false},
    {"send", "send", 3, false, false},
    {NULL, "other communication", 7, false, false},
};
enum { OF_COLLECTIVES = 9, KINDS = sizeof kinds / sizeof kinds[0], OTHER = KINDS - 1 };

struct reading {
    const struct weft_runs *runs;
    struct weft_lanes lanes;
    bool training; /* the table says what communication is for */
};

static uint32_t gantt_kind_of(const char *word)
{
    uint32_t k = 0;
    while (kinds[k].kind && strcmp(kinds[k].kind, word) != 0)
        k++;
    return k;
}

static int op_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    const char *use = weft_row_text(row, 5), *kind = weft_row_text(row, 2);
    const bool known = *use && strcmp(kind, "recv") != 0;
    struct weft_lane_box b = {.kind = gantt_kind_of(known ? use : kind)};
    r->training |= known;
    if (weft_row_number(row, 3, &b.from_ns, err) || weft_row_number(row, 4, &b.to_ns, err) ||
        weft_lane_of(&r->lanes, weft_row_text(row, 0), weft_row_text(row, 1), &b.row, err))
        return err->code;
    return strcmp(kind, "meta") == 0 ? 0 : weft_lane_add(&r->lanes, r->runs, b, err);
}

static size_t gantt_draw(struct weft_figure *f, const struct weft_lanes *l, const char *title)
{
    const bool beside = f->columns > 1;
    const size_t most = weft_plot_rows(f, ROWS_MAX), every = (l->nrows + most - 1) / most,
                 rows = (l->nrows + every - 1) / every;
    double from, to, divisor;
    weft_lanes_span(l, &from, &to);
    struct weft_panel *p = weft_panel_add_rows(f, title, "", from, to, rows, &divisor);
    p->height = beside ? 70 + 14 * (double)rows : 130 + 22 * (double)rows;
    for (uint32_t k = 0; k < KINDS; k++) {
        const struct weft_lane_style s = {kinds[k].label, kinds[k].colour,
                                          kinds[k].upper  ? -0.4
                                          : kinds[k].thin ? 0.18
                                                          : 0.02,
                                          kinds[k].thin ? 0.06 : 0.38};
        weft_lanes_draw(l, p, k, &s, every, (to - from) / PIXELS, divisor);
    }
    for (size_t i = 0; i < rows; i++)
        weft_axis_tick(p, &p->y, (double)i, l->row[i * every]);
    return every;
}

static int gantt_add_run(const struct weft_runs *runs, size_t i, struct weft_figure *f,
                         size_t *every, struct weft_err *err)
{
    static const char *const columns[] = {"?job",   "rank",         "kind", "start_ns",
                                          "end_ns", "?parallelism", NULL};
    struct reading r = {runs, {.arena = runs->arena}};
    int rc = weft_run_rows(&runs->run[i], "ops.csv", columns, op_row, &r, err);
    for (size_t k = 0; k < r.lanes.n && r.training; k++)
        if (r.lanes.box[k].kind >= OF_COLLECTIVES)
            r.lanes.box[k].kind = OTHER;
    if (!rc && r.lanes.n)
        rc = weft_lanes_by_name(&r.lanes, err);
    if (!rc && r.lanes.n) {
        weft_lanes_sort(&r.lanes);
        *every = gantt_draw(f, &r.lanes, runs->n > 1 ? runs->run[i].label : "");
    }
    weft_lanes_free(&r.lanes);
    return rc < 0 ? rc : 0;
}

static int gantt_derive(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    const size_t n = weft_plot_runs(runs, f);
    size_t every = 1;
    for (size_t i = 0; i < n; i++)
        if (gantt_add_run(runs, i, f, &every, err))
            return err->code;
    f->title = "What ranks did over time";
    f->caption = weft_figure_printf(
        f,
        "A row for each rank%s: the upper half is computation, the lower communication. "
        "Communication below a free upper half is exposed: the rank waits for it. A thin line is a "
        "receive that waits for its sender.%s",
        every > 1 ? " (one in so many as fit)" : "", weft_plot_left_out(runs, f));
    if (!f->panels)
        return weft_plot_nothing(err, "no operations of ranks (ops.csv) in %s", runs->run[0].dir);
    return 0;
}

const struct weft_plot weft_plot_gantt = {
    "gantt", "what ranks did over time: computation and communication", "ops.csv", gantt_derive};
