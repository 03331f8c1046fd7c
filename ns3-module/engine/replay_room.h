/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays of replay that grow. */
#ifndef WEFT_ENGINE_REPLAY_ROOM_H
#define WEFT_ENGINE_REPLAY_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** Makes an array as long as @p to, in place of @p from, what is new all zero; false when out of
 * memory, nothing has changed then. */
static inline bool replay_lengthen(void **of, size_t size, uint32_t from, uint32_t to)
{
    char *more = (char *)realloc(*of, to * size);
    if (!more)
        return false;
    memset(more + from * size, 0, (to - from) * size);
    *of = more;
    return true;
}

/** Room for one more element in an array that has *@p cap places, @p n of them taken; false when
 * out of memory. */
static inline bool replay_room(void **of, size_t size, uint32_t n, uint32_t *cap)
{
    if (n < *cap)
        return true;
    const uint32_t to = *cap ? 2 * *cap : 8;
    void *more = realloc(*of, to * size);
    if (!more)
        return false;
    *of = more;
    *cap = to;
    return true;
}

#endif
