/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run whose optimisations met what they did not foresee begins again without them.
 *
 * run.replay and run.threads give the results of a simulation without them, or the run ends with an
 * internal error. The beginning of a run is a complete snapshot: from there it is simulated with
 * neither. The summary and run.json say so (`fallbacks`). Several processes (mpirun), a script of
 * ns-3 and `weft bench` have no such snapshot: there the error stands.
 */
#ifndef WEFT_CLI_AGAIN_H
#define WEFT_CLI_AGAIN_H

#include "command/command.h"
#include "report/summary.h"

#include <stdbool.h>

/** Whether a run of @p s on @p net that ended with @p err is to begin again. */
bool weft_again_wanted(const struct weft_cli *cli, const struct weft_scenario *s,
                       struct weft_net *net, const struct weft_err *err);
/** Says so, and has @p s be run without run.replay and run.threads; clears @p err. */
void weft_again_begin(const struct weft_cli *cli, struct weft_scenario *s, struct weft_err *err);
/** Says so in the summary of the run that follows; of any run, what else its settings change there.
 */
void weft_again_summarize(const struct weft_scenario *s, struct weft_summary *m);

#endif
