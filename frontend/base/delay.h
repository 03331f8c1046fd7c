/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a message takes longer than it would alone: the causes, and their sum.
 *
 * From being posted to its last byte received, a message takes its ideal time (serialisation and
 * propagation on an empty fabric) and delays. Whoever carries it measures them by cause; together
 * they are what it took beyond the ideal time, to the picosecond.
 */
#ifndef WEFT_BASE_DELAY_H
#define WEFT_BASE_DELAY_H

#include "base/linkage.h"

#include <stdint.h>

WEFT_C_BEGIN

/** Causes of delay, in the order in which they usually strike a message. */
enum weft_delay {
    WEFT_DELAY_NIC, /**< its NIC was sending something else of the host: earlier messages of the QP,
                       other QPs, ACKs */
    WEFT_DELAY_CONTROL, /**< congestion control: paced below the rate of the link, or its window was
                           full */
    WEFT_DELAY_LOSS,    /**< loss recovery: timeouts, what is sent again, and waiting for a path */
    WEFT_DELAY_PAUSE,   /**< paused by PFC, or without credit, at the NIC or on the way */
    WEFT_DELAY_QUEUE,   /**< queues of the fabric, behind traffic of others */
    WEFT_DELAYS
};

/**
 * Makes delays add up to @p total_ps (>= 0, else 0 is taken).
 *
 * What is missing is added to @p rest. What is too much goes from the first that has it of queues,
 * congestion control, own NIC, pauses and loss: a link of the path that is slower than the NIC
 * spaces packets out whatever else does, so what a delay hides behind that costs the message
 * nothing.
 */
void weft_delays_resolve(int64_t delay_ps[WEFT_DELAYS], int64_t total_ps, enum weft_delay rest);

WEFT_C_END
#endif
