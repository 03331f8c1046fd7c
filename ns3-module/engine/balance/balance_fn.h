/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice of one port for one packet. */
#ifndef WEFT_ENGINE_BALANCE_FN_H
#define WEFT_ENGINE_BALANCE_FN_H

#include "topologies/routes.h"

#include <stdint.h>

struct pkt;
struct weft_engine;

/** Picks one of the equal-cost ports of a node for a data packet. */
typedef uint32_t (*balance_fn)(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                               const struct pkt *k);

#endif
