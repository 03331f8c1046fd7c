/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether messages get on. */
#ifndef WEFT_ENGINE_STALL_H
#define WEFT_ENGINE_STALL_H

#include "engine.h"
#include <stdbool.h>

/** How far a QP has come. */
struct stall_mark {
    uint64_t taken_psn, acked_psn; /**< the largest numbers so far */
    uint64_t said_psn; /**< between two processes: what its receiver expects, as last said */
    uint64_t message;  /**< its oldest then; UINT64_MAX: none */
    int64_t since_ps;  /**< when the last progress was seen at the latest */
    bool stuck;        /**< the last look found that it has lasted too long */
};

/** What the looks at the progress of messages remember. */
struct stall {
    struct stall_mark *marks; /**< per QP, of the first n */
    uint32_t n, cap;
    uint64_t *said_queues; /**< per port, the longest so far as its process last said, or NULL */
    int64_t changed_ps;    /**< when a link changed last */
    bool stuck;            /**< at the last look nothing got on */
};

#pragma GCC visibility push(hidden)

/** Writes how long a QP has been stuck, when all are; false: they are not. */
bool stall_reason(const struct weft_engine *e, uint32_t qp, char *buf, size_t size);
/* stall_marks.c */
/** Makes room for all QPs; -1: out of memory. */
int stall_reserve(struct weft_engine *e);
/** What is noted of a QP, one of the first n. */
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

#pragma GCC visibility pop

#endif
