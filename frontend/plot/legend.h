/* SPDX-License-Identifier: GPL-2.0-only */
/* Legends of figures: panels that have the same curves share one. */
#ifndef WEFT_PLOT_LEGEND_H
#define WEFT_PLOT_LEGEND_H

#include "plot/figure.h"

#include <stdio.h>

/** A legend. */
struct weft_legend {
    size_t n, longest; /**< entries; characters of the longest */
};

/** Calls @p write, unless it is NULL, with each entry of the legend below the panel @p place; NULL:
 * of the only one of the figure. */
struct weft_legend weft_legend_each(const struct weft_figure *f, const struct weft_panel *place,
                                    void (*write)(FILE *out, const struct weft_curve *c),
                                    FILE *out);

#endif
