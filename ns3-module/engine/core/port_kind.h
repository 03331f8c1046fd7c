/* SPDX-License-Identifier: GPL-2.0-only */
/* What ports of one rate, delay and MTU have in common: shares of the buffer, marking. */
#ifndef WEFT_ENGINE_PORT_KIND_H
#define WEFT_ENGINE_PORT_KIND_H

#include "engine.h"

/** How much of what is free in a pool a queue may hold: alpha x free + bytes. One of them is 0. */
struct limit {
    uint32_t alpha_q16, bytes;
};

/** A RED curve. */
struct marking {
    uint32_t kmin, kmax; /**< UINT32_MAX: more than a queue can hold */
    double slope;        /**< pmax / (kmax - kmin) */
};

/** Of a port that never marks. */
static const struct marking marking_none = {UINT32_MAX, UINT32_MAX, 0};

/** What ports of one rate, delay and MTU have in common. */
struct port_kind {
    struct port_kind *next;
    /** NULL; at a port whose link has changed its rate: the kind that it was built as */
    const struct port_kind *built;
    bool scaled;  /**< changed, with thresholds in proportion to the rate */
    bool to_host; /**< of a switch to a host, where that makes a difference */
    uint64_t rate_bps;
    int64_t delay_ps;
    uint32_t mtu_bytes; /**< most payload of a packet */
    uint32_t headroom;  /**< per lossless priority */
    struct {
        struct limit ingress, egress;
        struct marking mark;
    } prio[WEFT_PRIOS];
    uint64_t shared_bytes[2]; /**< ingress pools of the switch; 0: no switch */
    const struct weft_cc_marking *tuned[WEFT_PRIOS]; /**< whose marking is the default */
};

#endif
