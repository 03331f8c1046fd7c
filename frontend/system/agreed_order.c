/* SPDX-License-Identifier: GPL-2.0-only */
/* See agreed_order.h. */
#include "system/agreed_order.h"

#include <stdlib.h>

#define WEFT_INTER_FIRST(x, name) extern const struct weft_inter_ops weft_inter_##x;
#define WEFT_INTER(x, name) extern const struct weft_inter_ops weft_inter_##x;
#include "system/inter_dimension.def"
#undef WEFT_INTER_FIRST
#undef WEFT_INTER

static const struct weft_inter_ops *const table[] = {
#define WEFT_INTER_FIRST(x, name) &weft_inter_##x,
#define WEFT_INTER(x, name) &weft_inter_##x,
#include "system/inter_dimension.def"
#undef WEFT_INTER_FIRST
#undef WEFT_INTER
};

#define WEFT_INTER_FIRST(x, name) name
#define WEFT_INTER(x, name) "|" name
const char weft_inter_choices[] =
#include "system/inter_dimension.def"
    ;
#undef WEFT_INTER_FIRST
#undef WEFT_INTER

const struct weft_inter_ops *const *weft_inter_table(size_t *n)
{
    *n = sizeof(table) / sizeof(table[0]);
    return table;
}

struct queue {
    struct weft_agreed_turn *turns; /* the result, in order of beginning */
    uint64_t nturns;
    struct weft_agreed_turn *ready; /* in order of arrival, from head on */
    uint64_t head, nready;
    uint64_t active;
};

struct event { /* the end of a phase */
    uint64_t t_ps, seq;
    uint64_t chunk;
    uint32_t dim;
};

struct weft_agreed_order {
    struct weft_agreed_problem p;
    struct weft_dims dims;
    enum weft_coll_turn turn;
    uint8_t *order; /* nchunks * dims.n */
    struct queue queue[WEFT_DIMS_MAX];
};

void weft_agreed_order_free(struct weft_agreed_order *o)
{
    if (!o)
        return;
    for (uint32_t d = 0; d < WEFT_DIMS_MAX; d++)
        free(o->queue[d].turns);
    free(o->order);
    free(o);
}

void weft_agreed_order_plan(const struct weft_agreed_order *o, uint64_t chunk,
                            struct weft_coll_plan *out)
{
    uint32_t order[WEFT_DIMS_MAX];
    for (uint32_t i = 0; i < o->dims.n; i++)
        order[i] = o->order[chunk * o->dims.n + i];
    weft_coll_plan_phases(o->p.kind, order, o->dims.n, o->turn, out);
}

int weft_agreed_order_turn(const struct weft_agreed_order *o, uint32_t dim, uint64_t i,
                           struct weft_agreed_turn *out)
{
    if (i >= o->queue[dim].nturns)
        return 0;
    *out = o->queue[dim].turns[i];
    return 1;
}

/* --- the simulation --- */

struct sim {
    struct weft_agreed_order *o;
    struct event *heap;
    uint64_t nheap, seq, now_ps;
    uint32_t *phase; /* per chunk */
    uint64_t *bytes; /* per chunk: what the phase begins with */
};

static int earlier(const struct event *a, const struct event *b)
{
    return a->t_ps != b->t_ps ? a->t_ps < b->t_ps : a->seq < b->seq;
}

static void push(struct sim *s, struct event e)
{
    uint64_t i = s->nheap++;
    for (; i > 0 && earlier(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = e;
}

static struct event pop(struct sim *s)
{
    struct event first = s->heap[0], x = s->heap[--s->nheap];
    uint64_t i = 0;
    for (;;) {
        uint64_t c = 2 * i + 1;
        if (c >= s->nheap)
            break;
        if (c + 1 < s->nheap && earlier(&s->heap[c + 1], &s->heap[c]))
            c++;
        if (!earlier(&s->heap[c], &x))
            break;
        s->heap[i] = s->heap[c];
        i = c;
    }
    s->heap[i] = x;
    return first;
}

/* What is left of `bytes` after a phase. */
static uint64_t after_phase(const struct weft_coll_phase *ph, uint32_t n, uint64_t bytes)
{
    if (ph->kind == WEFT_COLL_REDUCE_SCATTER)
        return weft_coll_cut(bytes, n, 0);
    return ph->kind == WEFT_COLL_ALL_GATHER ? bytes * n : bytes;
}

/* About how long a phase takes that begins with `bytes`: its rounds, its bytes, its additions. */
static uint64_t phase_ps(const struct weft_agreed_problem *p, const struct weft_coll_phase *ph,
                         uint64_t bytes)
{
    const struct weft_coll_algorithm *a = p->alg[ph->dim];
    struct weft_coll_call c = {.kind = ph->kind, .n = p->dims->size[ph->dim], .bytes = bytes};
    weft_coll_use(&c, a);
    uint64_t rounds = a->ops->rounds ? a->ops->rounds(&c) : a->ops->count(&c, 0, 0) / 2;
    double sent = (double)a->ops->total_bytes(&c) / c.n;
    double added = ph->kind == WEFT_COLL_REDUCE_SCATTER ? sent
                   : ph->kind == WEFT_COLL_ALL_REDUCE   ? sent / 2
                                                        : 0;
    double ps = (double)rounds * (double)(p->dims->latency_ps[ph->dim] + p->endpoint_ps) +
                (double)p->endpoint_ps + sent * 8e12 / (double)p->dims->rate_bps[ph->dim] +
                added * p->reduce_ps_per_byte;
    return ps < 1e18 ? (uint64_t)ps : UINT64_C(1000000000000000000);
}

static void arrive(struct sim *s, uint64_t chunk)
{
    struct weft_coll_plan plan;
    weft_agreed_order_plan(s->o, chunk, &plan);
    if (s->phase[chunk] == plan.n)
        return;
    struct queue *q = &s->o->queue[plan.phase[s->phase[chunk]].dim];
    q->ready[q->nready++] = (struct weft_agreed_turn){chunk, s->phase[chunk]};
}

/* Takes the next ready phase of a dimension. */
static struct weft_agreed_turn take(struct sim *s, struct queue *q)
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

static void serve(struct sim *s, uint32_t d)
{
    struct queue *q = &s->o->queue[d];
    const struct weft_dims *dims = &s->o->dims;
    while (q->active < s->o->p.active && q->head < q->nready) {
        struct weft_agreed_turn t = take(s, q);
        struct weft_coll_plan plan;
        weft_agreed_order_plan(s->o, t.chunk, &plan);
        const struct weft_coll_phase *ph = &plan.phase[t.phase];
        uint64_t ps = phase_ps(&s->o->p, ph, s->bytes[t.chunk]);
        s->bytes[t.chunk] = after_phase(ph, dims->size[d], s->bytes[t.chunk]);
        q->turns[q->nturns++] = t;
        q->active++;
        push(s, (struct event){s->now_ps + ps, s->seq++, t.chunk, d});
    }
}

static void simulate(struct sim *s)
{
    struct weft_agreed_order *o = s->o;
    for (uint64_t c = 0; c < o->p.nchunks; c++) {
        s->bytes[c] = weft_coll_chunk_bytes(o->p.bytes, o->p.max_chunks, c);
        arrive(s, c);
    }
    for (;;) {
        for (uint32_t d = 0; d < o->dims.n; d++)
            serve(s, d);
        if (s->nheap == 0)
            return;
        struct event e = pop(s);
        s->now_ps = e.t_ps;
        o->queue[e.dim].active--;
        s->phase[e.chunk]++;
        arrive(s, e.chunk);
        while (s->nheap && s->heap[0].t_ps == s->now_ps) { /* all of this instant */
            e = pop(s);
            o->queue[e.dim].active--;
            s->phase[e.chunk]++;
            arrive(s, e.chunk);
        }
    }
}

struct weft_agreed_order *weft_agreed_order_new(const struct weft_agreed_problem *p)
{
    struct weft_agreed_order *o = calloc(1, sizeof(*o));
    struct sim s = {.o = o};
    if (!o)
        return NULL;
    o->p = *p;
    o->dims = *p->dims;
    for (uint32_t d = 0; d < o->dims.n; d++)
        if (o->dims.rate_bps[d] == 0) /* not known: all alike */
            for (uint32_t e = 0; e < o->dims.n; e++)
                o->dims.rate_bps[e] = 1000000000;
    o->p.dims = &o->dims;
    o->turn = table[p->inter]->turns_back ? WEFT_COLL_TURN_BACK : p->turn;
    o->order = calloc(p->nchunks, o->dims.n);
    s.heap = calloc(p->nchunks, sizeof(*s.heap));
    s.phase = calloc(p->nchunks, sizeof(*s.phase));
    s.bytes = calloc(p->nchunks, sizeof(*s.bytes));
    int ok = o->order && s.heap && s.phase && s.bytes;
    for (uint32_t d = 0; d < o->dims.n; d++) {
        struct queue *q = &o->queue[d];
        q->turns = calloc(2 * p->nchunks, sizeof(*q->turns)); /* out and back */
        q->ready = calloc(2 * p->nchunks, sizeof(*q->ready));
        ok = ok && q->turns && q->ready;
    }
    if (ok) {
        table[p->inter]->order(&o->p, o->order);
        simulate(&s);
    }
    for (uint32_t d = 0; d < o->dims.n; d++)
        free(o->queue[d].ready);
    free(s.heap);
    free(s.phase);
    free(s.bytes);
    if (!ok) {
        weft_agreed_order_free(o);
        return NULL;
    }
    return o;
}
