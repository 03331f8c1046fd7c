/* SPDX-License-Identifier: GPL-2.0-only */
/* Headers with which all frames begin; see wire_internal.h. */
#include "wire_internal.h"

enum { FIRST_EPHEMERAL = 49152, TTL = 64, UDP_PROTOCOL = 17 };

size_t wire_begun(const struct weft_wire *w, uint32_t qpn, uint64_t psn,
                  const struct segment **list)
{
    if (qpn >= w->nqps)
        return 0;
    const struct segments *s = &w->qps[qpn];
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->list[mid].first_psn <= psn)
            low = mid + 1;
        else
            high = mid;
    }
    *list = s->list;
    return low;
}

void wire_put_mac(const struct weft_wire *w, struct out *o, uint32_t port)
{
    if (w->c.macs) {
        memcpy(o->buf + o->n, w->c.macs + 6 * (size_t)port, 6);
        o->n += 6;
    } else {
        put(o, UINT64_C(0x020000000000) | port, 6);
    }
}

void wire_put_ether(const struct weft_wire *w, struct out *o, uint32_t port, uint32_t prio,
                    unsigned ethertype)
{
    wire_put_mac(w, o, w->c.fabric->ports[port].peer);
    wire_put_mac(w, o, port);
    if (!w->c.untagged) {
        put(o, ETHERTYPE_TAG, 2);
        put(o, prio << 13, 2);
    }
    put(o, ethertype, 2);
}

static uint32_t address(uint32_t host)
{
    return UINT32_C(0x0a000001) + host;
}

static uint16_t ipv4_checksum(const uint8_t *h)
{
    uint32_t sum = 0;
    for (int i = 0; i < IPV4; i += 2)
        sum += (uint32_t)h[i] << 8 | h[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

void wire_put_ip_udp(struct out *o, const struct weft_engine_pkt_view *v, uint32_t flow,
                     unsigned dst_port, size_t body)
{
    const unsigned ecn = v->ce ? 3 : v->ecn_capable ? 2 : 0;
    uint8_t *ip = o->buf + o->n;
    put8(o, 0x45);
    put8(o, v->prio << 5 | ecn);
    put(o, IPV4 + UDP + body, 2);
    put(o, 0, 2);      /* identification */
    put(o, 0x4000, 2); /* don't fragment */
    put8(o, TTL - v->hops);
    put8(o, UDP_PROTOCOL);
    put(o, 0, 2);
    put(o, address(v->src_host), 4);
    put(o, address(v->dst_host), 4);
    const uint16_t sum = ipv4_checksum(ip);
    ip[10] = (uint8_t)(sum >> 8);
    ip[11] = (uint8_t)sum;
    put(o, FIRST_EPHEMERAL | (flow & (UINT16_MAX - FIRST_EPHEMERAL)), 2);
    put(o, dst_port, 2);
    put(o, UDP + body, 2);
    put(o, 0, 2); /* neither RoCEv2 nor Ultra Ethernet needs a UDP checksum */
}
