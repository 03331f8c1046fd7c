/* SPDX-License-Identifier: GPL-2.0-only */
/* What the run.json of a scenario's run says. */
#ifndef WEFT_CLI_RUN_JSON_H
#define WEFT_CLI_RUN_JSON_H

#include "run/execute.h"
#include "base/outcome.h"

/** Where it comes from. */
struct weft_run_json_source {
    const struct weft_cli *cli;
    const struct weft_execution *x;
    enum weft_outcome outcome; /**< without a summary; NONE: that of the execution, with it */
    const char *reason;        /**< without a summary; NULL: that of the execution */
};

/** A weft_run_json_fn; @p ctx is a struct weft_run_json_source. */
void weft_run_json_of_scenario(struct weft_json *j, const void *ctx);
/** What `--json` prints first of a command's run that is over: an object that stays open. */
void weft_run_json_answer(struct weft_json *j, const struct weft_cli *cli, const char *command,
                          const struct weft_execution *x, const char *out_dir, int exit_code);
/** What a run that is over came to: the members metrics (where some were asked for) and summary. */
void weft_run_json_results(struct weft_json *j, const struct weft_execution *x);

#endif
