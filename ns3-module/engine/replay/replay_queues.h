/* SPDX-License-Identifier: GPL-2.0-only */
/* The event queues and the clock, moved on by periods. */
#ifndef WEFT_ENGINE_REPLAY_JUMP_H
#define WEFT_ENGINE_REPLAY_JUMP_H

#include "replay_state.h"

/** All before @p t_ps has happened, and nothing else; but for what ports owe (lazy.h). */
void replay_clock_to(struct weft_engine *e, int64_t t_ps);
/** The ports of what takes part owe nothing any more. */
void replay_ports_catch_up(struct weft_engine *e, const struct replay_scope *p);
/** The same, and fills in p->arrive_ps from the event queues. */
void replay_note_arrivals(struct weft_engine *e, struct replay_scope *p);
/** Fills in @p arrive_ps of every port. */
void replay_note_all_arrivals(struct weft_engine *e, int64_t *arrive_ps);
/** Time of the first thing that is not of the periods of what takes part, timers of the user's left
 * out; WEFT_NEVER: nothing. */
int64_t replay_first_else(struct weft_engine *e, const struct replay_scope *p);
/** Time of the first timer of a component, WEFT_NEVER: it has none. */
int64_t replay_first_of(struct weft_engine *e, const struct replay_scope *p);
/** Participants have no events any more; those to come are at @p now_ps or later, where the clock
 * is. */
void replay_queue_clear(struct weft_engine *e, const struct replay_scope *p, int64_t now_ps);
/** After the state of all that takes part was moved on: queues its events at their new times, none
 * before @p now_ps, and has the clock be there. */
void replay_queue_again(struct weft_engine *e, const struct replay_scope *p, int64_t now_ps);

/** The same for what has no events in the queues. */
void replay_queue_add(struct weft_engine *e, const struct replay_scope *p);

#endif
