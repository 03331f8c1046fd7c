/* SPDX-License-Identifier: GPL-2.0-only */
/* The fabric with the use of its links as colours, from links.csv. Fabrics without switches lie on
 * a circle. */
#include "plot/links.h"
#include "plot/folded.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SORTS = 12, DIMS_MAX = 60 };

static int link_row(void *ctx, const struct weft_row *row, struct weft_err *err)
{
    struct weft_folded_link x = {0};
    double dim;
    if (weft_row_number(row, 2, &dim, err) || weft_row_number(row, 3, &x.util, err) ||
        weft_row_number(row, 4, &x.rate, err))
        return err->code;
    x.dim = (int)fmax(0, fmin(dim, DIMS_MAX));
    return weft_folded_add(ctx, weft_row_text(row, 0), weft_row_text(row, 1), x, err);
}

/* Links of one dimension, tier and rate. */
struct sort {
    uint32_t level;
    double rate, n, util;
};

/* Sorts links into kinds, the further ones into the last. Returns how many there are. */
static size_t sort_links(struct weft_folded *f, struct sort sorts[SORTS])
{
    size_t n = 0;
    for (size_t i = 0; i < f->nlinks; i++) {
        struct weft_folded_link *l = &f->link[i];
        size_t k = 0;
        while (k < n && (sorts[k].level != l->level || sorts[k].rate != l->rate))
            k++;
        if (k == n && n < SORTS)
            sorts[n++] = (struct sort){l->level, l->rate, 0, 0};
        l->sort = (uint32_t)(k < n ? k : n - 1);
        sorts[l->sort].n++;
        sorts[l->sort].util += l->util;
    }
    return n;
}

/* "64 of 100 Gbps in dimension 0, tier 1 ...". */
static const char *plot_links_describe(struct weft_folded *f, struct weft_figure *figure)
{
    struct sort sorts[SORTS];
    const size_t n = sort_links(f, sorts);
    const char *all = "";
    for (size_t k = 0; k < n; k++)
        all =
            weft_figure_printf(figure,
                               "%s%s%.0f of %.4g Gbps in dimension %u, tier %u (in use %.1f %% of "
                               "the time, on average)",
                               all, *all ? ", " : "", sorts[k].n, sorts[k].rate / 1e9,
                               sorts[k].level / WEFT_FOLDED_TIERS,
                               sorts[k].level % WEFT_FOLDED_TIERS, sorts[k].util / sorts[k].n);
    return all;
}

static void plot_links_place(struct weft_folded *f)
{
    int y = 0;
    for (size_t i = 0; i < f->nitems;) {
        const size_t n = weft_folded_row(f, f->item[i].row);
        for (size_t k = 0; k < n; k++, i++) {
            struct weft_folded_item *x = &f->item[i];
            const double angle = 6.283185307179586 * (double)k / (double)n;
            x->x = f->switches ? ((double)k + 0.5) / (double)n : 0.5 + 0.42 * sin(angle);
            x->y = f->switches ? -y : 1.5 * cos(angle);
        }
        y++;
    }
}

/* The busiest link between each pair of items, and within each. */
static void draw_links(struct weft_folded *f, struct weft_curve *c)
{
    double *most = malloc(f->nitems * sizeof *most);
    for (size_t i = 0; i < f->nitems && most; i++) {
        for (size_t k = 0; k < f->nitems; k++)
            most[k] = NAN;
        for (size_t l = 0; l < f->nlinks; l++) {
            const uint32_t a = f->node[f->link[l].a]->item, b = f->node[f->link[l].b]->item;
            if (a == i || b == i)
                most[a == i ? b : a] = fmax(most[a == i ? b : a], f->link[l].util);
        }
        f->item[i].inside = most[i];
        for (size_t k = i + 1; k < f->nitems; k++)
            if (!isnan(most[k]))
                weft_curve_point(c, (const double[]){f->item[i].x, f->item[i].y, f->item[k].x,
                                                     f->item[k].y, most[k]});
    }
    c->figure->lost |= !most;
    free(most);
}

/* The sort of links between each pair of items. */
static void draw_sorts(struct weft_folded *f, struct weft_panel *p)
{
    struct sort sorts[SORTS];
    struct weft_curve *curve[SORTS] = {0};
    const size_t n = sort_links(f, sorts);
    uint32_t *between = malloc(f->nitems * sizeof *between);
    for (size_t k = 0; k < n; k++)
        curve[k] = weft_curve_add(
            p, WEFT_MARK_EDGES, (int)k,
            weft_figure_printf(p->figure, "%.0f links of %.4g Gbps, dimension %u, tier %u",
                               sorts[k].n, sorts[k].rate / 1e9, sorts[k].level / WEFT_FOLDED_TIERS,
                               sorts[k].level % WEFT_FOLDED_TIERS));
    for (size_t i = 0; i < f->nitems && between; i++) {
        memset(between, 0xff, f->nitems * sizeof *between);
        for (size_t l = 0; l < f->nlinks; l++) {
            const uint32_t a = f->node[f->link[l].a]->item, b = f->node[f->link[l].b]->item;
            if (a == i || b == i)
                between[a == i ? b : a] = f->link[l].sort;
        }
        for (size_t k = i + 1; k < f->nitems; k++)
            if (between[k] != UINT32_MAX)
                weft_curve_point(curve[between[k]], (const double[]){f->item[i].x, f->item[i].y,
                                                                     f->item[k].x, f->item[k].y});
    }
    p->figure->lost |= !between;
    free(between);
}

static void draw_items(const struct weft_folded *f, struct weft_panel *p)
{
    struct weft_curve *hosts = weft_curve_add(p, WEFT_MARK_BOXES, 12, "hosts"),
                      *switches = weft_curve_add(p, WEFT_MARK_BOXES, 6, "switches"),
                      *texts = weft_curve_add(p, WEFT_MARK_TEXT_MID, WEFT_FIGURE_INK, "");
    for (size_t i = 0; i < f->nitems; i++) {
        const struct weft_folded_item *x = &f->item[i];
        const double room = 1.0 / (double)(f->switches ? weft_folded_row(f, x->row) : 16);
        const double half = fmin(0.4 * room, 0.05), high = f->switches ? 0.11 : 0.12;
        const bool host = f->node[x->first]->host;
        weft_curve_point(host ? hosts : switches,
                         (const double[]){x->x - half, x->x + half, x->y - high, x->y + high});
        const char *first = f->node[x->first]->name, *last = f->node[x->last]->name;
        weft_curve_text(texts, x->x, x->y - high - 0.12,
                        x->n > 1 ? weft_figure_printf(p->figure, "%s-%s", first, last + 1) : first);
    }
}

/* Names of rows: how many nodes, in how many boxes. */
static void name_rows(const struct weft_folded *f, struct weft_panel *p)
{
    for (size_t i = 0; i < f->nitems;) {
        const size_t n = weft_folded_row(f, f->item[i].row);
        const struct weft_folded_item *x = &f->item[i];
        size_t nodes = 0;
        for (size_t k = i; k < i + n; k++)
            nodes += f->item[k].n;
        const char *what = f->node[x->first]->host ? "hosts" : nodes == 1 ? "switch" : "switches";
        const bool narrow = p->figure->columns > 1;
        const char *dim = !narrow && !f->node[x->first]->host && f->dims > 1
                              ? weft_figure_printf(p->figure, ", dim %d", f->node[x->first]->dim)
                              : "";
        weft_axis_tick(p, &p->y, x->y,
                       nodes > n && !narrow
                           ? weft_figure_printf(p->figure, "%zu %s%s (%zu box%s)", nodes, what, dim,
                                                n, n == 1 ? "" : "es")
                           : weft_figure_printf(p->figure, "%zu %s%s", nodes, what, dim));
        i += n;
    }
}

static void plot_links_draw(struct weft_folded *f, struct weft_figure *figure, const char *title)
{
    struct weft_panel *p = weft_panel_add(figure, title, "", "");
    p->x.from = -0.04;
    p->x.to = 1.04;
    p->x.hidden = true;
    p->value.label = "busiest link: use in the run (%)";
    p->value.from = 0;
    p->value.to = 100;
    plot_links_place(f);
    if (f->plain)
        draw_sorts(f, p);
    else
        draw_links(f, weft_curve_add(p, WEFT_MARK_SEGMENTS, 0, ""));
    draw_items(f, p);
    struct weft_curve *inside = weft_curve_add(p, WEFT_MARK_HEAT, 0, "");
    int rows = 0;
    for (size_t i = 0; i < f->nitems; i++) {
        const struct weft_folded_item *x = &f->item[i];
        const double half =
            fmin(0.2 / (double)(f->switches ? weft_folded_row(f, x->row) : 16), 0.025);
        if (!isnan(x->inside))
            weft_curve_point(inside, (const double[]){x->x - half, x->x + half, x->y - 0.07,
                                                      x->y + 0.07, x->inside});
        rows += !i || f->item[i - 1].row != x->row;
    }
    p->y.from = f->switches ? 0.55 - rows : -1.9;
    p->y.to = f->switches ? 0.35 : 1.8;
    p->y.hidden = !f->switches;
    p->height = figure->columns > 1 ? fmin(60 + 75 * rows, f->switches ? INFINITY : 280)
                : f->switches       ? 120 + 110 * rows
                                    : 560;
    if (f->switches)
        name_rows(f, p);
}

static int plot_links_add_run(const struct weft_runs *runs, size_t i, struct weft_figure *figure,
                              struct weft_err *err)
{
    static const char *const columns[] = {"from", "to", "dim", "util_pct", "rate_bps", NULL};
    struct weft_folded f = {.arena = runs->arena};
    int rc = weft_run_rows(&runs->run[i], "links.csv", columns, link_row, &f, err);
    if (!rc && f.nlinks)
        rc = weft_folded_fold(&f, err);
    if (!rc && f.nlinks) {
        plot_links_draw(&f, figure, runs->n > 1 ? runs->run[i].label : "");
        figure->caption = weft_figure_printf(
            figure,
            "Each line is the busiest of the links between two boxes, in its busier direction; a "
            "patch in a box is the busiest link inside it.%s%s%s%s",
            runs->n > 1 ? "" : " Directions of links: ",
            runs->n > 1 ? "" : plot_links_describe(&f, figure), runs->n > 1 ? "" : ".",
            weft_plot_left_out(runs, figure));
    }
    weft_folded_free(&f);
    return rc < 0 ? rc : 0;
}

int weft_fabric_figure(struct weft_figure *figure, const struct weft_drawn_link *links, size_t n,
                       struct weft_err *err)
{
    struct weft_folded f = {.arena = figure->arena, .plain = true};
    int code = 0;
    for (size_t i = 0; i < n && !code; i++)
        code = weft_folded_add(
            &f, links[i].from, links[i].to,
            (struct weft_folded_link){.dim = links[i].dim, .rate = links[i].rate_bps}, err);
    if (!code && n)
        code = weft_folded_fold(&f, err);
    if (!code && n)
        plot_links_draw(&f, figure, "");
    weft_folded_free(&f);
    return code ? code : weft_figure_check(figure, err);
}

static int plot_links_derive(const struct weft_runs *runs, struct weft_figure *f,
                             struct weft_err *err)
{
    f->title = "The fabric and how busy its links were";
    const size_t n = weft_plot_runs(runs, f);
    for (size_t i = 0; i < n; i++)
        if (plot_links_add_run(runs, i, f, err))
            return err->code;
    return f->panels ? 0 : weft_plot_nothing(err, "no links (links.csv) in %s", runs->run[0].dir);
}

const struct weft_plot weft_plot_links = {
    "links", "the fabric, large ones folded, with the use of links as colours", "links.csv",
    plot_links_derive};
