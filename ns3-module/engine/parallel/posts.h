/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages that are posted, and those that several threads post.
 *
 * Posting opens a QP, if it is the first between two hosts, and lets its NIC send. Only the sending
 * host sees any of this until the packet has crossed a link. Therefore where hosts are run by
 * several threads (host_parts.h) a message that is posted while no event is being executed, but for
 * a timer of the user's, gets its numbers only (its own, its QP's, that of its record) and waits.
 * All that wait are posted together before anything else happens, or is looked at: each thread
 * posts those of its own hosts, in the order in which they came, in a context of its own
 * (worker.h). Numbers are dealt in the order of all, so nothing depends on how many threads there
 * are. Memory is touched first by the thread that uses it.
 *
 * A post from a callback of another event does not wait: the rest of that event, at the same host,
 * comes after it.
 */
#ifndef WEFT_ENGINE_POSTS_H
#define WEFT_ENGINE_POSTS_H

#include "transport/send.h"

/** Whether a message that is posted now waits. */
bool posts_wait(const struct weft_engine *e);
/** Whether any does, as things are, that is posted while no event is being executed. */
bool posts_may_wait(const struct weft_engine *e);
/** Has a message wait. WEFT_E_LIMIT: out of memory. */
int posts_add(struct weft_engine *e, const struct post *p, struct weft_err *err);
/** Posts all that wait. */
void posts_make(struct weft_engine *e);
/** All that waited have been posted. */
void posts_made(struct weft_engine *e);

/* in the thread of a host */
/** Whether a host's thread may post what follows from a message: the QPs are open. */
bool worker_may_post(const struct weft_engine *e, const struct weft_follows *sends);
/** Posts one, in the context of a thread. WEFT_E_INTERNAL: it was not foreseen; WEFT_E_LIMIT. */
int worker_post(struct weft_engine *e, const struct weft_msg *msg, struct weft_err *err);

#endif
