/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorting hosts into classes with the same neighbours; see routes_internal.h.
 *
 * Classes are numbered in the order of their first hosts. The lookup of an equal class is a hash
 * over the neighbour list; the result depends only on the fabric.
 */
#include "topologies/routes_internal.h"
#include "base/compare.h"

#include <stdbool.h>
#include <stdlib.h>

/* The node at the other end of a host's link, UINT32_MAX when the link can't be used. */
static uint32_t route_classes_neighbour(const struct weft_routes *r, uint32_t host,
                                        uint32_t local_port)
{
    const struct weft_fabric *f = r->fabric;
    uint32_t port = f->nodes[f->hosts[host]].first_port + local_port;
    return route_link_up(r, port) ? f->ports[f->ports[port].peer].node : UINT32_MAX;
}

/* The same as a switch index, UINT32_MAX when there is no switch. */
static uint32_t neighbour_switch(const struct weft_routes *r, uint32_t host, uint32_t local_port)
{
    uint32_t node = route_classes_neighbour(r, host, local_port);
    return node == UINT32_MAX ? UINT32_MAX : r->switch_index[node];
}

/* True when the host has a link to another host. */
static bool has_direct_link(const struct weft_routes *r, uint32_t host)
{
    const struct weft_fabric *f = r->fabric;
    for (uint32_t p = 0; p < f->nodes[f->hosts[host]].nports; p++) {
        uint32_t node = route_classes_neighbour(r, host, p);
        if (node != UINT32_MAX && f->nodes[node].kind == WEFT_NODE_HOST)
            return true;
    }
    return false;
}

static uint32_t hash_neighbours(const struct weft_routes *r, uint32_t host)
{
    const struct weft_fabric *f = r->fabric;
    uint64_t h = 0;
    for (uint32_t p = 0; p < f->nodes[f->hosts[host]].nports; p++) {
        h = (h ^ ((uint64_t)route_classes_neighbour(r, host, p) + 1)) *
            UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (uint32_t)(h ^ (h >> 32));
}

static bool same_neighbours(const struct weft_routes *r, uint32_t a, uint32_t b)
{
    const struct weft_fabric *f = r->fabric;
    uint32_t n = f->nodes[f->hosts[a]].nports;
    if (n != f->nodes[f->hosts[b]].nports)
        return false;
    for (uint32_t p = 0; p < n; p++)
        if (route_classes_neighbour(r, a, p) != route_classes_neighbour(r, b, p))
            return false;
    return true;
}

/* Opens a class for its first host; near_switches has room for all its ports after `used`. */
static void open_class(struct weft_routes *r, uint32_t host, uint32_t *used)
{
    const struct weft_fabric *f = r->fabric;
    uint32_t *near = r->near_switches + *used, n = 0, distinct = 0;
    for (uint32_t p = 0; p < f->nodes[f->hosts[host]].nports; p++)
        if (neighbour_switch(r, host, p) != UINT32_MAX)
            near[n++] = neighbour_switch(r, host, p);
    qsort(near, n, sizeof *near, weft_by_u32);
    for (uint32_t i = 0; i < n; i++)
        if (distinct == 0 || near[distinct - 1] != near[i])
            near[distinct++] = near[i];
    r->classes[r->nclasses++] =
        (struct route_class){.host = host, .nnear = distinct, .near = *used};
    *used += distinct;
}

int weft_routes_classify(struct weft_routes *r, struct weft_err *err)
{
    const struct weft_fabric *f = r->fabric;
    uint32_t nslots = 16, used = 0, switches = 0;
    size_t host_ports = 0;
    while (nslots < 2 * (uint64_t)f->nhosts && nslots < UINT32_C(0x80000000))
        nslots *= 2;
    for (uint32_t h = 0; h < f->nhosts; h++)
        host_ports += f->nodes[f->hosts[h]].nports;
    uint32_t *slots = calloc(nslots, sizeof *slots); /* class number + 1 */
    r->class_of = malloc((size_t)f->nhosts * sizeof *r->class_of);
    r->classes = malloc((size_t)f->nhosts * sizeof *r->classes);
    r->near_switches = malloc((host_ports + 1) * sizeof *r->near_switches);
    r->switch_index = malloc((size_t)f->nnodes * sizeof *r->switch_index);
    if (!slots || !r->class_of || !r->classes || !r->near_switches || !r->switch_index) {
        free(slots);
        return weft_err_no_memory(err, "routes");
    }
    for (uint32_t i = 0; i < f->nnodes; i++)
        r->switch_index[i] = f->nodes[i].kind == WEFT_NODE_SWITCH ? switches++ : UINT32_MAX;
    for (uint32_t h = 0; h < f->nhosts; h++) {
        uint32_t at = hash_neighbours(r, h) & (nslots - 1);
        bool alone = has_direct_link(r, h);
        while (!alone && slots[at] && !same_neighbours(r, r->classes[slots[at] - 1].host, h))
            at = (at + 1) & (nslots - 1);
        if (alone || !slots[at]) {
            open_class(r, h, &used);
            if (!alone)
                slots[at] = r->nclasses;
        }
        r->class_of[h] = alone ? r->nclasses - 1 : slots[at] - 1;
    }
    free(slots);
    return 0;
}
