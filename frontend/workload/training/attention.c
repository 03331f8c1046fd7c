/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attention over a context-parallel group of c ranks, each with 1/c of the sequence. U: keys and
 * values of a rank.
 *
 *   ring        forward: c - 1 sends of U to the next rank, each beside 1/c of the attention; backward: U, then
 *               c - 2 times keys, values and their gradients (2 U), then the gradients alone: c
 * sends all-gather  forward: keys, values; backward: both again, and a reduce-scatter of the
 * gradient of each all-to-all  forward: query, key, value in, result out; backward the same
 */
#include "workload/training/graph.h"

#include "workload/dag.h"

#include <stdio.h>

static uint64_t key_value_bytes(const struct weft_training_plan *q)
{
    const struct weft_model *m = &q->model;
    const uint64_t n = q->tokens;
    if (m->kv_lora)
        return n * 2 * (m->heads / q->tp) * (m->nope_dim + m->rope_dim + m->v_dim);
    const uint64_t heads = m->kv_heads < q->tp ? 1 : m->kv_heads / q->tp;
    return n * 2 * heads * weft_model_head_dim(m) * 2;
}

static uint64_t query_bytes(const struct weft_training_plan *q)
{
    return q->tokens * (q->model.heads / q->tp) * weft_model_head_dim(&q->model) * 2;
}

static const char *attention_text(char *buf, size_t size, const char *label, const char *what,
                                  uint64_t k)
{
    snprintf(buf, size, "%s.%s%u", label, what, (unsigned)k);
    return buf;
}

/* @p sends messages around the ring; step k's goes out when the one before has come in and @p
 * follows its computation. */
static uint64_t ring(struct weft_training_graph *g, double seconds, const char *label, uint64_t x,
                     bool backward)
{
    const struct weft_training_plan *q = g->plan;
    const uint64_t c = q->cp, unit = key_value_bytes(q), sends = backward ? c : c - 1;
    struct weft_rank_place next = g->at, prev = g->at;
    char buf[64];
    uint64_t in = x;
    next.cp = (g->at.cp + 1) % c;
    prev.cp = (g->at.cp + c - 1) % c;
    for (uint64_t k = 0; k < c; k++) {
        uint64_t had = in;
        uint64_t bytes = backward && k > 0 && k < c - 1 ? 2 * unit : unit;
        uint64_t done = WEFT_NO_NODE;
        /* What goes on before its computation is sent beside it; gradients only after it. */
        if (backward && k > 0)
            done = weft_graph_compute(g, seconds / (double)c,
                                      attention_text(buf, sizeof buf, label, "ring", k), had,
                                      WEFT_NO_NODE);
        if (k < sends) {
            weft_graph_send(g, bytes, weft_training_rank(q, next), g->cp_tag,
                            attention_text(buf, sizeof buf, label, "kv.send", k),
                            done != WEFT_NO_NODE ? done : had);
            in = weft_graph_recv(g, bytes, weft_training_rank(q, prev), g->cp_tag++,
                                 attention_text(buf, sizeof buf, label, "kv.recv", k));
        }
        if (done == WEFT_NO_NODE)
            done = weft_graph_compute(g, seconds / (double)c,
                                      attention_text(buf, sizeof buf, label, "ring", k), had,
                                      WEFT_NO_NODE);
        if (k == c - 1)
            return backward ? in : done;
    }
    return x;
}

static uint64_t gathered(struct weft_training_graph *g, double seconds, const char *label,
                         uint64_t x, bool backward)
{
    const uint64_t half = key_value_bytes(g->plan) / 2, c = g->plan->cp;
    char buf[64];
    const uint64_t k = weft_graph_collective(g, WEFT_COMM_CP, WEFT_COLL_ALL_GATHER, half,
                                             attention_text(buf, sizeof buf, label, "k.ag", 0), x);
    const uint64_t v = weft_graph_collective(g, WEFT_COMM_CP, WEFT_COLL_ALL_GATHER, half,
                                             attention_text(buf, sizeof buf, label, "v.ag", 0), x);
    const uint64_t done =
        weft_graph_compute(g, seconds, attention_text(buf, sizeof buf, label, "scores", 0), k, v);
    if (!backward)
        return done;
    weft_graph_collective(g, WEFT_COMM_CP, WEFT_COLL_REDUCE_SCATTER, half * c,
                          attention_text(buf, sizeof buf, label, "dk.rs", 0), done);
    return weft_graph_collective(g, WEFT_COMM_CP, WEFT_COLL_REDUCE_SCATTER, half * c,
                                 attention_text(buf, sizeof buf, label, "dv.rs", 0), done);
}

static uint64_t exchanged(struct weft_training_graph *g, double seconds, const char *label,
                          uint64_t x, bool backward)
{
    const uint64_t query = query_bytes(g->plan), half = key_value_bytes(g->plan) / 2;
    const uint64_t sizes[] = {query, half, half};
    const char *const tensors[] = {"q", "k", "v"};
    char buf[64];
    uint64_t y = x;
    if (backward)
        y = weft_graph_collective(g, WEFT_COMM_CP, WEFT_COLL_ALL_TO_ALL, query,
                                  attention_text(buf, sizeof buf, label, "do.a2a", 0), x);
    for (int i = 0; i < 3 && !backward; i++) {
        char what[16];
        snprintf(what, sizeof what, "%s.a2a", tensors[i]);
        y = weft_graph_collective(g, WEFT_COMM_CP, WEFT_COLL_ALL_TO_ALL, sizes[i],
                                  attention_text(buf, sizeof buf, label, what, 0), x);
    }
    const uint64_t done = weft_graph_compute(
        g, seconds, attention_text(buf, sizeof buf, label, "scores", 0), y, WEFT_NO_NODE);
    y = done;
    for (int i = 0; i < 3 && backward; i++) {
        char what[16];
        snprintf(what, sizeof what, "d%s.a2a", tensors[i]);
        y = weft_graph_collective(g, WEFT_COMM_CP, WEFT_COLL_ALL_TO_ALL, sizes[i],
                                  attention_text(buf, sizeof buf, label, what, 0), done);
    }
    if (!backward)
        y = weft_graph_collective(g, WEFT_COMM_CP, WEFT_COLL_ALL_TO_ALL, query,
                                  attention_text(buf, sizeof buf, label, "o.a2a", 0), done);
    return y;
}

typedef uint64_t (*exchange_fn)(struct weft_training_graph *g, double seconds, const char *label,
                                uint64_t x, bool backward);
static const exchange_fn exchanges[] = {[WEFT_CONTEXT_RING] = ring,
                                        [WEFT_CONTEXT_ALL_GATHER] = gathered,
                                        [WEFT_CONTEXT_ALL_TO_ALL] = exchanged};

uint64_t weft_graph_scores_forward(struct weft_training_graph *g, const struct weft_block_cost *c,
                                   const char *label, uint64_t x)
{
    return exchanges[g->plan->p.context](g, c->scores.forward_s, label, x, false);
}

uint64_t weft_graph_scores_backward(struct weft_training_graph *g, const struct weft_block_cost *c,
                                    const char *label, uint64_t x)
{
    return exchanges[g->plan->p.context](g, c->scores.inputs_s, label, x, true);
}
