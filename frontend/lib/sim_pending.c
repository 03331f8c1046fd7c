/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is posted for later times. Most callers post in the order of time, so that entries are
 * appended to a list; those that come before the last go into a heap. The first of both is next.
 */
#include "lib/sim.h"

#include "base/grow.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more entry at the end of the list. */
static int pending_reserve(struct sim_pending *p)
{
    if (p->head == p->n)
        p->head = p->n = 0;
    if (p->n < p->cap)
        return 0;
    if (p->head > p->n / 2) {
        memmove(p->queue, p->queue + p->head, (p->n - p->head) * sizeof *p->queue);
        p->n -= p->head;
        p->head = 0;
        return 0;
    }
    return WEFT_GROW(p->queue, p->n, &p->cap) ? 0 : WEFT_E_LIMIT;
}

int sim_pending_add(struct sim_pending *p, int64_t t_ps, uint32_t slot)
{
    int rc;
    if (p->n > p->head && p->queue[p->n - 1].t_ps > t_ps) {
        p->heap.pushes = p->order;
        rc = weft_heap_push(&p->heap, t_ps, slot);
    } else if (!(rc = pending_reserve(p))) {
        p->queue[p->n++] = (struct weft_heap_entry){t_ps, p->order, slot};
    }
    p->order += rc == 0;
    return rc;
}

/* The first entry; NULL: there is none. */
static const struct weft_heap_entry *pending_peek(const struct sim_pending *p)
{
    const struct weft_heap_entry *a = p->head < p->n ? &p->queue[p->head] : NULL;
    const struct weft_heap_entry *b = p->heap.n ? &p->heap.e[0] : NULL;
    return !b || (a && weft_heap_compare(a, b) < 0) ? a : b;
}

int64_t sim_pending_first(const struct sim_pending *p)
{
    const struct weft_heap_entry *e = pending_peek(p);
    return e ? e->t_ps : WEFT_NEVER;
}

uint32_t sim_pending_take(struct sim_pending *p)
{
    const struct weft_heap_entry *e = pending_peek(p);
    if (p->head < p->n && e == &p->queue[p->head])
        return p->queue[p->head++].slot;
    return weft_heap_pop(&p->heap).slot;
}

void sim_pending_release(struct sim_pending *p)
{
    free(p->queue);
    weft_heap_release(&p->heap);
}
