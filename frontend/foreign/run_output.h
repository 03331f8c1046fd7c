/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands that run another simulator's experiment have in common: a folder, and what they
 * print. */
#ifndef WEFT_FOREIGN_RUN_OUTPUT_H
#define WEFT_FOREIGN_RUN_OUTPUT_H

#include "run/execute.h"

/** What is output_lines of a run that is over, and how. */
struct weft_run_output {
    const char *command;
    const char *out_dir; /**< NULL: there is none */
    const char *beside;  /**< output_lines after the folder's name; NULL: nothing */
    bool json, quiet;
    void (*more)(FILE *f, const void *ctx); /**< prints what follows the summary; NULL: nothing */
    const void *more_ctx;
};

/** Sets o->out_dir to out/NAME in @p dir, unless it is set or @p none is wanted. */
int weft_run_folder(struct weft_execute_opts *o, bool none, const char *name, char *dir,
                    struct weft_err *err);
/** Prints the summary of @p x, if there is one, as text or JSON; @p code is the command's. */
void weft_run_say(const struct weft_cli *cli, const struct weft_execution *x,
                  const struct weft_run_output *output_lines, int code);

#endif
