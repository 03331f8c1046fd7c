/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists that grow: an array, how many elements it has, and for how many it has room (@p cap, a
 * pointer to a uint32_t, uint64_t or size_t). The room doubles, so that adding takes time linear in
 * the list. All say whether there is memory; if not, nothing has changed.
 */
#ifndef WEFT_BASE_GROW_H
#define WEFT_BASE_GROW_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

WEFT_C_BEGIN

/** A list: its array, and for how many elements of how many bytes that has room. */
struct weft_growing {
    void *array; /**< the pointer to it, of whatever type */
    size_t size;
    void *cap;
    size_t cap_size;          /**< 4 or 8 bytes */
    struct weft_arena *arena; /**< that it lies in; NULL: it is realloc()'s */
    bool zeroed;              /**< new elements are zero, as those in an arena are */
};

/** Room for @p want elements, where there is less. */
bool weft_grow(const struct weft_growing *list, size_t want);

/** Room for one element more in @p list, which has @p n. */
#define WEFT_GROW(list, n, cap) WEFT_GROW_TO(list, (size_t)(n) + 1, cap)
/** The same for a list in an arena, where what it grew out of stays. */
#define WEFT_ARENA_GROW(arena, list, n, cap) WEFT_GROWS(list, (size_t)(n) + 1, cap, arena, false)
/** Room for @p want elements. */
#define WEFT_GROW_TO(list, want, cap) WEFT_GROWS(list, want, cap, NULL, false)
/** The same; new elements are zero. */
#define WEFT_GROW_ZEROED(list, want, cap) WEFT_GROWS(list, want, cap, NULL, true)
/** Room for one element more in a short list, whose room nobody remembers. */
#define WEFT_GROW_ONE(list, n)                                                                     \
    weft_grow(&(struct weft_growing){&(list), sizeof *(list), &(size_t){n}, sizeof(size_t), NULL,  \
                                     false},                                                       \
              (size_t)(n) + 1)

#define WEFT_GROWS(list, want, cap, arena, zeroed)                                                 \
    ((want) <= *(cap) ||                                                                           \
     weft_grow(&(struct weft_growing){&(list), sizeof *(list), cap, sizeof *(cap), arena, zeroed}, \
               want))

WEFT_C_END
#endif
