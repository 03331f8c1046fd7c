/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures what workloads of a job take by themselves (system.h). */
#ifndef WEFT_JOBS_TUNER_H
#define WEFT_JOBS_TUNER_H

#include "jobs/jobs.h"

/** A tuner whose nets are those of @p backend with @p config, but without threads, processes,
 * files and run.replay: what it measures is the same under all of these. What @p config points to
 * must outlive it. NULL: out of memory. */
struct weft_tuner *weft_tuner_new(const struct weft_net_backend *backend,
                                  const struct weft_net_config *config, struct weft_err *err);
/** Frees it; NULL is allowed. */
void weft_tuner_free(struct weft_tuner *t);

#endif
