/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watching that a run gets on: ends one whose packets go round without any message getting further.
 *
 * Looks are at simulated times that follow from the run alone, so that it ends at the same instant
 * whatever the machine: half of `after` apart while packets move, farther apart while none does.
 */
#ifndef WEFT_NET_WATCH_H
#define WEFT_NET_WATCH_H

#include "net/net.h"

#include <stdbool.h>

/** Parameters, and the state between looks. */
struct weft_watch {
    struct weft_net *net;
    int64_t after_ps; /**< time without progress after which a run is stuck; 0: it is never */
    int64_t next_ps;  /**< of the next look; WEFT_NEVER: none */
    int64_t step_ps;  /**< between the last two */
    uint64_t hops;    /**< packets sent by the last look */
    bool looked;      /**< the last call of weft_watch_look looked */
    uint64_t behind;  /**< most QPs and connections that a look found without progress */
};

/** Begins at time 0. A backend that cannot be stuck is never looked at. */
void weft_watch_init(struct weft_watch *w, struct weft_net *net, int64_t after_ps);
/** Where a slice that would end at @p until_ps ends: at the next look, if that is earlier. */
int64_t weft_watch_until(const struct weft_watch *w, int64_t until_ps);
/** After the slice to @p at_ps: looks if it is time. True: nothing gets on. */
bool weft_watch_look(struct weft_watch *w, int64_t at_ps);
/** After a look: how many QPs and connections it found without progress while others had some, if
 * those are more than ever before; else 0. */
uint64_t weft_watch_left_behind(struct weft_watch *w);

#endif
