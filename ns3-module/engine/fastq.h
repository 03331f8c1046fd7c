/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The queue of link arrivals and port transmissions: a 4-ary min-heap of single 64-bit keys.
 *
 * A key is (time - base) in 40 bits, the kind in one, the port in 23, so one comparison orders by
 * time, then kind, then
 * port: the engine's canonical order. The window of 2^40 ps (1.1 s) ahead of `base` moves with the
 * clock; what lies beyond it belongs in
 * the slow queue (evq.h), which orders the same way. Four children of 8 bytes share half a cache
 * line.
 */
#ifndef WEFT_FASTQ_H
#define WEFT_FASTQ_H

#include "evq.h"

#define FASTQ_PORT_BITS 23
#define FASTQ_ID_BITS (FASTQ_PORT_BITS + 1)
#define FASTQ_SPAN (INT64_C(1) << (64 - FASTQ_ID_BITS))

struct fastq {
    uint64_t *h;
    uint32_t n, cap;
    int64_t base; /**< time of key 0 */
};

static inline int64_t fastq_time(const struct fastq *q, uint64_t key)
{
    return q->base + (int64_t)(key >> FASTQ_ID_BITS);
}
static inline enum ev_kind fastq_kind(uint64_t key)
{
    return (enum ev_kind)(key >> FASTQ_PORT_BITS & 1);
}
static inline uint32_t fastq_port(uint64_t key)
{
    return (uint32_t)key & ((1u << FASTQ_PORT_BITS) - 1);
}
static inline uint64_t fastq_key(const struct fastq *q, int64_t t, enum ev_kind kind, uint32_t port)
{
    return (uint64_t)(t - q->base) << FASTQ_ID_BITS | (uint64_t)kind << FASTQ_PORT_BITS | port;
}
/** The first entry in the slow queue's terms. */
static inline struct ev fastq_top(const struct fastq *q)
{
    uint64_t key = q->h[0];
    struct ev e = {fastq_time(q, key), EV_ID(fastq_kind(key), fastq_port(key))};
    return e;
}

/** Moves the window so that it starts at @p now; no entry may be earlier. Keeps the order. */
static inline void fastq_rebase(struct fastq *q, int64_t now)
{
    uint64_t shift = (uint64_t)(now - q->base) << FASTQ_ID_BITS;
    for (uint32_t i = 0; i < q->n; i++)
        q->h[i] -= shift;
    q->base = now;
}

/** Whether an entry at @p t fits the window, moving it when that helps. */
static inline bool fastq_fits(struct fastq *q, int64_t now, int64_t t)
{
    if (t - q->base < FASTQ_SPAN)
        return true;
    if (t - now >= FASTQ_SPAN)
        return false;
    fastq_rebase(q, now);
    return true;
}

static inline void fastq_sift_down(struct fastq *q, uint64_t key)
{
    uint64_t *const h = q->h;
    const uint32_t n = q->n;
    uint32_t i = 0, c = 1;
    while (c + 3 < n) {
        uint32_t a = c + (h[c + 1] < h[c]);
        uint32_t b = c + 2 + (h[c + 3] < h[c + 2]);
        uint32_t best = h[b] < h[a] ? b : a;
        if (key <= h[best])
            goto place;
        h[i] = h[best];
        i = best;
        c = 4 * i + 1;
    }
    if (c < n) { /* the last, incomplete family */
        uint32_t best = c;
        for (uint32_t k = c + 1; k < n; k++)
            if (h[k] < h[best])
                best = k;
        if (h[best] < key) {
            h[i] = h[best];
            i = best;
        }
    }
place:
    h[i] = key;
}

/** Adds a key; false when out of memory. */
static inline bool fastq_push(struct fastq *q, uint64_t key)
{
    if (q->n == q->cap) {
        uint32_t cap = q->cap ? q->cap * 2 : 64;
        uint64_t *h = (uint64_t *)realloc(q->h, cap * sizeof *h);
        if (!h)
            return false;
        q->h = h;
        q->cap = cap;
    }
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
    return true;
}

/** Removes the first key; the queue must not be empty. */
static inline void fastq_pop(struct fastq *q)
{
    uint64_t last = q->h[--q->n];
    if (q->n)
        fastq_sift_down(q, last);
}

/** Replaces the first key by a later one: cheaper than pop and push. */
static inline void fastq_replace_top(struct fastq *q, uint64_t key)
{
    fastq_sift_down(q, key);
}

static inline void fastq_free(struct fastq *q)
{
    free(q->h);
    q->h = NULL;
    q->n = q->cap = 0;
}

#endif
