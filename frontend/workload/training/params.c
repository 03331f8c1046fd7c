/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameters of a generated training job, and the job as a workload of scenarios. */
#include "base/units.h"
#include "workload/training/schedule.h"
#include "workload/training/training.h"
#include "workload/workload.h"

#include <inttypes.h>
#include <stdio.h>

#define OF_MODEL(title, member, what)                                                              \
    {                                                                                              \
        WEFT_ROW_U64(struct weft_training_params, member, title, "0", NULL, "10000000"),           \
            .help = what "; 0: as the model has it"                                                \
    }
#define DEGREE(title, member, value, what)                                                         \
    {                                                                                              \
        WEFT_ROW_U64(struct weft_training_params, member, title, value, NULL, "1048576"),          \
            .help = what                                                                           \
    }
#define RATIO(title, member, largest, what)                                                        \
    {                                                                                              \
        WEFT_ROW_F64(struct weft_training_params, member, title, "0", "0", largest),               \
            .help = what "; 0: as the GPU has it"                                                  \
    }
#define FLAG(title, member, value, what)                                                           \
    {                                                                                              \
        WEFT_ROW_BOOL(struct weft_training_params, member, title, value), .help = what             \
    }
#define CHOICE(title, member, value, words, what, from)                                            \
    {                                                                                              \
        WEFT_ROW_ENUM(struct weft_training_params, member, title, value, words), .help = what,     \
                                                                                 .source = from    \
    }

/* Joins the names of a table into the words of a choice: each but the first behind a bar. */
#define WEFT_MODEL(symbol, name, ...) "|" name
static const char models[] =
#include "workload/training/models.def"
#define WEFT_LAYERED(symbol, name, ...) "|" name
#include "workload/training/layered.def"
#define WEFT_DLRM(symbol, name, ...) "|" name
#include "workload/training/dlrm.def"
    ;
#undef WEFT_LAYERED
#undef WEFT_DLRM
#undef WEFT_MODEL
#define WEFT_GPU(name, ...) "|" name
static const char gpus[] =
#include "workload/training/gpus.def"
    ;
#undef WEFT_GPU
#define WEFT_SCHEDULE(symbol, name, title) "|" name
static const char schedules[] =
#include "workload/training/schedules.def"
    ;
#undef WEFT_SCHEDULE

static const struct weft_param params[] = {
    DEGREE("ranks", ranks, "0",
           "ranks of the job, on the first hosts of the fabric; 0: as many as it has hosts"),
    CHOICE(
        "model", model, "llama3-8b", models + 1,
        "the transformer, table of layers (resnet-50, gnmt ...) or recommendation model (dlrm-...)",
        "models.def, layered.def, dlrm.def"),
    {WEFT_ROW_STRING(struct weft_training_params, layers_file, "layers-file", ""),
     .help = "CSV of layers, layer,parameters,flops,step-flops,kept,sent, in place of the model; "
             "empty: none"},
    OF_MODEL("layers", layers, "blocks"),
    OF_MODEL("hidden", hidden, "width of the residual stream"),
    OF_MODEL("heads", heads, "query heads"),
    OF_MODEL("kv-heads", kv_heads, "key-value heads"),
    OF_MODEL("head-dim", head_dim, "width of a head"),
    OF_MODEL("ffn", ffn, "width of the feed-forward part"),
    OF_MODEL("vocab", vocab, "rows of the embedding"),
    OF_MODEL("sequence", sequence, "tokens of a sequence, positions of a sample"),
    OF_MODEL("experts", experts, "routed experts of a block"),
    OF_MODEL("top-k", top_k, "experts that a token goes to"),
    OF_MODEL("expert-ffn", expert_ffn, "width of one expert"),
    FLAG("pad-vocab", pad_vocab, "false",
         "round the vocabulary up to a multiple of 128 x tp, as Megatron-LM does"),
    CHOICE("gpu", gpu, "h100", gpus + 1, "accelerator of a rank", "gpus.def"),
    RATIO("peak-tflops", peak_tflops, "1000000", "10^12 dense bf16 operations per second"),
    RATIO("memory-bandwidth", memory_tb_per_s, "1000", "10^12 bytes per second of its memory"),
    {WEFT_ROW_SIZE(struct weft_training_params, memory_bytes, "memory-size", "0", NULL, NULL),
     .help = "its memory; 0: as the GPU has it"},
    RATIO("gemm-efficiency", gemm_efficiency, "1",
          "share of the peak that large matrix products reach"),
    RATIO("attention-forward-efficiency", attention_forward_efficiency, "1",
          "share of the peak that attention reaches, forward"),
    RATIO("attention-backward-efficiency", attention_backward_efficiency, "1",
          "share of the peak that attention reaches, backward"),
    RATIO("expert-efficiency", expert_efficiency, "1",
          "share of the peak that grouped products of experts reach"),
    {WEFT_ROW_TIME(struct weft_training_params, kernel_launch_ps, "kernel-launch", "4us", "0",
                   NULL),
     .help = "time that each kernel adds"},
    CHOICE(
        "compute", compute, "auto", "auto|measured|efficiency",
        "kernel times by shape: measured on an H100 and scaled by peak and bandwidth to other "
        "GPUs, or efficiencies of the peak; auto: measured where the GPU has the chip of an H100",
        "kernels_h100.def"),
    {WEFT_ROW_STRING(struct weft_training_params, kernel_file, "kernels", ""),
     .help = "CSV of kernel times measured on this GPU, kind,m,n,k,us, in place of the shipped "
             "ones; empty: none"},
    CHOICE("precision", precision, "bf16", "bf16|fp8",
           "what the products of attention's projections, feed-forward parts and experts multiply",
           "2209.05433"),
    {WEFT_ROW_F64(struct weft_training_params, fp8_efficiency, "fp8-efficiency", "0", "0", "2"),
     .help = "share of FP8's peak that products reach, over the share of bf16's peak that they "
             "reach; 0: as the GPU has it",
     .needs = "precision=fp8"},
    {WEFT_ROW_STRING(struct weft_training_params, efficiency_file, "efficiency-file", ""),
     .help = "CSV of measured efficiencies, operation,pass,rows,efficiency, in place of the GPU's; "
             "empty: none"},
    DEGREE("tp", tp, "1", "tensor parallelism"),
    DEGREE("cp", cp, "1", "context parallelism"),
    DEGREE("pp", pp, "1", "pipeline stages"),
    {WEFT_ROW_STRING(struct weft_training_params, tables_file, "tables-file", ""),
     .help = "CSV of embedding tables, rows,columns,lookups, in place of the recommendation "
             "model's; empty: none"},
    CHOICE(
        "table-sharding", table_sharding, "table-wise", "table-wise|column-wise|row-wise",
        "how embedding tables are divided among ranks: whole ones, pieces of their columns, their "
        "rows over all ranks",
        "2104.05158, section 4.2"),
    {WEFT_ROW_U64(struct weft_training_params, table_pieces, "table-pieces", "0", NULL, "4096"),
     .help = "column-wise: pieces of each table; 0: as few as give every rank one"},
    {WEFT_ROW_STRING(struct weft_training_params, placement_file, "placement-file", ""),
     .help = "where tables are: CSV, table,rank,columns, or JSON as NeuroShard's results; empty: "
             "evenly by columns",
     .source = "2305.01868"},
    FLAG("pooled-fp32", pooled_fp32, "false",
         "results of embedding look-ups and their gradients travel in fp32, else in bf16"),
    {WEFT_ROW_STRING(struct weft_training_params, stage_layers, "stage-layers", ""),
     .help = "layers of each chunk (of each stage, with virtual-stages all first chunks first), in "
             "the order of the model; empty: equally many, of a table of layers equally long ones",
     .list = &weft_stage_layers_form},
    DEGREE("dp", dp, "0", "data parallelism; 0: ranks / (tp x cp x pp)"),
    DEGREE("ep", ep, "1", "expert parallelism"),
    DEGREE("etp", etp, "0", "tensor parallelism within experts; 0: tp"),
    {WEFT_ROW_F64(struct weft_training_params, expert_skew, "expert-skew", "0", "0", "10"),
     .help =
         "popularity of experts: the k-th most popular in proportion to 1 / k^skew; 0: all equal"},
    {WEFT_ROW_F64(struct weft_training_params, capacity_factor, "capacity-factor", "0", "0",
                  "1000"),
     .help = "each expert takes so many times its even share of tokens, padded or dropped; 0: "
             "whatever comes",
     .source = "GShard, 2006.16668, section 2.2"},
    {WEFT_ROW_U64(struct weft_training_params, seed, "seed", "1", NULL, NULL),
     .help = "which experts are popular in which block"},
    DEGREE("virtual-stages", virtual_stages, "1",
           "chunks of layers per stage; more than one needs schedule=interleaved"),
    FLAG("sequence-parallel", sequence_parallel, "true",
         "activations between tensor-parallel parts are split along the sequence (2205.05198)"),
    FLAG("fused-cross-entropy", fused_cross_entropy, "true",
         "two all-reduces over tp for the loss instead of three"),
    FLAG("causal", causal, "true",
         "a token attends to those before it only, half of the operations"),
    FLAG(
        "flash-attention", flash_attention, "true",
        "attention in one kernel that keeps no scores (2205.14135); else scores go through memory"),
    CHOICE("context-parallel", context, "ring", "ring|all-gather|all-to-all",
           "how ranks of a context-parallel group exchange keys and values",
           "ring: 2310.01889; all-gather: 2407.21783, 3.3.2; all-to-all: 2309.14509"),
    DEGREE("microbatch", microbatch, "1", "sequences (images, samples) of a microbatch"),
    DEGREE("microbatches", microbatches, "0",
           "microbatches of a pipeline and iteration; 0: as many as stages"),
    DEGREE("iterations", iterations, "1", "training iterations"),
    {WEFT_ROW_STRING(struct weft_training_params, sequences, "sequences", ""),
     .help = "tokens of a sequence in each iteration, the last for all beyond; empty: sequence",
     .list = &weft_sequences_form},
    {WEFT_ROW_STRING(struct weft_training_params, densities, "densities", ""),
     .help = "share of the parameters that is there in each iteration, the last for all beyond; "
             "empty: all of them",
     .list = &weft_densities_form},
    {WEFT_ROW_F64(struct weft_training_params, pruning, "pruning", "0", "0", "0.9999"),
     .help = "share of the parameters that gradual pruning has taken away in the end",
     .source = "Zhu and Gupta, 1710.01878, equation 1"},
    DEGREE("pruning-iterations", pruning_iterations, "0",
           "iterations after which it has; 0: all but the last"),
    CHOICE("schedule", schedule, "1f1b", schedules + 1,
           "order of forward and backward passes in a stage", "schedules.def"),
    CHOICE("recompute", recompute, "none", "none|selective|full",
           "what of the forward pass is computed again in the backward pass", "2205.05198"),
    CHOICE("data-parallel", sharding, "zero-1", "ddp|zero-1|zero-2|zero-3|parameter-server|gossip",
           "what data-parallel ranks share out: nothing, optimizer, and gradients, and weights "
           "(FSDP); or "
           "gradients go to servers, or weights to neighbours",
           "1910.02054; OSDI 2014, Li et al.; 1705.09056"),
    DEGREE(
        "servers", servers, "0",
        "parameter-server: ranks behind those that train, with a part of all parameters each; 0: "
        "one"),
    FLAG("asynchronous", asynchronous, "false",
         "parameter-server: a worker waits for the update with its own gradients alone"),
    CHOICE(
        "gossip", gossip, "ring", "ring|exponential",
        "gossip: weights go to both neighbours on a ring, or to one at a distance of a power of 2 "
        "that changes with each iteration",
        "1705.09056, 1811.10792"),
    DEGREE("shard-ranks", shard_ranks, "0",
           "zero-3: weights are shared out among so many data-parallel ranks and copied beyond "
           "(HSDP); 0: among all"),
    FLAG("fp32-gradients", grad_fp32, "true", "gradients are reduced in fp32, else in bf16"),
    {WEFT_ROW_U64(struct weft_training_params, bucket_params, "bucket-parameters", "0", NULL, NULL),
     .help = "gradients are reduced together from so many parameters on; 0: the larger of "
             "40,000,000 and 1,000,000 x data parallelism, on the first stage only",
     .source = "Megatron-LM"},
    FLAG("overlap-grad-reduce", overlap_grad_reduce, "true",
         "gradients are reduced while the backward pass goes on"),
    FLAG("overlap-param-gather", overlap_param_gather, "false",
         "zero-1, zero-2: weights are gathered while the next iteration has begun"),
    FLAG(
        "frozen", frozen, "false",
        "weights stay as they are, as with LoRA: no gradients of them, no reduction, no optimizer; "
        "adapters are left out"),
    FLAG("check-memory", check_memory, "true",
         "refuse what does not fit into the memory of the GPU"),
};
const struct weft_param_table weft_training_param_table =
    WEFT_PARAM_TABLE(params, struct weft_training_params);

static int plan_for(const void *params, uint32_t nranks, struct weft_training_plan *out,
                    struct weft_err *err)
{
    struct weft_training_params p = *(const struct weft_training_params *)params;
    uint32_t n;
    if (weft_workload_ranks("training", p.ranks, nranks, &n, err))
        return err->code;
    /* Nobody says how many ranks there are: the degrees of parallelism do. */
    p.ranks = n ? n : p.tp * p.cp * p.pp * (p.dp ? p.dp : 1) + weft_training_servers(&p);
    return weft_training_plan_make(&p, out, err);
}

static int load(const void *params, uint32_t nranks, struct weft_workload **out,
                struct weft_err *err)
{
    struct weft_training_plan plan;
    return plan_for(params, nranks, &plan, err) ? err->code
                                                : weft_training_workload(&plan, out, err);
}

static int write(const void *params, const char *prefix, uint64_t *nranks, struct weft_err *err)
{
    struct weft_training_plan plan;
    if (plan_for(params, 0, &plan, err))
        return err->code;
    *nranks = weft_training_ranks(&plan);
    return weft_training_write(&plan, prefix, err);
}

/* The model and what an iteration of it is. */
static void describe_model(const struct weft_training_plan *q,
                           const struct weft_training_summary *s, char *buf, size_t size)
{
    double rows = 0;
    for (uint64_t t = 0; t < q->dlrm.ntables; t++)
        rows += (double)(q->dlrm.table[t].rows * q->dlrm.table[t].columns);
    if (q->dlrm.ntables)
        snprintf(
            buf, size,
            "  model       %s, %.2f million parameters in %" PRIu64 " dense layers, %.4g billion "
            "in %" PRIu64 " tables, of which one rank has %.4g billion\n"
            "  iteration   %" PRIu64 " samples, %.4g PFLOP\n",
            q->model.name, (double)s->params * 1e-6, q->layered.n, rows * 1e-9, q->dlrm.ntables,
            (double)q->table_params * 1e-9, q->p.microbatch * q->world, s->flops * 1e-15);
    else if (q->layered.n)
        snprintf(buf, size,
                 "  model       %s, %.2f million parameters in %" PRIu64 " layers\n"
                 "  iteration   %" PRIu64 " %s in %" PRIu64
                 " microbatches per pipeline, %.4g PFLOP\n",
                 q->model.name, (double)s->params * 1e-6, q->layered.n,
                 q->p.microbatch * q->microbatches * q->dp, q->layered.samples, q->microbatches,
                 s->flops * 1e-15);
    else
        snprintf(buf, size,
                 "  model       %s, %.2f billion parameters, sequences of %" PRIu64 " tokens\n"
                 "  iteration   %" PRIu64 " tokens in %" PRIu64
                 " microbatches per pipeline, %.4g PFLOP\n",
                 q->model.name, (double)s->params * 1e-9, q->model.sequence, s->tokens,
                 q->microbatches, s->flops * 1e-15);
}

static int describe(const void *params, char *buf, size_t size, struct weft_err *err)
{
    struct weft_training_plan q;
    struct weft_training_summary s;
    char need[WEFT_UNIT_TEXT_MAX], have[WEFT_UNIT_TEXT_MAX], model[512];
    const char *kernels;
    if (plan_for(params, 0, &q, err) || weft_training_summarize(&q, &s, err))
        return err->code;
    describe_model(&q, &s, model, sizeof model);
    kernels = q.times.n == 0                        ? "none measured: efficiencies of the peak"
              : q.p.kernel_file && *q.p.kernel_file ? q.p.kernel_file
                                                    : weft_gpu_kernels(&q.gpu);
    snprintf(buf, size,
             "%s"
             "  ranks       %" PRIu64 " = tp %" PRIu64 " x cp %" PRIu64 " x dp %" PRIu64
             " x pp %" PRIu64 "%s; experts: ep %" PRIu64 "\n"
             "  compute     %.4g s on the busiest rank; the schedule '%s' idles %.1f %% more\n"
             "  kernel times   %s\n"
             "  model FLOPs utilisation   %.1f %% of %s at most, before any communication\n"
             "  memory      %s of %s on a rank of stage %" PRIu64 "\n",
             model, q.world, q.tp, q.cp, q.dp, q.pp, q.sp ? ", sequence-parallel" : "", q.ep,
             s.compute_s, weft_schedule_name((enum weft_schedule_kind)q.p.schedule), 100 * s.bubble,
             kernels, 100 * s.mfu, q.gpu.name, weft_human_size(s.memory_bytes, need),
             weft_human_size(q.gpu.memory_bytes, have), s.worst_stage);
    return 0;
}

const struct weft_workload_ops weft_workload_training = {
    .name = "training",
    .title = "training of transformers and tables of layers: data, tensor, context, pipeline and "
             "expert parallelism",
    .source = NULL,
    .params = WEFT_PARAM_TABLE(params, struct weft_training_params),
    .load = load,
    .write = write,
    .describe = describe,
};
