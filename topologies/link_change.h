/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can become of a link of a fabric while traffic is on it.
 */
#ifndef WEFT_LINK_CHANGE_H
#define WEFT_LINK_CHANGE_H

#include "fabric.h"

WEFT_C_BEGIN

/** What changes. */
enum weft_link_change_kind {
    WEFT_LINK_DOWN,      /**< carries nothing; what is on it and waits for it is lost */
    WEFT_LINK_UP,        /**< works again */
    WEFT_LINK_RATE,      /**< serialises at another rate from the next packet on */
    WEFT_LINK_BIT_ERRORS /**< bits are flipped at random; a packet with a wrong bit is lost */
};

/** Which directions of a link change their rate. */
enum weft_link_direction {
    WEFT_LINK_BOTH,
    WEFT_LINK_FORWARD, /**< from a to b of the fabric's link */
    WEFT_LINK_BACK     /**< from b to a */
};

/** One change of one link. */
struct weft_link_change {
    uint32_t link; /**< number in the fabric */
    enum weft_link_change_kind kind;
    uint64_t
        rate_bps; /**< RATE: 1 to the rate that the link has in the fabric, which restores it */
    double bit_error_rate; /**< BIT_ERRORS: probability that a bit is wrong, 0 to 1; 0: none */
    uint64_t lost_packets; /**< DOWN: receives how many packets were on the link or waited for it */
    int direction;         /**< RATE: enum weft_link_direction; all else is of both */
    bool scaled; /**< RATE: thresholds of ECN and egress-limit change in proportion to it */
};

WEFT_C_END
#endif
