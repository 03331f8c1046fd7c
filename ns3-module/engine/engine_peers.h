/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulation by several processes: each has an engine over the same fabric and simulates its
 * part of it (peers.h).
 */
#ifndef WEFT_ENGINE_PEERS_H
#define WEFT_ENGINE_PEERS_H

#include "base/peers.h"

#include <stdbool.h>
#include <stdint.h>

WEFT_C_BEGIN

struct weft_engine;

/** Of weft_peers_user: the node is of the process that most of its links below lead to. */
#define WEFT_PEER_BELOW 255u

/**
 * A user who does something else in each process. Each has hosts of its own: it alone posts their
 * messages, is told of those that they receive and of those of theirs that are acknowledged, and
 * what it does then concerns its own hosts alone. Messages get their numbers when all processes
 * know of them: in the order of their times, and at the same time in that of sending hosts; that
 * weft_engine_send gives is UINT64_MAX. Of another process's messages it is told without a token.
 *
 * Each has events of its own besides, executed in between; one at a time at which the fabric has
 * some comes first, unless it was asked for by what happened at that time.
 */
struct weft_peers_user {
    void *ctx;
    const uint8_t *owner; /**< by node; of a switch also WEFT_PEER_BELOW */
    /** The time of the first event of this process, WEFT_NEVER: it has none. */
    int64_t (*next)(void *ctx);
    /** Executes that event. */
    void (*run)(void *ctx);
    /** Whether it wants the run to end: in all processes, when the present window does. */
    bool (*stopped)(void *ctx);
};

/**
 * From now on this engine simulates its part of the fabric; *peers is copied. Before anything is
 * posted. All processes call every function of their engines that takes one that is not const, in
 * the same order with the same values, and are told of everything: of all hosts' messages, in the
 * same order as one process alone. With a user who does something else in each (peers->user) that
 * holds for everything but posting. WEFT_E_ALONE: the fabric or the settings can't be shared out,
 * and *err says why.
 */
int weft_engine_set_peers(struct weft_engine *e, const struct weft_peers *peers,
                          struct weft_err *err);

WEFT_C_END
#endif
