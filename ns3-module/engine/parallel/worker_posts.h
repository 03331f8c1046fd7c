/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages that the user posts in the thread of their host, when he has taken in another there
 * (struct weft_net_concurrency).
 *
 * Their QPs are open. What others may see of such a message, they see when the window is over: its
 * receiver, that it is the next of its QP (nothing of it arrives before, unless it is of the same
 * cluster, which the same thread runs); the user, its number,
 * which is that of the order of all posts: the host_tells of the events in which they were posted.
 */
#ifndef WEFT_ENGINE_WORKER_POSTS_H
#define WEFT_ENGINE_WORKER_POSTS_H

#include "engine.h"

#include "base/message.h"

#pragma GCC visibility push(hidden)

/** Whether a host's thread may post what follows from a message: the QPs are open. */
bool worker_may_post(const struct weft_engine *e, const struct weft_follows *follows);
/** Posts one, in the context of a thread. WEFT_E_INTERNAL: it was not foreseen; WEFT_E_LIMIT. */
int worker_post(struct weft_engine *e, const struct weft_msg *msg, struct weft_err *err);

#pragma GCC visibility pop

#endif
