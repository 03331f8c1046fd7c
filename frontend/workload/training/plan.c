/* SPDX-License-Identifier: GPL-2.0-only */
/* From what a user set to a plan that can be carried out, or the reason why it can't. */
#include "workload/training/plan.h"

#include "base/list.h"
#include "workload/training/cost.h"
#include "workload/training/memory.h"
#include "workload/training/vary.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t or_else(uint64_t set, uint64_t preset)
{
    return set ? set : preset;
}

static double ratio_or_else(double set, double preset)
{
    return set > 0 ? set : preset;
}

static struct weft_model transformer(const struct weft_training_params *p)
{
    size_t n;
    struct weft_model m = weft_models(&n)[p->model];
    m.layers = or_else(p->layers, m.layers);
    m.hidden = or_else(p->hidden, m.hidden);
    m.heads = or_else(p->heads, m.heads);
    m.kv_heads = or_else(p->kv_heads, m.kv_heads);
    m.head_dim = or_else(p->head_dim, m.head_dim);
    m.ffn = or_else(p->ffn, m.ffn);
    m.vocab = or_else(p->vocab, m.vocab);
    m.sequence = or_else(p->sequence, m.sequence);
    m.experts = or_else(p->experts, m.experts);
    m.top_k = or_else(p->top_k, m.top_k);
    m.expert_ffn = or_else(p->expert_ffn, m.expert_ffn);
    return m;
}

/* A table of layers as what is left of a transformer without its blocks: their number, positions
 * for tokens. */
static struct weft_model table(const struct weft_training_params *p, const struct weft_layered *l)
{
    return (struct weft_model){.name = l->name,
                               .source = l->source,
                               .layers = l->n,
                               .heads = 1,
                               .kv_heads = 1,
                               .head_dim = 1,
                               .sequence = or_else(p->sequence, l->positions),
                               .gated = true};
}

static int choose_model(const struct weft_training_params *p, struct weft_training_plan *q,
                        struct weft_err *err)
{
    size_t transformers;
    weft_models(&transformers);
    if (p->layers_file && *p->layers_file) {
        const int rc = weft_layered_read(p->layers_file, &q->layered, err);
        if (rc)
            return rc;
        q->layered.name = p->layers_file;
        q->layered.source = p->layers_file;
        q->layered.samples = "samples";
        q->layered.positions = 1;
    } else if ((size_t)p->model >= transformers + weft_layered_presets()) {
        weft_dlrm_preset((size_t)p->model - transformers - weft_layered_presets(), &q->dlrm);
        if (p->tables_file && *p->tables_file &&
            weft_dlrm_read_tables(p->tables_file, &q->dlrm, err))
            return err->code;
        weft_dlrm_dense(&q->dlrm, &q->layered);
    } else if ((size_t)p->model >= transformers) {
        weft_layered_preset((size_t)p->model - transformers, &q->layered);
    }
    q->model = q->layered.n ? table(p, &q->layered) : transformer(p);
    return 0;
}

static enum weft_exchange exchange_of(const struct weft_training_params *p)
{
    return p->sharding <= WEFT_SHARD_WEIGHTS
               ? WEFT_EXCHANGE_COLLECTIVE
               : (enum weft_exchange)(p->sharding - WEFT_SHARD_WEIGHTS);
}

static struct weft_gpu gpu_of(const struct weft_training_params *p)
{
    size_t n;
    struct weft_gpu g = weft_gpus(&n)[p->gpu];
    g.peak_flops = ratio_or_else(p->peak_tflops * 1e12, g.peak_flops);
    g.memory_bps = ratio_or_else(p->memory_tb_per_s * 1e12, g.memory_bps);
    g.memory_bytes = or_else(p->memory_bytes, g.memory_bytes);
    g.gemm_efficiency = ratio_or_else(p->gemm_efficiency, g.gemm_efficiency);
    g.forward_efficiency = ratio_or_else(p->attention_forward_efficiency, g.forward_efficiency);
    g.backward_efficiency = ratio_or_else(p->attention_backward_efficiency, g.backward_efficiency);
    g.expert_efficiency = ratio_or_else(p->expert_efficiency, g.expert_efficiency);
    g.fp8_efficiency = ratio_or_else(p->fp8_efficiency, g.fp8_efficiency);
    g.launch_s = (double)p->kernel_launch_ps * 1e-12;
    return g;
}

/* Kernel times that the job computes with, and which kinds the scenario replaces. */
static int choose_kernels(struct weft_training_plan *q, struct weft_err *err)
{
    const struct weft_training_params *p = &q->p;
    const bool file = p->kernel_file && *p->kernel_file;
    const double memory = weft_measured_at(&q->measured, WEFT_KERNEL_MEMORY, WEFT_KERNEL_ALL, 1);
    size_t n;
    if (p->precision == WEFT_PRECISION_FP8 && !(q->gpu.fp8_flops > 0))
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'training': precision=fp8, but '%s' multiplies no FP8",
                            q->gpu.name);
    if (file && p->compute == WEFT_COMPUTE_EFFICIENCY)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'training': kernels with compute=efficiency: kernel times "
                            "need compute=measured");
    q->given[WEFT_KERNEL_KIND_GEMM] = q->given[WEFT_KERNEL_KIND_GEMM_FP8] = p->gemm_efficiency > 0;
    q->given[WEFT_KERNEL_KIND_ATTENTION] = p->attention_forward_efficiency > 0;
    q->given[WEFT_KERNEL_KIND_ATTENTION_BACKWARD] = p->attention_backward_efficiency > 0;
    q->given[WEFT_KERNEL_KIND_NORM] = q->given[WEFT_KERNEL_KIND_ELEMENTWISE] =
        q->given[WEFT_KERNEL_KIND_OPTIMIZER] = memory > 0;
    q->given_experts = p->expert_efficiency > 0;
    if (file)
        return weft_kernel_times_read(p->kernel_file, &q->gpu, &q->times, err);
    if (p->compute == WEFT_COMPUTE_EFFICIENCY ||
        (p->compute == WEFT_COMPUTE_AUTO && !q->gpu.measured))
        return 0;
    const struct weft_gpu *h100 = weft_gpus(&n);
    const struct weft_kernel_time *time = weft_kernel_times_shipped(&n);
    weft_kernel_times_fill(&q->times, h100, time, n);
    return 0;
}

static bool divided_by_hand(const struct weft_training_plan *q)
{
    return q->p.stage_layers && *q->p.stage_layers;
}

/* A size that must be a multiple of another. */
struct divides {
    const char *whole, *part;
    uint64_t n, by;
    bool when;
};

static int check_divides(const struct weft_training_plan *q, struct weft_err *err)
{
    const struct weft_model *m = &q->model;
    const bool moe = m->experts > 0, split = q->tp > 1;
    const struct divides rules[] = {
        {"heads", "tp", m->heads, q->tp, true},
        {"kv-heads", "tp (or tp of kv-heads)", m->kv_heads > q->tp ? m->kv_heads : q->tp,
         m->kv_heads > q->tp ? q->tp : m->kv_heads, !m->kv_lora},
        {"ffn", "tp", m->ffn, q->tp, !moe || m->dense_layers > 0},
        {"vocab", "tp (pad-vocab=true rounds it up)", weft_model_vocab(m, q->tp, q->p.pad_vocab),
         q->tp, true},
        {"layers", "pp x virtual-stages (stage-layers divides them otherwise)", m->layers,
         q->pp * q->vpp, !q->layered.n && !divided_by_hand(q)},
        {"experts", "ep", m->experts, q->ep, moe},
        {"expert-ffn", "etp", m->expert_ffn, q->etp, moe},
        {"ranks", "etp x ep x pp", q->world, q->etp * q->ep * q->pp, moe},
        {"sequence", "2 x cp", m->sequence, 2 * q->cp,
         q->cp > 1 && q->p.context == WEFT_CONTEXT_RING},
        {"sequence", "cp", m->sequence, q->cp, true},
        {"cp x dp", "shard-ranks", q->cp * q->dp, q->shard, true},
        {"sequence / cp", "tp", m->sequence / q->cp, q->tp, split && q->sp},
        {"heads / tp", "cp, with context-parallel=all-to-all", m->heads / q->tp, q->cp,
         q->p.context == WEFT_CONTEXT_ALL_TO_ALL},
        {"hidden", "heads", m->hidden, m->heads, m->head_dim == 0 && !m->kv_lora},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].when && (rules[i].by == 0 || rules[i].n % rules[i].by))
            return weft_err_set(err, WEFT_E_INPUT,
                                "workload 'training': %s is %" PRIu64
                                ", but must be a multiple of %s, which is %" PRIu64,
                                rules[i].whole, rules[i].n, rules[i].part, rules[i].by);
    return 0;
}

/* A combination that can't be. */
struct conflict {
    bool is;
    const char *why;
};

static bool training_plan_set(const char *text)
{
    return text && *text;
}

/* What goes with servers and gossip, and with iterations that differ. */
static int check_exchange(const struct weft_training_plan *q, struct weft_err *err)
{
    const struct weft_training_params *p = &q->p;
    const bool servers = q->exchange == WEFT_EXCHANGE_SERVERS,
               gossip = q->exchange == WEFT_EXCHANGE_GOSSIP;
    const struct conflict rules[] = {
        {servers && q->tp * q->cp * q->pp * q->ep > 1,
         "data-parallel=parameter-server takes dp alone, no tp, cp, pp or ep"},
        {(servers || gossip) && (q->model.experts || q->dlrm.ntables),
         "data-parallel=parameter-server and gossip need a model without experts and embedding "
         "tables"},
        {p->schedule == WEFT_SCHEDULE_2BW && weft_training_varies(q),
         "schedule=2bw with sequences, densities or pruning: its iterations run into each other"},
        {q->dlrm.ntables && training_plan_set(p->sequences), "sequences need a model of sequences"},
        {p->pruning > 0 && training_plan_set(p->densities),
         "pruning with densities: the list says it all"},
        {p->pruning > 0 && p->iterations < 2, "pruning needs more than one iteration"},
        {p->pruning_iterations && !(p->pruning > 0), "pruning-iterations needs pruning"},
        {gossip && q->cp > 1,
         "data-parallel=gossip with cp: ranks of one context have the same weights"},
        {gossip && (p->schedule == WEFT_SCHEDULE_2BW || p->schedule == WEFT_SCHEDULE_DUALPIPE),
         "data-parallel=gossip needs a schedule that ends each iteration and has each stage once"},
        {!servers && (p->servers || p->asynchronous),
         "servers and asynchronous need data-parallel=parameter-server"},
        {!gossip && p->gossip != WEFT_GOSSIP_RING, "gossip needs data-parallel=gossip"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].is)
            return weft_err_set(err, WEFT_E_INPUT, "workload 'training': %s", rules[i].why);
    return 0;
}

/* What goes with embedding tables, and what goes with them alone. */
static int check_tables(const struct weft_training_plan *q, struct weft_err *err)
{
    const struct weft_training_params *p = &q->p;
    const bool any = q->dlrm.ntables > 0;
    const struct conflict rules[] = {
        {any && (q->pp > 1 || q->microbatches > 1 || p->schedule != WEFT_SCHEDULE_1F1B ||
                 p->recompute != WEFT_RECOMPUTE_NONE),
         "a recommendation model has no pipeline: pp, microbatches, schedule and recompute stay as "
         "they are"},
        {any && p->sharding > WEFT_SHARD_OPTIMIZER,
         "a recommendation model needs data-parallel=ddp or zero-1"},
        {any && q->world > WEFT_TRAINING_EP_MAX,
         "a recommendation model may have 4096 ranks at most"},
        {!any && (training_plan_set(p->tables_file) || training_plan_set(p->placement_file) ||
                  p->table_pieces || p->table_sharding != WEFT_TABLES_WHOLE || p->pooled_fp32),
         "tables-file, placement-file, table-sharding, table-pieces and pooled-fp32 need a "
         "recommendation model (dlrm-...)"},
        {training_plan_set(p->placement_file) && p->table_sharding != WEFT_TABLES_WHOLE,
         "placement-file with table-sharding: the file says where tables and pieces of them are"},
        {p->table_pieces && p->table_sharding != WEFT_TABLES_COLUMNS,
         "table-pieces needs table-sharding=column-wise"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].is)
            return weft_err_set(err, WEFT_E_INPUT, "workload 'training': %s", rules[i].why);
    return 0;
}

static int check_conflicts(const struct weft_training_plan *q, struct weft_err *err)
{
    const struct weft_training_params *p = &q->p;
    const bool interleaved = p->schedule == WEFT_SCHEDULE_INTERLEAVED, table = q->layered.n > 0;
    const struct conflict rules[] = {
        {table && q->tp * q->cp * q->ep > 1,
         "a model that is a table of layers takes dp and pp alone, no tp, cp or ep"},
        {table && (p->layers || p->hidden || p->heads || p->kv_heads || p->head_dim || p->ffn ||
                   p->vocab || p->experts || p->top_k || p->expert_ffn),
         "a model that is a table of layers has no layers, hidden, heads, ffn, vocab or experts to "
         "set"},
        {table && p->recompute == WEFT_RECOMPUTE_SELECTIVE,
         "recompute=selective is about attention; a table of layers has none or full"},
        {table && q->model.layers < q->pp * q->vpp,
         "a model that is a table of layers needs as many layers as there are chunks, pp x "
         "virtual-stages"},
        {(table || divided_by_hand(q)) && q->pp * q->vpp > WEFT_TRAINING_CHUNKS_MAX,
         "layers can be divided unevenly among 1024 chunks at most"},
        {q->vpp > 1 && !interleaved, "virtual-stages above 1 need schedule=interleaved"},
        {q->vpp > 1 && q->pp == 1, "virtual-stages above 1 need pp above 1"},
        {interleaved && q->vpp == 1 && q->pp > 1,
         "schedule=interleaved needs virtual-stages above 1"},
        {interleaved && q->microbatches % q->pp,
         "schedule=interleaved needs microbatches in multiples of pp"},
        {q->ep > 1 && q->model.experts == 0, "ep above 1 needs a model with experts"},
        {q->model.experts > 0 && q->tp > 1 && !q->sp,
         "experts with tp above 1 need sequence-parallel=true"},
        {q->model.experts > 0 && q->model.top_k == 0, "experts need top-k"},
        {q->ep > WEFT_TRAINING_EP_MAX, "ep may be at most 4096"},
        {(p->expert_skew > 0 || p->capacity_factor > 0) && q->model.experts == 0,
         "expert-skew and capacity-factor need a model with experts"},
        {p->expert_skew > 0 && p->capacity_factor > 0,
         "expert-skew with capacity-factor: at a fixed capacity every expert takes the same"},
        {p->frozen && p->sharding > WEFT_SHARD_OPTIMIZER,
         "frozen weights need data-parallel=ddp or zero-1: nothing else would be shared out"},
        {p->shard_ranks > 0 && p->sharding != WEFT_SHARD_WEIGHTS,
         "shard-ranks needs data-parallel=zero-3"},
        {q->model.experts > 0 && !q->model.gated,
         "experts need a model with a gated feed-forward part"},
        {q->model.top_k > q->model.experts && q->model.experts > 0,
         "top-k is more than there are experts"},
        {q->model.kv_lora > 0 && q->cp > 1 && p->context == WEFT_CONTEXT_ALL_TO_ALL,
         "context-parallel=all-to-all is not defined for compressed keys and values"},
        {p->schedule == WEFT_SCHEDULE_2BW && q->microbatches < q->pp,
         "schedule=2bw needs at least as many microbatches as stages: until a version of the "
         "weights comes, those in flight use the one before"},
        {p->schedule == WEFT_SCHEDULE_2BW && p->sharding > WEFT_SHARD_OPTIMIZER,
         "schedule=2bw needs data-parallel=ddp or zero-1: gradients of an iteration are reduced "
         "once"},
        {p->schedule == WEFT_SCHEDULE_DUALPIPE &&
             (q->pp % 2 || q->microbatches % 2 || q->microbatches < 2 * q->pp),
         "schedule=dualpipe needs an even number of stages, and of microbatches at least twice as "
         "many"},
        {p->schedule == WEFT_SCHEDULE_DUALPIPE && p->sharding > WEFT_SHARD_OPTIMIZER,
         "schedule=dualpipe needs data-parallel=ddp or zero-1"},
        {p->schedule == WEFT_SCHEDULE_DUALPIPE && !q->model.gated,
         "schedule=dualpipe needs a model whose embedding and head are not tied"},
        {p->schedule == WEFT_SCHEDULE_DUALPIPE && p->recompute == WEFT_RECOMPUTE_FULL,
         "schedule=dualpipe with recompute=full: gradients of weights would need the activations "
         "twice"},
        {p->schedule == WEFT_SCHEDULE_ZB_H1 && p->recompute == WEFT_RECOMPUTE_FULL,
         "schedule=zb-h1 with recompute=full: gradients of weights would need the activations "
         "twice"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].is)
            return weft_err_set(err, WEFT_E_INPUT, "workload 'training': %s", rules[i].why);
    return 0;
}

static int check_memory(const struct weft_training_plan *q, struct weft_err *err)
{
    uint64_t worst = 0;
    struct weft_training_memory most = {0};
    for (uint64_t stage = 0; stage < q->pp; stage++) {
        const struct weft_training_memory m = weft_training_memory_of(q, stage);
        if (m.total_bytes > most.total_bytes) {
            most = m;
            worst = stage;
        }
    }
    if (!q->p.check_memory || most.total_bytes <= q->gpu.memory_bytes)
        return 0;
    const double gib = 1024.0 * 1024 * 1024;
    return weft_err_set(
        err, WEFT_E_INPUT,
        "workload 'training': a rank of stage %" PRIu64
        " needs %.1f GiB (weights %.1f, gradients %.1f, optimizer %.1f, activations "
        "%.1f, gathered blocks %.1f), but '%s' has %.1f GiB; more parallelism, recompute or "
        "sharding would "
        "do, and check-memory=false generates it all the same",
        worst, (double)most.total_bytes / gib, (double)most.weight_bytes / gib,
        (double)most.gradient_bytes / gib, (double)most.optimizer_bytes / gib,
        (double)most.activation_bytes / gib, (double)most.gathered_bytes / gib, q->gpu.name,
        (double)q->gpu.memory_bytes / gib);
}

static const struct weft_param layer_numbers[] = {{.type = WEFT_PARAM_U64, .min = "1"}};
const struct weft_list_form weft_stage_layers_form = {
    .like = "LAYERS,..., such as 7,8,8,7", .fields = layer_numbers, .nfields = 1};

/* Layers of each chunk as the user says. */
static int divide_by_hand(struct weft_training_plan *q, uint64_t chunks, struct weft_err *err)
{
    struct weft_list list = {.text = q->p.stage_layers, .form = &weft_stage_layers_form};
    struct weft_list_item item;
    uint64_t n = 0, at = 0;
    int rc;
    while ((rc = weft_list_next(&list, &item, err)) > 0 && n < chunks) {
        q->starts[n++] = (uint32_t)at;
        at += item.field[0].value.u64;
    }
    if (rc < 0)
        return rc;
    if (rc > 0 || n != chunks || at != q->model.layers)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'training': stage-layers is '%s', but must be %" PRIu64
                            " numbers (pp x virtual-stages) that add up to the %" PRIu64
                            " layers of the model",
                            q->p.stage_layers, chunks, q->model.layers);
    q->starts[chunks] = (uint32_t)at;
    return 0;
}

/* Layers of a table so that no chunk takes longer than need be. */
static void divide_by_time(struct weft_training_plan *q, uint64_t chunks)
{
    double seconds[WEFT_LAYERED_MAX];
    for (uint64_t l = 0; l < q->layered.n; l++) {
        const struct weft_part_cost c = weft_training_layer_cost(q, l);
        seconds[l] = c.forward_s + c.inputs_s + c.weights_s;
    }
    weft_layered_divide(q->layered.n, seconds, chunks, q->starts);
}

/* Which layers lie on which chunk, after everything that says how long they take. */
static int divide(struct weft_training_plan *q, struct weft_err *err)
{
    const uint64_t chunks = q->pp * q->vpp / q->copies;
    q->chunk_layers = q->model.layers / chunks;
    q->divided = q->layered.n || divided_by_hand(q);
    if (!q->divided)
        return 0;
    if (!divided_by_hand(q))
        divide_by_time(q, chunks);
    else if (divide_by_hand(q, chunks, err))
        return err->code;
    for (uint64_t c = 0; c < chunks; c++) {
        const uint64_t n = q->starts[c + 1] - q->starts[c];
        const struct weft_layer *last = &q->layered.layer[q->starts[c + 1] - 1];
        q->chunk_layers = n > q->chunk_layers ? n : q->chunk_layers;
        if (q->layered.n && c + 1 < chunks && last->sent == 0)
            return weft_err_set(err, WEFT_E_INPUT,
                                "workload 'training': layer '%s' ends a stage but sends nothing on",
                                last->name);
    }
    return 0;
}

struct weft_dlrm_cut weft_training_cut(const struct weft_training_plan *q)
{
    return (struct weft_dlrm_cut){.how = (enum weft_table_sharding)q->p.table_sharding,
                                  .pieces = q->p.table_pieces,
                                  .placement = q->p.placement_file};
}

/* Embedding tables are among all ranks, as experts are. */
static int divide_tables(struct weft_training_plan *q, struct weft_err *err)
{
    if (q->dlrm.ntables == 0)
        return 0;
    q->ep = q->world;
    q->pooled_bytes = q->p.pooled_fp32 ? 4 : 2;
    struct weft_dlrm_share *shares = calloc(q->world, sizeof *shares);
    const struct weft_dlrm_cut cut = weft_training_cut(q);
    if (!shares)
        return weft_err_no_memory(err, "embedding tables");
    const int rc = weft_dlrm_divide(&q->dlrm, &cut, q->world, shares, err);
    for (uint64_t r = 0; !rc && r < q->world; r++)
        if (shares[r].params > q->table_params)
            q->table_params = shares[r].params;
    free(shares);
    return rc;
}

uint64_t weft_training_servers(const struct weft_training_params *p)
{
    return exchange_of(p) == WEFT_EXCHANGE_SERVERS ? or_else(p->servers, 1) : 0;
}

int weft_training_plan_make(const struct weft_training_params *p, struct weft_training_plan *out,
                            struct weft_err *err)
{
    struct weft_training_plan q = {.p = *p, .gpu = gpu_of(p), .world = p->ranks};
    q.exchange = exchange_of(p);
    q.servers = weft_training_servers(p);
    if (q.exchange != WEFT_EXCHANGE_COLLECTIVE)
        q.p.sharding = WEFT_SHARD_NONE;
    if (q.servers && q.world <= q.servers)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'training': of %" PRIu64 " ranks %" PRIu64
                            " are servers, which leaves none to train",
                            q.world, q.servers);
    q.world -= q.servers;
    if (choose_model(p, &q, err))
        return err->code;
    q.tp = p->tp;
    q.cp = p->cp;
    q.pp = p->pp;
    q.ep = p->ep;
    q.vpp = p->virtual_stages;
    q.copies = p->schedule == WEFT_SCHEDULE_DUALPIPE ? 2 : 1;
    q.microbatches = or_else(p->microbatches, q.pp);
    if (!q.tp || !q.cp || !q.pp || !q.ep || !q.vpp || !p->microbatch || !p->iterations)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'training': tp, cp, pp, ep, virtual-stages, microbatch and "
                            "iterations must be at least 1");
    const uint64_t inner = q.tp * q.cp * q.pp;
    q.dp = or_else(p->dp, q.world / inner ? q.world / inner : 1);
    if (q.world == 0 || inner * q.dp != q.world)
        return weft_err_set(err, WEFT_E_INPUT,
                            "workload 'training': tp x cp x pp x dp is %" PRIu64 " x %" PRIu64
                            " x %" PRIu64 " x %" PRIu64 " = %" PRIu64 ", but the job has %" PRIu64
                            " ranks",
                            q.tp, q.cp, q.pp, q.dp, inner * q.dp, q.world);
    q.etp = q.model.experts ? or_else(p->etp, q.tp) : 1;
    q.edp = q.model.experts ? q.world / (q.etp * q.ep * q.pp) : 1;
    q.sp = p->sequence_parallel && q.tp > 1;
    q.shard = or_else(p->shard_ranks, q.cp * q.dp);
    int rc = check_tables(&q, err);
    if (!rc)
        rc = check_exchange(&q, err);
    if (!rc)
        rc = check_conflicts(&q, err);
    if (!rc)
        rc = check_divides(&q, err);
    if (rc)
        return rc;
    q.density = 1;
    q.positions = q.model.sequence;
    q.tokens = q.model.sequence / q.cp * p->microbatch;
    q.vpp *= q.copies;
    if (q.p.sharding != WEFT_SHARD_WEIGHTS)
        q.shard *= q.copies;
    q.grad_bytes = p->grad_fp32 ? 4 : 2;
    q.activation_bytes = q.tokens * q.model.hidden * 2;
    if (p->efficiency_file && *p->efficiency_file) {
        rc = weft_measured_read(p->efficiency_file, &q.measured, err);
        if (rc)
            return rc;
        const double memory = weft_measured_at(&q.measured, WEFT_KERNEL_MEMORY, WEFT_KERNEL_ALL, 1);
        q.gpu.memory_efficiency = memory > 0 ? memory : q.gpu.memory_efficiency;
    }
    if (choose_kernels(&q, err))
        return err->code;
    weft_training_costs_make(&q);
    if (weft_training_check_varying(&q, err) || divide(&q, err) || divide_tables(&q, err))
        return err->code;
    *out = q;
    return check_memory(&q, err);
}
