/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of a summary for people: names and values, by their keys in run.json. */
#ifndef WEFT_REPORT_FIGURE_TEXT_H
#define WEFT_REPORT_FIGURE_TEXT_H

#include <stddef.h>

/** Room for any of these texts. */
#define WEFT_FIGURE_TEXT_MAX 64

/** As the metric is called: "end_to_end_ns" is end-to-end; what is none, without its unit. May be
 * in @p buf. */
const char *weft_figure_name(const char *key, char buf[WEFT_FIGURE_TEXT_MAX]);
/** A value with the unit that its key ends with. */
const char *weft_figure_value(const char *key, double v, char buf[WEFT_FIGURE_TEXT_MAX]);
/** A relative change: "+2.10 %", "equal". */
const char *weft_figure_change(double change, char buf[WEFT_FIGURE_TEXT_MAX]);

/** The other name of a metric that has two: fct-slowdown-p99 and slowdown-p99 are the same of a
 * run, of a job and of a class. Returns @p buf, or NULL: it has one. */
const char *weft_metric_other_name(const char *name, char *buf, size_t size);

#endif
