/* SPDX-License-Identifier: GPL-2.0-only */
/* What time goes by with, as figures show it: columns of ranks.csv and critical_path.csv. */
#ifndef WEFT_PLOT_CAUSES_H
#define WEFT_PLOT_CAUSES_H

/** Causes of weft_causes. */
#define WEFT_CAUSES 15

/** A cause. */
struct weft_cause {
    const char *column; /**< "?network_ns": a table may not have it */
    const char *label;  /**< in the legend */
    int colour;
};

/** All of them, from what is wanted to what is lost. */
extern const struct weft_cause weft_causes[WEFT_CAUSES];

#endif
