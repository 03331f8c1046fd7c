/* SPDX-License-Identifier: GPL-2.0-only */
/* QPs that may give up at their next timeout, which ends the run: peers.h. */
#include "core/context.h"
#include "peers.h"
#include "transport/recovery.h"

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
