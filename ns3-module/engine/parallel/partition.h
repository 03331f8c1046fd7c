/* SPDX-License-Identifier: GPL-2.0-only */
/* Which thread a node belongs to at first. */
#ifndef WEFT_ENGINE_PARTITION_H
#define WEFT_ENGINE_PARTITION_H

#include "topologies/fabric.h"

#include <stdbool.h>

/**
 * Deals the nodes of @p f out to @p n threads, thread[node] of them, at most 255. of[node] is the
 * first of the nodes that stay with it. As many hosts, or groups of nodes with hosts, to each, or
 * as much of the load of these, load[of[node]], unless that is NULL; neighbours in the fabric's
 * numbering together; switches, from the hosts upwards, to the thread
 * that most of their links below lead to, or most load of the nodes there, where several do, in
 * blocks of neighbours. Therefore most
 * packets stay in the caches of one processor, and what belongs to one process (peers.h) lies
 * together. @p stealable, unless NULL: by node, whether it is for any: every other one of those
 * with links below to several. Returns to how many threads hosts were dealt.
 */
uint32_t partition(const struct weft_fabric *f, unsigned n, const uint32_t *of,
                   const uint32_t *load, uint8_t *thread, bool *stealable);

/** To which thread most links of switch @p i to nodes of lower tiers lead, which are dealt out, or
 * most of load[node] of these, unless that is NULL; where as much leads to others, @p turn is
 * preferred. *@p several: whether some lead to others. */
uint8_t partition_choose(const struct weft_fabric *f, unsigned n, const uint32_t *load,
                         const uint8_t *thread, uint32_t i, unsigned turn, bool *several);

#endif
