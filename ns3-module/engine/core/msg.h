/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages: posted and not acknowledged yet. */
#ifndef WEFT_ENGINE_MSG_H
#define WEFT_ENGINE_MSG_H

#include "engine.h"
#include <stdint.h>

/** A posted message until its last ACK. */
struct msg {
    uint32_t next; /**< list link of its QP; first, as stable.h wants */
    uint32_t qp;
    uint64_t id;         /**< posted by a thread: when the user would have heard of it (worker.h) */
    uint64_t bytes, tag; /**< as posted; hosts, priority and number are those of its QP */
    union weft_token token;
    uint64_t first_psn, npkts;
    uint64_t start_byte; /**< QP stream offset of its first byte */
    int64_t post_ps, received_ps;
    union {
        struct weft_engine_mark since; /**< when it was posted, */
        int64_t ideal_ps;              /**< once it is received */
    };
    int64_t sent_ps; /**< its last packet was sent for the first time, -1: not yet */
    /** The clocks of its QP when it was posted; from sent_ps on: what delayed it */
    int64_t held_ps[WEFT_DELAY_QUEUE];
    uint64_t retx_bytes;
    uint32_t cnps;
    uint8_t token_type;
    bool deferrable;   /**< as posted */
    uint32_t rcv_next; /**< the next of its QP, for the receiver, which another thread may run */
};

/** The packet that makes a message complete. */
struct completer {
    uint32_t pkt;
    int64_t sent_ps;
    uint64_t psn;
};

#endif
