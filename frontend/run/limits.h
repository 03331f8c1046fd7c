/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run may take of the machine: --time-limit, --memory-limit, --watchdog. */
#ifndef WEFT_CLI_LIMITS_H
#define WEFT_CLI_LIMITS_H

#include "run/slices.h"

/** Values of --progress. */
enum { WEFT_PROGRESS_AUTO, WEFT_PROGRESS_ALWAYS, WEFT_PROGRESS_NEVER };

/** The option table rows for a struct that has time_limit, memory_limit and watchdog. */
#define WEFT_LIMIT_OPTS(type)                                                                      \
    {"time-limit",                                                                                 \
     0,                                                                                            \
     WEFT_OPT_TEXT,                                                                                \
     offsetof(struct type, time_limit),                                                            \
     "TIME",                                                                                       \
     NULL,                                                                                         \
     "end the run in order after so much wall-clock time: partial results, exit code 5"},          \
        {"memory-limit",                                                                           \
         0,                                                                                        \
         WEFT_OPT_TEXT,                                                                            \
         offsetof(struct type, memory_limit),                                                      \
         "SIZE",                                                                                   \
         NULL,                                                                                     \
         "the same when the program's resident memory is larger"},                                 \
    {                                                                                              \
        "watchdog", 0, WEFT_OPT_TEXT, offsetof(struct type, watchdog), "TIME", NULL,               \
            "end the program when one event takes so much CPU time, which is a fault of weft: "    \
            "the "                                                                                 \
            "event's name, exit code 70; default: 60s; 0s: never"                                  \
    }

/** Reads all; NULL: no limit, and the default of the watchdog. */
int weft_limits_read(const char *time, const char *memory, const char *watchdog,
                     struct weft_run_limits *out, struct weft_err *err);
/** Whether the program takes more, @p wall_ns after the run began. */
bool weft_limits_exceeded(const struct weft_run_limits *l, int64_t wall_ns);
/** Says which limit a run exceeded. */
void weft_limits_text(const struct weft_run_limits *l, int64_t wall_ns, char *text, size_t size);

#endif
