/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of a rank: parameters by what is sharded, activations by what the schedule holds. */
#include "workload/training/memory.h"

#include "workload/training/schedule.h"

#include <math.h>

/* Bytes per parameter of one kind of state on a rank among @p n that share it from @p level of
 * sharding on. */
static double training_memory_state(double bytes, const struct weft_training_plan *q, int level,
                                    uint64_t n)
{
    return q->p.sharding >= level ? bytes / (double)n : bytes;
}

/* Activations of one block and microbatch, whole (nothing recomputed but what is selective). */
static double training_block_activations(const struct weft_training_plan *q, uint64_t layer)
{
    const struct weft_model *m = &q->model;
    if (q->layered.n)
        return 2.0 * (double)q->tokens * (double)q->layered.layer[layer].kept;
    const double h = (double)m->hidden, t = (double)q->tp, n = (double)q->tokens;
    const double rest = q->sp ? 1 / t : 1; /* share of what lies between tensor-parallel parts */
    const bool kept = !q->p.flash_attention && q->p.recompute == WEFT_RECOMPUTE_NONE;
    const double scores = kept ? 5.0 * (double)m->heads * (double)m->sequence : 0;
    if (!m->gated)
        return n * (10 * h * rest + (24 * h + scores) / t);
    const double d = (double)weft_model_head_dim(m);
    const double heads = m->kv_lora ? 4.0 * (double)(m->heads * (m->nope_dim + m->rope_dim)) +
                                          4.0 * (double)(m->heads * m->v_dim)
                                    : 4.0 * (double)m->heads * d + 4.0 * (double)m->kv_heads * d;
    double ffn = 6.0 * (double)m->ffn / t;
    if (weft_model_is_moe(m, layer))
        ffn = (double)m->top_k * (2 * h * (double)q->etp + 6.0 * (double)m->expert_ffn) /
                  (q->sp ? t : 1) +
              6.0 * (double)(m->shared_experts * m->expert_ffn) / t;
    return n * (8 * h * rest + (heads + scores) / t + ffn);
}

static double activations(const struct weft_training_plan *q, uint64_t stage)
{
    const double full =
        2.0 * (double)q->tokens * (double)q->model.hidden / (q->sp ? (double)q->tp : 1);
    double chunk = 0, largest = 0;
    for (uint64_t i = 0; i < q->vpp; i++) {
        double sum = 0;
        for (uint64_t l = 0; l < weft_training_layers(q, stage, i); l++) {
            const uint64_t layer = weft_training_first_layer(q, stage, i) + l;
            const double one = training_block_activations(q, layer);
            const double input =
                q->layered.n ? 2.0 * (double)q->tokens * (double)q->layered.layer[layer].sent
                             : full;
            sum += q->p.recompute == WEFT_RECOMPUTE_FULL ? input : one;
            largest = one > largest ? one : largest;
        }
        chunk = sum > chunk ? sum : chunk;
    }
    const double flying = (double)weft_schedule_in_flight(q, stage);
    double sum = flying * chunk + (q->p.recompute == WEFT_RECOMPUTE_FULL ? largest : 0);
    if (!q->model.gated && weft_training_has_embedding(q, stage)) /* the mask of its dropout */
        sum += full / 2 * ceil(flying / (double)q->vpp);
    if (weft_training_has_head(q, stage))
        sum += 4.0 * (double)q->tokens *
               (double)weft_model_vocab(&q->model, q->tp, q->p.pad_vocab) / (double)q->tp;
    return sum;
}

/* zero-3: two blocks whole, with their gradients: one computes, the other is on its way. */
static double gathered(const struct weft_training_plan *q, uint64_t stage)
{
    double largest = 0;
    uint64_t blocks = 0;
    if (q->p.sharding < WEFT_SHARD_WEIGHTS)
        return 0;
    for (uint64_t i = 0; i < q->vpp; i++)
        for (uint64_t l = 0; l < weft_training_layers(q, stage, i); l++, blocks++) {
            const struct weft_block_params n =
                weft_training_layer_params(q, weft_training_first_layer(q, stage, i) + l);
            const double bytes = (double)(n.dense + n.experts) * (2 + (double)q->grad_bytes);
            largest = bytes > largest ? bytes : largest;
        }
    return largest * (blocks > 1 ? 2 : 1);
}

struct weft_training_memory weft_training_memory_of(const struct weft_training_plan *q,
                                                    uint64_t stage)
{
    const struct weft_block_params n = weft_training_stage_params(q, stage);
    const double dense = (double)n.dense, experts = (double)n.experts;
    const double g = q->p.frozen ? 0 : (double)q->grad_bytes, adam = q->p.frozen ? 0 : 12;
    const double weights = 2 * (double)weft_schedule_versions(q);
    const uint64_t all = q->shard, edp = q->edp * q->copies;
    struct weft_training_memory m = {
        .weight_bytes =
            (uint64_t)(dense * training_memory_state(weights, q, WEFT_SHARD_WEIGHTS, all) +
                       experts * training_memory_state(weights, q, WEFT_SHARD_WEIGHTS, edp)),
        .gradient_bytes =
            (uint64_t)(dense * training_memory_state(g, q, WEFT_SHARD_GRADIENTS, all) +
                       experts * training_memory_state(g, q, WEFT_SHARD_GRADIENTS, edp)),
        .optimizer_bytes =
            (uint64_t)(dense * training_memory_state(adam, q, WEFT_SHARD_OPTIMIZER, all) +
                       experts * training_memory_state(adam, q, WEFT_SHARD_OPTIMIZER, edp)),
        .activation_bytes = (uint64_t)activations(q, stage),
        .gathered_bytes = (uint64_t)gathered(q, stage)};
    m.weight_bytes += 4 * q->table_params;
    m.total_bytes = m.weight_bytes + m.gradient_bytes + m.optimizer_bytes + m.activation_bytes +
                    m.gathered_bytes + WEFT_TRAINING_RUNTIME_BYTES;
    return m;
}
