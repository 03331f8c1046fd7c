/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Routes dimension by dimension; the rule is in routes.h.
 *
 * Each instance of each dimension is cut out of the fabric and routed on its own, by classes or
 * through forwarding hosts; then its port numbers are replaced by those of the whole fabric. A node
 * on the way to host v inside an instance heads for the NPU of that instance which agrees with v in
 * all coordinates that the dimension can correct.
 *
 * A link that is down changes the routes of its own instance alone, as long as the instance stays
 * connected. Else dimension order leads nowhere, and the caller routes the fabric as a whole.
 */
#include "topologies/fabric_reach.h"
#include "topologies/fabric_instance.h"
#include "topologies/routes_internal.h"

#include <stdlib.h>

/* Where a host is in one dimension. */
struct place {
    uint32_t coord, instance, member;
};

struct instance {
    struct weft_fabric *fabric;
    struct weft_routes *routes; /* gives port numbers of the whole fabric */
};

struct route_dims {
    uint32_t ndims;
    bool spans[WEFT_FABRIC_DIMS_MAX];
    uint32_t first[WEFT_FABRIC_DIMS_MAX]; /* its instances are instances[first ..] */
    uint32_t ninstances;
    struct instance *instances;
    struct place *places; /* host * ndims + dim */
    struct site {
        uint32_t dim, instance, node; /* node: within the instance */
    } * sites;                        /* per node; switches only */
};

/* Whether the links that are up join all NPUs of an instance: 1 or 0, or < 0. */
static int is_whole(const struct weft_fabric_instance *part, struct weft_err *err)
{
    struct weft_err why = {0};
    if (!part->down)
        return 1;
    int rc = weft_fabric_check_reach(part->fabric, part->down, &why);
    if (rc && rc != WEFT_E_INPUT && err)
        *err = why;
    return rc == 0 ? 1 : rc == WEFT_E_INPUT ? 0 : rc;
}

/* Routes one instance: 1, or 0 when it is cut in pieces, or < 0. */
static int open_instance(struct weft_routes *r, uint32_t dim, uint32_t index, struct weft_err *err)
{
    struct route_dims *d = r->dims;
    struct instance *to = &d->instances[d->first[dim] + index];
    struct weft_fabric_instance part;
    int rc = weft_fabric_instance_open(r->fabric, r->down, dim, index, &part, err);
    if (rc)
        return rc;
    rc = is_whole(&part, err);
    if (rc <= 0) {
        weft_fabric_instance_close(&part);
        return rc;
    }
    for (uint32_t i = part.fabric->nhosts; i < part.fabric->nnodes; i++)
        d->sites[part.nodes[i]] = (struct site){dim, index, i};
    to->routes = weft_routes_open(part.fabric, part.down, err);
    rc = to->routes ? weft_routes_fill_whole(to->routes, err) : WEFT_E_LIMIT;
    if (!rc) {
        to->routes->down = NULL;
        struct weft_route_groups *g = &to->routes->groups;
        for (uint32_t i = 0; i < g->used; i++)
            g->ports[i] = part.ports[g->ports[i]];
    }
    to->fabric = part.fabric;
    part.fabric = NULL;
    weft_fabric_instance_close(&part);
    return rc ? rc : 1;
}

int weft_routes_fill_dims(struct weft_routes *r, struct weft_err *err)
{
    const struct weft_fabric *f = r->fabric;
    struct route_dims *d = r->dims = calloc(1, sizeof *d);
    if (!d)
        return weft_err_no_memory(err, "routes");
    d->ndims = f->ndims;
    for (uint32_t k = 0; k < f->ndims; k++) {
        d->spans[k] = f->dims[k].spans;
        d->first[k] = d->ninstances;
        d->ninstances += weft_fabric_instance_count(f, k);
    }
    d->instances = calloc(d->ninstances, sizeof *d->instances);
    d->places = malloc((size_t)f->nhosts * f->ndims * sizeof *d->places);
    d->sites = calloc(f->nnodes, sizeof *d->sites);
    if (!d->instances || !d->places || !d->sites)
        return weft_err_no_memory(err, "routes");
    for (uint32_t h = 0; h < f->nhosts; h++)
        for (uint32_t k = 0; k < f->ndims; k++)
            d->places[(size_t)h * f->ndims + k] =
                (struct place){h / weft_fabric_stride(f, k) % f->dims[k].size,
                               weft_fabric_instance_of(f, k, h), weft_fabric_member(f, k, h)};
    int whole = 1;
    for (uint32_t k = 0; k < f->ndims && whole > 0; k++)
        for (uint32_t i = 0; i < weft_fabric_instance_count(f, k) && whole > 0; i++)
            whole = open_instance(r, k, i, err);
    if (whole == 0) {
        weft_routes_free_dims(d);
        r->dims = NULL;
    }
    return whole < 0 ? whole : 0;
}

void weft_routes_free_dims(struct route_dims *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; d->instances && i < d->ninstances; i++) {
        weft_routes_close(d->instances[i].routes);
        weft_fabric_free(d->instances[i].fabric);
    }
    free(d->instances);
    free(d->places);
    free(d->sites);
    free(d);
}

/* The dimension that host u corrects next on the way to v, ndims when they are the same. */
static uint32_t next_dim(const struct route_dims *d, const struct place *u, const struct place *v)
{
    uint32_t lowest = d->ndims;
    for (uint32_t k = d->ndims; k-- > 0;) {
        if (u[k].coord == v[k].coord)
            continue;
        if (d->spans[k])
            return k;
        lowest = k;
    }
    return lowest;
}

struct weft_route_group weft_routes_lookup_dims(const struct weft_routes *r, uint32_t node,
                                                uint32_t dst_host)
{
    const struct route_dims *d = r->dims;
    const struct place *v = d->places + (size_t)dst_host * d->ndims;
    uint32_t host = r->fabric->nodes[node].host;
    if (host == UINT32_MAX) {
        const struct site *s = &d->sites[node];
        return weft_routes_lookup_whole(d->instances[d->first[s->dim] + s->instance].routes,
                                        s->node, v[s->dim].member);
    }
    const uint32_t k = next_dim(d, d->places + (size_t)host * d->ndims, v);
    if (k == d->ndims)
        return (struct weft_route_group){NULL, 0};
    return weft_routes_lookup_dim(r, host, dst_host, k);
}

struct weft_route_group weft_routes_lookup_dim(const struct weft_routes *r, uint32_t host,
                                               uint32_t dst_host, uint32_t dim)
{
    const struct route_dims *d = r->dims;
    if (!d)
        return (struct weft_route_group){NULL, 0};
    const struct place *u = &d->places[(size_t)host * d->ndims + dim];
    const struct place *v = &d->places[(size_t)dst_host * d->ndims + dim];
    if (u->coord == v->coord)
        return (struct weft_route_group){NULL, 0};
    return weft_routes_lookup_whole(d->instances[d->first[dim] + u->instance].routes, u->member,
                                    v->member);
}

size_t weft_routes_bytes_dims(const struct route_dims *d)
{
    size_t bytes = sizeof *d + d->ninstances * sizeof *d->instances;
    for (uint32_t i = 0; i < d->ninstances; i++) {
        const struct weft_fabric *f = d->instances[i].fabric;
        bytes += weft_routes_bytes_whole(d->instances[i].routes);
        bytes += (size_t)f->nnodes * sizeof *f->nodes + (size_t)f->nlinks * sizeof *f->links +
                 (size_t)f->nports * sizeof *f->ports;
    }
    return bytes;
}
