/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries of the memo that outlive a run (run.replay-memo).
 *
 * An entry is filed under what names its QP and its group in every run of the same configuration:
 * hosts, class, number and path, not the order in which QPs were made. What earlier runs know stays
 * as it is; an entry of it is copied when a message asks for it. At the end the entries of the run
 * and the others are put together, in order.
 */
#include "core/context.h"
#include "replay_internal.h"

#include "base/flow.h"
#include "base/rng.h"

#include <stdlib.h>

#define MOST_PS 1e18 /**< of any time in a file: 11 days */

uint64_t memo_qp_name(struct weft_engine *e, uint32_t qi)
{
    const struct qp *q = qp_at(e, qi);
    uint32_t ports[MAX_PATH];
    uint64_t name = weft_flow_key(q->src_host, q->dst_host, q->own_prio, q->number);
    name = weft_mix64(
        name ^ ((uint64_t)q->kind->env.mtu_bytes << 32 | (uint64_t)e->rc.of_prio[q->own_prio]));
    for (int forward = 0; forward < 2; forward++) {
        const uint32_t n = replay_scope_path(e, q, forward, ports);
        for (uint32_t h = 0; h < n; h++)
            name = weft_mix64(name + ports[h] + 1);
    }
    return name ? name : 1;
}

static int memo_file_order(const void *a, const void *b)
{
    const struct memo_entry *x = a, *y = b;
    const uint64_t p[] = {x->qp, x->bytes, x->pattern}, q[] = {y->qp, y->bytes, y->pattern};
    int k = 0;
    while (k < 2 && p[k] == q[k])
        k++;
    return (p[k] > q[k]) - (p[k] < q[k]);
}

const struct memo_entry *memo_kept_find(const struct weft_engine *e, const struct memo_entry *of)
{
    const struct replay_memo *r = &replay_of(e)->memo;
    return r->nkept ? bsearch(of, r->kept, r->nkept, sizeof *of, memo_file_order) : NULL;
}

/* Whether @p m is an entry as memo_file_collect leaves them. */
static bool memo_file_holds(const struct memo_entry *m)
{
    const double after[] = {0, m->sent_ps, m->received_ps, m->acked_ps, MOST_PS};
    bool ok = !m->next && !m->hits && m->shares <= 1 && m->qp && m->bytes && m->gap &&
              m->n >= MEMO_LEAST_SEEN && m->gap <= MEMO_LAST_GAP && m->sent_ps > 0 &&
              m->variance >= 0 && m->variance < MOST_PS * MOST_PS && m->cnps >= 0 &&
              m->cnps < UINT32_MAX;
    for (size_t i = 0; i + 1 < sizeof after / sizeof after[0]; i++)
        ok = ok && after[i] <= after[i + 1];
    for (uint32_t k = 0; k < MEMO_SEEN && k < m->n; k++)
        ok = ok && m->seen_ps[k] > 0 && (double)m->seen_ps[k] < MOST_PS;
    for (int c = 0; c < WEFT_DELAY_QUEUE; c++)
        ok = ok && m->held_ps[c] > -MOST_PS && m->held_ps[c] < MOST_PS;
    return ok;
}

int weft_engine_memo_set(struct weft_engine *e, const void *data, size_t size, struct weft_err *err)
{
    const struct memo_entry *m = data;
    const size_t n = size / sizeof *m;
    if (size % sizeof *m)
        return weft_err_set(err, WEFT_E_INPUT, "%zu bytes are no number of entries of %zu bytes",
                            size, sizeof *m);
    for (size_t i = 0; i < n; i++)
        if (!memo_file_holds(&m[i]) || (i && memo_file_order(&m[i - 1], &m[i]) >= 0))
            return weft_err_set(err, WEFT_E_INPUT, "entry %zu of %zu has impossible values", i + 1,
                                n);
    if (replay_of(e)) {
        replay_of(e)->memo.kept = m;
        replay_of(e)->memo.nkept = n;
    }
    return 0;
}

/* The known entries of this run; returns how many. */
static size_t memo_file_collect(const struct weft_engine *e, struct memo_entry *to)
{
    const struct replay_memo *r = &replay_of(e)->memo;
    size_t n = 0;
    for (uint32_t i = 1; i < r->entries.n; i++) {
        to[n] = *memo_entry_at(e, i);
        to[n].next = to[n].hits = 0;
        n += memo_file_holds(&to[n]) && (r->resamples || !to[n].shares);
    }
    qsort(to, n, sizeof *to, memo_file_order);
    return n;
}

int weft_engine_memo_get(const struct weft_engine *e, size_t most, void **data, size_t *size,
                         struct weft_err *err)
{
    const struct replay_memo *r = replay_of(e) ? &replay_of(e)->memo : NULL;
    const size_t live = r ? r->entries.n : 0, nkept = r ? r->nkept : 0;
    struct memo_entry *own = malloc((live + 1) * sizeof *own);
    struct memo_entry *all = malloc((live + nkept + 1) * sizeof *all);
    *data = all;
    if (!own || !all) {
        free(own);
        free(all);
        return weft_err_no_memory(err, "the memo of messages");
    }
    size_t n = 0, k = 0, i = 0;
    most /= sizeof *all;
    const size_t nown = live ? memo_file_collect(e, own) : 0;
    size_t room = most > nown ? most - nown : 0; /* for what only earlier runs know */
    while (n < most && (i < nown || k < nkept)) {
        const int order = i == nown ? 1 : k == nkept ? -1 : memo_file_order(&own[i], &r->kept[k]);
        if (order <= 0)
            all[n++] = own[i++];
        else if (room && room--)
            all[n++] = r->kept[k];
        k += order >= 0;
    }
    free(own);
    *size = n * sizeof *all;
    return 0;
}
