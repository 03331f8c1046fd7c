/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Routes where hosts forward: one breadth-first search over all nodes per destination host.
 *
 * Costs and orders of links are for fabrics of switches; here every link counts as one hop.
 */
#include "topologies/routes_internal.h"

#include <stdlib.h>

#define FAR UINT32_MAX
/* Largest table. */
#define ENTRIES_MAX (UINT64_C(1) << 29)

static uint32_t peer_node(const struct weft_fabric *f, uint32_t port)
{
    return f->ports[f->ports[port].peer].node;
}

/* Sets dist[node] to the links from it to `dst`. */
static void search(const struct weft_routes *r, uint32_t dst, uint32_t *dist, uint32_t *queue)
{
    const struct weft_fabric *f = r->fabric;
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < f->nnodes; i++)
        dist[i] = FAR;
    dist[dst] = 0;
    queue[tail++] = dst;
    while (head < tail) {
        uint32_t x = queue[head++];
        const struct weft_fabric_node *n = &f->nodes[x];
        for (uint32_t p = n->first_port; p < n->first_port + n->nports; p++) {
            uint32_t y = peer_node(f, p);
            if (dist[y] != FAR || !route_link_up(r, p))
                continue;
            dist[y] = dist[x] + 1;
            queue[tail++] = y;
        }
    }
}

/* Fills the entries of one destination. `list` has room for the ports of a node. */
static int fill(struct weft_routes *r, uint32_t dst, const uint32_t *dist, uint32_t *list,
                struct weft_err *err)
{
    const struct weft_fabric *f = r->fabric;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        const struct weft_fabric_node *x = &f->nodes[i];
        uint32_t n = 0;
        for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++)
            if (dist[i] != FAR && route_link_up(r, p) && dist[peer_node(f, p)] + 1 == dist[i])
                list[n++] = p;
        int rc =
            weft_route_groups_add(&r->groups, list, n, &r->flat[(size_t)i * f->nhosts + dst], err);
        if (rc)
            return rc;
    }
    return 0;
}

int weft_routes_fill_flat(struct weft_routes *r, struct weft_err *err)
{
    const struct weft_fabric *f = r->fabric;
    uint64_t entries = (uint64_t)f->nnodes * f->nhosts;
    if (entries > ENTRIES_MAX)
        return weft_err_set(err, WEFT_E_LIMIT,
                            "routes through forwarding hosts take an entry per node and host: %u x "
                            "%u is too many; give the fabric as dimensions (topology multi)",
                            f->nnodes, f->nhosts);
    uint32_t *work = malloc((2 * (size_t)f->nnodes + f->nports + 1) * sizeof(*work));
    r->flat = malloc((size_t)entries * sizeof(*r->flat));
    int rc = work && r->flat ? weft_route_groups_open(&r->groups, f->nports, err)
                             : weft_err_set(err, WEFT_E_LIMIT, "out of memory for routes");
    for (uint32_t h = 0; h < f->nhosts && !rc; h++) {
        search(r, f->hosts[h], work, work + f->nnodes);
        rc = fill(r, h, work, work + 2 * (size_t)f->nnodes, err);
    }
    if (!rc)
        weft_route_groups_seal(&r->groups);
    free(work);
    return rc;
}
