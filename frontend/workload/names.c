/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Open addressing with linear probing, at most half full, and of bounded size: later new names are
 * not shared.
 */
#include "workload/names.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define CAP_MAX ((size_t)1 << 18)

struct weft_names {
    struct weft_arena *arena;
    const char **slot;
    size_t cap; /* a power of two */
    size_t used;
};

struct weft_names *weft_names_new(struct weft_arena *arena)
{
    struct weft_names *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->arena = arena;
    t->cap = 256;
    t->slot = calloc(t->cap, sizeof *t->slot);
    if (!t->slot) {
        free(t);
        return NULL;
    }
    return t;
}

void weft_names_free(struct weft_names *t)
{
    if (!t)
        return;
    free(t->slot);
    free(t);
}

static size_t names_find(const char *const *slot, size_t cap, const char *s)
{
    size_t i = (size_t)XXH64(s, strlen(s), 0) & (cap - 1);
    while (slot[i] && strcmp(slot[i], s) != 0)
        i = (i + 1) & (cap - 1);
    return i;
}

static int names_grow(struct weft_names *t)
{
    const char **slot = calloc(t->cap * 2, sizeof *slot);
    if (!slot)
        return -1;
    for (size_t i = 0; i < t->cap; i++)
        if (t->slot[i])
            slot[names_find(slot, t->cap * 2, t->slot[i])] = t->slot[i];
    free(t->slot);
    t->slot = slot;
    t->cap *= 2;
    return 0;
}

const char *weft_names_get(struct weft_names *t, const char *s)
{
    if (*s == '\0')
        return "";
    size_t i = names_find(t->slot, t->cap, s);
    if (t->slot[i])
        return t->slot[i];
    if (2 * (t->used + 1) > t->cap) {
        if (t->cap == CAP_MAX) /* names that are all different: nothing to share */
            return weft_arena_strdup(t->arena, s);
        if (names_grow(t) < 0)
            return NULL;
        i = names_find(t->slot, t->cap, s);
    }
    t->slot[i] = weft_arena_strdup(t->arena, s);
    t->used += t->slot[i] != NULL;
    return t->slot[i];
}
