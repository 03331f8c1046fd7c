/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that their link loses. */
#ifndef WEFT_ENGINE_LINK_LOSS_H
#define WEFT_ENGINE_LINK_LOSS_H

#include "engine.h"
#include "port.h"

#pragma GCC visibility push(hidden)

/** Whether packet @p i is lost on the link of @p port, at whose end @p l it comes out; drops it
 * then. Else it has arrived. */
bool link_lost(struct weft_engine *e, struct link_end *l, uint32_t i, uint32_t port);

#pragma GCC visibility pop

#endif
