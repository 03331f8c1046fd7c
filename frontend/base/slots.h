/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places for things of one size that come and go, told by index: a freed place is the next that is
 * taken. A place may move when another is taken, so nothing keeps its address.
 */
#ifndef WEFT_BASE_SLOTS_H
#define WEFT_BASE_SLOTS_H

#include "base/linkage.h"

#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

/** No place: out of memory. */
#define WEFT_NO_SLOT UINT32_MAX

/** The places; initialise with WEFT_SLOTS_OF. */
struct weft_slots {
    void *places;
    size_t size; /**< of a place, at least 4 bytes: a free one holds the number of the next */
    uint32_t n, cap;
    uint32_t free; /**< index + 1 of the one freed last; 0: none */
};

/** No places yet, for things of type @p type. */
#define WEFT_SLOTS_OF(type) ((struct weft_slots){.size = sizeof(type)})

/** Takes a place, whose content is undefined. WEFT_NO_SLOT: out of memory. */
uint32_t weft_slots_take(struct weft_slots *s);
/** Gives back a place that is taken. */
void weft_slots_give_back(struct weft_slots *s, uint32_t i);
/** Gives all back. */
void weft_slots_clear(struct weft_slots *s);
/** Frees the memory; there are no places then. */
void weft_slots_release(struct weft_slots *s);

/** A place, which was taken. */
static inline void *weft_slot(const struct weft_slots *s, uint32_t i)
{
    return (char *)s->places + (size_t)i * s->size;
}

WEFT_C_END
#endif
