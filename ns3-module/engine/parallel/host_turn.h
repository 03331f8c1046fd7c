/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread runs its hosts: inside of host_parts.c. */
#ifndef WEFT_ENGINE_HOST_TURN_H
#define WEFT_ENGINE_HOST_TURN_H

struct window_crew;
struct worker;

#pragma GCC visibility push(hidden)

/** Thread @p number runs its hosts to the end of the window, and if it is theirs as well, its
 * switches (window_crew_work). */
void host_turn(struct window_crew *c, struct worker *w, unsigned number);

#pragma GCC visibility pop

#endif
