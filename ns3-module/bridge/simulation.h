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

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One simulation: what a kind holds begins with it. */
struct weft_simulation {
    const struct weft_simulation_ops *ops;
    struct weft_engine *own_engine; /**< see weft_simulation_engine() */
};

/** Who is told when the engine finds itself broken, which also ends the run. */
struct weft_simulation_owner {
    void *ctx;
    void (*failed)(void *ctx, const struct weft_err *err);
};

/** What a kind does; the functions below say more. */
struct weft_simulation_ops {
    void (*free)(struct weft_simulation *s);
    /** The engine, as of the clock. */
    struct weft_engine *(*engine)(struct weft_simulation *s);
    int (*set_hooks)(struct weft_simulation *s, const struct weft_engine_hooks *hooks,
                     struct weft_err *err);
    int (*send)(struct weft_simulation *s, const struct weft_msg *msg, struct weft_err *err);
    int (*group)(struct weft_simulation *s, const uint32_t *hosts, uint32_t n, uint32_t prio,
                 uint32_t *id, struct weft_err *err);
    int (*contribute)(struct weft_simulation *s, const struct weft_part *part,
                      struct weft_err *err);
    int (*change_links)(struct weft_simulation *s, struct weft_link_change *changes, size_t n,
                        struct weft_err *err);
    int (*after)(struct weft_simulation *s, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                 void *ctx, uint64_t arg, struct weft_err *err);
    int (*plan)(struct weft_simulation *s, int64_t delay_ps, void (*fn)(void *ctx, uint64_t arg),
                void *ctx, uint64_t arg, struct weft_err *err);
    int (*run)(struct weft_simulation *s, int64_t until_ps, bool other_events,
               struct weft_err *err);
    void (*stop)(struct weft_simulation *s);
    int (*flush_captures)(struct weft_simulation *s, struct weft_err *err);
    int64_t (*next_ps)(struct weft_simulation *s, bool other_events);
    int (*look)(void (*fn)(void *ctx), void *ctx, struct weft_err *err);
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

static inline void weft_simulation_free(struct weft_simulation *s)
{
    s->ops->free(s);
}

/** The engine, as of the clock. */
static inline struct weft_engine *weft_simulation_engine(struct weft_simulation *s)
{
    return s->ops->engine(s);
}

/** The engine's clock. */
static inline int64_t weft_simulation_now_ps(const struct weft_simulation *s)
{
    return weft_engine_now(s->own_engine);
}

/** Replaces the hooks. */
static inline int weft_simulation_set_hooks(struct weft_simulation *s,
                                            const struct weft_engine_hooks *hooks,
                                            struct weft_err *err)
{
    return s->ops->set_hooks(s, hooks, err);
}

/** Those of the engine, at the time of the clock. */
static inline int weft_simulation_send(struct weft_simulation *s, const struct weft_msg *msg,
                                       struct weft_err *err)
{
    return s->ops->send(s, msg, err);
}

static inline int weft_simulation_group(struct weft_simulation *s, const uint32_t *hosts,
                                        uint32_t n, uint32_t prio, uint32_t *id,
                                        struct weft_err *err)
{
    return s->ops->group(s, hosts, n, prio, id, err);
}

static inline int weft_simulation_contribute(struct weft_simulation *s,
                                             const struct weft_part *part, struct weft_err *err)
{
    return s->ops->contribute(s, part, err);
}

static inline int weft_simulation_change_links(struct weft_simulation *s,
                                               struct weft_link_change *changes, size_t n,
                                               struct weft_err *err)
{
    return s->ops->change_links(s, changes, n, err);
}

/** Calls fn(ctx, arg) @p delay_ps (>= 0) from now. Equal times fire in the order asked for. */
static inline int weft_simulation_after(struct weft_simulation *s, int64_t delay_ps,
                                        void (*fn)(void *ctx, uint64_t arg), void *ctx,
                                        uint64_t arg, struct weft_err *err)
{
    return s->ops->after(s, delay_ps, fn, ctx, arg, err);
}

/** The same for what does nothing but post messages and ask for more of its kind: weft_net_plan. */
static inline int weft_simulation_plan(struct weft_simulation *s, int64_t delay_ps,
                                       void (*fn)(void *ctx, uint64_t arg), void *ctx, uint64_t arg,
                                       struct weft_err *err)
{
    return s->ops->plan(s, delay_ps, fn, ctx, arg, err);
}

/** Runs until nothing is left to do, it is stopped, or the next event lies after @p until_ps. @p
 * other_events: ns-3 has events besides the engine's. */
static inline int weft_simulation_run(struct weft_simulation *s, int64_t until_ps,
                                      bool other_events, struct weft_err *err)
{
    return s->ops->run(s, until_ps, other_events, err);
}

/** After a run that nothing went wrong in: where nothing is left before @p until_ps, it is reached,
 * whatever the last event was. */
void weft_simulation_reach(struct weft_simulation *s, int64_t until_ps);

/** Ends the run after the current event. */
static inline void weft_simulation_stop(struct weft_simulation *s)
{
    s->ops->stop(s);
}

/** Writes out what captures hold. */
static inline int weft_simulation_flush_captures(struct weft_simulation *s, struct weft_err *err)
{
    return s->ops->flush_captures(s, err);
}

/** Time of the next event; WEFT_NEVER: there is none; the present: that is not known. @p
 * other_events: as above. */
static inline int64_t weft_simulation_next_ps(struct weft_simulation *s, bool other_events)
{
    return s->ops->next_ps(s, other_events);
}

/** Calls fn(ctx), which looks at the engine: that may call hooks of C++, and what these throw
 * becomes an error. */
static inline int weft_simulation_look(struct weft_simulation *s, void (*fn)(void *ctx), void *ctx,
                                       struct weft_err *err)
{
    return s->ops->look(fn, ctx, err);
}

#ifdef __cplusplus
}
#endif
#endif
