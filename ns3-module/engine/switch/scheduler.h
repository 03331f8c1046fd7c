/* SPDX-License-Identifier: GPL-2.0-only */
/* Which priority a port serves. */
#ifndef WEFT_ENGINE_SCHEDULER_H
#define WEFT_ENGINE_SCHEDULER_H

#include "core/port.h"
#include "engine.h"

/** The priority to serve among several, the bits of @p eligible. */
uint32_t scheduler_pick(const struct weft_engine *e, struct port *p, uint32_t eligible);

#endif
