/* SPDX-License-Identifier: GPL-2.0-only */
/* PFC pauses of a component that is ahead of the clock: each is reported at its own time. */
#include "replay_pauses.h"
#include "core/context.h"
#include "core/grow.h"
#include "core/windows.h"
#include "replay.h"
#include "replay_internal.h"

#include "base/units.h"

#include <stdlib.h>

#define MOST_PAUSES 65536u /**< of a period */

bool replay_pauses_possible(const struct weft_engine *e)
{
    return !e->hooks.pfc || e->windows.on;
}

void replay_pauses_keep(struct replay_component *k)
{
    k->pauses.n = 0;
    k->pauses.failed = false;
    k->pauses.since_ps = WEFT_NEVER;
}

void replay_pauses_note(struct weft_engine *e, const struct window_note *note)
{
    struct replay_packets *r = &replay_of(e)->packets;
    const uint16_t number = r->components ? r->map.has_port[note->port] : 0;
    struct replay_component *k = number ? &r->component[number - 1] : NULL;
    if (!k || !k->used || k->phase != REPLAY_COMPARE)
        return;
    struct replay_pauses *p = &k->pauses;
    p->failed |= p->n == MOST_PAUSES || !GROW(p->of, p->n, &p->cap);
    if (!p->failed)
        p->of[p->n++] = *note;
}

bool replay_pauses_kept(struct replay_component *k)
{
    struct replay_pauses *p = &k->pauses;
    if (p->n)
        qsort(p->of, p->n, sizeof *p->of, window_compare_notes);
    return !p->failed;
}

void replay_pauses_ahead(struct weft_engine *e, struct replay_component *k)
{
    struct replay_pauses *p = &k->pauses;
    p->at = 0;
    p->since_ps = p->n ? e->now - k->snapshot.written_ps : WEFT_NEVER;
    replay_of(e)->packets.pauses |= p->n != 0;
}

/* Adds those of a component before @p until_ps. */
static void pauses_add(struct weft_engine *e, struct replay_component *k, int64_t until_ps)
{
    struct replay_pauses *p = &k->pauses;
    if (until_ps > k->ahead_ps)
        until_ps = k->ahead_ps;
    while (p->since_ps != WEFT_NEVER && p->of[p->at].t_ps + p->since_ps < until_ps) {
        struct window_note note = p->of[p->at++];
        note.t_ps += p->since_ps;
        window_note(e, &note);
        if (p->at == p->n) {
            p->at = 0;
            p->since_ps += k->found_ps;
        }
    }
}

int64_t replay_pauses_add(struct weft_engine *e, int64_t until_ps)
{
    struct replay_packets *r = &replay_of(e)->packets;
    const int64_t before_ps = until_ps == WEFT_NEVER ? e->loop.due_ps : until_ps;
    for (uint32_t i = 0; i < r->top; i++)
        if (r->component[i].used && r->component[i].phase == REPLAY_AHEAD)
            pauses_add(e, &r->component[i], before_ps);
    for (uint32_t i = 0; r->symmetry.followers && i < r->top; i++)
        if (r->component[i].used && r->component[i].followers &&
            r->component[i].suspended_ps < until_ps)
            until_ps = r->component[i].suspended_ps;
    return until_ps;
}

void replay_pauses_back(struct weft_engine *e, struct replay_component *k, int64_t due_ps)
{
    if (k->pauses.since_ps == WEFT_NEVER)
        return;
    pauses_add(e, k, due_ps);
    k->pauses.since_ps = WEFT_NEVER;
    e->windows.noted_ps = due_ps;
}
