/* SPDX-License-Identifier: GPL-2.0-only */
/* How long egress queues held how much. */
#ifndef WEFT_ENGINE_HISTOGRAM_H
#define WEFT_ENGINE_HISTOGRAM_H

#include "core/observe_state.h"
#include "engine.h"

/** A queue that may be wanted holds another number of bytes from now on. */
void histogram_note(struct weft_engine *e, uint32_t port, uint32_t prio, uint32_t bytes);
void histogram_fini(struct weft_engine *e);

#endif
