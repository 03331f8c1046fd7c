/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists that grow. */
#include "base/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool weft_grow(const struct weft_growing *list, size_t want)
{
    const size_t size = list->size;
    const bool narrow = list->cap_size == sizeof(uint32_t);
    const size_t cap = narrow ? *(uint32_t *)list->cap : *(size_t *)list->cap;
    const size_t twice = cap ? 2 * cap : 16, more = want > twice ? want : twice;
    char *old, *grown;
    memcpy(&old, list->array, sizeof old);
    if (narrow && more > UINT32_MAX)
        return false;
    grown = list->arena ? weft_arena_calloc(list->arena, more, size) : realloc(old, more * size);
    if (!grown)
        return false;
    if (list->arena && cap)
        memcpy(grown, old, cap * size);
    if (list->zeroed)
        memset(grown + cap * size, 0, (more - cap) * size);
    memcpy(list->array, &grown, sizeof grown);
    if (narrow)
        *(uint32_t *)list->cap = (uint32_t)more;
    else
        *(size_t *)list->cap = more;
    return true;
}
