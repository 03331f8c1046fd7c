/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small hash map from 64-bit keys to pointers, open addressing with linear probing. An empty map
 * owns no memory.
 */
#ifndef WEFT_BASE_U64MAP_H
#define WEFT_BASE_U64MAP_H

#include "base/linkage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

struct weft_u64map_slot {
    uint64_t key1; /**< key + 1; 0: free */
    void *value;
};

/** The map; zero-initialise. */
struct weft_u64map {
    struct weft_u64map_slot *slots;
    size_t n, cap; /**< cap is 0 or a power of two */
};

/** Adds or replaces. @p key below UINT64_MAX. Returns 0, or WEFT_E_LIMIT when out of memory. */
int weft_u64map_put(struct weft_u64map *m, uint64_t key, void *value);
/** Whether one more is added without asking for memory. */
bool weft_u64map_has_room(const struct weft_u64map *m);
/** 1 when there is an entry; its value in *value (may be NULL). */
int weft_u64map_get(const struct weft_u64map *m, uint64_t key, void **value);
/** Removes; 1 when there was an entry, its value in *value (may be NULL). */
int weft_u64map_take(struct weft_u64map *m, uint64_t key, void **value);
/** Frees the memory, not the values. */
void weft_u64map_release(struct weft_u64map *m);

WEFT_C_END
#endif
