/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cheapest way to play an operation: each algorithm that says what it costs over the whole
 * group, and where the group is a grid the cheapest of them in each dimension, one phase after the
 * other.
 */
#include "system/auto.h"

#include "base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the choice in one dimension must gain to be worth it. */
#define LEAST_GAIN 0.01
/* Two choices per dimension whose costs differ by less are the same program, as of two ranks. */
#define SAME 1e-9

/* --- algorithms --- */

static int add_trial(struct weft_trials *a, const char *text, struct weft_err *err)
{
    if (!WEFT_GROW_ONE(a->trial, a->n))
        return weft_err_no_memory(err, "the choice of algorithms");
    struct weft_trial *trial = &a->trial[a->n];
    trial->text = text;
    const int rc = weft_coll_algorithm_parse(text, strlen(text), "", &trial->alg, err);
    a->n += rc == 0;
    return rc;
}

int weft_trials_new(struct weft_trials *a, struct weft_err *err)
{
    size_t n;
    const struct weft_coll_ops *const *all = weft_coll_table(&n);
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++) {
        const char *const alone[] = {all[i]->name, NULL};
        const char *const *t = all[i]->tries ? all[i]->tries : alone;
        for (; !rc && all[i]->cost && *t; t++)
            rc = add_trial(a, *t, err);
    }
    return rc;
}

void weft_trials_free(struct weft_trials *a)
{
    for (size_t i = 0; i < a->n; i++)
        weft_coll_algorithm_release(&a->trial[i].alg);
    free(a->trial);
}

/* --- where a group's ranks sit --- */

static int layout_whole(const uint32_t *ranks, uint32_t n, struct weft_table *t,
                        struct weft_err *err)
{
    t->layout = (struct weft_rank_layout){n, 1, malloc(n * sizeof *ranks)};
    if (!t->layout.rank)
        return weft_err_no_memory(err, "the choice of algorithms");
    memcpy(t->layout.rank, ranks, n * sizeof *ranks);
    return 0;
}

/* Every row of the group in dimension d, each found by its rank at the first place. */
static int layout_rows(const struct weft_candidates *s, uint32_t d, struct weft_table *t,
                       struct weft_err *err)
{
    const struct weft_shape *shape = s->shape;
    const uint32_t n = shape->dims.size[d], size = s->dims->size[shape->fabric_dim[d]];
    t->layout =
        (struct weft_rank_layout){n, 0, malloc((size_t)s->group->n * sizeof *t->layout.rank)};
    if (!t->layout.rank)
        return weft_err_no_memory(err, "the choice of algorithms");
    for (uint32_t i = 0; i < s->group->n; i++) {
        const uint32_t rank = s->group->ranks[i], stride = shape->stride[d];
        const uint32_t *place = shape->places[d];
        if (rank / stride % size != place[0])
            continue;
        uint32_t *row = t->layout.rank + (size_t)t->layout.nrows++ * n;
        for (uint32_t k = 0; k < n; k++)
            row[k] = rank + (place[k] - place[0]) * stride;
    }
    return 0;
}

void weft_candidates_close(struct weft_candidates *s)
{
    weft_table_release(&s->whole);
    weft_table_release(&s->ring);
    for (uint32_t d = 0; d < WEFT_DIMS_MAX; d++)
        weft_table_release(&s->dim[d]);
}

int weft_candidates_open(struct weft_candidates *s, struct weft_auto_fabric *auto_fabric,
                         uint32_t group, struct weft_err *err)
{
    const struct weft_ring *rings = s->job->rings;
    const struct weft_table empty = {.auto_fabric = auto_fabric, .p = s->job->p};
    s->group = &s->job->w->groups[group];
    s->shape = &s->job->shapes[group];
    s->whole = s->ring = empty;
    int rc = layout_whole(s->group->ranks, s->group->n, &s->whole, err);
    if (!rc && rings)
        rc = layout_whole(rings[group].ranks, s->group->n, &s->ring, err);
    for (uint32_t d = 0; !rc && s->shape->grid && d < s->shape->dims.n; d++) {
        s->dim[d] = empty;
        rc = layout_rows(s, d, &s->dim[d], err);
    }
    return rc;
}

/* --- what it costs --- */

static void auto_ranking_enter(struct weft_ranking *r, const char *text, double s, double hops)
{
    uint32_t at = 0;
    if (!isfinite(s))
        return;
    for (uint32_t i = 0; i < r->n; i++) {
        if (strcmp(r->choice[i].text, text) == 0)
            return;
        at += r->choice[i].s <= s;
    }
    if (at == WEFT_RANKED_MAX)
        return;
    const uint32_t after = r->n - at - (r->n == WEFT_RANKED_MAX);
    memmove(&r->choice[at + 1], &r->choice[at], after * sizeof r->choice[0]);
    r->n += r->n < WEFT_RANKED_MAX;
    r->choice[at] = (struct weft_ranked){.s = s, .hops = hops};
    snprintf(r->choice[at].text, sizeof r->choice[at].text, "%s", text);
}

/* What is raced: an operation of a group, in dimensions. */
struct heat {
    struct weft_candidates *candidates;
    const struct weft_op *op;
    const struct weft_shape *shape;
    struct weft_coll_call call; /* of the whole operation */
    struct weft_ranking *ranking;
};

/* The time of all chunks by that of the first so many. */
static double in_chunks(const struct heat *h,
                        double (*of)(const struct heat *h, uint32_t n, const void *arg),
                        const void *arg)
{
    const uint64_t chunks = weft_coll_chunks(h->call.bytes, h->candidates->job->p->chunks);
    const uint32_t most = WEFT_CHUNKS_SIMULATED;
    if (chunks <= most)
        return of(h, (uint32_t)chunks, arg);
    const double all = of(h, most, arg), half = of(h, most / 2, arg);
    return all + (double)(chunks - most) * (all - half) / (most - most / 2);
}

static double heat_chunks(const struct heat *h)
{
    return (double)weft_coll_chunks(h->call.bytes, h->candidates->job->p->chunks);
}

static double whole_s(const struct heat *h, uint32_t n, const void *arg)
{
    struct weft_chunk_costs chunk[WEFT_CHUNKS_SIMULATED];
    for (uint32_t i = 0; i < n; i++)
        chunk[i].phase[0] = *(const struct weft_cost *)arg;
    return weft_chunks_s(chunk, n, NULL, 1, weft_active_chunks(h->candidates->job->p, h->op));
}

/* One algorithm for the whole group. */
static void try_whole(const struct heat *h)
{
    struct weft_candidates *s = h->candidates;
    struct weft_coll_call call = h->call;
    call.bytes = weft_coll_chunk_bytes(call.bytes, s->job->p->chunks, 0);
    for (size_t i = 0; i < s->trials->n; i++) {
        const struct weft_trial *t = &s->trials->trial[i];
        struct weft_coll_call c = call;
        weft_coll_use(&c, &t->alg);
        if (!t->alg.ops->supports(&c, NULL))
            continue;
        struct weft_table *table = s->job->rings && t->alg.ops->ordered ? &s->ring : &s->whole;
        const struct weft_cost cost = weft_table_cost(table, &t->alg, &c);
        auto_ranking_enter(h->ranking, t->text,
                           isinf(cost.latency_s) ? INFINITY : in_chunks(h, whole_s, &cost),
                           cost.hops * heat_chunks(h));
    }
}

/* Which dimension of the group's own shape dimension d of @p shape is. */
static uint32_t own_dim(const struct weft_shape *group, const struct weft_shape *shape, uint32_t d)
{
    uint32_t k = 0;
    while (group->fabric_dim[k] != shape->fabric_dim[d])
        k++;
    return k;
}

/* An algorithm per dimension. */
struct team {
    const struct weft_trial *in[WEFT_DIMS_MAX];
};

/* The calls of the phases of a chunk of @p bytes. */
static void phases_of(const struct heat *h, const struct weft_coll_plan *plan, uint64_t bytes,
                      struct weft_coll_call phase[2 * WEFT_DIMS_MAX])
{
    const uint32_t place[WEFT_DIMS_MAX] = {0};
    struct weft_coll_cursor cursor;
    weft_coll_cursor_begin(&cursor, &h->shape->dims, place, bytes);
    for (uint32_t i = 0; i < plan->n; i++) {
        phase[i] = h->call;
        weft_coll_cursor_call(&cursor, &plan->phase[i], &phase[i]);
        if (phase[i].pairs) { /* an all-to-all between dimensions: what it is on average */
            phase[i].pairs = NULL;
            phase[i].bytes = cursor.bytes;
        }
        weft_coll_cursor_next(&cursor, &plan->phase[i]);
    }
}

static struct weft_cost cost_in(const struct heat *h, const struct weft_trial *t, uint32_t d,
                                struct weft_coll_call c)
{
    struct weft_candidates *s = h->candidates;
    weft_coll_use(&c, &t->alg);
    if (!t->alg.ops->supports(&c, NULL))
        return (struct weft_cost){INFINITY, 0};
    return weft_table_cost(&s->dim[own_dim(s->shape, h->shape, d)], &t->alg, &c);
}

static double team_s(const struct heat *h, uint32_t n, const void *arg)
{
    const struct team *team = arg;
    const struct weft_system_params *p = h->candidates->job->p;
    struct weft_chunk_costs chunk[WEFT_CHUNKS_SIMULATED];
    struct weft_agreed_problem problem = {
        .kind = h->call.kind,
        .bytes = h->call.bytes,
        .nchunks = n,
        .max_chunks = p->chunks,
        .dims = &h->shape->dims,
        .endpoint_ps = p->endpoint_delay_ps,
        .active = weft_active_chunks(p, h->op),
        .turn = p->all_reduce_phases ? WEFT_COLL_TURN_WHOLE : WEFT_COLL_TURN_FOLD,
        .inter = p->inter_dimension,
        .intra = (enum weft_intra)p->intra_dimension,
    };
    for (uint32_t d = 0; d < h->shape->dims.n; d++)
        problem.alg[d] = &team->in[d]->alg;
    struct weft_agreed_order *order = weft_agreed_order_new(&problem);
    if (!order) {
        h->candidates->whole.auto_fabric->lost = true;
        return INFINITY;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct weft_coll_call phase[2 * WEFT_DIMS_MAX];
        struct weft_coll_plan *plan = &chunk[i].plan;
        *plan = (struct weft_coll_plan){0};
        weft_agreed_order_plan(order, i, plan);
        if (i && memcmp(plan, &chunk[i - 1].plan, sizeof *plan) == 0) {
            chunk[i] = chunk[i - 1];
            continue;
        }
        phases_of(h, plan, weft_coll_chunk_bytes(h->call.bytes, p->chunks, i), phase);
        for (uint32_t k = 0; k < plan->n; k++) {
            const uint32_t d = plan->phase[k].dim;
            chunk[i].phase[k] = cost_in(h, team->in[d], d, phase[k]);
        }
    }
    double s = weft_chunks_s(chunk, n, order, h->shape->dims.n, problem.active);
    weft_agreed_order_free(order);
    return s;
}

/* The cheapest algorithm in dimension d by itself; NULL: none does all phases there. */
static const struct weft_trial *best_alone(const struct heat *h, uint32_t d,
                                           const struct weft_coll_plan *plan,
                                           const struct weft_coll_call *phase)
{
    const struct weft_trials *trials = h->candidates->trials;
    const struct weft_trial *best = NULL;
    double best_s = INFINITY;
    for (size_t i = 0; i < trials->n; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < plan->n; k++) {
            if (plan->phase[k].dim != d)
                continue;
            const struct weft_cost one = cost_in(h, &trials->trial[i], d, phase[k]);
            sum += one.latency_s + one.busy_s;
        }
        if (sum < best_s) {
            best = &trials->trial[i];
            best_s = sum;
        }
    }
    return best;
}

/* As --set writes it; what does not matter to the group is as without a fabric. */
static bool write_team(const struct heat *h, const struct team *team,
                       char text[WEFT_CHOICE_TEXT_MAX])
{
    const uint32_t ndims = h->candidates->dims->n;
    const char *name[WEFT_DIMS_MAX];
    size_t len = 0;
    for (uint32_t d = 0; d < ndims; d++)
        name[d] = weft_auto_without_fabric(h->call.kind);
    for (uint32_t d = 0; d < h->shape->dims.n; d++)
        name[h->shape->fabric_dim[d]] = team->in[d]->text;
    for (uint32_t d = 0; d < ndims; d++) {
        const int n =
            snprintf(text + len, WEFT_CHOICE_TEXT_MAX - len, "%s%s", d ? "," : "", name[d]);
        if (n < 0 || (size_t)n >= WEFT_CHOICE_TEXT_MAX - len)
            return false;
        len += (size_t)n;
    }
    return true;
}

static void enter_team(const struct heat *h, const struct team *team,
                       const struct weft_coll_plan *plan, const struct weft_coll_call *phase,
                       double s)
{
    char text[WEFT_CHOICE_TEXT_MAX];
    double hops = 0;
    for (uint32_t i = 0; i < h->ranking->n; i++)
        if (fabs(h->ranking->choice[i].s - s) <= SAME * s &&
            strchr(h->ranking->choice[i].text, ','))
            return;
    for (uint32_t k = 0; k < plan->n; k++)
        hops += cost_in(h, team->in[plan->phase[k].dim], plan->phase[k].dim, phase[k]).hops;
    if (write_team(h, team, text))
        auto_ranking_enter(h->ranking, text, s, hops * heat_chunks(h));
}

/* One algorithm per dimension: the cheapest of each by itself, then what is better there by 1 %
 * beside the others, since chunks in one dimension wait for those in another. */
static void try_dimensions(const struct heat *h)
{
    const struct weft_trials *trials = h->candidates->trials;
    const uint32_t ndims = h->shape->dims.n;
    struct weft_coll_plan plan;
    struct weft_coll_call phase[2 * WEFT_DIMS_MAX];
    struct team team = {{NULL}};
    uint32_t order[WEFT_DIMS_MAX];
    for (uint32_t d = 0; d < ndims; d++)
        order[d] = d;
    weft_coll_plan_phases(h->call.kind, order, ndims,
                          h->candidates->job->p->all_reduce_phases ? WEFT_COLL_TURN_WHOLE
                                                                   : WEFT_COLL_TURN_FOLD,
                          &plan);
    phases_of(h, &plan, weft_coll_chunk_bytes(h->call.bytes, h->candidates->job->p->chunks, 0),
              phase);
    for (uint32_t d = 0; d < ndims; d++)
        if (!(team.in[d] = best_alone(h, d, &plan, phase)))
            return;
    double best_s = in_chunks(h, team_s, &team);
    enter_team(h, &team, &plan, phase, best_s);
    for (uint32_t d = 0, same = 0; same < ndims; d = (d + 1) % ndims, same++) {
        for (size_t i = 0; i < trials->n; i++) {
            struct team other = team;
            other.in[d] = &trials->trial[i];
            if (other.in[d] == team.in[d])
                continue;
            const double s = in_chunks(h, team_s, &other);
            enter_team(h, &other, &plan, phase, s);
            if (s < best_s * (1 - LEAST_GAIN)) {
                best_s = s;
                team = other;
                same = 0;
            }
        }
    }
}

void weft_candidates_rank(struct weft_candidates *s, const struct weft_op *op, uint64_t bytes,
                          struct weft_ranking *out)
{
    struct weft_shape scratch;
    const struct weft_shape *shape = weft_shape_of(s->shape, op, &scratch);
    const bool part = shape == &scratch;
    const struct heat h = {
        s, op, shape, {.kind = weft_coll_run_as(op->coll), .n = s->group->n, .bytes = bytes}, out};
    out->n = 0;
    if (!part)
        try_whole(&h);
    if (shape->grid && weft_coll_has_phases(h.call.kind) && s->dims->n > 1 &&
        (part || shape->dims.n > 1))
        try_dimensions(&h);
}
