/* SPDX-License-Identifier: GPL-2.0-only */
/* What bounded a run, in sentences, with what to try. */
#ifndef WEFT_PLOT_FINDINGS_H
#define WEFT_PLOT_FINDINGS_H

#include "plot/facts.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_FINDINGS_MAX = 24 };

/** A finding. */
struct weft_finding {
    double weight;        /**< what it is ranked by: about the share of the run that it cost */
    const char *sentence; /**< what was found */
    const char *advice;   /**< what to try, with the names of settings; "": nothing */
};

/** Finds what can be said of a run, what weighs most first, into @p out; returns how many.
 * Sentences live in @p arena. */
size_t weft_findings(const struct weft_run *run, const struct weft_facts *f,
                     struct weft_arena *arena, struct weft_finding out[WEFT_FINDINGS_MAX]);
/** One sentence on the whole of the run. */
const char *weft_findings_verdict(const struct weft_run *run, const struct weft_facts *f,
                                  struct weft_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
