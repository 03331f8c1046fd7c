/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that do one thing together, and wait between two of them.
 */
#ifndef WEFT_ENGINE_CREW_H
#define WEFT_ENGINE_CREW_H

#include "base/err.h"

#include <stdint.h>

struct crew;

#pragma GCC visibility push(hidden)

/** @p n threads, the caller's own among them. */
int crew_new(unsigned n, struct crew **out, struct weft_err *err);
void crew_free(struct crew *c);
/** Calls fn(ctx, number) in each of them, numbers from 0, the caller's; returns when all are done.
 */
void crew_do(struct crew *c, void (*fn)(void *ctx, unsigned number), void *ctx);
/** CPU time of this thread, and time on the wall: for figures, nothing of a run follows from them.
 */
int64_t crew_cpu_ns(void);
int64_t crew_wall_ns(void);
/** What asking for CPU time takes. */
int64_t crew_cpu_clock_ns(void);

#pragma GCC visibility pop

#endif
