/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine's records and the calls between its files. Nothing outside the engine includes this.
 *
 *   engine.c  clock, event loop, timers, life cycle      port.c  links, queues, scheduling,
 * forwarding
 *   mmu.c     shared buffer, XOFF and XON, ECN           nic.c   QP arbitration, pacing, sending
 * data
 *   rc.c      receiving data, ACK, NACK, CNP             qp.c    opening QPs, posting messages
 *   go_back_n.c, go_back_0.c, selective_repeat.c, out_of_order.c: loss recovery, see recovery.h
 *   audit.c   counters, conservation checks, explanation of what is stuck
 *   mmu_config.c  sizes and thresholds of the buffer      prio_params.c  parameters per priority
 *   ecmp.c    the hash of a flow                      balance.c  other ways among equal-cost ports
 *   pfc.c     PFC frames, pause times, refresh           diagnose.c  deadlocks, roots of pauses, victims
 *   link_change.c  links that change    link_state.c  links that fail and come back
 *   stall.c  whether messages get on
 *   memory.c  bytes of state                          control.c  congestion controls per dimension
 *   credit.c  credit-based flow control
 *   frame.c   frames of other transports
 *   delay.c   why messages take longer than alone
 *   lazy.c    transmissions without events of their own
 *   ideal.c   the least time that a message can take
 *   window.c  switches that run behind hosts, a window at a time
 *   in_network.c  sums and copies in switches         in_network_group.c  their groups and trees
 *   in_network_check.c  their laws, and what they wait for
 *
 * Everything is arrays of records by index. A packet is in exactly one list at a time: a port's
 * queue, or the
 * ring of packets in flight on a link. Only the head of a link's ring is in the event queue.
 */
#ifndef WEFT_ENGINE_INTERNAL_H
#define WEFT_ENGINE_INTERNAL_H

#include "base/delay.h"
#include "base/fetch.h"
#include "base/int128.h"
#include "base/ns3_rng.h"
#include "base/rng.h"
#include "base/units.h"
#include "congestion/choice.h"
#include "engine.h"
#include "fastq.h"
#include "ideal.h"
#include "stable.h"
#include "topologies/routes.h"
#include "window.h"

/** Fixed point of "picoseconds per byte": 20 fractional bits. Exact for rates that divide into
 * whole ps per byte. */
#define GAP_SHIFT 20
/** The clock's end, 53 days: later than now by any duration is still a time. A frame takes 6 days at most. */
#define LAST_PS (WEFT_NEVER / 2)
/** A duration that is too long to be waited for. */
#define FOREVER_PS (WEFT_NEVER / 4)
#define MAX_PATH 64 /**< hops on a path; longer ones are cut from estimates only */

/** Packets alive beyond which their records are no longer in the caches: below, fetching ahead costs more than
 * it saves. With INT a quarter of that, as stamps make packets larger. */
#define WARM_PACKETS 16384u
/** QPs beyond which theirs aren't either. */
#define WARM_QPS 4096u

enum pkt_flags {
    PKT_LAST = 1,     /**< DATA: last packet of its message */
    PKT_ECT = 1,      /**< FRAME: ECN-capable */
    PKT_CE = 2,       /**< DATA, FRAME: congestion experienced */
    PKT_ECHO = 4,     /**< ACK, NACK: a packet it covers was marked */
    PKT_ASK = 4,      /**< DATA: wants an ACK at once, the AckReq bit of the BTH */
    PKT_CNP = 8,      /**< ACK, NACK: carries a CNP */
    PKT_XOFF = 16,    /**< PFC: pause (else resume) */
    PKT_SACK = 16,    /**< ACK, NACK: sack is the packet that caused it */
    PKT_DOWN = 16,    /**< SUM: from the root to the hosts (else towards it) */
    PKT_CUT = 32,     /**< on a link that failed: lost when it would have arrived */
    PKT_CHANNEL = 64, /**< its virtual channels, chan and in_chan, are not both 0 */
    PKT_UPPER = 128   /**< DATA: in class 1 of the virtual channels (steer.h) */
};

/** One packet: 64 bytes, one cache line. */
struct pkt {
    uint32_t next; /**< list link; first, as stable.h wants */
    uint32_t qp;   /**< SUM on its way up from a host: the member */
    union {
        int64_t
            next_at_ps;  /**< on a link: when the packet behind it will have arrived completely */
        int64_t held_ps; /**< DATA in a queue: the clock of its pauses when it came, see delay.c */
    };
    /** DATA: start of transmission at the NIC; ACK: that of the data packet it answers */
    int64_t sent_ps;
    union {
        uint64_t psn;    /**< DATA: own number; ACK, NACK: the number expected next */
        uint64_t handle; /**< FRAME: the sender's name for it */
    };
    uint32_t dst_host; /**< SUM: place of its next stop in the tree */
    uint32_t in_port;  /**< in a switch: the port it came in through; NIL: it was made there */
    union {
        uint32_t msg;  /**< DATA: message record; SUM: group */
        uint32_t sack; /**< with PKT_SACK: the packet that caused it, counted from psn */
    };
    uint16_t frame;   /**< frame bytes */
    uint16_t payload; /**< DATA, FRAME: payload bytes */
    uint8_t kind;     /**< enum weft_pkt_kind */
    uint8_t prio;
    uint8_t flags; /**< enum pkt_flags */
    uint8_t hop;   /**< forwarding nodes passed, at most QP_PATH */
    uint32_t
        order;    /**< on a link, ns3-event-order: rank of its arrival among simultaneous events */
    uint32_t sig; /**< INT stack and its stamps, NIL: none; with PINT: the code */
    /** DATA with steer.h: the host on the way; with PKT_CHANNEL or PKT_UPPER: the virtual channel it
     * travels in, its priority being as much above its own; and the one on the link before */
    uint32_t mid : 24, chan : 4, in_chan : 4;
};
_Static_assert(sizeof(struct pkt) == 64, "one cache line per packet");

/** Whether a packet is of the link alone: a PFC or credit frame. */
static inline bool link_frame(const struct pkt *k)
{
    return (uint32_t)k->kind - WEFT_PKT_PFC <= WEFT_PKT_CREDIT - WEFT_PKT_PFC;
}

/** In a forwarding node: the priority that a packet came in with. */
static inline uint32_t came_in(const struct pkt *k)
{
    if (__builtin_expect(k->flags < PKT_CHANNEL, 1))
        return k->prio;
    return k->prio - k->chan + k->in_chan;
}

/** A posted message until its last ACK. */
struct msg {
    uint32_t next; /**< list link of its QP; first, as stable.h wants */
    uint32_t qp;
    uint64_t id;
    struct weft_engine_msg m;
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
    uint64_t retx_bytes, cnps;
};

/** The packet that makes a message complete. */
struct completer {
    uint32_t pkt;
    int64_t sent_ps;
    uint64_t psn;
};

/** What few runs need of the packet path, tested together. */
enum odd {
    ODD_ORDER = 1,   /**< transport.ns3-event-order */
    ODD_QUANTUM = 2, /**< transport.time-quantum */
    ODD_PINT = 4,    /**< transmissions are noted for PINT */
    ODD_TURNS = 8,   /**< switch.scheduler=packet-rr */
    ODD_CREDIT = 16, /**< some links are under credit */
    ODD_PACKET = 32, /**< packet hook */
    ODD_RATE = 64,   /**< QP hook, for rates */
    ODD_ACK = 128    /**< QP hook, for ACKs */
};
/** What is done to packets that enter or leave a switch queue. */
enum touch {
    TOUCH_ECN = 1,   /**< data may be marked */
    TOUCH_SIGN = 2,  /**< data is stamped with INT or PINT */
    TOUCH_HOOK = 4,  /**< queue hook */
    TOUCH_FRAME = 8, /**< ECN-capable frames may be marked */
    TOUCH_TAP = 16,  /**< packet hook */
    TOUCH_HOLD = 32  /**< pauses are measured: there has been one */
};

/** What a QP is doing as far as NIC arbitration is concerned. Waking means something to those before
 * QP_READY. QP_PARKED: no path leads to the destination. */
enum qp_state { QP_IDLE, QP_BLOCKED, QP_READY, QP_PACED, QP_PARKED };

/** Switches on a path that a QP remembers; the choices of further ones are looked up. */
#define QP_PATH 8

/** The priority of the records that stand for flows of frames: they have the path of a QP and nothing
 * else of it. A frame travels as the ACKs of that QP do, so that src_host is where it goes. */
#define FRAME_PRIO WEFT_PRIOS

/** One QP: sender half and receiver half. */
struct qp {
    /** egress ports of the switches that its data, and its ACKs and CNPs, pass; NIL: look it up */
    uint32_t path[2][QP_PATH];
    /* sender: hot */
    uint32_t next; /**< ready ring link */
    uint32_t port; /**< host port it sends through */
    uint64_t nxt_psn, una_psn;
    uint64_t nxt_bytes, una_bytes; /**< payload stream offsets of nxt_psn and una_psn */
    uint64_t top_psn;              /**< first number never sent */
    uint64_t made_bytes;           /**< payload of the packets made, those sent again included */
    int64_t next_avail_ps;
    struct weft_cc_out out;
    const struct weft_cc_ops *cc; /**< those of control */
    const void *ccp;
    const struct control *control; /**< of the dimension that the QP belongs to */
    uint32_t mtu_bytes;            /**< payload bytes of a full packet */
    uint64_t cap_bytes;    /**< most bytes in flight whatever the window, UINT64_MAX: no cap */
    uint64_t last_wire;    /**< wire bytes of the last packet sent, 0: none yet */
    int64_t last_tx_ps;    /**< when it started */
    uint64_t gap_rate_bps; /**< the rate that gap_q was computed for */
    uint64_t gap_q;        /**< ps per wire byte at that rate, GAP_SHIFT */
    uint32_t nxt_msg;      /**< message that nxt_psn belongs to, NIL when all is sent */
    uint32_t head_msg, tail_msg; /**< unacknowledged messages */
    uint8_t state;               /**< enum qp_state */
    uint8_t prio;                /**< of the next packet: own_prio, or one of its channels */
    uint8_t backoff;             /**< doublings of the retransmission timeout */
    uint8_t recovering;          /**< each ACK and each packet made is told to the loss recovery */
    uint32_t retries;            /**< expiries since the last progress */
    int64_t rto_at_ps;           /**< real deadline, WEFT_NEVER: nothing outstanding */
    int64_t rto_from_ps;         /**< when rto_at was set, with transport.rto-low only */
    int64_t rto_entry_ps;        /**< time of the valid EV_RTO entry, WEFT_NEVER: none */
    int64_t cc_timer_ps;         /**< time of the queued EV_CC entry, WEFT_NEVER: none */
    uint32_t src_host, dst_host;
    uint32_t mid; /**< with steer.h, of the next packet: the host on the way */
    bool upper;   /**< and whether it starts in class 1 of the virtual channels */
    uint8_t own_prio;
    uint32_t number; /**< which QP between the two */
    uint32_t flow_hash, ack_hash;
    uint64_t asked_psn; /**< transport.ack-every > 1: packets below it get an ACK without others */
    uint64_t end_psn;   /**< first number after the last posted message */
    uint64_t end_byte;
    uint64_t retx_packets, cnps, rtos;
    uint64_t ideal_bytes; /**< the message size that ideal_ps was computed for */
    int64_t ideal_ps;     /**< 0: not computed yet */
    struct weft_cc_env env;
    int64_t
        told_ps; /**< its clocks are right up to here, see delay.c; it is sending until then if that lies ahead */
    int64_t pause_ps;                  /**< the pause clock of its port and priority at told_ps */
    int64_t held_ps[WEFT_DELAY_QUEUE]; /**< its clocks: what has kept it from sending */
    /* receiver */
    uint64_t exp_psn;
    uint64_t taken_bytes; /**< payload of the packets that came to the receiver, in order or not */
    uint64_t nack_psn;    /**< gap that the last NACK was for, UINT64_MAX: none */
    int64_t nack_at_ps, cnp_at_ps;
    uint32_t ack_port;     /**< receiving host's port for ACKs */
    uint32_t unacked;      /**< data packets since the last ACK */
    uint8_t echo;          /**< a packet since the last ACK was marked */
    uint8_t cnp_due;       /**< the next ACK carries a CNP */
    uint8_t holding;       /**< packets behind a gap are kept (selective repeat) */
    uint32_t rcv_msg;      /**< message that exp_psn belongs to, NIL when all is received */
    struct repeat *repeat; /**< selective repeat's bitmaps, NULL: never lost a packet */
};

struct list {
    uint32_t head, tail;
};

/** NIC arbitration state of one host port. */
struct nic {
    struct list ready[WEFT_PRIOS];
    struct evq paced; /**< (next_avail, QP) */
    uint32_t served;  /**< ns3-event-order: the QP that sent last */
    uint8_t ready_mask;
    uint8_t yield; /**< priorities whose last turn went to a packet of another host */
};

/** How much of what is free in a pool a queue may hold: alpha x free + bytes. One of them is 0. */
struct limit {
    uint32_t alpha_q16, bytes;
};

/** A RED curve. */
struct marking {
    uint32_t kmin, kmax; /**< UINT32_MAX: more than a queue can hold */
    double slope;        /**< pmax / (kmax - kmin) */
};

/** What ports of one rate, delay and MTU have in common. */
struct port_kind {
    struct port_kind *next;
    /** NULL; at a port whose link has changed its rate: the kind that it was built as */
    const struct port_kind *built;
    uint64_t rate_bps;
    int64_t delay_ps;
    uint32_t mtu_bytes; /**< most payload of a packet */
    uint32_t headroom;  /**< per lossless priority */
    struct {
        struct limit ingress;
        struct marking mark;
    } prio[WEFT_PRIOS];
    uint64_t shared_bytes[2]; /**< ingress pools of the switch; 0: no switch */
    const struct weft_cc_marking *tuned[WEFT_PRIOS]; /**< whose marking is the default */
};

/** One priority of a port: its egress queue, and what came in through the port with that priority. Three
 * of them lie in a cache line or two. */
struct lane {
    struct list q;
    uint32_t qbytes;   /**< egress occupancy, frame bytes */
    uint32_t in_bytes; /**< ingress occupancy without headroom */
    uint32_t in_hdrm;  /**< ingress occupancy in headroom */
    int32_t deficit;
};

/** In port.nonempty: PFC frames wait. Above the priorities. */
#define CTRL_WAITS (1u << WEFT_PRIOS)

/** One port: the sending end of one direction of a link, and the ingress accounting of the
 * other. Two cache lines and a lane are what every packet touches. */
struct port {
    int64_t busy_until_ps,
        armed_ps; /**< armed: when it looks for the next packet, WEFT_NEVER: not */
    int64_t prop_ps;
    uint64_t ser_q;           /**< ps per wire byte, GAP_SHIFT */
    struct list fly;          /**< packets on the link, in order */
    uint32_t peer, node, nic; /**< nic: index, NIL on switches */
    uint32_t far; /**< where the link leads: a switch's node, or to_host a host's number */
    uint32_t
        nonempty; /**< bit mask of priorities; these are not bytes, whose stores may alias all */
    uint16_t paused;
    uint16_t xoff_sent; /**< ingress: priorities that we have paused at the peer */
    /* second line */
    uint8_t drr;     /**< priority whose turn it is */
    bool sending;    /**< ns3-event-order: the end of the last packet hasn't been dealt with */
    bool to_host;    /**< the link leads to a host */
    bool lossy;      /**< packets may be lost on the link: errors, or it has been down */
    bool down;       /**< the link is down; busy_until_ps is then WEFT_NEVER */
    bool lazy;       /**< transmissions need no event of their own, see lazy.c */
    bool was_down;   /**< the link has failed once */
    uint64_t qtotal; /**< egress occupancy, all priorities */
    /** packets that came out of this port's link at the far end, lost ones included */
    uint64_t rx_packets;
    struct weft_engine_port_stats st; /**< its first five, too */
    struct lane lane[WEFT_PRIOS] __attribute__((aligned(8)));
    struct list ctrl;             /**< PFC frames waiting */
    const struct port_kind *kind; /**< buffer and marking constants */
    double pint_u;                /**< PINT: utilisation */
    int64_t pint_at_ps;
    uint32_t pint_size;
    /** ns3-event-order: ranks of the armed entry and of the end of the packet being sent */
    uint32_t armed_order, end_order;
    struct weft_rng ecn_rng, err_rng, pint_rng;
    double error_rate;
    double byte_log;          /**< log of the probability that a byte has no bit error, <= 0 */
    uint64_t dropped_payload; /**< payload bytes of the packets in st.drops */
    uint64_t lost_payload;    /**< of them, what the link lost; the rest never left the node */
    int64_t paused_since_ps;
    struct hold *hold; /**< clocks of its pauses; NULL: it has never been paused */
} __attribute__((aligned(512)));
_Static_assert(sizeof(struct port) == 512, "indexed by a shift");
_Static_assert(offsetof(struct port, st.paused_ps) == 128,
               "what every packet touches in two lines");

/** What queues may take together. */
struct pool {
    uint64_t size, used;
};

/** One switch's buffer. */
struct mmu {
    struct pool
        in[2]; /**< buffer - headrooms - reserves: of all, or lossless and lossy priorities */
    struct pool out[2]; /**< egress pools: lossless and lossy */
    bool eager;         /**< its ports are not lazy */
    uint32_t review;    /**< eager: transmissions until that is looked at again */
};

/** A deadline of PFC. */
struct pfc_deadline {
    int64_t at_ps;    /**< WEFT_NEVER: none */
    int64_t entry_ps; /**< time of the valid EV_PFC entry, WEFT_NEVER: none */
};
/** PFC timers of one port. */
struct pfc_port {
    struct pfc_deadline expiry[WEFT_PRIOS];  /**< egress: end of the pause */
    struct pfc_deadline refresh[WEFT_PRIOS]; /**< ingress: next repetition of XOFF */
};
/** When the current pause of each priority of a port's egress began. */
struct pfc_since {
    int64_t ps[WEFT_PRIOS];
};

/** How long pauses have held each priority of a port, and since when they do. */
struct hold {
    int64_t total_ps[WEFT_PRIOS], from_ps[WEFT_PRIOS];
};
/** How long a packet has waited in paused queues; of the packet of that number that was sent then. */
struct wait {
    int64_t sent_ps, paused_ps;
};

/** The INT stamps of one packet; two share a cache line. How many there are is in pkt.sig. */
struct int_stack {
    union {
        uint32_t next; /**< first, as stable.h wants */
        struct weft_cc_hop hops[WEFT_CC_MAX_HOPS];
    };
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct weft_cc_hop) == 32, "no stamp crosses a cache line");

/** pkt.sig with INT: the stack in the lower bits, its stamps above. */
#define SIG_STACK_BITS 24
static inline uint32_t sig_stack(uint32_t sig)
{
    return sig & ((1u << SIG_STACK_BITS) - 1);
}
static inline uint32_t sig_hops(uint32_t sig)
{
    return sig >> SIG_STACK_BITS;
}

struct timer {
    uint32_t next; /**< first, as stable.h wants */
    void (*fn)(void *ctx, uint64_t arg);
    void *ctx;
    uint64_t arg;
};

/** A congestion control as the QPs of one dimension use it. */
struct control {
    /** the same with its parameters settled for QPs of a line rate and base RTT; NULL: no more */
    struct control *settled;
    uint64_t line_rate_bps; /**< settled: of those QPs */
    int64_t base_rtt_ps;    /**< settled: of those QPs; 0: of any, nothing follows from it */
    const struct weft_cc_ops *ops;
    const void *params;
    struct weft_cc_cnp cnp;
    struct weft_cc_signals signals;
    bool ecn_on, cnp_on, echo_on, int_on, pint_on;
    struct weft_cc_choice own; /**< the dimension's, when it has one of its own */
};

struct flowlet;
struct steer;
/** Picks one of the equal-cost ports of a node for a data packet. */
typedef uint32_t (*balance_fn)(struct weft_engine *e, struct weft_route_group g, uint32_t node,
                               const struct pkt *k);

/** Payload bytes of the packets that a node itself makes and takes, other than data of QPs: frames of other
 * transports, and sums. */
struct node_payload {
    uint64_t made, taken;
};

struct stall_mark;
/** What the looks at the progress of messages remember. */
struct stall {
    struct stall_mark *marks; /**< per QP, of the first n */
    uint32_t n, cap;
    int64_t changed_ps; /**< when a link changed last */
    bool stuck;         /**< at the last look nothing got on */
};

struct weft_engine {
    struct weft_engine_params p;
    const struct weft_fabric *fabric;
    struct weft_routes *routes; /**< over the links that are up */
    struct weft_routes *intact; /**< over all links; NULL until a link changes */
    uint8_t *link_down;         /**< per link; NULL until a link changes */
    int64_t *link_since_ps;     /**< per link: when that was set */
    uint32_t links_down;
    struct ideal ideal;       /**< rates and routes of the past */
    struct control *controls; /**< one per dimension */
    const struct recovery *recovery;
    bool low_rto;         /**< transport.rto-low is in force */
    bool int_on, pint_on; /**< some QPs' packets are stamped */
    bool all_int;         /**< those of all QPs, with INT */
    bool transit;         /**< hosts may forward packets for others */
    bool frames_on;       /**< frames of other transports were sent */
    bool
        nic_turns; /**< NIC queues hold packets that take turns with QPs: in transit, frames, sums */
    bool vcs;      /**< lossless priorities have several virtual channels */
    uint32_t channels;         /**< how many: those of the routes, and those of steer.h */
    balance_fn balance;        /**< NULL: by the hash of the flow */
    const struct steer *steer; /**< NULL: packets keep to the routes */
    struct weft_rng steer_rng;
    uint32_t *turns; /**< spray: per node, packets so far */
    struct flowlet *flowlets;
    uint32_t odd;                /**< enum odd */
    uint32_t on_enter, on_leave; /**< enum touch */
    bool whole; /**< every packet goes through its queue, as something shows or counts that */
    uint64_t seed;
    bool ns3_draws; /**< ecn.draws=ns3 */
    struct weft_ns3_rng ns3_rng;
    struct weft_libc_rand libc_rand; /**< PINT by tables */
    struct weft_engine_hooks hooks;

    int64_t now, limit;
    int64_t due_ps; /**< transmissions before this time have been made; lazy ports may owe theirs */
    uint32_t
        due_id; /**< events of that time and lower entries (fastq.h) come before what is going on */
    bool lazy;  /**< switch ports may be lazy */
    uint32_t order;         /**< ns3-event-order: rank given last */
    uint32_t warm_from;     /**< packets alive beyond which records are fetched ahead */
    bool fetch_deep;        /**< and what they point to: there are stamps, or many QPs */
    const uint64_t *warmed; /**< entry of fast.due from which on nothing has been fetched ahead */
    struct fastq fast;      /**< arrivals and transmissions: one entry per busy link or port */
    /** retransmission, congestion-control, PFC and user timers; arrivals and transmissions over a
     * second ahead */
    struct evq slow;
    struct windows windows;
    bool stepped; /**< weft_engine_expect_steps was called */
    uint64_t timer_seq;

    struct port *ports;
    struct stable port_mem; /**< what ports lie in */
    struct nic *nics;
    uint32_t nnics;
    struct pfc_port *pfc; /**< one per port; NULL with pfc.quanta = 0, which needs no timers */
    struct pfc_since *pfc_since; /**< one per port */
    uint64_t pfc_moves;          /**< packets made, delivered or dropped so far, PFC frames apart */
    uint64_t pfc_repeats;        /**< pauses repeated since one was */
    int64_t pfc_moved_ps;        /**< when pfc_moves was seen to have changed */
    int64_t pfc_watched_ps;      /**< when that was looked at, or a deadlock looked for */
    struct credit *credits;      /**< one per port; NULL: no dimension is under credit */
    struct mmu *mmus;            /**< one per node; unused on hosts that do not forward */
    struct node_payload *own;    /**< one per node */
    struct port_kind *kinds;
    uint32_t least_kmin; /**< smallest kmin of all ports and priorities */
    /* of priorities: bit masks, and by number */
    uint8_t lossless;
    uint8_t channelled;   /**< change virtual channels: the lossless ones, and those under credit */
    uint8_t credit_prios; /**< those under credit where a dimension has it */
    uint8_t mmu_slow;     /**< not 0: every packet takes the long way through mmu.c */
    uint8_t egress_measured; /**< egress queues have a limit */
    uint8_t egress_pooled;   /**< and an egress pool of their own */
    uint8_t in_pool[WEFT_PRIOS];
    struct limit egress[WEFT_PRIOS];
    int32_t quantum[WEFT_PRIOS]; /**< deficit round robin: bytes per turn */
    struct stable pkts, msgs, qps, cc_state, timers, ints;
    struct stable waits; /**< by number of the packet; unused until a port is paused */
    uint64_t nholds;
    struct in_network *in_network; /**< NULL: no group was opened */
    struct stall stall;
    uint32_t *qp_slots; /**< open addressing table of QP numbers + 1 */
    uint32_t qp_slots_n;

    struct weft_engine_totals tot;
    struct weft_err err;
};

static inline struct pkt *pkt_at(const struct weft_engine *e, uint32_t i)
{
    return (struct pkt *)(void *)e->pkts.base + i;
}
static inline struct msg *msg_at(const struct weft_engine *e, uint32_t i)
{
    return (struct msg *)(void *)e->msgs.base + i;
}
static inline struct qp *qp_at(const struct weft_engine *e, uint32_t i)
{
    return (struct qp *)(void *)e->qps.base + i;
}
static inline struct int_stack *int_at(const struct weft_engine *e, uint32_t i)
{
    return (struct int_stack *)(void *)e->ints.base + i;
}
static inline void *cc_state_at(const struct weft_engine *e, uint32_t qp)
{
    return e->cc_state.base ? e->cc_state.base + (size_t)qp * e->cc_state.elem : NULL;
}

static inline uint64_t port_rate_bps(const struct weft_engine *e, uint32_t port)
{
    return e->ports[port].kind->rate_bps;
}

/** Duration of @p bytes at @p q (ps per byte, GAP_SHIFT), rounded to the nearest ps. */
static inline int64_t gap_ps(uint64_t bytes, uint64_t q)
{
    return (int64_t)(((weft_u128)bytes * q + (UINT64_C(1) << (GAP_SHIFT - 1))) >> GAP_SHIFT);
}
/** The same, rounded to transport.time-quantum. */
static inline int64_t gap_quantised(const struct weft_engine *e, uint64_t bytes, uint64_t q)
{
    int64_t ps = gap_ps(bytes, q), unit = e->p.transport.quantum_ps;
    return __builtin_expect(unit == 0, 1) ? ps : (ps + unit / 2) / unit * unit;
}
/** Duration of @p bytes at @p bps, whose gap_of_rate is @p q. With a time quantum it is rounded once,
 * from the exact quotient: in two steps one packet in a thousand would be a quantum off. */
static inline int64_t gap_at_rate(const struct weft_engine *e, uint64_t bytes, uint64_t bps,
                                  uint64_t q)
{
    int64_t unit = e->p.transport.quantum_ps;
    if (__builtin_expect(unit == 0, 1))
        return gap_ps(bytes, q);
    weft_u128 units = (weft_u128)bps * (uint64_t)unit;
    weft_u128 twice = (weft_u128)bytes * 16 * (uint64_t)WEFT_PS_PER_S;
    return (int64_t)((twice + units) / (2 * units)) * unit;
}
/** ps per byte of a rate, rounded to the nearest 2^-20 ps. */
static inline uint64_t gap_of_rate(uint64_t bps)
{
    const weft_u128 num = (weft_u128)8 * WEFT_PS_PER_S << GAP_SHIFT;
    return (uint64_t)((num + bps / 2) / bps);
}

static inline void list_append(struct weft_engine *e, struct list *l, struct pkt *k, uint32_t i)
{
    k->next = NIL;
    if (l->head == NIL)
        l->head = i;
    else
        pkt_at(e, l->tail)->next = i;
    l->tail = i;
}
/** Takes the first packet, which is @p k. */
static inline void list_take(struct list *l, const struct pkt *k)
{
    l->head = k->next;
}

/* engine.c */
/** Records the first fatal error and stops the loop; returns its code. */
int engine_fail(struct weft_engine *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/** Adds to an event queue; fails the engine when out of memory. */
static inline void engine_push(struct weft_engine *e, struct evq *q, int64_t t, uint64_t id)
{
    if (__builtin_expect(!evq_push(q, t, id), 0))
        engine_fail(e, WEFT_E_LIMIT, "out of memory in the event queue (%u entries)", q->n);
}
/** Adds an event of switch @p node. */
static inline void window_push(struct weft_engine *e, uint32_t node, int64_t t, enum ev_kind kind,
                               uint32_t port)
{
    struct window_node *s = &e->windows.of[node];
    const uint64_t key = fastq_key(e->windows.base, t, kind, port);
    if (s->vacant) {
        s->vacant = false;
        keyheap_replace(&s->q, key);
    } else {
        window_add(e, node, t, key);
    }
}
/** The same for the switch that is running, as the first thing that its present event adds. */
static inline void window_push_next(struct weft_engine *e, int64_t t, enum ev_kind kind,
                                    uint32_t port)
{
    struct window_node *s = e->windows.running;
    s->vacant = false;
    keyheap_replace(&s->q, fastq_key(e->windows.base, t, kind, port));
}
/** Queues the arrival at the end of a link, or the next transmission of a port. */
static inline void engine_push_port(struct weft_engine *e, int64_t t, enum ev_kind kind,
                                    uint32_t port)
{
    const struct port *p = &e->ports[port];
    const bool at_host = kind == EV_ARRIVE ? p->to_host : p->nic != NIL;
    if (e->windows.on && !at_host)
        window_push(e, kind == EV_ARRIVE ? p->far : p->node, t, kind, port);
    else if (__builtin_expect(!fastq_push(&e->fast, e->now, t, kind, port), 0))
        engine_push(e, &e->slow, t, EV_ID(kind, port));
}
/** A fresh packet record, NIL (and the engine failed) when there is no room. */
uint32_t pkt_new(struct weft_engine *e, enum weft_pkt_kind kind);
void pkt_free(struct weft_engine *e, uint32_t i);
void pkt_view(const struct weft_engine *e, uint32_t i, struct weft_engine_pkt_view *v);
/** Tells the packet hook, if the port is one that it wants to hear of. */
void pkt_tell(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_pkt_event what);
/** Tells the QP hook, if it wants to hear of that. @p pkt: NIL for none. */
void qp_tell(struct weft_engine *e, uint32_t qp, enum weft_qp_event what, uint32_t pkt);
/** Counts a drop at a port, tells the hook, frees the packet. */
void pkt_drop(struct weft_engine *e, uint32_t i, uint32_t port, enum weft_drop_reason why);

/* port.c */
/** The head of the link of @p port has arrived at the other end. */
void port_arrive(struct weft_engine *e, uint32_t port);
/** An EV_TX entry of the port is due: starts a packet, unless the port waits for another moment. */
void port_due(struct weft_engine *e, uint32_t port);
/** Queues a packet at a port and starts it when the port is free. */
void port_enqueue(struct weft_engine *e, uint32_t port, uint32_t pkt);
/** Something became sendable at the port. */
void port_kick(struct weft_engine *e, uint32_t port);
/** Takes the packets of class 1 (steer.h) that wait at a port out of its queue; returns the first of
 * their list. */
uint32_t port_take_upper(struct weft_engine *e, uint32_t port, uint32_t prio);
/** Queues such a packet at port @p to instead, its class as it now says; NIL: drops it. */
void port_leave_by(struct weft_engine *e, uint32_t from, uint32_t to, uint32_t pkt);
/** The port looks for something to send at @p at_ps, if not earlier. */
static inline void port_arm(struct weft_engine *e, struct port *p, uint32_t port, int64_t at_ps)
{
    if (p->armed_ps <= at_ps)
        return; /* it will look again earlier than that */
    p->armed_ps = at_ps;
    if (__builtin_expect(e->odd & ODD_ORDER, 0))
        p->armed_order = p->sending ? p->end_order : ++e->order;
    if (!p->lazy)
        engine_push_port(e, at_ps, EV_TX, port);
}
/** Makes the transmissions before @p due_ps that a lazy port owes. */
void port_catch_up(struct weft_engine *e, struct port *p, uint32_t port, int64_t due_ps);
/** The same up to now, if it owes any: before anything that its queues, its pauses or its counters have
 * a part in. */
static inline void port_settle(struct weft_engine *e, struct port *p, uint32_t port)
{
    if (p->armed_ps < e->due_ps)
        port_catch_up(e, p, port, e->due_ps);
}

/* lazy.c */
/** Decides whether ports may be lazy under the present hooks and parameters. */
void lazy_choose(struct weft_engine *e);
/** Settles all ports. */
void lazy_catch_up(struct weft_engine *e);
/** A switch needs its buffer counted exactly from now on: settles its ports and makes them eager. */
void lazy_wake(struct weft_engine *e, uint32_t node);
/** Makes an eager switch lazy again when it pauses nobody. */
void lazy_review(struct weft_engine *e, uint32_t node);
/** The link of @p port fails or returns: the port is eager from now on. */
void lazy_link_changes(struct weft_engine *e, uint32_t port);

/* mmu_config.c */
/** Whether headroom, reserve and pools fit the buffer of every switch, and thresholds are sound. */
int mmu_check_config(const struct weft_engine_config *c, struct weft_err *err);
/** What a node that forwards must set aside for headroom and reserve; the shared buffer is the rest. */
void mmu_set_aside(const struct weft_engine_params *p, const struct weft_fabric *f, uint32_t node,
                   uint64_t *headroom, uint64_t *reserve);
/** The shared buffer of a node that forwards, as its pools: [0] for all, or the lossless priorities; [1] for the
 * lossy ones with switch.lossy-share, else 0. Requires a configuration that mmu_check_config accepts. */
void mmu_shared(const struct weft_engine_params *p, const struct weft_fabric *f, uint32_t node,
                uint64_t pool[2]);
/** The packet buffer of a node that forwards. */
uint64_t mmu_buffer_bytes(const struct weft_engine_params *p, const struct weft_fabric *f,
                          uint32_t node);
/** Virtual channels of a lossless priority. */
uint32_t channel_count(const struct weft_engine_params *p, const struct weft_fabric *f);
/** The lossless priorities with their further virtual channels. */
uint64_t channel_prios(const struct weft_engine_params *p, const struct weft_fabric *f);
/** Sizes the buffer of every switch; computes the constants of ports and priorities. */
int mmu_init(struct weft_engine *e, struct weft_err *err);
void mmu_fini(struct weft_engine *e);
/** The kind of a port of kind @p kind whose link goes at another rate; NULL when out of memory. Buffer
 * and marking are those that it was built with. */
const struct port_kind *mmu_kind_at_rate(struct weft_engine *e, const struct port_kind *kind,
                                         uint64_t rate_bps);

/* mmu.c */
/** mmu_admit and mmu_release beyond the reserve, or with headroom, an egress pool or a pause. */
enum weft_drop_reason mmu_admit_shared(struct weft_engine *e, const struct pkt *k, uint32_t in,
                                       uint32_t out);
void mmu_release_shared(struct weft_engine *e, const struct pkt *k, uint32_t out);

/** Admits a packet from ingress @p in to egress @p out, or says why not (WEFT_DROP_REASONS:
 * admitted). Sends XOFF when due. */
static inline enum weft_drop_reason mmu_admit(struct weft_engine *e, const struct pkt *k,
                                              uint32_t in, uint32_t out)
{
    struct port *p = &e->ports[in];
    const uint32_t prio = came_in(k);
    const uint64_t bytes = (uint64_t)p->lane[prio].in_bytes + k->frame;
    if (__builtin_expect(bytes > e->p.sw.reserve_bytes, 0) ||
        __builtin_expect(p->lane[prio].in_hdrm | e->mmu_slow, 0))
        return mmu_admit_shared(e, k, in, out);
    p->lane[prio].in_bytes = (uint32_t)bytes;
    return WEFT_DROP_REASONS;
}

/** Releases a packet that leaves the switch through @p out. Sends XON when due. @p lazy: the port is, so
 * no port of the switch pauses anyone. */
static inline void mmu_release(struct weft_engine *e, const struct pkt *k, uint32_t out, bool lazy)
{
    struct port *p = &e->ports[k->in_port];
    const uint32_t prio = came_in(k);
    if (__builtin_expect(p->lane[prio].in_bytes > e->p.sw.reserve_bytes, 0) ||
        __builtin_expect(p->lane[prio].in_hdrm | e->mmu_slow, 0) ||
        (!lazy && __builtin_expect(p->xoff_sent >> prio & 1, 0)))
        mmu_release_shared(e, k, out);
    else
        p->lane[prio].in_bytes -= k->frame;
}

/** Whether a packet from ingress @p in may come and go in an instant without a trace in the buffer. */
static inline bool mmu_passes(const struct weft_engine *e, const struct pkt *k, uint32_t in)
{
    const struct lane *l = &e->ports[in].lane[came_in(k)];
    return (uint64_t)l->in_bytes + k->frame <= e->p.sw.reserve_bytes && !(l->in_hdrm | e->mmu_slow);
}

/** Marks a data packet or frame by the RED curve of @p out for an occupancy of @p qbytes. */
void ecn_mark(struct weft_engine *e, uint32_t pkt, uint32_t out, uint64_t qbytes);

/** Whether ingress (port, priority) of a switch would resume its peer if it held @p normal bytes and
 * @p headroom bytes of headroom, and @p shared bytes of its pool were used. */
bool mmu_would_resume(const struct weft_engine *e, uint32_t in, uint32_t prio, uint64_t normal,
                      uint64_t headroom, uint64_t shared);

/* pfc.c */
int pfc_init(struct weft_engine *e, struct weft_err *err);
void pfc_fini(struct weft_engine *e);
/** Memory that the timers take. */
uint64_t pfc_bytes(const struct weft_engine *e);
/** Ingress @p port wants its peer paused or resumed: queues the frame ahead of everything. @p kick: the
 * port may be idle; false: it is about to send, and then looks for such frames itself. */
void pfc_send(struct weft_engine *e, uint32_t port, uint32_t prio, bool xoff, bool kick);
/** A PFC frame takes effect at the port that sends towards its origin. Consumes it. */
void pfc_receive(struct weft_engine *e, uint32_t port, uint32_t pkt);
/** The link of @p port failed: its pause and the one it asked for are forgotten. */
void pfc_reset(struct weft_engine *e, uint32_t port, uint32_t prio);
/** The deadline that an EV_PFC entry stands for, and its execution. */
struct pfc_deadline *pfc_deadline(const struct weft_engine *e, uint64_t number);
void pfc_event(struct weft_engine *e, uint64_t number);

/* credit.c; `port` is always the sending end, unless called `in` or `far` */
/** Whether some dimension is under credit. */
bool credit_used(const struct weft_fabric *f);
/** Whether a link is. */
bool credit_on(const struct weft_fabric *f, const struct weft_fabric_link *l);
int credit_check(const struct weft_engine_config *c, struct weft_err *err);
/** After mmu_init and pfc_init. */
int credit_init(struct weft_engine *e, struct weft_err *err);
void credit_fini(struct weft_engine *e);
/** Memory that credits take. */
uint64_t credit_bytes(const struct weft_engine *e);
/** Whether ingress (port, priority) @p in has a buffer of its own under credit. */
bool credit_guards(const struct weft_engine *e, uint32_t in, uint32_t prio);
/** A frame starts: takes its credit, and pauses the priority when there is none for another one. */
void credit_take(struct weft_engine *e, struct port *p, uint32_t port, const struct pkt *k);
/** A frame has come to the far end of @p port and needs no room there: it was for the host, or lost. */
void credit_refund(struct weft_engine *e, uint32_t port, const struct pkt *k);
/** A packet enters a switch: false when it is none under credit. */
bool credit_admit(struct weft_engine *e, const struct pkt *k, uint32_t in);
/** A packet leaves a switch through @p out: false when it came in without credit. */
bool credit_left(struct weft_engine *e, const struct pkt *k, uint32_t out);
/** A credit frame starts at port @p far: it carries all that has freed up. */
void credit_frame_starts(struct weft_engine *e, uint32_t far, struct pkt *k);
/** A credit frame has come to the sending end. Consumes it. */
void credit_frame_receive(struct weft_engine *e, uint32_t port, uint32_t pkt);
/** A credit frame sent or queued at port @p far is dropped. */
void credit_frame_lost(struct weft_engine *e, uint32_t far, const struct pkt *k);
/** Whether a priority of a port waits for credit. */
bool credit_blocks(const struct weft_engine *e, uint32_t port, uint32_t prio);
/** Whether it would have enough if @p stuck_bytes stayed in the buffer. */
bool credit_returns(const struct weft_engine *e, uint32_t port, uint32_t prio,
                    uint64_t stuck_bytes);
/** Bytes of the longest frame that every link under credit takes. */
uint32_t credit_longest(const struct weft_engine *e);
/** Credit that a packet takes. */
uint32_t credit_cost(const struct weft_engine *e, const struct pkt *k);
/** Conservation of credit. */
int credit_audit(const struct weft_engine *e, struct weft_err *err);

/* diagnose.c */
/** Longest name that port_name writes, with its terminator. */
#define PORT_NAME_MAX (2 * WEFT_NODE_NAME_MAX + 2)
/** "s4->s5". Returns @p buf. */
const char *port_name(const struct weft_engine *e, uint32_t port, char buf[PORT_NAME_MAX]);
/** Sentences on deadlocks, roots of pauses and their victims; at most @p max; returns how many. */
uint64_t diagnose_pauses(const struct weft_engine *e, uint64_t max,
                         void (*fn)(void *ctx, const char *sentence), void *ctx);

/* nic.c */
/** The next data packet of priority @p prio at a host port, NIL when every QP turned out
 * blocked. */
uint32_t nic_next(struct weft_engine *e, uint32_t port, uint32_t prio);
/** Whether a QP waits for its pacing time; the first of them heads the heap. */
bool nic_paced(struct weft_engine *e, struct nic *n);
/** Moves the QPs whose pacing time has come to the ready rings. */
void nic_release_paced(struct weft_engine *e, uint32_t port);
/** A QP that is idle or blocked may have become sendable. */
void nic_wake(struct weft_engine *e, uint32_t qp);
/** After a hook of the congestion control: clamps its output, queues its timer. */
void nic_cc_changed(struct weft_engine *e, uint32_t qp);
/** Restarts sending from the oldest unacknowledged packet. */
void nic_go_back(struct weft_engine *e, uint32_t qp);
/** Moves the sending cursor to packet @p psn, una_psn <= psn <= end_psn. */
void nic_seek(struct weft_engine *e, struct qp *q, uint64_t psn);
void nic_rto_arm(struct weft_engine *e, uint32_t qp);
/** The timer was set to rto-low but more is in flight by now: sets it to the full timeout. False
 * when it has really expired. */
bool nic_rto_extend(struct weft_engine *e, uint32_t qp);

/* delay.c */
/** A priority of a port is paused from now on, or no longer; its bit in port.paused says so already. */
void delay_pause(struct weft_engine *e, struct port *p, uint32_t prio);
void delay_resume(const struct weft_engine *e, struct port *p, uint32_t prio);
/** A data packet enters, or leaves, a queue of a port that has been paused. */
void delay_enter(const struct weft_engine *e, const struct port *p, struct pkt *k);
void delay_leave(struct weft_engine *e, const struct port *p, const struct pkt *k, uint32_t i);
/** Brings the clocks of a QP up to now, by its state as it is; before that changes, or its cursor moves. */
void delay_tell(const struct weft_engine *e, struct qp *q);
/** The same before its cursor moves to a packet that is taken for lost. */
void delay_tell_loss(const struct weft_engine *e, struct qp *q);
/** The QP is to send through another port or priority. */
void delay_aim(const struct weft_engine *e, struct qp *q);
/** A message is posted; its last packet is sent for the first time; it is complete. */
void delay_posted(const struct weft_engine *e, struct qp *q, struct msg *m);
void delay_sent(const struct weft_engine *e, const struct qp *q, struct msg *m);
void delay_received(struct weft_engine *e, struct qp *q, struct msg *m, const struct completer *c);
/** Fills in the delays of a message that is complete. */
void delay_fill(const struct msg *m, struct weft_engine_done *d);
void delay_fini(struct weft_engine *e);
/** Memory that the clocks of ports take. */
uint64_t delay_bytes(const struct weft_engine *e);

/* frame.c */
/** A frame has reached port @p port of the host it was for. Consumes it. */
void frame_receive(struct weft_engine *e, uint32_t pkt, uint32_t port);
/** Tells that a frame was dropped, whose record is about to be freed. */
void frame_drop(struct weft_engine *e, uint32_t pkt, uint32_t port, enum weft_drop_reason why);

/* rc.c */
/** All about a message. @p acked_ps: 0 before its last ACK. */
void rc_fill_done(const struct msg *m, int64_t acked_ps, struct weft_engine_done *d);
/** A packet of a QP has reached the host it was for. Consumes it. */
void rc_receive(struct weft_engine *e, uint32_t pkt);
/** Turns the data packet just taken into the ACK or NACK that answers it, and queues it. */
void rc_answer(struct weft_engine *e, struct qp *q, uint32_t pkt, enum weft_pkt_kind kind);
/** Answers a data packet by a NACK unless one was sent for this gap within nack-interval. */
void rc_nack_sparingly(struct weft_engine *e, struct qp *q, uint32_t pkt);
/** The message q->rcv_msg (@p msg) has arrived completely, with packet @p c. */
void rc_received(struct weft_engine *e, struct qp *q, uint32_t msg, const struct completer *c);
void rc_rto(struct weft_engine *e, uint32_t qp);
void rc_cc_timer(struct weft_engine *e, uint32_t qp);

/* qp.c */
/** The record of a flow of frames from host @p src to @p dst, made at its first frame; NIL and *err when
 * that fails. */
uint32_t qp_of_frames(struct weft_engine *e, uint32_t src, uint32_t dst, uint32_t flow,
                      struct weft_err *err);
/** Fills in what the congestion control may know of a QP's path, and the ports at its two ends. */
void qp_fill_env(const struct weft_engine *e, struct qp *q);
/** The ideal duration of a message of @p bytes that is on its way from @p since to now. Remembers the
 * last answer. */
int64_t qp_ideal_ps(struct weft_engine *e, struct qp *q, uint64_t bytes,
                    struct weft_engine_mark since);
/** Frame bytes of a packet with @p payload bytes and @p stamps bytes of signals: padded, with headers,
 * at least the minimum frame. */
static inline uint32_t payload_frame(const struct weft_engine *e, uint64_t payload, uint64_t stamps)
{
    const struct weft_transport_params *t = &e->p.transport;
    uint64_t pad = t->pad_bytes;
    uint64_t body = pad == 4 ? (payload + 3) & ~UINT64_C(3) : (payload + pad - 1) / pad * pad;
    uint64_t f = body + t->header_bytes + stamps;
    return (uint32_t)(f < t->min_frame_bytes ? t->min_frame_bytes : f);
}
/** Frame bytes of a data packet of @p q with @p payload bytes. */
static inline uint32_t data_frame(const struct weft_engine *e, const struct qp *q, uint64_t payload)
{
    return payload_frame(e, payload, q->control->signals.data_bytes);
}
/** Frame bytes of an ACK or NACK. */
static inline uint32_t ack_frame(const struct weft_engine *e, const struct qp *q)
{
    uint64_t f = e->p.transport.ack_bytes + q->control->signals.ack_bytes;
    return (uint32_t)(f < e->p.transport.min_frame_bytes ? e->p.transport.min_frame_bytes : f);
}
static inline uint32_t cnp_frame(const struct weft_engine *e)
{
    uint64_t f = e->p.transport.cnp_bytes;
    return (uint32_t)(f < e->p.transport.min_frame_bytes ? e->p.transport.min_frame_bytes : f);
}

/* control.c */
/** What the congestion controls of all dimensions need together. */
struct control_needs {
    unsigned bits;       /**< enum weft_cc_needs */
    const char *stamped; /**< the name of one that needs INT or PINT, NULL: none does */
    uint32_t data_bytes; /**< most that the signals of one add to a data packet */
};
/** Whether the congestion controls of all dimensions, c->cc where they have none of their own, can be
 * used together. @p needs may be NULL. */
int control_check(const struct weft_engine_config *c, struct control_needs *needs,
                  struct weft_err *err);
int control_init(struct weft_engine *e, const struct weft_engine_config *c, struct weft_err *err);
void control_fini(struct weft_engine *e);
/** The MTU of a dimension. */
uint64_t control_own_mtu(const struct weft_engine_params *p, const struct weft_fabric *f,
                         uint32_t dim);
/** Largest payload of a packet that may cross a link of dimension @p dim. */
uint64_t control_mtu_bytes(const struct weft_engine_params *p, const struct weft_fabric *f,
                           uint32_t dim);
/** The smallest MTU of the dimensions whose links @p ports send on. */
uint64_t control_mtu_along(const struct weft_engine *e, const uint32_t *ports, uint32_t hops);
/** The controls of all dimensions, without engine. WEFT_E_INPUT: one of them is malformed. */
int control_read_all(const struct weft_engine_config *c, struct control list[WEFT_FABRIC_DIMS_MAX],
                     struct weft_err *err);
/** Frees what control_read_all read. */
void control_free_all(struct control list[WEFT_FABRIC_DIMS_MAX], uint32_t n);
/** Settles the parameters of the control of a QP whose env is filled (base/scale.h). WEFT_E_LIMIT: out of memory. */
int control_settle(struct weft_engine *e, struct qp *q, struct weft_err *err);
/** Gives a QP whose data takes @p hops ports the control of the outermost dimension among theirs, and
 * the smallest of their MTUs. */
void control_assign(const struct weft_engine *e, struct qp *q, const uint32_t *ports,
                    uint32_t hops);

/* balance.c */
/** Whether switches share the state that they balance by. */
bool balance_shared(const struct weft_engine *e);
int balance_check(const struct weft_engine_config *c, struct weft_err *err);
int balance_init(struct weft_engine *e, struct weft_err *err);

/* ecmp.c */
/** Which of the equal-cost ports @p g of @p node a packet of @p q takes; @p forward: data, else
 * its ACKs and CNPs. */
uint32_t ecmp_port(const struct weft_engine *e, struct weft_route_group g, uint32_t node,
                   const struct qp *q, bool forward);
/** The ports that data (or the ACKs) of a QP takes over @p routes; writes at most MAX_PATH, returns
 * how many. It ends early where no route leads on. */
uint32_t ecmp_path(const struct weft_engine *e, const struct weft_routes *routes,
                   const struct qp *q, bool forward, uint32_t ports[MAX_PATH]);

/* link_state.c */
/** The ports at the two ends of a link, that of node a first. */
void link_ends(const struct weft_engine *e, uint32_t link, uint32_t ends[2]);
/** Takes down and up the links of @p list (all in range) whose states in @p after, one per link, differ
 * from what they are. */
int link_states(struct weft_engine *e, struct weft_link_change *list, size_t n,
                const uint8_t *after, struct weft_err *err);
/** Whether data and ACKs of a QP have a path, whatever its MTU. */
bool link_path_exists(const struct weft_engine *e, const struct qp *q);
/** Largest payload of a packet that the path of a QP's data takes; 0: there is no path. */
uint32_t link_path_mtu(const struct weft_engine *e, const struct qp *q);
/** Parks, unparks or moves a QP to another port of its host, as the routes now are. */
void link_reroute_qp(struct weft_engine *e, uint32_t qp);
/** A sentence on the partition, when QPs with something to send are parked; returns how many. */
uint64_t link_explain(const struct weft_engine *e, uint64_t max,
                      void (*fn)(void *ctx, const char *sentence), void *ctx);

/* stall.c */
/** Writes how long a QP has been stuck, when all are; false: they are not. */
bool stall_reason(const struct weft_engine *e, uint32_t qp, char *buf, size_t size);

/* in_network.c */
/** A SUM packet has come out of the link to @p port. Consumes it. */
void in_network_arrive(struct weft_engine *e, uint32_t port, uint32_t pkt);
/** Packet @p pkt of any kind has left the queue of a NIC: its member may queue another. */
void in_network_left(struct weft_engine *e, uint32_t pkt);
void in_network_fini(struct weft_engine *e);
/** Parts posted and not over. */
uint64_t in_network_parts(const struct weft_engine *e);

/* in_network_check.c */
/** A SUM packet was lost: ends the run. */
void in_network_lost(struct weft_engine *e, uint32_t pkt, uint32_t port, enum weft_drop_reason why);
/** No two sums in a slot, no member beyond its window, parts add up. */
int in_network_check(const struct weft_engine *e, struct weft_err *err);
/** A sentence on each unfinished operation, at most @p max; returns how many. */
uint64_t in_network_explain(const struct weft_engine *e, uint64_t max,
                            void (*fn)(void *ctx, const char *sentence), void *ctx);

/* signal.c */
/** The longest base RTT between host 0 and any other, the averaging time of PINT when none is given. */
int64_t signal_longest_rtt(const struct weft_engine *e);
/** A data packet leaves switch port @p out: stamps it with what the congestion control needs. */
void signal_stamp(struct weft_engine *e, uint32_t pkt, uint32_t out);

#endif
