/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulates chunks that pass the dimensions of a fabric, for agreed_order.c. A phase takes its
 * rounds, its bytes and its additions one after the other.
 */
#include "system/agreed_sim.h"

/* What is left of `bytes` after a phase. */
static uint64_t after_phase(const struct weft_coll_phase *ph, uint32_t n, uint64_t bytes)
{
    if (ph->kind == WEFT_COLL_REDUCE_SCATTER)
        return weft_coll_cut(bytes, n, 0);
    return ph->kind == WEFT_COLL_ALL_GATHER ? bytes * n : bytes;
}

/* Longest time of a phase. */
#define LONGEST_PS 1e15

/* About how long a phase takes that begins with `bytes`: its rounds, its bytes (*line_ps), its
 * additions. */
static uint64_t phase_ps(const struct weft_agreed_problem *p, const struct weft_coll_phase *ph,
                         uint64_t bytes, uint64_t *line_ps)
{
    const struct weft_coll_algorithm *a = p->alg[ph->dim];
    struct weft_coll_call c = {.kind = ph->kind, .n = p->dims->size[ph->dim], .bytes = bytes};
    weft_coll_use(&c, a);
    uint64_t rounds = a->ops->rounds ? a->ops->rounds(&c) : a->ops->count(&c, 0, 0) / 2;
    double sent = (double)a->ops->total_bytes(&c) / c.n;
    if (a->ops->in_network && ph->kind == WEFT_COLL_ALL_GATHER)
        sent *= c.n - 1; /* fewer than the copies that come down */
    double added = ph->kind == WEFT_COLL_REDUCE_SCATTER ? sent
                   : ph->kind == WEFT_COLL_ALL_REDUCE   ? sent / 2
                                                        : 0;
    double line = sent * 8e12 / (double)p->dims->rate_bps[ph->dim];
    double ps = (double)rounds * (double)(p->dims->latency_ps[ph->dim] + p->endpoint_ps) +
                (double)p->endpoint_ps + line + added * p->reduce_ps_per_byte;
    *line_ps = (uint64_t)(line < LONGEST_PS ? line : LONGEST_PS);
    return (uint64_t)(ps < LONGEST_PS ? ps : LONGEST_PS);
}

static void arrive(struct weft_agreed_sim *s, uint64_t chunk)
{
    struct weft_coll_plan plan;
    weft_agreed_order_plan(s->o, chunk, &plan);
    if (s->phase[chunk] == plan.n)
        return;
    const struct weft_coll_phase *ph = &plan.phase[s->phase[chunk]];
    struct weft_agreed_queue *q = &s->o->queue[weft_agreed_queue_of(ph, s->o->p.alg[ph->dim])];
    q->ready[q->nready++] = (struct weft_agreed_turn){chunk, s->phase[chunk]};
}

/* Takes the next ready phase of a queue. */
static struct weft_agreed_turn agreed_sim_take(struct weft_agreed_sim *s,
                                               struct weft_agreed_queue *q)
{
    uint64_t at = q->head;
    if (s->o->p.intra == WEFT_INTRA_LIFO)
        at = q->nready - 1;
    else if (s->o->p.intra == WEFT_INTRA_SMALLEST)
        for (uint64_t i = q->head + 1; i < q->nready; i++)
            if (s->bytes[q->ready[i].chunk] < s->bytes[q->ready[at].chunk])
                at = i;
    struct weft_agreed_turn t = q->ready[at];
    if (at == q->head) {
        q->head++;
    } else {
        for (uint64_t i = at; i + 1 < q->nready; i++)
            q->ready[i] = q->ready[i + 1];
        q->nready--;
    }
    return t;
}

static void serve(struct weft_agreed_sim *s, uint32_t k)
{
    struct weft_agreed_queue *q = &s->o->queue[k];
    const struct weft_dims *dims = &s->o->dims;
    while (q->active < s->o->p.active && q->head < q->nready) {
        struct weft_agreed_turn t = agreed_sim_take(s, q);
        struct weft_coll_plan plan;
        weft_agreed_order_plan(s->o, t.chunk, &plan);
        const struct weft_coll_phase *ph = &plan.phase[t.phase];
        uint64_t line_ps, ps = phase_ps(&s->o->p, ph, s->bytes[t.chunk], &line_ps);
        uint64_t begin_ps = s->now_ps;
        if (s->shared && q->free_ps > begin_ps)
            begin_ps = q->free_ps; /* its bytes go behind those of the phases under way */
        q->free_ps = begin_ps + line_ps;
        s->bytes[t.chunk] = after_phase(ph, dims->size[ph->dim], s->bytes[t.chunk]);
        q->turns[q->nturns++] = t;
        q->active++;
        s->queue[t.chunk] = k;
        weft_heap_push(&s->ends, (int64_t)(begin_ps + ps), (uint32_t)t.chunk);
    }
}

uint64_t weft_agreed_simulate(struct weft_agreed_sim *s)
{
    struct weft_agreed_order *o = s->o;
    s->now_ps = 0;
    for (uint32_t k = 0; k < o->nqueues; k++)
        o->queue[k].nturns = o->queue[k].head = o->queue[k].nready = o->queue[k].free_ps = 0;
    for (uint64_t c = 0; c < o->p.nchunks; c++) {
        s->bytes[c] = weft_coll_chunk_bytes(o->p.bytes, o->p.max_chunks, c);
        s->phase[c] = 0;
        arrive(s, c);
    }
    for (;;) {
        for (uint32_t k = 0; k < o->nqueues; k++)
            serve(s, k);
        if (s->ends.n == 0)
            return s->now_ps;
        s->now_ps = (uint64_t)s->ends.e[0].t_ps;
        while (s->ends.n && (uint64_t)s->ends.e[0].t_ps == s->now_ps) { /* all of this instant */
            const uint32_t chunk = weft_heap_pop(&s->ends).slot;
            o->queue[s->queue[chunk]].active--;
            s->phase[chunk]++;
            arrive(s, chunk);
        }
    }
}
