/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timers that do nothing but post messages (weft_engine_plan), and threads.
 *
 * A timer of the user's ends a window, as it may concern any host. Of one that only posts it is
 * known before what comes of it. So those that are due in a window are called when it begins, in
 * their order, with the clock at the time of each. What they post gets its numbers then, and the
 * thread of its host posts it when it has come to that time, behind all that goes before timers.
 *
 * Numbers are those of the order of all posts: so there is nobody else who posts in the window, as
 * the user only listens (struct weft_engine_hooks, listens), and no host is held.
 *
 * A message of a QP that has had others before this window concerns its receiver as well, which
 * another thread may run: the window ends with the instant of that timer, and the engine's own
 * thread posts what was posted from then on.
 */
#ifndef WEFT_ENGINE_PLANS_H
#define WEFT_ENGINE_PLANS_H

#include "engine.h"

#pragma GCC visibility push(hidden)

/** Whether timers that only post do not end a window as things are. */
bool plans_may_be_ahead(const struct weft_engine *e);
/** Has those called that are due in a window up to @p until_ps. Where the window ends: there, or at
 * the first timer that does more. */
int64_t plans_call(struct weft_engine *e, int64_t until_ps);
/** The window is over, which ended at @p until_ps: posts what has been left. */
void plans_end(struct weft_engine *e, int64_t until_ps);

#pragma GCC visibility pop

#endif
