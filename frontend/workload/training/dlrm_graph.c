/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An iteration of a recommendation model: look-ups and their exchange beside the dense layers
 * below, interaction and layers above, backward the same in reverse. All ranks are data-parallel in
 * the dense layers; tables are divided (dlrm.h). Per iteration, b samples on each of n ranks,
 * elements of u bytes:
 *
 *   lengths, indices   all-to-all: to rank r 4 bytes per sample and table of r, 8 per look-up; for the next iteration, beside this one
 *   results            all-to-all: from rank r to each b x columns of r x u; backward the other way. Row-wise a
 *                      reduce-scatter of n b x all columns x u, backward an all-gather
 *   gradients          of the dense layers, in buckets (sharding.c)
 *
 * Gradients of rows are applied where the rows are.
 */
#include "workload/training/graph.h"

#include "workload/dag.h"

#include <inttypes.h>
#include <stdio.h>

static const struct weft_dlrm_share *mine(const struct weft_training_graph *g)
{
    return &g->shares[g->rank];
}

/* An all-to-all that sends @p to(share of i) to rank i or, with @p back, takes it from there. */
static uint64_t exchange(struct weft_training_graph *g, bool back,
                         uint64_t (*to)(const struct weft_training_graph *g,
                                        const struct weft_dlrm_share *s),
                         const char *what, uint64_t x)
{
    uint64_t there[WEFT_TRAINING_EP_MAX], here[WEFT_TRAINING_EP_MAX];
    for (uint64_t i = 0; i < g->plan->world; i++) {
        there[i] = to(g, &g->shares[i]);
        here[i] = to(g, mine(g));
    }
    return weft_graph_all_to_all(g, WEFT_COMM_EP, back ? here : there, back ? there : here, what,
                                 x);
}

static uint64_t lengths(const struct weft_training_graph *g, const struct weft_dlrm_share *s)
{
    return g->plan->tokens * s->pieces * 4;
}

static uint64_t indices(const struct weft_training_graph *g, const struct weft_dlrm_share *s)
{
    return (uint64_t)((double)g->plan->tokens * s->lookups) * 8;
}

static uint64_t results(const struct weft_training_graph *g, const struct weft_dlrm_share *s)
{
    return g->plan->tokens * s->columns * g->plan->pooled_bytes;
}

/* What is looked up in the iteration to come. */
static uint64_t input(struct weft_training_graph *g)
{
    const uint64_t x = exchange(g, false, lengths, "lengths.a2a", WEFT_NO_NODE);
    return exchange(g, false, indices, "indices.a2a", x);
}

/* Results of all tables for the samples of this rank, or their gradients to where the tables are.
 */
static uint64_t pooled(struct weft_training_graph *g, bool backward, uint64_t x)
{
    const struct weft_training_plan *q = g->plan;
    if (q->p.table_sharding != WEFT_TABLES_ROWS)
        return exchange(g, !backward, results, backward ? "gradients.a2a" : "results.a2a", x);
    const uint64_t shard = results(g, mine(g)); /* each rank has all columns */
    return backward ? weft_graph_collective(g, WEFT_COMM_EP, WEFT_COLL_ALL_GATHER, shard,
                                            "gradients.ag", x)
                    : weft_graph_collective(g, WEFT_COMM_EP, WEFT_COLL_REDUCE_SCATTER,
                                            shard * q->world, "results.rs", x);
}

/* Seconds to read the rows of all samples @p times and to write or read their sums. */
static double rows_s(const struct weft_training_graph *g, double times)
{
    const double samples = (double)(g->plan->tokens * g->plan->world);
    return weft_gpu_bytes_s(&g->plan->gpu,
                            samples * (times * mine(g)->read_bytes +
                                       (double)(mine(g)->columns * g->plan->pooled_bytes)));
}

static uint64_t dlrm_graph_forward(struct weft_training_graph *g, uint64_t from, uint64_t to,
                                   uint64_t x)
{
    for (uint64_t l = from; l < to; l++)
        x = weft_graph_layer_forward(g, l,
                                     weft_graph_join(g, "weights", x, weft_graph_weights(g, l)));
    return x;
}

static uint64_t backward(struct weft_training_graph *g, uint64_t from, uint64_t to, uint64_t x)
{
    for (uint64_t l = from; l-- > to;) {
        uint64_t weights = WEFT_NO_NODE;
        x = weft_graph_layer_backward(g, l, WEFT_PASS_BACKWARD, x, &weights);
        weft_graph_gradients(g, l, true, weights);
    }
    return x;
}

int weft_graph_dlrm(struct weft_training_graph *g)
{
    const struct weft_training_plan *q = g->plan;
    const uint64_t below = q->dlrm.nbottom, all = q->layered.n;
    uint64_t dense_input = WEFT_NO_NODE;
    for (g->iteration = 0; g->iteration < q->p.iterations; g->iteration++) {
        snprintf(g->where, sizeof g->where, "it%" PRIu64, g->iteration);
        if (weft_graph_sharding_start(g, NULL, 0))
            return -1;
        if (g->iteration == 0)
            dense_input = input(g);
        const uint64_t found = pooled(
            g, false, weft_graph_compute(g, rows_s(g, 1), "lookup", dense_input, WEFT_NO_NODE));
        if (g->iteration + 1 < q->p.iterations)
            dense_input = input(g);
        uint64_t x =
            weft_graph_join(g, "features", dlrm_graph_forward(g, 0, below, WEFT_NO_NODE), found);
        x = backward(g, all, below, dlrm_graph_forward(g, below, all, x));
        const uint64_t gradients = pooled(g, true, x);
        backward(g, below, 0, x);
        weft_graph_compute(g, rows_s(g, 2), "update", gradients, WEFT_NO_NODE);
        weft_graph_iteration_end(g);
    }
    return 0;
}
