/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes of one simulation, and how they give bytes to each other. */
#ifndef WEFT_BASE_PEERS_H
#define WEFT_BASE_PEERS_H

#include "base/err.h"

#include <stddef.h>

WEFT_C_BEGIN

/** Bytes that go to a process, or have come from it. */
struct weft_mail {
    const void *bytes;
    size_t n;
};

struct weft_peers_user;

/** The processes of a simulation, as one of them sees them. */
struct weft_peers {
    unsigned n;  /**< processes, 2 to 255 */
    unsigned me; /**< which of them this one is, from 0 */
    void *ctx;
    /** Gives out[k] to process k, and says in in[k] what process k has given to this one, for all k
     * but `me`; all processes call it together. in[k].bytes are the callee's until the next call.
     * Not 0: the others can't be reached, and *err says so. */
    int (*exchange)(void *ctx, const struct weft_mail *out, struct weft_mail *in,
                    struct weft_err *err);
    size_t
        at_once; /**< how many bytes are best given at once, more than 500; 0: as many as usual */
    /** NULL: the user does the same in all processes */
    const struct weft_peers_user *user;
};

WEFT_C_END
#endif
