/* SPDX-License-Identifier: GPL-2.0-only */
/* Balancers of plug-ins in the engine (balancer.h). */
#ifndef WEFT_ENGINE_PLUGGED_H
#define WEFT_ENGINE_PLUGGED_H

#include "core/balance_state.h"

#include "topologies/balancer.h"

/** Checks switch.balancer. */
int plugged_check(const struct weft_engine_params *p, struct weft_err *err);
/** Parameters and states; `e->spread.plugged` stays NULL without such a balancer. */
int plugged_init(struct weft_engine *e, struct weft_err *err);
void plugged_fini(struct weft_engine *e);
/** A balance_fn. */
uint32_t plugged(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                 const struct pkt *k);

#endif
