/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executes the first event of an agenda: the earlier one of the fast queue (arrivals,
 * transmissions) and the slow one (timers) by (time, kind, number).
 */
#include "agenda.h"

/* The head of the slow queue is an entry of a deadline that may have moved since. True when it is
 * due at its time; else it was dropped or re-dated. */
static bool agenda_update_deadline(struct agenda *a, int64_t at_ps, int64_t *entry_ps)
{
    struct ev top = a->slow.h[0];
    if (*entry_ps != top.t) { /* superseded by an earlier entry */
        evq_pop(&a->slow);
    } else if (at_ps == WEFT_NEVER) {
        *entry_ps = WEFT_NEVER;
        evq_pop(&a->slow);
    } else if (at_ps > top.t) {
        *entry_ps = at_ps;
        evq_replace_top(&a->slow, at_ps, top.id);
    } else {
        return true;
    }
    return false;
}

/* Drops or re-dates entries at the head of the slow queue whose deadline has moved. */
static void agenda_update_slow(struct weft_engine *e, struct agenda *a)
{
    while (a->slow.n) {
        const uint64_t id = a->slow.h[0].id;
        const struct timer_ops *ops = &e->timer_ops[id >> EV_KIND_SHIFT];
        int64_t at_ps;
        if (!ops->deadline)
            return;
        int64_t *entry_ps = ops->deadline(e, EV_NUMBER(id), &at_ps);
        if (agenda_update_deadline(a, at_ps, entry_ps))
            return;
    }
}

bool agenda_slow_first(struct weft_engine *e, struct agenda *a, uint64_t key)
{
    agenda_update_slow(e, a);
    if (!a->slow.n || key == FASTQ_NO_KEY)
        return a->slow.n != 0;
    struct ev fast = {fastq_time(&a->fast, key), EV_ID(fastq_kind(key), fastq_port(key))};
    return ev_before(a->slow.h[0], fast);
}

/* ns3-event-order: the rank of an entry of the fast queue. */
static uint32_t rank(const struct weft_engine *e, uint64_t key)
{
    const uint32_t port = fastq_port(key);
    return fastq_kind(key) == EV_ARRIVE ? pkt_at(e, e->ends[port].fly.head)->order
                                        : e->ports[port].armed_order;
}

/* Of the entries at and below @p i that share the time of the first, the one that ranks before
 * @p best. They are at the top of the heap. */
static uint32_t first_ranked(const struct weft_engine *e, const struct agenda *a, uint32_t i,
                             uint32_t best)
{
    const struct keyheap *q = &a->fast.near;
    if (i >= q->n || q->h[i] >> FASTQ_ID_BITS != q->h[0] >> FASTQ_ID_BITS)
        return best;
    if ((int32_t)(rank(e, q->h[i]) - rank(e, q->h[best])) < 0)
        best = i;
    for (uint32_t c = 4 * i + 1; c <= 4 * i + 4; c++)
        best = first_ranked(e, a, c, best);
    return best;
}

/* Swaps it to the top: the heap stays one in time. */
uint64_t agenda_by_rank(const struct weft_engine *e, struct agenda *a)
{
    struct keyheap *q = &a->fast.near;
    uint32_t i = first_ranked(e, a, 0, 0);
    uint64_t key = q->h[i];
    q->h[i] = q->h[0];
    q->h[0] = key;
    return key;
}

/* Which transmissions of ports without events have been made when the first event of the slow queue
 * runs: timers come after those of their instant, arrivals and transmissions from far ahead where
 * they would in the fast queue. */
static void note_slow_due(struct weft_engine *e, const struct agenda *a)
{
    const struct ev top = a->slow.h[0];
    const enum ev_kind kind = (enum ev_kind)(top.id >> EV_KIND_SHIFT);
    e->loop.due_ps = top.t + (kind > EV_TX);
    e->loop.due_id =
        kind > EV_TX ? 0 : (uint32_t)fastq_key(0, 0, kind, (uint32_t)EV_NUMBER(top.id));
}

/* Arrivals and transmissions over a second ahead are in the slow queue. */
static void agenda_run_timer(struct weft_engine *e, uint64_t id)
{
    const uint32_t kind = (uint32_t)(id >> EV_KIND_SHIFT);
    if (kind == EV_ARRIVE)
        e->port_ops.arrive(e, (uint32_t)EV_NUMBER(id));
    else if (kind == EV_TX)
        e->port_ops.due(e, (uint32_t)EV_NUMBER(id));
    else
        e->timer_ops[kind].run(e, EV_NUMBER(id));
}

void agenda_run_slow(struct weft_engine *e, struct agenda *a)
{
    const uint64_t id = a->slow.h[0].id;
    note_slow_due(e, a);
    evq_pop(&a->slow);
    e->loop.slow_id = id;
    agenda_run_timer(e, id);
    e->loop.slow_id = UINT64_MAX;
}

/* Packets alive beyond which the ports of hosts are no longer in the caches. */
#define COLD_PACKETS 131072u
#define WARM_MOST 32u

/* Without it each event waits for memory several times, one after the other; here they wait
 * together. */
void agenda_warm(const struct weft_engine *e, struct agenda *a)
{
    const uint32_t all = (uint32_t)(a->fast.top - a->fast.due);
    const uint32_t n = all < WARM_MOST ? all : WARM_MOST;
    const uint64_t *due = a->fast.top - n + 1; /* the first in time are at the end */
    const bool cold = e->pkts.pool.live > COLD_PACKETS;
    a->fetched = due - 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct port *p = &e->ports[fastq_port(due[i])];
        __builtin_prefetch(p, 1);
        __builtin_prefetch(&e->ends[fastq_port(due[i])], 1);
        if (cold) {
            __builtin_prefetch(&p->st, 1);
            __builtin_prefetch(&p->lane[e->p.transport.data_prio], 1);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct port *p = &e->ports[fastq_port(due[i])];
        const bool arrives = fastq_kind(due[i]) == EV_ARRIVE;
        /* what a switch port owes, the thread that runs it sees to */
        const bool other = arrives && e->worker;
        const uint32_t queued = other ? 0 : p->nonempty & (CTRL_WAITS - 1);
        if (queued)
            __builtin_prefetch(pkt_at(e, p->lane[__builtin_ctz(queued)].q.head), 1);
        if (!arrives) /* else another thread may be at the end of the link */
            continue;
        const uint32_t first = e->ends[fastq_port(due[i])].fly.head;
        if (first != NIL)
            __builtin_prefetch(pkt_at(e, first), 1);
    }
}
