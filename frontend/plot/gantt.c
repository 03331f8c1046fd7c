/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ranks did over time: a row for each, above computation, below communication. Boxes too
 * narrow to be seen are drawn together with their neighbours of the same kind.
 */
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 32, RUNS_MAX = 6, PIXELS = 1600 };

/* Kinds of operations, what the legend calls them. The upper half of a row is computation. */
static const struct {
    const char *kind, *label;
    int colour;
    bool upper;
} kinds[] = {
    {"compute", "compute", 6, true},        {"cpu", "CPU", 12, true},
    {"memory", "memory", 13, true},         {"all-reduce", "all-reduce", 0, false},
    {"all-gather", "all-gather", 2, false}, {"reduce-scatter", "reduce-scatter", 4, false},
    {"all-to-all", "all-to-all", 1, false}, {"send", "send", 3, false},
    {"recv", "receive", 10, false},         {NULL, "other communication", 5, false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct box {
    double from, to;
    uint32_t row, kind;
};

struct reading {
    const struct weft_runs *runs;
    struct weft_arena *arena;
    const char **row; /* names */
    size_t nrows, cap_rows;
    struct box *box;
    size_t n, cap;
    size_t last; /* the row of the operation before */
};

static int no_memory(struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for operations");
}

static uint32_t kind_of(const char *word)
{
    uint32_t k = 0;
    while (kinds[k].kind && strcmp(kinds[k].kind, word) != 0)
        k++;
    return k;
}

/* The row of a rank, new when it is its first operation. */
static int row_of(struct reading *r, const char *job, const char *rank, uint32_t *out,
                  struct weft_err *err)
{
    char name[160];
    snprintf(name, sizeof name, "%.100s%srank %.20s", job, *job ? " " : "", rank);
    for (size_t i = 0; i < r->nrows; i++) {
        const size_t k = (r->last + 1 + i) % r->nrows; /* ranks come in turns */
        if (strcmp(r->row[k], name) == 0) {
            *out = (uint32_t)(r->last = k);
            return 0;
        }
    }
    if (r->nrows == r->cap_rows) {
        const size_t cap = r->cap_rows ? 2 * r->cap_rows : 64;
        const char **more = realloc(r->row, cap * sizeof *more);
        if (!more)
            return no_memory(err);
        r->row = more;
        r->cap_rows = cap;
    }
    r->row[r->nrows] = weft_arena_strdup(r->arena, name);
    *out = (uint32_t)(r->last = r->nrows);
    return r->row[r->nrows++] ? 0 : no_memory(err);
}

static int op_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct reading *r = ctx;
    struct box b = {.kind = kind_of(weft_row_text(row, 2))};
    if (weft_row_number(row, 3, &b.from, err) || weft_row_number(row, 4, &b.to, err) ||
        row_of(r, weft_row_text(row, 0), weft_row_text(row, 1), &b.row, err))
        return err->code;
    b.from = fmax(b.from, r->runs->from_ns);
    b.to = fmin(b.to, r->runs->to_ns);
    if (!(b.to > b.from) || strcmp(weft_row_text(row, 2), "meta") == 0)
        return 0;
    if (r->n == r->cap) {
        const size_t cap = r->cap ? 2 * r->cap : 4096;
        struct box *more = realloc(r->box, cap * sizeof *more);
        if (!more)
            return no_memory(err);
        r->box = more;
        r->cap = cap;
    }
    r->box[r->n++] = b;
    return 0;
}

/* By rank in order of its number, kind, time. */
static int by_place(const void *va, const void *vb)
{
    const struct box *a = va, *b = vb;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static int by_words(const void *a, const void *b)
{
    return weft_compare_names(*(const char *const *)a, *(const char *const *)b);
}

/* Numbers rows anew, in order of their names. -1: no memory. */
static int sort_rows(struct reading *r)
{
    const char **sorted = malloc(r->nrows * sizeof *sorted);
    uint32_t *place = malloc(r->nrows * sizeof *place);
    if (sorted && place) {
        memcpy(sorted, r->row, r->nrows * sizeof *sorted);
        qsort(sorted, r->nrows, sizeof *sorted, by_words);
        for (size_t i = 0; i < r->nrows; i++) {
            const char **at = bsearch(&r->row[i], sorted, r->nrows, sizeof *sorted, by_words);
            place[i] = (uint32_t)(at - sorted);
        }
        for (size_t i = 0; i < r->n; i++)
            r->box[i].row = place[r->box[i].row];
        memcpy(r->row, sorted, r->nrows * sizeof *sorted);
        qsort(r->box, r->n, sizeof *r->box, by_place);
    }
    const int rc = sorted && place ? 0 : -1;
    free(sorted);
    free(place);
    return rc;
}

/* Draws boxes of one kind; those that touch, or nearly so, as one. */
static void draw_kind(struct weft_panel *p, const struct reading *r, uint32_t kind, size_t every,
                      double least, const struct weft_figure_unit *u)
{
    struct weft_curve *c = NULL;
    for (size_t i = 0; i < r->n;) {
        struct box b = r->box[i++];
        if (b.kind != kind || b.row % every)
            continue;
        while (i < r->n && r->box[i].kind == kind && r->box[i].row == b.row &&
               r->box[i].from - b.to < least &&
               (b.to - b.from < least || r->box[i].to - r->box[i].from < least))
            b.to = fmax(b.to, r->box[i++].to);
        const double y = (double)b.row / (double)every + (kinds[kind].upper ? -0.4 : 0.02);
        c = c ? c : weft_curve_add(p, WEFT_MARK_BOXES, kinds[kind].colour, kinds[kind].label);
        weft_curve_point(c, (const double[]){b.from / u->divisor, b.to / u->divisor, y, y + 0.38});
    }
}

static size_t draw(struct weft_figure *f, const struct reading *r, const char *title)
{
    const size_t every = (r->nrows + ROWS_MAX - 1) / ROWS_MAX,
                 rows = (r->nrows + every - 1) / every;
    double from = INFINITY, to = 0;
    for (size_t i = 0; i < r->n; i++) {
        from = fmin(from, r->box[i].from);
        to = fmax(to, r->box[i].to);
    }
    const struct weft_figure_unit u = weft_figure_time_unit(to);
    struct weft_panel *p =
        weft_panel_add(f, title, weft_figure_printf(f, "simulated time (%s)", u.name), "");
    p->x.from = from / u.divisor;
    p->x.to = to / u.divisor;
    p->y.from = -0.6;
    p->y.to = (double)rows - 0.4;
    p->downwards = true;
    p->height = 130 + 22 * (double)rows;
    for (uint32_t k = 0; k < KINDS; k++)
        draw_kind(p, r, k, every, (to - from) / PIXELS, &u);
    for (size_t i = 0; i < rows; i++)
        weft_axis_tick(p, &p->y, (double)i, r->row[i * every]);
    return every;
}

static int add_run(const struct weft_runs *runs, size_t i, struct weft_figure *f, size_t *every,
                   struct weft_err *err)
{
    static const char *const columns[] = {"?job", "rank", "kind", "start_ns", "end_ns", NULL};
    struct reading r = {.runs = runs, .arena = runs->arena};
    int rc = weft_run_rows(&runs->run[i], "ops.csv", columns, op_row, &r, err);
    if (!rc && r.n && sort_rows(&r))
        rc = no_memory(err);
    if (!rc && r.n)
        *every = draw(f, &r, runs->n > 1 ? runs->run[i].label : "");
    free(r.box);
    free(r.row);
    return rc < 0 ? rc : 0;
}

static int derive(const struct weft_runs *runs, struct weft_figure *f, struct weft_err *err)
{
    size_t every = 1;
    for (size_t i = 0; i < runs->n && i < RUNS_MAX; i++)
        if (add_run(runs, i, f, &every, err))
            return err->code;
    f->title = "What ranks did over time";
    f->caption = weft_figure_printf(
        f,
        "A row for each rank%s: the upper half is computation, the lower communication. "
        "Communication below a free upper half is exposed: the rank waits for it.%s",
        every > 1 ? " (one in so many as fit)" : "",
        runs->n > RUNS_MAX ? " Only the first runs are shown." : "");
    if (!f->panels)
        return weft_plot_nothing(err, "no operations of ranks (ops.csv) in %s", runs->run[0].dir);
    return 0;
}

const struct weft_plot weft_plot_gantt = {
    "gantt", "what ranks did over time: computation and communication", "ops.csv", derive};
