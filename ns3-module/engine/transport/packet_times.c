/* SPDX-License-Identifier: GPL-2.0-only */
/* When packets were sent; see packet_times.h. */
#include "packet_times.h"
#include "core/grow.h"

#include <stdlib.h>
#include <string.h>

static bool queue(struct shot_queue *q, const struct shot *s)
{
    if (q->n == q->cap) {
        const uint32_t cap = q->cap ? 2 * q->cap : 64;
        struct shot *of = (struct shot *)malloc(cap * sizeof *of);
        if (!of)
            return false;
        for (uint32_t i = 0; i < q->n; i++)
            of[i] = q->of[(q->head + i) & (q->cap - 1)];
        free(q->of);
        *q = (struct shot_queue){of, 0, q->n, cap};
    }
    q->of[(q->head + q->n++) & (q->cap - 1)] = *s;
    return true;
}

/* Makes room for the numbers from @p una to @p psn. */
static bool widen(struct packet_times *t, uint64_t una, uint64_t psn)
{
    uint64_t cap = t->cap ? t->cap : 64;
    while (cap <= psn - una)
        cap *= 2;
    if (cap == t->cap)
        return true;
    struct shot *last = (struct shot *)calloc(cap, sizeof *last);
    if (!last)
        return false;
    for (uint64_t i = 0; i < t->cap; i++)
        if (t->last[i].psn >= una)
            last[t->last[i].psn & (cap - 1)] = t->last[i];
    free(t->last);
    t->last = last;
    t->cap = cap;
    return true;
}

static bool reach(struct packet_times *t, uint32_t level)
{
    if (level < t->nlevels)
        return true;
    if (!grow_zeroed((void **)&t->level, sizeof *t->level, t->nlevels, level + 1))
        return false;
    t->nlevels = level + 1;
    return true;
}

bool packet_times_note(struct packet_times *t, uint64_t psn, uint64_t una, int64_t now, uint32_t ev,
                       uint32_t most)
{
    if (!widen(t, una, psn))
        return false;
    struct shot *s = &t->last[psn & (t->cap - 1)];
    const bool again = s->psn == psn && s->known;
    const uint8_t times = again ? (uint8_t)(s->times + (s->times < UINT8_MAX)) : 1;
    *s = (struct shot){psn, now, ev, again ? s->expiries : 0, true, times};
    const uint32_t level = s->expiries < most ? s->expiries : most;
    return reach(t, level) && queue(&t->level[level], s);
}

void packet_times_expire(struct packet_times *t, uint64_t psn)
{
    t->last[psn & (t->cap - 1)].expiries++;
}

const struct shot *packet_times_find(const struct packet_times *t, int64_t sent_ps)
{
    for (uint32_t l = 0; l < t->nlevels; l++) {
        const struct shot_queue *q = &t->level[l];
        uint32_t from = 0, to = q->n; /* in the order in which they were sent */
        while (from < to) {
            const uint32_t mid = from + (to - from) / 2;
            if (q->of[(q->head + mid) & (q->cap - 1)].sent_ps < sent_ps)
                from = mid + 1;
            else
                to = mid;
        }
        const struct shot *s = from < q->n ? &q->of[(q->head + from) & (q->cap - 1)] : NULL;
        if (s && s->sent_ps == sent_ps)
            return shot_is_old(t, s) ? NULL : s;
    }
    return NULL;
}

void packet_times_free(struct packet_times *t)
{
    for (uint32_t i = 0; i < t->nlevels; i++)
        free(t->level[i].of);
    free(t->level);
    free(t->last);
    *t = (struct packet_times){0};
}
