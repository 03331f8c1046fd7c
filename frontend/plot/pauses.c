/* SPDX-License-Identifier: GPL-2.0-only */
/* The pause map: a row for each port that PFC stopped, over time. */
#include "plot/pause_list.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MAX = 40, PIXELS = 1300, HOPS = 4 };

static const char *const hop_names[HOPS] = {"stopped by where the congestion is",
                                            "by a node that was stopped itself (2nd hop)",
                                            "3rd hop", "4th hop and more"};

/* A port and priority. */
struct row {
    uint32_t port, prio, node, peer;
    double first_ns, total_ns;
    size_t place; /* from the top; SIZE_MAX: not shown */
};

struct rows {
    struct row *list;
    size_t n;
};

static int by_port(const void *va, const void *vb)
{
    const struct row *a = va, *b = vb;
    if (a->port != b->port)
        return a->port < b->port ? -1 : 1;
    return (a->prio > b->prio) - (a->prio < b->prio);
}

static int by_total(const void *va, const void *vb)
{
    const struct row *a = va, *b = vb;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return by_port(va, vb);
}

static int by_first(const void *va, const void *vb)
{
    const struct row *a = va, *b = vb;
    if (a->first_ns != b->first_ns)
        return a->first_ns < b->first_ns ? -1 : 1;
    return by_port(va, vb);
}

/* The ports that were stopped longest, in the order in which they were first. -1: no memory. */
static int choose_rows(const struct weft_pause_list *p, size_t most, struct rows *out)
{
    size_t n = 0;
    *out = (struct rows){.list = calloc(p->n + 1, sizeof *out->list)};
    if (!out->list)
        return -1;
    for (size_t i = 0; i < p->n; i++) {
        const struct weft_pause *x = &p->list[i];
        out->list[i] = (struct row){
            x->port, x->prio, x->node, x->peer, x->from_ns, x->to_ns - x->from_ns, SIZE_MAX};
    }
    qsort(out->list, p->n, sizeof *out->list, by_port);
    for (size_t i = 0; i < p->n; i++) {
        if (n && by_port(&out->list[n - 1], &out->list[i]) == 0) {
            out->list[n - 1].total_ns += out->list[i].total_ns;
            out->list[n - 1].first_ns = fmin(out->list[n - 1].first_ns, out->list[i].first_ns);
        } else {
            out->list[n++] = out->list[i];
        }
    }
    qsort(out->list, n, sizeof *out->list, by_total);
    qsort(out->list, n < most ? n : most, sizeof *out->list, by_first);
    out->n = n;
    return 0;
}

/* The pauses of a row and a hop; those closer than can be seen as one. */
static void draw_row(struct weft_curve *c, const struct weft_pause_list *p, const struct row *r,
                     size_t place, size_t hop, double least, double divisor)
{
    double from = NAN, to = NAN;
    for (size_t i = 0; i <= p->n; i++) {
        const struct weft_pause *x = i < p->n ? &p->list[i] : NULL;
        const size_t of = x && x->hop < HOPS ? x->hop : HOPS;
        if (x && (x->port != r->port || x->prio != r->prio || of != hop + 1))
            continue;
        if (x && x->from_ns - to < least) {
            to = fmax(to, x->to_ns);
            continue;
        }
        if (!isnan(from))
            weft_curve_point(c, (const double[]){from / divisor, fmax(to, from + least) / divisor,
                                                 (double)place - 0.4, (double)place + 0.4});
        from = x ? x->from_ns : NAN;
        to = x ? x->to_ns : NAN;
    }
}

static int plot_pauses_draw(const struct weft_pause_list *p, struct weft_figure *f,
                            const char *title, struct weft_err *err)
{
    static const int colours[HOPS] = {1, 4, 0, 5};
    const bool beside = f->columns > 1;
    const size_t most = weft_plot_rows(f, ROWS_MAX);
    struct rows rows;
    if (choose_rows(p, most, &rows))
        return weft_err_no_memory(err, "pauses");
    const size_t shown = rows.n < most ? rows.n : most;
    double from = INFINITY, to = 0;
    for (size_t i = 0; i < p->n; i++) {
        from = fmin(from, p->list[i].from_ns);
        to = fmax(to, p->list[i].to_ns);
    }
    double divisor;
    struct weft_panel *panel =
        weft_panel_add_rows(f, title, "port that had to stop", from, to, shown, &divisor);
    panel->height = (beside ? 70 : 140) + 17 * (double)shown;
    for (size_t h = 0; h < HOPS; h++) {
        struct weft_curve *c = weft_curve_add(panel, WEFT_MARK_BOXES, colours[h], hop_names[h]);
        for (size_t i = 0; i < shown; i++)
            draw_row(c, p, &rows.list[i], i, h, (to - from) / PIXELS, divisor);
    }
    for (size_t i = 0; i < shown; i++) {
        const struct row *r = &rows.list[i];
        const char *name = weft_figure_printf(f, "%s to %s, p%u", p->node[r->node].name,
                                              p->node[r->peer].name, r->prio);
        weft_axis_tick(
            panel, &panel->y, (double)i,
            beside ? name
                   : weft_figure_printf(f, "%s: %s", name, weft_figure_time(f, r->total_ns)));
    }
    f->caption = weft_figure_printf(
        f,
        "A row for each port and priority that PFC stopped, in the order in which it first was%s. "
        "A "
        "port that is stopped by a node which is free itself stands next to the congestion; "
        "further hops are victims to which the pause spread.%s",
        *title ? weft_figure_printf(f, "; %zu at most of a run, those stopped longest", most)
        : shown < rows.n
            ? weft_figure_printf(f, ": the %zu of %zu that were stopped longest", shown, rows.n)
            : "",
        beside ? ""
               : weft_figure_printf(f,
                                    " Behind its name stands how long it was stopped in all: "
                                    "pauses less than %s apart are drawn as one.",
                                    weft_figure_time(f, (to - from) / PIXELS)));
    free(rows.list);
    return 0;
}

static int plot_pauses_derive(const struct weft_runs *runs, struct weft_figure *f,
                              struct weft_err *err)
{
    f->title = "PFC pauses";
    return weft_pause_list_draw(runs, f, plot_pauses_draw, err);
}

const struct weft_plot weft_plot_pauses = {
    "pauses", "PFC pause map: which ports were stopped when, and how far from the congestion",
    "pfc.csv", plot_pauses_derive};
