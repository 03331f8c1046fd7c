/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of runs: one HTML page that loads nothing. */
#ifndef WEFT_PLOT_PAGE_H
#define WEFT_PLOT_PAGE_H

#include "plot/runs.h"

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the page needs to know of settings. */
struct weft_page_settings {
    void *ctx;
    /** Whether @p value is the default of the setting @p key, and what the default is. NULL: there
     * is no such setting, or it has no default. @p buf: room for its text. */
    const char *(*default_of)(void *ctx, const char *key, const char *value, bool *is_default,
                              char *buf, size_t size);
};

/** What came into the page. */
struct weft_page_content {
    size_t figures;
};

/** Writes the page. WEFT_E_IO: there is no gnuplot. */
int weft_page_write(const struct weft_runs *runs, const struct weft_page_settings *settings,
                    FILE *out, struct weft_page_content *content, struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
