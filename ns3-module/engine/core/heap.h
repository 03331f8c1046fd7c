/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The heaps of the engine: 16-byte keys with a time, and 64-bit keys.
 *
 * The slow event queue (timers, and whatever lies far ahead): a 4-ary min-heap of 16-byte keys
 * (time, id).
 *
 * The id says what happens: kind in the top 4 bits, the number of a port, QP or timer slot below.
 * Equal
 * times are served in ascending id, so the order of execution is a property of the model and not of
 * the history of insertions. Four children share one cache line.
 */
#ifndef WEFT_ENGINE_HEAP_H
#define WEFT_ENGINE_HEAP_H

#include "base/require.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/** Kinds, in the order in which simultaneous events execute. */
enum ev_kind {
    EV_ARRIVE = 0,
    EV_TX = 1,
    EV_RTO = 2,
    EV_CC = 3,
    EV_PFC = 4,
    EV_TIMER = 5,
    EV_GRANT = 6,
    EV_KINDS
};
#define EV_KIND_SHIFT 60
#define EV_ID(kind, number) (((uint64_t)(kind) << EV_KIND_SHIFT) | (uint64_t)(number))
#define EV_NUMBER(id) ((id) & ((UINT64_C(1) << EV_KIND_SHIFT) - 1))

struct ev {
    int64_t t;
    uint64_t id;
};

struct evq {
    struct ev
        *h; /**< h[0] is the first; its time is INT64_MAX when there is none (once reserved) */
    uint32_t n, cap;
};

static inline bool ev_before(struct ev a, struct ev b)
{
    return a.t < b.t || (a.t == b.t && a.id < b.id);
}

/** Makes room for one more entry; false when out of memory. */
static inline bool evq_reserve(struct evq *q)
{
    if (q->n < q->cap)
        return true;
    uint32_t cap = q->cap ? q->cap * 2 : 64;
    struct ev *h = (struct ev *)realloc(q->h, cap * sizeof *h);
    if (!h)
        return false;
    if (!q->n)
        h[0].t = INT64_MAX;
    q->h = h;
    q->cap = cap;
    return true;
}

static inline void evq_sift_up(struct evq *q, uint32_t i, struct ev e)
{
    struct ev *h = q->h;
    while (i > 0) {
        uint32_t up = (i - 1) >> 2;
        if (!ev_before(e, h[up]))
            break;
        h[i] = h[up];
        i = up;
    }
    h[i] = e;
}

static inline void evq_sift_down(struct evq *q, uint32_t i, struct ev e)
{
    struct ev *h = q->h;
    const uint32_t n = q->n;
    for (;;) {
        uint32_t c = 4 * i + 1;
        if (c >= n)
            break;
        uint32_t best = c;
        uint32_t end = c + 4 < n ? c + 4 : n;
        for (uint32_t k = c + 1; k < end; k++)
            if (ev_before(h[k], h[best]))
                best = k;
        if (!ev_before(h[best], e))
            break;
        h[i] = h[best];
        i = best;
    }
    h[i] = e;
}

/** Adds an entry; false when out of memory. */
static inline bool evq_push(struct evq *q, int64_t t, uint64_t id)
{
    if (!evq_reserve(q))
        return false;
    struct ev e = {t, id};
    evq_sift_up(q, q->n++, e);
    return true;
}

/** Removes the first entry; the queue must not be empty. */
static inline void evq_pop(struct evq *q)
{
    WEFT_REQUIRE(q->n > 0);
    struct ev last = q->h[--q->n];
    if (q->n)
        evq_sift_down(q, 0, last);
    else
        q->h[0].t = INT64_MAX;
}

/** Replaces the first entry by a later one: cheaper than pop and push. */
static inline void evq_replace_top(struct evq *q, int64_t t, uint64_t id)
{
    WEFT_REQUIRE(q->n > 0 && t >= q->h[0].t);
    struct ev e = {t, id};
    evq_sift_down(q, 0, e);
}

static inline void evq_free(struct evq *q)
{
    free(q->h);
    q->h = NULL;
    q->n = q->cap = 0;
}

/*
 * A 4-ary min-heap of 64-bit keys. Four children of 8 bytes share half a cache line. All places
 * behind the last key hold KEYHEAP_EMPTY, so that no family is incomplete.
 */

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
