/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames of other transports. */
#ifndef WEFT_ENGINE_FRAME_H
#define WEFT_ENGINE_FRAME_H

#include "engine.h"

/** A frame has reached port @p port of the host it was for. Consumes it. */
void frame_receive(struct weft_engine *e, uint32_t pkt, uint32_t port);

#endif
