/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress of a run: one line that is rewritten in place on a terminal at most 10 times a
 * second, or one line every 30 seconds into a file or pipe.
 *
 *   sim 12.35 us (1.03 us/s)  45.3 %  1.2 GB/2.65 GB  1234/2724 ops  wall 12 s  left 15 s
 *
 * The share and the time left go by bytes where they are known, which is what a run spends its time
 * on: one large operation advances, too. Without them they go by what else is counted.
 *
 * Progress reads the wall clock and therefore must never influence a result.
 */
#ifndef WEFT_BASE_PROGRESS_H
#define WEFT_BASE_PROGRESS_H

#include "base/linkage.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

WEFT_C_BEGIN

/** Wall-clock nanoseconds since any fixed moment; never goes backwards. */
typedef int64_t (*weft_clock_ns)(void *user);

/** The system's monotonic clock; @p user is ignored. */
int64_t weft_clock_monotonic_ns(void *user);

/** A progress display. The caller fills it with weft_progress_init. */
struct weft_progress {
    FILE *f;          /**< NULL: no display */
    bool is_tty;      /**< rewrite one line */
    const char *what; /**< what is counted: "ops" */
    weft_clock_ns clock;
    void *clock_user;
    int64_t start_ns; /**< wall clock at init */
    int64_t last_ns;  /**< wall clock of the last line; start_ns before the first */
    int shown;        /**< lines written so far, 0 or 1 is enough on a terminal */
};

/** Shortest wall time between two lines. */
#define WEFT_PROGRESS_TTY_NS INT64_C(100000000)
#define WEFT_PROGRESS_FILE_NS INT64_C(30000000000)

/**
 * Starts a display.
 * @param f       where to write, NULL for nowhere; @param is_tty isatty() of it
 * @param what    what done and total count, not owned
 * @param clock   NULL for the monotonic clock
 */
void weft_progress_init(struct weft_progress *p, FILE *f, bool is_tty, const char *what,
                        weft_clock_ns clock, void *clock_user);

/** sim_ps of what has no simulated time. */
#define WEFT_PROGRESS_NO_SIM (-1)

/** How far a run is. A total of 0 means that it is not known. */
struct weft_progress_state {
    int64_t sim_ps;                   /**< simulated time; WEFT_PROGRESS_NO_SIM: there is none */
    uint64_t done, total;             /**< of what is counted */
    uint64_t done_bytes, total_bytes; /**< of payload */
};

/** Whether the next update writes a line: what the state takes time to find need not be found
 * before. */
bool weft_progress_due(const struct weft_progress *p);
/** Reports the state; cheap enough to call often. */
void weft_progress_update(struct weft_progress *p, const struct weft_progress_state *s);

/** Writes one whole line to @p f, whether one is due or not, and also where there is no display. */
void weft_progress_print(struct weft_progress *p, FILE *f, const struct weft_progress_state *s);

/** Removes the line from a terminal, so that a result can be printed in its place. */
void weft_progress_finish(struct weft_progress *p);

WEFT_C_END
#endif
