/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The channel dependency graph; see deadlock.h.
 *
 * Channel c is port c / 2 in virtual channel c % 2. Its dependencies are bits, one per port of the
 * node at the far end, since the virtual channel of the next hop follows from both links; channels
 * that a node which does not forward sends on are in no cycle and have none. Per
 * destination the channels in use are found by following the route groups from all hosts; hosts
 * with the same switches as neighbours make the same demands between switches, so one stands for
 * all. Then a depth-first search looks for a cycle.
 */
#include "topologies/deadlock.h"
#include "topologies/fabric_instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct graph {
    const struct weft_fabric *f;
    const uint8_t *down; /* per link, NULL: none is down */
    const struct weft_routes *r;
    size_t *first;      /* per channel: its first bit; one more at the end */
    unsigned char *bit; /* dependencies, one byte each */
    uint32_t *stamp;    /* per channel: the destination that it was last seen for, plus 1 */
    uint32_t *queue;    /* channels */
};

static const struct weft_fabric_node *far_node(const struct weft_fabric *f, uint32_t port)
{
    return &f->nodes[f->ports[f->ports[port].peer].node];
}

static int open_graph(struct graph *g, struct weft_err *err)
{
    const struct weft_fabric *f = g->f;
    size_t channels = 2 * (size_t)f->nports, bits = 0;
    g->first = malloc((channels + 1) * sizeof *g->first);
    g->stamp = calloc(channels + 1, sizeof *g->stamp);
    g->queue = malloc((channels + 1) * sizeof *g->queue);
    for (size_t c = 0; g->first && c < channels; c++) {
        g->first[c] = bits;
        if (weft_fabric_forwards(f, f->ports[c / 2].node))
            bits += far_node(f, (uint32_t)(c / 2))->nports;
    }
    if (g->first)
        g->first[channels] = bits;
    g->bit = calloc(bits + 1, 1);
    if (!g->first || !g->stamp || !g->queue || !g->bit)
        return weft_err_no_memory(err, "the channel dependencies");
    return 0;
}

static void close_graph(struct graph *g)
{
    free(g->first);
    free(g->bit);
    free(g->stamp);
    free(g->queue);
}

/* The channel that a packet goes on in over port `out`. */
static uint32_t next_channel(const struct weft_fabric *f, uint32_t channel, uint32_t out)
{
    const struct weft_fabric_link *in = &f->links[f->ports[channel / 2].link];
    return out * 2 + weft_next_channel(in, &f->links[f->ports[out].link], channel % 2);
}

/* Adds the dependencies of all routes to host `dst`. */
static void follow(struct graph *g, uint32_t dst)
{
    const struct weft_fabric *f = g->f;
    uint32_t tail = 0;
    for (uint32_t h = 0; h < f->nhosts; h++) {
        struct weft_route_group out = weft_routes_lookup(g->r, f->hosts[h], dst);
        for (uint32_t i = 0; h != dst && i < out.n; i++) {
            g->stamp[out.ports[i] * 2] = dst + 1;
            g->queue[tail++] = out.ports[i] * 2;
        }
    }
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t c = g->queue[head];
        const struct weft_fabric_node *x = far_node(f, c / 2);
        if (x->host == dst)
            continue;
        struct weft_route_group out =
            weft_routes_lookup(g->r, f->ports[f->ports[c / 2].peer].node, dst);
        for (uint32_t i = 0; i < out.n; i++) {
            uint32_t to = next_channel(f, c, out.ports[i]);
            if (g->first[c] < g->first[c + 1])
                g->bit[g->first[c] + (out.ports[i] - x->first_port)] = 1;
            if (g->stamp[to] == dst + 1)
                continue;
            g->stamp[to] = dst + 1;
            g->queue[tail++] = to;
        }
    }
}

static void write_cycle(const struct weft_fabric *f, const uint32_t *channels, uint32_t n,
                        struct weft_err *err)
{
    char text[768], a[WEFT_NODE_NAME_MAX], b[WEFT_NODE_NAME_MAX];
    size_t used = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t port = channels[i] / 2;
        int w = snprintf(text + used, sizeof text - used, "%s%s->%s%s", i ? ", " : "",
                         weft_fabric_node_name(f, f->ports[port].node, a),
                         weft_fabric_node_name(f, f->ports[f->ports[port].peer].node, b),
                         channels[i] % 2 ? " (channel 1)" : "");
        if (w < 0 || used + (size_t)w + 8 > sizeof text) {
            snprintf(text + used, sizeof text - used, ", ...");
            break;
        }
        used += (size_t)w;
    }
    weft_err_set(err, WEFT_E_INPUT,
                 "routes can deadlock under lossless flow control: %u channels wait for each other "
                 "in a circle: %s",
                 n, text);
}

/* Depth-first search; the channels on the stack are in queue[0 .. depth-1], where[] is the next bit
 * of each. */
static int find_cycle(struct graph *g, struct weft_err *err)
{
    enum { NEW, OPEN, DONE };
    const struct weft_fabric *f = g->f;
    size_t channels = 2 * (size_t)f->nports;
    size_t *where = malloc((channels + 1) * sizeof *where);
    int rc = where ? 0 : weft_err_no_memory(err, "channel dependencies");
    memset(g->stamp, 0, channels * sizeof *g->stamp);
    for (uint32_t start = 0; start < channels && !rc; start++) {
        uint32_t depth = 0;
        if (g->stamp[start] != NEW)
            continue;
        g->queue[depth] = start;
        where[depth++] = g->first[start];
        g->stamp[start] = OPEN;
        while (depth && !rc) {
            uint32_t c = g->queue[depth - 1];
            size_t at = where[depth - 1]++;
            if (at == g->first[c + 1]) {
                g->stamp[c] = DONE;
                depth--;
                continue;
            }
            if (!g->bit[at])
                continue;
            uint32_t port = far_node(f, c / 2)->first_port + (uint32_t)(at - g->first[c]);
            uint32_t to = next_channel(f, c, port);
            if (g->stamp[to] == OPEN) {
                uint32_t from = depth;
                while (g->queue[--from] != to)
                    ;
                write_cycle(f, g->queue + from, depth - from, err);
                rc = WEFT_E_INPUT;
            } else if (g->stamp[to] == NEW) {
                g->queue[depth] = to;
                where[depth++] = g->first[to];
                g->stamp[to] = OPEN;
            }
        }
    }
    free(where);
    return rc;
}

static bool is_down(const struct graph *g, uint32_t port)
{
    return g->down && g->down[g->f->ports[port].link];
}

/* Whether hosts h and o have the same neighbours, all of them switches, port by port. */
static bool alike(const struct graph *g, uint32_t h, uint32_t o)
{
    const struct weft_fabric *f = g->f;
    const struct weft_fabric_node *x = &f->nodes[f->hosts[h]], *y = &f->nodes[f->hosts[o]];
    for (uint32_t k = 0; k < x->nports; k++)
        if (x->nports != y->nports || far_node(f, x->first_port + k)->kind != WEFT_NODE_SWITCH ||
            far_node(f, x->first_port + k) != far_node(f, y->first_port + k) ||
            is_down(g, x->first_port + k) != is_down(g, y->first_port + k))
            return false;
    return x->nports > 0;
}

/* Whether a host like h has been looked at. last[node]: the latest host, plus 1, whose first link
 * is to that node. */
static bool looked_at(const struct graph *g, uint32_t h, uint32_t *last)
{
    const struct weft_fabric *f = g->f;
    const struct weft_fabric_node *x = &f->nodes[f->hosts[h]];
    if (x->nports == 0)
        return false;
    uint32_t y = f->ports[f->ports[x->first_port].peer].node;
    bool before = last[y] && alike(g, h, last[y] - 1);
    last[y] = h + 1;
    return before;
}

/* Follows routes @p r of @p f, whose links in @p down are down. */
static int check_one(const struct weft_fabric *f, const struct weft_routes *r, const uint8_t *down,
                     struct weft_err *err)
{
    struct graph g = {.f = f, .r = r, .down = down};
    uint32_t *last = calloc((size_t)f->nnodes + 1, sizeof *last);
    int rc = open_graph(&g, err);
    if (!rc && !last)
        rc = weft_err_no_memory(err, "channel dependencies");
    for (uint32_t h = 0; h < f->nhosts && !rc; h++)
        if (!looked_at(&g, h, last))
            follow(&g, h);
    if (!rc)
        rc = find_cycle(&g, err);
    close_graph(&g);
    free(last);
    return rc;
}

/* One instance of a dimension, by itself. */
static int check_instance(const struct weft_fabric *f, const uint8_t *down, uint32_t dim,
                          uint32_t index, struct weft_err *err)
{
    struct weft_fabric_instance part;
    int rc = weft_fabric_instance_open(f, down, dim, index, &part, err);
    if (rc)
        return rc;
    struct weft_routes *r = NULL;
    if (part.down || !f->dims[dim].acyclic) {
        r = weft_routes_new_without(part.fabric, part.down, err);
        rc = r ? check_one(part.fabric, r, part.down, err) : WEFT_E_LIMIT;
    }
    if (rc == WEFT_E_INPUT)
        weft_err_prepend(err, "dimension %u (%s), instance %u, its own NPU numbers", dim,
                         f->dims[dim].kind, index);
    weft_routes_free(r);
    weft_fabric_instance_close(&part);
    return rc;
}

int weft_deadlock_check(const struct weft_fabric *f, const uint8_t *down, struct weft_err *err)
{
    int rc = 0;
    if (f->ndims == 1 && f->dims[0].acyclic && !down)
        return 0;
    struct weft_routes *r = NULL;
    if (f->routing != WEFT_ROUTING_DIMS || down) {
        r = weft_routes_new_without(f, down, err);
        if (!r)
            return WEFT_E_LIMIT;
    }
    if (r && !weft_routes_by_dims(r)) {
        rc = check_one(f, r, down, err);
        weft_routes_free(r);
        return rc;
    }
    weft_routes_free(r);
    for (uint32_t d = 0; d < f->ndims && !rc; d++) {
        uint32_t n = f->dims[d].acyclic && !down ? 0 : weft_fabric_instance_count(f, d);
        for (uint32_t i = 0; i < n && !rc; i++)
            rc = check_instance(f, down, d, i, err);
    }
    return rc;
}
