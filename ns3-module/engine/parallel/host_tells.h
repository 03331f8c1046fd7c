/* SPDX-License-Identifier: GPL-2.0-only */
/* What a user who only listens to that is told after a window: host_parts.c. */
#ifndef WEFT_ENGINE_HOST_TELLS_H
#define WEFT_ENGINE_HOST_TELLS_H

#include "core/heap.h"
#include "engine.h"

struct window_crew;

#pragma GCC visibility push(hidden)

/** Tells the user of messages of the windows so far, in the order of all events, with the clock at
 * that of each: of those by events before @p before. The others wait. */
void host_tells(struct weft_engine *e, struct window_crew *c, struct ev before);

#pragma GCC visibility pop

#endif
