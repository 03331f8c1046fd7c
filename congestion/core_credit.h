/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a receiver of credits heeds what happens before the last hop, where the fabric is
 * oversubscribed (ultraethernet/uet-htsim, oversubscribed_cc.cpp; the specification has nothing of
 * it). Its grants together make `rate` of what they would else. Of p packets that have come since
 * the last look, x were marked, c trimmed before the last hop and l at it:
 *
 *   g = (1 - weight) g + weight x / (p - c - l)
 *   c > 0        rate -= c / p
 *   g > target   rate *= 1 - decrease (g - target)
 *   neither      rate += increase 2^k where nothing was marked, else increase; k counts such looks
 *                in a row
 *
 * with rate between least and 1. Looks are 0.75 to 1.25 times `rtts` base round trips apart, at
 * random.
 */
#ifndef WEFT_CC_CORE_CREDIT_H
#define WEFT_CC_CORE_CREDIT_H

#include "base/linkage.h"

#include <stdint.h>

WEFT_C_BEGIN

/** The constants. */
struct weft_cc_core {
    double target, weight; /**< 0 .. 1 */
    double decrease;       /**< 0 .. 1; 0: marks cost nothing */
    double increase;       /**< above 0 */
    double least;          /**< above 0, up to 1 */
    double rtts;
};

/** What has come since the last look, and where that has led. */
struct weft_cc_core_state {
    uint32_t packets, marked, core_trims, near_trims; /**< packets: all of them */
    uint32_t increases;
    double rate; /**< least .. 1 */
    double share;
};

/** One look; begins to count anew. */
void weft_cc_core_look(struct weft_cc_core_state *s, const struct weft_cc_core *c);

WEFT_C_END
#endif
