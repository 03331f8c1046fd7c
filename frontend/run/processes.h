/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that mpirun started: they run one scenario together. All do the same; the first one
 * alone answers, and writes the run folder.
 */
#ifndef WEFT_CLI_PROCESSES_H
#define WEFT_CLI_PROCESSES_H

#include "base/log.h"
#include "base/peers.h"

#include <stdbool.h>
#include <stdint.h>

/** Whether the program was built with MPI. */
bool weft_processes_built_in(void);
/** *@p out: which MPI it is, with its version; "" when there is none. WEFT_E_IO: the part that is
 * built on MPI can't be opened. */
int weft_processes_library(const char **out, struct weft_err *err);
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
/** The sink of the log (log.h) of all but the first, which say nothing: keeps the first error. */
void weft_processes_note(void *user, enum weft_log_level level, const char *line);
/**
 * Parts from the others, of which those that wait for this process end with its error. @p code: the
 * exit code that this process would have alone. Returns the one that it ends with: that of the
 * first process is the code of all, its own or, having said so, that of the first other one that
 * failed; the others end with 0, as mpirun ends all processes by SIGTERM where one ends with
 * another code.
 */
int weft_processes_part(const struct weft_peers *peers, int code);

#endif
