/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looking up routes; routes_build.c fills the tables.
 */
#include "topologies/routes_internal.h"

#include <stdlib.h>

static struct weft_route_group group(const struct weft_routes *r, uint32_t id)
{
    const struct group_span *s = &r->groups.spans[id];
    return (struct weft_route_group){r->groups.ports + s->first, s->n};
}

struct weft_routes *weft_routes_new(const struct weft_fabric *f, struct weft_err *err)
{
    return weft_routes_new_without(f, NULL, err);
}

struct weft_routes *weft_routes_new_without(const struct weft_fabric *f, const uint8_t *down,
                                            struct weft_err *err)
{
    if (!f->ports) {
        weft_err_set(err, WEFT_E_INTERNAL, "routes are wanted of a fabric that is not finished");
        return NULL;
    }
    struct weft_routes *r = calloc(1, sizeof(*r));
    if (!r) {
        weft_err_set(err, WEFT_E_LIMIT, "out of memory for routes");
        return NULL;
    }
    r->fabric = f;
    r->down = down;
    int rc = f->routing == WEFT_ROUTING_DIMS ? weft_routes_fill_dims(r, err) : 0;
    if (!rc && !r->dims)
        rc = f->transit ? weft_routes_fill_flat(r, err) : weft_routes_classify(r, err);
    if (!rc && r->class_of)
        rc = weft_routes_fill(r, err);
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
    weft_route_groups_close(&r->groups);
    weft_routes_free_dims(r->dims);
    free(r->flat);
    free(r->class_of);
    free(r->classes);
    free(r->near_switches);
    free(r->switch_index);
    free(r->switch_runs);
    free(r->pages);
    free(r->source_cols);
    free(r->host_groups);
    free(r);
}

struct weft_route_group weft_routes_lookup(const struct weft_routes *r, uint32_t node,
                                           uint32_t dst_host)
{
    if (__builtin_expect(!r->class_of, 0)) {
        if (r->dims)
            return weft_routes_lookup_dims(r, node, dst_host);
        return group(r, r->flat[(size_t)node * r->fabric->nhosts + dst_host]);
    }
    uint32_t dst_class = r->class_of[dst_host];
    uint32_t sw = r->switch_index[node];
    if (sw != UINT32_MAX) {
        uint32_t e = r->switch_runs[(size_t)(dst_class / ROUTE_RUN) * r->fabric->nswitches + sw];
        if (e & ROUTE_PAGE)
            e = r->pages[(size_t)(e & ~ROUTE_PAGE) * ROUTE_RUN + dst_class % ROUTE_RUN];
        return group(r, e & ROUTE_LOCAL ? r->host_groups[dst_host] + (e & ~ROUTE_LOCAL) : e);
    }
    uint32_t src_host = r->fabric->nodes[node].host;
    if (src_host == dst_host)
        return group(r, 0);
    const struct route_class *c = &r->classes[r->class_of[src_host]];
    uint32_t choice =
        c->row == ROUTE_NO_ROW ? 0 : r->source_cols[(size_t)dst_class * r->nrows + c->row];
    return group(r, r->host_groups[src_host] + c->nnear + choice);
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
    const struct weft_fabric *f = r->fabric;
    if (r->dims)
        return sizeof(*r) + weft_routes_bytes_dims(r->dims);
    if (r->flat)
        return sizeof(*r) + ((size_t)f->nnodes * f->nhosts + r->groups.ports_cap) * 4 +
               (size_t)r->groups.spans_cap * sizeof(*r->groups.spans);
    const struct route_class *last = r->nclasses ? &r->classes[r->nclasses - 1] : NULL;
    size_t words = (size_t)f->nhosts * 2 + f->nnodes + (last ? last->near + last->nnear : 0) +
                   (size_t)f->nswitches * ((r->nclasses + ROUTE_RUN - 1) / ROUTE_RUN) +
                   (size_t)r->pages_cap * ROUTE_RUN + (size_t)r->nrows * r->nclasses +
                   r->groups.ports_cap;
    return sizeof(*r) + words * sizeof(uint32_t) + (size_t)r->nclasses * sizeof(*r->classes) +
           (size_t)r->groups.spans_cap * sizeof(*r->groups.spans);
}
