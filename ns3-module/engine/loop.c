/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock and the event loop: the first of the fast queue (arrivals, transmissions) and the slow
 * one (timers) by time, kind and number, and between them the windows of switches (window.h).
 */
#include "loop.h"
#include "context.h"
#include "evq.h"
#include "fastq.h"
#include "grant.h"
#include "pfc.h"
#include "port.h"
#include "rc.h"
#include "window.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>

/* The head of the slow queue is an entry of a deadline that may have moved since. True when it is
 * due at its time; else it was dropped or re-dated. */
static bool settle_deadline(struct weft_engine *e, int64_t at_ps, int64_t *entry_ps)
{
    struct ev top = e->loop.slow.h[0];
    if (*entry_ps != top.t) { /* superseded by an earlier entry */
        evq_pop(&e->loop.slow);
    } else if (at_ps == WEFT_NEVER) {
        *entry_ps = WEFT_NEVER;
        evq_pop(&e->loop.slow);
    } else if (at_ps > top.t) {
        *entry_ps = at_ps;
        evq_replace_top(&e->loop.slow, at_ps, top.id);
    } else {
        return true;
    }
    return false;
}

/* Drops or re-dates entries at the head of the slow queue whose deadline has moved. */
static void settle_slow(struct weft_engine *e)
{
    while (e->loop.slow.n) {
        struct ev top = e->loop.slow.h[0];
        struct qp *q;
        struct pfc_deadline *d;
        switch ((enum ev_kind)(top.id >> EV_KIND_SHIFT)) {
        case EV_RTO:
            q = qp_at(e, (uint32_t)EV_NUMBER(top.id));
            if (settle_deadline(e, q->rto_at_ps, &q->rto_entry_ps))
                return;
            break;
        case EV_PFC:
            d = pfc_deadline(e, EV_NUMBER(top.id));
            if (settle_deadline(e, d->at_ps, &d->entry_ps))
                return;
            break;
        case EV_CC:
            q = qp_at(e, (uint32_t)EV_NUMBER(top.id));
            if (q->cc_timer_ps == top.t)
                return;
            evq_pop(&e->loop.slow); /* superseded by another entry, or switched off */
            break;
        default:
            return;
        }
    }
}

/* Time of the first entry of the slow queue, unsettled: it may turn out later. */
static inline int64_t slow_time(const struct weft_engine *e)
{
    return e->loop.slow.h[0].t; /* WEFT_NEVER when empty */
}

/* Whether the next event is the first of the slow queue, which has something no later than the
 * first of the fast one (FASTQ_NO_KEY: none). Arrivals and transmissions go before timers of the
 * same instant, and among themselves by number. */
static bool slow_first(struct weft_engine *e, uint64_t key)
{
    settle_slow(e);
    if (!e->loop.slow.n || key == FASTQ_NO_KEY)
        return e->loop.slow.n != 0;
    struct ev fast = {fastq_time(&e->loop.fast, key), EV_ID(fastq_kind(key), fastq_port(key))};
    return ev_before(e->loop.slow.h[0], fast);
}

/* Time of the first entry of the fast queue. */
static inline int64_t fast_time(const struct weft_engine *e, uint64_t key)
{
    return __builtin_expect(key != FASTQ_NO_KEY, 1) ? fastq_time(&e->loop.fast, key) : WEFT_NEVER;
}

int64_t weft_engine_now(const struct weft_engine *e)
{
    return e->now;
}

int64_t weft_engine_next(struct weft_engine *e)
{
    const uint64_t key = fastq_first(&e->loop.fast, e->now);
    const int64_t fast = fast_time(e, key);
    const int64_t hosts = slow_time(e) <= fast && slow_first(e, key) ? e->loop.slow.h[0].t : fast;
    const int64_t switches = e->windows.on ? window_first(e) : WEFT_NEVER;
    return switches < hosts ? switches : hosts;
}

void weft_engine_set_now(struct weft_engine *e, int64_t t_ps)
{
    if (t_ps < e->now)
        engine_fail(e, WEFT_E_INTERNAL,
                    "the clock would run backwards, from %" PRId64 " to %" PRId64 " ps", e->now,
                    t_ps);
    else
        e->now = t_ps;
    weft_engine_follow(e, t_ps);
}

void weft_engine_follow(struct weft_engine *e, int64_t t_ps)
{
    if (e->loop.due_ps < t_ps) {
        e->loop.due_ps = t_ps;
        e->loop.due_id = 0;
    }
    window_run(e, t_ps);
}

/* ns3-event-order: the rank of an entry of the fast queue. */
static uint32_t rank(const struct weft_engine *e, uint64_t key)
{
    const struct port *p = &e->ports[fastq_port(key)];
    return fastq_kind(key) == EV_ARRIVE ? pkt_at(e, p->fly.head)->order : p->armed_order;
}

/* Of the entries at and below @p i that share the time of the first, the one that ranks before
 * @p best. They are at the top of the heap. */
static uint32_t first_ranked(const struct weft_engine *e, uint32_t i, uint32_t best)
{
    const struct keyheap *q = &e->loop.fast.near;
    if (i >= q->n || q->h[i] >> FASTQ_ID_BITS != q->h[0] >> FASTQ_ID_BITS)
        return best;
    if ((int32_t)(rank(e, q->h[i]) - rank(e, q->h[best])) < 0)
        best = i;
    for (uint32_t c = 4 * i + 1; c <= 4 * i + 4; c++)
        best = first_ranked(e, c, best);
    return best;
}

/* Swaps the right one of simultaneous entries to the top: their heap stays one in time. */
static void bring_first(struct weft_engine *e)
{
    struct keyheap *q = &e->loop.fast.near;
    uint32_t i = first_ranked(e, 0, 0);
    uint64_t key = q->h[i];
    q->h[i] = q->h[0];
    q->h[0] = key;
}

static inline void run_fast(struct weft_engine *e, uint64_t key)
{
    if (__builtin_expect(e->path.rare & RARE_ORDER, 0)) {
        bring_first(e);
        key = e->loop.fast.near.h[0];
    }
    fastq_pop(&e->loop.fast, key);
    const uint32_t port = fastq_port(key);
    if (fastq_kind(key) == EV_ARRIVE)
        port_arrive(e, port);
    else
        port_due(e, port);
}

static void run_slow(struct weft_engine *e)
{
    struct ev top = e->loop.slow.h[0];
    uint64_t number = EV_NUMBER(top.id);
    evq_pop(&e->loop.slow);
    switch ((enum ev_kind)(top.id >> EV_KIND_SHIFT)) {
    case EV_ARRIVE:
        port_arrive(e, (uint32_t)number);
        return;
    case EV_TX:
        port_due(e, (uint32_t)number);
        return;
    case EV_RTO:
        rc_rto(e, (uint32_t)number);
        return;
    case EV_CC:
        rc_cc_timer(e, (uint32_t)number);
        return;
    case EV_PFC:
        pfc_event(e, number);
        return;
    case EV_GRANT:
        grant_due(e, (uint32_t)number);
        return;
    case EV_TIMER:
        timer_fire(e, number);
        return;
    }
}

/* Packets alive beyond which the ports of hosts are no longer in the caches. */
#define COLD_PACKETS 131072u
#define WARM_MOST 32u

/* Fetches what the next events of the bucket will touch: the port and its packets. Without it each
 * event waits for memory several times, one after the other; here they wait together. */
static __attribute__((noinline)) void warm(struct weft_engine *e)
{
    const uint32_t all = (uint32_t)(e->loop.fast.top - e->loop.fast.due);
    const uint32_t n = all < WARM_MOST ? all : WARM_MOST;
    const uint64_t *due = e->loop.fast.top - n + 1; /* the first in time are at the end */
    const bool cold = e->pkts.pool.live > COLD_PACKETS;
    e->loop.fetched = due - 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct port *p = &e->ports[fastq_port(due[i])];
        __builtin_prefetch(p, 1);
        if (cold) {
            __builtin_prefetch(&p->qtotal, 1);
            __builtin_prefetch(&p->lane[e->p.transport.data_prio], 1);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct port *p = &e->ports[fastq_port(due[i])];
        const uint32_t queued = p->nonempty & (CTRL_WAITS - 1);
        if (queued)
            __builtin_prefetch(pkt_at(e, p->lane[__builtin_ctz(queued)].q.head), 1);
        if (fastq_kind(due[i]) == EV_ARRIVE && p->fly.head != NIL)
            __builtin_prefetch(pkt_at(e, p->fly.head), 1);
    }
}

/* The clock has come to its end with something left to do. */
static void out_of_time(struct weft_engine *e)
{
    char at[WEFT_UNIT_TEXT_MAX];
    engine_fail(
        e, WEFT_E_LIMIT,
        "simulated time has come to %s, the most that the clock of picoseconds allows, and the run "
        "is not over: a rate may be too low",
        weft_human_time(e->now, at));
}

/* Which transmissions of ports without events have been made when the first event of the slow queue
 * runs: timers come after those of their instant, arrivals and transmissions from far ahead where
 * they would in the fast queue. */
static void note_slow_due(struct weft_engine *e)
{
    const struct ev top = e->loop.slow.h[0];
    const enum ev_kind kind = (enum ev_kind)(top.id >> EV_KIND_SHIFT);
    e->loop.due_ps = top.t + (kind > EV_TX);
    e->loop.due_id =
        kind > EV_TX ? 0 : (uint32_t)fastq_key(0, 0, kind, (uint32_t)EV_NUMBER(top.id));
}

int weft_engine_run(struct weft_engine *e, int64_t limit_ps)
{
    const bool endless = limit_ps > LAST_PS;
    e->loop.limit_ps = e->err.code ? INT64_MIN : endless ? LAST_PS : limit_ps;
    for (;;) {
        const uint32_t poured = e->loop.fast.poured;
        const uint64_t key = fastq_first(&e->loop.fast, e->now);
        if (e->pkts.pool.live > CACHED_PACKETS &&
            (e->loop.fast.poured != poured || e->loop.fast.top == e->loop.fetched))
            warm(e);
        int64_t t = fast_time(e, key);
        const bool slow = slow_time(e) <= t && slow_first(e, key);
        if (__builtin_expect(slow, 0))
            t = slow_time(e);
        if (e->windows.on && t >= e->windows.done_ps + e->windows.lookahead_ps &&
            window_advance(e, t < e->loop.limit_ps ? t : e->loop.limit_ps))
            continue;
        if (__builtin_expect(t >= e->loop.limit_ps, 0))
            break;
        WEFT_REQUIRE(t >= e->now);
        e->now = t;
        e->tot.events++;
        if (__builtin_expect(slow, 0)) {
            note_slow_due(e);
            run_slow(e);
        } else {
            e->loop.due_ps = t;
            e->loop.due_id = (uint32_t)key & ((1u << FASTQ_ID_BITS) - 1);
            run_fast(e, key);
        }
    }
    const bool ended = endless && e->loop.limit_ps == LAST_PS;
    if (ended && weft_engine_next(e) != WEFT_NEVER)
        out_of_time(e);
    if (e->loop.limit_ps > e->loop.due_ps && !ended) {
        window_run(e, e->loop.limit_ps);
        e->loop.due_ps = e->loop.limit_ps;
        e->loop.due_id = 0;
    }
    if (e->windows.on)
        window_end(e);
    if (__builtin_expect(e->loop.fast.failed, 0))
        engine_fail(e, WEFT_E_LIMIT, "out of memory in the event queue");
    return e->err.code;
}

void weft_engine_lower_limit(struct weft_engine *e, int64_t limit_ps)
{
    if (limit_ps <= e->now) /* the instant being executed is always finished */
        limit_ps = e->now + 1;
    if (limit_ps < e->loop.limit_ps)
        e->loop.limit_ps = limit_ps;
}

void weft_engine_stop(struct weft_engine *e)
{
    e->loop.limit_ps = INT64_MIN;
}

const struct weft_err *weft_engine_error(const struct weft_engine *e)
{
    return &e->err;
}
