/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws large fabrics for weft topology, one box for many equal nodes. */
#include "cli/cli_internal.h"

#include "plot/gnuplot.h"
#include "plot/links.h"
#include "plot/svg.h"

#include <stdlib.h>

/* Named as in all outputs. */
static void name_node(const struct weft_fabric *f, uint32_t node, char buf[16])
{
    const bool host = f->nodes[node].kind == WEFT_NODE_HOST;
    snprintf(buf, 16, "%c%u", host ? 'h' : 's', host ? f->nodes[node].host : node);
}

/* The title and a sentence on each dimension. */
static void topology_picture_describe(const struct weft_fabric *f, struct weft_figure *figure)
{
    const char *dims = "";
    for (uint32_t d = 0; d < f->ndims && f->ndims > 1; d++)
        dims = weft_figure_printf(figure, "%s Dimension %u: %s of %u.", dims, d,
                                  f->dims[d].kind ? f->dims[d].kind : "fabric", f->dims[d].size);
    figure->title = weft_figure_printf(figure, "%u hosts, %u switches, %u links", f->nhosts,
                                       f->nswitches, f->nlinks);
    figure->caption = weft_figure_printf(
        figure, "Boxes are nodes, or what hangs together; a line is all links between two boxes.%s",
        dims);
}

/* The figure of a fabric. NULL on failure. */
static struct weft_figure *topology_picture_figure(const struct weft_fabric *f,
                                                   struct weft_err *err)
{
    struct weft_drawn_link *links = calloc(f->nlinks + 1, sizeof *links);
    struct weft_figure *figure = weft_figure_new();
    int code = links && figure ? 0 : weft_err_no_memory(err, "a picture");
    for (uint32_t i = 0; i < f->nlinks && !code; i++) {
        const struct weft_fabric_link *l = &f->links[i];
        links[i].dim = (int)l->dim;
        links[i].rate_bps = (double)l->rate_bps;
        name_node(f, l->a, links[i].from);
        name_node(f, l->b, links[i].to);
    }
    if (!code) {
        topology_picture_describe(f, figure);
        code = weft_fabric_figure(figure, links, f->nlinks, err);
    }
    free(links);
    if (!code)
        return figure;
    weft_figure_free(figure);
    return NULL;
}

int weft_topology_picture(const struct weft_fabric *f, FILE *out, struct weft_err *err)
{
    struct weft_figure *figure = topology_picture_figure(f, err);
    struct weft_picture picture;
    if (figure && !weft_gnuplot(figure, WEFT_SCRIPT_SVG, &picture, err)) {
        weft_svg_write(picture.data, figure, "w", WEFT_SVG_FILE, out);
        free(picture.data);
    }
    weft_figure_free(figure);
    return err->code;
}

int weft_topology_picture_file(const struct weft_cli *cli, const struct weft_fabric *f,
                               const char *path, struct weft_err *err)
{
    struct weft_figure *figure = topology_picture_figure(f, err);
    if (figure)
        weft_figure_file(cli, figure, path, err);
    weft_figure_free(figure);
    return err->code;
}
