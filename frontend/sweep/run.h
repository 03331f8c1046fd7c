/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep under way: what its points are run with, where they go, and who runs them. */
#ifndef WEFT_CLI_SWEEP_RUN_H
#define WEFT_CLI_SWEEP_RUN_H

#include "run/execute.h"
#include "run/source.h"
#include "sweep/sweep.h"

#include <stdbool.h>

/** What every point is run with. */
struct weft_sweep_base {
    const struct weft_cli *cli;
    struct weft_source_opts source; /**< the settings that do not change */
    char **args;                    /**< the scenario, nargs of them */
    int nargs;
    const char *out;                /**< folder; NULL: no files */
    struct weft_sweep_texts texts;  /**< what was asked for */
    const char *dir;                /**< that files of the axes are relative to; NULL: none */
    const char *find;               /**< what is searched for; NULL: nothing */
    struct weft_run_limits limits;  /**< of each point */
    const struct weft_strings *own; /**< settings of each point beside those of axes; NULL: none */
};

/** "KEY=VALUE" in @p arena, a file as seen from @p dir (NULL: as it is). NULL: no memory. */
const char *weft_sweep_setting(struct weft_arena *arena, const char *dir, const char *key,
                               const char *value);
/** The settings of a point: those that do not change, then its own. The lists are in the sweep's
 * arena. */
int weft_sweep_settings(const struct weft_sweep_base *b, const struct weft_sweep *s, size_t point,
                        struct weft_source_opts *out, struct weft_err *err);
/** The folder of a point: the sweep's and its number, from 1. */
int weft_sweep_folder(const struct weft_sweep_base *b, size_t point, char dir[WEFT_PATH_MAX],
                      struct weft_err *err);
/** Runs a point in this process, and writes what came of it to the file @p result_fd, as a
 * run.json. Returns the exit code. */
int weft_sweep_play(const struct weft_sweep_base *b, struct weft_sweep *s, size_t point,
                    int result_fd);
/** Puts the values of a point in front of a message: "KEY=VALUE: message". */
void weft_sweep_prepend(const struct weft_sweep *s, size_t point, struct weft_err *err);

/** Whoever says which points are run, and hears of them. */
struct weft_sweep_jobs {
    void *ctx;
    /** The next point to run; false: none now. */
    bool (*next)(void *ctx, size_t *point);
    /** A point is done, its fields are filled in; @p output is what it wrote to standard error,
     * from now on the other side's to free. An error ends the sweep. */
    int (*done)(void *ctx, size_t point, char *output, struct weft_err *err);
    /** Called now and then. */
    void (*progress)(void *ctx);
    /** Called in a process that is to run a point, before it does. */
    void (*child)(void *ctx);
};
/** Runs points in processes of their own, at most @p parallel at a time, until there are none, a
 * signal asks to stop or an error ends it; then waits for those that run. */
int weft_sweep_run_jobs(const struct weft_sweep_base *b, struct weft_sweep *s, size_t parallel,
                        const struct weft_sweep_jobs *jobs, struct weft_err *err);

/** What the sweep's run.json says; a weft_run_json_fn. @p ctx: a struct weft_sweep_record. */
struct weft_sweep_record {
    const struct weft_sweep *s;
    const struct weft_sweep_base *base;
};
void weft_sweep_run_json(struct weft_json *j, const void *ctx);
/** How earlier points are taken over. */
struct weft_sweep_takeover {
    bool retry_failed; /**< those that failed are run again */
    bool gather;       /**< nothing will be run: what there is counts */
};
/**
 * Takes over the points that the folder of the sweep holds: finished, with the same settings, and
 * what failed. WEFT_E_INPUT: a folder holds a run with other settings.
 */
int weft_sweep_take_over(const struct weft_sweep_base *b, struct weft_sweep *s,
                         const struct weft_sweep_takeover *how, struct weft_err *err);
/** Writes into the sweep's folder what runs its points elsewhere: points.sh, a command per line,
 * and for @p slurm also points.sbatch. */
int weft_sweep_emit(const struct weft_sweep_base *b, const struct weft_sweep *s, bool slurm,
                    struct weft_err *err);

#endif
