/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a rank computes: each part of a block for one microbatch, by measured kernel times
 * (kernel_times.h) or by the roofline of its GPU (gpu.h).
 *
 * With precision=fp8 the products of attention's projections, feed-forward parts and experts
 * multiply FP8; router, attention, head, norms and what is added stay in bf16. Weights are cast
 * once an iteration, which is left out. Experts of a rank are one grouped product: as one of all
 * rows, which reads the weights of each.
 *
 * Backward passes take the gradients of inputs (I) and of weights (W) apart; attention itself
 * belongs to I, at 2.5 times the operations of its forward pass (flash attention, 2205.14135), as
 * do norms and activations. Without flash attention its two products are followed by softmax and
 * dropout, bound by memory, and both count whole even where a token sees only those before it.
 */
#ifndef WEFT_TRAINING_COST_H
#define WEFT_TRAINING_COST_H

#include "workload/training/plan.h"

WEFT_C_BEGIN

/** Costs of blocks and head as the plan has them now; before them nothing of either is known. */
void weft_training_costs_make(struct weft_training_plan *plan);
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
/** Bytes that the look-up reads and writes. */
double weft_training_embedding_bytes(const struct weft_training_plan *plan);
/** Bytes that the optimizer's step on a rank of @p stage reads and writes: 30 per parameter that it
 * owns. */
double weft_training_optimizer_bytes(const struct weft_training_plan *plan, uint64_t stage);
/** Seconds of that. */
double weft_training_optimizer_s(const struct weft_training_plan *plan, uint64_t stage);

WEFT_C_END
#endif
