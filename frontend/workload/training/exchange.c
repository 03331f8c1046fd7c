/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data parallelism without collectives.
 *
 * Parameter servers (ranks behind the workers; OSDI 2014, Li et al.): of each bucket of n
 * parameters a server has n / servers. Each worker pushes its gradients of them and pulls the
 * weights after the update: of all workers' gradients, or when asynchronous of its own alone.
 *
 * Gossip (D-PSGD, 1705.09056): x(k + 1) = average of x(k) over the neighbours - g(x(k)), so weights
 * are exchanged beside the computation of gradients. Neighbours: both on a ring, or one at a
 * distance of 2^(k mod log2 d) (1811.10792).
 */
#include "workload/training/graph.h"

/* What server @p s has of @p params. */
static uint64_t training_exchange_part(const struct weft_training_plan *q, uint64_t params,
                                       uint64_t s)
{
    return params / q->servers + (s < params % q->servers);
}

uint64_t weft_graph_push_pull(struct weft_training_graph *g, uint64_t params, uint64_t ready)
{
    const struct weft_training_plan *q = g->plan;
    uint64_t pulled = WEFT_NO_NODE;
    for (uint64_t s = 0; s < q->servers; s++) {
        const uint64_t n = training_exchange_part(q, params, s);
        if (n == 0)
            continue;
        weft_graph_send(g, n * q->grad_bytes, q->world + s, g->exchange_tag, "push", ready);
        pulled = weft_graph_join(g, "pulled", pulled,
                                 weft_graph_recv(g, 2 * n, q->world + s, g->exchange_tag, "pull"));
    }
    g->exchange_tag++;
    return pulled;
}

/* Gradients of @p workers of @p n parameters are added up, the optimizer steps. */
static double update_s(const struct weft_training_plan *q, uint64_t n, uint64_t workers)
{
    return weft_gpu_bytes_s(&q->gpu, (double)n * (30 + (double)(workers * q->grad_bytes)));
}

void weft_graph_serve(struct weft_training_graph *g, uint64_t params)
{
    const struct weft_training_plan *q = g->plan;
    const uint64_t n = training_exchange_part(q, params, g->rank - q->world);
    uint64_t all = WEFT_NO_NODE;
    for (uint64_t w = 0; n && w < q->world; w++) {
        const uint64_t pushed = weft_graph_recv(g, n * q->grad_bytes, w, g->exchange_tag, "pushed");
        if (!q->p.asynchronous) {
            all = weft_graph_join(g, "pushed", all, pushed);
            continue;
        }
        g->compute = WEFT_NO_NODE; /* in the order in which they come */
        weft_graph_send(g, 2 * n, w, g->exchange_tag, "pulled",
                        weft_graph_compute(g, update_s(q, n, 1), "update", pushed, WEFT_NO_NODE));
    }
    if (n && !q->p.asynchronous) {
        const uint64_t x =
            weft_graph_compute(g, update_s(q, n, q->world), "update", all, WEFT_NO_NODE);
        for (uint64_t w = 0; w < q->world; w++)
            weft_graph_send(g, 2 * n, w, g->exchange_tag, "pulled", x);
    }
    g->exchange_tag++;
}

static uint64_t rank_at(const struct weft_training_graph *g, uint64_t dp)
{
    struct weft_rank_place at = g->at;
    at.dp = dp % g->plan->dp;
    return weft_training_rank(g->plan, at);
}

/* Weights to the rank @p ahead, from the one as far behind. */
static uint64_t training_exchange_neighbour(struct weft_training_graph *g, uint64_t ahead,
                                            uint64_t bytes, uint64_t ready)
{
    const uint64_t d = g->plan->dp, tag = WEFT_GOSSIP_TAG + g->exchange_tag++;
    weft_graph_send(g, bytes, rank_at(g, g->at.dp + ahead), tag, "gossip.send", ready);
    return weft_graph_recv(g, bytes, rank_at(g, g->at.dp + d - ahead), tag, "gossip.recv");
}

uint64_t weft_graph_gossip(struct weft_training_graph *g, uint64_t ready)
{
    const struct weft_training_plan *q = g->plan;
    const double left = (double)weft_training_stage_params(q, g->at.pp).dense * q->density;
    const uint64_t bytes = q->grad_bytes * (uint64_t)left;
    uint64_t hops = 0;
    if (q->dp < 2)
        return WEFT_NO_NODE;
    if (q->p.gossip == WEFT_GOSSIP_RING) {
        const uint64_t x = training_exchange_neighbour(g, 1, bytes, ready);
        return q->dp > 2 ? weft_graph_join(g, "gossip", x,
                                           training_exchange_neighbour(g, q->dp - 1, bytes, ready))
                         : x;
    }
    while ((UINT64_C(1) << hops) < q->dp)
        hops++;
    return training_exchange_neighbour(g, UINT64_C(1) << g->iteration % hops, bytes, ready);
}
