/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Credit that receivers grant to senders (WEFT_CC_NEEDS_CREDIT).
 */
#ifndef WEFT_CC_CREDIT_OPS_H
#define WEFT_CC_CREDIT_OPS_H

#include "cc.h"

struct weft_cc_core; /* core_credit.h */

/** How a receiver grants credit to those who ask (NEEDS_CREDIT). Bytes are those on the wire. */
struct weft_cc_grants {
    uint64_t grant_bytes; /**< at once to one QP */
    double rate_share;    /**< of the receiving port's rate that all grants together make */
    uint64_t idle_bytes;  /**< beyond what a QP has asked for, while nobody asks */
    uint64_t frame_bytes; /**< size of the packet that grants, and of one that asks */
    /** how marks, and trims before the last hop, lower the rate; NULL: they do not */
    const struct weft_cc_core *core;
};

/** What the two ends of a QP say of credit. All credit is counted from the start of the QP. */
struct weft_cc_credit_ops {
    /** A packet grants: @p granted_bytes in all. Late ones may say less than was said before. */
    void (*granted)(void *state, const void *params, int64_t now_ps, uint64_t granted_bytes,
                    struct weft_cc_out *out);
    /** How much it wants to have been granted in all, with @p backlog_bytes of payload to send or
     * to send again. Each data packet says it. */
    uint64_t (*wanted)(const void *state, const void *params, uint64_t backlog_bytes);
    /** What it knows to have been granted. */
    uint64_t (*known)(const void *state, const void *params);
    /** The rules of the receiver. */
    void (*rules)(const void *params, const struct weft_cc_env *env, struct weft_cc_grants *out);
};

#endif
