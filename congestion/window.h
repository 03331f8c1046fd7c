/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What several algorithms share: the window beside a rate, bounds, the cost of signals.
 */
#ifndef WEFT_CC_WINDOW_H
#define WEFT_CC_WINDOW_H

#include "congestion/cc.h"
#include "congestion/cc_switch.h"
#include "congestion/cc_replay.h"

#include "base/units.h"

WEFT_C_BEGIN

/** The parameter `window` of rate-based algorithms. */
enum weft_cc_window {
    WEFT_CC_WINDOW_NONE,  /**< unlimited */
    WEFT_CC_WINDOW_FIXED, /**< one bandwidth-delay product */
    WEFT_CC_WINDOW_SCALED /**< that times rate / line rate */
};
#define WEFT_CC_WINDOW_CHOICES "none|fixed|scaled"
#define WEFT_CC_WINDOW_HELP                                                                        \
    "bytes in flight: unlimited, one bandwidth-delay product, or that times rate / line rate"

/** What the parameter takes from the path: WEFT_CC_NEEDS_BDP or nothing. */
static inline unsigned weft_cc_window_needs(int window)
{
    return window == WEFT_CC_WINDOW_NONE ? 0 : WEFT_CC_NEEDS_BDP;
}

/** cwnd_bytes for @p rate_bps: at least @p mtu_bytes, rounded down. */
uint64_t weft_cc_window_bytes(int window, uint64_t bdp_bytes, uint64_t mtu_bytes, uint64_t rate_bps,
                              uint64_t line_bps);

/**
 * Payload bytes that line rate keeps in flight over one base round trip, the starting window of
 * window-based algorithms: line rate x base_rtt x the payload's share of a full packet. Never less
 * than one MTU.
 */
double weft_cc_line_window(const struct weft_cc_env *env);

/** In a table of struct weft_cc_moving: a field of `struct weft_cc_hop hops[WEFT_CC_MAX_HOPS]` of
 * `struct state`. */
#define WEFT_CC_MOVING_HOPS(field, moves)                                                          \
    {                                                                                              \
        offsetof(struct state, hops) + offsetof(struct weft_cc_hop, field), 8, moves,              \
            WEFT_CC_MAX_HOPS, sizeof(struct weft_cc_hop)                                           \
    }

/** @p x bounded to lo .. hi; a NaN becomes lo. Requires lo <= hi. */
static inline double weft_cc_clamp(double x, double lo, double hi)
{
    return x >= hi ? hi : x >= lo ? x : lo;
}

/** (uint64_t)x bounded to lo .. hi; any double, also infinite or NaN; lo is below 2^63. */
static inline uint64_t weft_cc_clamp_u64(double x, uint64_t lo, uint64_t hi)
{
    if (!(x > (double)(int64_t)lo))
        return lo;
    if (x >= (double)hi)
        return hi;
    uint64_t v = x < 0x1p63 ? (uint64_t)(int64_t)x : (uint64_t)x; /* the first is one instruction */
    const bool exact = __builtin_constant_p(lo) && lo < UINT64_C(1) << 53;
    return v < lo && !exact ? lo : v > hi ? hi : v;
}

/**
 * Whether a loss that nothing tells the size of counts: each one where packets have a timer each,
 * else one per base round trip. @p last_ps is when one counted last, WEFT_NEVER at first.
 */
static inline bool weft_cc_loss_counts(int64_t *last_ps, int64_t now_ps, double base_rtt_ps,
                                       bool packet_timers)
{
    if (!packet_timers && *last_ps != WEFT_NEVER && (double)(now_ps - *last_ps) < base_rtt_ps)
        return false;
    *last_ps = now_ps;
    return true;
}

/** The signals of an algorithm whose @p bytes on a data packet come back with its ACK. */
static inline struct weft_cc_signals weft_cc_echoed(uint64_t bytes)
{
    return (struct weft_cc_signals){.data_bytes = (uint32_t)bytes, .ack_bytes = (uint32_t)bytes};
}

WEFT_C_END
#endif
