/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether packets that wait for each other under lossless flow control can close a circle.
 *
 * Dally and Seitz (IEEE ToC 1987): routes cannot deadlock if their channel dependency graph has no
 * cycle. A channel is one direction of a link in one virtual channel; it depends on another when
 * some route goes from the one straight to the other.
 */
#ifndef WEFT_TOPOLOGY_DEADLOCK_H
#define WEFT_TOPOLOGY_DEADLOCK_H

#include "routes.h"

WEFT_C_BEGIN

/**
 * The virtual channel, 0 or 1, in which a packet that came over link @p in in channel @p vc goes on
 * over link @p out: a new dimension begins in 0, behind a dateline it is 1.
 */
static inline uint32_t weft_next_channel(const struct weft_fabric_link *in,
                                         const struct weft_fabric_link *out, uint32_t vc)
{
    return in->dim != out->dim ? 0 : in->dateline ? 1 : vc;
}

/**
 * Follows every route of @p f over the links whose byte in @p down is 0 (NULL: all). 0: no cycle;
 * WEFT_E_INPUT: *err names the links of one. Where packets visit dimensions in ascending order,
 * each instance is looked at on its own; those that are acyclic by construction and have all their
 * links are left out.
 */
int weft_deadlock_check(const struct weft_fabric *f, const uint8_t *down, struct weft_err *err);

WEFT_C_END
#endif
