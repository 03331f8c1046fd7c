/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Equal-cost shortest-path routes.
 *
 * Routes are kept per destination *class*, not per host: hosts with the same neighbour switches
 * share a class, so that a table has switches x edge-switches entries. Each entry is a group: the
 * set of ports (ascending port number) on shortest paths, by hop count; parallel links are all in
 * it. Hosts do not transit; a link between two hosts carries only their own traffic.
 * Links with a cost count as that many hops, and among ports of equal cost those of the lowest
 * order are taken.
 *
 * Where hosts forward (WEFT_ROUTING_TRANSIT) there is an entry per (node, host). With
 * WEFT_ROUTING_DIMS each instance of each dimension has routes of its own, and a host picks the
 * dimension: the outermost spanning one in which the coordinates differ, since it leads past all
 * inner ones, else the innermost in which they differ. Packets thus visit dimensions in ascending
 * order, each at most once. Where links are down, dimension order holds as long as every instance
 * is connected; else packets take the cheapest paths through the fabric as a whole, over as few
 * hosts as can be.
 *
 * No path leads through a host where hosts do not forward (fabric.transit), whatever links are
 * down: pairs that only a host would join have no path.
 */
#ifndef WEFT_ROUTES_H
#define WEFT_ROUTES_H

#include "fabric.h"

WEFT_C_BEGIN

struct weft_routes;

/** A set of equal-cost egress ports of one node. */
struct weft_route_group {
    const uint32_t *ports; /**< global port numbers, ascending */
    uint32_t n;            /**< 0: unreachable */
};

/** Computes all routes of a finished fabric. NULL on failure, *err says why. Keeps a reference to
 * @p f. */
struct weft_routes *weft_routes_new(const struct weft_fabric *f, struct weft_err *err);
/** The same over the links whose byte in @p down is 0 (NULL: all). A pair without a path left gets
 * empty groups. @p down is not kept. */
struct weft_routes *weft_routes_new_without(const struct weft_fabric *f, const uint8_t *down,
                                            struct weft_err *err);
void weft_routes_free(struct weft_routes *r);
/** As weft_fabric_share, of the tables; those of instances of dimensions stay each process's own.
 */
int weft_routes_share(struct weft_routes *r, const struct weft_peers *peers, struct weft_err *err);
/** As weft_fabric_unread. */
void weft_routes_unread(const struct weft_routes *r);
/** Whether packets go dimension by dimension: WEFT_ROUTING_DIMS, and no instance is cut in pieces.
 */
bool weft_routes_by_dims(const struct weft_routes *r);
/** Bytes of memory that the tables take. */
size_t weft_routes_bytes(const struct weft_routes *r);
/** The ports of @p node (a switch, or a source host) that lead to host number @p dst_host. O(1). */
struct weft_route_group weft_routes_lookup(const struct weft_routes *r, uint32_t node,
                                           uint32_t dst_host);
/** The ports of host @p host that lead towards @p dst_host in dimension @p dim alone; none when the
 * two agree in its coordinate, or routes are not dimension by dimension. */
struct weft_route_group weft_routes_lookup_dim(const struct weft_routes *r, uint32_t host,
                                               uint32_t dst_host, uint32_t dim);
/** Links on a shortest path from host @p src to host @p dst; 0 when src == dst. Takes time
 * proportional to the result. */
uint32_t weft_routes_hops(const struct weft_routes *r, uint32_t src_host, uint32_t dst_host);
/**
 * The egress ports of the path that a flow with hash @p flow_hash takes from @p src_host to
 * @p dst_host, first the host's own port. Writes at most @p max; returns how many there are (which
 * may be more).
 */
uint32_t weft_routes_path(const struct weft_routes *r, uint32_t src_host, uint32_t dst_host,
                          uint32_t flow_hash, uint32_t *ports, uint32_t max);
/** Picks one of @p n equal-cost ports at @p node: uniform in the hash, independent between nodes (a
 * per-node seed). */
static inline uint32_t weft_ecmp_pick(uint32_t flow_hash, uint32_t node, uint32_t n)
{
    uint32_t h = flow_hash ^ (node * UINT32_C(0x9e3779b9) + UINT32_C(0x7f4a7c15));
    h ^= h >> 16; /* the 32-bit finaliser of MurmurHash3 */
    h *= UINT32_C(0x85ebca6b);
    h ^= h >> 13;
    h *= UINT32_C(0xc2b2ae35);
    h ^= h >> 16;
    return (uint32_t)(((uint64_t)h * n) >> 32);
}

WEFT_C_END
#endif
