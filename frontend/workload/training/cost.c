/* SPDX-License-Identifier: GPL-2.0-only */
/* Costs of the parts of a block: sums of kernels. */
#include "workload/training/cost.h"

/* What a kernel reaches in a pass over @p rows: as measured, else @p usual. */
static double reached(const struct weft_training_plan *q, enum weft_kernel kernel,
                      enum weft_kernel_pass pass, double rows, double usual)
{
    const double measured = weft_measured_at(&q->measured, kernel, pass, rows);
    return measured > 0 ? measured : usual;
}

/* A matrix product and its two gradients, which are as large. */
static struct weft_part_cost gemm(const struct weft_training_plan *q, enum weft_kernel kernel,
                                  double m, double n, double k, double efficiency)
{
    const double usual = weft_gpu_reached(m, efficiency);
    double s[3];
    for (int pass = 0; pass < 3; pass++)
        s[pass] = weft_gpu_gemm_s(&q->gpu, m, n * q->density, k,
                                  reached(q, kernel, (enum weft_kernel_pass)pass, m, usual));
    return (struct weft_part_cost){s[WEFT_KERNEL_FORWARD], s[WEFT_KERNEL_INPUTS],
                                   s[WEFT_KERNEL_GRADIENTS]};
}

/* Something bound by memory; its backward pass touches @p backward times as much. */
static struct weft_part_cost touch(const struct weft_training_plan *q, double bytes,
                                   double backward)
{
    return (struct weft_part_cost){weft_gpu_bytes_s(&q->gpu, bytes),
                                   weft_gpu_bytes_s(&q->gpu, bytes * backward), 0};
}

static struct weft_part_cost sum(struct weft_part_cost a, struct weft_part_cost b)
{
    return (struct weft_part_cost){a.forward_s + b.forward_s, a.inputs_s + b.inputs_s,
                                   a.weights_s + b.weights_s};
}

/* Norm, residual and dropout around a sub-block: 14 bytes per element, split along the sequence
 * with SP. */
static struct weft_part_cost around(const struct weft_training_plan *q)
{
    const double elements =
        (double)q->tokens * (double)q->model.hidden / (q->sp ? (double)q->tp : 1);
    return touch(q, 14 * elements, 1);
}

static struct weft_part_cost scores(const struct weft_training_plan *q)
{
    const struct weft_model *m = &q->model;
    const double width = m->kv_lora ? (double)(m->nope_dim + m->rope_dim + m->v_dim)
                                    : 2.0 * (double)weft_model_head_dim(m);
    const double flops = 2.0 * (double)q->tokens * (double)m->sequence * (double)m->heads * width /
                         (double)q->tp / (q->p.causal ? 2 : 1);
    const double tokens = (double)q->tokens;
    const double ahead =
        reached(q, WEFT_KERNEL_ATTENTION, WEFT_KERNEL_FORWARD, tokens, q->gpu.forward_efficiency);
    const double back =
        reached(q, WEFT_KERNEL_ATTENTION, WEFT_KERNEL_INPUTS, tokens, q->gpu.backward_efficiency);
    if (!q->p.flash_attention) {
        /* Whole products, and per score 13 bytes: written, read and written by softmax, by dropout
         * with its mask, read again. */
        const double all = q->p.causal ? 2 * flops : flops;
        const double products = weft_gpu_flops_s(&q->gpu, all, ahead);
        const double n = (double)q->tokens * (double)m->sequence * (double)m->heads / (double)q->tp;
        const struct weft_part_cost memory = touch(q, 13 * n, 2);
        return (struct weft_part_cost){.forward_s = products + memory.forward_s,
                                       .inputs_s = 2 * products + memory.inputs_s};
    }
    return (struct weft_part_cost){.forward_s = weft_gpu_flops_s(&q->gpu, flops, ahead),
                                   .inputs_s = weft_gpu_flops_s(&q->gpu, 2.5 * flops, back)};
}

static struct weft_part_cost projections_in(const struct weft_training_plan *q)
{
    const struct weft_model *m = &q->model;
    const double n = (double)q->tokens, h = (double)m->hidden, t = (double)q->tp;
    const double large = q->gpu.gemm_efficiency;
    struct weft_part_cost c = around(q);
    if (!m->kv_lora) {
        const double kv = (double)(m->kv_heads < q->tp ? q->tp : m->kv_heads);
        return sum(c, gemm(q, WEFT_KERNEL_QKV, n,
                           ((double)m->heads + 2 * kv) * (double)weft_model_head_dim(m) / t, h,
                           large));
    }
    c = sum(c,
            gemm(q, WEFT_KERNEL_QKV, n, (double)(m->q_lora + m->kv_lora + m->rope_dim), h, large));
    c = sum(c, gemm(q, WEFT_KERNEL_QKV, n, (double)(m->heads * (m->nope_dim + m->rope_dim)) / t,
                    (double)m->q_lora, large));
    return sum(c, gemm(q, WEFT_KERNEL_QKV, n, (double)(m->heads * (m->nope_dim + m->v_dim)) / t,
                       (double)m->kv_lora, large));
}

/* A feed-forward part of width @p f over @p n tokens: two or three matrices and what lies between
 * them. */
static struct weft_part_cost feed_forward(const struct weft_training_plan *q,
                                          enum weft_kernel kernel, double n, double f,
                                          double efficiency)
{
    const double h = (double)q->model.hidden, up = q->model.gated ? 2 : 1;
    struct weft_part_cost c = gemm(q, kernel, n, up * f, h, efficiency);
    c = sum(c, touch(q, (q->model.gated ? 6 : 4) * n * f, 1.7));
    return sum(c, gemm(q, kernel, n, h, f, efficiency));
}

struct weft_block_cost weft_training_block_cost(const struct weft_training_plan *q, uint64_t layer)
{
    const struct weft_model *m = &q->model;
    const double n = (double)q->tokens, t = (double)q->tp, large = q->gpu.gemm_efficiency;
    const double value = m->kv_lora ? (double)m->v_dim : (double)weft_model_head_dim(m);
    struct weft_block_cost c = {.projections_in = projections_in(q), .scores = scores(q)};
    c.projection_out =
        gemm(q, WEFT_KERNEL_PROJECTION, n, (double)m->hidden, (double)m->heads * value / t, large);
    if (!weft_model_is_moe(m, layer)) {
        c.ffn =
            sum(around(q), feed_forward(q, WEFT_KERNEL_FEED_FORWARD, n, (double)m->ffn / t, large));
        return c;
    }
    /* Each rank routes its share of the tokens, K copies of each. */
    const double routed = n / (q->sp ? t : 1);
    const double copies = routed * (double)m->top_k;
    c.router = sum(around(q), gemm(q, WEFT_KERNEL_ROUTER, routed, (double)m->experts,
                                   (double)m->hidden, large));
    c.router = sum(c.router, touch(q, 8 * copies * (double)m->hidden, 1));
    if (m->shared_experts)
        c.shared = feed_forward(q, WEFT_KERNEL_SHARED, n,
                                (double)(m->shared_experts * m->expert_ffn) / t, large);
    return c;
}

struct weft_part_cost weft_training_experts_cost(const struct weft_training_plan *q, uint64_t rows)
{
    return feed_forward(q, WEFT_KERNEL_EXPERTS, (double)rows,
                        (double)q->model.expert_ffn / (double)q->etp, q->gpu.expert_efficiency);
}

struct weft_part_cost weft_training_layer_cost(const struct weft_training_plan *q, uint64_t layer)
{
    const struct weft_layer *l = &q->layered.layer[layer];
    const double n = (double)q->tokens, samples = (double)q->p.microbatch;
    const double steps = (double)q->model.sequence;
    /* A sample is many rows of a convolution, but one of a dense layer. */
    const double usual =
        q->dlrm.ntables ? weft_gpu_reached(n, q->gpu.gemm_efficiency) : q->gpu.gemm_efficiency;
    const double batched = n * l->flops * q->density, stepped = n * l->step_flops * q->density;
    const double alone = weft_gpu_reached(samples, usual);
    double s[3];
    for (int pass = 0; pass < 3; pass++) {
        const double e = reached(q, WEFT_KERNEL_LAYER, (enum weft_kernel_pass)pass, n, usual);
        /* All steps are known when the gradients of weights are computed. */
        s[pass] = pass == WEFT_KERNEL_GRADIENTS
                      ? weft_gpu_flops_s(&q->gpu, batched + stepped, e)
                      : weft_gpu_flops_s(&q->gpu, batched, e) +
                            weft_gpu_flops_s(&q->gpu, stepped, alone * e / usual) +
                            (stepped > 0 ? (steps - 1) * q->gpu.launch_s : 0);
    }
    const struct weft_part_cost between = touch(q, 3 * 2 * n * (double)l->kept, 2);
    return (struct weft_part_cost){s[WEFT_KERNEL_FORWARD] + between.forward_s,
                                   (layer ? s[WEFT_KERNEL_INPUTS] : 0) + between.inputs_s,
                                   s[WEFT_KERNEL_GRADIENTS]};
}

struct weft_part_cost weft_training_embedding_cost(const struct weft_training_plan *q)
{
    return touch(q, 4 * (double)q->tokens * (double)q->model.hidden, 1);
}

struct weft_part_cost weft_training_head_cost(const struct weft_training_plan *q)
{
    const double n = (double)q->tokens;
    const double rows = (double)weft_model_vocab(&q->model, q->tp, q->p.pad_vocab) / (double)q->tp;
    return sum(gemm(q, WEFT_KERNEL_HEAD, n, rows, (double)q->model.hidden, q->gpu.gemm_efficiency),
               touch(q, 7 * n * rows, 1));
}

double weft_training_optimizer_s(const struct weft_training_plan *q, uint64_t stage)
{
    const struct weft_block_params n = weft_training_stage_params(q, stage);
    const bool shared = q->p.sharding >= WEFT_SHARD_OPTIMIZER;
    const double owned = (double)n.dense / (shared ? (double)(q->cp * q->dp * q->copies) : 1) +
                         (double)n.experts / (shared ? (double)(q->edp * q->copies) : 1);
    return weft_gpu_bytes_s(&q->gpu, 30 * owned * q->density);
}
