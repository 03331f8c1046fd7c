/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The picture of a fabric.
 *
 * With switches: a row per tier, hosts at the bottom, each row spread over the width; the switches
 * of inner dimensions below the hosts; links within a row are arcs above it. Without: hosts on a
 * grid of the first two dimensions (further ones side by side), a ring of one dimension on a
 * circle. Links are coloured by dimension. The picture grows with its longest row; where that ends,
 * nodes shrink and lose their names, which their titles keep.
 */
#include "topologies/write.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

#define WIDTH 1200.0
#define WIDTH_MAX 8000.0
#define MARGIN 40.0
#define ROW 130.0 /* from one row to the next, more in wide pictures */
#define ARC 90.0  /* highest arc within a row */
#define CELL 70.0
#define NODE 32.0 /* room that a node with its name takes in a row */
/* Largest fabric that still makes a picture. */
#define NODES_MAX 5000u

/* Where a node is, and how wide it may be. */
struct point {
    double x, y, room;
};

static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                      "#8c564b", "#e377c2", "#7f7f7f", "#17becf"};

/* The row of a node: hosts 0, switches of the outermost dimension above, those of inner ones below.
 */
static int row_of(const struct weft_fabric *f, uint32_t node)
{
    const struct weft_fabric_node *x = &f->nodes[node];
    if (x->kind == WEFT_NODE_HOST)
        return 0;
    uint32_t dim = x->nports ? f->links[f->ports[x->first_port].link].dim : 0;
    int tier = x->tier > 0 ? (int)x->tier : 1;
    return dim + 1 == f->ndims ? tier : -tier - 4 * (int)(f->ndims - 2 - dim);
}

/* Whether a link joins two nodes of one row. */
static bool within_row(const struct weft_fabric *f, const struct weft_fabric_link *l)
{
    return f->nswitches && row_of(f, l->a) == row_of(f, l->b);
}

static uint32_t row_length(const struct weft_fabric *f, int row)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->nnodes; i++)
        n += row_of(f, i) == row;
    return n;
}

/* Rows; returns the height. */
static double place_rows(const struct weft_fabric *f, struct point *at, double *width)
{
    int lo = 0, hi = 0;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        int r = row_of(f, i);
        lo = r < lo ? r : lo;
        hi = r > hi ? r : hi;
    }
    *width = WIDTH;
    for (int r = hi; r >= lo; r--)
        *width = fmax(*width, 2 * MARGIN + NODE * row_length(f, r));
    *width = fmin(*width, WIDTH_MAX);
    const double step = fmax(ROW, *width / 16);
    double y = MARGIN;
    for (uint32_t i = 0; i < f->nlinks; i++)
        if (within_row(f, &f->links[i]) && row_of(f, f->links[i].a) == hi)
            y = MARGIN + ARC;
    for (int r = hi; r >= lo; r--) {
        const uint32_t n = row_length(f, r);
        const double room = n ? (*width - 2 * MARGIN) / n : 0;
        uint32_t k = 0;
        for (uint32_t i = 0; n && i < f->nnodes; i++)
            if (row_of(f, i) == r)
                at[i] = (struct point){MARGIN + (k++ + 0.5) * room, y, room};
        y += n ? step : 0;
    }
    return y - step + MARGIN;
}

/* A circle for one dimension, else a grid. */
static double place_grid(const struct weft_fabric *f, struct point *at, double *width)
{
    const double pi = 3.14159265358979323846;
    uint32_t n = f->nhosts, columns = f->dims[0].size, rows = f->ndims > 1 ? f->dims[1].size : 1;
    if (f->ndims == 1) {
        double radius = fmax(250, fmin(n * NODE / (2 * pi), WIDTH_MAX / 2));
        for (uint32_t i = 0; i < n; i++)
            at[f->hosts[i]] =
                (struct point){MARGIN + radius * (1 + sin(2 * pi * i / n)),
                               MARGIN + radius * (1 - cos(2 * pi * i / n)), 2 * pi * radius / n};
        *width = 2 * (radius + MARGIN);
        return *width;
    }
    uint32_t planes = n / columns / rows;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = i % columns, r = i / columns % rows, p = i / columns / rows;
        at[f->hosts[i]] = (struct point){MARGIN + (p * (columns + 1) + c) * CELL + 6.0 * r,
                                         MARGIN + r * CELL + 6.0 * (p + c), CELL};
    }
    *width = 2 * MARGIN + ((planes - 1) * (columns + 1) + columns - 1) * CELL + 6.0 * (rows - 1);
    return 2 * MARGIN + (rows - 1) * CELL + 6.0 * (planes + columns - 2);
}

/* How far the control point of a link lies from its middle: arcs within a row go over the nodes
 * between; a link around the back of a grid bends away from those that it would run over, at most
 * to the margin. */
static struct point bend(const struct weft_fabric *f, const struct weft_fabric_link *l, double dx,
                         double dy)
{
    const double length = sqrt(dx * dx + dy * dy);
    if (within_row(f, l))
        return (struct point){0, -2 * fmin(ARC, 8 + 0.12 * length), 0};
    if (f->nswitches || f->ndims == 1 || length <= 2 * CELL)
        return (struct point){0, 0, 0};
    const double k = fmin(0.15, 2 * MARGIN / length);
    return (struct point){-k * dy, k * dx, 0};
}

static void put_link(FILE *out, const struct weft_fabric *f, const struct weft_fabric_link *l,
                     const struct point *at)
{
    char a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX], rate[WEFT_UNIT_TEXT_MAX],
        delay[WEFT_UNIT_TEXT_MAX];
    struct point p = at[l->a], q = at[l->b];
    double dx = q.x - p.x, dy = q.y - p.y;
    struct point c = bend(f, l, dx, dy);
    fprintf(out, "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" stroke=\"%s\"%s><title>", p.x, p.y,
            (p.x + q.x) / 2 + c.x, (p.y + q.y) / 2 + c.y, q.x, q.y, colours[l->dim % 8],
            l->dateline ? " stroke-dasharray=\"4 2\"" : "");
    fprintf(out, "%s -- %s, %s, %s, dimension %u</title></path>\n",
            weft_fabric_node_name(f, l->a, a), weft_fabric_node_name(f, l->b, b),
            weft_format_rate(l->rate_bps, rate), weft_format_time(l->delay_ps, delay), l->dim);
}

int weft_fabric_write_svg(const struct weft_fabric *f, FILE *out, struct weft_err *err)
{
    if (f->nnodes > NODES_MAX)
        return weft_err_set(err, WEFT_E_LIMIT, "a picture of %u nodes would be a blot; at most %u",
                            f->nnodes, NODES_MAX);
    struct point *at = calloc(f->nnodes, sizeof *at);
    if (!at)
        return weft_err_no_memory(err, "a picture");
    double width = WIDTH;
    double height = f->nswitches ? place_rows(f, at, &width) : place_grid(f, at, &width);
    char name[WEFT_NODE_NAME_MAX];
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"8\" text-anchor=\"middle\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<g fill=\"none\" stroke-width=\"1\" stroke-opacity=\"0.6\">\n",
            width, height, width, height);
    for (uint32_t i = 0; i < f->nlinks; i++)
        put_link(out, f, &f->links[i], at);
    fputs("</g>\n<g fill=\"#f5f5f5\" stroke=\"#333\">\n", out);
    for (uint32_t i = 0; i < f->nnodes; i++) {
        weft_fabric_node_name(f, i, name);
        const double wide = fmin(28, 0.9 * at[i].room);
        if (f->nodes[i].kind == WEFT_NODE_HOST)
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>%s</title></circle>\n",
                    at[i].x, at[i].y, fmin(11, wide / 2), name);
        else
            fprintf(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\"><title>%s, %u "
                    "ports</title></rect>\n",
                    at[i].x - wide / 2, at[i].y - 8, wide, name, f->nodes[i].nports);
    }
    fputs("</g>\n<g fill=\"#000\">\n", out);
    for (uint32_t i = 0; i < f->nnodes; i++)
        if (at[i].room >= 0.7 * NODE)
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", at[i].x, at[i].y + 3,
                    weft_fabric_node_name(f, i, name));
    fputs("</g>\n</svg>\n", out);
    free(at);
    return 0;
}
