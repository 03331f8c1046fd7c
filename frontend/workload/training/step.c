/* SPDX-License-Identifier: GPL-2.0-only */
/* A rank's iterations: passes in the order of the schedule, messages to the stages before and
 * after. */
#include "workload/training/graph.h"
#include "workload/training/training.h"
#include "workload/training/vary.h"

#include "workload/dag.h"

#include <inttypes.h>
#include <stdio.h>

/* One pass of one microbatch through one chunk. */
struct pass {
    struct weft_training_graph *g;
    const struct weft_pass *p;
    bool first, last; /* the chunk has the embedding, the head */
};

static bool forwards(const struct pass *s)
{
    return s->p->kind == WEFT_PASS_FORWARD;
}

/* Messages are tagged by iteration, direction, receiving chunk and microbatch. */
static uint64_t tag(const struct pass *s, uint64_t chunk)
{
    const struct weft_training_plan *q = s->g->plan;
    return ((s->g->iteration * 2 + !forwards(s)) * q->vpp + chunk) * q->microbatches +
           s->p->microbatch;
}

/* The stage and chunk that the data comes from (@p step -1) or goes to (+1), seen along the
 * direction of the pass. */
static uint64_t step_neighbour(const struct pass *s, int step, uint64_t *chunk)
{
    struct weft_rank_place place = s->g->at;
    *chunk = s->p->chunk;
    place.pp = weft_training_neighbour(s->g->plan, place.pp, chunk, forwards(s) ? step : -step);
    return weft_training_rank(s->g->plan, place);
}

/* Of what comes in (@p before) or goes out, seen along the direction of the pass. */
static uint64_t message_bytes(const struct pass *s, bool before)
{
    const uint64_t here = weft_training_chunk(s->g->plan, s->g->at.pp, s->p->chunk);
    return weft_training_message(s->g->plan, before == forwards(s) ? here - 1 : here);
}

static uint64_t receive(const struct pass *s)
{
    uint64_t chunk;
    const uint64_t peer = step_neighbour(s, -1, &chunk);
    return weft_graph_recv(s->g, message_bytes(s, true), peer, tag(s, s->p->chunk),
                           forwards(s) ? "fwd.recv" : "bwd.recv");
}

static void hand_on(const struct pass *s, uint64_t x)
{
    uint64_t chunk;
    const uint64_t peer = step_neighbour(s, +1, &chunk);
    weft_graph_send(s->g, message_bytes(s, false), peer, tag(s, chunk),
                    forwards(s) ? "fwd.send" : "bwd.send", x);
}

static uint64_t tp_collective(const struct pass *s, int kind, const char *what, uint64_t x)
{
    const struct weft_training_plan *q = s->g->plan;
    return weft_graph_collective(
        s->g, WEFT_COMM_TP, kind,
        kind == WEFT_COLL_ALL_GATHER ? q->activation_bytes / q->tp : q->activation_bytes, what, x);
}

static uint64_t embedding_forward(const struct pass *s)
{
    struct weft_training_graph *g = s->g;
    const struct weft_training_plan *q = g->plan;
    if (q->layered.n) /* what it has, its layers are */
        return weft_graph_weights(g, g->units - 2);
    const uint64_t x = weft_graph_touch(g, weft_training_embedding_cost(q).forward_s,
                                        weft_training_embedding_bytes(q), "embedding.fwd",
                                        weft_graph_weights(g, g->units - 2), WEFT_NO_NODE);
    /* Learned positions are added to whole sums. */
    return tp_collective(s,
                         q->sp && q->model.gated ? WEFT_COLL_REDUCE_SCATTER : WEFT_COLL_ALL_REDUCE,
                         "embedding.reduce", x);
}

/* Cross-entropy over a vocabulary that is split among the ranks of tp: sums of 4 bytes per token.
 */
static uint64_t cross_entropy(const struct pass *s, uint64_t x)
{
    const struct weft_training_plan *q = s->g->plan;
    const uint64_t one = 4 * q->tokens, sizes[2][3] = {{one, one, one}, {one, 2 * one, 0}};
    for (int i = 0; i < 3; i++)
        x = weft_graph_collective(s->g, WEFT_COMM_TP, WEFT_COLL_ALL_REDUCE,
                                  sizes[q->p.fused_cross_entropy][i], "loss.ar", x);
    return x;
}

static uint64_t head_forward(const struct pass *s, uint64_t x)
{
    struct weft_training_graph *g = s->g;
    if (g->plan->layered.n) {
        weft_graph_weights(g, g->units - 1);
        return x;
    }
    if (g->plan->sp)
        x = tp_collective(s, WEFT_COLL_ALL_GATHER, "head.ag", x);
    x = weft_graph_compute(g, weft_training_head_cost(g->plan).forward_s, "head.fwd", x,
                           weft_graph_weights(g, g->units - 1));
    return cross_entropy(s, x);
}

/* Blocks whose backward pass ends with this one have their gradients complete. */
static bool last_backward(const struct pass *s)
{
    return s->g->backwards_left[s->p->chunk] == 0;
}

static uint64_t head_backward(const struct pass *s)
{
    struct weft_training_graph *g = s->g;
    const struct weft_part_cost c = weft_training_head_cost(g->plan);
    const bool inputs = s->p->kind != WEFT_PASS_WEIGHTS, weights = s->p->kind != WEFT_PASS_INPUTS;
    uint64_t x = g->loss[s->p->microbatch], input = WEFT_NO_NODE;
    if (g->plan->layered.n) {
        if (inputs)
            weft_graph_weights(g, g->units - 1);
        return x;
    }
    if (weights && g->plan->sp)
        input = tp_collective(s, WEFT_COLL_ALL_GATHER, "head.in.ag", inputs ? x : WEFT_NO_NODE);
    if (inputs) {
        x = weft_graph_compute(g, c.inputs_s, "head.i", x, weft_graph_weights(g, g->units - 1));
        x = tp_collective(s, g->plan->sp ? WEFT_COLL_REDUCE_SCATTER : WEFT_COLL_ALL_REDUCE,
                          "head.reduce", x);
    }
    if (weights)
        weft_graph_gradients(g, g->units - 1, last_backward(s),
                             weft_graph_compute(g, c.weights_s, "head.w", input, WEFT_NO_NODE));
    return x;
}

static void embedding_backward(const struct pass *s, uint64_t x)
{
    struct weft_training_graph *g = s->g;
    /* As every unit, it is gathered with the gradients of inputs, though it has none. */
    const uint64_t weights =
        s->p->kind == WEFT_PASS_WEIGHTS ? WEFT_NO_NODE : weft_graph_weights(g, g->units - 2);
    if (s->p->kind == WEFT_PASS_INPUTS || g->plan->layered.n)
        return;
    if (g->plan->sp)
        x = tp_collective(s, WEFT_COLL_ALL_GATHER, "embedding.ag", x);
    weft_graph_gradients(g, g->units - 2, last_backward(s),
                         weft_graph_touch(g, weft_training_embedding_cost(g->plan).inputs_s,
                                          weft_training_embedding_bytes(g->plan), "embedding.w", x,
                                          weights));
}

static void step_forward(const struct pass *s)
{
    struct weft_training_graph *g = s->g;
    const struct weft_training_plan *q = g->plan;
    const uint64_t layer = weft_training_first_layer(q, g->at.pp, s->p->chunk);
    uint64_t x = s->first ? embedding_forward(s) : receive(s);
    for (uint64_t l = 0; l < weft_training_layers(q, g->at.pp, s->p->chunk); l++) {
        const uint64_t weights = weft_graph_weights(g, s->p->chunk * q->chunk_layers + l);
        x = weft_graph_block_forward(g, layer + l, weft_graph_join(g, "weights", x, weights));
    }
    if (s->last)
        g->loss[s->p->microbatch] = head_forward(s, x);
    else
        hand_on(s, x);
}

static void backward(const struct pass *s)
{
    struct weft_training_graph *g = s->g;
    const struct weft_training_plan *q = g->plan;
    const uint64_t layer = weft_training_first_layer(q, g->at.pp, s->p->chunk);
    const bool inputs = s->p->kind != WEFT_PASS_WEIGHTS;
    uint64_t x = WEFT_NO_NODE;
    if (s->p->kind != WEFT_PASS_INPUTS)
        g->backwards_left[s->p->chunk]--;
    if (s->last)
        x = head_backward(s);
    else if (inputs)
        x = receive(s);
    for (uint64_t l = weft_training_layers(q, g->at.pp, s->p->chunk); l-- > 0;) {
        uint64_t weights = WEFT_NO_NODE;
        const uint64_t unit = s->p->chunk * q->chunk_layers + l;
        const uint64_t gathered = inputs ? weft_graph_weights(g, unit) : WEFT_NO_NODE;
        if (q->p.recompute == WEFT_RECOMPUTE_FULL && inputs)
            x = weft_graph_join(g, "recomputed", x,
                                weft_graph_block_forward(g, layer + l, gathered));
        else
            x = weft_graph_join(g, "weights", x, gathered);
        x = weft_graph_block_backward(g, layer + l, s->p->kind, x, &weights);
        if (s->p->kind != WEFT_PASS_INPUTS)
            weft_graph_gradients(g, unit, last_backward(s), weights);
    }
    if (s->first)
        embedding_backward(s, x);
    else if (inputs)
        hand_on(s, x);
    if (s->p->kind != WEFT_PASS_INPUTS)
        weft_graph_pass_end(g);
}

static void step_run(struct weft_training_graph *g, const struct weft_pass *p)
{
    const struct weft_training_plan *q = g->plan;
    const struct pass s = {.g = g,
                           .p = p,
                           .first = weft_training_is_first(q, g->at.pp, p->chunk),
                           .last = weft_training_is_last(q, g->at.pp, p->chunk)};
    snprintf(g->where, sizeof g->where, "it%" PRIu64 ".mb%u", g->iteration,
             (unsigned)p->microbatch);
    if (forwards(&s))
        step_forward(&s);
    else
        backward(&s);
}

static int step_start(struct weft_training_graph *g, const struct weft_pass *passes, size_t n)
{
    for (uint64_t c = 0; c < g->plan->vpp; c++)
        g->backwards_left[c] = g->plan->microbatches / g->plan->copies;
    return weft_graph_sharding_start(g, passes, n);
}

static void between_passes(struct weft_training_graph *g, uint64_t iteration)
{
    snprintf(g->where, sizeof g->where, "it%" PRIu64, iteration);
}

static int iteration(struct weft_training_graph *g, const struct weft_pass *passes, size_t n)
{
    if (step_start(g, passes, n))
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (passes[i].overlaps)
            weft_graph_fork(g);
        step_run(g, &passes[i]);
        if (passes[i].overlaps)
            weft_graph_beside(g);
        if (i > 0 && passes[i - 1].overlaps)
            weft_graph_meet(g);
    }
    between_passes(g, g->iteration);
    weft_graph_iteration_end(g);
    return 0;
}

/* The optimizer's step of iteration @p k. */
static void late_step(struct weft_training_graph *g, const uint64_t *reduced, uint64_t k)
{
    between_passes(g, k);
    weft_graph_step(g, reduced[k % 2]);
}

/*
 * Iterations without end of one in the middle: the gradients of an iteration are reduced beside the
 * next one, and its step comes before the one after that, which is the first to use its weights:
 * W(n + 1) = W(n) - g(W(n - 1)).
 */
static int continuous(struct weft_training_graph *g, const struct weft_pass *passes, size_t n)
{
    const uint64_t m = g->plan->microbatches, iterations = g->plan->p.iterations;
    uint64_t reduced[2] = {WEFT_NO_NODE, WEFT_NO_NODE};
    if (step_start(g, passes, n))
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct weft_pass *p = &passes[i];
        g->iteration = p->iteration;
        if (p->kind == WEFT_PASS_FORWARD && p->microbatch == 0 && p->iteration >= 2)
            late_step(g, reduced, p->iteration - 2);
        step_run(g, p);
        if (p->kind == WEFT_PASS_FORWARD || p->microbatch != m - 1)
            continue;
        between_passes(g, p->iteration);
        reduced[p->iteration % 2] = weft_graph_reduce(g);
        if (step_start(g, passes, n))
            return -1;
    }
    for (uint64_t k = iterations < 2 ? 0 : iterations - 2; k < iterations; k++)
        late_step(g, reduced, k);
    return 0;
}

int weft_training_et(const struct weft_training_plan *q, uint64_t rank, bool groups,
                     struct weft_arena *arena, struct weft_et **out, struct weft_err *err)
{
    size_t n = 0;
    struct weft_training_graph g = {.plan = q, .rank = rank, .arena = arena};
    if (rank < q->world)
        g.at = weft_training_place(q, rank);
    const struct weft_pass *passes = weft_schedule(q, g.at.pp, arena, &n);
    g.units = q->vpp * q->chunk_layers + 2;
    g.compute = g.stepped = g.mixed = WEFT_NO_NODE;
    for (int c = 0; c < WEFT_COMMS; c++)
        g.chain[c] = WEFT_NO_NODE;
    g.loss = weft_arena_calloc(arena, q->microbatches, sizeof *g.loss);
    g.backwards_left = weft_arena_calloc(arena, q->vpp, sizeof *g.backwards_left);
    g.weights_after = weft_arena_calloc(arena, g.units, sizeof *g.weights_after);
    if (!passes || !g.loss || !g.backwards_left || !g.weights_after || weft_graph_sharding_init(&g))
        return weft_err_no_memory(err, "a trace");
    for (uint64_t u = 0; u < g.units; u++)
        g.weights_after[u] = WEFT_NO_NODE;
    if (rank < q->world)
        weft_graph_name_groups(&g);
    weft_et_build_start(&g.b, arena);
    if (groups && rank < q->world)
        weft_graph_describe_groups(&g);
    int rc = 0;
    if (weft_training_varies(q)) {
        g.plans = weft_arena_alloc(arena, q->p.iterations * sizeof *g.plans);
        if (!g.plans)
            return weft_err_no_memory(err, "a trace");
        for (uint64_t k = 0; k < q->p.iterations; k++)
            weft_training_plan_at(q, k, &g.plans[k]);
    }
    if (rank >= q->world) {
        rc = weft_graph_server(&g);
    } else if (q->dlrm.ntables) {
        const struct weft_dlrm_cut cut = weft_training_cut(q);
        g.shares = weft_arena_calloc(arena, q->world, sizeof *g.shares);
        if (g.shares && weft_dlrm_divide(&q->dlrm, &cut, q->world, g.shares, err))
            return err->code;
        rc = g.shares ? weft_graph_dlrm(&g) : -1;
    } else if (weft_schedule_continues(q))
        rc = continuous(&g, passes, n);
    else
        for (g.iteration = 0; !rc && g.iteration < q->p.iterations; g.iteration++)
            rc = iteration(&g, passes, n);
    if (rc)
        return weft_err_no_memory(err, "a trace");
    return weft_et_build_finish(&g.b, out, err);
}
