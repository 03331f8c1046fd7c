/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers that may end a run, which several processes watch together: repeats of pauses, and
 * retransmissions of QPs that may give up. */
#include "core/context.h"
#include "core/events.h"
#include "peers.h"
#include "switch/pfc.h"
#include "base/compare.h"

#include <stdlib.h>

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
        qsort(due.bytes, n, sizeof *all, weft_by_u64);
    e->now = t_ps;
    for (size_t i = 0; i < n && ends == UINT64_MAX; i++)
        if ((i == 0 || all[i] != all[i - 1]) &&
            !pfc_watch(e, (uint32_t)(all[i] / 2 / WEFT_PRIOS), moves))
            ends = all[i];
    free(due.bytes);
    return ends;
}

/* Whether it may. Where packets have timers of their own, any of these may be the last. */
static bool may_give_up(const struct weft_engine *e, const struct qp *q)
{
    if (!(part_ends(e, q->src_host, q->dst_host) & PART_SENDS) || q->snd->rto_at_ps == WEFT_NEVER)
        return false;
    const struct profile *f = profile_of(q);
    return f->t.retry_max && (f->recovery->timers || q->snd->retries >= f->t.retry_max);
}

int64_t peers_next_try(const struct weft_engine *e)
{
    int64_t first_ps = WEFT_NEVER;
    for (uint32_t i = 0; i < e->qps.pool.n; i++)
        if (may_give_up(e, qp_at(e, i)) && qp_at(e, i)->snd->rto_at_ps < first_ps)
            first_ps = qp_at(e, i)->snd->rto_at_ps;
    return first_ps;
}

int64_t peers_try_at(const struct weft_engine *e, int64_t t_ps, int64_t from)
{
    for (int64_t i = from; i < (int64_t)e->qps.pool.n; i++)
        if (may_give_up(e, qp_at(e, (uint32_t)i)) && qp_at(e, (uint32_t)i)->snd->rto_at_ps == t_ps)
            return i;
    return WEFT_NEVER;
}
