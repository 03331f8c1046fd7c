/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures as scripts of gnuplot (5.2 or later), with their data inside, and as tables. */
#ifndef WEFT_PLOT_SCRIPT_H
#define WEFT_PLOT_SCRIPT_H

#include "plot/figure.h"

#include <stdio.h>

/** What a script draws to. */
enum weft_script_terminal {
    WEFT_SCRIPT_SVG,
    WEFT_SCRIPT_PDF,
    WEFT_SCRIPT_PNG,
    WEFT_SCRIPT_ANY /**< the user chooses: `set terminal` stands in a comment */
};

/** Writes the figure as a script. Whatever texts hold, they are text to gnuplot. */
void weft_script_write(const struct weft_figure *f, enum weft_script_terminal to, FILE *out);
/** Writes all points as CSV (RFC 4180): panel, curve, x, y, x_to, y_to, value, text; what a mark
 * does not have is empty. */
void weft_figure_csv(const struct weft_figure *f, FILE *out);
/** Writes one field of such a table, quoted where it must be. */
void weft_figure_csv_text(FILE *out, const char *text);
/** The height of the whole picture in pixels. */
double weft_script_height(const struct weft_figure *f);
/** What of it is not panels: the title, and the legend below panels side by side. */
double weft_script_around(const struct weft_figure *f);

#endif
