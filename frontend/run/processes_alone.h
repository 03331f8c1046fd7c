/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What several processes can't share out: the first one does it alone, as if mpirun had started no
 * other, says so, and the others wait for it. Found before anything is simulated, it is tried again
 * from its beginning; all find the same.
 */
#ifndef WEFT_CLI_PROCESSES_ALONE_H
#define WEFT_CLI_PROCESSES_ALONE_H

#include "base/json.h"
#include "command/command.h"

/** Runs command @p c, by all processes of @p cli or by the first one alone; see weft_command.run.
 */
int weft_processes_command(const struct weft_cli *cli, const struct weft_command *c,
                           const void *opts, char **args, int nargs, struct weft_err *err);
/** The line of a summary that says why one of several processes was alone; nothing, if not so. */
void weft_processes_text(const struct weft_cli *cli);
/** The same as the member processes of an object; nothing where mpirun has started one. */
void weft_processes_json(struct weft_json *j, const struct weft_cli *cli);

#endif
