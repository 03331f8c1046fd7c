/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of packets: queues, and links; and following lists whose records move from one to another.
 *
 * A record that is taken out of a list other than its own leaves a list that leads nowhere, or
 * round in a circle. The loop that follows it would never end, and within one event neither a
 * signal nor a limit is seen. Therefore each such loop counts its steps: there are never more than
 * records in the pool that the list is made of. One step more fails the engine with the name of the
 * list.
 */
#ifndef WEFT_ENGINE_WALK_H
#define WEFT_ENGINE_WALK_H

#include "base/require.h"
#include "context.h"
#include "events.h"

#include <stddef.h>
#include <string.h>

/** Fails the engine: @p list has more than @p most records. The engine is const to those that only
 * look at it. */
void walk_endless(const struct weft_engine *e, uint32_t most, const char *list)
    __attribute__((noinline, cold));

/** Whether step number @p step along @p list, from 0 on, may be made. */
static inline bool walk_on(const struct weft_engine *e, uint32_t step, uint32_t most,
                           const char *list)
{
    if (__builtin_expect(step < most, 1))
        return true;
    walk_endless(e, most, list);
    return false;
}

/** The loop over record @p i of a list that begins with @p first. */
#define WALK(e, i, first, next, most, list)                                                        \
    for (uint32_t i = (first), steps_of_##i = 0;                                                   \
         i != NIL && walk_on((e), steps_of_##i++, (most), (list)); i = (next))
/** Packets of a queue, or on a link. */
#define WALK_PKTS(e, i, first, list) WALK(e, i, first, pkt_at(e, i)->next, (e)->pkts.pool.n, list)
/** Messages of a QP that are not acknowledged. */
#define WALK_MSGS(e, i, first) WALK(e, i, first, msg_at(e, i)->next, (e)->msgs.n, WALK_MSGS_NAME)
/** QPs that wait for their turn at a port of a host. */
#define WALK_TURNS(e, i, first)                                                                    \
    WALK(e, i, first, qp_at(e, i)->snd->next, (e)->qps.pool.n, WALK_TURNS_NAME)
#define WALK_MSGS_NAME "messages of a QP"
#define WALK_TURNS_NAME "turns of QPs at a port of a host"

/* ---- lists of packets ---- */

static inline void list_append(struct weft_engine *e, struct list *l, struct pkt *k, uint32_t i)
{
    k->next = NIL;
    if (l->head == NIL)
        l->head = i;
    else
        pkt_at(e, l->tail)->next = i;
    l->tail = i;
}
/** Takes the first packet, which is @p k. */
static inline void list_take(struct list *l, const struct pkt *k)
{
    WEFT_REQUIRE(l->head != NIL);
    l->head = k->next;
}

/** Puts packet @p k, number @p i, at the end of the link of @p port, where it arrives at @p at_ps.
 */
static inline void put_on_link(struct weft_engine *e, uint32_t port, struct pkt *k, uint32_t i,
                               int64_t at_ps)
{
    struct link_end *l = &e->ends[port];
    struct list *fly = &l->fly;
    k->next = NIL;
    if (fly->head == NIL) {
        fly->head = i;
        engine_push_arrival(e, l, at_ps, port);
    } else {
        struct pkt *before = pkt_at(e, fly->tail);
        before->next = i;
        before->next_at_ps = at_ps;
    }
    fly->tail = i;
}

/* ---- INT stamps of a packet ---- */

/* A chain of stacks, each two cache lines; pkt.sig (switch_state.h) has the first one and how many
 * stamps there are. A stamp is exact: struct weft_cc_hop in 24 bytes, as a queue is shorter than
 * 4 GiB and ports have few rates. Paths over three tiers take one stack per packet. */

static inline struct int_stack *int_at(const struct weft_engine *e, uint32_t i)
{
    return (struct int_stack *)(void *)e->telemetry.stacks.base + i;
}

/** Behind the last stamp of the first stack. */
static inline struct int_stamp *sig_at(const struct weft_engine *e, uint32_t sig)
{
    return (struct int_stamp *)(void *)((uint64_t *)(void *)e->telemetry.stacks.base +
                                        sig_place(sig));
}

/** Stamp @p n, which there is, of those that @p sig stands for. */
static inline struct int_stamp *stamp_at(const struct weft_engine *e, uint32_t sig, uint32_t n)
{
    struct int_stack *s = int_at(e, sig_stack(sig));
    for (; n >= INT_STACK_HOPS; n -= INT_STACK_HOPS)
        s = int_at(e, s->more);
    return &s->stamps[n];
}

/** Writes all of them as congestion controls read them; returns how many there are. */
static inline uint32_t stamps_read(const struct weft_engine *e, uint32_t sig,
                                   struct weft_cc_hop hops[WEFT_CC_MAX_HOPS])
{
    const uint64_t *const rates_bps = e->mmu.rates_bps;
    const struct int_stack *stack = int_at(e, sig_stack(sig));
    struct weft_cc_hop *h = hops;
    const struct int_stamp *s = stack->stamps, *end = sig_at(e, sig);
    for (uint32_t left = sig >> SIG_PLACE_BITS;;) {
        do {
            memcpy(h, s, offsetof(struct int_stamp, qlen_bytes)); /* as these begin alike */
            h->qlen_bytes = s->qlen_bytes;
            h->rate_bps = rates_bps[s->rate];
            h++;
        } while (++s < end);
        if (__builtin_expect(!left, 1))
            return (uint32_t)(h - hops);
        const uint32_t n = left < INT_STACK_HOPS ? left : INT_STACK_HOPS;
        stack = int_at(e, stack->more);
        s = stack->stamps;
        end = s + n;
        left -= n;
    }
}

#endif
