/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of a frame, for captures: the engine keeps header fields, this makes the headers.
 *
 *   data, ACK, NACK, CNP   Ethernet, 802.1Q, IPv4, UDP port 4791, BTH, RETH or AETH, telemetry,
 *                          payload, pad, ICRC (IBTA 1.5 chapter 9 and annex A17, RoCEv2)
 *   with transport.type=uet, but for CNPs: Ethernet, 802.1Q, IPv4, UDP port 4793, Ultra Ethernet's
 * PDS and SES headers (wire_uet.c); grants and requests, too
 *   warning of a switch    Ethernet, 802.1Q, IPv4, UDP port 1021 (RFC 4727, for experiments), then 32
 *                          bits each: QP, queue in bytes, rate of the port in Mbps, time of sending
 *                          in ns of the packet that found the queue
 *   PFC                    MAC control, opcode 0x0101 (IEEE 802.1Qbb, 802.3 annex 31D)
 *   frames of others       Ethernet, 802.1Q, and the packet as its sender made it, with CE once it is marked
 *
 * The frame check sequence is left out, as captures do. Addresses: host h is 10.0.0.1 + h, port p
 * has the MAC address 02:00 and its number in four bytes unless the caller gives others; a QP has
 * the same number at both ends. The source port, 49152 or more, follows the hash that ECMP uses.
 * The DSCP is the class selector of the priority, which is also in the 802.1Q tag. Payload bytes
 * are zero.
 *
 * A frame of the engine has transport.header-bytes around its payload whatever it is; the bytes
 * here have besides, and without effect on any time: the tag (4), the RETH of the first packet of
 * an RDMA WRITE (16), and the number of the packet that a NACK of selective repeat is about (4).
 *
 * Telemetry stands between BTH (RETH, AETH) and payload, as many bytes as the congestion control
 * adds, and dissectors take it for payload. INT: 4 bits of hops, 12 of path (0), then per hop 4
 * bits of rate (0 to 6: 25, 50, 100, 200, 400, 800, 1600 Gbps; 15: another), 24 of time (ns), 20 of
 * bytes sent (in 128 B) and 16 of queue (in 80 B, at most 65535), modulo their width (HPCC, SIGCOMM
 * 2019, figure 7). PINT: the code in 16 bits. Bolt: 16 bits (in data those of enum weft_cc_tag, in
 * ACKs how many marks they tell of), then the time of sending in ns, 32 bits. Anything else: that
 * time, 64 bits.
 * The rest is zero.
 */
#ifndef WEFT_WIRE_H
#define WEFT_WIRE_H

#include "engine.h"

WEFT_C_BEGIN

/** A message as the NIC sees it. */
enum weft_wire_operation {
    WEFT_WIRE_WRITE, /**< RDMA WRITE: its first packet has a RETH */
    WEFT_WIRE_SEND
};

/** How frames are to look. */
struct weft_wire_config {
    const struct weft_fabric *fabric;        /**< must outlive the wire */
    const struct weft_engine_params *params; /**< copied */
    enum weft_wire_operation operation;
    int untagged; /**< no 802.1Q tag */
    const uint8_t
        *macs; /**< six bytes per port; must outlive the wire. NULL: made from its number */
    /** Writes at most @p size bytes of the packet in a frame of another transport, by its handle,
     * and its EtherType; returns the length of all of it, 0: there is none. NULL: such frames have
     * no bytes. */
    size_t (*read_frame)(void *frames, uint64_t handle, uint16_t *ethertype, uint8_t *buf,
                         size_t size);
    void *frames; /**< for read_frame */
};

struct weft_wire;

/** NULL: out of memory. */
struct weft_wire *weft_wire_new(const struct weft_wire_config *config, struct weft_err *err);
void weft_wire_free(struct weft_wire *w);

/** Learns of a message (the hook `posted`), of which packets show first and last, RETH and MSN.
 * Packets of unknown messages are taken for middle ones. */
int weft_wire_posted(struct weft_wire *w, const struct weft_completion *msg, struct weft_err *err);

/** No frame is longer. */
#define WEFT_WIRE_MAX ((size_t)(1 << 16) + 512)

/** Writes at most @p size bytes of the frame that leaves through @p port; returns its length, 0 for
 * those without a published format: credits, sums, frames that cannot be read. The ICRC is right in
 * frames that fit, else zero. */
size_t weft_wire_frame(const struct weft_wire *w, uint32_t port,
                       const struct weft_engine_pkt_view *pkt, uint8_t *buf, size_t size);

/** The ICRC of the @p bytes bytes from the IPv4 header to before the ICRC. */
uint32_t weft_wire_icrc(const struct weft_wire *w, const uint8_t *ip, size_t bytes);

WEFT_C_END
#endif
