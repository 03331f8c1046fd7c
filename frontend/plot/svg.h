/* SPDX-License-Identifier: GPL-2.0-only */
/* What is made of gnuplot's SVG: pictures that follow the light or dark mode of their reader. */
#ifndef WEFT_PLOT_SVG_H
#define WEFT_PLOT_SVG_H

#include "plot/figure.h"

#include <stdio.h>

/** How the SVG is used. */
enum weft_svg_use {
    WEFT_SVG_FILE,  /**< a file: has its own style, with a background */
    WEFT_SVG_INLINE /**< within HTML that has weft_svg_style */
};

/** Writes gnuplot's SVG @p svg of @p f: no version, no empty groups, ids that begin with @p id, the
 * figure's title, ink of the current colour. */
void weft_svg_write(const char *svg, const struct weft_figure *f, const char *id,
                    enum weft_svg_use use, FILE *out);
/** Writes the CSS rules by which figures follow light and dark mode. */
void weft_svg_style(FILE *out);
/** Writes a text as HTML and XML have it: no markup, no control characters, valid UTF-8. */
void weft_html_text(FILE *out, const char *text);

#endif
