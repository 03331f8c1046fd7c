/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that mpirun started: they run one scenario together. All do the same; the first one
 * alone answers, and writes the run folder.
 */
#ifndef WEFT_CLI_PROCESSES_H
#define WEFT_CLI_PROCESSES_H

#include "base/peers.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether the program was built with MPI. */
bool weft_processes_built_in(void);
/** Which MPI it is, with its version; "" when there is none. */
const char *weft_processes_library(void);
/** Whether mpirun has started several processes, by what it has put into the environment. */
bool weft_processes_started(void);
/** Meets the others. *out: NULL when there are none. Standard output and error of all but the first
 * are closed. WEFT_E_USAGE: the program was built without MPI. */
int weft_processes_meet(int *argc, char ***argv, const struct weft_peers **out,
                        struct weft_err *err);
/** Where this process writes what the first one writes to @p folder: a folder for the time being.
 * Those that processes left behind that were killed are removed. */
const char *weft_processes_folder(const struct weft_peers *peers, const char *folder);
/** Programs that this one starts are not processes of mpirun. */
void weft_processes_forget(void);
/** The run has come to @p now_ps of simulated time: what is said when a signal ends it, and what
 * waited to be said (held_log.h) is. */
void weft_processes_reached(int64_t now_ps);
/** Parts from the others, or ends them where they don't come to the end by themselves. @p code: the
 * exit code of this process. */
void weft_processes_part(const struct weft_peers *peers, int code);

#ifdef __cplusplus
}
#endif
#endif
