/* SPDX-License-Identifier: GPL-2.0-only */
/* The calendar's rare half: pouring a bucket, growth, following the traffic with the bucket width. */
#include "fastq.h"

#include <string.h>

#define FEW 16u            /**< entries that `near` takes before the calendar opens */
#define FIRST_SHIFT 11     /**< 2 ns; the reviews find the right width */
#define REVIEW_EVERY 1024u /**< pours */
#define CROWDED 10u        /**< entries per pour above which buckets are halved */
#define SPARSE 3u          /**< and below which they are doubled */
#define INSERT_SORT 24u    /**< entries of a bucket up to which insertion sorts best */
#define LOW(key) ((uint32_t)(key) & ((1u << FASTQ_ID_BITS) - 1))

static inline struct fastq_slot *slot_of(const struct fastq *q, uint64_t low)
{
    return &q->slot[fastq_kind(low)][fastq_port(low)];
}

bool fastq_init(struct fastq *q, uint32_t nports)
{
    memset(q, 0, sizeof *q);
    q->cur = FASTQ_ALL_NEAR;
    q->shift = FIRST_SHIFT;
    q->due_cap = 2 * INSERT_SORT;
    const size_t n = nports ? nports : 1;
    q->slot[0] = (struct fastq_slot *)malloc(2 * n * sizeof *q->slot[0]);
    q->bucket = (uint32_t *)malloc(FASTQ_BUCKETS * sizeof *q->bucket);
    q->due = (uint64_t *)malloc(q->due_cap * sizeof *q->due);
    if (!q->slot[0] || !q->bucket || !q->due)
        return false;
    q->slot[1] = q->slot[0] + n;
    for (size_t i = 0; i < 2 * n; i++)
        q->slot[0][i].key = FASTQ_NO_KEY;
    memset(q->bucket, 0xff, FASTQ_BUCKETS * sizeof *q->bucket);
    q->due[0] = FASTQ_NO_KEY;
    return true;
}

void fastq_free(struct fastq *q)
{
    keyheap_free(&q->near);
    keyheap_free(&q->far);
    free(q->due);
    free(q->bucket);
    free(q->slot[0]);
    memset(q, 0, sizeof *q);
}

static inline void put(struct fastq *q, struct keyheap *h, uint64_t key)
{
    if (__builtin_expect(keyheap_reserve(h, h->n + 1), 1))
        keyheap_put(h, key);
    else
        q->failed = true;
}

/* ---- buckets ---- */

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : -1;
}

/* Forgets a bucket; returns what its first entry was. */
static inline uint32_t take_bucket(struct fastq *q, uint32_t b)
{
    const uint32_t low = q->bucket[b];
    q->bucket[b] = FASTQ_NONE;
    q->used[b >> 6] &= ~(UINT64_C(1) << (b & 63));
    return low;
}

/* Takes an entry that is in no list any more out of the calendar. */
static inline uint64_t take_slot(struct fastq *q, struct fastq_slot *s)
{
    const uint64_t key = s->key;
    s->key = FASTQ_NO_KEY;
    q->nlisted--;
    return key;
}

/* Sorts a bucket into due, which is empty. */
static inline void pour_bucket(struct fastq *q, uint32_t b)
{
    if (__builtin_expect(q->nlisted >= q->due_cap, 0)) {
        uint64_t *due = (uint64_t *)realloc(q->due, 2 * (size_t)q->nlisted * sizeof *due);
        if (!due) {
            q->failed = true;
            return;
        }
        q->due = due;
        q->due_cap = 2 * q->nlisted;
    }
    uint64_t *const due = q->due;
    uint32_t low = take_bucket(q, b), n = 0;
    do {
        struct fastq_slot *s = slot_of(q, low);
        const uint64_t key = take_slot(q, s);
        low = s->next;
        uint32_t i = n++;
        if (__builtin_expect(n <= INSERT_SORT, 1))
            for (; due[i] < key; i--) /* ends at due[0] */
                due[i + 1] = due[i];
        due[i + 1] = key;
    } while (low != FASTQ_NONE);
    if (__builtin_expect(n > INSERT_SORT, 0))
        qsort(due + 1, n, sizeof *due, descending);
    q->ndue = n;
    q->moved += n;
}

/* Takes an entry out of its bucket. */
static void unlist(struct fastq *q, struct fastq_slot *s)
{
    const uint32_t b = (uint32_t)(fastq_time(q, s->key) >> q->shift) & (FASTQ_BUCKETS - 1);
    uint32_t *link = &q->bucket[b];
    while (*link != LOW(s->key))
        link = &slot_of(q, *link)->next;
    *link = s->next;
    if (q->bucket[b] == FASTQ_NONE)
        take_bucket(q, b);
    take_slot(q, s);
}

/* The bucket at or after @p from, cyclically, that holds anything; there must be one. */
static inline uint32_t next_used(const struct fastq *q, uint32_t from)
{
    uint32_t w = from >> 6;
    uint64_t m = q->used[w] & ~UINT64_C(0) << (from & 63);
    while (!m) {
        w = (w + 1) & (FASTQ_BUCKETS / 64 - 1);
        m = q->used[w];
    }
    return w << 6 | (uint32_t)__builtin_ctzll(m);
}

/* ---- the width ---- */

/* Moves everything to near. */
static void gather(struct fastq *q)
{
    while (q->nlisted) {
        uint32_t low = take_bucket(q, next_used(q, 0));
        while (low != FASTQ_NONE) {
            struct fastq_slot *s = slot_of(q, low);
            low = s->next;
            put(q, &q->near, take_slot(q, s));
        }
    }
    for (; q->far.n; q->far.n--)
        put(q, &q->near, q->far.h[q->far.n - 1]);
    for (; q->ndue; q->ndue--)
        put(q, &q->near, q->due[q->ndue]);
    q->cur = FASTQ_ALL_NEAR;
}

/* Deals everything out to buckets of 2^shift ps. */
static void deal(struct fastq *q, int64_t now, uint32_t shift)
{
    gather(q);
    q->poured = q->moved = q->distant = 0;
    q->shift = shift;
    const uint32_t n = q->near.n;
    uint64_t *keys = (uint64_t *)malloc((n ? n : 1) * sizeof *keys);
    /* buckets must end before the window does: with everything further ahead near does it all */
    if (!n || !keys || fastq_time(q, q->near.h[0]) - q->base > FASTQ_SPAN / 2) {
        free(keys);
        return;
    }
    memcpy(keys, q->near.h, n * sizeof *keys);
    q->near.n = 0;
    q->cur = fastq_time(q, keys[0]) >> shift;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t key = keys[i];
        const int64_t t = fastq_time(q, key);
        if (t >> shift <= q->cur)
            put(q, &q->near, key);
        else if (slot_of(q, key)->key != FASTQ_NO_KEY) /* one of the two is stale: keep both */
            put(q, &q->far, key);
        else
            fastq_push(q, now, t, fastq_kind(key), fastq_port(key));
    }
    free(keys);
}

/* How many buckets ahead of the current one the last entry is. */
static uint32_t reach(const struct fastq *q)
{
    uint32_t last = 0;
    for (uint32_t b = 0; b < FASTQ_BUCKETS; b++)
        if (q->used[b >> 6] >> (b & 63) & 1) {
            uint32_t ahead = (b - (uint32_t)q->cur) & (FASTQ_BUCKETS - 1);
            last = ahead > last ? ahead : last;
        }
    return last;
}

static void review(struct fastq *q, int64_t now)
{
    uint32_t shift = q->shift;
    if (q->distant > q->moved / 8 || q->moved < SPARSE * REVIEW_EVERY)
        shift += shift < FASTQ_MAX_SHIFT;
    else if (q->moved > CROWDED * REVIEW_EVERY && q->distant <= q->moved / 64 &&
             reach(q) < FASTQ_BUCKETS / 2 - 2)
        shift -= shift > 0;
    q->poured = q->moved = q->distant = 0;
    if (fastq_len(q) < FEW / 2)
        gather(q);
    else if (shift != q->shift)
        deal(q, now, shift);
}

/* Moves the window so that it starts at or before @p now; no entry may be earlier. */
static void rebase(struct fastq *q, int64_t now)
{
    int64_t base = now & ~((INT64_C(1) << FASTQ_MAX_SHIFT) - 1);
    uint64_t shift = (uint64_t)(base - q->base) << FASTQ_ID_BITS;
    gather(q);
    for (uint32_t i = 0; i < q->near.n; i++)
        q->near.h[i] -= shift;
    q->base = base;
    if (q->near.n > FEW && !q->heap_only)
        deal(q, now, q->shift);
}

/* ---- the queue ---- */

bool fastq_push_rare(struct fastq *q, int64_t now, int64_t t, enum ev_kind kind, uint32_t port)
{
    if (t - q->base >= FASTQ_SPAN) {
        if (t - now >= FASTQ_SPAN - (INT64_C(1) << FASTQ_MAX_SHIFT))
            return false;
        rebase(q, now);
    }
    struct fastq_slot *s = &q->slot[kind][port];
    if (s->key != FASTQ_NO_KEY)
        unlist(q, s);
    if (q->near.n >= FEW && q->cur == FASTQ_ALL_NEAR && !q->heap_only)
        deal(q, now, q->shift);
    const int64_t number = t >> q->shift;
    const uint64_t key = fastq_key(q, t, kind, port);
    if (number <= q->cur) {
        put(q, &q->near, key);
    } else if (number - q->cur < FASTQ_BUCKETS) {
        return fastq_push(q, now, t, kind, port);
    } else {
        put(q, &q->far, key);
        q->distant++;
    }
    return true;
}

uint64_t fastq_pour(struct fastq *q, int64_t now)
{
    int64_t number = INT64_MAX;
    uint32_t b = 0;
    if (__builtin_expect(q->nlisted != 0, 1)) {
        const uint32_t from = (uint32_t)(q->cur + 1) & (FASTQ_BUCKETS - 1);
        b = next_used(q, from);
        number = q->cur + 1 + ((b - from) & (FASTQ_BUCKETS - 1));
    } else if (q->far.n == 0) {
        return FASTQ_NO_KEY;
    }
    if (__builtin_expect(q->far.n != 0, 0)) {
        const int64_t distant = fastq_time(q, q->far.h[0]) >> q->shift;
        q->cur = distant < number ? distant : number;
        while (q->far.n && fastq_time(q, q->far.h[0]) >> q->shift == q->cur) {
            put(q, &q->near, q->far.h[0]);
            keyheap_pop(&q->far);
            q->moved++;
        }
    } else {
        q->cur = number;
    }
    if (q->cur == number)
        pour_bucket(q, b);
    if (__builtin_expect(++q->poured == REVIEW_EVERY, 0))
        review(q, now);
    if (q->cur != FASTQ_ALL_NEAR && (q->cur << q->shift) - q->base > FASTQ_SPAN / 2)
        rebase(q, now);
    return fastq_first(q, now);
}
