/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that write the page of a report. */
#ifndef WEFT_PLOT_PAGE_PARTS_H
#define WEFT_PLOT_PAGE_PARTS_H

#include "plot/page.h"
#include "plot/svg.h"

/** Runs that stand side by side; of more there is a row each. */
enum { WEFT_PAGE_SIDE_BY_SIDE = 8 };

/** A page that is being written. */
struct weft_page {
    const struct weft_runs *runs;
    const struct weft_page_settings *settings;
    FILE *out;
    struct weft_facts *facts; /**< of each run */
    struct weft_page_content *content;
};

/** Text, with what HTML would take for its own in other words. */
static inline void weft_page_text(const struct weft_page *p, const char *s)
{
    weft_html_text(p->out, s);
}

/** An element with a text. */
static inline void weft_page_cell(const struct weft_page *p, const char *tag, const char *s)
{
    fprintf(p->out, "<%s>", tag);
    weft_page_text(p, s);
    fprintf(p->out, "</%s>", tag);
}

/** A text of run.json; "": it has none. */
static inline const char *weft_page_value(const struct weft_run *run, const char *key)
{
    const char *s = json_string_value(json_object_get(run->json, key));
    return s ? s : "";
}

/** Of many runs the least and the most of each headline. */
void weft_page_extremes(const struct weft_page *p);
/** The table of the diagnosis that the folder of a run has, if it has one. */
int weft_page_diagnosis(const struct weft_page *p, const struct weft_run *run,
                        struct weft_err *err);
/** The headlines of all runs; of two, what moved. */
int weft_page_numbers(const struct weft_page *p, struct weft_err *err);
/** The settings that are not at their defaults. */
void weft_page_settings_section(const struct weft_page *p);

#endif
