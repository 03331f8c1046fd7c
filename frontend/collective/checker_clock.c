/* SPDX-License-Identifier: GPL-2.0-only */
/* Vector clocks that name only the lanes that have begun. */
#include "collective/checker_clock.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first entry of `lane` or a later one. */
static uint32_t checker_clock_find(const struct weft_clock *c, uint32_t lane)
{
    uint32_t lo = 0, hi = c->n;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (c->at[mid].lane < lane)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool checker_clock_reserve(struct weft_clock_memory *m, struct weft_clock *c, uint32_t n)
{
    if (n <= c->cap)
        return true;
    const uint32_t cap = c->cap ? n + n / 4 : n; /* exact for copies, which do not grow */
    const uint64_t more = (uint64_t)(cap - c->cap) * sizeof *c->at;
    if (m->most && more > m->most - (m->bytes < m->most ? m->bytes : m->most))
        return false;
    struct weft_clock_entry *at = realloc(c->at, cap * sizeof *at);
    if (!at)
        return false;
    m->bytes += more;
    c->at = at;
    c->cap = cap;
    return true;
}

uint32_t weft_clock_get(const struct weft_clock *c, uint32_t lane)
{
    const uint32_t k = checker_clock_find(c, lane);
    return k < c->n && c->at[k].lane == lane ? c->at[k].over : 0;
}

bool weft_clock_set(struct weft_clock_memory *m, struct weft_clock *c, uint32_t lane, uint32_t over)
{
    const uint32_t k = checker_clock_find(c, lane);
    if (k == c->n || c->at[k].lane != lane) {
        if (!checker_clock_reserve(m, c, c->n + 1))
            return false;
        memmove(c->at + k + 1, c->at + k, (c->n - k) * sizeof *c->at);
        c->n++;
    }
    c->at[k] = (struct weft_clock_entry){lane, over};
    return true;
}

/* Lanes in either. */
static uint32_t size_of_union(const struct weft_clock *a, const struct weft_clock *b)
{
    uint32_t i = 0, j = 0, n = 0;
    for (; i < a->n && j < b->n; n++) {
        const uint32_t x = a->at[i].lane, y = b->at[j].lane;
        i += x <= y;
        j += y <= x;
    }
    return n + (a->n - i) + (b->n - j);
}

bool weft_clock_join(struct weft_clock_memory *m, struct weft_clock *into,
                     const struct weft_clock *from)
{
    uint32_t k = size_of_union(into, from), i = into->n, j = from->n;
    if (!checker_clock_reserve(m, into, k))
        return false;
    into->n = k;
    while (j > 0) { /* from the end, so that nothing is overwritten before it is read */
        const struct weft_clock_entry y = from->at[j - 1];
        k--;
        if (i > 0 && into->at[i - 1].lane > y.lane) {
            into->at[k] = into->at[--i];
            continue;
        }
        j--;
        const bool both = i > 0 && into->at[i - 1].lane == y.lane;
        i -= both;
        const uint32_t own = both ? into->at[i].over : 0;
        into->at[k] = (struct weft_clock_entry){y.lane, own > y.over ? own : y.over};
    }
    return true;
}

void weft_clock_free(struct weft_clock_memory *m, struct weft_clock *c)
{
    m->bytes -= (uint64_t)c->cap * sizeof *c->at;
    free(c->at);
    *c = (struct weft_clock){0};
}
