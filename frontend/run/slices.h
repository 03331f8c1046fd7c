/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a net in slices of simulated time, so that between slices the program can show progress,
 * hand rows to the operating system and notice an interrupt. The slice follows the wall clock and
 * has no influence on results: events execute in the same order however they are cut, and the last
 * slice always ends when nothing is left to do or at the limit. Samples are taken at their moments
 * within slices.
 */
#ifndef WEFT_CLI_SLICES_H
#define WEFT_CLI_SLICES_H

#include "base/progress.h"
#include "command/command.h"
#include "net/victims.h"
#include "net/watch.h"
#include "series/series.h"

#include <stdbool.h>

/** What plays on the net. All functions are required and receive @p ctx. */
struct weft_slices_player {
    void *ctx;
    /** Whether all its work is done; acknowledgements and timers may be left. */
    bool (*done)(void *ctx);
    /** What failed inside a callback of the net, or code 0. */
    const struct weft_err *(*error)(void *ctx);
    /** Whether faults are still to happen: until then no run is stalled. */
    bool (*faults_ahead)(void *ctx);
    /** Fills in done, total and total_bytes of @p s. */
    void (*progress)(void *ctx, struct weft_progress_state *s);
    /** Hands all rows to the operating system. */
    int (*flush)(void *ctx, struct weft_err *err);
};

/** What a run may take of the machine. */
struct weft_run_limits {
    int64_t wall_ns;    /**< wall-clock time; 0: no limit */
    uint64_t rss_bytes; /**< resident memory; 0: no limit */
    int64_t event_ns;   /**< CPU time of one event (watchdog.h); 0: WEFT_WATCHDOG_NS, below: no
                           limit */
};

/** What is run, and how it went. */
struct weft_slices {
    const struct weft_cli *cli;
    struct weft_net *net;
    struct weft_slices_player player;
    int64_t until_ps;       /**< run.until; 0: no limit */
    int64_t stall_after_ps; /**< run.stall-after */
    int64_t victims_ps;     /**< run.victims */
    bool by_events; /**< slices must end, and the net be looked at, at the same simulated times each
                       run, as what is skipped or repeated depends on them (run.replay): events say
                       when, and no clock */
    struct weft_series *series; /**< what is sampled; NULL: nothing */
    FILE *progress;             /**< NULL: none is shown */
    bool progress_is_tty;
    struct weft_run_limits limits;
    int64_t started_ns; /**< wall clock, from which on limits.wall_ns counts */
    const char *unit;   /**< what the player's progress counts: "ops" */
    /* Results of weft_slices_run. */
    bool over_limit;      /**< it took more than limits allow */
    int64_t reached_ps;   /**< simulated time that it came to */
    int64_t stalled_ps;   /**< when nothing had got on for stall_after_ps; 0: that did not happen */
    uint64_t left_behind; /**< most QPs and connections without progress while others had some */
    uint64_t victims;     /**< QPs that a look found to be head-of-line victims of pauses */
    int64_t victim_ps;    /**< time that they were, summed */
};

/** Runs until nothing is left, the limit, a stall, more than the machine's limits, an interrupt
 * (*cli->interrupted) or an error, which is returned. */
int weft_slices_run(struct weft_slices *s, struct weft_err *err);

#endif
