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
 * Timers that matter only at the next send (DCQCN's three) are advanced lazily inside the
 * hooks from `now`; only an algorithm that must act at a moment of its own sets timer_at_ps.
 */
#ifndef WEFT_CC_H
#define WEFT_CC_H

#include "base/param.h"
#include "base/preset.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an algorithm needs from the network; NIC and switches enable it from these bits. */
enum weft_cc_needs {
    WEFT_CC_NEEDS_ECN = 1u << 0, /**< switches ECN-mark data packets (RED curve Kmin, Kmax, Pmax) */
    WEFT_CC_NEEDS_CNP =
        1u << 1, /**< the receiver answers marked packets with CNPs, see weft_cc_ops.cnp */
    WEFT_CC_NEEDS_ECN_ECHO = 1u << 2, /**< each ACK says whether its data packet was marked */
    WEFT_CC_NEEDS_RTT = 1u << 3,      /**< each ACK echoes the send time of its data packet */
    WEFT_CC_NEEDS_INT = 1u << 4, /**< switches stamp data packets per hop, ACKs echo the stamps */
    WEFT_CC_NEEDS_PINT =
        1u << 5, /**< switches fold their utilisation into one number per packet, ACKs echo it */
    WEFT_CC_NEEDS_BASE_RTT = 1u << 6, /**< weft_cc_env.base_rtt_ps decides something */
    WEFT_CC_NEEDS_BDP = 1u << 7,      /**< weft_cc_env.bdp_bytes decides something */
    WEFT_CC_NEEDS_CREDIT =
        1u << 8,                   /**< the receiver grants credit, see struct weft_cc_credit_ops */
    WEFT_CC_NEEDS_SUPPLY = 1u << 9 /**< switches warn senders and count what their links have left,
                                      see struct weft_cc_supply_ops */
};

/** What one switch egress port stamps on a data packet when it leaves (NEEDS_INT). */
struct weft_cc_hop {
    int64_t ts_ps;       /**< time of departure: start of serialisation */
    uint64_t tx_bytes;   /**< wire bytes sent by this port before this packet */
    uint64_t qlen_bytes; /**< egress occupancy of the port, all priorities, without this packet */
    uint64_t rate_bps;   /**< rate of the port */
};
/** Most hops that an INT stack records; a longer path drops the later ones. */
#define WEFT_CC_MAX_HOPS 16

/** What an algorithm's signals cost and how switches make them. */
struct weft_cc_signals {
    uint32_t data_bytes; /**< bytes that the signal adds to each data packet */
    uint32_t ack_bytes;  /**< bytes that the echo adds to each ACK and NACK */
    double pint_base;    /**< NEEDS_PINT: base of the logarithmic code, > 1 */
    int pint_tables; /**< NEEDS_PINT: the switches' arithmetic is weft_pint_update_tables, and ACKs
                        carry a draw */
    int64_t pint_t_ps;     /**< NEEDS_PINT: averaging time T of the switches' utilisation; 0: the
                              fabric's largest base RTT */
    uint32_t pint_packets; /**< NEEDS_PINT: T is at least as long as so many full packets take at
                              the port's rate; 0: any */
};

/** What an algorithm may know of its path when a QP opens. */
struct weft_cc_env {
    uint64_t line_rate_bps;  /**< rate of the sending NIC's port */
    int64_t base_rtt_ps;     /**< unloaded round trip: MTU data packet there, ACK back */
    uint64_t bdp_bytes;      /**< bottleneck rate of the path x base_rtt, payload bytes */
    uint32_t mtu_bytes;      /**< payload bytes of a full packet */
    uint32_t mtu_wire_bytes; /**< bytes that a full packet occupies on the wire */
    uint32_t hops;           /**< switches on the path; 0: unknown */
    bool packet_timers;      /**< on_rto tells of one lost packet each time; else of one or more */
    bool trims; /**< switches trim packets that find no room: trimmed_bytes tells of each */
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

/** What a data packet says to switches (NEEDS_SUPPLY). */
enum weft_cc_tag {
    WEFT_CC_TAG_GAIN = 1,   /**< the window may grow by a packet, unless a switch takes this away */
    WEFT_CC_TAG_WARNED = 2, /**< a switch has warned its sender */
    WEFT_CC_TAG_LAST = 4,   /**< nothing will be sent because of its ACK: the flow ends */
    WEFT_CC_TAG_FIRST = 8   /**< sent before the first ACK of the flow */
};

/** A data packet that leaves. A flow is what is posted on a QP until nothing is left. */
struct weft_cc_leaving {
    uint64_t una_bytes;   /**< payload bytes acknowledged so far */
    uint64_t from_bytes;  /**< payload bytes before it */
    uint64_t until_bytes; /**< and with it */
    uint64_t end_bytes;   /**< and with all that is posted */
};

/** What a switch tells the sender of a packet that found a queue. */
struct weft_cc_warning {
    int64_t rtt_ps;       /**< now - send time of that packet */
    uint64_t queue_bytes; /**< frame bytes that waited at the port, all priorities, without it */
    uint64_t rate_bps;    /**< rate of the port */
};

/** What switches do about an algorithm's packets. A packet is a full one of the QP. */
struct weft_cc_supply {
    double threshold;     /**< packets: a queue that holds as much has its senders warned */
    uint32_t tokens;      /**< most flows that end which a port remembers; 0: none */
    double burst;         /**< packets: most of what a link has left that is kept; < 1: nothing */
    uint64_t frame_bytes; /**< of a warning */
};

/** What the two ends of a QP and switches say to each other of supply. */
struct weft_cc_supply_ops {
    /** Bits of enum weft_cc_tag for a packet that leaves, after on_send. */
    uint32_t (*tag)(void *state, const void *params, const struct weft_cc_leaving *packet);
    /** A switch warns. */
    void (*warned)(void *state, const void *params, int64_t now_ps,
                   const struct weft_cc_warning *warning, struct weft_cc_out *out);
    /** The rules of switches. */
    void (*rules)(const void *params, struct weft_cc_supply *out);
};

/** The RED curve that an algorithm is tuned for: what ecn.kmin, ecn.kmax and ecn.pmax are unless
 * given. */
struct weft_cc_marking {
    const char *kmin;   /**< as text with unit, at a port of ecn.scale-rate (25 Gbps) */
    const char *kmax;   /**< the same; equal to kmin: one threshold, a step */
    const char *pmax;   /**< marking probability at kmax */
    const char *source; /**< paper, script */
};

/** The text of "kmin", "kmax" or "pmax"; NULL: neither. */
const char *weft_cc_marking_text(const struct weft_cc_marking *m, const char *name);

/** One value that `observe` shows, for traces and plots. */
struct weft_cc_observable {
    const char *name; /**< "alpha", "target-rate" */
    const char *unit; /**< "bps", "bytes", "packets", "ps", "1" (ratio) */
    const char *help; /**< what it is */
};
/** Most observables of an algorithm. */
#define WEFT_CC_OBSERVABLES_MAX 16

/** How a field of an algorithm's state moves while traffic repeats itself, lap after lap, with the
 * same decisions (the engine's replay.h). */
enum weft_cc_moves {
    WEFT_CC_MOVES_TIME, /**< with the clock; 0 and WEFT_NEVER, which say that there is none, stay */
    WEFT_CC_MOVES_BYTES, /**< as una_bytes and nxt_bytes of ACKs do; 0, none, stays */
    WEFT_CC_MOVES_COUNT, /**< as a counter of stamps does, of which only differences matter; the
                            n-th of such fields is that of the n-th switch */
    WEFT_CC_MOVES_SELDOM /**< it stays: the time of something that does not happen then. Where the
                            user allows an error and traffic has settled, it goes with the clock; 0
                            and WEFT_NEVER stay */
};
/** Such fields, of 8 bytes each: @p n of them, @p stride bytes apart. */
struct weft_cc_moving {
    size_t offset;
    size_t size; /**< 8; 0: ends the table */
    enum weft_cc_moves moves;
    size_t n, stride;
};
/** One field of `struct state`. */
#define WEFT_CC_MOVING(field, moves)                                                               \
    {                                                                                              \
        offsetof(struct state, field), sizeof(((struct state *)0)->field), moves, 1, 8             \
    }
#define WEFT_CC_MOVING_END                                                                         \
    {                                                                                              \
        0, 0, WEFT_CC_MOVES_TIME, 0, 8                                                             \
    }

/** One algorithm. Hooks marked Optional may be NULL. */
struct weft_cc_ops {
    const char *name;   /**< what users type: "dcqcn" */
    const char *title;  /**< one line for lists */
    const char *source; /**< paper, venue, year */
    unsigned needs;     /**< bits of enum weft_cc_needs, under any parameters */
    size_t state_size;  /**< bytes of state per QP, 0 allowed */
    struct weft_param_table params;
    const struct weft_preset *presets;            /**< terminated by name == NULL; Optional */
    const struct weft_cc_observable *observables; /**< terminated by name == NULL; Optional */
    /** Optional: the fields of the state that move while traffic repeats itself. All others decide
     * something by what they are: time enters through the fields named here and the arguments of
     * hooks alone. Without it, and with a state, the traffic of its QPs is never replayed. */
    const struct weft_cc_moving *moving;
    /** Optional: why its traffic is never skipped within a tolerance (docs/replay.md), however
     * settled it looks. */
    const char *unsettled;
    /** Optional. The longest time from one of its decisions to the next that it takes by its own
     * timers, as its state is; 0: none, it only waits for news. Without it it goes by packets. */
    int64_t (*pace_ps)(const void *state, const void *params);
    /** Optional. Moves the state on by ACKs that found the network as the last one did, for @p
     * bytes together. Without it traffic is not skipped while what `observe` shows goes one way. */
    void (*on_like_acks)(void *state, const void *params, uint64_t bytes, struct weft_cc_out *out);
    /** Whether its state, in traffic in which nothing changes, is after each round trip what it was
     * before, but for fields that move: it counts nothing else, neither packets nor time. Such
     * traffic that was skipped by whole round trips is taken to go on as it would have. */
    bool by_rounds;
    const struct weft_cc_marking *marking; /**< Optional: without it those of DCQCN hold */

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
    /** Optional (required with NEEDS_CNP). One CNP arrived. */
    void (*on_cnp)(void *state, const void *params, int64_t now_ps, struct weft_cc_out *out);
    /** Optional. The retransmission timer expired. */
    void (*on_rto)(void *state, const void *params, int64_t now_ps, struct weft_cc_out *out);
    /** Optional. The time asked for in timer_at_ps has come; must set timer_at_ps anew. */
    void (*on_timer)(void *state, const void *params, int64_t now_ps, struct weft_cc_out *out);
    /** Required with NEEDS_CNP. How the receiver generates CNPs under these parameters. */
    void (*cnp)(const void *params, struct weft_cc_cnp *out);
    /** Optional (required with NEEDS_INT and NEEDS_PINT). What its signals cost under these
     * parameters; without it they cost nothing. */
    void (*signals)(const void *params, struct weft_cc_signals *out);
    /** Required with NEEDS_CREDIT, which then also wants on_send and on_ack; called only while
     * the parameters need credit. */
    const struct weft_cc_credit_ops *credit;
    /** Required with NEEDS_SUPPLY, which then also wants on_send and on_ack. */
    const struct weft_cc_supply_ops *supply;
    /** Optional. Writes one double per observable, in their order, as of the last hook. */
    void (*observe)(const void *state, const void *params, double *values);
};

/** Whether an algorithm has every hook and table that is required, and those that go together;
 * WEFT_E_INTERNAL names the first that is missing. */
int weft_cc_check_ops(const struct weft_cc_ops *ops, struct weft_err *err);

/** All algorithms, in the order of cc_table.def; *n receives their number. */
const struct weft_cc_ops *const *weft_cc_table(size_t *n);
/** The first algorithm with a preset called @p name; NULL: none has. */
const struct weft_cc_ops *weft_cc_preset_owner(const char *name);
/** What @p ops needs under @p params: bits of enum weft_cc_needs. */
unsigned weft_cc_needs(const struct weft_cc_ops *ops, const void *params);
/** Longest text of weft_cc_signal_names. */
#define WEFT_CC_SIGNALS_TEXT_MAX 96
/** The same as words: "ecn, cnp, cnp-packet"; "none". cnp-packet: CNPs are packets of their own.
 * Returns @p buf. */
const char *weft_cc_signal_names(const struct weft_cc_ops *ops, const void *params, char *buf,
                                 size_t size);
/** The algorithm called @p name; on an unknown name NULL, and *err names the nearest. */
const struct weft_cc_ops *weft_cc_find(const char *name, struct weft_err *err);
/** Adds one that was loaded at run time (base/plugin.h), before any network is made. */
int weft_cc_add(const struct weft_cc_ops *ops, struct weft_err *err);

#ifdef __cplusplus
}
#endif
#endif
