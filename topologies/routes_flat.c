/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Routes where hosts forward: one search over all nodes per destination host.
 *
 * Costs and orders of links are for fabrics of switches; here every link counts as one hop. In a
 * fabric of dimensions, which comes here when failures have cut one in pieces, a host on the way
 * costs more than all links together: hosts carry what switches can't, and no more.
 */
#include "topologies/routes_internal.h"

#include <stdbool.h>
#include <stdlib.h>

#define FAR UINT32_MAX
/* Largest table. */
#define ENTRIES_MAX (UINT64_C(1) << 29)

static uint32_t routes_flat_peer_node(const struct weft_fabric *f, uint32_t port)
{
    return f->ports[f->ports[port].peer].node;
}

/* What it costs to go on over node `x`. */
static uint32_t over(const struct weft_routes *r, uint32_t x, uint32_t dst)
{
    const struct weft_fabric *f = r->fabric;
    const bool relay = x != dst && f->nodes[x].kind == WEFT_NODE_HOST;
    return 1 + (relay && f->routing == WEFT_ROUTING_DIMS ? f->nnodes : 0);
}

/*
 * Sets dist[node] to the cost of the way from it to `dst`. There are two costs of a step, so two
 * queues in ascending order do: what costs one link more, and what costs a host more. A node may be
 * in both and is taken out of the one where it comes first. `queue` has room for two queues.
 */
static void search(const struct weft_routes *r, uint32_t dst, uint32_t *dist, uint32_t *queue)
{
    const struct weft_fabric *f = r->fabric;
    uint32_t *q[2] = {queue, queue + f->nnodes}, head[2] = {0, 0}, tail[2] = {0, 0};
    for (uint32_t i = 0; i < f->nnodes; i++)
        dist[i] = FAR;
    dist[dst] = 0;
    q[0][tail[0]++] = dst;
    while (head[0] < tail[0] || head[1] < tail[1]) {
        const int k =
            head[0] == tail[0] || (head[1] < tail[1] && dist[q[1][head[1]]] < dist[q[0][head[0]]]);
        const uint32_t x = q[k][head[k]++], step = over(r, x, dst), to = step > 1;
        const struct weft_fabric_node *n = &f->nodes[x];
        for (uint32_t p = n->first_port; p < n->first_port + n->nports; p++) {
            const uint32_t y = routes_flat_peer_node(f, p);
            if (dist[y] <= dist[x] + step || !route_link_up(r, p))
                continue;
            dist[y] = dist[x] + step;
            q[to][tail[to]++] = y;
        }
    }
}

/* Whether the way from `i` leads over `next`. */
static bool leads(const struct weft_routes *r, uint32_t next, uint32_t i, uint32_t dst,
                  const uint32_t *dist)
{
    return dist[next] != FAR && dist[next] + over(r, next, dst) == dist[i];
}

/* Fills the entries of one destination. `list` has room for the ports of a node. */
static int routes_flat_fill(struct weft_routes *r, uint32_t dst, const uint32_t *dist,
                            uint32_t *list, struct weft_err *err)
{
    const struct weft_fabric *f = r->fabric;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        const struct weft_fabric_node *x = &f->nodes[i];
        uint32_t n = 0;
        for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++)
            if (dist[i] != FAR && route_link_up(r, p) &&
                leads(r, routes_flat_peer_node(f, p), i, dst, dist))
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
    uint32_t *work = malloc((3 * (size_t)f->nnodes + f->nports + 1) * sizeof *work);
    r->flat = malloc((size_t)entries * sizeof *r->flat);
    int rc = work && r->flat ? weft_route_groups_open(&r->groups, f->nports, err)
                             : weft_err_no_memory(err, "routes");
    for (uint32_t h = 0; h < f->nhosts && !rc; h++) {
        search(r, f->hosts[h], work, work + f->nnodes);
        rc = routes_flat_fill(r, h, work, work + 3 * (size_t)f->nnodes, err);
    }
    if (!rc)
        weft_route_groups_seal(&r->groups);
    free(work);
    return rc;
}
