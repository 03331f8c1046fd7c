/* SPDX-License-Identifier: GPL-2.0-only */
/* An array of equal records with a free list: the index of a freed record is used next. */
#include "base/slots.h"

#include "base/require.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 64 };

uint32_t weft_slots_take(struct weft_slots *s)
{
    const uint32_t i = s->free - 1;
    WEFT_REQUIRE(s->size >= sizeof s->free);
    if (s->free) {
        memcpy(&s->free, weft_slot(s, i), sizeof s->free);
        return i;
    }
    if (s->n == s->cap) {
        const uint32_t cap = s->cap ? 2 * s->cap : FIRST;
        void *more = cap > s->cap ? realloc(s->places, cap * s->size) : NULL;
        if (!more)
            return WEFT_NO_SLOT;
        s->places = more;
        s->cap = cap;
    }
    return s->n++;
}

void weft_slots_give_back(struct weft_slots *s, uint32_t i)
{
    WEFT_REQUIRE(i < s->n && i + 1 != s->free);
    memcpy(weft_slot(s, i), &s->free, sizeof s->free);
    s->free = i + 1;
}

void weft_slots_clear(struct weft_slots *s)
{
    s->n = s->free = 0;
}

void weft_slots_release(struct weft_slots *s)
{
    free(s->places);
    *s = (struct weft_slots){.size = s->size};
}
