/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the messages of a round cross: each goes one of the equal-cost paths of its pair, as with
 * ECMP, and a link is busy for as long as all messages over it take together. So a fabric that is
 * oversubscribed, a rail that leads through a spine, or ranks that are placed far apart make an
 * algorithm dear that goes there.
 */
#include "system/auto.h"

#include "base/flow.h"

#include <math.h>
#include <stdlib.h>

/* Messages of a round that are looked at, and at least so many of each rank. */
#define LOOKED_AT 65536u
#define LOOKED_AT_OF_RANK 8u
/* Ports that the paths of all that is looked at go through: where the fabric is so large, or its
 * paths so long, that choosing would take longer, it is not done. About half a second. */
#define PORTS_LOOKED_AT (UINT64_C(1) << 24)
/* A port on the way over several dimensions, or far round a ring, counts so many times. */
#define OF_DIMENSIONS 4u
#define OF_LONG_PATHS 8u
#define LONG_PATH 16u
/* By which the largest of some hundred such counts is above its mean. */
#define DEVIATIONS 2.5

int weft_auto_fabric_new(const struct weft_system_env *env, struct weft_auto_fabric *out,
                         struct weft_err *err)
{
    const struct weft_fabric *fabric = env->net_fabric;
    *out = (struct weft_auto_fabric){.fabric = fabric,
                                     .hosts = env->hosts,
                                     .manner = &env->manner,
                                     .prio = env->manner.prio,
                                     .ports_left = PORTS_LOOKED_AT};
    out->routes = weft_routes_new(fabric, err);
    if (!out->routes)
        return err->code;
    out->path = malloc(((size_t)fabric->nnodes + 1) * sizeof *out->path);
    out->load = calloc((size_t)fabric->nports + 1, sizeof *out->load);
    out->loaded = malloc(((size_t)fabric->nports + 1) * sizeof *out->loaded);
    if (out->path && out->load && out->loaded)
        return 0;
    weft_auto_fabric_release(out);
    return weft_err_no_memory(err, "the choice of algorithms");
}

void weft_auto_fabric_release(struct weft_auto_fabric *g)
{
    weft_routes_free(g->routes);
    free(g->path);
    free(g->load);
    free(g->loaded);
    *g = (struct weft_auto_fabric){0};
}

static const struct weft_fabric_link *link_of(const struct weft_auto_fabric *g, uint32_t port)
{
    return &g->fabric->links[g->fabric->ports[port].link];
}

/* By which a message goes among equal-cost paths. */
static uint32_t hash_of(const struct weft_auto_fabric *g, uint32_t src, uint32_t dst)
{
    const uint64_t pair = weft_mix64(((uint64_t)src << 32 | dst) + 1);
    return (uint32_t)(g->manner->by_flow
                          ? weft_flow_entropy(weft_flow_key(src, dst, g->prio, 0), g->manner->seed)
                          : pair);
}

/* The ports of a message's path, in g->path. */
static uint32_t auto_paths_walk(struct weft_auto_fabric *g, uint32_t from, uint32_t to)
{
    const uint32_t src = g->hosts ? g->hosts[from] : from, dst = g->hosts ? g->hosts[to] : to;
    const uint32_t n =
        weft_routes_path(g->routes, src, dst, hash_of(g, src, dst), g->path, g->fabric->nnodes);
    const uint32_t ports = n < g->fabric->nnodes ? n : g->fabric->nnodes;
    const uint64_t work = (uint64_t)ports * (ports > LONG_PATH      ? OF_LONG_PATHS
                                             : g->fabric->ndims > 1 ? OF_DIMENSIONS
                                                                    : 1);
    g->ports_left -= work < g->ports_left ? work : g->ports_left;
    return ports;
}

struct sums {
    struct weft_crossing *out;
    double messages;
    size_t place; /* of the sender */
};

/* On how many of the links of a path messages meet others. */
static uint32_t meeting(const struct weft_auto_fabric *g, uint32_t hops)
{
    return g->manner->meets == WEFT_MEETS_ALL ? hops : g->manner->meets == WEFT_MEETS_AT_SOURCE;
}

static struct weft_way follow(struct weft_auto_fabric *g, uint32_t from, uint32_t to,
                              uint32_t *hops)
{
    double delay = 0, all = 0, slowest = 0;
    *hops = auto_paths_walk(g, from, to);
    for (uint32_t i = 0; i < *hops; i++) {
        const struct weft_fabric_link *link = link_of(g, g->path[i]);
        const double per_byte = 8.0 / (double)link->rate_bps;
        delay += (double)link->delay_ps * 1e-12;
        all += per_byte;
        slowest = fmax(slowest, per_byte);
    }
    return (struct weft_way){(float)delay, (float)(all - slowest), (float)slowest, 0};
}

static void auto_paths_count(struct weft_auto_fabric *g, uint32_t from, uint32_t to, struct sums *s)
{
    uint32_t hops;
    const struct weft_way way = follow(g, from, to, &hops);
    for (uint32_t i = 0; i < meeting(g, hops); i++)
        if (g->load[g->path[i]]++ == 0)
            g->loaded[g->nloaded++] = g->path[i];
    s->messages++;
    s->out->load = fmax(s->out->load, way.alone);
    s->out->delay_s = fmax(s->out->delay_s, way.delay_s);
    s->out->mean_delay_s += way.delay_s;
    s->out->hops = fmax(s->out->hops, way.hops);
    s->out->mean_hops += way.hops;
    s->out->mean_alone += way.alone;
    s->out->mean_ports += hops;
}

/* The busiest link of a path, once all messages are counted. */
static void weigh(struct weft_auto_fabric *g, uint32_t from, uint32_t to, struct sums *s)
{
    uint32_t hops;
    struct weft_way way = follow(g, from, to, &hops);
    double most = way.alone;
    for (uint32_t i = 0; i < meeting(g, hops); i++)
        most = fmax(most, g->load[g->path[i]] * 8.0 / (double)link_of(g, g->path[i])->rate_bps);
    s->out->mean_load += most;
    way.load = (float)most;
    if (s->out->way)
        s->out->way[s->place] = way;
}

/* Which of `fanout` messages the k-th of `looked` is: one somewhere in each `looked`-th part of
 * them. */
static uint32_t pick(uint32_t rank, uint32_t k, uint32_t looked, uint32_t fanout)
{
    const uint32_t from = (uint32_t)((uint64_t)k * fanout / looked);
    const uint32_t to = (uint32_t)(((uint64_t)k + 1) * fanout / looked);
    return from + (uint32_t)(weft_mix64((uint64_t)rank << 32 | k) % (to - from));
}

static void each(struct weft_auto_fabric *g, const struct weft_rank_layout *layout,
                 const struct weft_coll_call *c, const struct weft_coll_round *r, uint32_t looked,
                 void (*fn)(struct weft_auto_fabric *g, uint32_t from, uint32_t to, struct sums *s),
                 struct sums *s)
{
    for (uint32_t row = 0; row < layout->nrows; row++) {
        const uint32_t *rank = layout->rank + (size_t)row * layout->n;
        for (uint32_t i = 0; i < layout->n && g->ports_left; i++)
            for (uint32_t k = 0; k < looked; k++) {
                const uint32_t to = r->to(c, r->arg, i, pick(i, k, looked, r->fanout));
                s->place = (size_t)row * layout->n + i;
                if (to != i)
                    fn(g, rank[i], rank[to], s);
            }
    }
}

/* The busiest of many links has more of the messages looked at than its share of all: by some
 * deviations. A rank's own link has exactly its share. */
static double expected(uint32_t count, uint64_t looked, uint32_t fanout)
{
    const double least = count < looked ? count : (double)looked;
    return looked == fanout ? count : fmax(least, count - DEVIATIONS * sqrt(count));
}

void weft_auto_fabric_cross(struct weft_auto_fabric *g, const struct weft_rank_layout *layout,
                            const struct weft_coll_call *c, const struct weft_coll_round *r,
                            struct weft_crossing *out)
{
    const uint64_t ranks = (uint64_t)layout->n * layout->nrows;
    uint64_t looked = LOOKED_AT / ranks;
    looked = looked > LOOKED_AT_OF_RANK ? looked : LOOKED_AT_OF_RANK;
    looked = looked < r->fanout ? looked : r->fanout;
    *out = (struct weft_crossing){.way = out->way};
    struct sums s = {out, 0, 0};
    each(g, layout, c, r, (uint32_t)looked, auto_paths_count, &s);
    if (r->relayed || r->fanout == 1)
        each(g, layout, c, r, (uint32_t)looked, weigh, &s);
    double most = 0, all = 0;
    for (uint32_t i = 0; i < g->nloaded; i++) {
        const uint32_t port = g->loaded[i];
        const double messages = expected(g->load[port], looked, r->fanout);
        most = fmax(most, messages);
        all += messages;
        out->load = fmax(out->load, messages * 8.0 / (double)link_of(g, port)->rate_bps);
        g->load[port] = 0;
    }
    out->share = most > 0 ? all / g->nloaded / most : 1;
    g->nloaded = 0;
    if (s.messages > 0) {
        out->mean_delay_s /= s.messages;
        out->mean_hops /= s.messages;
        out->mean_load /= s.messages;
        out->mean_alone /= s.messages;
        out->mean_ports /= s.messages;
    }
    const double share = (double)r->fanout / (double)looked;
    if (g->manner->meets != WEFT_MEETS_NONE) {
        out->load *= share;
        out->mean_load *= share;
    }
}
