/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stable array: records by index whose addresses never change while the array grows.
 *
 * Addresses for the largest size are set aside at once (address_space.h), memory is mapped in
 * steps: each doubles the array, or is smaller where the system refuses so much. Memory is taken
 * when it is touched, and no growth copies. Freed indices are reused last-in first-out, which keeps
 * hot records in cache.
 */
#ifndef WEFT_STABLE_H
#define WEFT_STABLE_H

#include "base/linkage.h"
#include "base/require.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NIL UINT32_MAX

struct stable {
    char *base;
    size_t elem;            /**< bytes per record */
    uint32_t n;             /**< records ever touched */
    uint32_t max;           /**< records that memory is mapped for */
    uint32_t most;          /**< that there may be */
    uint32_t free_head;     /**< first free index, linked through the first 4 bytes of the record */
    uint32_t live;          /**< records in use */
    uint32_t peak;          /**< most records ever in use */
    bool fixed;             /**< it does not grow */
    bool small, ranged;     /**< stable_small_pages; its addresses are an address_take's */
    struct stable_map *map; /**< apart, as threads may copy the rest while others map more */
    struct stable *of;      /**< stable_init_beside; NULL: it stands alone */
    struct stable *beside, *next; /**< arrays that grow with this; the next that grows with @c of */
};

/** The mapping. */
struct stable_map {
    size_t bytes;
    uint32_t max; /**< records for which it and all arrays beside have memory */
};

struct weft_err;

WEFT_C_BEGIN
#pragma GCC visibility push(hidden)

/** An array of @p n records of @p elem bytes that does not grow; false when they are refused. */
bool stable_init(struct stable *s, size_t elem, uint32_t n);
/** A pool that grows up to @p most records. */
bool stable_init_growing(struct stable *s, size_t elem, uint32_t most);
/** A pool with room for a record for each that @p of has room for, at any time. */
bool stable_init_beside(struct stable *s, size_t elem, struct stable *of);
/** Has memory for @p n records; false: there are too many, or there is none. Threads may call it at
 * the same time, as it does not change the array itself: stable_note_room does. */
bool stable_room(const struct stable *s, uint32_t n);
void stable_note_room(struct stable *s);
/** The first record of more room; NIL: there is none, or the array does not grow. */
uint32_t stable_grow(struct stable *s) __attribute__((cold));
/** Records that an array of @p what is full: for good, or because memory is refused. */
int stable_full(const struct stable *s, const char *what, struct weft_err *err);
void stable_fini(struct stable *s);
/** Before records are touched, of which many will never be: no memory is taken for these. */
void stable_small_pages(struct stable *s);
/** After stable_small_pages: of records @p first .. @p end - 1 all will be touched. */
void stable_huge_pages(const struct stable *s, uint32_t first, uint32_t end);

#pragma GCC visibility pop

WEFT_C_END

/** A free record (contents undefined), or NIL when there is none without growth. */
static inline uint32_t stable_free(struct stable *s)
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

/** The same, or NIL when the array is full (stable_full). */
static inline uint32_t stable_alloc(struct stable *s)
{
    const uint32_t i = stable_free(s);
    return __builtin_expect(i == NIL, 0) ? stable_grow(s) : i;
}

static inline void stable_release(struct stable *s, uint32_t i)
{
    WEFT_REQUIRE(i < s->n && s->live > 0);
    *(uint32_t *)(void *)(s->base + (size_t)i * s->elem) = s->free_head;
    s->free_head = i;
    s->live--;
}

#endif
