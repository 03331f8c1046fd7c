/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a message takes in the ideal backend (alpha-beta: a latency and bytes over a bandwidth).
 *
 *   flat                        latency + bytes / bandwidth, whatever the fabric
 *   path, cut-through           sum of the link delays + bytes / slowest link of the path
 *   path, store-and-forward     sum over the links of (delay + bytes / rate)
 *
 * Whole results are floored to the quantum; with store-and-forward each hop is. The path of a pair
 * is always the same one: that which routes.h picks for a hash of the pair, or (equal-paths=number)
 * from each node over the neighbour whose number follows its own.
 */
#include "net/ideal_internal.h"

#include "base/int128.h"
#include "base/rng.h"
#include "base/units.h"

#include <inttypes.h>

int64_t weft_ideal_serial_ps(uint64_t bytes, uint64_t rate_bps)
{
    weft_u128 ps = (weft_u128)bytes * 8 * WEFT_PS_PER_S / rate_bps;
    return ps > WEFT_IDEAL_LONGEST_PS ? WEFT_IDEAL_LONGEST_PS : (int64_t)ps;
}

int64_t weft_ideal_add_ps(int64_t a, int64_t b)
{
    return a > WEFT_IDEAL_LONGEST_PS - b ? WEFT_IDEAL_LONGEST_PS : a + b;
}

int64_t weft_ideal_floored(int64_t ps, int64_t quantum_ps)
{
    return ps - ps % quantum_ps;
}

/* The port to the neighbour that follows @p node first in the order of numbers, which is a circle.
 */
static uint32_t following(const struct weft_fabric *f, uint32_t node, struct weft_route_group g)
{
    uint32_t best = g.ports[0], nearest = UINT32_MAX;
    for (uint32_t i = 0; i < g.n; i++) {
        const uint32_t to = f->ports[f->ports[g.ports[i]].peer].node;
        const uint32_t ahead = to > node ? to - node : f->nnodes - node + to;
        if (ahead < nearest)
            best = g.ports[i], nearest = ahead;
    }
    return best;
}

uint32_t weft_ideal_path(struct weft_ideal *s, const struct weft_msg *msg)
{
    const struct weft_fabric *f = s->fabric;
    const uint32_t hash = (uint32_t)weft_mix64(((uint64_t)msg->src << 32 | msg->dst) + 1);
    uint32_t hops = 0, node = f->hosts[msg->src];
    if (s->params.equal_paths == WEFT_IDEAL_BY_HASH && !msg->nic)
        return weft_routes_path(s->routes, msg->src, msg->dst, hash, s->path, f->nnodes);
    while (node != f->hosts[msg->dst] && hops < f->nnodes) {
        const struct weft_route_group g = weft_routes_lookup(s->routes, node, msg->dst);
        if (g.n == 0)
            return 0;
        s->path[hops] = hops == 0 && msg->nic ? g.ports[(msg->nic - 1u) % g.n]
                        : s->params.equal_paths == WEFT_IDEAL_BY_NUMBER
                            ? following(f, node, g)
                            : g.ports[weft_ecmp_pick(hash, node, g.n)];
        node = f->ports[f->ports[s->path[hops++]].peer].node;
    }
    return hops;
}

int weft_ideal_too_late(const struct weft_msg *msg, struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_LIMIT,
                        "a message of %" PRIu64 " B from host %u to host %u would arrive after the "
                        "end of simulated time (53 days)",
                        msg->bytes, msg->src, msg->dst);
}

static void path_cost(struct weft_ideal *s, const struct weft_msg *msg, struct weft_ideal_cost *out)
{
    const uint32_t hops = weft_ideal_path(s, msg);
    int64_t q = s->params.quantum_ps, delay = 0, whole = 0;
    uint64_t slowest = UINT64_MAX;
    for (uint32_t i = 0; i < hops; i++) {
        const struct weft_fabric_link *l = &s->fabric->links[s->fabric->ports[s->path[i]].link];
        delay = weft_ideal_add_ps(delay, l->delay_ps);
        whole = weft_ideal_add_ps(
            whole,
            weft_ideal_floored(
                weft_ideal_add_ps(l->delay_ps, weft_ideal_serial_ps(msg->bytes, l->rate_bps)), q));
        if (l->rate_bps < slowest)
            slowest = l->rate_bps;
        s->port_bytes[s->path[i]] += msg->bytes;
    }
    out->total_ps =
        s->params.forwarding == WEFT_IDEAL_STORE_AND_FORWARD
            ? whole
            : weft_ideal_floored(
                  weft_ideal_add_ps(delay, weft_ideal_serial_ps(msg->bytes, slowest)), q);
    const struct weft_fabric_port *first = &s->fabric->ports[s->path[0]];
    out->source_ps = weft_ideal_floored(
        weft_ideal_serial_ps(msg->bytes, s->fabric->links[first->link].rate_bps), q);
    out->source = s->path[0];
}

int weft_ideal_cost(struct weft_ideal *s, const struct weft_msg *msg, struct weft_ideal_cost *out,
                    struct weft_err *err)
{
    if (s->params.model == WEFT_IDEAL_PATH) {
        path_cost(s, msg, out);
    } else {
        int64_t serial = weft_ideal_serial_ps(msg->bytes, s->params.bandwidth_bps);
        out->total_ps = weft_ideal_floored(weft_ideal_add_ps(s->params.latency_ps, serial),
                                           s->params.quantum_ps);
        out->source_ps = weft_ideal_floored(serial, s->params.quantum_ps);
        out->source = msg->src * WEFT_IDEAL_NICS + msg->nic;
    }
    if (out->total_ps >= WEFT_IDEAL_LONGEST_PS)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "a message of %" PRIu64
                            " B from host %u to host %u would take 26 days or more, "
                            "longer than simulated time has room for",
                            msg->bytes, msg->src, msg->dst);
    return 0;
}
