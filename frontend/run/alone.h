/* SPDX-License-Identifier: GPL-2.0-only */
/* What a job takes alone on the fabric. */
#ifndef WEFT_CLI_ALONE_H
#define WEFT_CLI_ALONE_H

#include "command/command.h"
#include "report/report.h"
#include "scenario/scenario.h"

/**
 * Runs each job of @p m, which came out of the jobs of @p parts together, alone on the same fabric
 * with the same faults, and fills in what it took. Sources without an end stop as they did
 * together: at @p ends_ps, or at @p until_ps (0: no limit), which ends each run. Jobs that do not
 * finish alone are left without.
 */
int weft_run_alone(const struct weft_cli *cli, const struct weft_scenario *s,
                   const struct weft_scenario_parts *parts, int64_t ends_ps, int64_t until_ps,
                   struct weft_summary *m, struct weft_err *err);

#endif
