/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which packet a full egress queue costs (switch.overflow). The one that arrives, as switches have
 * it; or, by the toss of a coin, that or the last one that waits. Packets that come in step fill
 * the same queue in the same order again and again, so that the same sender always loses; a coin
 * ends that (Handley et al.: NDP, SIGCOMM 2017). Each port has a random stream of its own.
 */
#ifndef WEFT_ENGINE_RANDOM_DROP_H
#define WEFT_ENGINE_RANDOM_DROP_H

#include "core/pkt.h"
#include "engine.h"

/** Gives each port its stream where section switch asks for it. */
int random_drop_init(struct weft_engine *e, struct weft_err *err);
/** Packet @p k from ingress @p in finds no buffer at port @p out: whether its queue is full, its
 * last packet is one that may be lost, and the coin says that it is lost. Requires
 * random_drop_init. */
bool random_drop_last(struct weft_engine *e, const struct pkt *k, uint32_t in, uint32_t out);

#endif
