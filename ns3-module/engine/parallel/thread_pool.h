/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that do one thing together, and wait between two of them.
 */
#ifndef WEFT_ENGINE_THREAD_POOL_H
#define WEFT_ENGINE_THREAD_POOL_H

#include "base/err.h"

#include <stdint.h>

struct thread_pool;

/** For @p n threads, the caller's own among them; the others start with the first round. */
int thread_pool_new(unsigned n, struct thread_pool **out, struct weft_err *err);
void thread_pool_free(struct thread_pool *c);
/** Calls fn(ctx, number) in each of them, numbers from 0, the caller's; returns when all are done,
 * with the number of threads that there are: fewer than asked for where the system gives no more.
 * The caller then makes the calls of those that are missing. */
unsigned thread_pool_do(struct thread_pool *c, void (*fn)(void *ctx, unsigned number), void *ctx);
/** CPU time of this thread, and time on the wall: for figures, nothing of a run follows from them.
 */
int64_t thread_pool_cpu_ns(void);
int64_t thread_pool_wall_ns(void);
/** Cost of reading CPU time. */
int64_t thread_pool_cpu_clock_ns(void);

#endif
