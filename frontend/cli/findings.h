/* SPDX-License-Identifier: GPL-2.0-only */
/* What bounded a run, in sentences, with what to try. */
#ifndef WEFT_CLI_FINDINGS_H
#define WEFT_CLI_FINDINGS_H

#include "plot/page.h"

/** Finds what can be said of a run, what weighs most first, into @p out; returns how many.
 * Sentences live in @p arena. */
size_t weft_findings(const struct weft_run *run, const struct weft_facts *f,
                     struct weft_arena *arena, struct weft_finding out[WEFT_FINDINGS_MAX]);
/** One sentence on the whole of the run. */
const char *weft_findings_verdict(const struct weft_run *run, const struct weft_facts *f,
                                  struct weft_arena *arena);

#endif
