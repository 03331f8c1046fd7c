/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reachability and tiers.
 *
 * Where hosts forward, the graph must be connected. Else the switches fall into islands (connected
 * by switch-to-switch links) and two hosts reach each other when they share an island or a link.
 * Usually one island has every host and that is the whole check; only the hosts outside the largest
 * island are compared one by one.
 */
#include "topologies/fabric_reach.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NO_ISLAND UINT32_MAX

/* A fabric without some of its links. */
struct rest {
    const struct weft_fabric *f;
    const uint8_t *down; /* per link, NULL: all are there */
};

static uint32_t fabric_reach_peer_node(const struct weft_fabric *f, uint32_t port)
{
    return f->ports[f->ports[port].peer].node;
}

/* The node that a port leads to, the node itself when its link is down. */
static uint32_t next_node(const struct rest *r, uint32_t port)
{
    const struct weft_fabric_port *p = &r->f->ports[port];
    return r->down && r->down[p->link] ? p->node : fabric_reach_peer_node(r->f, port);
}

/* Numbers the islands: island[node] for switches. Returns how many. `queue` holds nnodes entries.
 */
static uint32_t find_islands(const struct rest *r, uint32_t *island, uint32_t *queue)
{
    const struct weft_fabric *f = r->f;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->nnodes; i++)
        island[i] = NO_ISLAND;
    for (uint32_t s = 0; s < f->nnodes; s++) {
        if (f->nodes[s].kind != WEFT_NODE_SWITCH || island[s] != NO_ISLAND)
            continue;
        uint32_t head = 0, tail = 0;
        queue[tail++] = s;
        island[s] = n;
        while (head < tail) {
            const struct weft_fabric_node *x = &f->nodes[queue[head++]];
            for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++) {
                uint32_t y = next_node(r, p);
                if (f->nodes[y].kind == WEFT_NODE_SWITCH && island[y] == NO_ISLAND) {
                    island[y] = n;
                    queue[tail++] = y;
                }
            }
        }
        n++;
    }
    return n;
}

static bool has_island(const struct rest *r, const uint32_t *island, uint32_t host, uint32_t which)
{
    const struct weft_fabric_node *x = &r->f->nodes[r->f->hosts[host]];
    for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++)
        if (island[next_node(r, p)] == which)
            return true;
    return false;
}

/* The island with most hosts, NO_ISLAND when there is no switch. */
static uint32_t largest_island(const struct rest *r, const uint32_t *island, uint32_t n,
                               uint32_t *count)
{
    const struct weft_fabric *f = r->f;
    memset(count, 0, (size_t)n * sizeof *count);
    uint32_t best = NO_ISLAND;
    for (uint32_t h = 0; h < f->nhosts; h++) {
        const struct weft_fabric_node *x = &f->nodes[f->hosts[h]];
        for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++) {
            uint32_t i = island[next_node(r, p)];
            if (i != NO_ISLAND)
                count[i]++;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (best == NO_ISLAND || count[i] > count[best])
            best = i;
    return best;
}

/* True when host h reaches host g: a shared island or a direct link. Marks hold h's islands and
 * neighbours. */
static bool reaches(const struct rest *r, const uint32_t *island, const uint32_t *mark,
                    const uint32_t *met, uint32_t h, uint32_t g)
{
    const struct weft_fabric *f = r->f;
    const struct weft_fabric_node *x = &f->nodes[f->hosts[g]];
    if (met[f->hosts[g]] == h + 1)
        return true;
    for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++) {
        uint32_t y = next_node(r, p);
        if (island[y] != NO_ISLAND && mark[island[y]] == h + 1)
            return true;
    }
    return false;
}

/* `mark` holds an entry per island, `met` one per node. */
static int check_pairs(const struct rest *r, const uint32_t *island, uint32_t nislands,
                       uint32_t *mark, uint32_t *met, struct weft_err *err)
{
    const struct weft_fabric *f = r->f;
    uint32_t big = largest_island(r, island, nislands, mark);
    memset(mark, 0, (size_t)nislands * sizeof *mark);
    memset(met, 0, (size_t)f->nnodes * sizeof *met);
    for (uint32_t h = 0; h < f->nhosts; h++) {
        if (big != NO_ISLAND && has_island(r, island, h, big))
            continue;
        const struct weft_fabric_node *x = &f->nodes[f->hosts[h]];
        for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++) {
            uint32_t y = next_node(r, p);
            met[y] = h + 1;
            if (island[y] != NO_ISLAND)
                mark[island[y]] = h + 1;
        }
        for (uint32_t g = 0; g < f->nhosts; g++)
            if (g != h && !reaches(r, island, mark, met, h, g))
                return weft_err_set(err, WEFT_E_INPUT,
                                    "host %u (node %u) cannot reach host %u (node %u): no switches "
                                    "or direct link join them, and hosts do not forward",
                                    h < g ? h : g, f->hosts[h < g ? h : g], h < g ? g : h,
                                    f->hosts[h < g ? g : h]);
    }
    return 0;
}

/* With forwarding hosts the whole graph must be connected. `queue` and `seen` hold nnodes entries.
 */
static int check_connected(const struct rest *r, uint32_t *queue, uint32_t *seen,
                           struct weft_err *err)
{
    const struct weft_fabric *f = r->f;
    uint32_t head = 0, tail = 0;
    memset(seen, 0, (size_t)f->nnodes * sizeof *seen);
    queue[tail++] = f->hosts[0];
    seen[f->hosts[0]] = 1;
    while (head < tail) {
        const struct weft_fabric_node *x = &f->nodes[queue[head++]];
        for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++) {
            uint32_t y = next_node(r, p);
            if (!seen[y])
                queue[tail++] = y;
            seen[y] = 1;
        }
    }
    for (uint32_t h = 1; h < f->nhosts; h++)
        if (!seen[f->hosts[h]])
            return weft_err_set(err, WEFT_E_INPUT,
                                "host 0 (node %u) cannot reach host %u (node %u): no links join "
                                "them",
                                f->hosts[0], h, f->hosts[h]);
    return 0;
}

int weft_fabric_check_reach(const struct weft_fabric *f, const uint8_t *down, struct weft_err *err)
{
    const struct rest r = {f, down};
    for (uint32_t h = 0; f->nhosts > 1 && h < f->nhosts; h++)
        if (f->nodes[f->hosts[h]].nports == 0)
            return weft_err_set(err, WEFT_E_INPUT, "host %u (node %u) has no link", h, f->hosts[h]);
    uint32_t *work = malloc(3 * ((size_t)f->nnodes + 1) * sizeof *work);
    if (!work)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u nodes", f->nnodes);
    uint32_t *island = work, *queue = island + f->nnodes, *mark = queue + f->nnodes;
    int rc = 0;
    if (f->transit)
        rc = check_connected(&r, queue, mark, err);
    else
        rc = check_pairs(&r, island, find_islands(&r, island, queue), mark, queue, err);
    free(work);
    return rc;
}

int weft_fabric_tiers_by_distance(struct weft_fabric *f, struct weft_err *err)
{
    uint32_t *queue = malloc(((size_t)f->nnodes + 1) * sizeof *queue);
    if (!queue)
        return weft_err_set(err, WEFT_E_LIMIT, "out of memory for %u nodes", f->nnodes);
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        f->nodes[i].tier = 0;
        if (f->nodes[i].kind == WEFT_NODE_HOST)
            queue[tail++] = i;
    }
    while (head < tail) {
        const struct weft_fabric_node *x = &f->nodes[queue[head++]];
        for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++) {
            struct weft_fabric_node *y = &f->nodes[fabric_reach_peer_node(f, p)];
            if (y->kind == WEFT_NODE_SWITCH && y->tier == 0) {
                y->tier = x->tier + 1;
                queue[tail++] = fabric_reach_peer_node(f, p);
            }
        }
    }
    free(queue);
    return 0;
}
