/* SPDX-License-Identifier: GPL-2.0-only */
/* Head-of-line victims of pauses. */
#ifndef WEFT_ENGINE_VICTIMS_H
#define WEFT_ENGINE_VICTIMS_H

#include "core/observe_state.h"
#include "engine.h"

/** Marks (1) the ports that are not paused and hold packets that keep others paused, in @p root,
 * which has room for all ports; returns the paused port whose pause began first, NIL when none is
 * paused. */
uint32_t victims_roots(struct weft_engine *e, uint32_t prio, uint8_t *root);
/** Marks (1) the QPs that wait behind a pause of priority @p prio without need. @p root: of
 * victims_roots(); @p victim: room for all QPs. */
void victims_mark(struct weft_engine *e, uint32_t prio, const uint8_t *root, uint8_t *victim);

#endif
