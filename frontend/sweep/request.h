/* SPDX-License-Identifier: GPL-2.0-only */
/* What weft sweep is asked for: its options, and what comes from them, from <sweep> of the
 * scenario, or from the folder of an earlier sweep. */
#ifndef WEFT_SWEEP_REQUEST_H
#define WEFT_SWEEP_REQUEST_H

#include "run/source.h"
#include "sweep/sweep.h"

#include <stdbool.h>

enum { WEFT_SWEEP_EMIT_NONE, WEFT_SWEEP_EMIT_SLURM, WEFT_SWEEP_EMIT_PARALLEL };

struct weft_sweep_opts {
    struct weft_source_opts source;
    struct weft_strings vary, metrics;
    const char *seeds, *find, *part, *update, *out, *jobs, *collect, *time_limit, *memory_limit,
        *watchdog;
    bool quick, json, resume, retry_failed;
    int emit, progress; /**< enum */
    size_t parallel;    /**< what jobs comes to */
};
enum { WEFT_SWEEP_OPTIONS = 22 };
extern const struct weft_opt weft_sweep_options[WEFT_SWEEP_OPTIONS];

struct weft_sweep_request {
    const char *scenario; /**< NULL: none, everything comes from settings */
    struct weft_source_opts source;
    struct weft_sweep_texts texts;
    const char *find;
    const char *name, *title; /**< of the <sweep> that it comes from; NULL: none */
    const char *out;          /**< folder; NULL: no files */
    const struct weft_scenario_row_bound *bounds;
    size_t nbounds;
    const char *file;         /**< that the bounds stand in */
    const char *dir;          /**< that files of the axes are relative to; NULL: where weft is */
    bool last;                /**< there is no further sweep to run */
    struct weft_arena *arena; /**< owns what is not the command line's */
};

/** Works out what is asked for, and o->parallel: of a scenario with several sweeps the one of
 * number @p part, from 0. Free it in any case. */
int weft_sweep_ask(const struct weft_cli *cli, struct weft_sweep_opts *o, char **args, int nargs,
                   size_t part, struct weft_sweep_request *out, struct weft_err *err);
void weft_sweep_request_free(struct weft_sweep_request *a);

#endif
