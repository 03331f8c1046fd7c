/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Binary heap of (time, insertion order), see event_heap.h.
 */
#include "base/event_heap.h"

#include "base/err.h"
#include "base/grow.h"
#include "base/heap.h"
#include "base/require.h"

#include <stdlib.h>

static int event_heap_before(const struct weft_heap_entry *a, const struct weft_heap_entry *b)
{
    return a->t_ps < b->t_ps || (a->t_ps == b->t_ps && a->order < b->order);
}

int weft_heap_reserve(struct weft_heap *h, size_t n)
{
    return WEFT_GROW_TO(h->e, n, &h->cap) ? 0 : WEFT_E_LIMIT;
}

int weft_heap_push(struct weft_heap *h, int64_t t_ps, uint32_t slot)
{
    if (weft_heap_reserve(h, h->n + 1))
        return WEFT_E_LIMIT;
    h->e[h->n] = (struct weft_heap_entry){t_ps, h->pushes++, slot};
    WEFT_HEAP_LIFT(h->e, h->n, event_heap_before);
    h->n++;
    return 0;
}

struct weft_heap_entry weft_heap_pop(struct weft_heap *h)
{
    WEFT_REQUIRE(h->n > 0);
    const struct weft_heap_entry first = h->e[0];
    h->e[0] = h->e[--h->n];
    WEFT_HEAP_SINK(h->e, h->n, 0, event_heap_before);
    return first;
}

void weft_heap_release(struct weft_heap *h)
{
    free(h->e);
    *h = (struct weft_heap){0};
}

int weft_heap_compare(const void *a, const void *b)
{
    return event_heap_before(a, b) ? -1 : event_heap_before(b, a);
}
