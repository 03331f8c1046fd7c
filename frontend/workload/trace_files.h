/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding the files of a trace: PREFIX.<rank>.et or PREFIX.<rank>.et.gz for rank 0 .. N-1.
 */
#ifndef WEFT_TRACE_FILES_H
#define WEFT_TRACE_FILES_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

/** Most ranks that one trace may have. */
#define WEFT_TRACE_RANKS_MAX (UINT32_C(1) << 20)

/** Reads ".<rank>.et" or ".<rank>.et.gz" at @p tail, what follows the prefix in a file's name;
 * whether it is that. */
bool weft_trace_rank_of(const char *tail, uint32_t *rank);

/**
 * Looks into the folder of @p prefix. *paths (in @p arena) receives one path per rank, *n their
 * number.
 * @p nranks 0: as many as there are; else exactly that many. A missing rank, a surplus rank and a
 * rank with both forms are WEFT_E_INPUT.
 */
int weft_trace_files(const char *prefix, uint32_t nranks, struct weft_arena *arena,
                     const char ***paths, uint32_t *n, struct weft_err *err);

#endif
