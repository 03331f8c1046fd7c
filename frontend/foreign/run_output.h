/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands that run another simulator's experiment have in common: options, a folder, and what
 * they print. */
#ifndef WEFT_FOREIGN_RUN_OUTPUT_H
#define WEFT_FOREIGN_RUN_OUTPUT_H

#include "run/execute.h"

/** Options of such a run. */
struct weft_foreign_opts {
    const char *out;
    bool no_out, show, json, quiet;
};
/** Their rows where WEFT_OPTS has `struct weft_foreign_opts run`; the folder is called after @p of;
 * @p o and @p q are letters. */
#define WEFT_FOREIGN_OPTS(of, o, q)                                                                \
    WEFT_TEXT("out", o, run.out, "DIR", "run folder; default out/NAME of the " of),                \
        WEFT_FLAG("no-out", 0, run.no_out, "write no files"),                                      \
        WEFT_FLAG("show-settings", 0, run.show, "print the resolved settings instead of running"), \
        WEFT_FLAG("json", 0, run.json, "print the summary as JSON"),                               \
        WEFT_FLAG("quiet", q, run.quiet, "no results, no notes; errors and warnings only")

/** A run of an experiment. */
struct weft_foreign_run {
    const char *command;
    const struct weft_foreign_opts *opts;
    struct weft_execute_opts how;           /**< but for folder and progress */
    const char *beside;                     /**< printed after the folder's name; NULL: nothing */
    void (*more)(FILE *f, const void *ctx); /**< prints what follows the summary; NULL: nothing */
    /** Writes into the folder once it is over; NULL: nothing. */
    int (*write)(void *ctx, const char *dir, struct weft_err *err);
    void *ctx;
};

/** Whether arguments and options go together. */
int weft_foreign_check(const struct weft_foreign_opts *o, char **args, int nargs,
                       struct weft_err *err);
/** Sets o->out_dir to out/NAME in @p dir, unless it is set or @p none is wanted. */
int weft_run_folder(struct weft_execute_opts *o, bool none, const char *name, char *dir,
                    struct weft_err *err);
/** Runs @p s and prints its summary as text or JSON, or prints its settings where that is asked
 * for. */
int weft_foreign_play(const struct weft_cli *cli, struct weft_scenario *s,
                      struct weft_foreign_run *r, struct weft_err *err);

#endif
