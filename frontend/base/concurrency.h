/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a carrier of messages may assume of the callbacks that it completes them with, so that
 * several threads may run hosts. A frontend that says nothing is called in one thread, at the
 * moment of each completion, in the order of time.
 *
 * Two more assumptions are made one by one:
 *
 *   deferrable  of a message (struct weft_msg): no message and no timer follows from its having
 *               been sent, so that this is reported a little later
 *   plan        of a timer (weft_net_plan, weft_engine_plan): it only posts messages, and asks for
 *               more of its kind
 */
#ifndef WEFT_CONCURRENCY_H
#define WEFT_CONCURRENCY_H

#include "message.h"

#include <stdbool.h>

/** What holds of the callbacks of one frontend. All false and NULL: nothing. */
struct weft_net_concurrency {
    /** What a callback does, and timers asked for in it, concerns the host alone that it is called
     * about (for received: the receiver): no message is posted from another, nothing else of the
     * net is looked at, and the run is ended only because of an error. Then several threads may run
     * hosts. */
    bool local;
    /** Beside: callbacks post nothing and ask for no timer. Then they may be called a little later,
     * in the same order, while the net's clock says the time of the completion. */
    bool passive;
    /** Both or none, with `local`. Whether nothing follows if @p msg is received at its host now:
     * no timer, nothing that another host could tell, and no message but those that are put into
     * *@p follows (empty before; posted from that host, in run_in_worker). Then `run_in_worker` is
     * called instead of received. Both are called in a thread of the net's, a number below
     * WEFT_THREADS_MAX, while others do so for other hosts; for each host in the order of time,
     * with all that is received there. What was run may lie ahead of the net's clock. The engine
     * leaves a message alone if the QPs of what follows are not open. */
    bool (*runs_in_worker)(void *ctx, unsigned thread, const struct weft_msg *msg,
                           struct weft_follows *follows);
    void (*run_in_worker)(void *ctx, unsigned thread, const struct weft_completion *done);
    void *ctx; /**< of these two */
};

#endif
