/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stable array: records by index whose addresses never change while the array grows.
 *
 * Address space for the largest size is reserved at once and touched page by page, so memory
 * follows use
 * and no growth copies. Freed indices are reused last-in first-out, which keeps hot records in
 * cache.
 */
#ifndef WEFT_STABLE_H
#define WEFT_STABLE_H

#include "base/require.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NIL UINT32_MAX

struct stable {
    char *base;
    size_t elem;        /**< bytes per record */
    uint32_t n;         /**< records ever touched */
    uint32_t max;       /**< records reserved */
    uint32_t free_head; /**< first free index, linked through the first 4 bytes of the record */
    uint32_t live;      /**< records in use */
    uint32_t peak;      /**< most records ever in use */
};

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

/** Reserves room for @p max records of @p elem bytes; false when the address space is refused. */
bool stable_init(struct stable *s, size_t elem, uint32_t max);
void stable_fini(struct stable *s);
/** Before records are touched, of which many will never be: no memory is taken for these. */
void stable_small_pages(struct stable *s);
/** After stable_small_pages: of records @p first .. @p end - 1 all will be touched. */
void stable_huge_pages(struct stable *s, uint32_t first, uint32_t end);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

/** A free record (contents undefined), or NIL when the array is full. */
static inline uint32_t stable_alloc(struct stable *s)
{
    uint32_t i = s->free_head;
    if (i != NIL) {
        s->free_head = *(uint32_t *)(void *)(s->base + (size_t)i * s->elem);
    } else {
        if (s->n == s->max)
            return NIL;
        i = s->n++;
    }
    if (++s->live > s->peak)
        s->peak = s->live;
    return i;
}

static inline void stable_release(struct stable *s, uint32_t i)
{
    WEFT_REQUIRE(i < s->n && s->live > 0);
    *(uint32_t *)(void *)(s->base + (size_t)i * s->elem) = s->free_head;
    s->free_head = i;
    s->live--;
}

#endif
