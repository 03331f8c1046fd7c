/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether messages get on. */
#ifndef WEFT_ENGINE_STALL_H
#define WEFT_ENGINE_STALL_H

#include "core/observe_state.h"
#include "engine.h"

/** Writes how long a QP has been stuck, when all are; false: they are not. */
bool stall_reason(const struct weft_engine *e, uint32_t qp, char *buf, size_t size);
/** Payload of the message under way on a QP that is taken over by an extension, and has come. */
uint64_t stall_taken_over_bytes(const struct weft_engine *e, uint32_t qp);
/* stall_marks.c */
/** Makes room for all QPs; -1: out of memory. */
int stall_reserve(struct weft_engine *e);
/** Note of a QP, one of the first n. */
struct stall_mark *stall_mark_of(const struct weft_engine *e, uint32_t qp);
/** All processes: the receivers of QPs tell the senders how far they are. @p known: this one has
 * room for that; false: one of them has none. */
bool stall_learn_progress(struct weft_engine *e, bool known);
/** The same of the longest queues of ports. */
bool stall_learn_queues(struct weft_engine *e, bool known);
/** The packet that the receiver of a QP expects, as far as that is known. */
uint64_t stall_expected(const struct weft_engine *e, uint32_t qp);
/** The longest queue of a port so far, as far as that is known. */
uint64_t stall_longest_queue(const struct weft_engine *e, uint32_t port);

#endif
