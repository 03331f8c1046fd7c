/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of switches that run in windows, by time: inside of window.c and window_queue.c. */
#ifndef WEFT_ENGINE_WINDOW_QUEUE_H
#define WEFT_ENGINE_WINDOW_QUEUE_H

#include "core/context.h"
#include "core/fastq.h"
#include "core/keyheap.h"
#include "window.h"

/** Bits of a node's number in an entry of windows.order. */
#define WINDOW_NODE_BITS FASTQ_ID_BITS

/** The time of a key. */
static inline int64_t window_time(const struct windows *w, uint64_t key)
{
    return key == KEYHEAP_EMPTY ? WEFT_NEVER : w->base + (int64_t)(key >> FASTQ_ID_BITS);
}

/** The first key of a time. */
static inline uint64_t window_key(const struct windows *w, int64_t t)
{
    return fastq_key(w->base, t, EV_ARRIVE, 0);
}

/** The switch of an entry of `order`. */
static inline uint32_t window_switch(uint64_t entry)
{
    return (uint32_t)entry & ((1u << WINDOW_NODE_BITS) - 1);
}

static inline struct window_mark *window_mark(const struct windows *w, uint32_t node)
{
    return &w->marks[w->of[node].place];
}
/** Something has changed at switch @p node that is not a new event: its mark knows. */
static inline void window_note_first(struct windows *w, uint32_t node)
{
    const struct window_node *s = &w->of[node];
    w->marks[s->place].first = s->owes && s->apart ? 0 : s->q.h[0];
}

#pragma GCC visibility push(hidden)

/** Writes down a pause or resume, to be told later. */
void window_note(struct weft_engine *e, const struct window_note *note);
/** The order of their events (qsort): arrivals, then timers. */
int window_compare_notes(const void *va, const void *vb);

/** Enters a switch whose first event is at @p t into windows.order. */
void window_list(struct weft_engine *e, uint32_t node, int64_t t);

#pragma GCC visibility pop

#endif
