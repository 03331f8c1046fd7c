/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow. */
#ifndef WEFT_ENGINE_GROW_H
#define WEFT_ENGINE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** Makes an array as long as @p to, in place of @p from, what is new all zero; false when out of
 * memory, nothing has changed then. */
static inline bool grow_zeroed(void **of, size_t size, uint32_t from, uint32_t to)
{
    char *more = (char *)realloc(*of, to * size);
    if (!more)
        return false;
    memset(more + from * size, 0, (to - from) * size);
    *of = more;
    return true;
}

/** Room for one more element in the array that the pointer @p of points to, which has *@p cap
 * places, @p n of them taken; false when out of memory. */
static inline bool grow_array(void *of, size_t size, uint32_t n, uint32_t *cap)
{
    if (__builtin_expect(n < *cap, 1))
        return true;
    const uint32_t to = *cap ? 2 * *cap : 8;
    void *list;
    memcpy(&list, of, sizeof list); /* a pointer of whatever type */
    list = realloc(list, to * size);
    if (!list)
        return false;
    memcpy(of, &list, sizeof list);
    *cap = to;
    return true;
}

/** The same for the array @p list. */
#define GROW(list, n, cap) grow_array(&(list), sizeof *(list), n, cap)

#endif
