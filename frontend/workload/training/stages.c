/* SPDX-License-Identifier: GPL-2.0-only */
/* What lies on a pipeline stage: layers, parameters. */
#include "workload/training/plan.h"

uint64_t weft_training_chunk(const struct weft_training_plan *q, uint64_t stage, uint64_t chunk)
{
    if (q->copies > 1) /* the second one as seen from the other end */
        return chunk ? q->pp - 1 - stage : stage;
    return chunk * q->pp + stage;
}

uint64_t weft_training_neighbour(const struct weft_training_plan *q, uint64_t stage,
                                 uint64_t *chunk, int step)
{
    const uint64_t at = weft_training_chunk(q, stage, *chunk) + (uint64_t)(int64_t)step;
    if (q->copies > 1)
        return *chunk ? q->pp - 1 - at : at;
    *chunk = at / q->pp;
    return at % q->pp;
}

bool weft_training_is_first(const struct weft_training_plan *q, uint64_t stage, uint64_t chunk)
{
    return weft_training_chunk(q, stage, chunk) == 0;
}

bool weft_training_is_last(const struct weft_training_plan *q, uint64_t stage, uint64_t chunk)
{
    return weft_training_chunk(q, stage, chunk) == q->pp * q->vpp / q->copies - 1;
}

bool weft_training_has_embedding(const struct weft_training_plan *q, uint64_t stage)
{
    return stage == 0 || (q->copies > 1 && stage == q->pp - 1);
}

bool weft_training_has_head(const struct weft_training_plan *q, uint64_t stage)
{
    return stage == q->pp - 1 || (q->copies > 1 && stage == 0);
}

uint64_t weft_training_first_layer(const struct weft_training_plan *q, uint64_t stage,
                                   uint64_t chunk)
{
    const uint64_t at = weft_training_chunk(q, stage, chunk);
    return q->divided ? q->starts[at] : at * q->chunk_layers;
}

uint64_t weft_training_layers(const struct weft_training_plan *q, uint64_t stage, uint64_t chunk)
{
    const uint64_t at = weft_training_chunk(q, stage, chunk);
    return q->divided ? q->starts[at + 1] - q->starts[at] : q->chunk_layers;
}

uint64_t weft_training_message(const struct weft_training_plan *q, uint64_t chunk)
{
    if (q->layered.n)
        return q->tokens * q->layered.layer[q->starts[chunk + 1] - 1].sent * 2;
    return q->activation_bytes / (q->sp ? q->tp : 1);
}

struct weft_block_params weft_training_layer_params(const struct weft_training_plan *q,
                                                    uint64_t layer)
{
    if (q->layered.n)
        return (struct weft_block_params){.dense = q->layered.layer[layer].params};
    return weft_model_block(&q->model, layer, q->tp, q->ep, q->etp);
}

struct weft_block_params weft_training_stage_params(const struct weft_training_plan *q,
                                                    uint64_t stage)
{
    struct weft_block_params sum = {0};
    for (uint64_t chunk = 0; chunk < q->vpp; chunk++)
        for (uint64_t l = 0; l < weft_training_layers(q, stage, chunk); l++) {
            const struct weft_block_params b =
                weft_training_layer_params(q, weft_training_first_layer(q, stage, chunk) + l);
            sum.dense += b.dense;
            sum.replicated += b.replicated;
            sum.experts += b.experts;
        }
    if (weft_training_has_embedding(q, stage)) {
        const uint64_t all = weft_model_embedding(&q->model, q->tp, q->positions, q->p.pad_vocab);
        sum.dense += all;
        sum.replicated += all - weft_model_head(&q->model, q->tp, q->p.pad_vocab);
    }
    if (weft_training_has_head(q, stage)) {
        /* A tied head is the embedding where one stage has both. */
        if (q->model.gated || q->pp > 1)
            sum.dense += weft_model_head(&q->model, q->tp, q->p.pad_vocab);
        sum.dense += weft_model_final_norm(&q->model);
        sum.replicated += weft_model_final_norm(&q->model);
    }
    return sum;
}
