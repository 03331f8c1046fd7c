/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice of a port by the hash of a flow. */
#ifndef WEFT_ENGINE_ECMP_H
#define WEFT_ENGINE_ECMP_H

#include "engine.h"
#include "topologies/routes.h"
#include "core/qp_state.h"
#include "core/path.h"

/** Which of the equal-cost ports @p g of @p node a packet of @p q takes; @p forward: data, else
 * its ACKs and CNPs. */
uint32_t ecmp_port(const struct weft_engine *e, struct weft_route_group g, uint32_t node,
                   const struct qp *q, bool forward);
/** The ports that data (or the ACKs) of a QP takes over @p routes; writes at most MAX_PATH, returns
 * how many. It ends early where no route leads on. */
uint32_t ecmp_path(const struct weft_engine *e, const struct weft_routes *routes,
                   const struct qp *q, bool forward, uint32_t ports[MAX_PATH]);

#endif
