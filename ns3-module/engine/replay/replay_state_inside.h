/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the list of fields share: replay_state.c. */
#ifndef WEFT_ENGINE_REPLAY_STATE_INSIDE_H
#define WEFT_ENGINE_REPLAY_STATE_INSIDE_H

#include "replay_state.h"

struct port;
struct qp;

#pragma GCC visibility push(hidden)

/** Reads a QP, with its messages and congestion control. */
void replay_see_qp(struct weft_engine *e, struct replay_part *p, uint32_t qi, struct tape *t);
/** Reads a port, with what is in its queues and on its link. */
void replay_see_port(struct weft_engine *e, struct replay_part *part, uint32_t port,
                     struct tape *t);
/** Wire bytes that the counter of a stamp is shifted by: that of the @p hop-th switch on the way of
 * a QP. */
int64_t replay_stamp_shift(const struct weft_engine *e, const struct replay_part *p,
                           const struct qp *q, uint32_t hop);
/** Whether ports may pause in a lap: their clocks move by then, and what notes them moves as they
 * do. */
bool replay_pauses_move(const struct weft_engine *e, const struct tape *t);
/** What the clock of pauses of priority @p prio of a port said when it was noted, at @p noted. */
void replay_see_noted(struct weft_engine *e, const struct port *p, uint32_t prio, int64_t *noted,
                      struct tape *t);

#pragma GCC visibility pop

#endif
