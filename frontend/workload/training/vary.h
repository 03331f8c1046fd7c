/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs whose tensors change from iteration to iteration. Lists have an item per iteration, the last
 * one holds for all beyond:
 *
 *   sequences   tokens of a sequence: activations, what tensor, context, pipeline and expert parallelism send, computation
 *   densities   the share of all parameters that is there (a growing or pruned model): bytes of gradients and weights, operations of
 *               matrix products
 *   pruning     densities by the gradual schedule of Zhu and Gupta (1710.01878): 1 - s (1 - (1 - k / n)^3) in iteration k
 *
 * Memory is that of the longest sequence and of all parameters.
 */
#ifndef WEFT_TRAINING_VARY_H
#define WEFT_TRAINING_VARY_H

#include "workload/training/plan.h"

WEFT_C_BEGIN

/** Whether iterations differ. */
bool weft_training_varies(const struct weft_training_plan *plan);
/** Share of the parameters that is there in iteration @p k. */
double weft_training_density(const struct weft_training_plan *plan, uint64_t k);
/** The plan of iteration @p k. */
void weft_training_plan_at(const struct weft_training_plan *plan, uint64_t k,
                           struct weft_training_plan *out);
/** Whether all sequences can be divided as the job is. */
int weft_training_check_varying(const struct weft_training_plan *plan, struct weft_err *err);

WEFT_C_END
#endif
