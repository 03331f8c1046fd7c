/* SPDX-License-Identifier: GPL-2.0-only */
/* Repeats of pauses, which several processes watch together: peers.h. */
#include "context.h"
#include "events.h"
#include "peers.h"
#include "pfc_timer.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *va, const void *vb)
{
    const uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;
    return (a > b) - (a < b);
}

/* Adds the numbers of those due at @p t_ps here; one may have several entries. */
static void list_due(struct weft_engine *e, int64_t t_ps)
{
    const struct evq *q = &e->loop.agenda.slow;
    for (uint32_t i = 0; i < q->n; i++) {
        const uint64_t number = EV_NUMBER(q->h[i].id);
        if (q->h[i].t != t_ps || q->h[i].id >> EV_KIND_SHIFT != EV_PFC ||
            (number & 1) != PFC_REFRESH || pfc_deadline(e, number)->at_ps != t_ps)
            continue;
        pouch_add(e, &e->peers->all, &number, sizeof number);
    }
}

uint64_t peers_watch_repeats(struct weft_engine *e, int64_t t_ps)
{
    struct peers *p = e->peers;
    uint64_t moves = pfc_moves(e), *all, ends = UINT64_MAX;
    struct pouch due = {0};
    p->all.n = 0;
    pouch_add(e, &p->all, &moves, sizeof moves);
    list_due(e, t_ps);
    pouch_add(e, &due, p->all.bytes + sizeof moves, p->all.n - sizeof moves);
    peers_give_all(e);
    for (unsigned k = 0; k < p->link.n; k++) {
        uint64_t more;
        if (k == p->link.me || p->came[k].n < sizeof more)
            continue;
        memcpy(&more, p->came[k].bytes, sizeof more);
        moves += more;
        pouch_add(e, &due, (const char *)p->came[k].bytes + sizeof more,
                  p->came[k].n - sizeof more);
    }
    all = (uint64_t *)(void *)due.bytes;
    const size_t n = due.n / sizeof *all;
    if (n)
        qsort(all, n, sizeof *all, compare);
    e->now = t_ps;
    for (size_t i = 0; i < n && ends == UINT64_MAX; i++)
        if ((i == 0 || all[i] != all[i - 1]) &&
            !pfc_watch(e, (uint32_t)(all[i] / 2 / WEFT_PRIOS), moves))
            ends = all[i];
    free(due.bytes);
    return ends;
}
