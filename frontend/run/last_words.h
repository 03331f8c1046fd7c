/* SPDX-License-Identifier: GPL-2.0-only */
/* What one of several processes says when a signal ends it: which of the others is gone, and how
 * far the run was. mpirun sends SIGTERM to all when one of them dies. */
#ifndef WEFT_CLI_LAST_WORDS_H
#define WEFT_CLI_LAST_WORDS_H

#include <stdint.h>
#include <sys/types.h>

/** Process @p number of the run, 0 to 254, is @p pid on this machine. */
void weft_last_words_know(unsigned number, pid_t pid);
/** The run has come to @p now_ps of simulated time. */
void weft_last_words_reached(int64_t now_ps);

#endif
