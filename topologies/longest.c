/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The longest round trip of an empty fabric; see measure.h.
 *
 * Packets are stored and forwarded at each node. From a node to a host takes the longest of what
 * the ports of its route take, each with what follows from there. The answer goes the same way
 * back. Looked at by destination, since what one takes serves all sources.
 */
#include "topologies/measure.h"

#include "base/int128.h"
#include "base/units.h"

#include <stdlib.h>

enum { UNKNOWN = -1 };

/* What a link adds to a round trip. */
static int64_t link_ps(const struct weft_fabric_link *l, uint64_t bytes)
{
    const weft_u128 bits = (weft_u128)bytes * 8 * (uint64_t)WEFT_PS_PER_S;
    const weft_u128 ps = bits / l->rate_bps + 2 * (weft_u128)(uint64_t)l->delay_ps;
    return ps < (weft_u128)(INT64_MAX / 1024) ? (int64_t)ps : INT64_MAX / 1024;
}

/* From @p from to host @p dst; `stack` has room for all nodes, as routes have no circles. */
static void longest_reach(const struct weft_routes *r, const struct weft_fabric *f, uint32_t from,
                          uint32_t dst, uint64_t bytes, int64_t *memo, uint32_t *stack)
{
    uint32_t top = 0;
    stack[top++] = from;
    while (top) {
        const uint32_t x = stack[top - 1];
        const struct weft_route_group g = weft_routes_lookup(r, x, dst);
        int64_t most = 0;
        bool ready = true;
        for (uint32_t i = 0; i < g.n && ready; i++) {
            const struct weft_fabric_port *p = &f->ports[g.ports[i]];
            const uint32_t y = f->ports[p->peer].node;
            if (memo[y] == UNKNOWN && top < f->nnodes) {
                stack[top++] = y;
                ready = false;
                continue;
            }
            const int64_t ps = memo[y] + link_ps(&f->links[p->link], bytes);
            most = ps > most ? ps : most;
        }
        if (ready) {
            memo[x] = most < INT64_MAX / 1024 ? most : INT64_MAX / 1024;
            top--;
        }
    }
}

int weft_fabric_longest_rtt_ps(const struct weft_fabric *f, uint64_t full, uint64_t answer,
                               uint64_t max_pairs, int64_t *out, struct weft_err *err)
{
    const uint32_t n = f->nhosts;
    const uint64_t looked = max_pairs / (n ? n : 1) + 1;
    const uint32_t dsts = looked < n ? (uint32_t)looked : n;
    struct weft_routes *routes = weft_routes_new(f, err);
    *out = 0;
    if (!routes)
        return err ? err->code : WEFT_E_LIMIT;
    int64_t *memo = malloc(((size_t)f->nnodes + 1) * sizeof *memo);
    uint32_t *stack = malloc(((size_t)f->nnodes + 1) * sizeof *stack);
    for (uint32_t k = 0; k < dsts && memo && stack; k++) {
        const uint32_t dst = (uint32_t)((uint64_t)k * n / dsts);
        for (uint32_t i = 0; i < f->nnodes; i++)
            memo[i] = UNKNOWN;
        memo[f->hosts[dst]] = 0;
        for (uint32_t src = 0; src < n; src++) {
            const uint32_t from = f->hosts[src];
            if (memo[from] == UNKNOWN)
                longest_reach(routes, f, from, dst, full + answer, memo, stack);
            *out = memo[from] > *out ? memo[from] : *out;
        }
    }
    const bool enough = memo && stack;
    free(memo);
    free(stack);
    weft_routes_free(routes);
    return enough ? 0 : weft_err_no_memory(err, "round trips");
}
