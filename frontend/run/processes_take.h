/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether processes that mpirun started can run a scenario, and what each does otherwise than one
 * process alone. */
#ifndef WEFT_CLI_PROCESSES_TAKE_H
#define WEFT_CLI_PROCESSES_TAKE_H

#include "run/execute.h"

/** Sets of @p o and @p s what is otherwise with several processes: the folder, progress, no replay.
 * @p limited: limits of time or memory were asked for. WEFT_E_ALONE: they can't run it, as far as
 * that is known before. */
int weft_processes_take(const struct weft_peers *peers, struct weft_scenario *s, bool limited,
                        struct weft_execute_opts *o, struct weft_err *err);

#endif
