/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a packet leaves a node that forwards. */
#ifndef WEFT_ENGINE_EGRESS_H
#define WEFT_ENGINE_EGRESS_H

#include "engine.h"
#include "core/pkt.h"

/** Looks up the egress port of packet @p k, number @p i, that entered a node through port @p in;
 * NIL: there is none and the packet is dropped. */
uint32_t egress_look_up(struct weft_engine *e, uint32_t in, struct pkt *k, uint32_t i);
/** Puts a packet of a lossless priority into the virtual channel of its next link. */
void egress_change_channel(const struct weft_engine *e, struct pkt *k, uint32_t in, uint32_t out);

#endif
