/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files that write frames: wire.c has RoCE, PFC and frames of others,
 * wire_uet.c Ultra Ethernet, wire_parts.c the headers below them. */
#ifndef WEFT_ENGINE_WIRE_INTERNAL_H
#define WEFT_ENGINE_WIRE_INTERNAL_H

#include "wire.h"

#include <stdlib.h>
#include <string.h>

enum {
    ETHER = 14,
    TAG = 4,
    IPV4 = 20,
    UDP = 8,
    BTH = 12,
    RETH = 16,
    AETH = 4,
    SACK = 4,
    CNP_RESERVED = 16,
    ICRC = 4,
    FCS = 4,
    TELEMETRY_MAX = 256,
    HEADERS_MAX = ETHER + TAG + IPV4 + UDP + BTH + RETH + TELEMETRY_MAX
};
enum {
    ETHERTYPE_TAG = 0x8100,
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86dd,
    ETHERTYPE_CONTROL = 0x8808
};
/* A message on a QP. */
struct segment {
    uint64_t first_psn, end_psn, first_byte, bytes;
};
struct segments {
    struct segment *list;
    size_t n, cap;
};

struct weft_wire {
    struct weft_wire_config c;
    struct weft_engine_params p;
    struct weft_transport_params uet; /* Ultra Ethernet's */
    struct segments *qps;             /* by QP number */
    size_t nqps;
    uint32_t crc[256];
};

/* Headers being written. */
struct out {
    uint8_t *buf;
    size_t n;
};

static inline void put8(struct out *o, uint64_t v)
{
    o->buf[o->n++] = (uint8_t)v;
}
static inline void put(struct out *o, uint64_t v, int bytes)
{
    while (bytes-- > 0)
        put8(o, v >> 8 * bytes);
}
static inline void put_zero(struct out *o, size_t bytes)
{
    memset(o->buf + o->n, 0, bytes);
    o->n += bytes;
}

/** How many messages of a QP began at or before a packet; their list in *list. */
size_t wire_begun(const struct weft_wire *w, uint32_t qpn, uint64_t psn,
                  const struct segment **list);
/** The MAC address of a port. */
void wire_put_mac(const struct weft_wire *w, struct out *o, uint32_t port);
/** Ethernet, with its tag. */
void wire_put_ether(const struct weft_wire *w, struct out *o, uint32_t port, uint32_t prio,
                    unsigned ethertype);
/** IPv4 and UDP headers over @p body bytes. The source port is 49152 + the lower 14 bits of @p
 * flow. */
void wire_put_ip_udp(struct out *o, const struct weft_engine_pkt_view *v, uint32_t flow,
                     unsigned dst_port, size_t body);
/** weft_wire_frame of a data packet, ACK, NACK, request or grant of Ultra Ethernet. */
size_t wire_uet_frame(const struct weft_wire *w, uint32_t port,
                      const struct weft_engine_pkt_view *v, uint8_t *buf, size_t size);

#endif
