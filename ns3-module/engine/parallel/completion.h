/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A message is complete at a host that a thread or a process has run, and the frontend is called
 * when the window is over: the record of it, and the one order in which all are reported.
 */
#ifndef WEFT_ENGINE_COMPLETION_H
#define WEFT_ENGINE_COMPLETION_H

#include "core/heap.h"

#include <stdbool.h>
#include <stdint.h>

/** The report. */
enum completion_kind {
    COMPLETION_RECEIVED,
    COMPLETION_TAKEN, /**< received, and the frontend knows: its worker has run (run_in_worker) */
    COMPLETION_ACKED, /**< acknowledged; the record of the message is free then */
    COMPLETION_POSTED /**< nothing: a message that a worker has posted gets its number */
};

struct completion {
    struct ev at;     /**< the event by which the message is complete */
    uint32_t seq;     /**< among those of that event, if it may have several */
    uint32_t msg;     /**< its record */
    uint32_t cluster; /**< of processes: that waits until it is reported, of process `from` */
    uint8_t from;     /**< of processes */
    uint8_t kind;     /**< enum completion_kind */
    bool deferrable;  /**< nothing follows from it: nobody waits until it is reported */
};
_Static_assert(sizeof(struct completion) == 32, "all messages may be complete in one window");

/** The order of all events; one event is of one host. */
static inline bool completion_before(const struct completion *a, const struct completion *b)
{
    if (a->at.t != b->at.t || a->at.id != b->at.id)
        return ev_before(a->at, b->at);
    return a->seq < b->seq;
}

#endif
