/* SPDX-License-Identifier: GPL-2.0-only */
/* What is pending in the ideal backend, and until when its sources are busy. */
#include "net/ideal_internal.h"

#include "base/require.h"

#include <stdlib.h>

/* Takes a free slot, growing the pool; WEFT_IDEAL_NO_SLOT when out of memory. */
static uint32_t take_slot(struct weft_ideal *s)
{
    if (s->free_slot == WEFT_IDEAL_NO_SLOT) {
        uint32_t n = s->nslots ? 2 * s->nslots : 64;
        struct weft_ideal_slot *p = realloc(s->slots, (size_t)n * sizeof *p);
        if (!p || n < s->nslots)
            return WEFT_IDEAL_NO_SLOT;
        s->slots = p;
        for (uint32_t i = n; i-- > s->nslots;) {
            p[i].next_free = s->free_slot;
            s->free_slot = i;
        }
        s->nslots = n;
    }
    uint32_t i = s->free_slot;
    s->free_slot = s->slots[i].next_free;
    return i;
}

static void give_slot(struct weft_ideal *s, uint32_t i)
{
    WEFT_REQUIRE(i < s->nslots && i != s->free_slot);
    s->slots[i].next_free = s->free_slot;
    s->free_slot = i;
}

int weft_ideal_schedule(struct weft_ideal *s, int64_t t_ps, const struct weft_ideal_slot *slot,
                        struct weft_err *err)
{
    uint32_t i = take_slot(s);
    if (i == WEFT_IDEAL_NO_SLOT)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory in the ideal backend");
    s->slots[i] = *slot;
    if (weft_heap_push(&s->heap, t_ps, i)) {
        give_slot(s, i);
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory in the ideal backend");
    }
    return 0;
}

int64_t weft_ideal_begin(struct weft_ideal *s, const struct weft_ideal_cost *cost)
{
    int64_t begin = s->now_ps;
    if (s->source_free_ps) {
        int64_t *busy = &s->source_free_ps[cost->source];
        if (*busy > begin)
            begin = *busy;
        *busy = begin + (cost->source_ps < WEFT_IDEAL_LAST_PS - begin ? cost->source_ps
                                                                      : WEFT_IDEAL_LAST_PS - begin);
    }
    return begin;
}

struct weft_ideal_slot weft_ideal_next(struct weft_ideal *s)
{
    struct weft_heap_entry e = weft_heap_pop(&s->heap);
    struct weft_ideal_slot slot = s->slots[e.slot];
    give_slot(s, e.slot);
    s->now_ps = e.t_ps;
    s->totals.events++;
    return slot;
}
