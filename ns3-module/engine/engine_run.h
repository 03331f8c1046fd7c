/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Driving an engine: its clock, its loop, timers, and changes of links at a moment of the run.
 */
#ifndef WEFT_ENGINE_RUN_H
#define WEFT_ENGINE_RUN_H

#include "base/err.h"
#include "topologies/link_change.h"

#include <stdint.h>

WEFT_C_BEGIN

struct weft_engine;

/** The engine will be run an instant or so at a time: switches don't run in windows (window.h),
 * which would be that short. Results do not depend on it, only the number of executed events. */
void weft_engine_expect_steps(struct weft_engine *e);
/**
 * From now on @p n threads run switches that run in windows (window_threads.h); 0: as many as make
 * it fastest, up to one per processor (threads.c). Results do not depend on it, only the run time.
 * @p shuffle, for tests: not 0, threads and switches have their turns in random orders of that
 * seed, however little there is to do. WEFT_E_LIMIT, and there is one thread: the system gives no
 * more.
 */
int weft_engine_set_threads(struct weft_engine *e, unsigned n, uint64_t shuffle,
                            struct weft_err *err);
/** Calls fn(ctx, arg) at @p at_ps >= now. Equal times fire in the order asked for. */
int weft_engine_timer(struct weft_engine *e, int64_t at_ps, void (*fn)(void *ctx, uint64_t arg),
                      void *ctx, uint64_t arg, struct weft_err *err);

/** The same for a timer that does nothing but post messages and ask for more such timers: it looks
 * at nothing but the engine's clock. The call may come sooner, while the clock says @p at_ps. */
int weft_engine_plan(struct weft_engine *e, int64_t at_ps, void (*fn)(void *ctx, uint64_t arg),
                     void *ctx, uint64_t arg, struct weft_err *err);

/**
 * Changes links, now and together; what a link is already changes nothing. Routes are recomputed at
 * once when links go down or come up, without asking whether they can deadlock:
 * weft_engine_check_links says so. See link_change.c for what becomes of packets, pauses and QPs.
 * WEFT_E_INPUT, and nothing has changed: no such link, or a value out of range.
 */
int weft_engine_change_links(struct weft_engine *e, struct weft_link_change *list, size_t n,
                             struct weft_err *err);

/** Per link, not 0 when it is down; NULL when none has ever been. */
const uint8_t *weft_engine_links_down(const struct weft_engine *e);

/** The engine's clock: the time of the event being executed, or the last one set. */
int64_t weft_engine_now(const struct weft_engine *e);
/** The next inspection is of the state at @p t_ps, which is at or before the next event: counters
 * include all transmissions before it. The clock does not move. */
void weft_engine_follow(struct weft_engine *e, int64_t t_ps);
/** Moves the clock forward to @p t_ps; requires now <= t_ps <= next event. Used when ns-3
 * events run between. */
void weft_engine_set_now(struct weft_engine *e, int64_t t_ps);
/** Time of the next event, WEFT_NEVER when idle. */
int64_t weft_engine_next(struct weft_engine *e);
/** A time before which nothing is due, WEFT_NEVER when idle. Time of the next event, but now while
 * messages wait that several threads will post. */
int64_t weft_engine_soonest(struct weft_engine *e);
/** How far loops over weft_engine_run go at a time, in ps of simulated time, between looks at
 * whether somebody wants the run to stop: 8 us, as each such end cuts windows, which are as long as
 * the shortest link. All use the same, so that all execute the same events. */
#define WEFT_TURN_PS INT64_C(8000000)
/** Executes every event earlier than @p limit_ps (strictly). A hook may lower the limit.
 * Returns 0, or an error code (see weft_engine_error). */
int weft_engine_run(struct weft_engine *e, int64_t limit_ps);
/** Inside a hook: run() must not go past @p limit_ps (only lowers; the instant being executed
 * is always finished). */
void weft_engine_lower_limit(struct weft_engine *e, int64_t limit_ps);
/** The application does nothing of its own accord before @p t_ps, which holds for the next
 * weft_engine_run only: replay may move the clock beyond that run's limit up to then. Without it,
 * up to its limit. */
void weft_engine_quiet_until(struct weft_engine *e, int64_t t_ps);
/** Inside a hook: run() returns after the current event. */
void weft_engine_stop(struct weft_engine *e);
/** The error that ended run(), or code 0. */
const struct weft_err *weft_engine_error(const struct weft_engine *e);

WEFT_C_END
#endif
