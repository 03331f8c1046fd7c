/* SPDX-License-Identifier: GPL-2.0-only */
/* Fabrics as figures, folded when they are large. */
#ifndef WEFT_PLOT_LINKS_H
#define WEFT_PLOT_LINKS_H

#include "plot/figure.h"

/** A link of a fabric. */
struct weft_drawn_link {
    char from[16], to[16]; /**< h0 is host 0, s8 the switch with node id 8 */
    int dim;
    double rate_bps;
};

/** Fills @p f with the fabric of @p n links: boxes by row, links by dimension, tier and rate. */
int weft_fabric_figure(struct weft_figure *f, const struct weft_drawn_link *links, size_t n,
                       struct weft_err *err);

#endif
