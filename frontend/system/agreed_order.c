/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses the order in which the chunks of a collective pass the dimensions of a fabric, the same
 * for all ranks.
 */
#include "system/agreed_sim.h"

#include <stdbool.h>
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
    *n = sizeof table / sizeof table[0];
    return table;
}

/* Orders that are kept for ranks to come. */
enum { KEPT = 8 };

void weft_agreed_order_free(struct weft_agreed_order *o)
{
    if (!o || --o->users)
        return;
    for (uint32_t q = 0; q < o->nqueues; q++)
        free(o->queue[q].turns);
    free(o->order);
    free(o);
}

/* One way of doing it. */
struct candidate {
    int inter;
    enum weft_intra intra;
};

/* How long a candidate takes: as estimated, and message by message. */
struct times {
    uint64_t about_ps, exact_ps; /* exact: UINT64_MAX: not known */
};

static struct times try_one(struct weft_agreed_sim *s, struct candidate c, bool exact)
{
    struct weft_agreed_order *o = s->o;
    o->turn = table[c.inter]->turns_back ? WEFT_COLL_TURN_BACK : o->p.turn;
    o->p.intra = c.intra;
    table[c.inter]->order(&o->p, o->order);
    struct times t = {weft_agreed_simulate(s), UINT64_MAX};
    if (exact)
        t.exact_ps = weft_agreed_play(o);
    return t;
}

/* Candidate k: the scheduler that leads, then the others in their order, each first come first
 * served; then all of them in the other disciplines. */
static struct candidate candidate(int leads, size_t k)
{
    static const enum weft_intra intra[] = {WEFT_INTRA_CONCURRENT, WEFT_INTRA_SMALLEST,
                                            WEFT_INTRA_LIFO};
    const size_t n = sizeof table / sizeof table[0];
    const int other = (int)(k % n) - 1;
    if (k / n == sizeof intra / sizeof intra[0])
        return (struct candidate){-1, WEFT_INTRA_CONCURRENT};
    return (struct candidate){other < 0 ? leads : other + (other >= leads), intra[k / n]};
}

/* The wanted-for way first. By estimated times another one has to be better by more than 1 %, or by
 * 0.1 % where messages do not meet. There times are known exactly if weft_agreed_play() knows those
 * of all; then it is the best, if that is by more than 0.1 %. */
static void agreed_order_choose(struct weft_agreed_sim *s)
{
    const struct weft_agreed_problem wanted = s->o->p;
    const int plans = table[wanted.inter]->plans && wanted.intra == WEFT_INTRA_CONCURRENT;
    const struct candidate first = {wanted.inter, wanted.intra};
    struct candidate best = first, best_exact = first, last = first;
    s->shared = plans && !wanted.alone;
    const struct times of_first = try_one(s, first, plans && wanted.alone);
    struct times least = of_first;
    bool exact = of_first.exact_ps != UINT64_MAX;
    for (size_t k = 1; plans && candidate(wanted.inter, k).inter >= 0; k++) {
        last = candidate(wanted.inter, k);
        const struct times t = try_one(s, last, exact);
        exact = exact && t.exact_ps != UINT64_MAX;
        if (t.about_ps < least.about_ps - least.about_ps / (wanted.alone ? 1000 : 100)) {
            best = last;
            least.about_ps = t.about_ps;
        }
        if (t.exact_ps < least.exact_ps) {
            best_exact = last;
            least.exact_ps = t.exact_ps;
        }
    }
    if (exact)
        best = least.exact_ps < of_first.exact_ps - of_first.exact_ps / 1000 ? best_exact : first;
    if (best.inter != last.inter || best.intra != last.intra)
        try_one(s, best, false);
}

static bool same_dims(const struct weft_dims *a, const struct weft_dims *b)
{
    bool same = a->n == b->n;
    for (uint32_t d = 0; same && d < a->n; d++)
        same = a->size[d] == b->size[d] && a->rate_bps[d] == b->rate_bps[d] &&
               a->links[d] == b->links[d] && a->latency_ps[d] == b->latency_ps[d];
    return same;
}

static bool solves(const struct weft_agreed_order *o, const struct weft_agreed_problem *p)
{
    const struct weft_agreed_problem *q = &o->p;
    bool same = q->kind == p->kind && q->bytes == p->bytes && q->nchunks == p->nchunks &&
                q->max_chunks == p->max_chunks && q->endpoint_ps == p->endpoint_ps &&
                q->reduce_ps_per_byte == p->reduce_ps_per_byte && q->active == p->active &&
                q->alone == p->alone && q->turn == p->turn && q->inter == p->inter &&
                o->wanted_intra == p->intra && same_dims(&o->wanted, p->dims);
    for (uint32_t d = 0; same && d < p->dims->n; d++)
        same = q->alg[d] == p->alg[d];
    return same;
}

void weft_agreed_order_forget(struct weft_agreed_order **latest)
{
    while (*latest) {
        struct weft_agreed_order *o = *latest;
        *latest = o->next;
        weft_agreed_order_free(o);
    }
}

struct weft_agreed_order *weft_agreed_order_share(const struct weft_agreed_problem *p,
                                                  struct weft_agreed_order **latest)
{
    struct weft_agreed_order **at = latest, *o;
    for (int k = 1; *at && !solves(*at, p); k++)
        if (k == KEPT)
            weft_agreed_order_forget(at); /* the one looked at longest ago */
        else
            at = &(*at)->next;
    o = *at;
    if (o)
        *at = o->next;
    else
        o = weft_agreed_order_new(p);
    if (!o)
        return NULL;
    o->next = *latest;
    *latest = o;
    o->users++;
    return o;
}

struct weft_agreed_order *weft_agreed_order_new(const struct weft_agreed_problem *p)
{
    struct weft_agreed_order *o = calloc(1, sizeof *o);
    struct weft_agreed_sim s = {.o = o};
    if (!o)
        return NULL;
    o->users = 1;
    o->p = *p;
    o->dims = o->wanted = *p->dims;
    o->wanted_intra = p->intra;
    for (uint32_t d = 0; d < o->dims.n; d++)
        if (o->dims.rate_bps[d] == 0) /* not known: all alike */
            for (uint32_t e = 0; e < o->dims.n; e++)
                o->dims.rate_bps[e] = 1000000000;
    o->p.dims = &o->dims;
    for (uint32_t d = 0; d < o->dims.n; d++)
        o->dims.rate_bps[d] = weft_agreed_pace_bps(p, d, o->dims.rate_bps[d]);
    o->order = calloc(p->nchunks, o->dims.n);
    const int room = weft_heap_reserve(&s.ends, p->nchunks) == 0;
    s.queue = calloc(p->nchunks, sizeof *s.queue);
    s.phase = calloc(p->nchunks, sizeof *s.phase);
    s.bytes = calloc(p->nchunks, sizeof *s.bytes);
    bool ok = o->order && room && s.queue && s.phase && s.bytes;
    for (uint32_t k = 0; k < WEFT_AGREED_QUEUES; k++) {
        struct weft_agreed_queue *q = &o->queue[k];
        const uint32_t d = k % WEFT_DIMS_MAX;
        if (d >= o->dims.n || (k != d && !p->alg[d]->ops->in_network))
            continue;                                        /* always empty */
        q->turns = calloc(2 * p->nchunks, sizeof *q->turns); /* out and back */
        q->ready = calloc(2 * p->nchunks, sizeof *q->ready);
        ok = ok && q->turns && q->ready;
        o->nqueues = k + 1;
    }
    if (ok)
        agreed_order_choose(&s);
    for (uint32_t k = 0; k < o->nqueues; k++)
        free(o->queue[k].ready);
    weft_heap_release(&s.ends);
    free(s.queue);
    free(s.phase);
    free(s.bytes);
    if (!ok) {
        weft_agreed_order_free(o);
        return NULL;
    }
    return o;
}
