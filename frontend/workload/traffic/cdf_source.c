/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows with sizes from a distribution. Ranks wait in a heap for their next starts. */
#include "workload/traffic/cdf_source.h"

#include "base/draw.h"
#include "base/event_heap.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

/* A rank that sends. */
struct sender {
    struct weft_rng arrivals, sizes, peers;
    double t_ps; /* of its next flow */
    double gap_ps;
    uint32_t qp;
};

struct source {
    struct weft_flow_source base;
    struct weft_cdf_traffic c;
    struct weft_cdf *cdf;
    struct sender *senders;
    uint32_t *partner;       /* of a permutation */
    struct weft_heap starts; /* of ranks, by next start */
    bool begun;
};

static double gap(struct source *s, struct sender *r)
{
    const double u = weft_rng_f64(&r->arrivals);
    if (s->c.arrivals == WEFT_ARRIVALS_POISSON)
        return weft_exponential(u) * r->gap_ps;
    return r->gap_ps * weft_log_normal(u, weft_rng_f64(&r->arrivals), s->c.sigma);
}

/* Moves a rank to its next start, if it has one. There is memory for all in the heap, whose keys
 * are the bits of the times: these sort as positive numbers do. */
static void cdf_source_advance(struct source *s, uint32_t rank)
{
    struct sender *r = &s->senders[rank];
    int64_t key;
    r->t_ps += gap(s, r);
    memcpy(&key, &r->t_ps, sizeof key);
    if (r->t_ps < (s->c.duration_ps ? (double)s->c.duration_ps : (double)(WEFT_NEVER / 4)))
        weft_heap_push(&s->starts, key, rank);
}

static void cdf_source_begin(struct source *s)
{
    s->begun = true;
    s->starts.n = 0;
    for (uint32_t r = 0; r < s->c.nranks; r++)
        if (s->senders[r].gap_ps > 0)
            cdf_source_advance(s, r);
}

static uint32_t any_other(struct sender *r, uint32_t rank, uint32_t n)
{
    const uint32_t peer = (uint32_t)weft_rng_below(&r->peers, n - 1);
    return peer < rank ? peer : peer + 1;
}

static uint32_t peer_of(struct source *s, uint32_t rank)
{
    struct sender *r = &s->senders[rank];
    const uint32_t others = s->c.hot_ranks - (rank < s->c.hot_ranks);
    if (s->c.pattern == WEFT_TRAFFIC_PERMUTATION)
        return s->partner[rank];
    if (s->c.pattern == WEFT_TRAFFIC_HOT_SPOT && weft_rng_f64(&r->peers) < s->c.hot_share &&
        others) {
        const uint32_t peer = (uint32_t)weft_rng_below(&r->peers, others);
        return rank < s->c.hot_ranks && peer >= rank ? peer + 1 : peer;
    }
    return any_other(r, rank, s->c.nranks);
}

static int next(struct weft_flow_source *base, struct weft_flow *out, struct weft_err *err)
{
    struct source *s = (struct source *)base;
    if (!s->begun)
        cdf_source_begin(s);
    if (s->starts.n == 0)
        return 0;
    const uint32_t rank = weft_heap_pop(&s->starts).slot;
    struct sender *r = &s->senders[rank];
    const double bytes = weft_cdf_quantile_bytes(s->cdf, 100 * weft_rng_f64(&r->sizes));
    *out = (struct weft_flow){.src = rank,
                              .dst = peer_of(s, rank),
                              .bytes = bytes < 1 ? 1 : (uint64_t)bytes,
                              .start_ps = (int64_t)r->t_ps,
                              .prio = WEFT_FLOW_PRIO_DEFAULT,
                              .qp = r->qp++};
    cdf_source_advance(s, rank);
    return 1;
}

/* All ranks in one ring: Sattolo's shuffle. */
static void permute(struct source *s)
{
    struct weft_rng rng = weft_rng_stream(s->c.seed, "traffic-permutation", 0);
    for (uint32_t r = 0; r < s->c.nranks; r++)
        s->partner[r] = r;
    for (uint32_t i = s->c.nranks; i-- > 1;) {
        const uint32_t k = (uint32_t)weft_rng_below(&rng, i), other = s->partner[k];
        s->partner[k] = s->partner[i];
        s->partner[i] = other;
    }
}

static void cdf_source_rewind_to(struct weft_flow_source *base, uint64_t k)
{
    struct source *s = (struct source *)base;
    const uint64_t seed = s->c.seed + k;
    for (uint32_t r = 0; r < s->c.nranks; r++) {
        struct sender *p = &s->senders[r];
        p->arrivals = weft_rng_stream(seed, "traffic-arrival", r);
        p->sizes = weft_rng_stream(seed, "traffic-size", r);
        p->peers = weft_rng_stream(seed, "traffic-destination", r);
        p->t_ps = 0;
        p->qp = k ? p->qp : 0; /* repetitions go on with further QPs */
    }
    s->begun = false;
}

static void cdf_source_free_source(struct weft_flow_source *base)
{
    struct source *s = (struct source *)base;
    weft_cdf_free(s->cdf);
    free(s->senders);
    free(s->partner);
    weft_heap_release(&s->starts);
    free(s);
}

struct weft_flow_source *weft_cdf_source_new(const struct weft_cdf_traffic *c, const double *gap_ps,
                                             struct weft_err *err)
{
    struct source *s = weft_err_calloc(1, sizeof *s, "flows", err);
    if (!s)
        return NULL;
    s->c = *c;
    s->base = (struct weft_flow_source){.next = next,
                                        .rewind = cdf_source_rewind_to,
                                        .free = cdf_source_free_source,
                                        .endless = c->duration_ps == 0};
    s->senders = (struct sender *)calloc(c->nranks, sizeof *s->senders);
    s->partner = (uint32_t *)calloc(c->nranks, sizeof *s->partner);
    const bool room = !weft_heap_reserve(&s->starts, c->nranks) && s->senders && s->partner;
    if (!room)
        weft_err_no_memory(err, "flows");
    s->cdf = room ? weft_cdf_copy(c->cdf, err) : NULL;
    if (!s->cdf) {
        cdf_source_free_source(&s->base);
        return NULL;
    }
    for (uint32_t r = 0; r < c->nranks; r++)
        s->senders[r].gap_ps = gap_ps ? gap_ps[r] : 0;
    permute(s);
    cdf_source_rewind_to(&s->base, 0);
    return &s->base;
}

double weft_cdf_source_crossing(const struct weft_flow_source *base, uint32_t rank,
                                const uint32_t *node)
{
    const struct source *s = (const struct source *)base;
    uint32_t other = 0, hot = 0, other_hot = 0;
    if (s->c.pattern == WEFT_TRAFFIC_PERMUTATION)
        return node[s->partner[rank]] != node[rank];
    for (uint32_t r = 0; r < s->c.nranks; r++) {
        other += node[r] != node[rank];
        hot += r < s->c.hot_ranks && r != rank;
        other_hot += r < s->c.hot_ranks && node[r] != node[rank];
    }
    const double any = (double)other / (s->c.nranks - 1);
    if (s->c.pattern != WEFT_TRAFFIC_HOT_SPOT || !hot)
        return any;
    return s->c.hot_share * other_hot / hot + (1 - s->c.hot_share) * any;
}

void weft_cdf_source_set_gap(struct weft_flow_source *base, uint32_t rank, double gap_ps)
{
    ((struct source *)base)->senders[rank].gap_ps = gap_ps;
}
