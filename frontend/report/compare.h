/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two runs side by side, from the run.json of their folders: settings that differ, and how far each
 * figure of the summary moved.
 */
#ifndef WEFT_REPORT_COMPARE_H
#define WEFT_REPORT_COMPARE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

/** One run. */
struct weft_compared_run {
    const char *dir, *scenario, *outcome;
    bool partial; /**< it was interrupted, failed, or is still running */
};

/** A setting that differs. */
struct weft_setting_difference {
    const char *key;  /**< as in --set */
    const char *v[2]; /**< as resolved; NULL: that run has no such setting */
};

/** A number that both summaries have. */
struct weft_figure_difference {
    const char *key; /**< in run.json: "end_to_end_ns", "jobs.a.duration_ns" */
    double v[2];
    double change; /**< (second - first) / |first|; infinite where the first is 0 */
    size_t place;  /**< in the summary */
    bool of_host;  /**< it depends on the machine: no figure of the simulated network */
};

/** All of it. */
struct weft_comparison {
    struct weft_arena *arena; /**< owns everything below */
    struct weft_compared_run run[2];
    struct weft_setting_difference *settings; /**< in the order of the first run's */
    size_t nsettings;
    struct weft_figure_difference *figures; /**< those that moved most come first, of equals in the
                                               order of the summary */
    size_t nfigures;
    size_t nnetwork;        /**< of them, those that are not of_host */
    size_t nmoved;          /**< of those, how many moved at all */
    const char **one_sided; /**< keys of figures that only one of the runs has */
    size_t none_sided;
};

/** A text of run.json that is compared. */
struct weft_compared_text {
    const char *text;
    size_t len;
    const char *path; /**< for errors */
    const char *dir;  /**< of the run */
};

/** Compares two run.json. WEFT_E_INPUT: one is no JSON, or of a run without a summary. NULL on
 * failure. */
struct weft_comparison *weft_compare_texts(const struct weft_compared_text texts[2],
                                           struct weft_err *err);
/** Reads both folders. WEFT_E_IO: no folder of a run; else as
 * weft_compare_texts. */
struct weft_comparison *weft_compare_load(const char *const dirs[2], struct weft_err *err);
void weft_comparison_free(struct weft_comparison *c);

struct json_t; /* of jansson */

#endif
