/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the list of fields share: replay_state.c. */
#ifndef WEFT_ENGINE_REPLAY_STATE_INTERNAL_H
#define WEFT_ENGINE_REPLAY_STATE_INTERNAL_H

#include "replay_state.h"

struct port;
struct qp;

#pragma GCC visibility push(hidden)

/** Reads a QP, with its messages and congestion control. */
void replay_read_qp(struct weft_engine *e, struct replay_scope *p, uint32_t qi, struct snapshot *t);
/** Reads a port, with what is in its queues and on its link. */
void replay_read_port(struct weft_engine *e, struct replay_scope *part, uint32_t port,
                      struct snapshot *t);
/** Wire bytes that the counter of a stamp is shifted by: that of the @p hop-th switch on the way of
 * a QP. */
int64_t replay_stamp_shift(const struct weft_engine *e, const struct replay_scope *p,
                           const struct qp *q, uint32_t hop);
/** Whether ports may pause in a period: their clocks move by then, and what notes them moves as
 * they do. */
bool replay_pauses_move(const struct weft_engine *e, const struct snapshot *t);
/** What the clock of pauses of priority @p prio of a port said when it was noted, at @p noted. */
void replay_read_noted(struct weft_engine *e, const struct port *p, uint32_t prio, int64_t *noted,
                       struct snapshot *t);

#pragma GCC visibility pop

#endif
