/* SPDX-License-Identifier: GPL-2.0-only */
/* What packets carry for congestion controls: the stamps of INT, the code of PINT. */
#ifndef WEFT_ENGINE_TELEMETRY_H
#define WEFT_ENGINE_TELEMETRY_H

#include "core/switch_state.h"
#include "engine.h"

#pragma GCC visibility push(hidden)

/** Has what ports know for PINT; false: out of memory. */
bool telemetry_have_pints(struct weft_engine *e);
/** A data packet leaves switch port @p out: stamps it with what the congestion control needs. */
void telemetry_stamp(struct weft_engine *e, uint32_t pkt, uint32_t out);

#pragma GCC visibility pop

#endif
