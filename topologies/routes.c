/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking up routes: of the fabric as a whole (routes_whole.c), or dimension by dimension
 * (routes_dims.c).
 */
#include "topologies/routes_internal.h"

#include "base/shared.h"

struct weft_routes *weft_routes_new(const struct weft_fabric *f, struct weft_err *err)
{
    return weft_routes_new_without(f, NULL, err);
}

struct weft_routes *weft_routes_new_without(const struct weft_fabric *f, const uint8_t *down,
                                            struct weft_err *err)
{
    struct weft_routes *r = weft_routes_open(f, down, err);
    int rc = !r                                ? WEFT_E_LIMIT
             : f->routing == WEFT_ROUTING_DIMS ? weft_routes_fill_dims(r, err)
                                               : 0;
    if (!rc && !r->dims)
        rc = weft_routes_fill_whole(r, err);
    if (rc) {
        weft_routes_free(r);
        return NULL;
    }
    r->down = NULL;
    return r;
}

bool weft_routes_by_dims(const struct weft_routes *r)
{
    return r->dims != NULL;
}

void weft_routes_free(struct weft_routes *r)
{
    if (!r)
        return;
    weft_routes_free_dims(r->dims);
    weft_routes_close(r);
}

int weft_routes_share(struct weft_routes *r, const struct weft_peers *peers, struct weft_err *err)
{
    return r->dims ? 0 : weft_routes_share_whole(r, peers, err);
}

void weft_routes_unread(const struct weft_routes *r)
{
    weft_shared_unread(r->shared);
}

struct weft_route_group weft_routes_lookup(const struct weft_routes *r, uint32_t node,
                                           uint32_t dst_host)
{
    if (__builtin_expect(r->dims != NULL, 0))
        return weft_routes_lookup_dims(r, node, dst_host);
    return weft_routes_lookup_whole(r, node, dst_host);
}

uint32_t weft_routes_hops(const struct weft_routes *r, uint32_t src_host, uint32_t dst_host)
{
    const struct weft_fabric *f = r->fabric;
    uint32_t hops = 0, node = f->hosts[src_host];
    while (node != f->hosts[dst_host]) {
        struct weft_route_group g = weft_routes_lookup(r, node, dst_host);
        if (g.n == 0)
            return 0;
        node = f->ports[f->ports[g.ports[0]].peer].node;
        hops++;
    }
    return hops;
}

uint32_t weft_routes_path(const struct weft_routes *r, uint32_t src_host, uint32_t dst_host,
                          uint32_t flow_hash, uint32_t *ports, uint32_t max)
{
    const struct weft_fabric *f = r->fabric;
    uint32_t hops = 0, node = f->hosts[src_host];
    while (node != f->hosts[dst_host]) {
        struct weft_route_group g = weft_routes_lookup(r, node, dst_host);
        if (g.n == 0)
            return 0;
        uint32_t port = g.ports[weft_ecmp_pick(flow_hash, node, g.n)];
        if (hops < max)
            ports[hops] = port;
        node = f->ports[f->ports[port].peer].node;
        hops++;
    }
    return hops;
}

size_t weft_routes_bytes(const struct weft_routes *r)
{
    return r->dims ? sizeof *r + weft_routes_bytes_dims(r->dims) : weft_routes_bytes_whole(r);
}
