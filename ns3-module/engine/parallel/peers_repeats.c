/* SPDX-License-Identifier: GPL-2.0-only */
/* Repeats of pauses, which several processes watch together: peers.h. */
#include "core/context.h"
#include "core/events.h"
#include "peers.h"
#include "switch/pfc_timer.h"

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
        send_buffer_add(e, &e->part.all, &number, sizeof number);
    }
}

static void take(struct weft_engine *e, void *ctx, unsigned from, const void *answer)
{
    (void)from;
    send_buffer_add(e, ctx, answer, sizeof(uint64_t));
}

uint64_t peers_watch_repeats(struct weft_engine *e, int64_t t_ps)
{
    const uint64_t moves = part_sum(e, pfc_moves(e));
    uint64_t ends = UINT64_MAX;
    struct send_buffer due = {0};
    e->part.all.n = 0;
    list_due(e, t_ps);
    send_buffer_add(e, &due, e->part.all.bytes, e->part.all.n);
    part_ask(e, sizeof(uint64_t), take, &due);
    const uint64_t *all = (const uint64_t *)(const void *)due.bytes;
    const size_t n = due.n / sizeof *all;
    if (n)
        qsort(due.bytes, n, sizeof *all, compare);
    e->now = t_ps;
    for (size_t i = 0; i < n && ends == UINT64_MAX; i++)
        if ((i == 0 || all[i] != all[i - 1]) &&
            !pfc_watch(e, (uint32_t)(all[i] / 2 / WEFT_PRIOS), moves))
            ends = all[i];
    free(due.bytes);
    return ends;
}
