/* SPDX-License-Identifier: GPL-2.0-only */
/* What lies on a pipeline stage: layers, parameters. */
#include "workload/training/plan.h"

uint64_t weft_training_first_layer(const struct weft_training_plan *q, uint64_t stage,
                                   uint64_t chunk)
{
    return (chunk * q->pp + stage) * q->chunk_layers;
}

struct weft_block_params weft_training_stage_params(const struct weft_training_plan *q,
                                                    uint64_t stage)
{
    struct weft_block_params sum = {0};
    for (uint64_t chunk = 0; chunk < q->v; chunk++)
        for (uint64_t l = 0; l < q->chunk_layers; l++) {
            const struct weft_block_params b = weft_model_block(
                &q->model, weft_training_first_layer(q, stage, chunk) + l, q->t, q->e, q->te);
            sum.dense += b.dense;
            sum.replicated += b.replicated;
            sum.experts += b.experts;
        }
    if (stage == 0) {
        const uint64_t all =
            weft_model_embedding(&q->model, q->t, q->model.sequence, q->p.pad_vocab);
        sum.dense += all;
        sum.replicated += all - weft_model_head(&q->model, q->t, q->p.pad_vocab);
    }
    if (stage == q->pp - 1) {
        /* A tied head is the embedding where one stage has both. */
        if (q->model.gated || q->pp > 1)
            sum.dense += weft_model_head(&q->model, q->t, q->p.pad_vocab);
        sum.dense += weft_model_final_norm(&q->model);
        sum.replicated += weft_model_final_norm(&q->model);
    }
    return sum;
}
