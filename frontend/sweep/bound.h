/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bounds on rows of a sweep: what a study claims, checked each time it is run. A bound is on a
 * metric, or on the speed-up, in all rows that have certain values; or on how many times that of
 * another row it is, or what another source has.
 */
#ifndef WEFT_CLI_SWEEP_BOUND_H
#define WEFT_CLI_SWEEP_BOUND_H

#include "scenario/scenario.h"
#include "sweep/sweep.h"

/** A column of the sweep and one of its values. */
struct weft_sweep_match {
    size_t column, place; /**< place: of the value on its axis */
};

/** One bound. */
struct weft_sweep_bound {
    const struct weft_scenario_row_bound *given;
    size_t metric; /**< index in the sweep's; WEFT_SWEEP_METRICS: the speed-up, one more: what the
                      search found */
    struct weft_sweep_match where[WEFT_SWEEP_KEYS], over;
    const struct weft_sweep_reference *reference; /**< over what another source has; NULL: not */
    size_t nwhere;
    double min, max; /**< in the unit of the metric's key */
};

struct weft_sweep_bounds {
    struct weft_sweep_bound *list;
    size_t n;
    const char *file; /**< that they stand in */
};

/** Reads the bounds of @p file; their metrics become some of the sweep's. WEFT_E_INPUT: what they
 * say is none of the sweep. */
int weft_sweep_bounds_read(struct weft_sweep_bounds *b, struct weft_sweep *s,
                           const struct weft_scenario_row_bound *given, size_t n, const char *file,
                           struct weft_err *err);
/** Prints how they fared. */
void weft_sweep_bounds_text(FILE *out, const struct weft_sweep_bounds *b,
                            const struct weft_sweep *s);
/** Writes the member "bounds". */
void weft_sweep_bounds_json(struct weft_json *j, const struct weft_sweep_bounds *b,
                            const struct weft_sweep *s);
/** Says which were missed. Returns WEFT_E_OUTCOME where some were. */
int weft_sweep_bounds_check(const struct weft_sweep_bounds *b, const struct weft_sweep *s,
                            struct weft_log *log);

#endif
