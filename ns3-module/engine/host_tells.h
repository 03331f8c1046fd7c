/* SPDX-License-Identifier: GPL-2.0-only */
/* What a user who only listens is told after a window: host_parts.c. */
#ifndef WEFT_ENGINE_HOST_TELLS_H
#define WEFT_ENGINE_HOST_TELLS_H

#include "engine.h"

struct window_crew;

#pragma GCC visibility push(hidden)

/** Tells the user of the window's messages, in the order of all events, with the clock at that of
 * each. */
void host_tells(struct weft_engine *e, struct window_crew *c);

#pragma GCC visibility pop

#endif
