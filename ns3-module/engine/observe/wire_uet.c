/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ultra Ethernet's headers over IPv4 and UDP port 4793, as far as they are public (UE specification
 * 1.0.3, 3.5: packet delivery, PDS; 3.4: semantics, SES).
 *
 * PDS, all with 5 bits of type, 4 of what follows (of a control packet: which one), 7 of flags:
 *   request 12   clear offset 2, PSN 4, ids of both ends 2 + 2; of the first packet (SYN) the mode
 *                in place of the destination's; under credit 4 more: context 1, credit target 3
 *   ACK_CC 32    offset of the packet that caused it 2, cumulative PSN 4 (all before it have come),
 *                ids 2 + 2, kind of state, range 2, offset of the bitmap 2, bitmap 8, state 8
 *   NACK 16      code 1, vendor's 1, PSN 4, ids 2 + 2, payload 4
 *   control 16   probe's 2, PSN 4, ids 2 + 2, payload 4: ACK request, credit, credit request
 * SES standard request 44: operation 1, flags 1, message 2, job 4, process 2, index 2, offset of
 * the buffer 8, initiator 4, match bits 8, header data 8 (behind the first packet: length and
 * offset of the payload), length of the message 4.
 *
 * PSNs begin at 0; a QP is the PDC of its number. Not told, 0: flag for what is sent again, CC
 * state but "ooo_count unknown". SES headers of other lengths have its first bytes. What is left of
 * a trimmed packet is cut where the switch cuts it, and says so in the lengths of IPv4 and UDP.
 */
#include "wire_internal.h"

enum { UET_PORT = 4793, PDS_REQUEST = 12, PDS_ACK = 12, PDS_ACK_CC = 32, PDS_CONTROL = 16 };
enum { SES_STANDARD = 44, SES_MEDIUM = 32, SES_SMALL = 20, AROUND = ETHER + IPV4 + UDP + FCS };
enum {
    TYPE_RUD = 2,
    TYPE_ROD = 3,
    TYPE_ACK = 7,
    TYPE_ACK_CC = 8,
    TYPE_NACK = 10,
    TYPE_CONTROL = 11,
    TYPE_RUD_CC = 13,
    TYPE_ROD_CC = 14
};
enum { NEXT_NONE, NEXT_SMALL, NEXT_MEDIUM, NEXT_STANDARD };
enum { CONTROL_ACK_REQUEST = 1, CONTROL_CREDIT = 7, CONTROL_CREDIT_REQUEST = 8 };
enum { FLAG_SYN = 1 << 2, FLAG_AR = 1 << 3, FLAG_MARK = 1 << 5 };
enum { NACK_TRIMMED = 1, NACK_TRIMMED_LAST_HOP = 2, NACK_ROD_OOO = 0x0d, NACK_LOSS = 0x1a };
enum { SES_WRITE = 1, SES_SEND = 5, SES_FIRST = 1, SES_LAST = 2 };

static void put_prologue(struct out *o, unsigned type, unsigned next, unsigned flags)
{
    put(o, type << 11 | next << 7 | flags, 2);
}

static void put_ids(struct out *o, const struct weft_engine_pkt_view *v)
{
    put(o, v->qpn & 0xffff, 2);
    put(o, v->qpn & 0xffff, 2);
}

/* The SES header of a data packet, of at most @p bytes bytes. */
static void put_ses(const struct weft_wire *w, struct out *o, const struct weft_engine_pkt_view *v,
                    size_t bytes)
{
    uint8_t all[SES_STANDARD];
    struct out s = {all, 0};
    const struct segment *list = NULL;
    const size_t n = wire_begun(w, v->qpn, v->psn, &list);
    static const struct segment none = {0, 0, 0, 0};
    const struct segment *m = n && v->psn < list[n - 1].end_psn ? &list[n - 1] : &none;
    const bool first = m != &none && v->psn == m->first_psn;
    const bool last = m != &none && v->psn + 1 == m->end_psn;
    const uint64_t at = (v->psn - m->first_psn) * w->uet.mtu_bytes;
    put8(&s, w->c.operation == WEFT_WIRE_SEND ? SES_SEND : SES_WRITE);
    put8(&s, (first ? SES_FIRST : 0) | (last ? SES_LAST : 0));
    put(&s, n & 0xffff, 2);
    put_zero(&s, 8); /* job, process, index */
    put(&s, m->first_byte, 8);
    put(&s, v->src_host, 4);
    put(&s, v->qpn, 8);
    put(&s, first || m == &none ? 0 : (uint64_t)(v->payload_bytes & 0x3fff) << 32 | (uint32_t)at,
        8);
    put(&s, m->bytes < UINT32_MAX ? m->bytes : UINT32_MAX, 4);
    const size_t some = bytes < SES_STANDARD ? bytes : SES_STANDARD;
    memcpy(o->buf + o->n, all, some);
    o->n += some;
    put_zero(o, bytes - some);
}

static void put_data(const struct weft_wire *w, struct out *o, const struct weft_engine_pkt_view *v)
{
    const bool ordered = w->uet.recovery == WEFT_RECOVERY_ROD;
    const bool credit = v->telemetry_bytes == 4;
    const uint64_t header = w->uet.header_bytes, least = AROUND + PDS_REQUEST;
    const size_t ses = header > least ? (size_t)(header - least) : 0;
    const bool syn = v->psn == 0;
    put_prologue(o,
                 credit    ? ordered ? TYPE_ROD_CC : TYPE_RUD_CC
                 : ordered ? TYPE_ROD
                           : TYPE_RUD,
                 ses == SES_SMALL    ? NEXT_SMALL
                 : ses == SES_MEDIUM ? NEXT_MEDIUM
                                     : NEXT_STANDARD,
                 (v->ack_request ? FLAG_AR : 0) | (syn ? FLAG_SYN : 0));
    put(o, 0, 2);
    put(o, v->psn & UINT32_MAX, 4);
    put(o, v->qpn & 0xffff, 2);
    put(o, syn ? 0 : v->qpn & 0xffff, 2);
    if (credit)
        put(o, v->credit & 0xffffff, 4);
    else
        put_zero(o, v->telemetry_bytes < 256 ? v->telemetry_bytes : 256);
    put_ses(w, o, v, ses);
}

/* The ids are those of the other end, which is the same number. */
static void put_ack(const struct weft_wire *w, struct out *o, const struct weft_engine_pkt_view *v)
{
    const uint64_t body = w->uet.ack_bytes;
    const bool state = body >= AROUND + PDS_ACK_CC;
    const uint64_t cause = v->caused_psn > v->psn ? v->caused_psn - v->psn : 0;
    put_prologue(o, state ? TYPE_ACK_CC : TYPE_ACK, NEXT_NONE, v->echo ? FLAG_MARK : 0);
    put(o, cause < INT16_MAX ? cause : INT16_MAX, 2);
    put(o, v->psn & UINT32_MAX, 4);
    put_ids(o, v);
    if (!state)
        return;
    const uint64_t base = v->map_bits ? v->map_first - v->psn : 0;
    put(o, 0, 2);
    put(o, base < INT16_MAX ? base : INT16_MAX, 2);
    put(o, v->map_bits, 8);
    put(o, 0xffff, 8); /* ooo_count: not given */
}

static void put_nack(const struct weft_wire *w, struct out *o, const struct weft_engine_pkt_view *v)
{
    const bool ordered = w->uet.recovery == WEFT_RECOVERY_ROD;
    put_prologue(o, TYPE_NACK, NEXT_NONE, v->echo ? FLAG_MARK : 0);
    put8(o, v->named == 2 ? NACK_TRIMMED_LAST_HOP
            : v->named    ? NACK_TRIMMED
            : ordered     ? NACK_ROD_OOO
                          : NACK_LOSS);
    put8(o, 0);
    put(o, (v->named ? v->caused_psn : v->psn) & UINT32_MAX, 4);
    put_ids(o, v);
    put(o, 0, 4);
}

static void put_control(struct out *o, const struct weft_engine_pkt_view *v)
{
    const unsigned which = v->kind == WEFT_PKT_GRANT ? CONTROL_CREDIT
                           : v->ack_requested        ? CONTROL_ACK_REQUEST
                                                     : CONTROL_CREDIT_REQUEST;
    put_prologue(o, TYPE_CONTROL, which, v->ack_requested ? FLAG_AR : 0);
    put(o, 0, 2);
    put(o, 0, 4);
    put_ids(o, v);
    put(o, v->credit & 0xffffff, 4);
}

size_t wire_uet_frame(const struct weft_wire *w, uint32_t port,
                      const struct weft_engine_pkt_view *v, uint8_t *buf, size_t size)
{
    uint8_t body[PDS_REQUEST + 256 + 512], head[ETHER + TAG + IPV4 + UDP];
    struct out b = {body, 0}, o = {head, 0};
    switch (v->kind) {
    case WEFT_PKT_DATA:
        put_data(w, &b, v);
        break;
    case WEFT_PKT_ACK:
        put_ack(w, &b, v);
        break;
    case WEFT_PKT_NACK:
        put_nack(w, &b, v);
        break;
    default:
        put_control(&b, v);
    }
    size_t bytes = b.n + (v->kind == WEFT_PKT_DATA ? v->payload_bytes : 0);
    if (v->trimmed && v->frame_bytes > AROUND && bytes > v->frame_bytes - AROUND)
        bytes = v->frame_bytes - AROUND;
    wire_put_ether(w, &o, port, v->prio, ETHERTYPE_IPV4);
    wire_put_ip_udp(&o, v, v->entropy != UINT32_MAX ? v->entropy : v->flow_hash, UET_PORT, bytes);
    const size_t all = o.n + bytes,
                 least = w->uet.min_frame_bytes > FCS ? w->uet.min_frame_bytes - FCS : 0;
    const size_t length = all < least ? least : all, headers = b.n < bytes ? b.n : bytes;
    memset(buf, 0, length < size ? length : size);
    memcpy(buf, head, o.n < size ? o.n : size);
    if (o.n < size)
        memcpy(buf + o.n, body, headers < size - o.n ? headers : size - o.n);
    return length;
}
