/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A binary heap of (time, order of insertion): equal times come out in the order they went in.
 */
#ifndef WEFT_BASE_EVENT_HEAP_H
#define WEFT_BASE_EVENT_HEAP_H

#include "base/linkage.h"

#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

/** One entry. */
struct weft_heap_entry {
    int64_t t_ps;
    uint64_t order; /**< number of pushes before this one */
    uint32_t slot;  /**< the owner's index */
};

/** The heap; zero-initialise. */
struct weft_heap {
    struct weft_heap_entry *e;
    size_t n, cap;
    uint64_t pushes;
};

/** Makes room for @p n entries in all: pushes up to that number cannot fail. Returns 0, or
 * WEFT_E_LIMIT when out of memory. */
int weft_heap_reserve(struct weft_heap *h, size_t n);
/** Adds an entry. Returns 0, or WEFT_E_LIMIT when out of memory. */
int weft_heap_push(struct weft_heap *h, int64_t t_ps, uint32_t slot);
/** Removes and returns the first entry; the heap must not be empty. */
struct weft_heap_entry weft_heap_pop(struct weft_heap *h);
/** Frees the memory. */
void weft_heap_release(struct weft_heap *h);
/** Order of two entries, for qsort. */
int weft_heap_compare(const void *a, const void *b);

WEFT_C_END
#endif
