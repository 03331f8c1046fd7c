/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run may take of the machine: --time-limit, --memory-limit, --watchdog. */
#ifndef WEFT_CLI_LIMITS_H
#define WEFT_CLI_LIMITS_H

#include "run/slices.h"

/** Values of --progress. */
enum { WEFT_PROGRESS_AUTO, WEFT_PROGRESS_ALWAYS, WEFT_PROGRESS_NEVER };

/** The option table rows where WEFT_OPTS has time_limit, memory_limit and watchdog. */
#define WEFT_LIMIT_OPTS                                                                            \
    WEFT_TEXT("time-limit", 0, time_limit, "TIME",                                                 \
              "end the run in order after so much wall-clock time: partial results, exit code 5"), \
        WEFT_TEXT("memory-limit", 0, memory_limit, "SIZE",                                         \
                  "the same when the program's resident memory is larger"),                        \
        WEFT_TEXT("watchdog", 0, watchdog, "TIME",                                                 \
                  "end the program when one event takes so much CPU time, which is a fault of "    \
                  "weft: the event's name, exit code 70; default: 60s; 0s: never")

/** Reads all; NULL: no limit, and the default of the watchdog. */
int weft_limits_read(const char *time, const char *memory, const char *watchdog,
                     struct weft_run_limits *out, struct weft_err *err);
/** Whether the program takes more, @p wall_ns after the run began. */
bool weft_limits_exceeded(const struct weft_run_limits *l, int64_t wall_ns);
/** Says which limit a run exceeded. */
void weft_limits_text(const struct weft_run_limits *l, int64_t wall_ns, char *text, size_t size);

#endif
