/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts of parameters and operations. Counts of Llama and Mixtral are exact against their
 * checkpoints.
 */
#include "workload/training/model.h"

static const struct weft_model table[] = {
#define WEFT_MODEL(symbol, title, from, ...) {.name = title, .source = from, __VA_ARGS__},
#include "workload/training/models.def"
#undef WEFT_MODEL
};

const struct weft_model *weft_models(size_t *n)
{
    *n = sizeof table / sizeof table[0];
    return table;
}

bool weft_model_is_moe(const struct weft_model *m, uint64_t layer)
{
    return m->experts > 0 && layer >= m->dense_layers;
}

uint64_t weft_model_head_dim(const struct weft_model *m)
{
    return m->head_dim ? m->head_dim : m->hidden / m->heads;
}

uint64_t weft_model_vocab(const struct weft_model *m, uint64_t t, bool pad)
{
    const uint64_t unit = 128 * t;
    return pad ? (m->vocab + unit - 1) / unit * unit : m->vocab;
}

/* Attention with compressed keys and values: the projections down are replicated, those up are
 * split by heads. */
static struct weft_block_params mla(const struct weft_model *m, uint64_t t)
{
    const uint64_t query = m->nope_dim + m->rope_dim;
    const uint64_t down = m->hidden * m->q_lora + m->hidden * (m->kv_lora + m->rope_dim);
    const uint64_t norms = m->q_lora + m->kv_lora;
    const uint64_t up =
        m->q_lora * m->heads * query + m->kv_lora * m->heads * (m->nope_dim + m->v_dim);
    const uint64_t out = m->heads * m->v_dim * m->hidden;
    return (struct weft_block_params){.dense = down + norms + (up + out) / t,
                                      .replicated = down + norms};
}

static struct weft_block_params attention(const struct weft_model *m, uint64_t t)
{
    if (m->kv_lora)
        return mla(m, t);
    const uint64_t d = weft_model_head_dim(m), kv = m->kv_heads < t ? t : m->kv_heads;
    const uint64_t heads = 2 * m->hidden * m->heads * d + 2 * m->hidden * kv * d;
    if (m->gated)
        return (struct weft_block_params){.dense = heads / t};
    return (struct weft_block_params){.dense = (heads + (m->heads + 2 * kv) * d) / t + m->hidden,
                                      .replicated = m->hidden};
}

static uint64_t norms(const struct weft_model *m)
{
    return m->gated ? 2 * m->hidden : 4 * m->hidden;
}

struct weft_block_params weft_model_block(const struct weft_model *m, uint64_t layer, uint64_t t,
                                          uint64_t ep, uint64_t etp)
{
    struct weft_block_params p = attention(m, t);
    p.dense += norms(m);
    p.replicated += norms(m);
    if (weft_model_is_moe(m, layer)) {
        const uint64_t one = 3 * m->hidden * m->expert_ffn;
        p.dense += m->hidden * m->experts + m->shared_experts * one / t;
        p.replicated += m->hidden * m->experts;
        p.experts = m->experts / ep * one / etp;
    } else if (m->gated) {
        p.dense += 3 * m->hidden * m->ffn / t;
    } else {
        p.dense += (2 * m->hidden * m->ffn + m->ffn) / t + m->hidden;
        p.replicated += m->hidden;
    }
    return p;
}

uint64_t weft_model_embedding(const struct weft_model *m, uint64_t t, uint64_t sequence, bool pad)
{
    return weft_model_head(m, t, pad) + (m->gated ? 0 : sequence * m->hidden);
}

uint64_t weft_model_head(const struct weft_model *m, uint64_t t, bool pad)
{
    return weft_model_vocab(m, t, pad) * m->hidden / t;
}

uint64_t weft_model_final_norm(const struct weft_model *m)
{
    return norms(m) / 2;
}

uint64_t weft_model_params(const struct weft_model *m)
{
    uint64_t n = weft_model_embedding(m, 1, m->sequence, false) + weft_model_final_norm(m) +
                 (m->gated ? weft_model_head(m, 1, false) : 0);
    for (uint64_t l = 0; l < m->layers; l++) {
        const struct weft_block_params p = weft_model_block(m, l, 1, 1, 1);
        n += p.dense + p.experts;
    }
    return n;
}

double weft_model_forward_flops(const struct weft_model *m, uint64_t sequence, bool causal)
{
    const double scores = m->kv_lora ? (double)(m->nope_dim + m->rope_dim + m->v_dim)
                                     : 2.0 * (double)weft_model_head_dim(m);
    double flops = 2.0 * (double)weft_model_head(m, 1, false);
    for (uint64_t l = 0; l < m->layers; l++) {
        const struct weft_block_params p = weft_model_block(m, l, 1, 1, 1);
        double used = (double)p.dense;
        if (weft_model_is_moe(m, l))
            used += (double)(m->top_k * 3 * m->hidden * m->expert_ffn);
        flops +=
            2.0 * used + 2.0 * (double)sequence * (double)m->heads * scores / (causal ? 2.0 : 1.0);
    }
    return flops;
}
