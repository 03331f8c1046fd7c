/* SPDX-License-Identifier: GPL-2.0-only */
/* Jobs on a net with what goes wrong there, as slices (run/slices.h) and the player of faults ask
 * about them. */
#ifndef WEFT_RUN_RUN_STATE_H
#define WEFT_RUN_RUN_STATE_H

#include "base/err.h"
#include "fault/fault.h"
#include "jobs/jobs.h"
#include "net/net.h"

#include <stdbool.h>

/** The first member of what is played, whose address the functions below receive. */
struct weft_run_state {
    struct weft_net *net;
    struct weft_jobs *jobs;
    struct weft_fault_player *faults; /**< NULL: nothing goes wrong */
};

/** Whether all jobs are finished. */
bool weft_run_state_done(void *ctx);
/** Whether, besides, no message waits for its last ACK: no fault matters any more. */
bool weft_run_state_over(void *ctx);
/** What failed inside a callback of the net, or code 0. */
const struct weft_err *weft_run_state_error(void *ctx);
/** Whether faults are still to happen. */
bool weft_run_state_faults_ahead(void *ctx);
/** Frees all three; NULL members are allowed, and left. */
void weft_agreed_release(struct weft_run_state *p);

#endif
