/* SPDX-License-Identifier: GPL-2.0-only */
/* Why messages take longer than alone on the fabric. */
#ifndef WEFT_ENGINE_DELAY_H
#define WEFT_ENGINE_DELAY_H

#include "core/msg.h"
#include "core/observe_state.h"
#include "core/port.h"
#include "core/qp_state.h"
#include "engine.h"

#pragma GCC visibility push(hidden)

/** Brings the clocks of a QP up to now, by its state as it is; before that changes, or its cursor
 * moves. */
void delay_update(const struct weft_engine *e, struct qp *q);
/** The same before its cursor moves to a packet that is taken for lost. */
void delay_update_loss(const struct weft_engine *e, struct qp *q);
/** The QP is to send through another port or priority. */
void delay_aim(const struct weft_engine *e, struct qp *q);
/** A message is posted; its last packet is sent for the first time; it is complete. */
void delay_posted(const struct weft_engine *e, struct qp *q, struct msg *m);
void delay_sent(const struct weft_engine *e, const struct qp *q, struct msg *m);
void delay_received(struct weft_engine *e, struct qp *q, struct msg *m, const struct completer *c);
/** Fills in the delays of a message that is complete. */
void delay_fill(const struct msg *m, struct weft_completion *d);

#pragma GCC visibility pop

#endif
