/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice of a port among those that routes allow: load balancing. */
#ifndef WEFT_ENGINE_BALANCE_H
#define WEFT_ENGINE_BALANCE_H

#include "core/balance_state.h"
#include "core/transport_state.h"
#include "engine.h"

/** Whether switches share the state that they balance by. */
bool balance_shared(const struct weft_engine *e);
/** Whether switch @p node goes by such state: it has a choice of ports for some host. */
bool balance_shares(const struct weft_engine *e, uint32_t node);
/** @p of: how the transports of the run recover from loss. */
int balance_check(const struct weft_engine_config *c, const struct recovery *const of[PROFILES],
                  struct weft_err *err);
int balance_init(struct weft_engine *e, struct weft_err *err);
void balance_fini(struct weft_engine *e);

#endif
