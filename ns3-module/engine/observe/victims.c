/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Head-of-line victims of pauses: QPs that wait though their own way is free.
 *
 * A QP is a victim at a moment if it has packets in a paused queue, or something to send and its
 * NIC is paused, and from there on its path meets neither a paused port nor a root of the pauses:
 * it waits for others' sake. Under ECMP the path is the QP's own; where packets are spread over
 * paths it is the one that ECMP would choose.
 */
#include "victims.h"
#include "all_parts.h"
#include "balance/ecmp.h"
#include "core/context.h"
#include "core/grow.h"
#include "switch/lazy.h"
#include "core/pkt.h"
#include "core/walk.h"
#include "diagnose.h"

#include <string.h>

uint32_t victims_roots(struct weft_engine *e, uint32_t prio, uint8_t *root)
{
    uint32_t first = NIL;
    memset(root, 0, e->fabric->nports);
    for (uint32_t i = 0; i < e->fabric->nports; i++) {
        if (diagnose_paused(e, i, prio)) {
            if (first == NIL || e->pfc.since[i].ps[prio] < e->pfc.since[first].ps[prio])
                first = i;
        } else {
            for (uint32_t k = diagnose_first(e, i, prio); k != NIL && !root[i];
                 k = pkt_at(e, k)->next)
                root[i] = diagnose_passing(e, k, prio) &&
                          diagnose_paused(e, e->ends[pkt_at(e, k)->in_port].peer, prio);
        }
    }
    part_union(e, root, e->fabric->nports);
    return first;
}

/* Whether the rest of a QP's path after @p port is free of paused ports and roots of @p prio. */
static bool clear_beyond(const struct weft_engine *e, uint32_t prio, const uint8_t *root,
                         const struct qp *q, uint32_t port)
{
    uint32_t path[MAX_PATH];
    uint32_t n = ecmp_path(e, e->routing.routes, q, true, path), k = 0;
    while (k < n && path[k] != port)
        k++;
    for (k++; k < n; k++)
        if (root[path[k]] || diagnose_paused(e, path[k], prio))
            return false;
    return true;
}

/* Whether a priority of some port is paused. */
static bool any_paused(const struct weft_engine *e, uint32_t prio)
{
    for (uint32_t i = 0; i < e->fabric->nports; i++)
        if (diagnose_paused(e, i, prio))
            return true;
    return false;
}

/* Marks those that have packets in a paused queue. The packets of a QP there all go one way, so the
 * first of a row of them is asked for. */
static void mark_queued(const struct weft_engine *e, uint32_t out, uint32_t prio,
                        const uint8_t *root, uint8_t *victim)
{
    uint32_t last = NIL;
    WALK_PKTS(e, i, diagnose_first(e, out, prio), "packets of a queue") {
        const struct pkt *k = pkt_at(e, i);
        if (k->in_port == NIL || k->kind != WEFT_PKT_DATA || k->qp == last || victim[k->qp])
            continue;
        victim[k->qp] = clear_beyond(e, prio, root, qp_at(e, k->qp), out);
        last = k->qp;
    }
}

void victims_mark(struct weft_engine *e, uint32_t prio, const uint8_t *root, uint8_t *victim)
{
    for (uint32_t i = 0; i < e->qps.pool.n; i++) {
        const struct qp *q = qp_at(e, i);
        victim[i] = q->snd->prio == prio && q->snd->nxt_msg != NIL && q->snd->state == QP_READY &&
                    part_own(e, e->fabric->hosts[q->src_host]) &&
                    diagnose_paused(e, q->port, prio) && clear_beyond(e, prio, root, q, q->port);
    }
    for (uint32_t out = 0; out < e->fabric->nports; out++)
        if (diagnose_paused(e, out, prio))
            mark_queued(e, out, prio, root, victim);
    part_union(e, victim, e->qps.pool.n);
}

/* Room for one mark per QP. */
static bool observe_victims_reserve(struct weft_engine *e)
{
    struct victims *v = &e->victims;
    const uint32_t n = e->qps.pool.n;
    if (n > v->n && !grow_zeroed((void **)&v->known, 1, v->n, n))
        return false;
    v->n = n > v->n ? n : v->n;
    return true;
}

uint64_t weft_engine_victims(struct weft_engine *e, uint64_t *found)
{
    uint64_t now = 0;
    lazy_catch_up(e);
    all_parts_borrow(e);
    uint8_t *root = calloc((size_t)e->fabric->nports + 1, 1);
    uint8_t *victim = calloc((size_t)e->qps.pool.n + 1, 1);
    for (uint32_t prio = 0; root && victim && observe_victims_reserve(e) && prio < WEFT_PRIOS;
         prio++) {
        if (!any_paused(e, prio))
            continue;
        victims_roots(e, prio, root);
        memset(victim, 0, e->qps.pool.n);
        victims_mark(e, prio, root, victim);
        for (uint32_t i = 0; i < e->qps.pool.n; i++) {
            now += victim[i];
            *found += victim[i] && !e->victims.known[i];
            e->victims.known[i] |= victim[i];
        }
    }
    free(root);
    free(victim);
    all_parts_give_back(e);
    return now;
}
