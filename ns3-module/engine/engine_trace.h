/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports of a running engine: hooks, and packets and QPs as they show them.
 */
#ifndef WEFT_ENGINE_TRACE_H
#define WEFT_ENGINE_TRACE_H

#include "base/concurrency.h"
#include "base/figures.h"
#include "base/message.h"
#include "congestion/cc.h"
#include "congestion/cc_switch.h"

#include <stdbool.h>

WEFT_C_BEGIN

/** "buffer", "headroom", "link-error", "link-down". */
const char *weft_drop_reason_name(enum weft_drop_reason reason);

const char *weft_pkt_kind_name(enum weft_pkt_kind kind);

/** Signals that packets carry for a congestion control, if any. */
enum weft_telemetry {
    WEFT_TELEMETRY_TIME,
    WEFT_TELEMETRY_INT,
    WEFT_TELEMETRY_PINT,
    WEFT_TELEMETRY_TAGS
};

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
    int64_t sent_ps;   /**< DATA: when the NIC began to send it; ACK, NACK, WARNING: the same of its
                          cause */
    int ce;            /**< DATA: marked */
    int ack_request;   /**< DATA: it will be answered whatever transport.ack-every says */
    int echo;          /**< ACK, NACK: a packet that it covers was marked */
    int cnp;           /**< ACK, NACK: carries a CNP */
    int has_sack;      /**< NACK of selective repeat: */
    uint64_t sack_psn; /**< the packet that caused it */
    uint32_t tags;     /**< DATA: bits of enum weft_cc_tag; ACK: weft_cc_ack.gains */
    uint32_t queue_bytes;               /**< WARNING: what its cause found waiting at a port */
    uint64_t rate_bps;                  /**< WARNING: rate of that port */
    int ecn_capable;                    /**< DATA: may be marked */
    enum weft_telemetry telemetry;      /**< what its telemetry is */
    uint32_t telemetry_bytes;           /**< how much of its frame that takes */
    const struct weft_cc_hop *int_hops; /**< INT so far; valid during the call */
    uint32_t nhops;
    uint32_t pint;   /**< PINT code */
    uint64_t handle; /**< FRAME: that of its struct weft_engine_frame */
    /* of what Ultra Ethernet's headers say besides */
    int uet;             /**< packets of QPs: their transport is Ultra Ethernet */
    uint32_t entropy;    /**< DATA sprayed by entropy values: its value; UINT32_MAX: none */
    int trimmed;         /**< DATA: it is what is left of a trimmed packet */
    int ack_requested;   /**< REQUEST: for an ACK, else for credit alone */
    int named;           /**< NACK: caused_psn was trimmed; 2: at the last hop */
    uint64_t caused_psn; /**< ACK, NACK: the packet that it answers, as far as it says */
    uint64_t map_first;  /**< ACK: number of bit 0 of map_bits */
    uint64_t map_bits;   /**< ACK: packets that came behind a gap; 0: it does not tell */
    uint32_t credit;     /**< DATA, REQUEST: wanted in all; GRANT: granted in all; 256 bytes */
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

/** Events of packets at a port. */
enum weft_pkt_event {
    WEFT_PKT_SENT,    /**< the port begins to send it */
    WEFT_PKT_ARRIVED, /**< it came in through the port, completely */
    WEFT_PKT_QUEUED   /**< it entered the egress queue of the port of a switch or forwarding host */
};

/** Events of QPs, at their sender. */
enum weft_qp_event {
    WEFT_QP_ACK,  /**< an ACK arrived; before anything follows from it */
    WEFT_QP_NACK, /**< a NACK arrived */
    WEFT_QP_CNP,  /**< a CNP arrived, or an ACK or NACK that carries one */
    WEFT_QP_RETX, /**< a data packet is about to be sent again */
    WEFT_QP_RATE  /**< the congestion control has been asked; rate and window may have changed */
};

/** Hooks; each may be NULL and then costs one predictable branch. They may call
 * weft_engine_send, _timer, _stop. */
struct weft_engine_hooks {
    void *ctx;
    void (*received)(void *ctx,
                     const struct weft_completion *done);         /**< at the receiver, last byte */
    void (*acked)(void *ctx, const struct weft_completion *done); /**< at the sender, last ACK */
    void (*pfc)(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio,
                int pause); /**< takes effect at the paused port */
    /** pfc may be called later, in the order of time: before a look at the engine's counters, and
     * before weft_engine_run returns. Then switches may run in windows (window.h), which is faster.
     */
    int pfc_late;
    /** Promises about received and acked. */
    struct weft_net_concurrency concurrency;
    /** Of a link under credits: a priority of its sending end has run out of them (@p out 1), or
     * has got some again. */
    void (*credit)(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio, int out);
    void (*drop)(void *ctx, int64_t t_ps, uint32_t port, enum weft_drop_reason why,
                 const struct weft_engine_pkt_view *pkt);
    void (*ecn_mark)(void *ctx, int64_t t_ps, uint32_t port,
                     const struct weft_engine_pkt_view *pkt);
    void (*queue)(void *ctx, int64_t t_ps, uint32_t port, uint32_t prio,
                  uint64_t bytes); /**< switch egress queue changed */
    /* Of frames; each frame comes to its end in one of the last two. frame_left and what a
     * weft_engine_send_frame drops at once are told before it returns. */
    /** The packet left the queue of its NIC: its transmission has started. */
    void (*frame_left)(void *ctx, uint64_t handle);
    /** The packet arrived at port @p port of its host; @p ce: it was marked on the way. */
    void (*frame_received)(void *ctx, uint32_t port, uint64_t handle, int ce);
    /** As drop; @p in_port: the port of a switch that it came in through and had no buffer for;
     * UINT32_MAX: another reason. */
    void (*frame_dropped)(void *ctx, uint32_t port, uint32_t in_port, uint64_t handle,
                          enum weft_drop_reason why);
    void (*posted)(void *ctx, const struct weft_completion *msg); /**< nothing has happened to it */
    void (*link)(void *ctx, int64_t t_ps, uint32_t link, int up); /**< failed or came back */
    /** Packets at ports. @p packet_events says per port which: bits 1 << enum weft_pkt_event. To
     * change them, set the hooks again. */
    void (*packet)(void *ctx, int64_t t_ps, uint32_t port, enum weft_pkt_event what,
                   const struct weft_engine_pkt_view *pkt);
    const uint8_t *packet_events;
    /** QPs. @p qp_events says which: bits 1 << enum weft_qp_event. @p pkt: NULL for rates and for
     * CNPs */
    void (*qp)(void *ctx, int64_t t_ps, enum weft_qp_event what,
               const struct weft_engine_qp_view *qp, const struct weft_engine_pkt_view *pkt);
    uint32_t qp_events;
    /** Fault injection: not 0 loses the packet at the far end of the link of @p port, as a link
     * error */
    int (*lose)(void *ctx, uint32_t port, const struct weft_engine_pkt_view *pkt);
};

WEFT_C_END
#endif
