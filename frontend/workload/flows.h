/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flows: messages with a size that start at a time, whatever becomes of the others. What plays no
 * graph is a source of them: lists from files, and generators. A source makes its flows one by one,
 * in order of their start.
 */
#ifndef WEFT_FLOWS_H
#define WEFT_FLOWS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

WEFT_C_BEGIN

/** One flow. */
struct weft_flow {
    uint32_t src, dst; /**< ranks, different */
    uint64_t bytes;
    int64_t start_ps; /**< since the source began; not before that of the flow before it */
    uint32_t prio;    /**< traffic class 0..7, or WEFT_FLOW_PRIO_DEFAULT for the job's */
    uint32_t qp;      /**< its queue pair among those of the same src, dst and prio */
};
#define WEFT_FLOW_PRIO_DEFAULT UINT32_MAX

/** A request that flows were made for: a read, a checkpoint of a rank, the hand-over of a prompt.
 * Its time is wait_ps, service_ps, and the rest for the network. */
struct weft_request {
    const char *what; /**< "read", "write", "checkpoint", "prompt", "decode", "request" */
    uint32_t rank;    /**< that it is of */
    uint64_t number;  /**< among those of its source, or of the rank */
    uint64_t bytes;   /**< payload, copies counted once */
    int64_t begin_ps, end_ps;
    int64_t wait_ps;    /**< of it, for its turn */
    int64_t service_ps; /**< of it, that a host worked on it */
    bool is_part;       /**< of a request that is told as a whole too: in no statistics */
};

/** Who is told of requests that are over, at times since the source began. */
struct weft_request_sink {
    void *ctx;
    void (*ended)(void *ctx, const struct weft_request *request); /**< NULL: nobody */
};

/** What `due` says when there is no flow before another has arrived. */
#define WEFT_FLOW_WAITS (-1)
/** What `next` says of a source with `due` when what was due was no flow. */
#define WEFT_FLOW_NONE_YET 2

/** Where flows come from; a source begins with one. */
struct weft_flow_source {
    /** Makes the next flow: 1, 0 when there is none left, or a WEFT_E_* code. */
    int (*next)(struct weft_flow_source *s, struct weft_flow *out, struct weft_err *err);
    /** Begins again with the flows of repetition number @p k (0: as it was made). */
    void (*rewind)(struct weft_flow_source *s, uint64_t k);
    void (*free)(struct weft_flow_source *s);
    /** Optional, with arrived: a source whose flows follow from what has become of others. When to
     * ask next: the start of its next flow, or a time at which it will know more; WEFT_FLOW_WAITS,
     * or WEFT_NEVER: it has no more. */
    int64_t (*due)(struct weft_flow_source *s);
    /** The flow of number @p number, in the order made since it began, has arrived at @p now_ps. */
    void (*arrived)(struct weft_flow_source *s, uint64_t number, int64_t now_ps);
    struct weft_request_sink requests; /**< told by sources that have requests */
    bool endless;                      /**< it has no end of its own */
    const char *notes;                 /**< what its reader left out, a line each; NULL: nothing */
    double offered; /**< payload bytes per second that it begins on the mean; 0: not known */
};

/** Where the ranks of a source are, as far as generators ask. */
struct weft_flow_site {
    uint32_t nranks;
    uint64_t seed;
    const uint64_t
        *access_bps; /**< per rank: rate of its links into the fabric, together, each direction */
    const uint32_t *access_node; /**< per rank: the same number for ranks behind the same switch */
    uint64_t core_bps; /**< rate of the links from the ranks' access switches to other switches,
                          together, each direction; 0: there are none */
};

/** Frees a source; NULL is allowed. */
static inline void weft_flow_source_free(struct weft_flow_source *s)
{
    if (s)
        s->free(s);
}

WEFT_C_END
#endif
