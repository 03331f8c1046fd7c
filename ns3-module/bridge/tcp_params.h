/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parameters that choose and configure TCP: transport.type, transport.variant and section tcp.
 */
#ifndef WEFT_TCP_PARAMS_H
#define WEFT_TCP_PARAMS_H

#include "ns3-module/engine/engine.h"

WEFT_C_BEGIN

/** What carries messages. */
enum weft_transport_type { WEFT_TRANSPORT_ROCE, WEFT_TRANSPORT_TCP, WEFT_TRANSPORT_UET };

/** Section transport: that of the engine, and the choice of the transport. */
struct weft_packet_transport {
    struct weft_transport_params roce; /**< the engine's; first, as its rows hold for both */
    int type;                          /**< enum weft_transport_type */
    int variant; /**< number of the TCP variant, in the order of tcp_variants.def */
};

/** Section tcp. */
struct weft_tcp_params {
    uint64_t prios; /**< bit mask: with RoCE or UET, the priorities whose messages go by TCP */
    uint64_t prio;  /**< of messages that ask for none, 0..7 */
    uint64_t connections; /**< per pair of hosts and QP number */
    uint64_t mtu_bytes;   /**< largest IP packet */
    uint64_t initial_window_segments;
    int64_t min_rto_ps;         /**< least retransmission timeout */
    int64_t connect_timeout_ps; /**< until a SYN is repeated */
    int64_t delayed_ack_ps;     /**< longest wait of an ACK; 0: see weft_tcp_delayed_ack_ps */
    uint64_t ack_every;         /**< segments per ACK */
    uint64_t send_buffer_bytes;
    uint64_t receive_buffer_bytes;
    uint64_t retries; /**< timeouts in a row after which a connection fails */
    bool ecn;         /**< newreno and cubic ask for marks */
};

/** Ethernet header and FCS around an IP packet. */
#define WEFT_TCP_FRAME_OVERHEAD_BYTES 18u
/** IPv4 and TCP headers of a segment with data; there are no options. */
#define WEFT_TCP_HEADER_BYTES 40u

/** The name of the TypeId of a TCP variant. */
const char *weft_tcp_variant_type_id(int variant);
/** The longest time that an ACK waits for the next segment. */
int64_t weft_tcp_delayed_ack_ps(const struct weft_tcp_params *tcp);
/** Whether transport and TCP parameters go together with each other, with @p pfc and with the
 * fabric; else WEFT_E_INPUT. */
int weft_tcp_check_params(const struct weft_packet_transport *transport,
                          const struct weft_tcp_params *tcp, const struct weft_pfc_params *pfc,
                          const struct weft_fabric *fabric, struct weft_err *err);

WEFT_C_END
#endif
