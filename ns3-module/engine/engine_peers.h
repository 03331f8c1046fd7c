/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One simulation by several processes: each has an engine over the same fabric and simulates its
 * part of it (peers.h).
 */
#ifndef WEFT_ENGINE_PEERS_H
#define WEFT_ENGINE_PEERS_H

#include "base/peers.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_engine;

/**
 * From now on this engine simulates its part of the fabric; *peers is copied. Before anything is
 * posted. All processes call every function of their engines that takes one that is not const, in
 * the same order with the same values, and are told of everything: of all hosts' messages, in the
 * same order as one process alone. WEFT_E_ALONE: the fabric or the settings can't be shared out,
 * and *err says why.
 */
int weft_engine_set_peers(struct weft_engine *e, const struct weft_peers *peers,
                          struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
