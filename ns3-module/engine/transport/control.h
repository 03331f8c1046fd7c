/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion controls, one per transport and dimension. */
#ifndef WEFT_ENGINE_CONTROL_H
#define WEFT_ENGINE_CONTROL_H

#include "core/transport_state.h"
#include "engine.h"

int control_init(struct weft_engine *e, const struct weft_engine_config *c, struct weft_err *err);
void control_fini(struct weft_engine *e);
/** Settles the parameters of the control of a kind of QPs whose env is filled (base/scale.h).
 * WEFT_E_LIMIT: out of memory. */
int control_resolve(struct weft_engine *e, struct qp_kind *kind, struct weft_err *err);
/** Gives the kind of a QP whose data takes @p hops ports the transport of its priority, the control
 * of the outermost dimension among theirs, and the smallest of their MTUs. */
void control_assign(const struct weft_engine *e, const struct qp *q, struct qp_kind *kind,
                    const uint32_t *ports, uint32_t hops);

#endif
