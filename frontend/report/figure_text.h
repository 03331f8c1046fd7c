/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of a summary for people: names and values, by their keys in run.json. */
#ifndef WEFT_REPORT_FIGURE_TEXT_H
#define WEFT_REPORT_FIGURE_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/** Room for any of these texts. */
#define WEFT_FIGURE_TEXT_MAX 64

/** As the metric is called: "end_to_end_ns" is end-to-end; what is none, without its unit. May be
 * in @p buf. */
const char *weft_figure_name(const char *key, char buf[WEFT_FIGURE_TEXT_MAX]);
/** A value with the unit that its key ends with. */
const char *weft_figure_value(const char *key, double v, char buf[WEFT_FIGURE_TEXT_MAX]);
/** A relative change: "+2.10 %", "equal". */
const char *weft_figure_change(double change, char buf[WEFT_FIGURE_TEXT_MAX]);

#ifdef __cplusplus
}
#endif
#endif
