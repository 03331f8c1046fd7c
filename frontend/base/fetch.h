/* SPDX-License-Identifier: GPL-2.0-only */
/* Fetching records ahead of their use, where thousands of them take turns and none is in the
 * caches. */
#ifndef WEFT_BASE_FETCH_H
#define WEFT_BASE_FETCH_H

#include <stddef.h>

#define WEFT_CACHE_LINE 64

/**
 * Asks for the cache lines of the @p bytes at @p p, which may be any address; returns at once.
 * Worth it where what is done in between, or other records fetched together, hide the time that
 * memory takes. Inlined by force: GCC drops calls of functions that do nothing else.
 */
static inline __attribute__((always_inline)) void weft_fetch(const void *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += WEFT_CACHE_LINE)
        __builtin_prefetch((const char *)p + i, 1);
}

#endif
