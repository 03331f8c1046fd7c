/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fabric being simulated, as the packet backend sees it. There are two kinds, with the same
 * results: one inside ns-3's Simulator, beside whatever of ns-3 takes part (simulation.cc, in the
 * part that ns3_part.h opens), and the engine with nothing beside it (simulation_plain.c), which
 * needs nothing of ns-3. No exception leaves these functions.
 *
 * ns-3's Simulator is one per process, so that one simulation of the first kind exists at a time;
 * several can be made one after the other.
 */
#ifndef WEFT_SIMULATION_H
#define WEFT_SIMULATION_H

#include "net/net.h"
#include "packet_params.h"
#include "ns3-module/engine/engine.h"

#include "base/units.h"

#include <stdbool.h>

WEFT_C_BEGIN

/**
 * One simulation: a net whose messages all go by the engine, and which its owner, a net of the
 * packet backend, passes calls on to. What a kind holds begins with it. Its ops have free, send,
 * group, contribute, change_links, after, plan, run, stop, and of the state next_ps; what the
 * engine knows is asked of the engine.
 */
struct weft_simulation {
    struct weft_net net;            /**< first */
    struct weft_engine *own_engine; /**< as it is */
    /** The engine, as of the clock. */
    struct weft_engine *(*engine)(struct weft_simulation *s);
    /** Replaces its hooks. */
    int (*set_hooks)(struct weft_simulation *s, const struct weft_engine_hooks *hooks,
                     struct weft_err *err);
    /** Calls fn(ctx), which looks at the engine: that may call hooks of C++, and what these throw
     * becomes an error. */
    int (*look)(void (*fn)(void *ctx), void *ctx, struct weft_err *err);
    /** Writes out what captures of ns-3's fabric hold; NULL: there are none. */
    int (*flush_captures)(struct weft_simulation *s, struct weft_err *err);
};

/** Who is told when the engine finds itself broken, which also ends the run. */
struct weft_simulation_owner {
    void *ctx;
    void (*failed)(void *ctx, const struct weft_err *err);
};

/**
 * Makes a simulation of the fabric of a configuration that the backend accepts. @p hooks: of the
 * engine, from the start. WEFT_E_LIMIT: there is one already, or no memory.
 */
int weft_simulation_new(const struct weft_net_config *config, const struct weft_engine_hooks *hooks,
                        const struct weft_simulation_owner *owner, struct weft_simulation **out,
                        struct weft_err *err);
/** What of ns-3 takes part in a run with these parameters, as the end of "this run needs ns-3: it
 * has"; NULL: nothing, and the engine runs alone. */
const char *weft_simulation_needs_ns3(const struct weft_packet_params *params);
/** One with nothing beside the engine: no TCP, no captures. */
int weft_simulation_new_plain(const struct weft_net_config *config,
                              const struct weft_engine_hooks *hooks,
                              const struct weft_simulation_owner *owner,
                              struct weft_simulation **out, struct weft_err *err);

/** The simulation that is @p net. */
static inline struct weft_simulation *weft_simulation_of(struct weft_net *net)
{
    return (struct weft_simulation *)net;
}

/** After a run that nothing went wrong in: where nothing is left before @p until_ps, it is reached,
 * whatever the last event was. @p stays: not where nothing is left at all. */
static inline void weft_simulation_reach(struct weft_simulation *s, int64_t until_ps, bool stays)
{
    struct weft_engine *engine = s->engine(s);
    const int64_t next_ps = until_ps == WEFT_NEVER ? until_ps : weft_engine_next(engine);
    if (next_ps > until_ps && !(stays && next_ps == WEFT_NEVER))
        weft_engine_follow(engine, until_ps + 1);
}

WEFT_C_END
#endif
