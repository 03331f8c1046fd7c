/* SPDX-License-Identifier: GPL-2.0-only */
/* Deadlocks, roots of pauses and their victims, in sentences. */
#ifndef WEFT_ENGINE_DIAGNOSE_H
#define WEFT_ENGINE_DIAGNOSE_H

#include "core/context.h"
#include "core/pkt.h"

/** Whether a port may not send at priority @p prio: paused, or without credit. */
static inline bool diagnose_paused(const struct weft_engine *e, uint32_t port, uint32_t prio)
{
    return e->ports[port].paused >> prio & 1;
}
/** The first packet in the queue of a port; NIL: none, as at a port without a record. */
static inline uint32_t diagnose_first(const struct weft_engine *e, uint32_t port, uint32_t prio)
{
    return port_known(e, port) ? e->ports[port].lane[prio].q.head : NIL;
}
/** Whether a queued packet came in from elsewhere, in priority @p prio. */
static inline bool diagnose_passing(const struct weft_engine *e, uint32_t i, uint32_t prio)
{
    return pkt_at(e, i)->in_port != NIL && came_in(pkt_at(e, i)) == prio;
}
/** Sentences on deadlocks, roots of pauses and their victims; at most @p max; returns how many. */
uint64_t diagnose_pauses(struct weft_engine *e, uint64_t max,
                         void (*fn)(void *ctx, const char *sentence), void *ctx);
/** A sentence on the partition, when QPs with something to send are parked; returns how many. */
uint64_t diagnose_partition(struct weft_engine *e, uint64_t max,
                            void (*fn)(void *ctx, const char *sentence), void *ctx);

#endif
