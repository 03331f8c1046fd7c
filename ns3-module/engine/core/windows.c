/* SPDX-License-Identifier: GPL-2.0-only */
/* Events and reports of windows of switches: window.h. */
#include "windows.h"
#include "context.h"
#include "extension.h"
#include "fail.h"
#include "grow.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is told late ---- */

void window_note(struct weft_engine *e, const struct window_note *note)
{
    struct windows *w = &e->windows;
    if (!GROW(w->notes, w->nnotes, &w->notes_cap)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for pauses");
        return;
    }
    if (!w->nnotes || note->t_ps < w->first_note_ps)
        w->first_note_ps = note->t_ps;
    w->notes[w->nnotes++] = *note;
    if (__builtin_expect(e->extension && !e->worker, 0))
        e->extension->ops->paused(e, note, note->t_ps);
}

int window_compare_notes(const void *va, const void *vb)
{
    const struct window_note *a = va, *b = vb;
    if (a->t_ps != b->t_ps)
        return a->t_ps < b->t_ps ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

void window_note_pfc(struct weft_engine *e, uint32_t port, uint32_t prio, bool pause, bool expired)
{
    if (e->now < e->windows.noted_ps)
        return;
    const uint64_t timer = (uint64_t)e->fabric->nports + (uint64_t)port * WEFT_PRIOS + prio;
    const struct window_note note = {.t_ps = e->now,
                                     .rank = expired ? timer : e->ends[port].peer,
                                     .port = port,
                                     .prio = (uint8_t)prio,
                                     .pause = pause};
    window_note(e, &note);
}

void window_report_pauses(struct weft_engine *e, int64_t until_ps)
{
    struct windows *w = &e->windows;
    uint32_t nreported = 0;
    if (!e->executor)
        return;
    if (e->extension)
        until_ps = e->extension->ops->paused(e, NULL, until_ps);
    if (!w->nnotes || (w->first_note_ps >= until_ps && !e->peers))
        return;
    qsort(w->notes, w->nnotes, sizeof *w->notes, window_compare_notes);
    for (; nreported < w->nnotes && w->notes[nreported].t_ps < until_ps; nreported++) {
        const struct window_note *n = &w->notes[nreported];
        e->hooks.pfc(e->hooks.ctx, n->t_ps, n->port, n->prio, n->pause);
    }
    w->nnotes -= nreported;
    memmove(w->notes, w->notes + nreported, w->nnotes * sizeof *w->notes);
    w->first_note_ps = w->notes[0].t_ps;
    w->nagreed = w->nnotes; /* each process has told the same */
}

/* ---- the queues ---- */

void window_list(struct weft_engine *e, uint32_t node, int64_t t)
{
    struct windows *w = &e->windows;
    if (e->worker) /* they are listed when the window is over */
        return;
    window_mark(w, node)->listed_ps = t;
    if (!keyheap_reserve(&w->order, w->order.n + 1)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the events of switches");
        return;
    }
    keyheap_put(&w->order, window_key(w, t) | node);
}

void window_add(struct weft_engine *e, uint32_t node, int64_t t, uint64_t key)
{
    struct window_node *s = &e->windows.of[node];
    if (__builtin_expect(!keyheap_reserve(&s->q, s->q.n + 1), 0)) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for the events of a switch");
        return;
    }
    keyheap_put(&s->q, key);
    struct window_mark *m = &e->windows.marks[s->place];
    if (key < m->first)
        m->first = key;
    if (t < m->listed_ps)
        window_list(e, node, t);
}

int64_t window_first(struct weft_engine *e)
{
    struct windows *w = &e->windows;
    for (;;) {
        const uint64_t key = w->order.h[0];
        const int64_t t = window_time(w, key);
        if (t == WEFT_NEVER || window_mark(w, window_switch(key))->listed_ps == t)
            return t;
        keyheap_pop(&w->order);
    }
}
