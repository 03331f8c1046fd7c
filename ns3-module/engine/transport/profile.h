/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transports by traffic class. A run has RoCE, or Ultra Ethernet under the settings of section
 * transport, in all classes but those of uet.prios, which have Ultra Ethernet under section uet.
 *
 * What a QP does about ACKs, losses, timers, sizes and paths follows from the profile of its
 * priority, which it reaches by its control (control.h): the record of a QP is the same whatever
 * there is. What switches do to a class (lossless or not, trimming, thresholds, marking) is a
 * matter of their own settings.
 */
#ifndef WEFT_ENGINE_PROFILE_H
#define WEFT_ENGINE_PROFILE_H

#include "balance/balance_fn.h"
#include "engine_params.h"

#include <stdbool.h>
#include <stdint.h>

struct recovery;
struct weft_engine;

/** Profiles of a run: section transport, section uet. */
enum { PROFILE_RUN, PROFILE_UET, PROFILES };

/** A transport as the QPs of its classes use it. */
struct profile {
    struct weft_transport_params t;
    const struct recovery *recovery;
    balance_fn pick;    /**< what spreads its data (balance.c); NULL: the hash of the flow */
    uint32_t ack_after; /**< data packets, or bytes of them, per ACK */
    bool low_rto;       /**< transport.rto-low is in force */
    bool sparse;        /**< not every data packet is acknowledged */
    bool by_bytes;      /**< receivers count bytes */
    bool sprays;        /**< senders choose entropy values: pick goes by them */
};

#pragma GCC visibility push(hidden)

/** How many there are: 2 with uet.prios. */
uint32_t profile_count(const struct weft_engine_params *p);
/** The settings of one. */
struct weft_transport_params profile_transport(const struct weft_engine_params *p, uint32_t which);
/** Which one a priority has; FRAME_PRIO: the run's. */
uint32_t profile_of_prio(const struct weft_engine_params *p, uint32_t prio);
/** The most frame bytes around a payload. */
uint64_t profile_longest_header(const struct weft_engine_params *p);
/** The priorities that QPs use beside those of messages: ACKs, also CNPs if @p cnps. */
uint64_t profile_answer_prios(const struct weft_engine_params *p, bool cnps);
/** Whether section uet can be used with the others. */
int profile_check(const struct weft_engine_params *p, struct weft_err *err);
/** Fills in all profiles but pick and sprays; nothing is allocated. */
void profile_init(struct weft_engine *e);

#pragma GCC visibility pop

#endif
