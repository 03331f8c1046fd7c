/* SPDX-License-Identifier: GPL-2.0-only */
/* The bytes of frames; see wire.h. */
#include "wire_internal.h"
#include "core/control_config.h"

#include "base/grow.h"
#include "base/units.h"
#include "congestion/cc_switch.h"

enum { ROCE_PORT = 4791, WARNING_PORT = 1021, WARNING = 16 };
_Static_assert(HEADERS_MAX + 3 + ICRC + UINT16_MAX <= WEFT_WIRE_MAX, "payloads have 16 bits");
/* Opcodes of the reliable connection and the CNP. */
enum {
    SEND_FIRST = 0x00,
    SEND_MIDDLE,
    SEND_LAST,
    SEND_ONLY = 0x04,
    WRITE_FIRST = 0x06,
    WRITE_MIDDLE,
    WRITE_LAST,
    WRITE_ONLY = 0x0a,
    ACKNOWLEDGE = 0x11,
    CNP_OPCODE = 0x81
};
enum { SYNDROME_ACK = 0x1f /* no credit count */, SYNDROME_NAK_SEQUENCE = 0x60 };

/* ---- life cycle ---- */

/* CRC-32 of IEEE 802.3, reflected. */
static void fill_crc(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c >> 1 ^ (c & 1 ? UINT32_C(0xedb88320) : 0);
        table[i] = c;
    }
}

struct weft_wire *weft_wire_new(const struct weft_wire_config *config, struct weft_err *err)
{
    struct weft_wire *w = weft_err_calloc(1, sizeof *w, "frames of a capture", err);
    if (!w)
        return NULL;
    w->c = *config;
    w->p = *config->params;
    w->uet = profile_transport(&w->p, w->p.uet.prios ? PROFILE_UET : PROFILE_RUN);
    fill_crc(w->crc);
    return w;
}

void weft_wire_free(struct weft_wire *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->nqps; i++)
        free(w->qps[i].list);
    free(w->qps);
    free(w);
}

int weft_wire_posted(struct weft_wire *w, const struct weft_completion *msg, struct weft_err *err)
{
    if (!WEFT_GROW_ZEROED(w->qps, (size_t)msg->qpn + 1, &w->nqps))
        return weft_err_no_memory(err, "the messages of a capture");
    struct segments *s = &w->qps[msg->qpn];
    if (!WEFT_GROW(s->list, s->n, &s->cap))
        return weft_err_no_memory(err, "the messages of a capture");
    s->list[s->n++] = (struct segment){msg->first_psn, msg->first_psn + msg->packets,
                                       msg->first_byte, msg->msg.bytes};
    return 0;
}

/* ---- bytes ---- */

static void put_bth(struct out *o, unsigned opcode, unsigned pad, int becn, uint32_t qpn,
                    int ack_request, uint64_t psn)
{
    put8(o, opcode);
    put8(o, 0x40 | pad << 4); /* migrated */
    put(o, 0xffff, 2);        /* partition: the default one */
    put8(o, becn ? 0x40 : 0);
    put(o, qpn, 3);
    put8(o, ack_request ? 0x80 : 0);
    put(o, psn, 3);
}

static unsigned rate_code(uint64_t bps)
{
    uint64_t rate = UINT64_C(25000000000);
    for (unsigned k = 0; k < 7; k++, rate *= 2)
        if (rate == bps)
            return k;
    return 15;
}

static void put_int(struct out *o, const struct weft_engine_pkt_view *v, size_t bytes)
{
    const size_t room = (bytes - 2) / 8;
    const size_t n = v->nhops < room ? v->nhops : room;
    put(o, n << 12, 2);
    for (size_t i = 0; i < n; i++) {
        const struct weft_cc_hop *h = &v->int_hops[i];
        const uint64_t ns = (uint64_t)(h->ts_ps / WEFT_PS_PER_NS);
        const uint64_t queue = h->qlen_bytes / 80;
        put(o,
            (uint64_t)rate_code(h->rate_bps) << 60 | (ns & 0xffffff) << 36 |
                (h->tx_bytes / 128 & 0xfffff) << 16 | (queue < 0xffff ? queue : 0xffff),
            8);
    }
}

/* Of a time, modulo 2^32. */
static uint64_t nanoseconds(int64_t t_ps)
{
    return (uint64_t)(t_ps / WEFT_PS_PER_NS) & UINT32_MAX;
}

static void put_telemetry(struct out *o, const struct weft_engine_pkt_view *v, size_t bytes)
{
    const size_t end = o->n + bytes;
    if (v->telemetry == WEFT_TELEMETRY_INT && bytes >= 2)
        put_int(o, v, bytes);
    else if (v->telemetry == WEFT_TELEMETRY_PINT && bytes >= 2)
        put(o, v->pint, 2);
    else if (v->telemetry == WEFT_TELEMETRY_TAGS && bytes >= 6)
        put(o, (uint64_t)(v->tags & UINT16_MAX) << 32 | nanoseconds(v->sent_ps), 6);
    else if (bytes >= 8)
        put(o, (uint64_t)(v->sent_ps / WEFT_PS_PER_NS), 8);
    put_zero(o, end - o->n);
}

/* ---- packets ---- */

/* Bytes behind the UDP header. */
struct body {
    unsigned opcode;
    uint64_t psn;
    int becn, ack_request;
    uint64_t length;     /* WRITE first or only: bytes of the message, else no RETH */
    uint64_t virtual_at; /* and where it goes */
    bool reth;
    size_t telemetry, payload, pad;
};

static void describe_data(const struct weft_wire *w, const struct weft_engine_pkt_view *v,
                          struct body *b)
{
    const struct segment *list = NULL;
    const size_t n = wire_begun(w, v->qpn, v->psn, &list);
    const bool known = n && v->psn < list[n - 1].end_psn;
    const bool first = known && v->psn == list[n - 1].first_psn;
    const bool last = known && v->psn + 1 == list[n - 1].end_psn;
    static const uint8_t opcodes[2][4] = {{WRITE_MIDDLE, WRITE_FIRST, WRITE_LAST, WRITE_ONLY},
                                          {SEND_MIDDLE, SEND_FIRST, SEND_LAST, SEND_ONLY}};
    b->opcode = opcodes[w->c.operation][(first ? 1 : 0) + (last ? 2 : 0)];
    b->psn = v->psn;
    b->ack_request = v->ack_request;
    b->reth = first && w->c.operation == WEFT_WIRE_WRITE;
    if (b->reth) {
        b->length = list[n - 1].bytes < UINT32_MAX ? list[n - 1].bytes : UINT32_MAX;
        b->virtual_at = list[n - 1].first_byte;
    }
    b->payload = v->payload_bytes;
    b->pad = -b->payload & 3;
}

/* Messages that the receiver has completely when it expects packet @p psn next. */
static uint64_t completed(const struct weft_wire *w, uint32_t qpn, uint64_t psn)
{
    const struct segment *list = NULL;
    const size_t n = wire_begun(w, qpn, psn, &list);
    return n && psn < list[n - 1].end_psn ? n - 1 : n;
}

static size_t extended(const struct weft_engine_pkt_view *v, const struct body *b)
{
    switch (v->kind) {
    case WEFT_PKT_DATA:
        return b->reth ? RETH : 0;
    case WEFT_PKT_CNP:
        return CNP_RESERVED;
    default:
        return AETH + (v->has_sack ? SACK : 0);
    }
}

static void put_extended(const struct weft_wire *w, struct out *o,
                         const struct weft_engine_pkt_view *v, const struct body *b)
{
    if (v->kind == WEFT_PKT_CNP) {
        put_zero(o, CNP_RESERVED);
    } else if (v->kind != WEFT_PKT_DATA) {
        put8(o, v->kind == WEFT_PKT_ACK ? SYNDROME_ACK : SYNDROME_NAK_SEQUENCE);
        put(o, completed(w, v->qpn, v->psn), 3);
        if (v->has_sack)
            put(o, v->sack_psn & 0xffffff, SACK);
    } else if (b->reth) {
        put(o, b->virtual_at, 8);
        put(o, v->qpn, 4); /* the remote key */
        put(o, b->length, 4);
    }
}

/* 8 bytes of ones, then the packet with ones for what routers change: type of service, time to live
 * and checksum of IPv4, checksum of UDP, the congestion bits of the BTH. */
uint32_t weft_wire_icrc(const struct weft_wire *w, const uint8_t *ip, size_t bytes)
{
    uint32_t c = UINT32_MAX;
    for (int i = 0; i < 8; i++)
        c = w->crc[(c ^ 0xff) & 0xff] ^ c >> 8;
    for (size_t i = 0; i < bytes; i++) {
        const bool varies = i == 1 || i == 8 || i == 10 || i == 11 || i == IPV4 + 6 ||
                            i == IPV4 + 7 || i == IPV4 + UDP + 4;
        c = w->crc[(c ^ (varies ? 0xff : ip[i])) & 0xff] ^ c >> 8;
    }
    return ~c;
}

static size_t write_roce(const struct weft_wire *w, uint32_t port,
                         const struct weft_engine_pkt_view *v, uint8_t *buf, size_t size)
{
    struct body b = {.psn = v->psn, .becn = v->cnp || v->echo, .telemetry = v->telemetry_bytes};
    if (b.telemetry > TELEMETRY_MAX)
        b.telemetry = TELEMETRY_MAX; /* no congestion control has as much */
    if (v->kind == WEFT_PKT_DATA) {
        describe_data(w, v, &b);
    } else if (v->kind == WEFT_PKT_CNP) {
        b.opcode = CNP_OPCODE;
        b.becn = 1;
    } else {
        b.opcode = ACKNOWLEDGE;
        b.psn = v->kind == WEFT_PKT_ACK ? v->psn - 1 : v->psn;
    }
    uint8_t head[HEADERS_MAX];
    struct out o = {head, 0};
    const size_t more = extended(v, &b);
    wire_put_ether(w, &o, port, v->prio, ETHERTYPE_IPV4);
    const size_t ip = o.n;
    wire_put_ip_udp(&o, v, v->flow_hash, ROCE_PORT,
                    BTH + more + b.telemetry + b.payload + b.pad + ICRC);
    put_bth(&o, b.opcode, (unsigned)b.pad, b.becn, v->qpn, b.ack_request, b.psn & 0xffffff);
    put_extended(w, &o, v, &b);
    put_telemetry(&o, v, b.telemetry);
    const size_t end = o.n + b.payload + b.pad, all = end + ICRC;
    const size_t least =
        w->p.transport.min_frame_bytes > FCS ? w->p.transport.min_frame_bytes - FCS : 0;
    const size_t length = all < least ? least : all;
    memset(buf, 0, length < size ? length : size);
    memcpy(buf, head, o.n < size ? o.n : size);
    if (all <= size) {
        const uint32_t crc = weft_wire_icrc(w, buf + ip, end - ip);
        for (int i = 0; i < ICRC; i++)
            buf[end + (size_t)i] = (uint8_t)(crc >> 8 * i); /* least significant byte first */
    }
    return length;
}

/* A switch's warning: number of the QP, queue in bytes, rate in Mbps, and the time of sending in
 * ns, modulo 2^32, of the packet that found the queue. */
static size_t write_warning(const struct weft_wire *w, uint32_t port,
                            const struct weft_engine_pkt_view *v, uint8_t *buf, size_t size)
{
    uint8_t head[HEADERS_MAX];
    struct out o = {head, 0};
    wire_put_ether(w, &o, port, v->prio, ETHERTYPE_IPV4);
    wire_put_ip_udp(&o, v, v->flow_hash, WARNING_PORT, WARNING);
    put(&o, v->qpn, 4);
    put(&o, v->queue_bytes, 4);
    put(&o, v->rate_bps / 1000000, 4);
    put(&o, nanoseconds(v->sent_ps), 4);
    const size_t length = v->frame_bytes > FCS + o.n ? v->frame_bytes - FCS : o.n;
    memset(buf, 0, length < size ? length : size);
    memcpy(buf, head, o.n < size ? o.n : size);
    return length;
}

static size_t write_pfc(const struct weft_wire *w, uint32_t port,
                        const struct weft_engine_pkt_view *v, uint8_t *buf, size_t size)
{
    uint8_t head[64];
    struct out o = {head, 0};
    const uint64_t quanta =
        w->p.pfc.quanta && w->p.pfc.quanta < UINT16_MAX ? w->p.pfc.quanta : UINT16_MAX;
    put(&o, UINT64_C(0x0180c2000001), 6);
    wire_put_mac(w, &o, port);
    put(&o, ETHERTYPE_CONTROL, 2);
    put(&o, 0x0101, 2);
    put(&o, 1u << v->prio, 2); /* classes that the times are for */
    for (uint32_t k = 0; k < WEFT_PRIOS; k++)
        put(&o, k == v->prio && v->pause ? quanta : 0, 2);
    const size_t length = v->frame_bytes > FCS + o.n ? v->frame_bytes - FCS : o.n;
    memset(buf, 0, length < size ? length : size);
    memcpy(buf, head, o.n < size ? o.n : size);
    return length;
}

/* Congestion experienced, as a switch writes it; @p got bytes of the packet are there. */
static void mark_ce(unsigned ethertype, uint8_t *ip, size_t got)
{
    if (ethertype == ETHERTYPE_IPV6 && got >= 2) {
        ip[1] |= 0x30;
    } else if (ethertype == ETHERTYPE_IPV4 && got >= IPV4) {
        const unsigned before = ip[1], sum = (unsigned)ip[10] << 8 | ip[11];
        ip[1] |= 3;
        if (!sum)
            return; /* the sender computes no checksums */
        uint32_t c = (~sum & 0xffff) + (~before & 0xffff) + ip[1]; /* RFC 1624, equation 3 */
        c = (c & 0xffff) + (c >> 16);
        c = ~((c & 0xffff) + (c >> 16));
        ip[10] = (uint8_t)(c >> 8);
        ip[11] = (uint8_t)c;
    }
}

static size_t write_other(const struct weft_wire *w, uint32_t port,
                          const struct weft_engine_pkt_view *v, uint8_t *buf, size_t size)
{
    const size_t before = w->c.untagged ? ETHER : ETHER + TAG;
    const size_t room = before < size ? size - before : 0;
    uint16_t ethertype = 0;
    const size_t bytes = w->c.read_frame ? w->c.read_frame(w->c.frames, v->handle, &ethertype,
                                                           buf + size - room, room)
                                         : 0;
    if (!bytes)
        return 0;
    if (v->ce)
        mark_ce(ethertype, buf + size - room, bytes < room ? bytes : room);
    uint8_t head[ETHER + TAG];
    struct out o = {head, 0};
    wire_put_ether(w, &o, port, v->prio, ethertype);
    memcpy(buf, head, o.n < size ? o.n : size);
    const size_t all = before + bytes;
    const size_t least =
        w->p.transport.min_frame_bytes > FCS ? w->p.transport.min_frame_bytes - FCS : 0;
    if (all < least && all < size)
        memset(buf + all, 0, (least < size ? least : size) - all);
    return all < least ? least : all;
}

size_t weft_wire_frame(const struct weft_wire *w, uint32_t port,
                       const struct weft_engine_pkt_view *pkt, uint8_t *buf, size_t size)
{
    if (pkt->uet && pkt->kind <= WEFT_PKT_GRANT && pkt->kind != WEFT_PKT_CNP)
        return wire_uet_frame(w, port, pkt, buf, size);
    switch (pkt->kind) {
    case WEFT_PKT_WARNING:
        return write_warning(w, port, pkt, buf, size);
    case WEFT_PKT_PFC:
        return write_pfc(w, port, pkt, buf, size);
    case WEFT_PKT_FRAME:
        return write_other(w, port, pkt, buf, size);
    case WEFT_PKT_CREDIT:
    case WEFT_PKT_REQUEST:
    case WEFT_PKT_GRANT:
    case WEFT_PKT_SUM:
        return 0;
    default:
        return write_roce(w, port, pkt, buf, size);
    }
}
