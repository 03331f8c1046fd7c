/* SPDX-License-Identifier: GPL-2.0-only */
/* The calendar's rare half: pouring a bucket, growth, following the traffic with the bucket width.
 */
#include "fastq.h"

#include <string.h>

#define FEW 16u            /**< entries that `near` takes before the calendar opens */
#define FIRST_SHIFT 11     /**< 2 ns; the reviews find the right width */
#define REVIEW_EVERY 1024u /**< pours */
#define CROWDED 10u        /**< entries per pour above which buckets are halved */
#define SPARSE 3u          /**< and below which they are doubled */
#define INSERT_SORT 24u    /**< entries of a bucket up to which insertion sorts best */

static void set_cur(struct fastq *q, int64_t cur)
{
    q->cur = cur;
    q->rebase_at = cur == FASTQ_ALL_NEAR ? FASTQ_ALL_NEAR : (q->base + FASTQ_SPAN / 2) >> q->shift;
}

bool fastq_init(struct fastq *q, uint32_t nports)
{
    memset(q, 0, sizeof *q);
    q->nports = nports;
    q->shift = FIRST_SHIFT;
    q->due_cap = 2 * INSERT_SORT;
    set_cur(q, FASTQ_ALL_NEAR);
    const size_t n = 2 * (size_t)(nports ? nports : 1);
    q->slot = (struct fastq_slot *)calloc(n, sizeof *q->slot);
    q->bucket = (uint32_t *)malloc(FASTQ_BUCKETS * sizeof *q->bucket);
    q->due = q->top = (uint64_t *)malloc(q->due_cap * sizeof *q->due);
    if (!q->slot || !q->bucket || !q->due || !keyheap_reserve(&q->near, 2 * FEW))
        return false;
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
    free(q->slot);
    memset(q, 0, sizeof *q);
}

static inline void put(struct fastq *q, struct keyheap *h, uint64_t key)
{
    if (__builtin_expect(keyheap_reserve(h, h->n + 1), 1))
        keyheap_put(h, key);
    else
        q->failed = FASTQ_NO_MEMORY;
}

/* ---- buckets ---- */

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : -1;
}

static inline uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Sorts the keys of a crowded bucket, largest first: quicksort, and the library's sort where that
 * would take more than @p rounds. a[-1] is larger than all. */
static void sort_keys(uint64_t *a, uint32_t n, uint32_t rounds)
{
    while (n > INSERT_SORT) {
        if (rounds-- == 0) {
            qsort(a, n, sizeof *a, descending);
            return;
        }
        const uint64_t pivot = median(a[0], a[n / 2], a[n - 1]);
        uint32_t i = 0, j = n - 1;
        for (;; i++, j--) {
            while (a[i] > pivot)
                i++;
            while (a[j] < pivot)
                j--;
            if (i >= j)
                break;
            const uint64_t t = a[i];
            a[i] = a[j];
            a[j] = t;
        }
        sort_keys(a, i, rounds);
        a += i;
        n -= i;
    }
    for (uint32_t i = 1; i < n; i++) {
        const uint64_t key = a[i];
        uint64_t *at = a + i - 1;
        for (; *at < key; at--) /* ends at the key before a */
            at[1] = *at;
        at[1] = key;
    }
}

/* Forgets a bucket; returns the slot of its first entry. */
static inline uint32_t take_bucket(struct fastq *q, uint32_t b)
{
    const uint32_t slot = q->bucket[b];
    q->bucket[b] = FASTQ_NONE;
    q->used[b >> 6] &= ~(UINT64_C(1) << (b & 63));
    return slot;
}

static __attribute__((noinline)) bool grow_due(struct fastq *q)
{
    const size_t n = 2 * (size_t)q->nlisted, held = (size_t)(q->top - q->due);
    uint64_t *due = (uint64_t *)realloc(q->due, n * sizeof *due);
    if (!due) {
        q->failed = FASTQ_NO_MEMORY;
        return false;
    }
    q->due = due;
    q->top = due + held;
    q->due_cap = (uint32_t)n;
    return true;
}

/* Sorts a bucket into due, which is empty. */
static inline void pour_bucket(struct fastq *q, uint32_t b)
{
    if (__builtin_expect(q->nlisted >= q->due_cap, 0) && !grow_due(q))
        return;
    uint64_t *const due = q->due;
    struct fastq_slot *const slots = q->slot;
    uint64_t *top = due;
    const uint64_t *const last = due + q->nlisted;
    uint32_t i = take_bucket(q, b);
    do {
        struct fastq_slot *s = &slots[i];
        const uint64_t key = ~s->not_key;
        s->not_key = 0;
        i = s->next;
        uint64_t *at = top++;
        if (__builtin_expect(top - due <= INSERT_SORT, 1))
            for (; *at < key; at--) /* ends at due[0] */
                at[1] = *at;
        at[1] = key;
    } while (i != FASTQ_NONE && top != last);
    if (__builtin_expect(i != FASTQ_NONE, 0))
        q->failed = FASTQ_ENDLESS;
    const uint32_t n = (uint32_t)(top - due);
    if (__builtin_expect(n > INSERT_SORT, 0))
        sort_keys(due + 1, n, 2 * (32 - (uint32_t)__builtin_clz(n)));
    q->top = top;
    q->nlisted -= n;
    q->moved += n;
}

/* Takes the entry of a slot out of its bucket. */
static void unlist(struct fastq *q, uint32_t slot)
{
    struct fastq_slot *s = &q->slot[slot];
    const uint32_t b = (uint32_t)(fastq_time(q, ~s->not_key) >> q->shift) & (FASTQ_BUCKETS - 1);
    uint32_t *link = &q->bucket[b], left = q->nlisted;
    for (; *link != slot && left && *link != FASTQ_NONE; left--)
        link = &q->slot[*link].next;
    if (*link != slot) {
        q->failed = FASTQ_ENDLESS;
        return;
    }
    *link = s->next;
    if (q->bucket[b] == FASTQ_NONE)
        take_bucket(q, b);
    s->not_key = 0;
    q->nlisted--;
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
        uint32_t i = take_bucket(q, next_used(q, 0));
        while (i != FASTQ_NONE && q->nlisted) {
            struct fastq_slot *s = &q->slot[i];
            put(q, &q->near, ~s->not_key);
            s->not_key = 0;
            i = s->next;
            q->nlisted--;
        }
        if (i != FASTQ_NONE)
            q->failed = FASTQ_ENDLESS;
    }
    for (uint32_t i = 0; i < q->far.n; i++)
        put(q, &q->near, q->far.h[i]);
    keyheap_clear(&q->far);
    for (; q->top > q->due; q->top--)
        put(q, &q->near, *q->top);
    set_cur(q, FASTQ_ALL_NEAR);
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
    keyheap_clear(&q->near);
    set_cur(q, fastq_time(q, keys[0]) >> shift);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t key = keys[i];
        const int64_t t = fastq_time(q, key);
        if (t >> shift <= q->cur)
            put(q, &q->near, key);
        else if (q->slot[fastq_slot_number(q, fastq_kind(key), fastq_port(key))].not_key)
            put(q, &q->far, key); /* one of the two is stale: keep both */
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
    const uint32_t slot = fastq_slot_number(q, kind, port);
    if (q->slot[slot].not_key)
        unlist(q, slot);
    if (q->near.n >= FEW && q->cur == FASTQ_ALL_NEAR && !q->heap_only)
        deal(q, now, q->shift);
    const int64_t number = t >> q->shift;
    const uint64_t key = fastq_key(q->base, t, kind, port);
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

/* The calendar's turn with entries in far; @p number is the next bucket that holds anything. */
static __attribute__((noinline)) int64_t pour_far(struct fastq *q, int64_t number)
{
    const int64_t distant = fastq_time(q, q->far.h[0]) >> q->shift;
    const int64_t next = distant < number ? distant : number;
    while (q->far.n && fastq_time(q, q->far.h[0]) >> q->shift == next) {
        put(q, &q->near, q->far.h[0]);
        keyheap_pop(&q->far);
        q->moved++;
    }
    return next;
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
    q->cur = __builtin_expect(q->far.n == 0, 1) ? number : pour_far(q, number);
    if (__builtin_expect(q->cur == number, 1))
        pour_bucket(q, b);
    if (__builtin_expect(++q->poured == REVIEW_EVERY, 0))
        review(q, now);
    if (__builtin_expect(q->cur > q->rebase_at, 0))
        rebase(q, now);
    return *q->top < q->near.h[0] ? *q->top : q->near.h[0];
}

void fastq_each(const struct fastq *q, void (*fn)(void *ctx, uint64_t key), void *ctx)
{
    for (const uint64_t *key = q->top; key > q->due; key--)
        fn(ctx, *key);
    for (uint32_t i = 0; i < q->near.n; i++)
        fn(ctx, q->near.h[i]);
    for (uint32_t i = 0; i < q->far.n; i++)
        fn(ctx, q->far.h[i]);
    for (uint32_t w = 0; w < FASTQ_BUCKETS / 64; w++)
        for (uint64_t bits = q->used[w]; bits; bits &= bits - 1) {
            uint32_t i = q->bucket[w << 6 | (uint32_t)__builtin_ctzll(bits)], left = q->nlisted;
            for (; i != FASTQ_NONE && left; i = q->slot[i].next, left--)
                fn(ctx, ~q->slot[i].not_key);
        }
}

void fastq_clear(struct fastq *q, int64_t now)
{
    gather(q);
    keyheap_clear(&q->near);
    rebase(q, now);
}
