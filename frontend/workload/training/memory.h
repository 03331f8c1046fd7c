/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of a rank.
 *
 * Weights 2 bytes, gradients 4 (2 with fp32-gradients=false), Adam 12 per parameter, divided by the
 * data parallelism for what is sharded (1910.02054, section 3); schedule=2bw has the weights twice,
 * dualpipe two stages on each rank. Activations of a block and microbatch, s tokens, b sequences
 * (2205.05198, section 4):
 *   plain   s b h (34 + 5 a s / h) / t with sequence parallelism, s b h (10 + (24 + 5 a s / h) / t) without
 *   gated   s b (8 h + 4 a d + 4 k d + 6 f + 5 a s) / t; without sequence parallelism 8 h is not divided
 * Flash attention and recompute=selective leave out 5 a s; recompute=full keeps 2 s b h and one
 * block's working set. Embedding tables of recommendation models are fp32, on the rank that has
 * most of them. The mask of the dropout behind a plain model's embedding is s b h / t per
 * microbatch, logits are 4 s b V / t.
 */
#ifndef WEFT_TRAINING_MEMORY_H
#define WEFT_TRAINING_MEMORY_H

#include "workload/training/plan.h"

WEFT_C_BEGIN

/** What the driver, communicators and fragmentation take: an estimate. */
#define WEFT_TRAINING_RUNTIME_BYTES (UINT64_C(2) << 30)

/** Bytes that one rank needs. */
struct weft_training_memory {
    uint64_t weight_bytes, gradient_bytes, optimizer_bytes;
    uint64_t activation_bytes; /**< of all microbatches in flight, logits included */
    uint64_t gathered_bytes;   /**< zero-3: two blocks whole, with their gradients */
    uint64_t total_bytes;      /**< with WEFT_TRAINING_RUNTIME_BYTES */
};

/** Memory of a rank of @p stage. */
struct weft_training_memory weft_training_memory_of(const struct weft_training_plan *plan,
                                                    uint64_t stage);

WEFT_C_END
#endif
