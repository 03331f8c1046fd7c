/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of the critical path that worker threads make: new ones in their own memory, changes of
 * shared ones as notes.
 */
#include "system/causal_path_notes.h"

#include "base/require.h"

#include <stdlib.h>

enum { PER_BLOCK = 1024, REFILL = 256 };

static void causal_path_notes_add(struct weft_causal_path_notes *n, struct weft_causal_path *t)
{
    t->next_free = n->free;
    n->free = t;
    n->nfree++;
}

bool weft_notes_have_room(struct weft_causal_path_notes *n)
{
    if (n->n + 2 > WEFT_NOTES_MAX)
        return false;
    if (n->free)
        return true;
    void **block = calloc(1, sizeof(void *) + PER_BLOCK * sizeof(struct weft_causal_path));
    if (!block)
        return false;
    *block = n->blocks;
    n->blocks = block;
    for (size_t i = 0; i < PER_BLOCK; i++)
        causal_path_notes_add(n, (struct weft_causal_path *)(void *)(block + 1) + i);
    return true;
}

struct weft_causal_path *weft_notes_take(struct weft_causal_path_notes *n)
{
    struct weft_causal_path *t = n->free;
    WEFT_REQUIRE(t);
    n->free = t->next_free;
    n->nfree--;
    return t;
}

void weft_notes_drop(struct weft_causal_path_notes *n, struct weft_causal_path *t)
{
    if (!t)
        return;
    WEFT_REQUIRE(n->n < WEFT_NOTES_MAX);
    n->dropped[n->n++] = t;
}

void weft_notes_refill(struct weft_causal_path_notes *n, struct weft_causal_path **free)
{
    while (*free && n->nfree < REFILL) {
        struct weft_causal_path *t = *free;
        *free = t->next_free;
        causal_path_notes_add(n, t);
    }
}

void weft_notes_free(struct weft_causal_path_notes *n)
{
    for (void **b = n->blocks, **next; b; b = next) {
        next = *b;
        free(b);
    }
    free(n);
}
