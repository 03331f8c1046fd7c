/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One simulation by several processes: each has an engine over the same fabric and simulates its
 * part of it (peers.h).
 */
#ifndef WEFT_ENGINE_PEERS_H
#define WEFT_ENGINE_PEERS_H

#include "base/err.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_engine;

/** Bytes that go to a process, or have come from it. */
struct weft_mail {
    const void *bytes;
    size_t n;
};

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
};

/**
 * From now on this engine simulates its part of the fabric; *peers is copied. Before anything is
 * posted. All processes call every function of their engines that takes one that is not const, in
 * the same order with the same values, and are told of everything: of all hosts' messages, in the
 * same order as one process alone. WEFT_E_INPUT: the fabric or the settings can't be shared out,
 * and *err says why.
 */
int weft_engine_set_peers(struct weft_engine *e, const struct weft_peers *peers,
                          struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
