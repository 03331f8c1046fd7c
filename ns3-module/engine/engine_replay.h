/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Repeated traffic that is not simulated again. Method, and the reason why the result is the same
 * to the last bit: replay.h.
 */
#ifndef WEFT_ENGINE_REPLAY_API_H
#define WEFT_ENGINE_REPLAY_API_H

#include "base/err.h"
#include "base/figures.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

WEFT_C_BEGIN

struct weft_engine;

/** Whether repeated traffic is replayed. */
enum weft_replaying {
    WEFT_REPLAYING_OFF,
    WEFT_REPLAYING,
    WEFT_REPLAYING_EAGERLY /**< for tests: looked for however little there is to gain */
};

/** From now on traffic that repeats itself is replayed, or no longer. Results do not depend on it,
 * only the number of executed events and the run time. @p most_bytes: of memory for the states and
 * laps that are remembered; what would need more is simulated. WEFT_E_LIMIT: out of memory. */
int weft_engine_set_replay(struct weft_engine *e, enum weft_replaying how, uint64_t most_bytes,
                           struct weft_err *err);
/** Whether the engine was built with replay (-DWEFT_REPLAY). */
bool weft_engine_can_replay(void);
/** While traffic is replayed: what has settled may besides be skipped, where rates, windows and
 * queues stay within @p tolerance (0 .. 0.1) over several round trips; 0: no longer. Results are
 * then approximate. @p resamples: messages whose times differ by more are taken over as well, each
 * with a time drawn from those seen. */
void weft_engine_set_tolerance(struct weft_engine *e, double tolerance, bool resamples);
/** Messages are taken over, with a tolerance, from what earlier runs of the same configuration gave
 * by weft_engine_memo_get, too; @p data stays as it is while the engine lives. WEFT_E_INPUT: it is
 * nothing like that. */
int weft_engine_memo_set(struct weft_engine *e, const void *data, size_t size,
                         struct weft_err *err);
/** What the engine knows of messages by now, with that, in at most @p most bytes; the caller frees
 * *data. */
int weft_engine_memo_get(const struct weft_engine *e, size_t most, void **data, size_t *size,
                         struct weft_err *err);
void weft_engine_replay_figures(const struct weft_engine *e, struct weft_replay_figures *out);

WEFT_C_END
#endif
