/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Open-addressing map, see u64map.h. Removal moves later entries of a probe run back (no
 * tombstones).
 */
#include "base/u64map.h"

#include "base/err.h"
#include "base/rng.h"

#include <stdlib.h>

/* Slot of the key, or the free slot where its probe run ends. The table is never full. */
static size_t u64map_find(const struct weft_u64map *m, uint64_t key)
{
    size_t i = (size_t)weft_mix64(key) & (m->cap - 1);
    while (m->slots[i].key1 && m->slots[i].key1 != key + 1)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static int u64map_grow(struct weft_u64map *m)
{
    struct weft_u64map big = {.n = m->n, .cap = m->cap ? 2 * m->cap : 8};
    big.slots = calloc(big.cap, sizeof *big.slots);
    if (!big.slots)
        return WEFT_E_LIMIT;
    for (size_t i = 0; i < m->cap; i++)
        if (m->slots[i].key1)
            big.slots[u64map_find(&big, m->slots[i].key1 - 1)] = m->slots[i];
    free(m->slots);
    *m = big;
    return 0;
}

bool weft_u64map_has_room(const struct weft_u64map *m)
{
    return 4 * (m->n + 1) <= 3 * m->cap;
}

int weft_u64map_put(struct weft_u64map *m, uint64_t key, void *value)
{
    if (!weft_u64map_has_room(m) && u64map_grow(m))
        return WEFT_E_LIMIT;
    size_t i = u64map_find(m, key);
    if (!m->slots[i].key1)
        m->n++;
    m->slots[i] = (struct weft_u64map_slot){key + 1, value};
    return 0;
}

int weft_u64map_get(const struct weft_u64map *m, uint64_t key, void **value)
{
    if (m->n == 0)
        return 0;
    size_t i = u64map_find(m, key);
    if (!m->slots[i].key1)
        return 0;
    if (value)
        *value = m->slots[i].value;
    return 1;
}

int weft_u64map_take(struct weft_u64map *m, uint64_t key, void **value)
{
    if (!weft_u64map_get(m, key, value))
        return 0;
    size_t mask = m->cap - 1, hole = u64map_find(m, key);
    m->n--;
    for (size_t i = (hole + 1) & mask; m->slots[i].key1; i = (i + 1) & mask) {
        size_t home = (size_t)weft_mix64(m->slots[i].key1 - 1) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) { /* home is not after the hole */
            m->slots[hole] = m->slots[i];
            hole = i;
        }
    }
    m->slots[hole].key1 = 0;
    return 1;
}

void weft_u64map_release(struct weft_u64map *m)
{
    free(m->slots);
    *m = (struct weft_u64map){0};
}
