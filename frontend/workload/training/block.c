/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One transformer block: attention, then the feed-forward part or experts.
 *
 * Tensor parallelism (2205.05198, section 4.2.2; S: activations of the group). Per sub-block
 *                 without sequence parallelism   with it
 *   forward       all-reduce S behind            all-gather S before, reduce-scatter S behind
 *   backward      all-reduce S of the gradient   all-gather of the gradient, all-gather of the input again (for the gradients of
 *                                                weights), reduce-scatter of the gradient of the
 * input The last of these runs beside the gradients of weights.
 *
 * Experts: dispatch all-to-all, all-gather within etp, experts, reduce-scatter within etp, combine
 * all-to-all; backward mirrored. Shared experts compute while tokens are on their way. What takes a
 * few bytes (counts of tokens, routing weights, auxiliary loss) is left out.
 */
#include "workload/training/graph.h"
#include "workload/training/routing.h"

#include "workload/dag.h"

#include <stdio.h>

/* What the functions of this file know of the block that they write. */
struct block {
    struct weft_training_graph *g;
    struct weft_block_cost cost;
    enum weft_pass_kind kind;
    uint64_t layer;
    const char *phase;                   /* "fwd", "bwd" */
    uint64_t rows[WEFT_TRAINING_EP_MAX]; /* MoE: to each rank of the expert-parallel group */
    uint64_t received;                   /* MoE: rows that come here */
    char label[64];
};

static const char *label(struct block *k, const char *part)
{
    snprintf(k->label, sizeof k->label, "L%u.%s.%s", (unsigned)k->layer, part, k->phase);
    return k->label;
}

/* A collective over tp of the activations. */
static uint64_t tp(struct block *k, int kind, const char *part, uint64_t x)
{
    const struct weft_training_plan *q = k->g->plan;
    /* What is gathered goes into a product: in FP8 where that multiplies FP8. */
    const uint64_t gathered =
        q->activation_bytes / q->tp / (q->p.precision == WEFT_PRECISION_FP8 ? 2 : 1);
    return weft_graph_collective(k->g, WEFT_COMM_TP, kind,
                                 kind == WEFT_COLL_ALL_GATHER ? gathered : q->activation_bytes,
                                 label(k, part), x);
}

static uint64_t block_enter(struct block *k, const char *part, uint64_t x)
{
    return k->g->plan->sp ? tp(k, WEFT_COLL_ALL_GATHER, part, x) : x;
}

static uint64_t block_leave(struct block *k, const char *part, uint64_t x)
{
    return tp(k, k->g->plan->sp ? WEFT_COLL_REDUCE_SCATTER : WEFT_COLL_ALL_REDUCE, part, x);
}

static uint64_t attention_forward(struct block *k, uint64_t x)
{
    struct weft_training_graph *g = k->g;
    const struct weft_block_cost *c = &k->cost;
    char name[64];
    x = block_enter(k, "attn.ag", x);
    if (g->plan->cp == 1) {
        x = weft_graph_compute(
            g, c->projections_in.forward_s + c->scores.forward_s + c->projection_out.forward_s,
            label(k, "attn"), x, WEFT_NO_NODE);
    } else {
        x = weft_graph_compute(g, c->projections_in.forward_s, label(k, "qkv"), x, WEFT_NO_NODE);
        snprintf(name, sizeof name, "%s", label(k, "attn"));
        x = weft_graph_scores_forward(g, c, name, x);
        x = weft_graph_compute(g, c->projection_out.forward_s, label(k, "proj"), x, WEFT_NO_NODE);
    }
    return block_leave(k, "attn.reduce", x);
}

static uint64_t attention_inputs(struct block *k, uint64_t x)
{
    struct weft_training_graph *g = k->g;
    struct weft_block_cost c = k->cost;
    char name[64];
    const bool again = g->plan->p.recompute == WEFT_RECOMPUTE_SELECTIVE;
    if (g->plan->cp == 1) {
        const double recomputed = again ? c.scores.forward_s : 0;
        return weft_graph_compute(g,
                                  recomputed + c.projection_out.inputs_s + c.scores.inputs_s +
                                      c.projections_in.inputs_s,
                                  label(k, "attn.i"), x, WEFT_NO_NODE);
    }
    x = weft_graph_compute(g, c.projection_out.inputs_s, label(k, "proj.i"), x, WEFT_NO_NODE);
    if (again) {
        snprintf(name, sizeof name, "%s", label(k, "attn.re"));
        x = weft_graph_scores_forward(g, &c, name, x);
    }
    snprintf(name, sizeof name, "%s", label(k, "attn"));
    x = weft_graph_scores_backward(g, &c, name, x);
    return weft_graph_compute(g, c.projections_in.inputs_s, label(k, "qkv.i"), x, WEFT_NO_NODE);
}

/* Gradients of a sub-block's weights, which need its input gathered again. */
static uint64_t weights_of(struct block *k, double seconds, const char *gather, const char *part,
                           uint64_t x)
{
    const uint64_t input = block_enter(k, gather, x);
    return weft_graph_compute(k->g, seconds, label(k, part), input, WEFT_NO_NODE);
}

/* Backward through one sub-block: @p inputs writes the gradients of its inputs. */
static uint64_t sub_block_backward(struct block *k, uint64_t (*inputs)(struct block *k, uint64_t x),
                                   double weights_s, const char *names[5], uint64_t x,
                                   uint64_t *weights)
{
    if (k->kind == WEFT_PASS_WEIGHTS) {
        *weights = weights_of(k, weights_s, names[1], names[4], WEFT_NO_NODE);
        return x;
    }
    const uint64_t gradient = block_enter(k, names[0], x);
    /* The input is asked for before the gradients are computed, so that it comes beside them. */
    const bool learns = k->kind == WEFT_PASS_BACKWARD && !k->g->plan->p.frozen;
    const uint64_t input = learns ? block_enter(k, names[1], x) : WEFT_NO_NODE;
    x = block_leave(k, names[3], inputs(k, gradient));
    if (k->kind == WEFT_PASS_BACKWARD)
        *weights = weft_graph_compute(k->g, weights_s, label(k, names[4]), input, WEFT_NO_NODE);
    return x;
}

static uint64_t ffn_inputs(struct block *k, uint64_t x)
{
    return weft_graph_compute(k->g, k->cost.ffn.inputs_s, label(k, "mlp.i"), x, WEFT_NO_NODE);
}

static uint64_t shared_inputs(struct block *k, uint64_t x)
{
    return weft_graph_compute(k->g, k->cost.shared.inputs_s, label(k, "shared.i"), x, WEFT_NO_NODE);
}

/* Rows to experts (@p out) or back. */
static uint64_t shuffle(struct block *k, bool out, const char *part, uint64_t x)
{
    const struct weft_training_plan *q = k->g->plan;
    const uint64_t row = q->model.hidden * 2;
    uint64_t there[WEFT_TRAINING_EP_MAX], here[WEFT_TRAINING_EP_MAX];
    for (uint64_t i = 0; i < q->ep; i++) {
        there[i] = k->rows[i] * row;
        here[i] = k->received / q->ep * row;
    }
    return weft_graph_all_to_all(k->g, WEFT_COMM_EP, out ? there : here, out ? here : there,
                                 label(k, part), x);
}

static uint64_t block_spread(struct block *k, const char *part, uint64_t x)
{
    return weft_graph_collective(k->g, WEFT_COMM_ETP, WEFT_COLL_ALL_GATHER,
                                 k->received * k->g->plan->model.hidden * 2, label(k, part), x);
}

static uint64_t block_collect(struct block *k, const char *part, uint64_t x)
{
    return weft_graph_collective(k->g, WEFT_COMM_ETP, WEFT_COLL_REDUCE_SCATTER,
                                 k->received * k->g->plan->model.hidden * 2 * k->g->plan->etp,
                                 label(k, part), x);
}

static uint64_t experts_forward(struct block *k, uint64_t x)
{
    struct weft_training_graph *g = k->g;
    const uint64_t routed =
        weft_graph_compute(g, k->cost.router.forward_s, label(k, "router"), x, WEFT_NO_NODE);
    uint64_t there = shuffle(k, true, "dispatch", routed), shared = WEFT_NO_NODE;
    if (g->plan->model.shared_experts) {
        shared = block_enter(k, "shared.ag", routed);
        shared = weft_graph_compute(g, k->cost.shared.forward_s, label(k, "shared"), shared,
                                    WEFT_NO_NODE);
        shared = block_leave(k, "shared.reduce", shared);
    }
    there = block_spread(k, "experts.ag", there);
    there = weft_graph_compute(g, k->cost.ffn.forward_s, label(k, "experts"), there, WEFT_NO_NODE);
    there = shuffle(k, false, "combine", block_collect(k, "experts.rs", there));
    return weft_graph_join(g, label(k, "sum"), there, shared);
}

static uint64_t experts_backward(struct block *k, uint64_t x, uint64_t *weights)
{
    static const char *shared[] = {"shared.ag", "shared.in.ag", "shared.i", "shared.reduce",
                                   "shared.w"};
    struct weft_training_graph *g = k->g;
    const struct weft_block_cost *c = &k->cost;
    if (k->kind == WEFT_PASS_WEIGHTS) {
        if (g->plan->model.shared_experts)
            sub_block_backward(k, shared_inputs, c->shared.weights_s, shared, x, weights);
        *weights = weft_graph_compute(g, c->ffn.weights_s + c->router.weights_s,
                                      label(k, "experts.w"), WEFT_NO_NODE, WEFT_NO_NODE);
        return x;
    }
    uint64_t there = shuffle(k, true, "combine", x), beside = WEFT_NO_NODE;
    if (g->plan->model.shared_experts)
        beside = sub_block_backward(k, shared_inputs, c->shared.weights_s, shared, x, weights);
    there = block_spread(k, "experts.ag", there);
    there = weft_graph_compute(g, c->ffn.inputs_s, label(k, "experts.i"), there, WEFT_NO_NODE);
    there = shuffle(k, false, "dispatch", block_collect(k, "experts.rs", there));
    if (k->kind == WEFT_PASS_BACKWARD)
        *weights = weft_graph_compute(g, c->ffn.weights_s, label(k, "experts.w"), WEFT_NO_NODE,
                                      WEFT_NO_NODE);
    const bool both = k->kind == WEFT_PASS_BACKWARD;
    const uint64_t routed =
        weft_graph_compute(g, c->router.inputs_s + (both ? c->router.weights_s : 0),
                           label(k, "router.i"), there, beside);
    if (both)
        *weights = routed;
    return routed;
}

/* Costs of a block on this rank, and where its tokens go. */
static void block_prepare(struct block *k)
{
    const struct weft_training_plan *q = k->g->plan;
    k->cost = weft_training_block_cost(q, k->layer);
    if (!weft_model_is_moe(&q->model, k->layer))
        return;
    weft_training_routing(q, k->layer, k->rows);
    k->received = k->rows[k->g->rank / q->etp % q->ep] * q->ep;
    k->cost.ffn = weft_training_experts_cost(q, k->received * q->etp);
}

uint64_t weft_graph_block_forward(struct weft_training_graph *g, uint64_t layer, uint64_t x)
{
    struct block k = {.g = g, .layer = layer, .phase = "fwd"};
    if (g->plan->layered.n)
        return weft_graph_layer_forward(g, layer, x);
    block_prepare(&k);
    x = attention_forward(&k, x);
    if (weft_model_is_moe(&g->plan->model, layer))
        return experts_forward(&k, x);
    x = block_enter(&k, "mlp.ag", x);
    x = weft_graph_compute(g, k.cost.ffn.forward_s, label(&k, "mlp"), x, WEFT_NO_NODE);
    return block_leave(&k, "mlp.reduce", x);
}

uint64_t weft_graph_block_backward(struct weft_training_graph *g, uint64_t layer,
                                   enum weft_pass_kind kind, uint64_t x, uint64_t *weights)
{
    static const char *mlp[] = {"mlp.ag", "mlp.in.ag", "mlp.i", "mlp.reduce", "mlp.w"};
    static const char *attn[] = {"attn.ag", "attn.in.ag", "attn.i", "attn.reduce", "attn.w"};
    struct block k = {.g = g, .kind = kind, .layer = layer, .phase = "bwd"};
    if (g->plan->layered.n)
        return weft_graph_layer_backward(g, layer, kind, x, weights);
    block_prepare(&k);
    if (weft_model_is_moe(&g->plan->model, layer))
        x = experts_backward(&k, x, weights);
    else
        x = sub_block_backward(&k, ffn_inputs, k.cost.ffn.weights_s, mlp, x, weights);
    return sub_block_backward(&k, attention_inputs,
                              k.cost.projections_in.weights_s + k.cost.projection_out.weights_s,
                              attn, x, weights);
}
