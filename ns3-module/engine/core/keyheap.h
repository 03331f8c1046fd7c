/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A 4-ary min-heap of 64-bit keys. Four children of 8 bytes share half a cache line. All places
 * behind the last key hold KEYHEAP_EMPTY, so that no family is incomplete.
 */
#ifndef WEFT_KEYHEAP_H
#define WEFT_KEYHEAP_H

#include "base/require.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define KEYHEAP_EMPTY UINT64_MAX /**< greater than every key */

struct keyheap {
    uint64_t *h; /**< h[0] is the smallest, KEYHEAP_EMPTY when there is none (once reserved) */
    uint32_t n, cap;
};

#define KEYHEAP_MORE 4u /**< places behind the last that there is room for */
#define KEYHEAP_LINE 8u /**< keys in a cache line */

/** Makes room for @p n >= 1 keys in all; false when out of memory. */
static inline bool keyheap_reserve(struct keyheap *q, uint32_t n)
{
    if (__builtin_expect(n <= q->cap, 1))
        return true;
    /* on lines of its own: heaps are of different threads */
    const uint32_t more = q->cap * 2 > n ? q->cap * 2 : n;
    const size_t lines = (more + KEYHEAP_MORE + KEYHEAP_LINE - 1) / KEYHEAP_LINE;
    uint64_t *h = (uint64_t *)aligned_alloc(64, lines * 64);
    if (!h)
        return false;
    for (uint32_t i = 0; i < lines * KEYHEAP_LINE; i++)
        h[i] = i < q->n ? q->h[i] : KEYHEAP_EMPTY;
    free(q->h);
    q->h = h;
    q->cap = (uint32_t)lines * KEYHEAP_LINE - KEYHEAP_MORE;
    return true;
}

/** Adds a key; there must be room for it. */
static inline void keyheap_put(struct keyheap *q, uint64_t key)
{
    WEFT_REQUIRE(q->n < q->cap);
    uint64_t *const h = q->h;
    uint32_t i = q->n++;
    while (i > 0) {
        uint32_t up = (i - 1) >> 2;
        if (h[up] <= key)
            break;
        h[i] = h[up];
        i = up;
    }
    h[i] = key;
}

/** Puts @p key where the first one was, and from there to its place. */
static inline void keyheap_replace(struct keyheap *q, uint64_t key)
{
    WEFT_REQUIRE(q->n > 0);
    uint64_t *const h = q->h;
    const uint32_t n = q->n;
    uint32_t i = 0;
    for (uint32_t c = 1; c < n; c = 4 * i + 1) {
        const uint32_t a = c + (h[c + 1] < h[c]);
        const uint32_t b = c + 2 + (h[c + 3] < h[c + 2]);
        const uint32_t best = h[b] < h[a] ? b : a;
        if (key <= h[best])
            break;
        h[i] = h[best];
        i = best;
    }
    h[i] = key;
}

/** Removes the first key; the heap must not be empty. */
static inline void keyheap_pop(struct keyheap *q)
{
    WEFT_REQUIRE(q->n > 0);
    const uint64_t key = q->h[--q->n];
    q->h[q->n] = KEYHEAP_EMPTY;
    if (q->n)
        keyheap_replace(q, key);
}

static inline void keyheap_clear(struct keyheap *q)
{
    while (q->n)
        q->h[--q->n] = KEYHEAP_EMPTY;
}

static inline void keyheap_free(struct keyheap *q)
{
    free(q->h);
    q->h = NULL;
    q->n = q->cap = 0;
}

#endif
