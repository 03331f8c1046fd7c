/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What data-parallel ranks exchange: gradients in buckets, weights where they are shared out.
 *
 *   ddp      all-reduce of g bytes per parameter in the backward pass of the last microbatch
 *   zero-1   reduce-scatter there, all-gather of 2 bytes per parameter after the optimizer's step
 *   zero-2   reduce-scatter for every microbatch, all-gather after the step
 *   zero-3   all-gather of a unit (a block; the embedding; the head) before its forward and before its backward pass, one unit
 *            ahead of the computation, and reduce-scatter after its backward pass, for every
 * microbatch; with fewer `shard-ranks` than data-parallel ranks (HSDP) then an all-reduce of the
 * shard over the ranks that have the same one
 *
 * A bucket closes when it has `bucket-parameters`; by default as in Megatron-LM: max(40 million, 1
 * million x D), and on stages other than the first all in one at the end, where they wait in the
 * pipeline's bubble. Embedding and head are buckets alone, experts have buckets of their own. Of a
 * table of layers a bucket closes as in PyTorch's DDP: at 1 MiB the first, then at 25 MiB, on every
 * stage.
 */
#include "workload/training/graph.h"

#include "workload/dag.h"

#include <stdio.h>

static struct weft_block_params all_params_of(const struct weft_training_graph *g, uint64_t unit)
{
    const struct weft_training_plan *q = g->plan;
    const uint64_t blocks = g->units - 2;
    if (unit < blocks) {
        const uint64_t chunk = unit / q->chunk_layers, l = unit % q->chunk_layers;
        if (l >= weft_training_layers(q, g->at.pp, chunk)) /* a shorter chunk */
            return (struct weft_block_params){0};
        return weft_training_layer_params(q, weft_training_first_layer(q, g->at.pp, chunk) + l);
    }
    if (unit == blocks)
        return (struct weft_block_params){
            .dense = weft_training_has_embedding(q, g->at.pp)
                         ? weft_model_embedding(&q->model, q->tp, q->positions, q->p.pad_vocab)
                         : 0};
    if (!weft_training_has_head(q, g->at.pp))
        return (struct weft_block_params){0};
    const bool own = q->model.gated || q->pp > 1; /* else it is the embedding */
    return (struct weft_block_params){
        .dense = weft_model_final_norm(&q->model) +
                 (own ? weft_model_head(&q->model, q->tp, q->p.pad_vocab) : 0)};
}

/* Parameters in a sparser model that are learned. */
static struct weft_block_params left_of(const struct weft_training_plan *q,
                                        struct weft_block_params n)
{
    if (q->p.frozen)
        return (struct weft_block_params){0};
    if (q->density < 1) {
        n.dense = (uint64_t)((double)n.dense * q->density);
        n.replicated = (uint64_t)((double)n.replicated * q->density);
        n.experts = (uint64_t)((double)n.experts * q->density);
    }
    return n;
}

static struct weft_block_params params_of(const struct weft_training_graph *g, uint64_t unit)
{
    return left_of(g->plan, all_params_of(g, unit));
}

static struct weft_block_params stage_params(const struct weft_training_graph *g)
{
    return left_of(g->plan, weft_training_stage_params(g->plan, g->at.pp));
}

/* All-gather of weights, 2 bytes each: Chakra counts the shard. */
static uint64_t sharding_gather(struct weft_training_graph *g, enum weft_comm comm, uint64_t params,
                                const char *what, uint64_t a)
{
    const uint64_t n = weft_comm_size(g->plan, comm);
    return weft_graph_collective(g, comm, WEFT_COLL_ALL_GATHER, (2 * params + n - 1) / n, what, a);
}

/* The ranks among which dense weights or gradients are shared out. */
static enum weft_comm sharers(const struct weft_training_graph *g)
{
    return g->plan->shard < g->plan->cp * g->plan->dp ? WEFT_COMM_SHARD : WEFT_COMM_DP;
}

static uint64_t uses_of(const struct weft_training_graph *g, const struct weft_pass *p,
                        uint64_t *units)
{
    const struct weft_training_plan *q = g->plan;
    const uint64_t blocks = g->units - 2, n = weft_training_layers(q, g->at.pp, p->chunk);
    const bool first = weft_training_is_first(q, g->at.pp, p->chunk);
    const bool last = weft_training_is_last(q, g->at.pp, p->chunk);
    uint64_t k = 0;
    if (p->kind == WEFT_PASS_WEIGHTS)
        return 0;
    if (p->kind == WEFT_PASS_FORWARD) {
        if (first)
            units[k++] = blocks;
        for (uint64_t l = 0; l < n; l++)
            units[k++] = p->chunk * q->chunk_layers + l;
        if (last)
            units[k++] = blocks + 1;
        return k;
    }
    if (last)
        units[k++] = blocks + 1;
    for (uint64_t l = n; l-- > 0;)
        units[k++] = p->chunk * q->chunk_layers + l;
    if (first)
        units[k++] = blocks;
    return k;
}

static int bucket_init(struct weft_training_graph *g, struct weft_bucket *b, enum weft_comm comm)
{
    /* zero-2 and zero-3 close a bucket of each unit for every microbatch, but gather none by
     * bucket. */
    b->comm = comm;
    b->closed = weft_arena_calloc(g->arena, g->units, sizeof *b->closed);
    b->gathered = weft_arena_calloc(g->arena, g->units, sizeof *b->gathered);
    b->of_unit = weft_arena_calloc(g->arena, g->units, sizeof *b->of_unit);
    return b->closed && b->gathered && b->of_unit ? 0 : -1;
}

int weft_graph_sharding_init(struct weft_training_graph *g)
{
    return bucket_init(g, &g->dense, sharers(g)) || bucket_init(g, &g->experts, WEFT_COMM_EDP);
}

int weft_graph_sharding_start(struct weft_training_graph *g, const struct weft_pass *passes,
                              size_t n)
{
    const size_t most = n * (g->plan->chunk_layers + 2);
    g->dense.nclosed = g->experts.nclosed = 0;
    g->use = g->nuses = 0;
    if (g->plans)
        g->plan = &g->plans[g->iteration];
    if (g->plan->exchange == WEFT_EXCHANGE_GOSSIP)
        g->mixed = weft_graph_gossip(g, g->stepped);
    if (g->plan->p.sharding != WEFT_SHARD_WEIGHTS)
        return 0;
    uint64_t *units = weft_arena_calloc(g->arena, most, sizeof *units);
    g->uses = weft_arena_calloc(g->arena, most, sizeof *g->uses);
    if (!units || !g->uses)
        return -1;
    for (size_t i = 0; i < n; i++)
        g->nuses += uses_of(g, &passes[i], units + g->nuses);
    for (size_t i = 0; i < g->nuses; i++)
        g->uses[i] = (struct weft_unit_use){units[i], WEFT_NO_NODE};
    return 0;
}

/* The weights of the unit of use @p k; what is gathered waits for the computation up to here. */
static void gather_use(struct weft_training_graph *g, size_t k)
{
    char what[32];
    struct weft_unit_use *u = &g->uses[k];
    const struct weft_block_params n = params_of(g, u->unit);
    snprintf(what, sizeof what, "unit%u.ag", (unsigned)u->unit);
    u->gathered = sharding_gather(g, sharers(g), n.dense, what, g->compute);
    snprintf(what, sizeof what, "unit%u.experts.ag", (unsigned)u->unit);
    const uint64_t experts =
        n.experts ? sharding_gather(g, WEFT_COMM_EDP, n.experts, what, g->compute) : WEFT_NO_NODE;
    u->gathered = weft_graph_join(g, "gathered", u->gathered, experts);
}

uint64_t weft_graph_weights(struct weft_training_graph *g, uint64_t unit)
{
    if (g->plan->p.sharding != WEFT_SHARD_WEIGHTS) {
        const uint64_t after = g->weights_after[unit];
        g->weights_after[unit] = WEFT_NO_NODE;
        return after;
    }
    if (g->use == 0 && g->nuses > 0)
        gather_use(g, 0);
    if (g->use + 1 < g->nuses)
        gather_use(g, g->use + 1);
    return g->uses[g->use++].gathered;
}

static uint64_t bucket_limit(const struct weft_training_graph *g, const struct weft_bucket *b)
{
    const struct weft_training_params *p = &g->plan->p;
    const uint64_t ranks = g->plan->cp * g->plan->dp;
    /* The ranks of both stages with a chunk, which go through it in different order, reduce all at
     * the end. */
    if (!p->overlap_grad_reduce || g->plan->copies > 1)
        return UINT64_MAX;
    if (p->bucket_params)
        return p->bucket_params;
    if (g->plan->layered.n) {
        const bool first = b->nclosed == 0 && p->sharding < WEFT_SHARD_GRADIENTS;
        return (UINT64_C(1) << 20) * (first ? 1 : 25) / g->plan->grad_bytes;
    }
    if (g->at.pp > 0)
        return UINT64_MAX;
    return ranks > 40 ? ranks * 1000000 : 40000000;
}

/* Gradients of a bucket to servers, or to nobody: gossip exchanges weights. */
static void without_collective(struct weft_training_graph *g, struct weft_bucket *b)
{
    if (g->rank >= g->plan->world)
        weft_graph_serve(g, b->params);
    else if (g->plan->exchange == WEFT_EXCHANGE_SERVERS)
        b->gathered[b->nclosed] = weft_graph_push_pull(g, b->params, b->ready);
    b->closed[b->nclosed++] = b->params;
    b->params = 0;
}

static void close_bucket(struct weft_training_graph *g, struct weft_bucket *b)
{
    const bool all = g->plan->p.sharding == WEFT_SHARD_NONE;
    char what[32];
    if (b->params == 0)
        return;
    if (g->plan->exchange != WEFT_EXCHANGE_COLLECTIVE) {
        without_collective(g, b);
        return;
    }
    snprintf(what, sizeof what, "grad.%s.%s", weft_comm_name(b->comm), all ? "ar" : "rs");
    const uint64_t bytes = b->params * g->plan->grad_bytes, n = weft_comm_size(g->plan, b->comm);
    const uint64_t node = weft_graph_collective(
        g, b->comm, all ? WEFT_COLL_ALL_REDUCE : WEFT_COLL_REDUCE_SCATTER, bytes, what, b->ready);
    if (b->comm == WEFT_COMM_SHARD)
        weft_graph_collective(g, WEFT_COMM_REPLICA, WEFT_COLL_ALL_REDUCE, (bytes + n - 1) / n,
                              "grad.replica.ar", node);
    if (g->plan->p.sharding < WEFT_SHARD_GRADIENTS)
        b->closed[b->nclosed++] = b->params;
    b->params = 0;
}

static void sharding_add(struct weft_training_graph *g, struct weft_bucket *b, uint64_t unit,
                         uint64_t params, uint64_t ready)
{
    const bool alone = unit >= g->units - 2; /* embedding, head */
    const uint64_t limit = bucket_limit(g, b);
    if (params == 0)
        return;
    if (alone && limit != UINT64_MAX)
        close_bucket(g, b);
    b->of_unit[unit] = b->nclosed;
    b->params += params;
    b->ready = ready;
    if (b->params >= limit || g->plan->p.sharding == WEFT_SHARD_WEIGHTS ||
        (alone && limit != UINT64_MAX))
        close_bucket(g, b);
}

void weft_graph_gradients(struct weft_training_graph *g, uint64_t unit, bool last, uint64_t ready)
{
    const struct weft_block_params n = params_of(g, unit);
    if (!last && g->plan->p.sharding < WEFT_SHARD_GRADIENTS)
        return;
    sharding_add(g, &g->dense, unit, n.dense, ready);
    sharding_add(g, &g->experts, unit, n.experts, ready);
}

void weft_graph_pass_end(struct weft_training_graph *g)
{
    if (g->plan->p.sharding < WEFT_SHARD_GRADIENTS)
        return;
    close_bucket(g, &g->dense);
    close_bucket(g, &g->experts);
}

/* Small reductions that end an iteration; each of them waits for all ranks of its communicator. */
static uint64_t small_reductions(struct weft_training_graph *g, uint64_t x)
{
    const struct weft_training_plan *q = g->plan;
    const struct weft_block_params n = stage_params(g);
    const struct weft_block_params head = {.dense =
                                               weft_model_head(&q->model, q->tp, q->p.pad_vocab)};
    const bool ends = g->at.pp == 0 || g->at.pp == q->pp - 1;
    if (q->dlrm.ntables) /* gradients are not scaled by their norm */
        return x;
    if (q->sp)
        x = weft_graph_collective(g, WEFT_COMM_TP, WEFT_COLL_ALL_REDUCE, 4 * n.replicated,
                                  "replicated.ar", x);
    if (!q->model.gated && ends)
        x = weft_graph_collective(g, WEFT_COMM_EMBEDDING, WEFT_COLL_ALL_REDUCE,
                                  4 * left_of(q, head).dense, "embedding.ar", x);
    if (q->exchange != WEFT_EXCHANGE_COLLECTIVE) /* nobody knows the norm of all */
        return x;
    return weft_graph_collective(g, WEFT_COMM_WORLD, WEFT_COLL_ALL_REDUCE, 4, "grad-norm.ar", x);
}

/* Weights of the buckets of an iteration after node @p x: first used, first gathered, the reverse
 * of the order of gradients. */
static void gather_buckets(struct weft_training_graph *g, struct weft_bucket *b, uint64_t x)
{
    for (size_t i = b->nclosed; i-- > 0;)
        b->gathered[i] = sharding_gather(g, b->comm, b->closed[i], "weights.ag", x);
}

/* zero-1: what the first use of each unit in the next iteration waits for. */
static void gather_after_step(struct weft_training_graph *g, uint64_t x)
{
    gather_buckets(g, &g->dense, x);
    gather_buckets(g, &g->experts, x);
    const uint64_t all =
        weft_graph_join(g, "weights", g->dense.nclosed ? g->dense.gathered[0] : x,
                        g->experts.nclosed ? g->experts.gathered[0] : WEFT_NO_NODE);
    for (uint64_t u = 0; u < g->units; u++) {
        const struct weft_block_params n = params_of(g, u);
        g->weights_after[u] = all;
        if (g->plan->p.overlap_param_gather && n.dense)
            g->weights_after[u] = weft_graph_join(
                g, "weights", g->dense.gathered[g->dense.of_unit[u]],
                n.experts ? g->experts.gathered[g->experts.of_unit[u]] : WEFT_NO_NODE);
    }
}

static uint64_t sharding_optimizer(struct weft_training_graph *g, uint64_t a, uint64_t b)
{
    return weft_graph_touch(g, weft_training_optimizer_s(g->plan, g->at.pp),
                            weft_training_optimizer_bytes(g->plan, g->at.pp), "optimizer", a, b);
}

/* The optimizer's step when the reductions up to @p x have ended, and what weights wait for after
 * it. */
static void sharding_step(struct weft_training_graph *g, uint64_t x, bool by_bucket)
{
    const struct weft_training_plan *q = g->plan;
    x = sharding_optimizer(g, x, WEFT_NO_NODE);
    for (uint64_t u = 0; u < g->units; u++)
        g->weights_after[u] = x;
    if (q->p.sharding == WEFT_SHARD_OPTIMIZER && by_bucket)
        gather_after_step(g, x);
    else if (q->p.sharding == WEFT_SHARD_OPTIMIZER || q->p.sharding == WEFT_SHARD_GRADIENTS) {
        const struct weft_block_params n = stage_params(g);
        const uint64_t dense = sharding_gather(g, WEFT_COMM_DP, n.dense, "weights.ag", x);
        const uint64_t experts = n.experts
                                     ? sharding_gather(g, WEFT_COMM_EDP, n.experts, "weights.ag", x)
                                     : WEFT_NO_NODE;
        x = weft_graph_join(g, "weights", dense, experts);
        for (uint64_t u = 0; u < g->units; u++)
            g->weights_after[u] = x;
    }
}

/* Reduces what is left. Collectives of a communicator end in order: the last of each kind stands
 * for all before it. */
static uint64_t reduce_rest(struct weft_training_graph *g)
{
    close_bucket(g, &g->dense);
    close_bucket(g, &g->experts);
    return weft_graph_join(g, "dense", g->chain[g->dense.comm], g->chain[WEFT_COMM_REPLICA]);
}

/* The end of an iteration in which no collective reduces gradients. */
static void end_without_collective(struct weft_training_graph *g)
{
    const struct weft_training_plan *q = g->plan;
    close_bucket(g, &g->dense);
    if (g->rank >= q->world)
        return;
    for (uint64_t u = 0; u < g->units; u++)
        g->weights_after[u] = WEFT_NO_NODE;
    if (q->exchange == WEFT_EXCHANGE_GOSSIP) {
        g->stepped = sharding_optimizer(g, g->mixed, small_reductions(g, g->compute));
        return;
    }
    for (uint64_t u = 0; u < g->units; u++)
        if (params_of(g, u).dense)
            g->weights_after[u] = g->dense.gathered[g->dense.of_unit[u]];
}

void weft_graph_iteration_end(struct weft_training_graph *g)
{
    if (g->plan->exchange != WEFT_EXCHANGE_COLLECTIVE) {
        end_without_collective(g);
        return;
    }
    const uint64_t dense = reduce_rest(g);
    const uint64_t x = weft_graph_compute(g, 0, "reduced", dense, g->chain[WEFT_COMM_EDP]);
    sharding_step(g, small_reductions(g, x), true);
}

uint64_t weft_graph_reduce(struct weft_training_graph *g)
{
    /* The gradients' own end stands in where nobody reduces them. */
    const uint64_t ready = g->compute;
    const uint64_t dense = reduce_rest(g);
    const uint64_t x = weft_graph_join(g, "reduced", dense, g->chain[WEFT_COMM_EDP]);
    return small_reductions(g, weft_graph_join(g, "reduced", ready, x));
}

void weft_graph_step(struct weft_training_graph *g, uint64_t reduced)
{
    sharding_step(g, reduced, false);
}
