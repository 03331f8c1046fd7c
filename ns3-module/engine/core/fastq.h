/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The queue of link arrivals and port transmissions: a calendar beside a small heap.
 *
 * A key is (time - base) in 40 bits, the kind in one, the port in 23, so one comparison orders by
 * time, then kind, then port: the engine's canonical order. The window of 2^40 ps (1.1 s) ahead of
 * `base` moves with the clock; what lies beyond it belongs in the slow queue (heap.h), which orders
 * the same way.
 *
 * Time is cut into buckets of 2^shift ps. The next FASTQ_BUCKETS - 1 buckets after the current one
 * are unordered lists; what lies further ahead is in the heap `far`. When nothing else is left, the
 * next bucket that holds anything becomes the current one: its entries are sorted into `due`. An
 * entry pushed into the current bucket or before it goes to the heap `near`. Therefore an entry
 * costs a list insertion and a place among the few entries of its bucket instead of a place in a
 * heap of everything (Brown: "Calendar queues", CACM 31(10), 1988; as in the ladder queue of Tang,
 * Goh and Thng, ACM TOMACS 15(3), 2005, a bucket is ordered only when its time comes). The bucket
 * width follows the traffic. With few entries everything is in `near`.
 *
 * The order served is that of the keys whatever the width: it can't change a result.
 */
#ifndef WEFT_FASTQ_H
#define WEFT_FASTQ_H

#include "base/linkage.h"
#include "heap.h"

#define FASTQ_PORT_BITS 23
#define FASTQ_ID_BITS (FASTQ_PORT_BITS + 1)
#define FASTQ_SPAN (INT64_C(1) << (64 - FASTQ_ID_BITS))
#define FASTQ_BUCKETS 4096u
#define FASTQ_MAX_SHIFT 26 /**< widest bucket: 67 us; all of them span a quarter of the window */
#define FASTQ_ALL_NEAR INT64_MAX /**< `cur` while everything is in `near` */
#define FASTQ_NONE UINT32_MAX
#define FASTQ_NO_KEY KEYHEAP_EMPTY

/** The place of one (kind, port) in the calendar: number kind x ports + port. All zero as long as
 * nothing was there, so that it takes no memory. */
struct fastq_slot {
    uint64_t not_key; /**< the bits of the key, each inverted; 0: not in a bucket */
    uint32_t next;    /**< slot of the next entry of the bucket, FASTQ_NONE: last */
};

/** Whether entries were lost. FASTQ_ENDLESS: the list of a bucket lacks one of its entries, or has
 * more than the queue. */
enum fastq_failed { FASTQ_WHOLE, FASTQ_NO_MEMORY, FASTQ_ENDLESS };

struct fastq {
    /** the current bucket, descending: *top is the first key, due[0] is FASTQ_NO_KEY */
    uint64_t *due, *top;
    struct keyheap near;
    int64_t base;            /**< time of key 0, a multiple of the widest bucket */
    int64_t cur;             /**< number (time >> shift) of the current bucket */
    struct fastq_slot *slot; /**< of arrivals, then of transmissions */
    uint32_t *bucket;        /**< slot of the first entry, FASTQ_NONE: empty */
    uint32_t nports;
    uint32_t shift;
    uint32_t nlisted;                  /**< entries in buckets */
    uint32_t due_cap;                  /**< keys that due has room for */
    int64_t rebase_at;                 /**< bucket from which on the window must move */
    uint64_t used[FASTQ_BUCKETS / 64]; /**< bit map of the buckets that hold anything */
    struct keyheap far;
    bool heap_only;                  /**< never opens the calendar */
    enum fastq_failed failed;        /**< entries were lost */
    uint32_t poured, moved, distant; /**< since the last review: buckets, entries; put into far */
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
static inline uint64_t fastq_key(int64_t base, int64_t t, enum ev_kind kind, uint32_t port)
{
    return (uint64_t)(t - base) << FASTQ_ID_BITS | (uint64_t)kind << FASTQ_PORT_BITS | port;
}
/** The slot of a (kind, port). */
static inline uint32_t fastq_slot_number(const struct fastq *q, enum ev_kind kind, uint32_t port)
{
    return kind == EV_ARRIVE ? port : q->nports + port;
}
static inline uint32_t fastq_len(const struct fastq *q)
{
    return (uint32_t)(q->top - q->due) + q->near.n + q->nlisted + q->far.n;
}

WEFT_C_BEGIN
#pragma GCC visibility push(hidden)

/** An empty queue for ports 0 .. @p nports - 1; false when out of memory. */
bool fastq_init(struct fastq *q, uint32_t nports);
void fastq_free(struct fastq *q);
/** fastq_push for what isn't one more entry of a bucket. */
bool fastq_push_rare(struct fastq *q, int64_t now, int64_t t, enum ev_kind kind, uint32_t port);
/** Makes the next bucket the current one, which has run out; its first key, FASTQ_NO_KEY when
 * nothing is left. */
uint64_t fastq_pour(struct fastq *q, int64_t now);
/** Calls fn(ctx, key) for every entry, in any order; stale ones, too. */
void fastq_each(const struct fastq *q, void (*fn)(void *ctx, uint64_t key), void *ctx);
/** Removes all entries; those to come are at @p now or later. */
void fastq_clear(struct fastq *q, int64_t now);

#pragma GCC visibility pop

WEFT_C_END

/**
 * Adds an entry at @p t >= @p now; false when that is too far ahead. Of one kind and port the
 * calendar keeps only the entry pushed last, but earlier ones may be served all the same: the
 * caller must know a stale one when it sees it. Sets `failed` when out of memory.
 */
static inline bool fastq_push(struct fastq *q, int64_t now, int64_t t, enum ev_kind kind,
                              uint32_t port)
{
    const int64_t number = t >> q->shift;
    const uint32_t slot = fastq_slot_number(q, kind, port);
    struct fastq_slot *s = &q->slot[slot];
    /* unless cur < number < cur + FASTQ_BUCKETS; cur may be INT64_MAX */
    if (__builtin_expect((uint64_t)number - (uint64_t)q->cur - 1 >= FASTQ_BUCKETS - 1, 0) ||
        __builtin_expect(s->not_key != 0, 0))
        return fastq_push_rare(q, now, t, kind, port);
    const uint32_t b = (uint32_t)number & (FASTQ_BUCKETS - 1);
    s->not_key = ~fastq_key(q->base, t, kind, port);
    s->next = q->bucket[b];
    q->bucket[b] = slot;
    q->used[b >> 6] |= UINT64_C(1) << (b & 63);
    q->nlisted++;
    return true;
}

/** The first key; FASTQ_NO_KEY when the queue is empty. */
static inline uint64_t fastq_first(struct fastq *q, int64_t now)
{
    const uint64_t due = *q->top, near = q->near.h[0], key = due < near ? due : near;
    return __builtin_expect(key != FASTQ_NO_KEY, 1) ? key : fastq_pour(q, now);
}

/** Removes the first entry, whose key is @p key. */
static inline void fastq_pop(struct fastq *q, uint64_t key)
{
    if (__builtin_expect(*q->top == key, 1))
        q->top--;
    else
        keyheap_pop(&q->near);
}

#endif
