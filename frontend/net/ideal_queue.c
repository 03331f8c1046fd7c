/* SPDX-License-Identifier: GPL-2.0-only */
/* What is pending in the ideal backend, and until when its sources are busy. */
#include "net/ideal_internal.h"

int weft_ideal_schedule(struct weft_ideal *s, int64_t t_ps, const struct weft_ideal_slot *slot,
                        struct weft_err *err)
{
    const uint32_t i = weft_slots_take(&s->slots);
    if (i == WEFT_NO_SLOT)
        return weft_err_no_memory(err, "messages of the ideal backend");
    *(struct weft_ideal_slot *)weft_slot(&s->slots, i) = *slot;
    if (weft_heap_push(&s->heap, t_ps, i)) {
        weft_slots_give_back(&s->slots, i);
        return weft_err_no_memory(err, "messages of the ideal backend");
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
    const struct weft_ideal_slot slot =
        *(const struct weft_ideal_slot *)weft_slot(&s->slots, e.slot);
    weft_slots_give_back(&s->slots, e.slot);
    s->now_ps = e.t_ps;
    s->totals.events++;
    return slot;
}
