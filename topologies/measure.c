/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Paths and tiers of a fabric; see measure.h. The bisection is in bisection.c.
 *
 * Paths of a pair are counted along the route groups, nearest nodes first: the number of paths from
 * a node is the sum over its next hops.
 */
#include "topologies/measure.h"

#include <stdlib.h>

/* For one destination: per node the number of paths and their length, UINT32_MAX: not known yet. */
struct counted {
    uint64_t paths;
    uint32_t hops;
};

static uint64_t measure_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Counts from `node`; `stack` has room for nnodes entries, enough since routes have no circles. */
static struct counted measure_count(const struct weft_routes *r, const struct weft_fabric *f,
                                    uint32_t node, uint32_t dst, struct counted *memo,
                                    uint32_t *stack)
{
    uint32_t top = 0;
    stack[top++] = node;
    while (top) {
        uint32_t x = stack[top - 1];
        struct weft_route_group g = weft_routes_lookup(r, x, dst);
        struct counted c = {0, 0};
        bool ready = true;
        for (uint32_t i = 0; i < g.n; i++) {
            uint32_t y = f->ports[f->ports[g.ports[i]].peer].node;
            if (memo[y].hops == UINT32_MAX) {
                if (top < f->nnodes)
                    stack[top++] = y;
                ready = false;
                break;
            }
            c.paths = measure_add(c.paths, memo[y].paths);
            if (c.hops < memo[y].hops + 1)
                c.hops = memo[y].hops + 1;
        }
        if (ready) {
            memo[x] = c;
            top--;
        }
    }
    return memo[node];
}

int weft_fabric_path_figures(const struct weft_routes *r, const struct weft_fabric *f,
                             uint64_t max_pairs, struct weft_path_figures *out,
                             struct weft_err *err)
{
    const uint32_t n = f->nhosts;
    uint64_t looked = max_pairs / n ? max_pairs / n : 1;
    *out = (struct weft_path_figures){.min_paths = n > 1 ? UINT64_MAX : 0,
                                      .sources_looked = looked < n ? (uint32_t)looked : n};
    struct counted *memo = malloc((size_t)f->nnodes * sizeof *memo);
    uint32_t *stack = malloc(((size_t)f->nnodes + 1) * sizeof *stack);
    if (!memo || !stack) {
        free(memo);
        free(stack);
        return weft_err_no_memory(err, "path counts");
    }
    uint64_t pairs = 0;
    double hops = 0;
    /* By destination, since the counts of one serve all sources; the roles are symmetric. */
    for (uint32_t k = 0; k < out->sources_looked; k++) {
        uint32_t dst = (uint32_t)((uint64_t)k * n / out->sources_looked);
        for (uint32_t i = 0; i < f->nnodes; i++)
            memo[i] = (struct counted){0, UINT32_MAX};
        memo[f->hosts[dst]] = (struct counted){1, 0};
        for (uint32_t src = 0; src < n; src++) {
            if (src == dst)
                continue;
            struct counted c = measure_count(r, f, f->hosts[src], dst, memo, stack);
            hops += c.hops;
            pairs++;
            if (c.hops > out->diameter)
                out->diameter = c.hops;
            if (c.paths < out->min_paths)
                out->min_paths = c.paths;
            if (c.paths > out->max_paths)
                out->max_paths = c.paths;
        }
    }
    out->mean_hops = pairs ? hops / (double)pairs : 0;
    free(memo);
    free(stack);
    return 0;
}

/* The entry of a tier, new or old; keeps the order. NULL when there is no room. */
static struct weft_tier_figures *entry(struct weft_tier_figures *out, uint32_t max, uint32_t *n,
                                       uint32_t dim, uint32_t tier)
{
    uint32_t i = 0;
    while (i < *n && (out[i].dim < dim || (out[i].dim == dim && out[i].tier < tier)))
        i++;
    if (i < *n && out[i].dim == dim && out[i].tier == tier)
        return &out[i];
    if (*n == max)
        return NULL;
    for (uint32_t k = (*n)++; k > i; k--)
        out[k] = out[k - 1];
    out[i] = (struct weft_tier_figures){.dim = dim, .tier = tier, .min_ports = UINT32_MAX};
    return &out[i];
}

uint32_t weft_fabric_tier_figures(const struct weft_fabric *f, struct weft_tier_figures *out,
                                  uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        const struct weft_fabric_node *x = &f->nodes[i];
        if (x->kind != WEFT_NODE_SWITCH)
            continue;
        uint32_t dim = x->nports ? f->links[f->ports[x->first_port].link].dim : 0;
        struct weft_tier_figures *t = entry(out, max, &n, dim, x->tier);
        if (!t)
            continue;
        t->switches++;
        if (x->nports < t->min_ports)
            t->min_ports = x->nports;
        if (x->nports > t->max_ports)
            t->max_ports = x->nports;
        for (uint32_t p = x->first_port; p < x->first_port + x->nports; p++) {
            const struct weft_fabric_node *y = &f->nodes[f->ports[f->ports[p].peer].node];
            uint64_t rate = f->links[f->ports[p].link].rate_bps;
            if (y->kind == WEFT_NODE_HOST || y->tier < x->tier)
                t->down_bps += rate;
            else if (y->tier > x->tier)
                t->up_bps += rate;
            else if (f->links[f->ports[p].link].a == i)
                t->same_bps += rate;
        }
    }
    return n;
}
