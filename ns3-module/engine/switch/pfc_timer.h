/* SPDX-License-Identifier: GPL-2.0-only */
/* Repeats of pauses, and the runs that would never end with them. */
#ifndef WEFT_ENGINE_PFC_TIMER_H
#define WEFT_ENGINE_PFC_TIMER_H

#include "pfc.h"

#include <stdbool.h>

/** Packets made, delivered and dropped so far, but for PFC frames. */
uint64_t pfc_moves(const struct weft_engine *e);
/** Ingress @p port repeats a pause now, after @p moves; false: it does not, as the run ends. */
bool pfc_watch(struct weft_engine *e, uint32_t port, uint64_t moves);

#endif
