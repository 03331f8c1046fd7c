/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first event of an agenda, and its execution: the first of the fast queue (arrivals,
 * transmissions) and the slow one (timers) by time, kind and number.
 */
#ifndef WEFT_ENGINE_AGENDA_H
#define WEFT_ENGINE_AGENDA_H

#include "context.h"
#include "heap.h"
#include "executor.h"
#include "fastq.h"
#include "loop.h"
#include "port.h"

/** The first entry of an agenda. */
struct due {
    int64_t t;    /**< WEFT_NEVER: there is none */
    uint64_t key; /**< of the fast queue's first, FASTQ_NO_KEY: none */
    bool slow;    /**< it is the first of the slow queue */
};

/** Whether the next event is the first of the slow queue, which has something no later than the
 * first of the fast one (FASTQ_NO_KEY: none). Arrivals and transmissions go before timers of the
 * same instant, and among themselves by number. */
bool agenda_slow_first(struct weft_engine *e, struct agenda *a, uint64_t key);
/** Executes the first of the slow queue. */
void agenda_run_slow(struct weft_engine *e, struct agenda *a);
/** Fetches what the next events of the bucket will touch: the port and its packets. */
void agenda_warm(const struct weft_engine *e, struct agenda *a);
/** Of simultaneous entries, the key of the one whose turn it is with ns3-event-order. */
uint64_t agenda_by_rank(const struct weft_engine *e, struct agenda *a);

/** Time of the first entry of the slow queue, unsettled: it may turn out later. */
static inline int64_t agenda_slow_time(const struct agenda *a)
{
    return a->slow.h[0].t; /* WEFT_NEVER when empty */
}

/** Time of the first entry of the fast queue. */
static inline int64_t agenda_fast_time(const struct agenda *a, uint64_t key)
{
    return __builtin_expect(key != FASTQ_NO_KEY, 1) ? fastq_time(&a->fast, key) : WEFT_NEVER;
}

/** The first entry of an agenda, in which nothing is before the clock. */
static inline struct due agenda_first(struct weft_engine *e, struct agenda *a)
{
    const uint32_t poured = a->fast.poured;
    const uint64_t key = fastq_first(&a->fast, e->now);
    if (e->pkts.pool.live > CACHED_PACKETS &&
        (a->fast.poured != poured || a->fast.top == a->fetched))
        agenda_warm(e, a);
    const int64_t t = agenda_fast_time(a, key);
    const bool slow = agenda_slow_time(a) <= t && agenda_slow_first(e, a, key);
    return (struct due){__builtin_expect(slow, 0) ? agenda_slow_time(a) : t, key, slow};
}

/** The first entry of all agendas, and whose it is. */
static inline struct agenda *agenda_first_of_all(struct weft_engine *e, struct due *d)
{
    *d = agenda_first(e, &e->loop.agenda);
    return e->parts ? e->executor->first(e, d) : &e->loop.agenda;
}

/** Has an arrival or transmission happen. */
static inline void agenda_run_key(struct weft_engine *e, uint64_t key)
{
    if (fastq_kind(key) == EV_ARRIVE)
        e->port_ops.arrive(e, fastq_port(key));
    else
        e->port_ops.due(e, fastq_port(key));
}

/** Executes the first entry @p d. */
static inline void agenda_run(struct weft_engine *e, struct agenda *a, struct due d)
{
    uint64_t key = d.key;
    e->now = d.t;
    e->tot.events++;
    if (__builtin_expect(d.slow, 0)) {
        agenda_run_slow(e, a);
        return;
    }
    e->loop.due_ps = d.t;
    e->loop.due_id = (uint32_t)key & ((1u << FASTQ_ID_BITS) - 1);
    if (__builtin_expect(e->path.rare & RARE_ORDER, 0))
        key = agenda_by_rank(e, a);
    fastq_pop(&a->fast, key);
    agenda_run_key(e, key);
}

/** The next event of a loop, and the agenda that it is the first of. */
struct loop_event {
    struct agenda *a;
    struct due d;
};

/**
 * The event loop, the only one: executes events for as long as @p next finds one within the limit
 * of the caller (a time, a number, a condition). Calls with constant functions are inlined.
 */
static inline __attribute__((always_inline)) void
loop_events(struct weft_engine *e, void *ctx,
            bool (*next)(struct weft_engine *e, void *ctx, struct loop_event *ev),
            void (*run)(struct weft_engine *e, void *ctx, const struct loop_event *ev))
{
    struct loop_event ev;
    while (next(e, ctx, &ev))
        run(e, ctx, &ev);
}

/** Executes an event that is due in a plain agenda: for loop_events. */
static inline void loop_run_event(struct weft_engine *e, void *ctx, const struct loop_event *ev)
{
    (void)ctx;
    agenda_run(e, ev->a, ev->d);
}

#endif
