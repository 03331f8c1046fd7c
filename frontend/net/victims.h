/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking for head-of-line victims of pauses: who waits behind a pause though the rest of the way
 * is free.
 *
 * Looks are at multiples of a simulated time while something happens, so that what they find
 * depends on the run alone. The
 * time of victims is what they find times that time: an estimate, good where pauses last longer or
 * looks are many.
 */
#ifndef WEFT_NET_VICTIMS_H
#define WEFT_NET_VICTIMS_H

#include "net/net.h"

/** Parameters, and what looks have found. */
struct weft_victims {
    struct weft_net *net;
    int64_t every_ps; /**< between looks; 0: there are none */
    int64_t next_ps;  /**< of the next one; WEFT_NEVER: none */
    uint64_t n;       /**< QPs that were victims at some look */
    int64_t time_ps;  /**< sum over looks of those that were, times every_ps */
};

/** Begins at time 0. A backend without pauses is never looked at. */
void weft_victims_init(struct weft_victims *v, struct weft_net *net, int64_t every_ps);
/** Where a slice that would end at @p until_ps ends: at the next look, if that is earlier. */
int64_t weft_victims_until(const struct weft_victims *v, int64_t until_ps);
/** After the slice to @p at_ps: looks if it is time. */
void weft_victims_look(struct weft_victims *v, int64_t at_ps);

#endif
