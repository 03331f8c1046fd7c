/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of runs: one HTML page that loads nothing. */
#ifndef WEFT_PLOT_PAGE_H
#define WEFT_PLOT_PAGE_H

#include "plot/facts.h"

#include <stdbool.h>
#include <stdio.h>

enum { WEFT_FINDINGS_MAX = 24 };
/** In place of their number: there was no memory for them. */
#define WEFT_FINDINGS_LOST ((size_t)-1)

/** Something that was found about a run. */
struct weft_finding {
    double weight;        /**< what it is ranked by: about the share of the run that it cost */
    const char *sentence; /**< what was found */
    const char *advice;   /**< what to try, with the names of settings; "": nothing */
};

/** What the page asks of those who know what settings do. */
struct weft_page_settings {
    /** What can be said of a run, what weighs most first, into @p out; returns how many, or
     * WEFT_FINDINGS_LOST. Sentences live in @p arena. */
    size_t (*findings)(const struct weft_run *run, const struct weft_facts *f,
                       struct weft_arena *arena, struct weft_finding out[WEFT_FINDINGS_MAX]);
    /** One sentence on the whole of the run. */
    const char *(*verdict)(const struct weft_run *run, const struct weft_facts *f,
                           struct weft_arena *arena);
};

/** What came into the page. */
struct weft_page_content {
    size_t figures;
};

/** Writes the page. WEFT_E_IO: there is no gnuplot. */
int weft_page_write(const struct weft_runs *runs, const struct weft_page_settings *settings,
                    FILE *out, struct weft_page_content *content, struct weft_err *err);

#endif
