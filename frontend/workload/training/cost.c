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

/* Whether kernels of a kind have measured times, which nothing that the scenario gives replaces. */
static bool timed(const struct weft_training_plan *q, enum weft_kernel_kind kind)
{
    return !q->given[kind] && weft_kernel_times_has(&q->times, kind);
}

/* A matrix product of a block. */
struct product {
    enum weft_kernel kernel;
    double m, n, k;    /* of the forward pass */
    double others;     /* matrices of weights, among which the rows are divided */
    double efficiency; /* of large ones where no times are measured */
    bool fp8;          /* what is multiplied is in FP8 */
};

/* Seconds of one pass; @p m, @p n, @p k as they are in it. */
static double product_s(const struct weft_training_plan *q, const struct product *p,
                        enum weft_kernel_pass pass, double m, double n, double k)
{
    if (m <= 0 || n <= 0 || k <= 0)
        return 0;
    const bool fp8 = p->fp8 && q->p.precision == WEFT_PRECISION_FP8;
    const bool own = fp8 && weft_kernel_times_has(&q->times, WEFT_KERNEL_KIND_GEMM_FP8);
    const enum weft_kernel_kind kind = own ? WEFT_KERNEL_KIND_GEMM_FP8 : WEFT_KERNEL_KIND_GEMM;
    const bool experts = p->kernel == WEFT_KERNEL_EXPERTS;
    double reaches = weft_measured_at(&q->measured, p->kernel, pass, p->m);
    double others = 1;
    if (!(reaches > 0) && (experts ? !q->given_experts && timed(q, kind) : timed(q, kind))) {
        others = p->others;
        reaches = p->efficiency * weft_kernel_share(&q->times, kind, m, n, k);
    }
    if (!(reaches > 0))
        reaches = weft_gpu_reached(p->m, p->efficiency);
    return weft_gpu_product_s(&q->gpu, fp8, m, n, k, others, reaches) + q->gpu.launch_s;
}

/* Something bound by memory. */
static double touched_s(const struct weft_training_plan *q, double bytes)
{
    return timed(q, WEFT_KERNEL_KIND_ELEMENTWISE)
               ? weft_kernel_s(&q->times, &q->gpu, WEFT_KERNEL_KIND_ELEMENTWISE, bytes, 1, 1)
               : weft_gpu_bytes_s(&q->gpu, bytes);
}

/* The same; its backward pass touches @p backward times as much. */
static struct weft_part_cost touch(const struct weft_training_plan *q, double bytes,
                                   double backward)
{
    return (struct weft_part_cost){touched_s(q, bytes), touched_s(q, bytes * backward), 0};
}

/* A matrix product and its two gradients, which are as large. In FP8 the input, and the gradient
 * that comes back, are read in bf16 and written twice in FP8, once transposed. */
static struct weft_part_cost gemm(const struct weft_training_plan *q, struct product p)
{
    p.n *= q->density;
    p.others = p.others > 0 ? p.others : 1;
    struct weft_part_cost c = {
        product_s(q, &p, WEFT_KERNEL_FORWARD, p.m, p.n, p.k),
        product_s(q, &p, WEFT_KERNEL_INPUTS, p.m, p.k, p.n),
        q->p.frozen ? 0 : product_s(q, &p, WEFT_KERNEL_GRADIENTS, p.k, p.n, p.m),
    };
    if (p.fp8 && q->p.precision == WEFT_PRECISION_FP8) {
        c.forward_s += touched_s(q, 4 * p.m * p.k);
        c.inputs_s += touched_s(q, 4 * p.m * p.n);
    }
    return c;
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
    const double rows = (double)q->tokens / (q->sp ? (double)q->tp : 1);
    const double width = (double)q->model.hidden;
    if (!timed(q, WEFT_KERNEL_KIND_NORM))
        return touch(q, 14 * rows * width, 1);
    const double norm_s = weft_kernel_s(&q->times, &q->gpu, WEFT_KERNEL_KIND_NORM, rows, width, 1);
    const struct weft_part_cost rest = touch(q, 10 * rows * width, 1);
    return (struct weft_part_cost){norm_s + rest.forward_s, norm_s + rest.inputs_s, 0};
}

/* Attention in one kernel: @p flops of them at the share of the peak that as long a sequence with
 * as many heads reaches. */
static double attention_s(const struct weft_training_plan *q, enum weft_kernel_kind kind,
                          double flops, double efficiency)
{
    const double rows = (double)(q->model.sequence / q->cp);
    const double heads = (double)q->model.heads / (double)q->tp * (double)q->p.microbatch;
    const double width =
        q->model.kv_lora ? (double)q->model.v_dim : (double)weft_model_head_dim(&q->model);
    if (timed(q, kind))
        efficiency *= weft_kernel_share(&q->times, kind, rows, heads, width);
    return weft_gpu_flops_s(&q->gpu, flops, efficiency);
}

static struct weft_part_cost scores(const struct weft_training_plan *q)
{
    const struct weft_model *m = &q->model;
    const double width = m->kv_lora ? (double)(m->nope_dim + m->rope_dim + m->v_dim)
                                    : 2.0 * (double)weft_model_head_dim(m);
    const double flops = 2.0 * (double)q->tokens * (double)m->sequence * (double)m->heads * width /
                         (double)q->tp / (q->p.causal ? 2 : 1);
    const double tokens = (double)q->tokens;
    const double ahead = weft_measured_at(&q->measured, WEFT_KERNEL_ATTENTION, WEFT_KERNEL_FORWARD,
                                          tokens),
                 back = weft_measured_at(&q->measured, WEFT_KERNEL_ATTENTION, WEFT_KERNEL_INPUTS,
                                         tokens);
    if (!q->p.flash_attention) {
        /* Whole products, and per score 13 bytes: written, read and written by softmax, by dropout
         * with its mask, read again. */
        const double all = q->p.causal ? 2 * flops : flops;
        const double products =
            weft_gpu_flops_s(&q->gpu, all, ahead > 0 ? ahead : q->gpu.forward_efficiency);
        const double n = (double)q->tokens * (double)m->sequence * (double)m->heads / (double)q->tp;
        const struct weft_part_cost memory = touch(q, 13 * n, 2);
        return (struct weft_part_cost){.forward_s = products + memory.forward_s,
                                       .inputs_s = 2 * products + memory.inputs_s};
    }
    return (struct weft_part_cost){
        .forward_s = ahead > 0 ? weft_gpu_flops_s(&q->gpu, flops, ahead)
                               : attention_s(q, WEFT_KERNEL_KIND_ATTENTION, flops,
                                             q->gpu.forward_efficiency),
        .inputs_s = back > 0 ? weft_gpu_flops_s(&q->gpu, 2.5 * flops, back)
                             : attention_s(q, WEFT_KERNEL_KIND_ATTENTION_BACKWARD, 2.5 * flops,
                                           q->gpu.backward_efficiency)};
}

static struct weft_part_cost projections_in(const struct weft_training_plan *q)
{
    const struct weft_model *m = &q->model;
    const double n = (double)q->tokens, h = (double)m->hidden, t = (double)q->tp;
    const double large = q->gpu.gemm_efficiency;
    struct weft_part_cost c = around(q);
    struct product p = {
        .kernel = WEFT_KERNEL_QKV, .m = n, .k = h, .efficiency = large, .fp8 = true};
    if (!m->kv_lora) {
        const double kv = (double)(m->kv_heads < q->tp ? q->tp : m->kv_heads);
        p.n = ((double)m->heads + 2 * kv) * (double)weft_model_head_dim(m) / t;
        return sum(c, gemm(q, p));
    }
    p.n = (double)(m->q_lora + m->kv_lora + m->rope_dim);
    c = sum(c, gemm(q, p));
    p.n = (double)(m->heads * (m->nope_dim + m->rope_dim)) / t;
    p.k = (double)m->q_lora;
    c = sum(c, gemm(q, p));
    p.n = (double)(m->heads * (m->nope_dim + m->v_dim)) / t;
    p.k = (double)m->kv_lora;
    return sum(c, gemm(q, p));
}

/* A feed-forward part of width @p f over p.m tokens: two or three matrices and what lies between
 * them. */
static struct weft_part_cost feed_forward(const struct weft_training_plan *q, struct product p,
                                          double f)
{
    const double h = (double)q->model.hidden, up = q->model.gated ? 2 : 1;
    p.n = up * f;
    p.k = h;
    p.fp8 = true;
    struct weft_part_cost c = gemm(q, p);
    c = sum(c, touch(q, (q->model.gated ? 6 : 4) * p.m * f, 1.7));
    p.n = h;
    p.k = f;
    return sum(c, gemm(q, p));
}

static struct weft_block_cost block_cost(const struct weft_training_plan *q, bool moe)
{
    const struct weft_model *m = &q->model;
    const double n = (double)q->tokens, t = (double)q->tp, large = q->gpu.gemm_efficiency;
    const double value = m->kv_lora ? (double)m->v_dim : (double)weft_model_head_dim(m);
    struct weft_block_cost c = {.projections_in = projections_in(q), .scores = scores(q)};
    c.projection_out = gemm(q, (struct product){.kernel = WEFT_KERNEL_PROJECTION,
                                                .m = n,
                                                .n = (double)m->hidden,
                                                .k = (double)m->heads * value / t,
                                                .efficiency = large,
                                                .fp8 = true});
    struct product p = {.kernel = WEFT_KERNEL_FEED_FORWARD, .m = n, .efficiency = large};
    if (!moe) {
        c.ffn = sum(around(q), feed_forward(q, p, (double)m->ffn / t));
        return c;
    }
    /* Each rank routes its share of the tokens, K copies of each. */
    const double routed = n / (q->sp ? t : 1);
    const double copies = routed * (double)m->top_k;
    c.router = sum(around(q), gemm(q, (struct product){.kernel = WEFT_KERNEL_ROUTER,
                                                       .m = routed,
                                                       .n = (double)m->experts,
                                                       .k = (double)m->hidden,
                                                       .efficiency = large}));
    c.router = sum(c.router, touch(q, 8 * copies * (double)m->hidden, 1));
    p.kernel = WEFT_KERNEL_SHARED;
    if (m->shared_experts)
        c.shared = feed_forward(q, p, (double)(m->shared_experts * m->expert_ffn) / t);
    return c;
}

struct weft_block_cost weft_training_block_cost(const struct weft_training_plan *q, uint64_t layer)
{
    return q->costs.block[weft_model_is_moe(&q->model, layer)];
}

struct weft_part_cost weft_training_experts_cost(const struct weft_training_plan *q, uint64_t rows)
{
    const struct product p = {.kernel = WEFT_KERNEL_EXPERTS,
                              .m = (double)rows,
                              .others = (double)(q->model.experts / q->ep),
                              .efficiency = q->gpu.expert_efficiency};
    return feed_forward(q, p, (double)q->model.expert_ffn / (double)q->etp);
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

double weft_training_embedding_bytes(const struct weft_training_plan *q)
{
    return 4 * (double)q->tokens * (double)q->model.hidden;
}

struct weft_part_cost weft_training_embedding_cost(const struct weft_training_plan *q)
{
    return touch(q, weft_training_embedding_bytes(q), 1);
}

static struct weft_part_cost head_cost(const struct weft_training_plan *q)
{
    const double n = (double)q->tokens;
    const double rows = (double)weft_model_vocab(&q->model, q->tp, q->p.pad_vocab) / (double)q->tp;
    return sum(gemm(q, (struct product){.kernel = WEFT_KERNEL_HEAD,
                                        .m = n,
                                        .n = rows,
                                        .k = (double)q->model.hidden,
                                        .efficiency = q->gpu.gemm_efficiency}),
               touch(q, 7 * n * rows, 1));
}

struct weft_part_cost weft_training_head_cost(const struct weft_training_plan *q)
{
    return q->costs.head;
}

void weft_training_costs_make(struct weft_training_plan *q)
{
    if (q->layered.n)
        return;
    q->costs.block[false] = block_cost(q, false);
    if (q->model.experts)
        q->costs.block[true] = block_cost(q, true);
    q->costs.head = head_cost(q);
}

double weft_training_optimizer_bytes(const struct weft_training_plan *q, uint64_t stage)
{
    const struct weft_block_params n = weft_training_stage_params(q, stage);
    const bool shared = q->p.sharding >= WEFT_SHARD_OPTIMIZER;
    const double owned = (double)n.dense / (shared ? (double)(q->cp * q->dp * q->copies) : 1) +
                         (double)n.experts / (shared ? (double)(q->edp * q->copies) : 1);
    return q->p.frozen ? 0 : 30 * owned * q->density;
}

double weft_training_optimizer_s(const struct weft_training_plan *q, uint64_t stage)
{
    const double bytes = weft_training_optimizer_bytes(q, stage);
    return timed(q, WEFT_KERNEL_KIND_OPTIMIZER)
               ? weft_kernel_s(&q->times, &q->gpu, WEFT_KERNEL_KIND_OPTIMIZER, bytes / 30, 1, 1)
               : weft_gpu_bytes_s(&q->gpu, bytes);
}
