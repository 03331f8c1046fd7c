/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clocks of pauses: each (port, priority) has one that runs while a pause holds it, and a packet
 * that leaves a queue knows what it said when it came (delay.c makes the delays of messages of it).
 *
 * A pause holds a port from the end of the packet that it is sending; before, that packet does.
 * Clocks exist from the first pause on, in records of their own: without PFC they cost nothing.
 */
#include "pause_clock.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/stable.h"
#include "core/walk.h"

#include <stdlib.h>

/* ---- pauses of ports ---- */

int pause_clock_reserve(struct weft_engine *e)
{
    if (!e->delays.waits.base &&
        !stable_init_beside(&e->delays.waits, sizeof(struct wait), &e->pkts.pool))
        return engine_fail(e, WEFT_E_LIMIT, "the address space for waiting packets was refused");
    return 0;
}

/* Pauses of a port so far. */
static struct hold *hold_of(struct weft_engine *e, struct port *p)
{
    if (p->hold)
        return p->hold;
    if (pause_clock_reserve(e))
        return NULL;
    p->hold = calloc(1, sizeof *p->hold);
    if (!p->hold) {
        engine_fail(e, WEFT_E_LIMIT, "out of memory for pauses");
        return NULL;
    }
    e->delays.nholds++;
    e->path.on_enqueue |= QUEUE_PAUSE_CLOCK;
    e->path.on_dequeue |= QUEUE_PAUSE_CLOCK;
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        WALK_PKTS(e, i, p->lane[k].q.head, "packets of a queue")
            pkt_at(e, i)->held_ps = 0;
    return p->hold;
}

void pause_clock_start(struct weft_engine *e, struct port *p, uint32_t prio)
{
    struct hold *h = hold_of(e, p);
    if (h)
        h->from_ps[prio] = p->busy_until_ps > e->now ? p->busy_until_ps : e->now;
}

void pause_clock_stop(const struct weft_engine *e, struct port *p, uint32_t prio)
{
    struct hold *h = p->hold;
    if (h && e->now > h->from_ps[prio])
        h->total_ps[prio] += e->now - h->from_ps[prio];
}

int64_t pause_clock_ps(const struct weft_engine *e, const struct port *p, uint32_t prio)
{
    const struct hold *h = p->hold;
    if (!h)
        return 0;
    const bool on = (p->paused >> prio & 1) && e->now > h->from_ps[prio];
    return h->total_ps[prio] + (on ? e->now - h->from_ps[prio] : 0);
}

void pause_clock_fini(struct weft_engine *e)
{
    for (uint32_t n = 0; e->ports && n < e->fabric->nnodes; n++) {
        const struct weft_fabric_node *of = &e->fabric->nodes[n];
        for (uint32_t k = 0; node_known(e, n) && k < of->nports; k++)
            free(e->ports[of->first_port + k].hold);
    }
    stable_fini(&e->delays.waits);
}

uint64_t pause_clock_bytes(const struct weft_engine *e)
{
    return e->delays.nholds * sizeof(struct hold);
}

/* ---- packets in queues ---- */

void pause_clock_enter(const struct weft_engine *e, const struct port *p, struct pkt *k)
{
    k->held_ps = pause_clock_ps(e, p, k->prio);
}

void pause_clock_leave(struct weft_engine *e, const struct port *p, const struct pkt *k, uint32_t i)
{
    const int64_t ps = pause_clock_ps(e, p, k->prio) - k->held_ps;
    if (ps <= 0)
        return;
    struct wait *w = (struct wait *)(void *)e->delays.waits.base + i;
    if (w->sent_ps != k->sent_ps)
        *w = (struct wait){.sent_ps = k->sent_ps};
    w->paused_ps += ps;
    if (e->delays.waits.n <= i)
        e->delays.waits.n = i + 1;
}

struct wait *pause_clock_wait_of(const struct weft_engine *e, uint32_t i, int64_t sent_ps)
{
    if (e->delays.waits.n <= i)
        return NULL;
    struct wait *w = (struct wait *)(void *)e->delays.waits.base + i;
    return w->sent_ps == sent_ps && w->paused_ps ? w : NULL;
}

int64_t pause_clock_waited_ps(const struct weft_engine *e, uint32_t i, int64_t sent_ps)
{
    const struct wait *w = pause_clock_wait_of(e, i, sent_ps);
    return w ? w->paused_ps : 0;
}
