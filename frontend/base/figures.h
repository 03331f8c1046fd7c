/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What backends and the packet engine count, so that it is handed on as it is. A backend without
 * something leaves it 0.
 */
#ifndef WEFT_BASE_FIGURES_H
#define WEFT_BASE_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

/** What a packet is. */
enum weft_pkt_kind {
    WEFT_PKT_DATA,
    WEFT_PKT_REQUEST, /**< of a sender, for credit or an ACK; goes the way of data */
    WEFT_PKT_ACK,
    WEFT_PKT_NACK,
    WEFT_PKT_CNP,
    WEFT_PKT_GRANT,   /**< of a receiver: credit */
    WEFT_PKT_WARNING, /**< of a switch, to the sender of a packet that found a queue (bolt) */
    WEFT_PKT_FRAME,   /**< of another transport than RoCE */
    WEFT_PKT_PFC,
    WEFT_PKT_CREDIT, /**< as PFC, for the link only */
    WEFT_PKT_SUM,    /**< part of an in-network operation, up or down its tree */
    WEFT_PKT_KINDS
};

/** Why a packet was dropped. */
enum weft_drop_reason {
    WEFT_DROP_BUFFER,   /**< no buffer was left */
    WEFT_DROP_HEADROOM, /**< of a lossless class: headroom was exhausted */
    WEFT_DROP_ERROR,    /**< link errors */
    WEFT_DROP_LINK,     /**< on or before a link that failed, or without a route since */
    WEFT_DROP_REASONS
};

/** Counters of a whole run. */
struct weft_totals {
    uint64_t msgs_posted, msgs_received, msgs_acked;
    uint64_t bytes_posted, bytes_received; /**< message payload */
    uint64_t packet_hops;                  /**< packets of any kind serialised on links */
    uint64_t events;                       /**< events executed by the carrier */
    uint64_t windows;                      /**< that switches ran in, see the engine's window.h */
    /** packets created, by kind: data by hosts, retransmissions included; ACKs, NACKs and CNPs by
     * receivers. TCP's segments, ACKs and echoes of marks count as data, ACKs and CNPs, and besides
     * as the frames that carry them */
    uint64_t sent[WEFT_PKT_KINDS];
    uint64_t delivered[WEFT_PKT_KINDS]; /**< packets that reached the node they were for */
    uint64_t drops[WEFT_DROP_REASONS];
    uint64_t drops_data; /**< of them, packets with payload: the rest are ACKs and other control */
    uint64_t ecn_marks;
    uint64_t trims; /**< packets cut for want of buffer; those dropped all the same are in drops */
    uint64_t pfc_pauses, pfc_resumes; /**< frames sent */
    uint64_t retx_packets;            /**< packets sent again */
    uint64_t rtos;                    /**< retransmission timeouts fired */
    uint64_t pfc_refreshes; /**< pause frames that repeat an earlier one; not among pfc_pauses */
    uint64_t packets_in_flight; /**< alive now */
    uint64_t qps;               /**< QPs opened so far */
};

/** Packets dropped, whatever the reason. */
static inline uint64_t weft_totals_drops(const struct weft_totals *t)
{
    uint64_t n = 0;
    for (int why = 0; why < WEFT_DROP_REASONS; why++)
        n += t->drops[why];
    return n;
}

/** Counters of one fabric port (one direction of a link), from time 0 to now. */
struct weft_port_counters {
    uint64_t tx_packets;       /**< packets of any kind serialised */
    uint64_t tx_bytes;         /**< bytes on the wire, with preamble and gap */
    uint64_t tx_payload_bytes; /**< payload bytes among them, retransmissions included */
    int64_t busy_ps;           /**< time spent serialising */
    uint64_t max_queue_bytes;  /**< largest egress occupancy seen, all priorities */
    int64_t paused_ps;         /**< time during which at least one priority was paused */
    uint64_t pauses;           /**< XOFFs received */
    uint64_t ecn_marks;        /**< packets marked at this egress */
    /** packets lost, by reason: for want of buffer and of headroom counted at the egress they
     * wanted */
    uint64_t drops[WEFT_DROP_REASONS];
    uint64_t trims;  /**< packets cut for want of buffer at this egress */
    int64_t last_ps; /**< end of the last transmission; 0: there was none, or the link is down */
};

/** Priorities of a port. */
#define WEFT_STATE_PRIOS 8

/** A fabric port at one moment. */
struct weft_port_state {
    uint64_t tx_bytes;     /**< as in struct weft_port_counters: packets that have been begun */
    uint64_t unsent_bytes; /**< of them, what the packet on the wire has yet to send */
    uint64_t queue_bytes[WEFT_STATE_PRIOS]; /**< waiting at its egress */
    int64_t paused_ps[WEFT_STATE_PRIOS];    /**< time that pauses have held it so far */
    uint32_t paused;                        /**< bit mask of priorities that are paused now */
};

/** The buffer of a node that forwards, at one moment, by what came in. */
struct weft_buffer_state {
    uint64_t used_bytes;     /**< all of it */
    uint64_t shared_bytes;   /**< of it, in shared pools */
    uint64_t headroom_bytes; /**< of it, in headroom */
};

/** A QP at one moment. */
struct weft_qp_state {
    uint32_t qpn;
    uint32_t src, dst; /**< hosts */
    uint32_t prio;
    uint32_t number;          /**< which QP between the two at this priority: weft_msg.qp */
    uint64_t rate_bps;        /**< pacing rate, in wire bytes */
    uint64_t window_bytes;    /**< UINT64_MAX: no window */
    uint64_t in_flight_bytes; /**< payload sent and not acknowledged */
    uint64_t acked_bytes;     /**< payload acknowledged so far */
    int64_t rtt_ps;           /**< of the last ACK; 0: none yet, or nobody asked to note it */
    uint64_t msg;             /**< number of its oldest unacknowledged message, UINT64_MAX: none */
};

/** Memory that a backend's state takes, for weft bench. Addresses reserved and never touched do not
 * count. */
struct weft_memory_figures {
    uint64_t fabric_bytes; /**< what the fabric costs before anything is sent: graph, routes, ports,
                              buffers */
    uint64_t qps;          /**< QPs opened */
    uint64_t qp_bytes; /**< their state, with congestion control and the table that finds them */
    uint64_t peak_packets;  /**< most packets alive at once */
    uint64_t packet_bytes;  /**< records of packets, with what travels beside them */
    uint64_t peak_messages; /**< most messages posted and not acknowledged at once */
    uint64_t message_bytes; /**< their records */
};

/** What replay looks for. */
enum weft_replay_kind { WEFT_REPLAY_PACKETS, WEFT_REPLAY_MESSAGES, WEFT_REPLAY_MEMO };
/** Something that looks met instead. */
struct weft_replay_reason {
    enum weft_replay_kind kind;
    uint64_t times;
    const char *why;
};
#define WEFT_REPLAY_REASONS 32 /**< that are told apart; the last one stands for all others */

/** What came of replaying traffic that repeats itself (run.replay). */
struct weft_replay_figures {
    bool on;        /**< it was asked for */
    uint64_t hops;  /**< packet-hops taken over instead of simulated, of weft_totals.packet_hops */
    uint64_t jumps; /**< times that periods of packets were skipped */
    uint64_t periods; /**< so many in all */
    uint64_t
        copies;     /**< times that a piece got the state of one like it, instead of being simulated
                     */
    uint64_t plays; /**< times that periods of messages began to be played */
    uint64_t played_periods; /**< whole ones */
    uint64_t looks;          /**< times that the state was written down */
    uint64_t compares;       /**< times that it was compared */
    uint64_t values;         /**< read for that */
    const char *why; /**< what the last look found instead of a repetition; NULL: there was none */
    bool tolerant;   /**< messages may be taken over within a tolerance */
    bool resamples;  /**< messages whose times scatter are taken over as well: error is that of
                        their mean */
    uint64_t skipped_hops; /**< packet-hops skipped that way, of weft_totals.packet_hops */
    uint64_t taken;        /**< messages taken over that way, at least for a while */
    uint64_t checks;       /**< messages that were simulated to be compared with what was assumed */
    double error;          /**< estimated mean relative error of completion times */
    double error_bound;    /**< that of the 99th percentile */
    double end_error;      /**< that of the time until the end */
    struct weft_replay_reason reasons[WEFT_REPLAY_REASONS]; /**< in the order of the first time */
    uint32_t nreasons;
};

/** Numbers of threads for which the time of windows is projected. */
#define WEFT_THREAD_PROJECTIONS 5
static const unsigned weft_thread_projections[WEFT_THREAD_PROJECTIONS] = {2, 4, 8, 16, 64};

/** What one of several threads does alone between windows, and before and after each. */
enum weft_alone {
    WEFT_ALONE_EVENTS, /**< events, with what the user does in them, and seeing what comes next */
    WEFT_ALONE_SETTLE, /**< transmissions that switches owe before a window */
    WEFT_ALONE_LIST,   /**< listing who does what in it */
    WEFT_ALONE_JOIN,   /**< putting the results of all threads together */
    WEFT_ALONE_TELL,   /**< telling a user who only listens of messages */
    WEFT_ALONE_KINDS
};

/** The windows of a run if it had another number of threads. */
struct weft_thread_projection {
    uint64_t critical_events; /**< of the busiest thread, of counted_events */
    uint64_t windows;         /**< that have enough events for so many threads */
    uint64_t moved_packets;   /**< that go from a node of one thread to one of another */
};

/** What several threads did in the windows that they ran together, for weft bench. */
struct weft_thread_figures {
    unsigned threads;
    const char *alone; /**< why several can't run hosts as things are, for people; NULL: they can */
    uint64_t windows;  /**< that they ran */
    uint64_t barriers; /**< times that threads waited for each other in these */
    int64_t run_ns;    /**< time of these, until the last thread was ready */
    int64_t busy_ns;   /**< CPU time of all threads in them */
    uint64_t events;   /**< executed in them */
    int64_t alone_ns[WEFT_ALONE_KINDS]; /**< CPU time of one thread beside them */
    uint64_t held;  /**< times that a host waited for the frontend to be told of a message */
    uint64_t ahead; /**< of these, those after which it went on in a window, with others */
    uint64_t dealt; /**< times that nodes were dealt anew to threads, by their load */
    uint64_t counted_events; /**< in windows in which events are counted by node */
    struct weft_thread_projection projected[WEFT_THREAD_PROJECTIONS];
};

/** Sums over all switches and forwarding NPUs of a fabric. */
struct weft_buffer_figures {
    uint64_t nodes;          /**< how many there are */
    uint64_t buffer_bytes;   /**< packet buffer */
    uint64_t headroom_bytes; /**< of it, set aside for what arrives after XOFF */
    uint64_t reserve_bytes;  /**< of it, guaranteed to single queues */
};

/** What is being executed, as it is seen from within: by the handler of a signal. */
struct weft_event_now {
    uint64_t steps;   /**< changes from event to event, and as what is done between two gets on */
    int64_t t_ps;     /**< the clock */
    const char *what; /**< "retransmission timer of QP" */
    uint64_t number;  /**< of that QP or port; UINT64_MAX: it has none */
    uint32_t node;    /**< of the fabric, where it happens; UINT32_MAX: nowhere */
    uint32_t host;    /**< the same, if it is a host; UINT32_MAX: it is none */
};

#endif
