/* SPDX-License-Identifier: GPL-2.0-only */
/* Has gnuplot draw a figure. */
#ifndef WEFT_PLOT_GNUPLOT_H
#define WEFT_PLOT_GNUPLOT_H

#include "plot/figure.h"
#include "plot/script.h"

/** A picture in memory; data is to be freed. */
struct weft_picture {
    char *data;
    size_t size;
};

/** Draws the figure. WEFT_E_IO: there is no gnuplot, and the message names the package; or it
 * failed. The bytes depend on the figure and the version of gnuplot alone. */
int weft_gnuplot(const struct weft_figure *f, enum weft_script_terminal to,
                 struct weft_picture *out, struct weft_err *err);

#endif
