/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of one switch in a window: window.h. */
#ifndef WEFT_WINDOW_NODE_H
#define WEFT_WINDOW_NODE_H

#include "engine.h"

#pragma GCC visibility push(hidden)

/** Executes the events of a switch whose keys are below @p until; @p settle_ps: before which it is
 * settled. */
void window_run_node(struct weft_engine *e, uint32_t node, uint64_t until, int64_t settle_ps);
/** Makes the transmissions that a switch owes before @p until_ps; whether more will come later. */
bool window_settle_node(struct weft_engine *e, uint32_t node, int64_t until_ps);

#pragma GCC visibility pop

#endif
