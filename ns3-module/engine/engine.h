/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packet engine: hosts with RoCE NICs and shared-buffer switches, packet by packet.
 *
 * Model. Store-and-forward. Each data packet, ACK, NACK, CNP and PFC frame is serialised on each
 * link. A port serves its control frames (PFC) first, then the strict priorities from high to low,
 * then
 * the others by deficit round robin. A switch has one shared buffer with dynamic thresholds per
 * (ingress
 * port, priority); PFC keeps the lossless priorities from dropping. NICs pace QPs by
 * rate and window as the congestion control says; RC transport with go-back-N, go-back-0 or selective
 * repeat or out-of-order delivery, and a retransmission timer.
 *
 * Time is int64 picoseconds. Order of simultaneous events is canonical (time, kind, port or timer
 * number), never
 * the history of insertions: arrivals, then port transmissions, then timers (retransmission,
 * congestion control, PFC, user). So results do not
 * depend on how events are scheduled, batched or elided.
 *
 * One engine is one context: no globals; several can run in one process. Not thread-safe.
 * Includes no ns-3 header; ns3-module/model drives it from an ns-3 simulation.
 */
#ifndef WEFT_ENGINE_H
#define WEFT_ENGINE_H

#include "base/delay.h"
#include "base/figures.h"
#include "congestion/cc.h"
#include "topologies/link_change.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_PRIOS 8u

/** NIC and RC transport. Section "transport". */
struct weft_transport_params {
    uint64_t mtu_bytes; /**< payload bytes of a full packet */
    uint64_t data_prio; /**< priority of messages that ask for none */
    uint64_t ack_prio;  /**< priority of ACKs and NACKs */
    uint64_t cnp_prio;  /**< priority of CNPs */
    uint64_t ack_every; /**< packets per ACK; the last packet of a message is always acknowledged */
    int64_t nack_interval_ps; /**< at most one NACK per QP and gap in this time */
    int64_t rto_ps;           /**< retransmission timeout since the last progress */
    /** after so many expiries in a row without progress the QP fails and the run ends; 0: never */
    uint64_t retry_max;
    /** the timeout doubles with each expiry in a row, at most this many times */
    uint64_t rto_backoff_max;
    uint64_t header_bytes;    /**< Ethernet + IPv4 + UDP + BTH + ICRC + FCS of a data packet */
    uint64_t ack_bytes;       /**< frame size of an ACK or NACK */
    uint64_t cnp_bytes;       /**< frame size of a CNP */
    uint64_t min_frame_bytes; /**< shorter frames are padded */
    /** preamble, start delimiter and inter-frame gap: on the wire, not in buffers */
    uint64_t gap_bytes;
    uint64_t pad_bytes; /**< the payload on the wire is padded to a multiple of this */
    /** serialisation times and pacing gaps are rounded to a multiple of this; 0: exact */
    int64_t quantum_ps;
    int ns3_event_order; /**< ties between events as ns-3 breaks them: scheduled first, run first */
    int pacing; /**< QPs keep to the rate of the congestion control; 0: only to its window */
    int ack_ignores_pause; /**< NICs send ACKs even while their priority is paused */
    int64_t base_rtt_ps; /**< what congestion controls take for the base RTT; 0: that of the path */
    uint64_t bdp_bytes;  /**< what they take for the bandwidth-delay product; 0: that of the path */
    int ecmp;            /**< enum weft_ecmp */
    int recovery;        /**< enum weft_recovery */
    uint64_t chunk_bytes;     /**< go-back-0: a loss restarts the current chunk; 0: the message */
    int bdp_fc;               /**< selective repeat: at most one BDP of the path in flight */
    int64_t rto_low_ps;       /**< selective repeat: the timeout while few packets are in flight */
    uint64_t rto_low_packets; /**< how many are few */
    uint64_t
        reorder_packets; /**< out-of-order: a packet this far behind one that came is lost; 0: never */
    int allow_reordering; /**< per-packet balancing even where it looks like loss */
};

/** What a QP does about lost packets. */
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
/** What spreads data packets over equal-cost ports. */
enum weft_balance {
#define BALANCE(number, word, pick, per_packet, shared, steer) WEFT_BALANCE_##number,
#include "balances.def"
#undef BALANCE
    WEFT_BALANCES
};
/** How a switch shares a port among priorities that are not strict. */
enum weft_scheduler { WEFT_SCHED_DRR, WEFT_SCHED_PACKET_RR };
/** What `reserve` is set aside for. */
enum weft_reserve_scope { WEFT_RESERVE_QUEUE, WEFT_RESERVE_PORT };
/** How far a queue may grow into its pool. */
enum weft_threshold { WEFT_THRESHOLD_DYNAMIC, WEFT_THRESHOLD_STATIC };
/** How headroom is computed when none is given. */
enum weft_headroom_mode { WEFT_HEADROOM_STANDARD, WEFT_HEADROOM_HPCC };

/** Switch buffer and scheduling. Section "switch". The maps are "PRIO:VALUE,PRIO:VALUE", "": none. */
struct weft_switch_params {
    uint64_t buffer_bytes;  /**< shared buffer per switch */
    uint64_t reserve_bytes; /**< guaranteed per (ingress port, priority) */
    int reserve_scope;      /**< enum weft_reserve_scope */
    /* ingress: how much a (port, priority) may take of its pool */
    int threshold;      /**< enum weft_threshold */
    double alpha;       /**< dynamic: alpha x free bytes of the pool; of lossless priorities */
    double lossy_alpha; /**< the same of lossy priorities */
    const char *alpha_map;
    /** alpha doubles with each doubling of a port's rate over the first host's, up to 1 */
    int alpha_by_rate;
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
    /** 0: a lossy queue is measured by the free bytes of its ingress pool */
    uint64_t egress_lossy_pool_bytes;
    uint64_t egress_lossless_pool_bytes; /**< 0: lossless queues are not measured */
    uint64_t strict_prios;  /**< bit p set: priority p is served strictly before all that are not */
    int scheduler;          /**< enum weft_scheduler */
    int balance;            /**< enum weft_balance */
    int64_t flowlet_gap_ps; /**< flowlet: a flow that pauses longer may change its port */
    uint64_t quantum_bytes; /**< deficit round robin: bytes per turn at weight 1 */
    const char *weight_map; /**< deficit round robin: turns are so many quanta; else 1 */
};

/** Priority flow control. Section "pfc". */
struct weft_pfc_params {
    int enabled;
    int headroom_mode; /**< enum weft_headroom_mode */
    uint64_t prios;    /**< bit p set: priority p is lossless */
    /** per (ingress port, lossless priority); 0: computed from rate, delay, MTU and response time */
    uint64_t headroom_bytes;
    uint64_t headroom_factor;  /**< WEFT_HEADROOM_HPCC: headroom in units of rate x delay */
    uint64_t xon_offset_bytes; /**< XON when this far below the threshold */
    int64_t response_ps;  /**< from the last bit of a PFC frame to its effect at the paused port */
    uint64_t frame_bytes; /**< size of a PFC frame */
    /** pause time of a frame, in 512 bit times of the paused link; 0: until the resume */
    uint64_t quanta;
    int allow_deadlock; /**< start even if routes can deadlock */
    double refresh;     /**< XOFF is repeated after this fraction of the pause time */
    /** repeated XOFFs of all ports without any other packet made, delivered or dropped that end the run; 0: none */
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
    /** for a port of scale_rate; linear in the port's rate. UINT64_MAX: what the congestion control is tuned for */
    uint64_t kmin_bytes, kmax_bytes;
    double pmax; /**< marking probability at kmax; above kmax everything is marked. NaN: as above */
    uint64_t scale_rate_bps; /**< 0: kmin and kmax hold for every rate */
    const char
        *rate_map; /**< "RATE:KMIN:KMAX:PMAX,...": per port rate, instead of the above; "": none */
    /** "PRIO:KMIN:KMAX:PMAX,PRIO:off,...": per priority, instead of all the above; "": none */
    const char *prio_map;
    int draws;             /**< enum weft_draws */
    uint64_t first_stream; /**< WEFT_DRAWS_NS3: the stream of the first draw */
    int at_enqueue; /**< 0: decided at dequeue, without the packet itself; 1: at enqueue, with it */
    uint64_t dctcp_prios; /**< bit mask: priorities of frames whose sender is DCTCP; no parameter */
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
};

/** The parameter tables of the sections: transport, switch, pfc, ecn, credit, in-network. */
struct weft_engine_section {
    const char *name;
    const char *help;
    struct weft_param_table params;
    size_t offset; /**< in struct weft_engine_params */
};
#define WEFT_ENGINE_SECTIONS 6
extern const struct weft_engine_section weft_engine_sections[WEFT_ENGINE_SECTIONS];

/** Fills in all defaults. */
int weft_engine_params_defaults(struct weft_engine_params *p, struct weft_err *err);

struct weft_engine;

/** Why a packet was dropped. */
enum weft_drop_reason {
    WEFT_DROP_BUFFER,
    WEFT_DROP_HEADROOM,
    WEFT_DROP_ERROR,
    WEFT_DROP_LINK, /**< on or before a link that failed, or without a route since */
    WEFT_DROP_REASONS
};
/** "buffer", "headroom", "link-error", "link-down". */
const char *weft_drop_reason_name(enum weft_drop_reason reason);

/** What a packet is. */
enum weft_pkt_kind {
    WEFT_PKT_DATA,
    WEFT_PKT_ACK,
    WEFT_PKT_NACK,
    WEFT_PKT_CNP,
    WEFT_PKT_FRAME, /**< of another transport, see struct weft_engine_frame */
    WEFT_PKT_PFC,
    WEFT_PKT_CREDIT, /**< as PFC, for the link only */
    WEFT_PKT_SUM,    /**< part of an in-network operation, up or down its tree */
    WEFT_PKT_KINDS
};
const char *weft_pkt_kind_name(enum weft_pkt_kind kind);

/** A message as posted. */
struct weft_engine_msg {
    uint32_t src_host, dst_host; /**< host numbers, different */
    uint64_t bytes;
    uint64_t tag;  /**< carried to the receiver */
    uint64_t ref;  /**< given back to the sender on completion */
    uint32_t prio; /**< 0..7, or UINT32_MAX for transport.data_prio */
    /** which QP between src and dst at this priority: 0, 1, 2 ...; what is in the bits from WEFT_ENGINE_QP_BITS on tells
     * QPs apart without giving them another path */
    uint32_t qp;
};
#define WEFT_ENGINE_QP_BITS 20

/**
 * A frame of another transport, such as TCP: the engine carries it from host to host through the same
 * queues, buffers and priorities as RoCE's packets and knows nothing of what is in it.
 */
struct weft_engine_frame {
    uint32_t src_host, dst_host; /**< host numbers, different */
    /** port of the sending host, UINT32_MAX: the one that the flow's hash gives among those that lead
     * there */
    uint32_t port;
    uint32_t prio;          /**< 0..7 */
    uint32_t bytes;         /**< frame with header and FCS, at most 65535; padded to min-frame */
    uint32_t payload_bytes; /**< of it, what counts as payload in the counters of ports; <= bytes */
    /** names the flow: frames of one flow and pair of hosts take one path, chosen by a hash of this,
     * the hosts and the run's seed. Each flow is remembered to the end */
    uint32_t flow;
    int ect;         /**< ECN-capable: switches mark it where they would mark RoCE data */
    uint64_t handle; /**< given back by the hooks */
};

/** A moment: how often rates of ports, and routes, had changed. */
struct weft_engine_mark {
    uint32_t rates, routes;
};

/** A finished message. */
struct weft_engine_done {
    uint64_t id; /**< 0, 1, 2 ... in the order posted */
    struct weft_engine_msg msg;
    int64_t post_ps;
    int64_t received_ps; /**< last byte at the receiver */
    int64_t acked_ps;    /**< last ACK at the sender; 0 in the received hook */
    /** the least that it can take, alone on the fabric, over the paths that its packets may take; see ideal.c */
    int64_t ideal_ps;
    /** what delayed it beyond ideal_ps, by cause; once it is received. In sum exactly that */
    int64_t delay_ps[WEFT_DELAYS];
    uint64_t retx_bytes;
    uint64_t cnps;
    uint32_t qpn;                /**< number of its QP, see struct weft_engine_qp_view */
    uint64_t first_byte;         /**< payload of its QP before it */
    uint64_t first_psn, packets; /**< its packets are first_psn .. first_psn + packets - 1 */
};

/** What a congestion control lets packets carry, if they carry anything for it. */
enum weft_telemetry { WEFT_TELEMETRY_TIME, WEFT_TELEMETRY_INT, WEFT_TELEMETRY_PINT };

/** A packet as trace hooks show it. */
struct weft_engine_pkt_view {
    enum weft_pkt_kind kind;
    /** of the packet (an ACK's source is the data's receiver); SUM: UINT32_MAX */
    uint32_t src_host, dst_host;
    uint32_t prio;
    uint32_t frame_bytes;
    uint64_t psn; /**< DATA: its own number; ACK, NACK: the number expected next */
    int pause;    /**< PFC: 1 pause, 0 resume */
    /* packets of a QP */
    uint32_t qpn;       /**< number of its QP */
    uint32_t flow_hash; /**< what ECMP goes by (transport.ecmp = flow) */
    uint32_t hops;      /**< forwarding nodes that it has passed; 8: that many or more */
    uint32_t payload_bytes;
    int64_t sent_ps;   /**< DATA: when the NIC began to send it; ACK, NACK: the same of its cause */
    int ce;            /**< DATA: marked */
    int ack_request;   /**< DATA: it will be answered whatever transport.ack-every says */
    int echo;          /**< ACK, NACK: a packet that it covers was marked */
    int cnp;           /**< ACK, NACK: carries a CNP */
    int has_sack;      /**< NACK of selective repeat: */
    uint64_t sack_psn; /**< the packet that caused it */
    int ecn_capable;   /**< DATA: may be marked */
    enum weft_telemetry telemetry;      /**< what its telemetry is */
    uint32_t telemetry_bytes;           /**< how much of its frame that takes */
    const struct weft_cc_hop *int_hops; /**< INT so far; valid during the call */
    uint32_t nhops;
    uint32_t pint;   /**< PINT code */
    uint64_t handle; /**< FRAME: that of its struct weft_engine_frame */
};

/** The first QP number; 0 and 1 have a meaning of their own in InfiniBand. */
#define WEFT_FIRST_QPN 2u

/** A QP as trace hooks show it. */
struct weft_engine_qp_view {
    uint32_t qpn;                /**< WEFT_FIRST_QPN .., in the order of opening; at both ends */
    uint32_t src_host, dst_host; /**< of its data */
    uint32_t prio;
    uint32_t number;               /**< which QP between the two at this priority */
    uint32_t port;                 /**< host port that it sends through */
    uint64_t una_psn;              /**< first packet not acknowledged */
    uint64_t nxt_psn;              /**< next packet to send */
    uint64_t rate_bps, cwnd_bytes; /**< of the congestion control; UINT64_MAX: no window */
};

/** What may be told of packets at a port. */
enum weft_pkt_event {
    WEFT_PKT_SENT,    /**< the port begins to send it */
    WEFT_PKT_ARRIVED, /**< it came in through the port, completely */
    WEFT_PKT_QUEUED   /**< it entered the egress queue of the port of a switch or forwarding host */
};

/** What may be told of QPs, at their sender. */
enum weft_qp_event {
    WEFT_QP_ACK,  /**< an ACK arrived; before anything follows from it */
    WEFT_QP_NACK, /**< a NACK arrived */
    WEFT_QP_CNP,  /**< a CNP arrived, or an ACK or NACK that carries one */
    WEFT_QP_RETX, /**< a data packet is about to be sent again */
    WEFT_QP_RATE  /**< the congestion control has been asked; rate and window may have changed */
};

/** What a host gives to, and wants from, an in-network operation. */
struct weft_engine_part {
    uint32_t group;  /**< of weft_engine_group() */
    uint32_t member; /**< who posts it: its place in the group */
    uint64_t bytes, tag, ref;
    uint32_t from; /**< member whose data it is; UINT32_MAX: the sum of all */
    uint32_t to;   /**< member that receives; UINT32_MAX: all but @p from */
};

/** Hooks; each may be NULL and then costs one predictable branch. They may call
 * weft_engine_send, _timer, _stop. */
struct weft_engine_hooks {
    void *ctx;
    void (*received)(void *ctx,
                     const struct weft_engine_done *done); /**< at the receiver, last byte */
    void (*acked)(void *ctx, const struct weft_engine_done *done); /**< at the sender, last ACK */
    void (*pfc)(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio,
                int pause); /**< takes effect at the paused port */
    /** pfc may be called later, in the order of time: before a look at the engine's counters, and before
     * weft_engine_run returns. Then switches may run in windows (window.h), which is faster. */
    int pfc_late;
    void (*drop)(void *ctx, int64_t t_ps, uint32_t port, enum weft_drop_reason why,
                 const struct weft_engine_pkt_view *pkt);
    void (*ecn_mark)(void *ctx, int64_t t_ps, uint32_t port,
                     const struct weft_engine_pkt_view *pkt);
    void (*queue)(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio,
                  uint64_t bytes); /**< switch egress queue changed */
    /* Of frames; each frame comes to its end in one of the last two. frame_left and what a
     * weft_engine_send_frame drops at once are told before it returns. */
    /** It left the queue of its NIC: its transmission has started. */
    void (*frame_left)(void *ctx, uint64_t handle);
    /** It arrived at port @p port of its host; @p ce: it was marked on the way. */
    void (*frame_received)(void *ctx, uint32_t port, uint64_t handle, int ce);
    /** As drop; @p in_port: the port of a switch that it came in through and had no buffer for; UINT32_MAX: another reason. */
    void (*frame_dropped)(void *ctx, uint32_t port, uint32_t in_port, uint64_t handle,
                          enum weft_drop_reason why);
    void (*posted)(void *ctx,
                   const struct weft_engine_done *msg);           /**< nothing has happened to it */
    void (*link)(void *ctx, int64_t t_ps, uint32_t link, int up); /**< failed or came back */
    /** Packets at ports. @p packet_events says per port which: bits 1 << enum weft_pkt_event; it must
     * outlive the hooks and may change at any time. */
    void (*packet)(void *ctx, int64_t t_ps, uint32_t port, enum weft_pkt_event what,
                   const struct weft_engine_pkt_view *pkt);
    const uint8_t *packet_events;
    /** QPs. @p qp_events says which: bits 1 << enum weft_qp_event. @p pkt: NULL for rates and for CNPs */
    void (*qp)(void *ctx, int64_t t_ps, enum weft_qp_event what,
               const struct weft_engine_qp_view *qp, const struct weft_engine_pkt_view *pkt);
    uint32_t qp_events;
    /** Fault injection: not 0 loses the packet at the far end of the link of @p port, as a link error */
    int (*lose)(void *ctx, uint32_t port, const struct weft_engine_pkt_view *pkt);
};

/** Counters of one port; see struct weft_net_port_stats in net.h for the meaning of each. */
struct weft_engine_port_stats {
    uint64_t tx_packets, tx_bytes, tx_payload_bytes;
    int64_t busy_ps;
    uint64_t max_queue_bytes;
    int64_t paused_ps;
    uint64_t pauses, ecn_marks;
    uint64_t drops[WEFT_DROP_REASONS];
};

/** Counters of the engine. */
struct weft_engine_totals {
    uint64_t msgs_posted, msgs_received, msgs_acked;
    uint64_t bytes_posted, bytes_received;
    uint64_t packet_hops, events;
    uint64_t windows;                   /**< that switches ran in, see window.h */
    uint64_t sent[WEFT_PKT_KINDS];      /**< packets created, by kind */
    uint64_t delivered[WEFT_PKT_KINDS]; /**< packets that reached the node they were for */
    uint64_t drops[WEFT_DROP_REASONS];
    uint64_t ecn_marks, pfc_pauses, pfc_resumes, retx_packets, rtos;
    uint64_t pfc_refreshes;     /**< XOFF frames that repeat an earlier one */
    uint64_t packets_in_flight; /**< alive now */
    uint64_t qps;               /**< QPs opened so far */
};

/** What weft_engine_new needs; everything pointed to must outlive the engine, params and hooks
 * are copied. */
struct weft_engine_config {
    const struct weft_fabric *fabric; /**< finished */
    struct weft_engine_params params;
    const struct weft_cc_ops *cc;
    const void *cc_params; /**< filled struct of cc->params */
    uint64_t seed;
    struct weft_engine_hooks hooks;
};

/** Checks a configuration: headroom, reserve and pools fit the buffer, Kmin <= Kmax, priorities in
 * range, MTU, ... */
int weft_engine_check_config(const struct weft_engine_config *c, struct weft_err *err);
/** Whether routes of @p f over the links whose byte in @p down is 0 (NULL: all) cannot deadlock.
 * WEFT_E_INPUT names a circle; 0 when nothing is lossless, or pfc.allow-deadlock. */
int weft_engine_check_links(const struct weft_fabric *f, const struct weft_pfc_params *p,
                            const uint8_t *down, struct weft_err *err);
/**
 * Says of a configuration that weft_engine_check_config accepts, one sentence each, under which settings its congestion
 * controls can't act, with the numbers. @p roce: RoCE is used; else only frames of other transports are looked at.
 */
void weft_engine_advise(const struct weft_engine_config *c, bool roce,
                        void (*fn)(void *ctx, const char *sentence), void *ctx);
/** What ecn.kmin, .kmax or .pmax (@p what: its name) come to at the switches for the data priority: "1.6MB at 400Gbps"
 * for each sort of port, as far as @p buf takes them. */
void weft_engine_marking_text(const struct weft_engine_config *c, const char *what, char *buf,
                              size_t size);
/** Adds up what a configuration gives to buffers, and sets aside in them. */
void weft_engine_buffer_sums(const struct weft_engine_config *c, struct weft_buffer_figures *out);
/** Builds an engine; NULL on failure. */
struct weft_engine *weft_engine_new(const struct weft_engine_config *c, struct weft_err *err);
void weft_engine_free(struct weft_engine *e);
/** The engine will be run an instant or so at a time: switches don't run in windows (window.h), which would be
 * that short. Nothing but the number of events executed depends on it. */
void weft_engine_expect_steps(struct weft_engine *e);
/** Replaces the hooks. */
void weft_engine_set_hooks(struct weft_engine *e, const struct weft_engine_hooks *hooks);

/** Posts a message at time now; opens the QP (src, dst, prio) on first use. *id (may be NULL)
 * is its number. */
int weft_engine_send(struct weft_engine *e, const struct weft_engine_msg *msg, uint64_t *id,
                     struct weft_err *err);
/** Queues a frame at its NIC, where frames and QPs of one priority take turns. What happens to it is
 * told by the hooks. WEFT_E_INPUT: it cannot be sent; the handle is not kept. */
int weft_engine_send_frame(struct weft_engine *e, const struct weft_engine_frame *frame,
                           struct weft_err *err);
/**
 * Opens a group of hosts for in-network operations at a priority; see in_network.c for what switches
 * do. Before the first weft_engine_contribute() of any group. WEFT_E_INPUT: the fabric can't (no switch joins
 * them, a link of the tree loses packets, more groups at a switch than it has slots), or no such host.
 */
int weft_engine_group(struct weft_engine *e, const uint32_t *hosts, uint32_t n, uint32_t prio,
                      uint32_t *id, struct weft_err *err);
/**
 * Posts a host's part of the next operation of its group, now. All members post the same operations in
 * the same order. Hooks: received where it is delivered, with src_host and dst_host both this host,
 * then acked at each member once its part is over.
 */
int weft_engine_contribute(struct weft_engine *e, const struct weft_engine_part *part,
                           struct weft_err *err);
/** This moment, for weft_engine_frames_ideal_ps(). */
struct weft_engine_mark weft_engine_now_mark(const struct weft_engine *e);
/** The least time that a port of host @p host needed since @p since to send a frame of @p bytes. */
int64_t weft_engine_leaving_ps(const struct weft_engine *e, uint32_t host,
                               struct weft_engine_mark since, uint32_t bytes);
/** The least that @p bytes of the flow of @p frame can take on an empty fabric between @p since and now,
 * from the start of the first frame to the end of the last: frames of @p segment bytes and @p overhead
 * around them; see ideal.c. */
int64_t weft_engine_frames_ideal_ps(struct weft_engine *e, const struct weft_engine_frame *frame,
                                    struct weft_engine_mark since, uint64_t bytes, uint32_t segment,
                                    uint32_t overhead);
/** Calls fn(ctx, arg) at @p at_ps >= now. Equal times fire in the order asked for. */
int weft_engine_timer(struct weft_engine *e, int64_t at_ps, void (*fn)(void *ctx, uint64_t arg),
                      void *ctx, uint64_t arg, struct weft_err *err);

/**
 * Changes links, now and together; what a link is already changes nothing. Routes are recomputed at once
 * when links go down or come up, without asking whether they can deadlock: weft_engine_check_links says
 * so. See link_state.c for what becomes of packets, pauses and QPs. WEFT_E_INPUT, and nothing has
 * changed: no such link, or a value out of range.
 */
int weft_engine_change_links(struct weft_engine *e, struct weft_link_change *list, size_t n,
                             struct weft_err *err);

/** Per link, not 0 when it is down; NULL when none has ever been. */
const uint8_t *weft_engine_links_down(const struct weft_engine *e);

/** The engine's clock: the time of the event being executed, or the last one set. */
int64_t weft_engine_now(const struct weft_engine *e);
/** What is looked at next is the state at @p t_ps, which is at or before the next event: counters include
 * all transmissions before it. The clock does not move. */
void weft_engine_follow(struct weft_engine *e, int64_t t_ps);
/** Moves the clock forward to @p t_ps; requires now <= t_ps <= next event. Used when ns-3
 * events run between. */
void weft_engine_set_now(struct weft_engine *e, int64_t t_ps);
/** Time of the next event, WEFT_NEVER when idle. */
int64_t weft_engine_next(struct weft_engine *e);
/** Executes every event earlier than @p limit_ps (strictly). A hook may lower the limit.
 * Returns 0, or an error code (see weft_engine_error). */
int weft_engine_run(struct weft_engine *e, int64_t limit_ps);
/** Inside a hook: run() must not go past @p limit_ps (only lowers; the instant being executed
 * is always finished). */
void weft_engine_lower_limit(struct weft_engine *e, int64_t limit_ps);
/** Inside a hook: run() returns after the current event. */
void weft_engine_stop(struct weft_engine *e);
/** The error that ended run(), or code 0. */
const struct weft_err *weft_engine_error(const struct weft_engine *e);

/**
 * Makes the transmissions that ports owe up to now, and runs the windows of switches that far. What does this by itself takes
 * an engine that is not const: it changes no result, but calls hooks (pfc_late). The other observers show the state as it is.
 */
void weft_engine_settle(struct weft_engine *e);
void weft_engine_totals(struct weft_engine *e, struct weft_engine_totals *out);
void weft_engine_memory(const struct weft_engine *e, struct weft_memory_figures *out);
void weft_engine_port_stats(struct weft_engine *e, uint32_t port,
                            struct weft_engine_port_stats *out);
/** When fabric port @p port last sent, until now: the end of that transmission; 0 where it never did or its link is down. */
int64_t weft_engine_port_last_ps(struct weft_engine *e, uint32_t port);
/** Bytes queued now at a switch egress port, per priority. */
uint64_t weft_engine_queue_bytes(struct weft_engine *e, uint32_t port, uint32_t prio);
/** The congestion control of a QP; @p qpn is that of a hook. */
const struct weft_cc_ops *weft_engine_qp_control(const struct weft_engine *e, uint32_t qpn);
/** The observables of a QP's congestion control, one double each in the order of its table. */
void weft_engine_observe(const struct weft_engine *e, uint32_t qpn, double *values);
/** Checks every conservation law now. WEFT_E_INTERNAL names the first that fails. */
int weft_engine_check(struct weft_engine *e, struct weft_err *err);
/** Whether PFC has come to a deadlock: paused ports that wait for each other in a circle and that
 * nothing can resume. 1: yes, and @p text (may be NULL) names the priority and the cycle of ports;
 * 0: no. A pause that expires (pfc.quanta) is taken as refreshed. */
int weft_engine_find_deadlock(const struct weft_engine *e, char *text, size_t size);
/** Whether messages get on. */
enum weft_motion {
    WEFT_MOTION_NONE, /**< there is none, or none with a path */
    WEFT_MOTION_SOME, /**< some do, or have not stood still for long enough */
    WEFT_MOTION_STUCK /**< none does */
};
/**
 * Looks at how far messages have come by @p at_ps (now, or a time without events since). None gets on when no
 * QP with messages and a path has brought a packet further than ever before for @p after_ps, and longer where
 * its timers, links and queues are slow (stall.c). To be called at times that do not depend on the
 * machine, at least twice within @p after_ps; explanations then say since when.
 */
enum weft_motion weft_engine_motion(struct weft_engine *e, int64_t at_ps, int64_t after_ps);
/** Says of each QP that the last weft_engine_motion found without progress, whether all are or not, what it waits for;
 * at most @p max sentences. Returns how many there are. */
uint64_t weft_engine_explain_stuck(const struct weft_engine *e, uint64_t max,
                                   void (*fn)(void *, const char *), void *ctx);
/** Payload that has come to hosts so far: that of the messages received, and of the one under way on each QP what has been
 * taken in order. A pass over the QPs. */
uint64_t weft_engine_arrived_bytes(const struct weft_engine *e);
/** The longest time, over all links, that the longest queue there so far and two packets take. */
int64_t weft_engine_slowest_ps(const struct weft_engine *e);
/** When links changed last; 0: they have not. */
int64_t weft_engine_changed_ps(const struct weft_engine *e);
/** Says what keeps ports paused (a deadlock, or the roots of the pauses and their victims) and why
 * each unfinished message is stuck; at most @p max sentences; returns the number unfinished. */
uint64_t weft_engine_explain(struct weft_engine *e, uint64_t max,
                             void (*fn)(void *ctx, const char *sentence), void *ctx);

#ifdef __cplusplus
}
#endif
#endif
