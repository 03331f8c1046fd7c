/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fabric inside an ns-3 simulation, as C sees it: what the packet backend asks of ns-3. No
 * exception leaves these functions.
 *
 * ns-3's Simulator is one per process, so that one exists at a time; several can be made one after
 * the other.
 */
#ifndef WEFT_SIMULATION_H
#define WEFT_SIMULATION_H

#include "net/net.h"
#include "ns3-module/engine/engine.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weft_simulation;

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
void weft_simulation_free(struct weft_simulation *s);

/** The engine, as of ns-3's clock. */
struct weft_engine *weft_simulation_engine(struct weft_simulation *s);
/** The engine's clock. */
int64_t weft_simulation_now_ps(const struct weft_simulation *s);
/** Replaces the hooks. */
int weft_simulation_set_hooks(struct weft_simulation *s, const struct weft_engine_hooks *hooks,
                              struct weft_err *err);

/** Those of the engine, at ns-3's time. */
int weft_simulation_send(struct weft_simulation *s, const struct weft_msg *msg,
                         struct weft_err *err);
int weft_simulation_group(struct weft_simulation *s, const uint32_t *hosts, uint32_t n,
                          uint32_t prio, uint32_t *id, struct weft_err *err);
int weft_simulation_contribute(struct weft_simulation *s, const struct weft_part *part,
                               struct weft_err *err);
int weft_simulation_change_links(struct weft_simulation *s, struct weft_link_change *changes,
                                 size_t n, struct weft_err *err);
/** Calls fn(ctx, arg) @p delay_ps (>= 0) from now. Equal times fire in the order asked for. */
int weft_simulation_after(struct weft_simulation *s, int64_t delay_ps,
                          void (*fn)(void *ctx, uint64_t arg), void *ctx, uint64_t arg,
                          struct weft_err *err);
/** The same for what does nothing but post messages and ask for more of its kind: weft_net_plan. */
int weft_simulation_plan(struct weft_simulation *s, int64_t delay_ps,
                         void (*fn)(void *ctx, uint64_t arg), void *ctx, uint64_t arg,
                         struct weft_err *err);

/** Runs until nothing is left to do, it is stopped, or the next event lies after @p until_ps. @p
 * other_events: ns-3 has events besides the engine's. */
int weft_simulation_run(struct weft_simulation *s, int64_t until_ps, bool other_events,
                        struct weft_err *err);
/** After a run that nothing went wrong in: where nothing is left before @p until_ps, it is reached,
 * whatever the last event was. */
void weft_simulation_reach(struct weft_simulation *s, int64_t until_ps);
/** Ends the run after the current event. */
void weft_simulation_stop(struct weft_simulation *s);
/** Writes out what captures hold. */
int weft_simulation_flush_captures(struct weft_simulation *s, struct weft_err *err);

/** Time of the next event; WEFT_NEVER: there is none; the present: that is not known. @p
 * other_events: as above. */
int64_t weft_simulation_next_ps(const struct weft_simulation *s, bool other_events);

/** Calls fn(ctx), which looks at the engine: that may call hooks of C++, and what these throw
 * becomes an error. */
int weft_simulation_look(void (*fn)(void *ctx), void *ctx, struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
