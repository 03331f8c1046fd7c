/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing the rank files of a trace that weft makes, in place of an earlier one.
 */
#ifndef WEFT_TRACE_WRITE_H
#define WEFT_TRACE_WRITE_H

#include "workload/et.h"

/** Writes the trace of @p rank to @p path (weft_chakra_write_et). */
typedef int (*weft_trace_rank_fn)(void *ctx, uint64_t rank, const char *path, struct weft_err *err);

/** Length of a prefix without ".gz" at its end. */
size_t weft_trace_stem(const char *prefix);

/**
 * Has @p fn write PREFIX.<rank>.et (or PREFIX.<rank>.et.gz when @p prefix ends in ".gz", without
 * that ending) for every rank, the highest first and rank 0 last, and removes rank files of an
 * earlier trace of weft's that would belong to it. WEFT_E_INPUT: there is such a file that is not
 * weft's; WEFT_E_IO: also when another process is writing the same trace. On failure no rank 0 is
 * left.
 */
int weft_trace_write(const char *prefix, uint64_t ranks, weft_trace_rank_fn fn, void *ctx,
                     struct weft_err *err);

#endif
