/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow. */
#ifndef WEFT_ENGINE_GROW_H
#define WEFT_ENGINE_GROW_H

#include "base/grow.h"

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

/** Room for one more element in @p list. */
#define GROW(list, n, cap) WEFT_GROW(list, n, cap)

#endif
