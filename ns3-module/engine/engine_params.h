/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters of the packet engine, by section. Defaults, ranges, units and sources are in the rows
 * of the .def files of params/.
 */
#ifndef WEFT_ENGINE_PARAMS_H
#define WEFT_ENGINE_PARAMS_H

#include "base/param.h"

#include <stdint.h>

WEFT_C_BEGIN

#define WEFT_PRIOS 8u

/** NIC and RC transport. Section "transport". */
struct weft_transport_params {
    uint64_t mtu_bytes; /**< payload bytes of a full packet */
    uint64_t data_prio; /**< priority of messages that ask for none */
    uint64_t ack_prio;  /**< priority of ACKs and NACKs */
    uint64_t cnp_prio;  /**< priority of CNPs */
    uint64_t ack_every; /**< packets per ACK; the last packet of a message is always acknowledged */
    uint64_t ack_every_bytes; /**< rud: frame bytes per ACK; 0: ack_every */
    int64_t nack_interval_ps; /**< at most one NACK per QP and gap in this time */
    int64_t rto_ps;           /**< retransmission timeout since the last progress */
    /** after so many expiries in a row without progress the QP fails and the run ends; 0: never */
    uint64_t retry_max;
    /** the timeout doubles with each expiry in a row, at most this many times */
    uint64_t rto_backoff_max;
    uint64_t header_bytes;    /**< Ethernet + IPv4 + UDP + BTH + ICRC + FCS of a data packet */
    uint64_t ack_bytes;       /**< frame size of an ACK or NACK */
    uint64_t nack_bytes;      /**< frame size of a NACK; 0: as an ACK */
    uint64_t probe_bytes;     /**< rud: frame size of a packet that asks for an ACK; 0: none */
    uint64_t cnp_bytes;       /**< frame size of a CNP */
    uint64_t min_frame_bytes; /**< shorter frames are padded */
    /** preamble, start delimiter and inter-frame gap: on the wire, not in buffers */
    uint64_t gap_bytes;
    uint64_t pad_bytes; /**< the payload on the wire is padded to a multiple of this */
    /** serialisation times and pacing gaps are rounded to a multiple of this; 0: exact */
    int64_t quantum_ps;
    bool
        ns3_event_order; /**< ties between events as ns-3 breaks them: scheduled first, run first */
    bool pacing; /**< QPs keep to the rate of the congestion control; 0: only to its window */
    bool ack_ignores_pause; /**< NICs send ACKs even while their priority is paused */
    int64_t base_rtt_ps; /**< what congestion controls take for the base RTT; 0: that of the path */
    uint64_t bdp_bytes;  /**< what they take for the bandwidth-delay product; 0: that of the path */
    int ecmp;            /**< enum weft_ecmp */
    int recovery;        /**< enum weft_recovery */
    uint64_t chunk_bytes;     /**< go-back-0: a loss restarts the current chunk; 0: the message */
    bool bdp_fc;              /**< selective repeat: at most one BDP of the path in flight */
    int64_t rto_low_ps;       /**< selective repeat: the timeout while few packets are in flight */
    uint64_t rto_low_packets; /**< how many are few */
    uint64_t reorder_packets; /**< out-of-order: a packet this far behind one that came is lost; 0:
                                 never */
    uint64_t train; /**< packets of a message that may move as one; at most 1: each by itself */
    bool allow_reordering; /**< per-packet balancing even where it looks like loss */
    bool uet;              /**< captures show Ultra Ethernet's headers; no parameter */
};

/** Reaction of a QP to lost packets. */
enum weft_recovery {
#define RECOVERY(number, symbol, word) WEFT_RECOVERY_##number,
#include "recoveries.def"
#undef RECOVERY
    WEFT_RECOVERIES
};

/** How switches choose among equal-cost ports. */
enum weft_ecmp {
    /** hash of (src, dst, prio, qp) and the run's seed, mixed with the switch's number */
    WEFT_ECMP_FLOW,
    /** as the HPCC simulator: MurmurHash3 of addresses and ports, seeded by the switch's number */
    WEFT_ECMP_HPCC
};
/** Spreading of data packets over equal-cost ports. */
enum weft_balance {
#define BALANCE(number, word, title, pick, per_packet, shared, steer, path) WEFT_BALANCE_##number,
#include "topologies/balances.def"
#undef BALANCE
    WEFT_BALANCES
};
/** How senders choose entropy values (entropy.h). */
enum weft_entropy {
    WEFT_ENTROPY_OBLIVIOUS,
    WEFT_ENTROPY_BITMAP,
    WEFT_ENTROPY_REPS,
    WEFT_ENTROPY_MIXED
};
/** How a switch shares a port among priorities that are not strict. */
enum weft_scheduler { WEFT_SCHED_DRR, WEFT_SCHED_PACKET_RR };
/** What `reserve` is set aside for. */
enum weft_reserve_scope { WEFT_RESERVE_QUEUE, WEFT_RESERVE_PORT };
/** How far a queue may grow into its pool. */
enum weft_threshold { WEFT_THRESHOLD_DYNAMIC, WEFT_THRESHOLD_STATIC };
/** Which packet a full egress queue costs. */
enum weft_overflow { WEFT_OVERFLOW_ARRIVING, WEFT_OVERFLOW_TOSS };
/** How headroom is computed when none is given. */
enum weft_headroom_mode { WEFT_HEADROOM_STANDARD, WEFT_HEADROOM_HPCC };

/** Switch buffer and scheduling. Section "switch". The maps are "PRIO:VALUE,PRIO:VALUE", "": none.
 */
struct weft_switch_params {
    uint64_t buffer_bytes;          /**< shared buffer per switch */
    uint64_t buffer_per_port_bytes; /**< times the ports of a switch, in place of it; 0: none */
    uint64_t reserve_bytes;         /**< guaranteed per (ingress port, priority) */
    int reserve_scope;              /**< enum weft_reserve_scope */
    /* ingress: how much a (port, priority) may take of its pool */
    int threshold;      /**< enum weft_threshold */
    double alpha;       /**< dynamic: alpha x free bytes of the pool; of lossless priorities */
    double lossy_alpha; /**< the same of lossy priorities */
    const char *alpha_map;
    /** alpha doubles with each doubling of a port's rate over the first host's, up to 1 */
    bool alpha_by_rate;
    uint64_t limit_bytes; /**< static */
    const char *limit_map;
    /** part of the shared buffer that is a pool of the lossy priorities; 0: one pool for all */
    double lossy_share;
    /* egress: how long a queue may be. Lossless ones are bound only by a pool of their own */
    int egress_threshold; /**< enum weft_threshold */
    double egress_alpha;
    const char *egress_alpha_map;
    uint64_t egress_limit_bytes;
    const char *egress_limit_map;
    uint64_t egress_scale_rate_bps; /**< static: limits are for a port of that rate; 0: any */
    /** 0: a lossy queue is measured by the free bytes of its ingress pool */
    uint64_t egress_lossy_pool_bytes;
    uint64_t egress_lossless_pool_bytes; /**< 0: lossless queues are not measured */
    int overflow;                        /**< enum weft_overflow, of lossy priorities */
    uint64_t trim_prios; /**< bit p set: what finds no buffer in priority p is trimmed (trim.h) */
    uint64_t trim_bytes; /**< frame bytes that are left of it */
    uint64_t trim_prio;  /**< where that travels */
    double trim_host_scale; /**< static: limits of trim_prios at ports to hosts are times this */
    uint64_t strict_prios;  /**< bit p set: priority p is served strictly before all that are not */
    int scheduler;          /**< enum weft_scheduler */
    int balance;            /**< enum weft_balance, or a balancer of a plug-in */
    const char *balancer;   /**< parameters of that: "PARAMETER=VALUE ..." */
    /** flowlet, letflow, conga: a flow that pauses longer may change its port */
    int64_t flowlet_gap_ps;
    uint64_t drill_samples;    /**< drill: d, ports drawn for a packet */
    uint64_t drill_memory;     /**< drill: m, ports remembered */
    int64_t conga_interval_ps; /**< conga: T, between decays of what a link has sent */
    double conga_decay;        /**< conga: alpha, part of it that goes with each */
    int64_t conga_age_ps;      /**< conga: what a leaf was told holds so long */
    /* conweave */
    int64_t conweave_reply_ps;          /**< beyond the empty round trip: an answer is late */
    int64_t conweave_path_busy_ps;      /**< after a mark, a way isn't chosen so long */
    int64_t conweave_inactive_ps;       /**< a flow that pauses longer begins anew */
    int64_t conweave_resume_extra_ps;   /**< beyond the tail's expected time, packets are kept */
    int64_t conweave_resume_default_ps; /**< the same if nothing is known of the tail */
    int entropy_policy;                 /**< enum weft_entropy */
    uint64_t entropy_values;            /**< of a QP, a power of two */
    int64_t entropy_freeze_ps;          /**< reps, mixed: after a timeout */
    uint64_t quantum_bytes;             /**< deficit round robin: bytes per turn at weight 1 */
    const char *weight_map; /**< deficit round robin: turns are so many quanta; else 1 */
};

/** Priority flow control. Section "pfc". */
struct weft_pfc_params {
    bool enabled;
    int headroom_mode; /**< enum weft_headroom_mode */
    uint64_t prios;    /**< bit p set: priority p is lossless */
    /** per (ingress port, lossless priority); 0: computed from rate, delay, MTU and response time
     */
    uint64_t headroom_bytes;
    uint64_t headroom_factor;  /**< WEFT_HEADROOM_HPCC: headroom in units of rate x delay */
    uint64_t xon_offset_bytes; /**< XON when this far below the threshold */
    int64_t response_ps;  /**< from the last bit of a PFC frame to its effect at the paused port */
    uint64_t frame_bytes; /**< size of a PFC frame */
    /** pause time of a frame, in 512 bit times of the paused link; 0: until the resume */
    uint64_t quanta;
    bool allow_deadlock; /**< start even if routes can deadlock */
    double refresh;      /**< XOFF is repeated after this fraction of the pause time */
    /** repeated XOFFs of all ports without any other packet made, delivered or dropped that end the
     * run; 0: none */
    uint64_t repeat_limit;
};

/** Credit-based flow control, of dimensions that ask for it. Section "credit". */
struct weft_credit_params {
    uint64_t buffer_bytes; /**< per (ingress port, lossless priority); 0: computed per link */
    uint64_t unit_bytes;   /**< a frame takes its length rounded up to a multiple of this */
    uint64_t frame_bytes;  /**< size of a credit frame; 0: credits ride with other traffic */
};

/** Where marking takes its random numbers. */
enum weft_draws {
    WEFT_DRAWS_PORT, /**< a stream of weft's own per port */
    WEFT_DRAWS_NS3   /**< each from a new random variable of ns-3, whose run is the engine's seed */
};

/** ECN marking (RED on the instantaneous egress queue). Section "ecn". */
struct weft_ecn_params {
    /** for a port of scale_rate; linear in the port's rate. UINT64_MAX: what the congestion control
     * is tuned for */
    uint64_t kmin_bytes, kmax_bytes;
    double pmax; /**< marking probability at kmax; above kmax everything is marked. NaN: as above */
    uint64_t scale_rate_bps; /**< 0: kmin and kmax hold for every rate */
    const char
        *rate_map; /**< "RATE:KMIN:KMAX:PMAX,...": per port rate, instead of the above; "": none */
    /** "PRIO:KMIN:KMAX:PMAX,PRIO:off,...": per priority, instead of all the above; "": none */
    const char *prio_map;
    int draws;             /**< enum weft_draws */
    uint64_t first_stream; /**< WEFT_DRAWS_NS3: the stream of the first draw */
    bool host_ports;       /**< ports to hosts mark, too */
    bool at_enqueue;       /**< at enqueue, with the packet itself; false: at dequeue, without it */
    uint64_t dctcp_prios; /**< bit mask: priorities of frames whose sender is DCTCP; no parameter */
};

/** Ultra Ethernet in some traffic classes, beside RoCE. Section "uet". */
struct weft_uet_params {
    uint64_t prios;      /**< bit p set: messages of priority p go by it */
    const char *control; /**< its congestion control: "NAME PARAMETER=VALUE ..." */
    /** recovery, ack_prio, ack_every_bytes, nack_interval, rto, rto_backoff_max, retry_max, sizes
     * of frames, pad, reorder_packets and base_rtt are its own; what else there is, is transport's
     */
    struct weft_transport_params t;
};

/** Switches that add up and copy. Section "in-network". */
struct weft_in_network_params {
    uint64_t slots;     /**< sums of one packet each that a switch can hold in the making */
    uint64_t rate_bps;  /**< frames that a switch adds up per time; 0: as fast as they come */
    int64_t latency_ps; /**< from the last frame of a sum to the sum */
};

/** Everything that configures an engine. */
struct weft_engine_params {
    struct weft_transport_params transport;
    struct weft_switch_params sw;
    struct weft_pfc_params pfc;
    struct weft_ecn_params ecn;
    struct weft_credit_params credit;
    struct weft_in_network_params in_network;
    struct weft_uet_params uet;
};

/** The parameter tables of the sections: transport, switch, pfc, ecn, credit, in-network, uet. */
struct weft_engine_section {
    const char *name;
    const char *help;
    struct weft_param_table params;
    size_t offset; /**< in struct weft_engine_params */
};
#define WEFT_ENGINE_SECTIONS 7
extern const struct weft_engine_section weft_engine_sections[WEFT_ENGINE_SECTIONS];

/** Fills in all defaults. */
int weft_engine_params_defaults(struct weft_engine_params *p, struct weft_err *err);

WEFT_C_END
#endif
