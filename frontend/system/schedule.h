/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A job as a GOAL schedule: sends, receives and computations alone.
 */
#ifndef WEFT_SYSTEM_SCHEDULE_H
#define WEFT_SYSTEM_SCHEDULE_H

#include "system/system.h"
#include "workload/goal/goal.h"

/**
 * The schedule of @p w, for the caller to free; @p file is what errors call it. Collectives are the
 * programs of the algorithms that @p p names, whole groups at once and in one chunk; auto is a
 * ring, for all-to-alls direct, with a root binomial. WEFT_E_INPUT: what a schedule can't say.
 */
int weft_schedule_make(const struct weft_workload *w, const struct weft_system_params *p,
                       const char *file, struct weft_goal **out, struct weft_err *err);

#endif
