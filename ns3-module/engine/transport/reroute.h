/* SPDX-License-Identifier: GPL-2.0-only */
/* QPs whose path has changed, as links have failed or returned. */
#ifndef WEFT_ENGINE_REROUTE_H
#define WEFT_ENGINE_REROUTE_H

#include "core/qp_state.h"
#include "engine.h"

/** Whether data and ACKs of a QP have a path, whatever its MTU. */
bool reroute_path_exists(const struct weft_engine *e, const struct qp *q);
/** Largest payload of a packet that the path of a QP's data takes; 0: there is no path. */
uint32_t reroute_path_mtu(const struct weft_engine *e, const struct qp *q);
/** Parks, unparks or moves a QP to another port of its host, as the routes now are. */
void reroute_qp(struct weft_engine *e, uint32_t qp);

#endif
