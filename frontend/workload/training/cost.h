/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a rank computes: each part of a block for one microbatch, by the roofline of its GPU
 * (gpu.h).
 *
 * Backward passes take the gradients of inputs (I) and of weights (W) apart; attention itself
 * belongs to I, at 2.5 times the operations of its forward pass (flash attention, 2205.14135), as
 * do norms and activations. Without flash attention its two products are followed by softmax and
 * dropout, bound by memory, and both count whole even where a token sees only those before it.
 */
#ifndef WEFT_TRAINING_COST_H
#define WEFT_TRAINING_COST_H

#include "workload/training/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Seconds of one part: forward, gradients of its inputs, gradients of its weights. */
struct weft_part_cost {
    double forward_s, inputs_s, weights_s;
};

/** Seconds of the parts of one rank's work on one microbatch. */
struct weft_block_cost {
    struct weft_part_cost projections_in; /**< norm and query, key, value projections */
    struct weft_part_cost scores;         /**< attention itself, over the whole sequence */
    struct weft_part_cost projection_out; /**< output projection, residual */
    struct weft_part_cost router;         /**< MoE: norm, router, permutation; else 0 */
    struct weft_part_cost ffn;            /**< dense: norm, feed-forward part, residual; MoE: 0, see
                                             weft_training_experts_cost */
    struct weft_part_cost shared;         /**< MoE: shared experts; else 0 */
};

/** Costs of block @p layer. */
struct weft_block_cost weft_training_block_cost(const struct weft_training_plan *plan,
                                                uint64_t layer);
/** The experts of one rank over @p rows rows (a token and one of its experts). */
struct weft_part_cost weft_training_experts_cost(const struct weft_training_plan *plan,
                                                 uint64_t rows);
/**
 * A layer of a table: its operations at the efficiency of large products, those step by step at
 * that of a product with a row per sample; then what lies between layers (norms, activations): kept
 * elements written once and read twice, twice that backward. The first layer has no gradients of
 * inputs to compute.
 */
struct weft_part_cost weft_training_layer_cost(const struct weft_training_plan *plan,
                                               uint64_t layer);
/** Look-up of the embedding. */
struct weft_part_cost weft_training_embedding_cost(const struct weft_training_plan *plan);
/** Output head and cross-entropy. */
struct weft_part_cost weft_training_head_cost(const struct weft_training_plan *plan);
/** The optimizer's step on a rank of @p stage: 30 bytes read and written per parameter that it
 * owns. */
double weft_training_optimizer_s(const struct weft_training_plan *plan, uint64_t stage);

#ifdef __cplusplus
}
#endif
#endif
