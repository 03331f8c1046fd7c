/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings away from their defaults that what a run waited for points at. */
#ifndef WEFT_CLI_SUSPECTS_H
#define WEFT_CLI_SUSPECTS_H

#include "plot/page.h"

/** Finds them, what weighs most first; returns how many, at most @p max, or
 * WEFT_FINDINGS_LOST. A weight is about the
 * share of the run that it may have cost. */
size_t weft_suspects(const struct weft_run *run, const struct weft_facts *f,
                     struct weft_arena *arena, struct weft_finding *out, size_t max);

#endif
