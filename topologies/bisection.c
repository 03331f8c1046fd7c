/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bisection bandwidth by maximum flow: Dinic's algorithm (1970) over the nodes of the fabric, plus
 * a source before the hosts of the first half and a sink behind those of the second.
 *
 * Hosts that do not forward need no care: a path that enters a host of the first half could as well
 * start there, one that leaves a host of the second half could as well end there.
 */
#include "topologies/measure.h"

#include <stdlib.h>
#include <string.h>

struct flow {
    const struct weft_fabric *f;
    uint64_t *room;          /* per port: what it can still carry */
    uint32_t *level, *queue; /* per node */
    uint32_t *at;            /* per node: the port looked at next */
    uint32_t *path;          /* ports from a source host to where the search is */
    uint32_t half, skip;     /* hosts 0 .. half-1 send, those from half + skip on receive */
};

static uint32_t bisection_peer_node(const struct weft_fabric *f, uint32_t port)
{
    return f->ports[f->ports[port].peer].node;
}

static bool receives(const struct flow *w, uint32_t node)
{
    uint32_t h = w->f->nodes[node].host;
    return h != UINT32_MAX && h >= w->half + w->skip;
}

/* Distances from the senders along ports with room; false when no receiver is in reach. */
static bool bisection_spread(struct flow *w)
{
    uint32_t head = 0, tail = 0;
    bool found = false;
    memset(w->level, 0xff, (size_t)w->f->nnodes * sizeof *w->level);
    for (uint32_t h = 0; h < w->half; h++) {
        w->level[w->f->hosts[h]] = 0;
        w->queue[tail++] = w->f->hosts[h];
    }
    while (head < tail) {
        uint32_t x = w->queue[head++];
        const struct weft_fabric_node *n = &w->f->nodes[x];
        found = found || receives(w, x);
        w->at[x] = n->first_port;
        for (uint32_t p = n->first_port; p < n->first_port + n->nports; p++) {
            uint32_t y = bisection_peer_node(w->f, p);
            if (w->room[p] && w->level[y] == UINT32_MAX) {
                w->level[y] = w->level[x] + 1;
                w->queue[tail++] = y;
            }
        }
    }
    return found;
}

/* Sends what the narrowest port of the path allows; returns it. */
static uint64_t bisection_push(struct flow *w, uint32_t len)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < len; i++)
        if (w->room[w->path[i]] < least)
            least = w->room[w->path[i]];
    for (uint32_t i = 0; i < len; i++) {
        w->room[w->path[i]] -= least;
        w->room[w->f->ports[w->path[i]].peer] += least;
    }
    return least;
}

/* Sends along level-ascending paths from one host until there is none. */
static uint64_t drain(struct flow *w, uint32_t from)
{
    uint64_t sum = 0;
    uint32_t len = 0, x = from;
    for (;;) {
        const struct weft_fabric_node *n = &w->f->nodes[x];
        if (receives(w, x)) {
            sum += bisection_push(w, len);
            len = 0;
            x = from;
            continue;
        }
        uint32_t end = n->first_port + n->nports;
        while (w->at[x] < end && (!w->room[w->at[x]] ||
                                  w->level[bisection_peer_node(w->f, w->at[x])] != w->level[x] + 1))
            w->at[x]++;
        if (w->at[x] < end) {
            w->path[len++] = w->at[x];
            x = bisection_peer_node(w->f, w->at[x]);
        } else if (len == 0) {
            return sum;
        } else {
            x = w->f->ports[w->path[--len]].node;
            w->at[x]++;
        }
    }
}

int weft_fabric_bisection_bps(const struct weft_fabric *f, uint64_t *out, struct weft_err *err)
{
    size_t n = (size_t)f->nnodes + 1;
    struct flow w = {.f = f, .half = f->nhosts / 2, .skip = f->nhosts % 2};
    w.room = malloc(((size_t)f->nports + 1) * sizeof *w.room);
    uint32_t *work = malloc(4 * n * sizeof *work);
    *out = 0;
    if (!w.room || !work) {
        free(w.room);
        free(work);
        return weft_err_no_memory(err, "the bisection bandwidth");
    }
    w.level = work;
    w.queue = work + n;
    w.at = work + 2 * n;
    w.path = work + 3 * n;
    for (uint32_t p = 0; p < f->nports; p++)
        w.room[p] = f->links[f->ports[p].link].rate_bps;
    while (w.half && bisection_spread(&w))
        for (uint32_t h = 0; h < w.half; h++)
            *out += drain(&w, f->hosts[h]);
    free(w.room);
    free(work);
    return 0;
}
