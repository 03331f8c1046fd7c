/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ECMP: the hash by which a switch chooses among ports of equal cost.
 *
 * flow: a 32-bit hash of the QP, made when it opens, mixed with the number of the switch
 * (routes.h). hpcc: 32-bit MurmurHash3 (Appleby, public domain; x86_32 variant) over source
 * address, destination address and the two UDP ports, seeded by the switch's node id, modulo the
 * number of ports in descending order of the neighbour's node id. Addresses are 0x0b000001 + (id /
 * 256) << 16 + (id % 256) << 8, as in the HPCC simulator. The source port is 10000 + the low 16
 * bits of the QP number, the destination port 100 + the high ones, each modulo 2^16.
 */
#include "ecmp.h"
#include "core/context.h"

static inline uint32_t rotl(uint32_t x, int r)
{
    return x << r | x >> (32 - r);
}

/* MurmurHash3 x86_32 of three 32-bit words. */
static uint32_t murmur3_words(const uint32_t w[3], uint32_t seed)
{
    uint32_t h = seed;
    for (int i = 0; i < 3; i++) {
        uint32_t k = rotl(w[i] * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
        h = rotl(h ^ k, 13) * 5 + UINT32_C(0xe6546b64);
    }
    h ^= 12;
    h ^= h >> 16;
    h *= UINT32_C(0x85ebca6b);
    h ^= h >> 13;
    h *= UINT32_C(0xc2b2ae35);
    return h ^ h >> 16;
}

static uint32_t hpcc_address(const struct weft_engine *e, uint32_t host)
{
    uint32_t id = e->fabric->hosts[host];
    return UINT32_C(0x0b000001) + (id / 256 << 16) + (id % 256 << 8);
}

/* The i-th port of a group in descending order of neighbour, then ascending order of port. */
static uint32_t by_neighbour(const struct weft_engine *e, struct weft_route_group g, uint32_t i)
{
    for (uint32_t k = 0; k < g.n; k++) {
        uint32_t rank = 0, mine = far_node(e, g.ports[k]);
        for (uint32_t j = 0; j < g.n; j++) {
            uint32_t other = far_node(e, g.ports[j]);
            rank += other > mine || (other == mine && j < k);
        }
        if (rank == i)
            return g.ports[k];
    }
    return g.ports[0];
}

static uint32_t hpcc_port(const struct weft_engine *e, struct weft_route_group g, uint32_t node,
                          const struct qp *q, bool forward)
{
    const uint32_t sport = (uint16_t)(10000 + q->number);
    const uint32_t dport = (uint16_t)(100 + (q->number >> 16));
    const uint32_t src = hpcc_address(e, q->src_host), dst = hpcc_address(e, q->dst_host);
    const uint32_t data[3] = {src, dst, sport | dport << 16};
    const uint32_t ack[3] = {dst, src, dport | sport << 16};
    return by_neighbour(e, g, murmur3_words(forward ? data : ack, node) % g.n);
}

uint32_t ecmp_port(const struct weft_engine *e, struct weft_route_group g, uint32_t node,
                   const struct qp *q, bool forward)
{
    if (g.n == 1)
        return g.ports[0];
    if (__builtin_expect(e->p.transport.ecmp == WEFT_ECMP_HPCC, 0))
        return hpcc_port(e, g, node, q, forward);
    return g.ports[weft_ecmp_pick(forward ? q->flow_hash : q->ack_hash, node, g.n)];
}

uint32_t ecmp_path(const struct weft_engine *e, const struct weft_routes *routes,
                   const struct qp *q, bool forward, uint32_t ports[MAX_PATH])
{
    uint32_t dst = forward ? q->dst_host : q->src_host;
    uint32_t node = e->fabric->hosts[forward ? q->src_host : q->dst_host];
    uint32_t n = 0;
    while (node != e->fabric->hosts[dst] && n < MAX_PATH) {
        struct weft_route_group g = weft_routes_lookup(routes, node, dst);
        if (!g.n)
            break;
        ports[n] = n == 0 && forward && q->nic ? g.ports[(q->nic - 1u) % g.n]
                                               : ecmp_port(e, g, node, q, forward);
        node = far_node(e, ports[n++]);
    }
    return n;
}
