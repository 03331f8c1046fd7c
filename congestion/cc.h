/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The congestion-control interface.
 *
 * One algorithm is one struct weft_cc_ops in one file, listed in cc_table.def. The functions are
 * pure: time is an argument, state is `state_size` bytes that the caller allocates per QP, output
 * is data (struct weft_cc_out); no allocation, no globals, no I/O, no randomness of their own. Rate
 * and window changes take effect on the next packet that the NIC sends.
 *
 * Parameters reach the hooks settled: a default that follows from the path (base/scale.h) has been
 * given its value for the line rate and base RTT of the QP. `needs_now`, `check`, `cnp` and
 * `signals` may meet WEFT_PARAM_AUTO.
 *
 * What few algorithms use is declared apart: stamps of switches (cc_switch.h), supply
 * (cc_supply.h), credit (cc_credit.h), marking curves (cc_marking.h), and how state moves while
 * traffic repeats itself (cc_replay.h).
 *
 * Timers that matter only at the next send (DCQCN's three) are advanced lazily inside the
 * hooks from `now`; only an algorithm that must act at a moment of its own sets timer_at_ps.
 */
#ifndef WEFT_CC_H
#define WEFT_CC_H

#include "base/param.h"
#include "base/preset.h"

#include <stdbool.h>
#include <stddef.h>

WEFT_C_BEGIN

struct weft_cc_credit_ops;
struct weft_cc_hop;
struct weft_cc_marking;
struct weft_cc_replay;
struct weft_cc_signals;
struct weft_cc_supply_ops;

/** What an algorithm needs from the network; NIC and switches enable it from these bits
 * (cc_needs.def). */
enum weft_cc_needs {
#define WEFT_CC_NEED(symbol, bit, word, part, there) WEFT_CC_NEEDS_##symbol = 1u << bit,
#include "cc_needs.def"
#undef WEFT_CC_NEED
};
/** Of them, signals of switches that a file of the engine each makes (engine/signals.def). */
#define WEFT_CC_NEEDS_SIGNALS (~0u << 9)

/** What an algorithm may know of its path when a QP opens. */
struct weft_cc_env {
    uint64_t line_rate_bps;  /**< rate of the sending NIC's port */
    int64_t base_rtt_ps;     /**< unloaded round trip: MTU data packet there, ACK back */
    uint64_t bdp_bytes;      /**< bottleneck rate of the path x base_rtt, payload bytes */
    uint32_t mtu_bytes;      /**< payload bytes of a full packet */
    uint32_t mtu_wire_bytes; /**< bytes that a full packet occupies on the wire */
    uint32_t hops;           /**< switches on the path; 0: unknown */
    bool packet_timers;      /**< on_rto reports one lost packet each time; else of one or more */
    bool trims;              /**< switches trim packets that find no room: trimmed_bytes has each */
};

/** What an algorithm decides. The caller keeps one per QP and passes it to each hook. */
struct weft_cc_out {
    uint64_t rate_bps; /**< pacing rate counted in wire bytes; 1 .. line rate */
    /** payload bytes that may be unacknowledged; UINT64_MAX: unlimited; 0, with NEEDS_CREDIT:
     * nothing may leave until there is credit */
    uint64_t cwnd_bytes;
    int64_t timer_at_ps; /**< absolute time at which on_timer is wanted; WEFT_NEVER: none */
    bool repace; /**< true: a rate change also re-times the packet now waiting for its pacing gap;
                    false: it takes effect after that packet */
};

/** One acknowledgement, as the sender's NIC sees it. */
struct weft_cc_ack {
    uint64_t acked_bytes; /**< payload bytes that this ACK newly acknowledges; 0 for a duplicate */
    uint64_t una_bytes;   /**< payload bytes acknowledged so far on this QP */
    uint64_t nxt_bytes;   /**< payload bytes sent so far on this QP (the next to send) */
    uint64_t received_bytes; /**< payload bytes that it newly reports as received, in order or not:
                                acked_bytes where nothing comes out of order */
    uint64_t flight_bytes;   /**< payload bytes in flight after it, as the window counts them */
    uint64_t trimmed_bytes;  /**< payload of the packet that it reports as trimmed; 0: none */
    int64_t rtt_ps; /**< now - send time of the packet that caused it (NEEDS_RTT), else 0 */
    bool ecn_echo;  /**< the data packet was marked (NEEDS_ECN_ECHO), else false */
    bool last_hop;  /**< trimmed_bytes: where the packet would have gone to its receiver */
    bool nack;      /**< it is a NACK: una_bytes is what the receiver expects next */
    bool unsure;    /**< where packets have a timer each: rtt_ps is of one that was sent more than
                       twice, or was known to be received */
    bool probe;     /**< a probe caused it, which has no payload and passes the queues of data */
    uint16_t pint;  /**< NEEDS_PINT: the code that the data packet carried */
    uint16_t draw;  /**< pint_tables: a random number for sampling */
    uint32_t gains; /**< NEEDS_SUPPLY: data packets that it answers which came with
                       WEFT_CC_TAG_GAIN */
    uint32_t nhops; /**< NEEDS_INT: stamps in hops, first switch first */
    const struct weft_cc_hop *hops; /**< NEEDS_INT: valid during the call */
};

/** How the receiver turns marks into CNPs (NEEDS_CNP). */
struct weft_cc_cnp {
    bool separate;       /**< true: CNP packets of their own; false: a flag that rides the ACK */
    int64_t interval_ps; /**< at most one CNP per QP in this time; 0: one per marked packet */
};

/** One value that `observe` shows, for traces and plots. */
struct weft_cc_observable {
    const char *name; /**< "alpha", "target-rate" */
    const char *unit; /**< "bps", "bytes", "packets", "ps", "1" (ratio) */
    const char *help; /**< what it is */
};
/** Most observables of an algorithm. */
#define WEFT_CC_OBSERVABLES_MAX 16

/** One algorithm. Hooks marked Optional may be NULL. */
struct weft_cc_ops {
    const char *name;   /**< what users type: "dcqcn" */
    const char *title;  /**< one line for lists */
    const char *source; /**< paper, venue, year */
    unsigned needs;     /**< bits of enum weft_cc_needs, under any parameters */
    /** It is made for packets that take many paths and arrive in any order: with one path per QP
     * and a recovery that takes reordering for loss it is another control. */
    bool multipath;
    /** Until its first CNP no hook changes its state, nor what `init` wrote to *out. It has no
     * state until then, and of the hooks only on_cnp is called. For rates that only CNPs cut. */
    bool starts_with_cnp;
    size_t state_size; /**< bytes of state per QP, 0 allowed */
    struct weft_param_table params;
    const struct weft_preset *presets;            /**< terminated by name == NULL; Optional */
    const struct weft_cc_observable *observables; /**< terminated by name == NULL; Optional */
    const struct weft_cc_marking *marking; /**< Optional, cc_marking.h: without it DCQCN's hold */
    /** Optional, cc_replay.h: how the state moves while traffic repeats itself. Without it, and
     * with a state, every packet of its QPs is simulated, which `weft check` says. */
    const struct weft_cc_replay *replay;

    /** Optional. The bits of `needs` that hold under these parameters; without it all do. */
    unsigned (*needs_now)(const void *params);
    /** Optional. Checks parameters against each other; the env-independent combinations only. A
     * parameter that has no effect is no matter for it: the parameter's own `needs` says so
     * (base/needs.h). */
    int (*check)(const void *params, struct weft_err *err);
    /** Required. Starts a QP: writes all of state and all of *out. */
    void (*init)(void *state, const void *params, const struct weft_cc_env *env, int64_t now_ps,
                 struct weft_cc_out *out);
    /** Optional. Called just before the NIC reads *out to admit or pace a packet: advances lazy
     * timers to now. */
    void (*before_send)(void *state, const void *params, int64_t now_ps, struct weft_cc_out *out);
    /** Optional. One data packet (wire_bytes long) has started transmission at now. */
    void (*on_send)(void *state, const void *params, int64_t now_ps, uint32_t wire_bytes,
                    struct weft_cc_out *out);
    /** Optional. One ACK or NACK arrived. */
    void (*on_ack)(void *state, const void *params, int64_t now_ps, const struct weft_cc_ack *ack,
                   struct weft_cc_out *out);
    /** Optional (required with NEEDS_CNP). One CNP arrived. With transport.train it is also called
     * for several just before before_send: now_ps is then later than that of the last on_send, but
     * may be earlier than that of the last on_cnp. */
    void (*on_cnp)(void *state, const void *params, int64_t now_ps, struct weft_cc_out *out);
    /** Optional. The retransmission timer expired. */
    void (*on_rto)(void *state, const void *params, int64_t now_ps, struct weft_cc_out *out);
    /** Optional. The time of timer_at_ps has come; must set timer_at_ps anew. */
    void (*on_timer)(void *state, const void *params, int64_t now_ps, struct weft_cc_out *out);
    /** Required with NEEDS_CNP. How the receiver generates CNPs under these parameters. */
    void (*cnp)(const void *params, struct weft_cc_cnp *out);
    /** Optional (required with NEEDS_INT and NEEDS_PINT). What its signals cost under these
     * parameters (cc_switch.h); without it they cost nothing. */
    void (*signals)(const void *params, struct weft_cc_signals *out);
    /** Required with NEEDS_CREDIT, which then also wants on_send and on_ack; called only while
     * the parameters need credit. cc_credit.h */
    const struct weft_cc_credit_ops *credit;
    /** Required with NEEDS_SUPPLY, which then also wants on_send and on_ack. cc_supply.h */
    const struct weft_cc_supply_ops *supply;
    /** Optional. Writes one double per observable, in their order, as of the last hook. */
    void (*observe)(const void *state, const void *params, double *values);
};

WEFT_C_END
#endif
