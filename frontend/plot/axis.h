/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes as they are drawn: with the ends of their points, or of other panels. */
#ifndef WEFT_PLOT_AXIS_H
#define WEFT_PLOT_AXIS_H

#include "plot/figure.h"

/** Characters of the longest word at the y axis, of numbers as gnuplot writes them. */
size_t weft_axis_longest_tick(const struct weft_panel *p);
/** Axis "x" or "y" of a panel, with the ends of all panels that have the same one; y only of panels
 * side by side. */
struct weft_axis weft_axis_shared(const struct weft_figure *f, const struct weft_panel *p,
                                  const char *name);
/** Axis "x" or "y" of a panel, without logarithms where its points are within a power of ten: they
 * would lie at one end, and it would have one number or two. @p label: room for what it is then. */
struct weft_axis weft_axis_plain(const struct weft_panel *p, const char *name, struct weft_axis a,
                                 char label[128]);
/** The ends of an axis of sizes: of its points, with some room around them. */
struct weft_axis weft_axis_sized(const struct weft_panel *p, struct weft_axis a);

#endif
