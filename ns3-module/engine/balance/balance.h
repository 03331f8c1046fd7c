/* SPDX-License-Identifier: GPL-2.0-only */
/* The choice of a port among those that routes allow: load balancing. */
#ifndef WEFT_ENGINE_BALANCE_H
#define WEFT_ENGINE_BALANCE_H

#include "balance_fn.h"
#include "base/rng.h"
#include "core/pkt.h"
#include "engine.h"

struct flowlet;
struct steer;
struct way;

/** What a port keeps back (way.h): in the buffer, but not in its queues. */
struct kept {
    uint64_t bytes, payload;
};

/** How packets spread. */
struct spread {
    balance_fn balance;        /**< NULL: by the hash of the flow */
    const struct steer *steer; /**< NULL: packets keep to the routes */
    struct weft_rng steer_rng;
    uint32_t *turns; /**< spray: per node, packets so far */
    struct flowlet *flowlets;
    uint32_t *drilled;     /**< drill: per node, the ports that it remembers */
    const struct way *way; /**< NULL: each switch chooses for itself */
    void *way_state;       /**< of way */
    struct kept *kept;     /**< per port; NULL: way keeps nothing */
};

#pragma GCC visibility push(hidden)

/** Whether switches share the state that they balance by. */
bool balance_shared(const struct weft_engine *e);
/** Whether switch @p node goes by such state: it has a choice of ports for some host. */
bool balance_shares(const struct weft_engine *e, uint32_t node);
int balance_check(const struct weft_engine_config *c, struct weft_err *err);
int balance_init(struct weft_engine *e, struct weft_err *err);
void balance_fini(struct weft_engine *e);

#pragma GCC visibility pop

#endif
