/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events from when they happen to when they are taken. The net tells some of them after others that
 * happen later, so that they are sorted at the end of a run.
 */
#include "lib/sim.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int events_reserve(struct weft_sim *s)
{
    if (s->head == s->nevents)
        s->head = s->nevents = 0;
    if (WEFT_GROW(s->events, s->nevents, &s->events_cap))
        return 0;
    return sim_fail(s, WEFT_E_LIMIT, "out of memory for %zu events that were not taken",
                    s->nevents - s->head);
}

int sim_event_add(struct weft_sim *s, const struct weft_event *e, bool marked)
{
    if (!(s->kinds & e->kind))
        return 0;
    if (events_reserve(s))
        return s->err.code;
    s->events[s->nevents++] = *e;
    if ((s->stop & e->kind) && !s->stopped && (marked || !(s->run_flags & WEFT_RUN_MARKED))) {
        s->stopped = true;
        s->net->ops->stop(s->net);
    }
    return 0;
}

int sim_event(struct weft_sim *s, uint32_t slot, uint32_t kind, int64_t t_ps)
{
    struct sim_item *i = sim_item(s, slot);
    if (i->events & kind)
        return 0;
    i->events |= (uint8_t)kind;
    const struct weft_event e = {.kind = kind,
                                 .src = i->src,
                                 .dst = i->dst,
                                 .time_ps = t_ps,
                                 .id = i->id,
                                 .user = i->user,
                                 .tag = i->tag,
                                 .bytes = i->bytes};
    return sim_event_add(s, &e, i->marked);
}

static int events_compare(const struct weft_event *a, const struct weft_event *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static int events_compare_any(const void *a, const void *b)
{
    return events_compare((const struct weft_event *)a, (const struct weft_event *)b);
}

void sim_events_sort(struct weft_sim *s, size_t from)
{
    const size_t n = s->nevents - s->head - from;
    if (n < 2)
        return;
    struct weft_event *e = s->events + s->head + from;
    size_t moves = 0;
    for (size_t i = 1; i < n; i++) { /* they are nearly in order */
        size_t j = i;
        if (events_compare(&e[i - 1], &e[i]) <= 0)
            continue;
        const struct weft_event moved = e[i];
        for (; j > 0 && events_compare(&e[j - 1], &moved) > 0; j--)
            e[j] = e[j - 1];
        e[j] = moved;
        moves += i - j;
        if (moves > 8 * n) {
            qsort(e, n, sizeof *e, events_compare_any);
            return;
        }
    }
}

void sim_item_over(struct weft_sim *s, uint32_t slot)
{
    weft_slots_give_back(&s->items, slot);
}

size_t weft_sim_take(weft_sim *s, struct weft_event *out, size_t n)
{
    const size_t there = s->nevents - s->head, taken = n < there ? n : there;
    if (taken)
        memcpy(out, s->events + s->head, taken * sizeof *out);
    s->head += taken;
    return taken;
}

size_t weft_sim_events(const weft_sim *s)
{
    return s->nevents - s->head;
}
