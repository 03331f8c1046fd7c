/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cheapest way to play an operation: each algorithm that says what it costs over the whole
 * group, and where the group is a grid the cheapest of them in each dimension, one phase after the
 * other.
 */
#include "system/auto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct weft_err *err)
{
    return weft_err_set(err, WEFT_E_LIMIT, "out of memory for the choice of algorithms");
}

/* --- algorithms --- */

static int add_trial(struct weft_trials *a, const char *text, struct weft_err *err)
{
    struct weft_trial *more = realloc(a->trial, (a->n + 1) * sizeof *more);
    if (!more)
        return no_memory(err);
    a->trial = more;
    more[a->n].text = text;
    const int rc = weft_coll_algorithm_parse(text, strlen(text), "", &more[a->n].alg, err);
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

static int seat_whole(const uint32_t *ranks, uint32_t n, struct weft_table *t, struct weft_err *err)
{
    t->seats = (struct weft_seats){n, 1, malloc(n * sizeof *ranks)};
    if (!t->seats.rank)
        return no_memory(err);
    memcpy(t->seats.rank, ranks, n * sizeof *ranks);
    return 0;
}

/* Every row of the group in dimension d, each found by its rank at the first place. */
static int seat_rows(const struct weft_track *s, uint32_t d, struct weft_table *t,
                     struct weft_err *err)
{
    const struct weft_shape *shape = s->shape;
    const uint32_t n = shape->dims.size[d], size = s->dims->size[shape->fabric_dim[d]];
    t->seats = (struct weft_seats){n, 0, malloc((size_t)s->group->n * sizeof *t->seats.rank)};
    if (!t->seats.rank)
        return no_memory(err);
    for (uint32_t i = 0; i < s->group->n; i++) {
        const uint32_t rank = s->group->ranks[i], stride = shape->stride[d];
        const uint32_t *place = shape->places[d];
        if (rank / stride % size != place[0])
            continue;
        uint32_t *row = t->seats.rank + (size_t)t->seats.nrows++ * n;
        for (uint32_t k = 0; k < n; k++)
            row[k] = rank + (place[k] - place[0]) * stride;
    }
    return 0;
}

void weft_track_close(struct weft_track *s)
{
    weft_table_release(&s->whole);
    weft_table_release(&s->ring);
    for (uint32_t d = 0; d < WEFT_DIMS_MAX; d++)
        weft_table_release(&s->dim[d]);
}

int weft_track_open(struct weft_track *s, struct weft_ground *ground, uint32_t group,
                    struct weft_err *err)
{
    const struct weft_ring *rings = s->job->rings;
    const struct weft_table empty = {.ground = ground, .p = s->job->p};
    s->group = &s->job->w->groups[group];
    s->shape = &s->job->shapes[group];
    s->whole = s->ring = empty;
    int rc = seat_whole(s->group->ranks, s->group->n, &s->whole, err);
    if (!rc && rings)
        rc = seat_whole(rings[group].ranks, s->group->n, &s->ring, err);
    for (uint32_t d = 0; !rc && s->shape->grid && d < s->shape->dims.n; d++) {
        s->dim[d] = empty;
        rc = seat_rows(s, d, &s->dim[d], err);
    }
    return rc;
}

/* --- what it costs --- */

/* With system.chunks, latencies of chunks in flight overlap, and so do dimensions. */
static double chunked_s(const struct weft_system_params *p, uint64_t chunks,
                        const struct weft_cost *part, uint32_t n)
{
    double sum = 0, slowest = 0;
    for (uint32_t i = 0; i < n; i++) {
        const double each = part[i].latency_s / (double)p->active_chunks + part[i].busy_s;
        sum += part[i].latency_s + part[i].busy_s;
        slowest = each > slowest ? each : slowest;
    }
    return sum + (double)(chunks - 1) * slowest;
}

static void enter(struct weft_race *r, const char *text, double s)
{
    if (isinf(s))
        return;
    if (!r->best[0] || s < r->best_s) {
        r->next_s = r->best_s;
        memcpy(r->next, r->best, sizeof r->next);
        r->best_s = s;
        snprintf(r->best, sizeof r->best, "%s", text);
    } else if (!r->next[0] || s < r->next_s) {
        r->next_s = s;
        snprintf(r->next, sizeof r->next, "%s", text);
    }
}

/* One algorithm for the whole group. */
static void try_whole(struct weft_track *s, struct weft_coll_call call, struct weft_race *race)
{
    const struct weft_system_params *p = s->job->p;
    const uint64_t chunks = weft_coll_chunks(call.bytes, p->chunks);
    call.bytes = weft_coll_chunk_bytes(call.bytes, p->chunks, 0);
    for (size_t i = 0; i < s->trials->n; i++) {
        const struct weft_trial *t = &s->trials->trial[i];
        struct weft_coll_call c = call;
        weft_coll_use(&c, &t->alg);
        if (!t->alg.ops->supports(&c, NULL))
            continue;
        struct weft_table *table = s->job->rings && t->alg.ops->ordered ? &s->ring : &s->whole;
        const struct weft_cost cost = weft_table_cost(table, &t->alg, &c);
        enter(race, t->text, chunked_s(p, chunks, &cost, 1));
    }
}

/* The calls of a chunk's phases, in *call; how many, in which dimensions. */
static uint32_t phases_of(const struct weft_track *s, const struct weft_shape *shape,
                          const struct weft_coll_call *call, struct weft_coll_plan *plan,
                          struct weft_coll_call phase[2 * WEFT_DIMS_MAX])
{
    uint32_t order[WEFT_DIMS_MAX], place[WEFT_DIMS_MAX] = {0};
    struct weft_coll_cursor cursor;
    for (uint32_t d = 0; d < shape->dims.n; d++)
        order[d] = d;
    weft_coll_plan_phases(call->kind, order, shape->dims.n,
                          s->job->p->all_reduce_phases ? WEFT_COLL_TURN_WHOLE : WEFT_COLL_TURN_FOLD,
                          plan);
    weft_coll_cursor_begin(&cursor, &shape->dims, place,
                           weft_coll_chunk_bytes(call->bytes, s->job->p->chunks, 0));
    for (uint32_t i = 0; i < plan->n; i++) {
        phase[i] = *call;
        weft_coll_cursor_call(&cursor, &plan->phase[i], &phase[i]);
        if (phase[i].pairs) { /* an all-to-all between dimensions: what it is on average */
            phase[i].pairs = NULL;
            phase[i].bytes = cursor.bytes;
        }
        weft_coll_cursor_next(&cursor, &plan->phase[i]);
    }
    return plan->n;
}

/* The cheapest algorithm in dimension d for all phases there; NULL: none does them. */
static const struct weft_trial *best_in(struct weft_track *s, uint32_t d, uint32_t group_d,
                                        const struct weft_coll_plan *plan,
                                        const struct weft_coll_call *phase, struct weft_cost *cost)
{
    const struct weft_trial *best = NULL;
    for (size_t i = 0; i < s->trials->n; i++) {
        const struct weft_trial *t = &s->trials->trial[i];
        struct weft_cost sum = {0, 0};
        bool able = true;
        for (uint32_t k = 0; able && k < plan->n; k++) {
            if (plan->phase[k].dim != d)
                continue;
            struct weft_coll_call c = phase[k];
            weft_coll_use(&c, &t->alg);
            able = t->alg.ops->supports(&c, NULL);
            const struct weft_cost one =
                able ? weft_table_cost(&s->dim[group_d], &t->alg, &c) : (struct weft_cost){0, 0};
            sum.latency_s += one.latency_s;
            sum.busy_s += one.busy_s;
        }
        if (able && (!best || sum.latency_s + sum.busy_s < cost->latency_s + cost->busy_s)) {
            best = t;
            *cost = sum;
        }
    }
    return best;
}

/* Which dimension of the group's own shape dimension d of @p shape is. */
static uint32_t own_dim(const struct weft_shape *group, const struct weft_shape *shape, uint32_t d)
{
    uint32_t k = 0;
    while (group->fabric_dim[k] != shape->fabric_dim[d])
        k++;
    return k;
}

/* One algorithm per dimension; what does not matter to the group is as without a fabric. */
static void try_dimensions(struct weft_track *s, const struct weft_shape *shape,
                           const struct weft_coll_call *call, struct weft_race *race)
{
    struct weft_coll_plan plan;
    struct weft_coll_call phase[2 * WEFT_DIMS_MAX];
    struct weft_cost cost[WEFT_DIMS_MAX] = {{0, 0}};
    const char *name[WEFT_DIMS_MAX];
    char text[WEFT_CHOICE_TEXT_MAX] = "";
    size_t len = 0;
    phases_of(s, shape, call, &plan, phase);
    for (uint32_t d = 0; d < s->dims->n; d++)
        name[d] = weft_auto_without_fabric(call->kind);
    for (uint32_t d = 0; d < shape->dims.n; d++) {
        const struct weft_trial *t =
            best_in(s, d, own_dim(s->shape, shape, d), &plan, phase, &cost[d]);
        if (!t)
            return;
        name[shape->fabric_dim[d]] = t->text;
    }
    for (uint32_t d = 0; d < s->dims->n; d++) {
        const int n = snprintf(text + len, sizeof text - len, "%s%s", d ? "," : "", name[d]);
        if (n < 0 || (size_t)n >= sizeof text - len)
            return;
        len += (size_t)n;
    }
    enter(race, text,
          chunked_s(s->job->p, weft_coll_chunks(call->bytes, s->job->p->chunks), cost,
                    shape->dims.n));
}

void weft_track_race(struct weft_track *s, const struct weft_op *op, uint64_t bytes,
                     struct weft_race *out)
{
    struct weft_shape scratch;
    const struct weft_shape *shape = weft_shape_of(s->shape, op, &scratch);
    const bool part = shape == &scratch;
    const struct weft_coll_call call = {
        .kind = weft_coll_played_as(op->coll), .n = s->group->n, .bytes = bytes};
    *out = (struct weft_race){.best_s = 0};
    if (!part)
        try_whole(s, call, out);
    if (shape->grid && weft_coll_has_phases(call.kind) && s->dims->n > 1 &&
        (part || shape->dims.n > 1))
        try_dimensions(s, shape, &call, out);
}
