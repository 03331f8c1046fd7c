/* SPDX-License-Identifier: GPL-2.0-only */
/* In-network operations, as the rest of the engine sees them. */
#ifndef WEFT_ENGINE_IN_NETWORK_H
#define WEFT_ENGINE_IN_NETWORK_H

#include "engine.h"

/** A SUM packet has come out of the link to @p port. Consumes it. */
void in_network_arrive(struct weft_engine *e, uint32_t port, uint32_t pkt);
/** Packet @p pkt of any kind has left the queue of a NIC: its member may queue another. */
void in_network_left(struct weft_engine *e, uint32_t pkt);
void in_network_fini(struct weft_engine *e);
/** Parts posted and not over. */
uint64_t in_network_parts(const struct weft_engine *e);

/* in_network_check.c */
/** A SUM packet was lost: ends the run. */
void in_network_lost(struct weft_engine *e, uint32_t pkt, uint32_t port, enum weft_drop_reason why);
/** No two sums in a slot, no member beyond its window, parts add up. */
int in_network_check(const struct weft_engine *e, struct weft_err *err);
/** A sentence on each unfinished operation, at most @p max; returns how many. */
uint64_t in_network_explain(const struct weft_engine *e, uint64_t max,
                            void (*fn)(void *ctx, const char *sentence), void *ctx);

#endif
