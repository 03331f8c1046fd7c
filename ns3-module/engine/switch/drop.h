/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that are dropped. */
#ifndef WEFT_ENGINE_DROP_H
#define WEFT_ENGINE_DROP_H

#include "core/port.h"
#include "engine.h"

/** Counts a drop at a port, tells the hook, frees the packet. */
void pkt_drop(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_drop_reason why);
/** Whether packet @p i is lost on the link of @p port, at whose end @p l it comes out; drops it
 * then. Else it has arrived. */
bool link_lost(struct weft_engine *e, struct link_end *l, uint32_t i, uint32_t port);

#endif
